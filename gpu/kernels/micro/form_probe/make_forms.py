#!/usr/bin/env python3
"""Makes the cubins of the form probe: one kernel for each way to write an instruction that the instruction probe lacks, because no
compiler does so.

  make_forms.py FOLDER      FOLDER/forms.cubin and, of words that may end a launch or never end, hazards.cubin; needs the CUDA Toolkit's ptxas

A kernel's name ends with the types that its records are filled with (instruction_probe/inputs.hpp).
"""
import re
import sys
from pathlib import Path

from assemble import *

kernels, hazards = {}, {}
BITS = 'b32_b32_b32_b32'
LAST = RESULTS + 7


def ask(name, *words, types=BITS, around=(), to=None):
    """`around`: through_shared, through_local."""
    to = kernels if to is None else to
    flat = [each for some in words for each in (some if isinstance(some, list) else [some])]
    for each in around:
        flat = each(flat)
    slug = re.sub(r'[^A-Za-z0-9]+', '_', name)
    to[f'f{len(kernels) + len(hazards):03}_{slug}__{types}'] = [*prologue(), *flat, *epilogue()]


def uniform(*words):
    """Results of the uniform datapath are there two words later."""
    return [each for one in words for each in (one, NOTHING, NOTHING)]


def results_of_uniform(first=UNIFORM + 8, count=2):
    return [from_uniform(RESULTS + i, first + i) for i in range(count)]


def uniform_predicates():
    """UP0 to UP3 as numbers."""
    words = [fill(LAST, 1)]
    for i in range(4):
        words += [*uniform(*one_if(UNIFORM + 10, i)), from_uniform(RESULTS + 2 + i, UNIFORM + 10)]
    return words + [fill(LAST, UNWRITTEN)]


# What computes on registers.
def moves():
    for mask in (0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 14):
        words = [mov(RESULTS + i, Y) for i in range(4)]
        words += [word(0x202, d(RESULTS), b(X), (72, 4, mask)), word(0x802, d(RESULTS + 1), immediate(0x12345678), (72, 4, mask))]
        words += [word(0xa02, d(RESULTS + 2), constant(0), (72, 4, mask)), word(0x1c02, d(RESULTS + 3), ub(UNIFORM), (72, 4, mask))]
        ask(f'MOV_bytes_{mask}', words)


def scaled_additions():
    x, hi = (74, 1, 1), (80, 1, 1)
    for i, shift in enumerate((0, 1, 5, 31)):
        for negated in range(4):
            signs = (72, 1, negated & 1), (63, 1, negated >> 1)
            carry = pp((0, 1, PT, 2)[i], negated & 1)
            if negated == 3 and i != 0:
                continue
            to = hazards if negated == 3 else kernels  # both inverted
            ask(f'LEA_X_{shift}_{negated}', word(0x211, d(RESULTS), a(X), b(Y), c(RZ), x, *signs, (75, 5, shift), pu(4), carry), to=to)
            uniform_carry = pp((0, 1, PT, 0)[i], negated & 1)
            ask(f'ULEA_X_{shift}_{negated}',
                uniform(word(0x1291, ud(UNIFORM + 8), ua(UNIFORM), ub(UNIFORM + 2), uc(URZ), x, *signs, (75, 5, shift), pu(2), uniform_carry)),
                results_of_uniform(count=1), uniform_predicates(), to=to)
            ask(f'ULEA_HI_X_SX32_{shift}_{negated}',
                uniform(word(0x1291, ud(UNIFORM + 8), ua(UNIFORM), ub(UNIFORM + 2), uc(URZ), x, hi, (73, 1, 1), *signs, (75, 5, shift),
                             pu(2), uniform_carry)),
                results_of_uniform(count=1), uniform_predicates(), to=to)
        for inverted in (0, 1):
            sign, high = (72, 1, inverted), immediate((0x9abcdef1, 5, 0xffffffff, 0x80000000)[i])
            ask(f'LEA_HI_immediate_{shift}_{inverted}',
                word(0x411, d(RESULTS), a(X), c(Y), high, hi, sign, (75, 5, shift), pu(4), (87, 4, 15)))
            ask(f'LEA_HI_X_immediate_{shift}_{inverted}',
                word(0x411, d(RESULTS), a(X), c(Y), high, hi, x, sign, (75, 5, shift), pu(4), pp(inverted, i & 1)))
            ask(f'ULEA_HI_immediate_{shift}_{inverted}',
                uniform(word(0x1491, ud(UNIFORM + 8), ua(UNIFORM), uc(UNIFORM + 2), high, hi, sign, (75, 5, shift), pu(2), (87, 4, 15))),
                results_of_uniform(count=1), uniform_predicates())
            ask(f'ULEA_HI_X_immediate_{shift}_{inverted}',
                uniform(word(0x1491, ud(UNIFORM + 8), ua(UNIFORM), uc(UNIFORM + 2), high, hi, x, sign, (75, 5, shift), pu(2), pp(inverted, i & 1))),
                results_of_uniform(count=1), uniform_predicates())


