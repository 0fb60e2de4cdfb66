#!/usr/bin/env python3
"""Makes a cubin of the instruction probe for instructions of the uniform datapath, which no PTX asks for.

  make_uniform.py FOLDER      FOLDER/uniform.cubin; needs the CUDA Toolkit's ptxas

uniform_words.txt holds instructions as ptxas 13.0 made them for sm_90, one a line: the word, and what it says. Each gets a kernel
in which a chain of FP64 multiply-adds marks words in a row whose registers are known. They are overwritten by: give
every uniform register and predicate that the instruction names a value from the record of the warp's first thread, the
instruction, hand its results to the registers that are stored.
"""
import re
import struct
import subprocess
import sys
from pathlib import Path

FIRST, CHAIN, WARP = 3000, 56, 32
DFMA, MOV, MOV_UNIFORM, R2UR, NOP, ULDC = 0x22b, 0x802, 0xc02, 0x2ca, 0x918, 0xab9
URZ, RZ, ALWAYS, NO_BARRIER = 63, 255, 7, 7
SPARE, ONE, CHOSEN = 56, 58, 59  # uniform registers no word names


def kernel(name):
    loads = ' '.join(f'ld.global.f64 {r}, [l+{64 + 8 * i}];' for i, r in enumerate('xyzw'))
    chain = ['fma.rn.f64 d, x, y, z;', 'fma.rn.f64 e, d, w, x;', 'fma.rn.f64 f, e, d, y;', 'fma.rn.f64 k, f, e, z;']
    chain += [f'fma.rn.f64 k, k, {"xyzwdef"[i % 7]}, {"fedwzyx"[i % 7]};' for i in range(CHAIN - len(chain))]
    body = ['.reg .b64 n, o, g, l; .reg .b32 b, t, i; .reg .f64 x, y, z, w, d, e, f, k; .reg .pred p;',
            'ld.param.u64 n, [records]; mov.u32 b, %ctaid.x; mov.u32 t, %tid.x; mad.lo.u32 i, b, 128, t;',
            f'cvta.to.global.u64 n, n; mul.wide.u32 o, i, 512; add.u64 g, n, o; and.b32 i, i, {2**32 - WARP};',
            f'mul.wide.u32 o, i, 512; add.u64 l, n, o; {loads}', *chain, 'setp.neu.f64 p, k, 0d3ff0000000000000;',
            '@p st.global.f64 [g+192], d; @p st.global.f64 [g+200], e; @p st.global.f64 [g+208], f;', 'ret;']
    return f'.visible .entry {name}(.param .u64 records)\n{{\n' + '\n'.join(body) + '\n}\n'


def field(word, first, bits):
    return word >> first & (1 << bits) - 1


def put(word, first, bits, value):
    return word & ~((1 << bits) - 1 << first) | value << first


def controlled(word, wait=0):
    """Issued after a full pipeline's time."""
    for first, bits, value in [(105, 4, 15), (109, 1, 0), (110, 3, NO_BARRIER), (113, 3, NO_BARRIER), (116, 6, wait), (122, 4, 0)]:
        word = put(word, first, bits, value)
    return word


def instruction(opcode, *fields):
    word = put(opcode, 12, 3, ALWAYS)
    for first, bits, value in fields:
        word = put(word, first, bits, value)
    return controlled(word)


def fill(register, value):
    return instruction(MOV, (16, 8, register), (32, 32, value), (72, 4, 15))


def to_uniform(uniform, register):
    return instruction(R2UR, (16, 6, uniform), (24, 8, register), (81, 3, ALWAYS))


def from_uniform(register, uniform):
    return instruction(MOV_UNIFORM, (16, 8, register), (32, 6, uniform), (72, 4, 15), (91, 1, 1))


NOTHING = instruction(NOP)


def is_negative(predicate, uniform):
    """UISETP.LT.AND predicate, UPT, uniform, URZ, UPT"""
    return controlled(put(put(put(0x0bf01270_0000003f_0000728c, 24, 6, uniform), 32, 6, URZ), 81, 3, predicate))


def one_if(uniform, predicate):
    """USEL uniform, ONE, URZ, predicate"""
    word = 0x08000000_0000003f_00007287
    return controlled(put(put(put(word, 16, 6, uniform), 24, 6, ONE), 87, 3, predicate))


