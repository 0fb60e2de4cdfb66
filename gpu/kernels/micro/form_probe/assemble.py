"""Words of sm_90, and kernels made of nothing else.

A kernel's frame comes from ptxas: its parameters, 32 KiB of shared and 64 bytes of local memory, all sixteen barriers. Its code is
overwritten from the first word to the last. Every word waits for all before it and is issued 15 cycles after the last one, so
that no word depends on how long another takes.
"""
import struct
import subprocess

RZ, URZ, PT = 255, 63, 7
SLOTS = 128  # words a frame has room for, at least
SHARED, LOCAL = 1 << 15, 64
FIRST_SHARED = 1 << 10  # what is below is the system's
ALWAYS = 7
ALL, NONE = 0x3f, 7  # scoreboards: a set of them; the number of none

# Registers of a kernel in which a word is asked.
STACK, RECORD, THREAD, BLOCK, OFFSET, SLOT = 1, 2, 4, 5, 6, 7  # OFFSET of the record, SLOT in shared memory; in bytes
X, Y, Z, W = 8, 10, 12, 14                                     # operands, two registers each
RESULTS, MORE = 16, 24                                         # eight, stored at 192; four, at 224
SCRATCH, LEADER, COPY = 32, 40, 48
DESCRIPTOR, RECORDS, TEXTURE, SURFACE, MAPS, UNIFORM = 4, 6, 8, 9, 10, 20  # uniform ones
UNWRITTEN = 0xdeadbeef


def word(opcode, *fields, guard=ALWAYS, write=NONE, read=NONE):
    """`opcode`: bits 11:0 and, above them, 91. Fields: (first bit, bits, value). `write`, `read`: the scoreboards that say when its
    results are there and its sources no longer needed."""
    value = opcode & 0xfff | guard << 12 | (opcode >> 12) << 91
    for first, bits, number in fields:
        number &= (1 << bits) - 1
        assert not value >> first & (1 << bits) - 1, (hex(opcode), first)
        value |= number << first
    return value | 15 << 105 | write << 110 | read << 113 | ALL << 116


def loading(opcode, *fields, guard=ALWAYS): return word(opcode, *fields, guard=guard, write=0)
def storing(opcode, *fields, guard=ALWAYS): return word(opcode, *fields, guard=guard, read=1)


def d(register): return 16, 8, register
def a(register): return 24, 8, register
def b(register): return 32, 8, register
def c(register): return 64, 8, register
def ud(register): return 16, 6, register
def ua(register): return 24, 6, register
def ub(register): return 32, 6, register
def uc(register): return 64, 6, register
def immediate(value): return 32, 32, value
def constant(offset): return 40, 14, offset // 4
def pu(predicate): return 81, 3, predicate
def pv(predicate): return 84, 3, predicate
def pp(predicate, negated=0): return 87, 4, predicate | negated << 3
def offset(value): return 40, 24, value


def mov(to, source): return word(0x202, d(to), b(source), (72, 4, 15))
def fill(to, value): return word(0x802, d(to), immediate(value), (72, 4, 15))
def from_uniform(to, source): return word(0x1c02, d(to), ub(source), (72, 4, 15))
def to_uniform(to, source): return word(0x2ca, ud(to), a(source), pu(PT))
def uniform_constant(to, at, size): return word(0xab9, ud(to), (38, 16, at), (73, 3, size))
def load_constant(to, at, size): return loading(0xb82, d(to), a(RZ), (38, 16, at), (73, 3, size))
def special(to, number): return loading(0x919, d(to), (72, 8, number))
def add_constant(to, first, value):
    return word(0x810, d(to), a(first), immediate(value), c(RZ), pu(PT), pv(PT), (77, 4, 15), (87, 4, 15))