def floats():
    for half in (0, 1):
        for ftz in (0, 1):
            for sign in range(4):
                ask(f'F2F_F32_F16_{half}_{ftz}_{sign}',
                    loading(0x304, d(RESULTS), b(X), (60, 2, half), (62, 1, sign & 1), (63, 1, sign >> 1), (75, 3, 2), (84, 2, 1), (80, 1, ftz)),
                    types='f16x2_f16x2_f16x2_f16x2')
    for ftz in (0, 1):
        for lone in (0, 1):
            for operations in (0x00, 0x55, 0xaa, 0xff, 0x1b, 0xe4, 0x63, 0x9c, 0xd2):
                ask(f'FSWZADD_{ftz}_{lone}_{operations:02x}',
                    word(0x822, d(RESULTS), a(X), c(Y), (32, 8, operations), (77, 1, lone), (80, 1, ftz)), types='f32_f32_f32_f32')
    # With lanes of a quad that are off.
    ask('FSWZADD_guarded', word(0x822, d(RESULTS), a(X), c(Y), (32, 8, 0x1b), guard=1), types='f32_f32_f32_f32')


def uniform_words():
    for wrap in (0, 1):
        for signed in (0, 1):
            for opcode, source, how in ((0x129a, ub(UNIFORM + 2), 'register'), (0x189a, immediate(13), '13'), (0x189a, immediate(40), '40')):
                ask(f'USGXT_{wrap}_{signed}_{how}',
                    uniform(word(opcode, ud(UNIFORM + 8), ua(UNIFORM), source, (75, 1, wrap), (73, 1, signed))), results_of_uniform(count=1),
                    types='b32_count_b32_b32')
        for opcode, source, how in ((0x129b, ub(UNIFORM + 2), 'register'), (0x189b, immediate(9), '9'), (0x189b, immediate(40), '40')):
            ask(f'UBMSK_{wrap}_{how}', uniform(word(opcode, ud(UNIFORM + 8), ua(UNIFORM), source, (75, 1, wrap))), results_of_uniform(count=1),
                types='count_count_b32_b32')
    ask('UBREV', uniform(word(0x12be, ud(UNIFORM + 8), ub(UNIFORM))), results_of_uniform(count=1))
    ask('UBREV_immediate', uniform(word(0x18be, ud(UNIFORM + 8), immediate(0x12345678))), results_of_uniform(count=1))
    for signed in (0, 1):
        for inverted in (0, 1):
            for carry in ((0, 0), (1, 1), (PT, 0), (PT, 1)):
                more = (73, 1, signed), (74, 1, 1), (75, 1, inverted), pp(*carry)
                ask(f'UIMAD_X_{signed}_{inverted}_{carry[0]}{carry[1]}',
                    uniform(word(0x12a4, ud(UNIFORM + 8), ua(UNIFORM), ub(UNIFORM + 2), uc(UNIFORM + 4), (81, 3, 7), *more)),
                    results_of_uniform(count=1))
                ask(f'UIMAD_WIDE_X_{signed}_{inverted}_{carry[0]}{carry[1]}',
                    uniform(word(0x12a5, ud(UNIFORM + 8), ua(UNIFORM), ub(UNIFORM + 2), uc(UNIFORM + 4), pu(2), *more)),
                    results_of_uniform(), uniform_predicates())
    for part in range(4):
        for mask in (0x7f, 0x2a, 0):
            ask(f'UP2UR_{part}_{mask}', uniform(word(0x1883, ud(UNIFORM + 8), ua(UNIFORM), immediate(mask), (76, 2, part))),
                results_of_uniform(count=1))
            ask(f'UR2UP_{part}_{mask}', uniform(word(0x1884, ua(UNIFORM), immediate(mask), (76, 2, part))), uniform_predicates())


