#!/usr/bin/env python3
"""put_yields.py EXECUTABLE: writes YIELD where its sm_90 code has pmevent 7 (PMTRIG 0x80).

Only what an instruction waits for (bits 116 to 121) stays as it was. Prints how many there were."""
import struct
import sys

PMTRIG, YIELD = 0x0000008000007801, 0x0000000000007946
YIELD_HIGH, WAITS = 0x000FEA0003800000, 0x3F << 52

path = sys.argv[1]
with open(path, "rb") as file:
    code = bytearray(file.read())
count, at = 0, code.find(struct.pack("<Q", PMTRIG))
while at >= 0:
    high = struct.unpack_from("<Q", code, at + 8)[0]
    struct.pack_into("<QQ", code, at, YIELD, YIELD_HIGH & ~WAITS | high & WAITS)
    count += 1
    at = code.find(struct.pack("<Q", PMTRIG), at + 16)
with open(path, "wb") as file:
    file.write(code)
print(count)