def scaled(to, source, factor, more): return word(0x824, d(to), a(source), immediate(factor), c(more), (73, 1, 1), (81, 3, 7), (87, 4, 15))
def scaled_wide(to, source, factor, more): return word(0x825, d(to), a(source), immediate(factor), c(more), (81, 3, 7), (87, 4, 15))
def masked(to, source, mask):
    return word(0x812, d(to), a(source), immediate(mask), c(RZ), (72, 8, 0xc0), pu(PT), (87, 4, 15))
def described(): return (72, 1, 1), (76, 1, 1), (84, 3, 1), (90, 1, 1)
def load(to, base, at, size=6):
    return loading(0x1981, d(to), a(base), ub(DESCRIPTOR), offset(at), (73, 3, size), pu(PT), *described())
def store(base, at, source, size=6):
    return storing(0x1986, a(base), b(source), uc(DESCRIPTOR), offset(at), (73, 3, size), *described())
def load_shared(to, base, at, size=6): return loading(0x984, d(to), a(base), offset(at), (73, 3, size))
def store_shared(base, at, source, size=6): return storing(0x388, a(base), b(source), offset(at), (73, 3, size))
def load_local(to, at, size=6): return loading(0x983, d(to), a(STACK), offset(at), (73, 3, size), (84, 3, 1))
def store_local(at, source, size=6): return storing(0x387, a(STACK), b(source), offset(at), (73, 3, size), (84, 3, 1))
def predicates_from(source, mask=0x7f): return word(0x804, a(source), immediate(mask))
def predicates_to(to, mask=0x7f): return word(0x803, d(to), a(RZ), immediate(mask))
def meet(): return word(0xb1d, (54, 4, 0), (77, 3, 0))
def wait_for_copies(): return [loading(0x9af), word(0x91a, (47, 1, 1), (44, 3, 0), (38, 6, 0))]
def jump(words): return word(0x947, (16, 8, words * 4 & 0xff), (34, 48, words * 4 >> 8), pp(PT))
NOTHING, END = word(0x918), word(0x94d, pp(PT))


def is_negative(predicate, uniform):
    """UISETP.LT.AND predicate, UPT, uniform, URZ, UPT"""
    return word(0x128c, ua(uniform), ub(URZ), (68, 4, 7), (73, 1, 1), (76, 3, 1), pu(predicate), pv(PT), pp(PT))


def one_if(uniform, predicate, negated=0):
    """USEL uniform, 1, URZ, predicate, for which another register holds the 1."""
    return [to_uniform(UNIFORM + 9, RESULTS + 7), word(0x1287, ud(uniform), ua(UNIFORM + 9), ub(URZ), pp(predicate, negated))]


def prologue():
    words = [load_constant(STACK, 0x28, 4), add_constant(STACK, STACK, 2**32 - LOCAL), special(THREAD, 33), special(BLOCK, 37)]
    words += [uniform_constant(DESCRIPTOR, 0x208, 5), uniform_constant(RECORDS, 0x210, 5)]
    words += [uniform_constant(TEXTURE, 0x218, 4), uniform_constant(SURFACE, 0x220, 4), uniform_constant(MAPS, 0x228, 5)]
    words += [scaled(OFFSET, BLOCK, 128, THREAD), scaled(OFFSET, OFFSET, 512, RZ), scaled(SLOT, THREAD, 64, RZ)]
    words += [add_constant(SLOT, SLOT, FIRST_SHARED)]
    words += [load_constant(RECORD, 0x210, 5), masked(LEADER, OFFSET, 2**32 - 32 * 512), load_constant(SCRATCH, 0x210, 5)]
    words += [scaled_wide(LEADER + 2, LEADER, 1, SCRATCH), scaled_wide(RECORD, OFFSET, 1, RECORD)]
    words += [load(X, RECORD, 64), load(Z, RECORD, 80)]
    # A record's operands are eight bytes apart; two registers have one.
    words += [load(LEADER + 4, LEADER + 2, 80), load(LEADER, LEADER + 2, 64)]
    words += [to_uniform(UNIFORM + i, LEADER + i) for i in range(8)]
    # All predicates have a value: four a bit of an operand, the others none; two uniform ones a sign.
    words += [is_negative(i, UNIFORM + 6 + i if i < 2 else URZ) for i in range(7)]
    words += [masked(SCRATCH, W, 0xf), predicates_from(SCRATCH)]
    words += [fill(RESULTS + i, UNWRITTEN) for i in range(8)] + [fill(MORE + i, 0) for i in range(4)]
    return words


