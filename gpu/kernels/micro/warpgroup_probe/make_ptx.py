#!/usr/bin/env python3
"""make_ptx.py [--part N]: PTX for sm_90a with a kernel for each form of wgmma, to standard output.

A kernel's name says what it computes, and from it follow its inputs (inputs.hpp):

    wg_D_A_B_nN_KIND_SCALES_TRANSPOSES[_spS]

D, A, B: types; KIND: r where A is in registers, s where it is in shared memory; SCALES: p or m for
A and B; TRANSPOSES: 0 or 1 for A and B; spS: sparse with selector S. `sat` behind D is .satfinite.
Every block copies its image of shared memory, reads two descriptors, A, metadata and C, multiplies
once and writes D.
"""

import sys

THREADS = 128
IMAGE = 40960
HEADER = 64
A_AT = HEADER + IMAGE
META_AT = A_AT + 4 * 4 * THREADS
C_AT = META_AT + 4 * THREADS
BYTES = C_AT + 128 * 4 * THREADS
PARTS = 8

FLOATS = [("f16", "f16", "f16", 16), ("f32", "f16", "f16", 16), ("f32", "bf16", "bf16", 16),
          ("f32", "tf32", "tf32", 8)]
FLOATS += [(d, a, b, 32) for d in ("f16", "f32") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")]
INTEGERS = [(d, a, b, 32) for d in ("s32", "s32sat") for a in ("s8", "u8") for b in ("s8", "u8")]
BITS = [("s32", "b1", "b1", 256)]
ALL_N = range(8, 257, 8)
INTEGER_N = [8, 16, 24] + list(range(32, 257, 16))
SOME_N = [8, 64, 256]


def name_of(d, a, b, n, kind, scales="pp", transposes="00", selector=None):
    suffix = "" if selector is None else f"_sp{selector}"
    return f"wg_{d}_{a}_{b}_n{n}_{kind}_{scales}_{transposes}{suffix}"


def forms():
    """(name, d, a, b, k, n, kind, scales, transposes, selector)"""
    def form(d, a, b, k, n, kind, scales="pp", transposes="00", selector=None):
        return (name_of(d, a, b, n, kind, scales, transposes, selector), d, a, b, k, n, kind, scales,
                transposes, selector)

    for types, sizes in ((FLOATS, ALL_N), (INTEGERS, INTEGER_N), (BITS, INTEGER_N)):
        for d, a, b, k in types:
            for n in sizes:
                for kind in "rs":
                    if d == "s32sat" and n not in SOME_N:
                        continue
                    yield form(d, a, b, k, n, kind)
    for d, a, b, k in FLOATS:
        for n in SOME_N:
            for kind in "rs":
                for scales in ("pm", "mp", "mm"):
                    yield form(d, a, b, k, n, kind, scales)
                if k != 16:
                    continue
                for transposes in (("01",) if kind == "r" else ("01", "10", "11")):
                    yield form(d, a, b, k, n, kind, "pp", transposes)
    for d, a, b, k in FLOATS + INTEGERS:
        if d == "s32sat":
            continue
        for n in SOME_N:
            for kind in "rs":
                for selector in ((0, 1) if k < 32 else (0,)):
                    yield form(d, a, b, 2 * k, n, kind, selector=selector)
                if k == 16:
                    yield form(d, a, b, 2 * k, n, kind, "mm", "01" if kind == "r" else "11", 0)


def registers_of_d(d, n):
    return n // 4 if d == "f16" else n // 2


def kernel(name, d, a, b, k, n, kind, scales, transposes, selector):
    count = registers_of_d(d, n)
    is_float = d in ("f16", "f32")
    declared = "f32" if d == "f32" else "b32"
    lines = [f".visible .entry {name}(.param .u64 in, .param .u64 out)", f".maxntid {THREADS}", "{",
             f"  .shared .align 1024 .b8 image[{IMAGE}];",
             "  .reg .b32 %t, %s, %x, %block, %meta, %scale, %a<4>;",
             f"  .reg .{declared} %d<{count}>;",
             "  .reg .b64 %in, %out, %p, %q, %da, %db, %base;",
             "  .reg .b32 %v<4>; .reg .pred %more, %add;",
             "  ld.param.u64 %in, [in]; ld.param.u64 %out, [out];",
             "  mov.u32 %t, %tid.x; mov.u32 %block, %ctaid.x;",
             f"  mad.wide.u32 %in, %block, {BYTES}, %in;",
             f"  mad.wide.u32 %out, %block, {count * 4 * THREADS}, %out;",
             "  mov.u32 %s, image;",
             "  mul.lo.u32 %x, %t, 16;",
             "COPY:",
             "  cvt.u64.u32 %p, %x; add.u64 %p, %p, %in;",
             f"  ld.global.v4.b32 {{%v0, %v1, %v2, %v3}}, [%p+{HEADER}];",
             "  add.u32 %meta, %s, %x;",
             "  st.shared.v4.b32 [%meta], {%v0, %v1, %v2, %v3};",
             f"  add.u32 %x, %x, {16 * THREADS}; setp.lt.u32 %more, %x, {IMAGE};",
             "  @%more bra COPY;",
             "  mad.wide.u32 %p, %t, 4, %in; mad.wide.u32 %q, %t, 4, %out;"]
    for i in range(4 if kind == "r" else 0):
        lines.append(f"  ld.global.b32 %a{i}, [%p+{A_AT + 4 * THREADS * i}];")
    lines.append(f"  ld.global.b32 %meta, [%p+{META_AT}];")
    for i in range(count):
        lines.append(f"  ld.global.{declared} %d{i}, [%p+{C_AT + 4 * THREADS * i}];")
    lines += ["  ld.global.b64 %da, [%in]; ld.global.b64 %db, [%in+8]; ld.global.b32 %scale, [%in+16];",
              "  setp.ne.u32 %add, %scale, 0;",
              "  shr.u32 %s, %s, 4; cvt.u64.u32 %base, %s;",
              "  add.u64 %da, %da, %base; add.u64 %db, %db, %base;",
              "  fence.proxy.async; bar.sync 0;",
              "  wgmma.fence.sync.aligned;"]
    sparse = "" if selector is None else ".sp"
    saturate = ".satfinite" if d == "s32sat" else ""
    operation = ".and.popc" if a == "b1" else ""
    types = f"{d.removesuffix('sat')}.{a}.{b}"
    opcode = f"wgmma.mma_async{sparse}.sync.aligned.m64n{n}k{k}.{types}{operation}{saturate}"
    destination = "{" + ", ".join(f"%d{i}" for i in range(count)) + "}"
    left = "%da" if kind == "s" else "{%a0, %a1, %a2, %a3}"
    operands = [destination, left, "%db"]
    if selector is not None:
        operands += ["%meta", str(selector)]
    operands.append("%add")
    if is_float:
        operands += ["-1" if scale == "m" else "1" for scale in scales]
    if a in ("f16", "bf16"):
        operands += list(transposes if kind == "s" else transposes[1])
    lines += [f"  {opcode} {', '.join(operands)};",
              "  wgmma.commit_group.sync.aligned;", "  wgmma.wait_group.sync.aligned 0;"]
    for i in range(count):
        lines.append(f"  st.global.{declared} [%q+{4 * THREADS * i}], %d{i};")
    lines += ["  ret;", "}"]
    return "\n".join(lines)


def main():
    part = int(sys.argv[sys.argv.index("--part") + 1]) if "--part" in sys.argv else None
    print(".version 9.0\n.target sm_90a\n.address_size 64")
    for number, form in enumerate(forms()):
        if part is None or number % PARTS == part:
            print(kernel(*form))


if __name__ == "__main__":
    main()