# Where an access may be: registers' words for each form of address, and how the address is written.
def addresses(at):
    """Name, words before it, A and the uniform register, whether A has 64 bits. With an offset of 16 they are `at` bytes into the record."""
    shifted = [add_constant(SCRATCH + 2, OFFSET, at - 16), fill(SCRATCH + 3, 0)]
    yield 'u32', shifted, SCRATCH + 2, RECORDS, 0
    yield 'u64', shifted, SCRATCH + 2, RECORDS, 1
    yield 'none', [scaled_wide(SCRATCH + 2, OFFSET, 1, RECORD), load_constant(SCRATCH, 0x210, 5),
                   add_constant(SCRATCH + 2, OFFSET, at - 16), scaled_wide(SCRATCH + 2, SCRATCH + 2, 1, SCRATCH)], SCRATCH + 2, URZ, 1


LOADS = (('u8', 0), ('s8', 1), ('u16', 2), ('s16', 3), ('32', 4), ('64', 5), ('128', 6))
CACHED, E = (84, 3, 1), (72, 1, 1)


def loads_and_stores():
    for name, before, base, pair, wide in addresses(32):
        for size, code in LOADS:
            fields = ub(pair), a(base), offset(16), (73, 3, code), (90, 1, wide), E, CACHED
            ask(f'LDG_{name}_{size}', before, loading(0x1981, d(RESULTS), *fields, pu(PT)))
            ask(f'LD_{name}_{size}', before, loading(0x1980, d(RESULTS), *fields))
            if code in (1, 3):
                continue
            fields = uc(pair), a(base), b(X), offset(16), (73, 3, code), (90, 1, wide), E, CACHED
            ask(f'STG_{name}_{size}', before, storing(0x1986, *fields))
            ask(f'ST_{name}_{size}', before, storing(0x1985, *fields))
        for order in (5, 7, 10):
            ask(f'LDG_{name}_order_{order}', before,
                loading(0x1981, d(RESULTS), ub(pair), a(base), offset(16), (73, 3, 4), (90, 1, wide), E, CACHED, (77, 4, order), pu(PT)))
            ask(f'STG_{name}_order_{order}', before,
                storing(0x1986, uc(pair), a(base), b(X), offset(16), (73, 3, 4), (90, 1, wide), E, CACHED, (77, 4, order)))
    for size, code in LOADS:
        at = [uniform_constant(UNIFORM + 8, 0x28, 4), NOTHING, fill(SCRATCH, 2**32 - 16)]
        ask(f'LDL_uniform_{size}', at, loading(0x1983, d(RESULTS), a(SCRATCH), ub(UNIFORM + 8), offset(-16), (73, 3, code), CACHED),
            around=[through_local])
        if code not in (1, 3):
            ask(f'STL_uniform_{size}', at, storing(0x1987, a(SCRATCH), b(X), uc(UNIFORM + 8), offset(-16), (73, 3, code), CACHED),
                around=[through_local])
    for number in range(3):
        for turned in (0, 1):
            ask(f'LDSM_uniform_{1 << number}_{turned}', fill(SCRATCH, 16), uniform(to_uniform(UNIFORM + 8, SCRATCH)),
                loading(0x183b, d(RESULTS), a(SLOT), ub(UNIFORM + 8), offset(16), (72, 2, number), (78, 2, turned)), around=[through_shared])
    for hint in (0, 1):
        ask(f'CCTLL_{hint}', storing(0x990, a(STACK), (87, 4, hint)), load_local(RESULTS, 0), around=[through_local])