def epilogue():
    return [predicates_to(MORE), store(RECORD, 192, RESULTS), store(RECORD, 208, RESULTS + 4), store(RECORD, 224, MORE), END]


def through_shared(words):
    """With a thread's 64 bytes of memory in shared memory, too; what is left there goes to 336."""
    before = [each for i in range(0, 64, 16) for each in (load(COPY, RECORD, i), store_shared(SLOT, i, COPY))]
    after = [each for i in range(0, 64, 16) for each in (load_shared(COPY, SLOT, i), store(RECORD, 336 + i, COPY))]
    return [*before, meet(), *words, meet(), *after]


def through_local(words):
    """The same of local memory, and 400."""
    before = [each for i in range(0, 64, 16) for each in (load(COPY, RECORD, i), store_local(i, COPY))]
    after = [each for i in range(0, 64, 16) for each in (load_local(COPY, i), store(RECORD, 400 + i, COPY))]
    return [*before, *words, *after]


def frame(name):
    chain = '\n'.join(f'fma.rn.f64 k{(i + 1) % 32}, k{i % 32}, k{(i + 7) % 32}, k{(i + 13) % 32};' for i in range(SLOTS))
    loads = '\n'.join(f'ld.global.f64 k{i}, [g+{8 * i}];' for i in range(32))
    stores = '\n'.join(f'st.global.f64 [g+{8 * i}], k{i};' for i in range(32))
    return f'''.visible .entry {name}(.param .u64 records, .param .u64 texture, .param .u64 surface, .param .u64 maps)
{{
.reg .b64 g, h, n; .reg .f64 k<32>; .reg .b32 t;
.shared .align 1024 .b8 s[{SHARED}]; .local .align 16 .b8 l[{LOCAL}];
ld.param.u64 g, [records]; cvta.to.global.u64 g, g; mov.u32 t, %tid.x;
{loads}
st.shared.u32 [s], t; barrier.sync t; and.b32 t, t, 15; mul.wide.u32 h, t, 4; mov.u64 n, l; add.u64 h, h, n;
st.local.f32 [h], 0f3f800000; ld.local.u32 t, [n]; st.global.u32 [g+192], t;
{chain}
{stores}
ret;
}}
'''


def assembled(ptx, kernels, cubin):
    """Compiles `ptx` and frames for `kernels`, a dictionary of names and words, and puts in the words."""
    source = cubin.with_suffix('.ptx')
    head = '.version 9.0\n.target sm_90\n.address_size 64\n'
    source.write_text(head + ptx + '\n'.join(map(frame, kernels)))
    subprocess.run(['ptxas', '-arch=sm_90', '-o', cubin, source], check=True)
    source.unlink()
    image = bytearray(cubin.read_bytes())
    table, = struct.unpack_from('<Q', image, 0x28)
    size, count, names = struct.unpack_from('<HHH', image, 0x3a)
    sections = [struct.unpack_from('<IIQQQQIIQQ', image, table + i * size) for i in range(count)]
    strings = sections[names][4]
    left = dict(kernels)
    for section in sections:
        name = image[strings + section[0]:image.index(0, strings + section[0])].decode()
        if not name.startswith('.text.') or name.removeprefix('.text.') not in kernels:
            continue
        words = left.pop(name.removeprefix('.text.'))
        room = section[5] // 16
        assert len(words) < room, name
        words = words + [jump(-1)] + [NOTHING] * (room - len(words) - 1)
        image[section[4]:section[4] + section[5]] = b''.join(each.to_bytes(16, 'little') for each in words)
    assert not left
    cubin.write_bytes(image)