def program(word, text, registers, descriptor):
    operands = text.split(' ', 1)[1].rstrip(' ;').split(', ')
    results = 2 if any(each.startswith('UP') for each in operands[:2]) else 1  # which come first

    def numbers(kind, of):
        return list(dict.fromkeys(int(n) for each in of for n in re.findall(rf'U{kind}(\d+)', each)))

    named, sources = numbers('R', operands), numbers('R', operands[results:])
    x, y, z, w, d, e, f, k = registers
    words = [controlled(instruction(NOP), 0x3f), fill(f, 1), fill(f + 1, 0), to_uniform(ONE, f)]
    words += [to_uniform(SPARE, w), to_uniform(SPARE + 1, w + 1)]
    for uniform in dict.fromkeys(n + i for n in named for i in (0, 1)):
        words.append(to_uniform(uniform, w + uniform % 2))
    for uniform, register in zip(sources, (x, y, z)):
        words.append(to_uniform(uniform, register))
        if uniform + 1 not in named:
            words.append(to_uniform(uniform + 1, register + 1))
    words.append(NOTHING)
    for i, predicate in enumerate(numbers('P', operands)):
        words.append(is_negative(predicate, SPARE + i % 2))
    words += [NOTHING, controlled(put(word, 12, 4, ALWAYS)), NOTHING]
    words += [fill(each + i, 0) for each in (d, e) for i in (0, 1)]
    written = numbers('R', operands[:results])
    if written:
        words += [from_uniform(d, written[0]), from_uniform(d + 1, written[0] + 1)]
    for i, predicate in enumerate(numbers('P', operands[:results])):
        words += [one_if(CHOSEN, predicate), NOTHING, from_uniform(e + i, CHOSEN)]
    words += [fill(k, 0), fill(k + 1, 0), controlled(descriptor), NOTHING]  # which the stores behind the chain use
    assert len(words) <= CHAIN, text
    return words + [NOTHING] * (CHAIN - len(words))


def patch(image, at, size, word, text):
    code = {i: int.from_bytes(image[i:i + 16], 'little') for i in range(at, at + size, 16)}
    slots = [i for i, each in code.items() if field(each, 0, 15) == DFMA | ALWAYS << 12]
    descriptor, = (each for each in code.values() if field(each, 0, 12) == ULDC)
    assert len(slots) == CHAIN, (text, len(slots))
    chain = [code[i] for i in slots]
    d, x, y, z = (field(chain[0], first, 8) for first in (16, 24, 32, 64))
    factors = [field(chain[1], first, 8) for first in (24, 32)]
    w = factors[0] if factors[1] == d else factors[1]
    e, f, k = (field(chain[i], 16, 8) for i in (1, 2, -1))
    if field(chain[1], 64, 8) != x:
        x, y = y, x  # a product's factors may come in any order
    assert field(chain[1], 64, 8) == x and len({x, y, z, w, d, e, f, k}) == 8, text
    for slot, each in zip(slots, program(word, text, (x, y, z, w, d, e, f, k), descriptor)):
        image[slot:slot + 16] = each.to_bytes(16, 'little')


def main():
    folder, here = Path(sys.argv[1]), Path(__file__).parent
    folder.mkdir(parents=True, exist_ok=True)
    kernels = {}
    for i, line in enumerate((here / 'uniform_words.txt').read_text().splitlines()):
        word, text = line.split(' ', 1)
        slug = re.sub(r'[^A-Za-z0-9]+', '_', text.split(' ')[0])
        kernels[f'p{FIRST + i}_{slug}__b32_b32_b32_b32'] = int(word, 16), text
    ptx, cubin = folder / 'uniform.ptx', folder / 'uniform.cubin'
    ptx.write_text('.version 9.0\n.target sm_90\n.address_size 64\n' + '\n'.join(map(kernel, kernels)))
    subprocess.run(['ptxas', '-arch=sm_90', '-o', cubin, ptx], check=True)
    ptx.unlink()
    image = bytearray(cubin.read_bytes())
    table, = struct.unpack_from('<Q', image, 0x28)
    size, count, names = struct.unpack_from('<HHH', image, 0x3a)
    sections = [struct.unpack_from('<IIQQQQIIQQ', image, table + i * size) for i in range(count)]
    strings = sections[names][4]
    for section in sections:
        name = image[strings + section[0]:image.index(0, strings + section[0])].decode()
        if name.startswith('.text.'):
            patch(image, section[4], section[5], *kernels.pop(name.removeprefix('.text.')))
    assert not kernels
    cubin.write_bytes(image)


main()