def atomics():
    integers = [(n, i) for i, n in enumerate(('ADD', 'MIN', 'MAX', 'INC', 'DEC', 'AND', 'OR', 'XOR', 'EXCH'))]
    types = (('u32', 0, 'b32', range(9)), ('s32', 1, 'b32', (1, 2)), ('u64', 2, 'b64', (0, 1, 2, 5, 6, 7, 8)), ('s64', 3, 'b64', (1, 2)))
    order, reduced_order = (77, 4, 7), (77, 4, 7)
    for form, before, base, pair, wide in addresses(32):
        for type_name, code, bits, operations in types:
            for name, operation in integers:
                if operation not in operations:
                    continue
                kinds = '_'.join([bits] * 4)
                fields = a(base), b(X), uc(pair), offset(16), E, (87, 4, operation), (73, 3, code), CACHED
                for spelled, opcode, plainly in (('ATOM', 0x198a, 0x38a), ('ATOMG', 0x19a8, 0x3a8)):
                    ask(f'{spelled}_{form}_{name}_{type_name}', before,
                        loading(opcode, d(RESULTS), *fields, (70, 1, wide), order, pu(PT)), types=kinds)
                    if form == 'none':  # the form without a place for a uniform register
                        plain = [each for each in fields if each != uc(pair)]
                        ask(f'{spelled}_plain_{name}_{type_name}', before,
                            loading(plainly, d(RESULTS), *plain, order, pu(PT)), types=kinds)
                if operation < 8:
                    fields = a(base), b(X), offset(16), E, (87, 3, operation), (73, 3, code), CACHED, reduced_order
                    ask(f'RED_{form}_{name}_{type_name}', before, storing(0x198e, *fields, uc(pair), (90, 1, wide)), types=kinds)
                    if form == 'none':
                        ask(f'RED_plain_{name}_{type_name}', before, storing(0x98e, *fields), types=kinds)
        halves, words = ('f16x2', 0, 'f16x2'), ('f32ftz', 9, 'f32')
        for type_name, code, bits in (halves, ('bf16x2', 3, 'bf16x2'), words, ('f32', 12, 'f32'), ('f64', 15, 'f64')):
            for name, operation in (('ADD', 0), ('MIN', 1), ('MAX', 2)):
                if operation and code not in (0, 3):
                    continue
                kinds = '_'.join([bits] * 4)
                fields = a(base), b(X), offset(16), E, (88, 2, operation), (73, 4, code), CACHED, order
                ask(f'ATOM_{form}_{name}_{type_name}', before, loading(0x19a2, d(RESULTS), *fields, uc(pair), (70, 1, wide), pu(PT)), types=kinds)
                ask(f'ATOMG_{form}_{name}_{type_name}', before, loading(0x19a3, d(RESULTS), *fields, uc(pair), (70, 1, wide), pu(PT)), types=kinds)
                ask(f'RED_{form}_{name}_{type_name}', before, storing(0x19a6, *fields, uc(pair), (90, 1, wide)), types=kinds)
                if form == 'none':
                    ask(f'ATOM_plain_{name}_{type_name}', before, loading(0x3a2, d(RESULTS), *fields, pu(PT)), types=kinds)


def spaces():
    for form, before, base, pair, wide in addresses(32):
        for space in range(4):
            ask(f'QSPC_{form}_{space}', before,
                loading(0x19aa, d(RESULTS), a(base), ub(pair), offset(16), E, (73, 2, space), pu(4), (90, 1, wide)))
    for name, window, register in (('local', 46, STACK), ('shared', 47, SLOT)):
        for space in range(4):
            ask(f'QSPC_of_{name}_{space}', mov(SCRATCH + 2, register), special(SCRATCH + 3, window),
                loading(0x19aa, d(RESULTS), a(SCRATCH + 2), ub(URZ), E, (73, 2, space), pu(4), (90, 1, 1)), around=[through_shared, through_local])


def copies():
    shared = [add_constant(SCRATCH + 6, SLOT, 32)]
    base = shared + [fill(SCRATCH + 7, 16), *uniform(to_uniform(UNIFORM + 9, SCRATCH + 7)), uniform_constant(UNIFORM + 10, 0x208, 5), NOTHING]
    for size, code, through in (('32', 4, 1), ('64', 5, 1), ('128', 6, 1), ('128_bypass', 6, 0)):
        for zero in (0, 1):
            common = (73, 3, code), (81, 1, through), (82, 1, zero), CACHED, pp(1 if zero else PT)
            into = d(SCRATCH + 6), (44, 20, 0)
            for form, before, register, pair, wide in addresses(16):
                ask(f'LDGSTS_{form}_{size}_{zero}', before, shared,
                    storing(0x1fae, *into, a(register), uc(pair), (70, 1, wide), (32, 12, 16), *common), wait_for_copies(), around=[through_shared])
            into = d(SCRATCH + 6), uc(UNIFORM + 9), (44, 20, -32)
            ask(f'LDGSTS_to_uniform_{size}_{zero}', base,
                storing(0x1dae, *into, a(RECORD), (70, 1, 1), (32, 12, 16), *common), wait_for_copies(), around=[through_shared])
    # The descriptor is said to be in the pair behind the uniform register of the place.
    for first, pair in ((28, 29), (28, 30), (29, 30), (31, 32), (26, 27)):
        registers = [fill(SCRATCH + 7, 16), *uniform(to_uniform(first, SCRATCH + 7)), load_constant(SCRATCH, 0x208, 5),
                     *uniform(to_uniform(pair, SCRATCH), to_uniform(pair + 1, SCRATCH + 1))]
        ask(f'LDGSTS_to_uniform_descriptor_{first}_{pair}', shared, registers,
            storing(0x1dae, d(SCRATCH + 6), uc(first), (44, 20, -32), a(RECORD), (70, 1, 1), (32, 12, 16), (73, 3, 4), (81, 1, 1), CACHED, pp(PT),
                    (76, 1, 1)), wait_for_copies(), around=[through_shared], to=hazards)


