#!/usr/bin/env python3
"""put_states.py EXECUTABLE STATE,...: has group_walks -DSTATES keep the warp's scheduling state.

Of the reads of %smid behind each read of the clock the first becomes a read of the first STATE, and so on; a STATE
of - leaves one as it is. STATE is the number of a register of the convergence barrier unit: 0 to 15 B0 to B15, 16 to
20 THREAD_STATE_ENUM.0 to .4, 24 MEXITED, 26 MACTIVE, 28 OPT_STACK, 32 MCOLLECTIVE. Where sm_90 code holds S2R Rd,
SR_VIRTUALSMID, BMOV.32 Rd, STATE is written. Prints how many were written."""
import struct
import sys

S2R, CS2R, BMOV = 0x7919, 0x7805, 0x7355
SMID, CLOCK = 0x43, 0x50
CONTROL = 0x1FFFFF << 41

path, states = sys.argv[1], sys.argv[2].split(",")
with open(path, "rb") as file:
    code = bytearray(file.read())
count = seen = 0
for at in range(0, len(code) - 16, 8):
    low, high = struct.unpack_from("<QQ", code, at)
    if high >> 62 != 0 or high & CONTROL == 0 or low >> 24 != 0:
        continue
    opcode, register = low & 0xFFFF, high >> 8 & 0xFF
    if opcode == CS2R and register == CLOCK:
        seen = 0
    if opcode != S2R or register != SMID:
        continue
    state = states[seen] if seen < len(states) else "-"
    seen += 1
    if state != "-":
        struct.pack_into("<QQ", code, at, BMOV | low & 0xFF0000 | int(state) << 24, high & CONTROL)
        count += 1
with open(path, "wb") as file:
    file.write(code)
print(count)