def control():
    for mask in (0, 1, 0x3f):
        ask(f'DEPBAR_{mask}', loading(0x1981, d(RESULTS), a(RECORD), ub(DESCRIPTOR), offset(0), (73, 3, 6), pu(PT), *described()),
            word(0x91a, (32, 6, mask)), NOTHING)
    result = loading(0x31c, d(RESULTS), pu(4), (78, 2, 1))
    for operation in range(3):
        for defer in (0, 1):
            modes = (77, 3, 2), (74, 2, operation), (80, 1, defer), pp(1)
            ask(f'BAR_RED_{operation}_{defer}_number', fill(SCRATCH, 9), word(0x51d, b(SCRATCH), (42, 12, 128), *modes), result)
            ask(f'BAR_RED_{operation}_{defer}_number_all', fill(SCRATCH, 3), word(0x51d, b(SCRATCH), *modes), result)
            ask(f'BAR_RED_{operation}_{defer}_count', fill(SCRATCH, 128), word(0x91d, (54, 4, 5), b(SCRATCH), *modes), result)
    # A branch on a uniform predicate skips what writes the first result.
    for predicate, negated in ((0, 0), (1, 1), (PT, 0), (PT, 1)):
        skip = 1
        ask(f'BRA_uniform_{predicate}_{negated}',
            word(0x1547, (32, 2, 1), (24, 4, predicate | negated << 3), (16, 8, skip * 4 & 0xff), (87, 4, 7)), mov(RESULTS, X))
    shuffle = loading(0xf89, d(RESULTS), a(X), (40, 13, 0x1f), (53, 5, 3), (58, 2, 3), pu(PT))
    for name, inside in (('shuffle', [shuffle]), ('shuffle_end', [shuffle, word(0x91b, pp(PT))]), ('end', [word(0x91b, pp(PT))]),
                         ('nothing', [NOTHING])):
        ask(f'WARPSYNC_COLLECTIVE_ALL_{name}', word(0x948, (85, 2, 2), (16, 8, 4 * len(inside)), pp(PT)), inside, NOTHING, to=hazards)


def texture_coordinates():
    """x and y below 32 in SCRATCH and SCRATCH + 1, as numbers in SCRATCH + 2, twice; SCRATCH + 8: where level and handle go."""
    words = [masked(SCRATCH, X, 31), masked(SCRATCH + 1, Y, 31)]
    for i in range(2):
        words += [word(0x245, d(SCRATCH + 2 + i), b(SCRATCH + i), (75, 2, 2), (84, 2, 2)), mov(SCRATCH + 4 + i, SCRATCH + 2 + i)]
    return words


def textures():
    at, floats_at, behind = SCRATCH, SCRATCH + 2, SCRATCH + 8
    whole, dimension = (72, 4, 15), (61, 3, 1)
    handle = from_uniform(behind, TEXTURE)
    results = d(RESULTS), c(RESULTS + 2)
    fixed, unused = (84, 3, 1), (81, 3, 7)
    first = texture_coordinates()
    in_constant = (40, 14, 0x218 // 4), (54, 5, 0)
    kinds = (('TEX', 0x361, 0xb60, floats_at, (unused,)), ('TLD', 0x367, 0xb66, at, (unused,)))
    for name, by_register, by_constant, place, more in kinds:
        for level in (1, 3):
            many = [handle, fill(behind + 1, 0)] if level == 3 else [handle]
            lod = (87, 3, level)
            ask(f'{name}_register_{level}', first, many,
                loading(by_register, *results, a(place), b(behind), (59, 1, 1), whole, dimension, fixed, lod, *more))
            ask(f'{name}_constant_{level}', first, fill(behind, 0),
                loading(by_constant, *results, a(place), b(behind if level == 3 else RZ), *in_constant, whole, dimension, fixed, lod, *more))
    for component in range(4):
        ask(f'TLD4_register_{component}', first, handle,
            loading(0x364, *results, a(floats_at), b(behind), (59, 1, 1), whole, dimension, fixed, unused, (87, 2, component)))
        ask(f'TLD4_constant_{component}', first,
            loading(0xb63, *results, a(floats_at), b(RZ), *in_constant, whole, dimension, fixed, unused, (87, 2, component)))
    slopes = [fill(behind + i, 0) for i in range(1, 5)]
    ask('TXD_register', first, handle, slopes,
        loading(0x36d, *results, a(floats_at), b(behind), (59, 2, 1), whole, dimension, fixed, unused), to=hazards)
    ask('TXD_constant', first, [fill(behind + i, 0) for i in range(4)],
        loading(0xb6c, *results, a(floats_at), b(behind), *in_constant, whole, dimension, fixed, unused))
    for components in (1, 2, 3, 15):
        ask(f'TXQ_register_{components}', [handle, fill(behind + 1, 0)],
            loading(0x370, *results, a(behind), (59, 1, 1), (72, 4, components)))
        ask(f'TXQ_constant_{components}', fill(behind, 0), loading(0xb6f, *results, a(behind), *in_constant, (72, 4, components)))


def surfaces():
    """Each thread its own element of 16 bytes: 1024 in 32 rows; .P and reductions of elements of four."""
    at, behind = SCRATCH, SCRATCH + 8
    linear = [scaled(SCRATCH + 4, BLOCK, 128, THREAD), masked(SCRATCH, SCRATCH + 4, 31), masked(SCRATCH + 1, SCRATCH + 4, 0x3e0),
              word(0x819, d(SCRATCH + 1), a(RZ), immediate(5), c(SCRATCH + 1), (76, 1, 1), (73, 2, 3), (80, 1, 1))]
    bytes_at = linear + [scaled(SCRATCH, SCRATCH, 16, RZ)]
    handle = from_uniform(behind, SURFACE)
    in_constant = (40, 14, 0x220 // 4), (54, 5, 0)
    two_dimensions, trap = (61, 3, 3), (59, 2, 2)
    def read_back(register): return loading(0x1f99, d(register), a(at), (40, 6, SURFACE), (72, 1, 1), two_dimensions, (73, 3, 6), trap,
                                            (77, 4, 5), (81, 3, 7), (84, 3, 1))
    write = storing(0x1f9d, a(at), b(X), (40, 6, SURFACE), (72, 1, 1), two_dimensions, (73, 3, 6), trap, (77, 4, 5), (84, 3, 1))
    for size, code in LOADS:
        common = a(at), (72, 1, 1), two_dimensions, (73, 3, code), trap, (77, 4, 5), (84, 3, 1)
        ask(f'SULD_register_{size}', bytes_at, handle, write, loading(0x99a, d(RESULTS), c(behind), *common, (81, 3, 7)))
        ask(f'SULD_constant_{size}', bytes_at, write, loading(0xb99, d(RESULTS), *in_constant, *common, (81, 3, 7)))
        if code in (1, 3):
            continue
        ask(f'SUST_register_{size}', bytes_at, handle, write, storing(0x99e, b(Z), c(behind), *common), read_back(RESULTS))
        ask(f'SUST_constant_{size}', bytes_at, write, storing(0xb9d, b(Z), *in_constant, *common), read_back(RESULTS))
    for components in (1, 3, 15):
        common = a(at), two_dimensions, (72, 4, components), trap, (77, 4, 5), (84, 3, 1)
        for name, opcode, where, more in (('register', 0x99c, (c(behind),), [handle]), ('constant', 0xb9b, in_constant, []),
                                          ('uniform', 0x1f9b, ((40, 6, SURFACE),), [])):
            ask(f'SUST_P_{name}_{components}', bytes_at, more, write, linear, storing(opcode, b(Z), *where, *common),
                scaled(SCRATCH, SCRATCH, 16, RZ), read_back(RESULTS))
    for name, operation in (('ADD', 0), ('MIN', 1), ('MAX', 2), ('AND', 5), ('OR', 6), ('XOR', 7)):
        for type_name, code in (('u32', 0), ('s32', 1)):
            common = a(at), b(Z), (72, 1, 1), two_dimensions, (87, 4, operation), (73, 3, code), trap, (77, 4, 10), (84, 3, 1)
            ask(f'SURED_{name}_{type_name}_register', bytes_at, handle, write, storing(0x3a0, c(behind), *common), read_back(RESULTS))
            ask(f'SURED_{name}_{type_name}_constant', bytes_at, write, storing(0x59f, *in_constant, *common), read_back(RESULTS))


TENSOR_HEAD = '''.visible .entry {name}(.param .u64 records, .param .u64 texture, .param .u64 surface, .param .u64 maps)
{{
.reg .b64 g, m, n, h; .reg .b32 t, c, i, s, r, a, b, d, e, f; .reg .pred p, q;
.shared .align 1024 .b8 tile[2048]; .shared .align 8 .b8 barrier[8];
ld.param.u64 g, [records]; ld.param.u64 m, [maps]; add.u64 n, m, 128; mov.u32 t, %tid.x; mov.u32 c, %ctaid.x; mad.lo.u32 i, c, 128, t;
mul.wide.u32 h, i, 512; add.u64 g, g, h; mul.lo.u32 i, c, 128; mov.u32 s, tile; mov.u32 r, barrier; setp.eq.u32 p, t, 0;
createpolicy.fractional.L2::evict_last.b64 h, 1.0;
@p mbarrier.init.shared.b64 [r], 1;
fence.proxy.async;
bar.sync 0;
mad.lo.u32 s, t, 16, s;
'''
TENSOR_LOADED = '''mov.u32 a, tile;
@p mbarrier.arrive.expect_tx.shared.b64 _, [r], 2048;
@p {copy};
wait: mbarrier.try_wait.parity.shared.b64 q, [r], 0;
@!q bra wait;
ld.shared.v4.u32 {{a, b, d, e}}, [s];
st.global.v4.u32 [g+192], {{a, b, d, e}};
ret;
}}
'''
TENSOR_STORED = '''ld.global.v4.u32 {{a, b, d, e}}, [g+64];
st.shared.v4.u32 [s], {{a, b, d, e}};
fence.proxy.async;
bar.sync 0;
mov.u32 a, tile; mov.u32 f, 48;
@p {copy};
@p cp.async.bulk.commit_group;
@p cp.async.bulk.wait_group 0;
ret;
}}
'''
TENSOR_AHEAD = '''mov.u32 f, 16;
@p {copy};
st.global.u32 [g+192], t;
ret;
}}
'''


def tensors():
    """PTX of copies of boxes, four words of 128 records, with a cache hint and ahead of their use. The records are the tensor: the first
    map has it in two dimensions, the second, for im2col, in three."""
    load, hint = 'cp.async.bulk.tensor', 'L2::cache_hint'
    tiled, pixels = '[m, {16, i}]', '[n, {16, i, 0}]'
    ahead, offsets = 'cp.async.bulk.prefetch.tensor', '{f16}'
    complete = 'mbarrier::complete_tx::bytes'
    loads = {'UTMALDG_hint': f'{load}.2d.shared::cluster.global.tile.{complete}.{hint} [a], {tiled}, [r], h',
             'UTMALDG_im2col_hint': f'{load}.3d.shared::cluster.global.im2col.{complete}.{hint} [a], {pixels}, [r], {offsets}, h'}
    stores = {'UTMASTG_hint': f'{load}.2d.global.shared::cta.tile.bulk_group.{hint} [m, {{f, i}}], [a], h',
              'UTMASTG_im2col_hint': f'{load}.3d.global.shared::cta.im2col_no_offs.bulk_group.{hint} [n, {{f, i, 0}}], [a], h'}
    for operation in ('add', 'min', 'max', 'inc', 'dec', 'and', 'or', 'xor'):
        stores[f'UTMAREDG_{operation}_hint'] = (
            f'cp.reduce.async.bulk.tensor.2d.global.shared::cta.{operation}.tile.bulk_group.{hint} [m, {{f, i}}], [a], h')
    prefetches = {'UTMAPF': f'{ahead}.2d.L2.global.tile {tiled}', 'UTMAPF_hint': f'{ahead}.2d.L2.global.tile.{hint} {tiled}, h',
                  'UTMAPF_im2col': f'{ahead}.3d.L2.global.im2col {pixels}, {offsets}',
                  'UTMAPF_im2col_hint': f'{ahead}.3d.L2.global.im2col.{hint} {pixels}, {offsets}, h',
                  'UTMACCTL_prefetch': 'prefetch.tensormap [m]',
                  'UTMACCTL_acquire': 'fence.proxy.tensormap::generic.acquire.gpu [m], 128'}
    made = []
    for tail, copies_of in ((TENSOR_LOADED, loads), (TENSOR_STORED, stores), (TENSOR_AHEAD, prefetches)):
        for name, copy in copies_of.items():
            head = TENSOR_HEAD.replace('.reg .pred', '.reg .b16 f16; .reg .pred').format(name=f't{len(made):02}_{name}__{BITS}')
            made.append(head + 'mov.b16 f16, 0;\n' + tail.format(copy=copy))
    return ''.join(made)


def multicast():
    """Of memory that is no multicast object's."""
    for name, operation, code in (('ADD_u32', 0, 0), ('AND_u32', 5, 0), ('MIN_s64', 1, 3)):
        ask(f'LDGMC_{name}', loading(0x19a4, d(RESULTS), a(RECORD), uc(URZ), (70, 1, 1), E, (87, 3, operation), (73, 3, code), (77, 4, 7)),
            to=hazards)
    for name, code in (('f32', 12), ('f16x8', 2)):
        ask(f'LDGMC_ADD_{name}', loading(0x19a5, d(RESULTS), a(RECORD), uc(URZ), (70, 1, 1), E, (88, 2, 0), (73, 4, code), (77, 4, 7)),
            to=hazards)


# What may end a launch, or never end.
def indirect_branches():
    """To the word behind the next, by the distance from the kernel's first word."""
    first = len(prologue())
    # In front: two fills, and six words of the uniform pair.
    for relative in (0, 1):
        jump_at = first + 2 + 6
        target = (jump_at + 2) * 16
        value, displacement = (target, -(jump_at + 1) * 16) if relative == 0 else (32, -16)
        ask(f'BRXU_{relative}', [fill(SCRATCH, value), fill(SCRATCH + 1, 0)],
            uniform(to_uniform(UNIFORM + 8, SCRATCH), to_uniform(UNIFORM + 9, SCRATCH + 1)),
            word(0x1958, ua(UNIFORM + 8), (16, 8, (displacement // 4) & 0xff), (34, 48, displacement // 4 >> 8), pp(PT)), mov(RESULTS, X),
            to=hazards)


def ends():
    ask('KILL_none', word(0x95b, pp(PT, 1)), mov(RESULTS, X), to=hazards)
    ask('KILL_some', word(0x95b, pp(1)), mov(RESULTS, X), to=hazards)
    ask('KILL_all', word(0x95b, pp(PT)), mov(RESULTS, X), to=hazards)
    for name, number in (('PAUSE', 2), ('TRAP', 3), ('INT', 4), ('DRAIN', 5), ('PAUSE_QUIET', 6)):
        ask(f'BPT_{name}', word(0x95c, (84, 3, number), (34, 3, 0 if name == 'DRAIN' else 1)), mov(RESULTS, X), to=hazards)


STATES = ('THREAD_STATE_ENUM_0', 'THREAD_STATE_ENUM_1', 'THREAD_STATE_ENUM_2', 'THREAD_STATE_ENUM_3', 'THREAD_STATE_ENUM_4',
          'TRAP_RETURN_PC_LO', 'TRAP_RETURN_PC_HI', 'TRAP_RETURN_MASK', 'MEXITED', 'MKILL', 'MACTIVE', 'MATEXIT', 'OPT_STACK',
          'API_CALL_DEPTH', 'ATEXIT_PC_LO', 'ATEXIT_PC_HI')


def states():
    def state(number): return 24, 6, number
    barrier = 16, 4, 5
    for number, name in enumerate(STATES, 16):
        ask(f'BMOV_state_{name}', loading(0x355, d(RESULTS), state(number)), to=hazards)
    ask('BMOV_clear_MACTIVE', loading(0x355, d(RESULTS), state(26), (84, 1, 1)), to=hazards)
    for name in ('MACTIVE', 'MEXITED', 'MATEXIT', 'OPT_STACK', 'API_CALL_DEPTH'):
        number = 16 + STATES.index(name)
        ask(f'BMOV_to_barrier_{name}', word(0xf55, barrier, state(number)), NOTHING, loading(0x355, d(RESULTS), state(5)), to=hazards)
    for name in ('OPT_STACK', 'API_CALL_DEPTH', 'MATEXIT'):
        number = 16 + STATES.index(name)
        for quad in (0, 1):
            ask(f'BMOV_from_barrier_{name}_{quad}', word(0x356, state(5), b(RZ)), NOTHING, word(0xf56, state(number), barrier, (84, 1, quad)), NOTHING,
                loading(0x355, d(RESULTS), state(number)), to=hazards)
            ask(f'BMOV_from_register_{name}_{quad}', word(0x356, state(number), b(RZ), (84, 1, quad)), NOTHING,
                loading(0x355, d(RESULTS), state(number)), to=hazards)


def scans():
    ask('BAR_SCAN', word(0xb1d, (54, 4, 6), (42, 12, 128), (77, 3, 3), pp(1)), loading(0x31c, d(RESULTS), pu(4), (78, 2, 1)), to=hazards)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for make in (moves, scaled_additions, floats, uniform_words, loads_and_stores, atomics, spaces, copies, control, textures, surfaces):
        make()
    assembled(tensors(), kernels, folder / 'forms.cubin')
    for make in (multicast, indirect_branches, states, ends, scans):
        make()
    assembled('', hazards, folder / 'hazards.cubin')


if __name__ == '__main__':
    main()
