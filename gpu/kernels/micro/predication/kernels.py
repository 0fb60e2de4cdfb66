"""Kernels with one `if` to be looked at: as CUDA C, and as PTX with the branch written out.

A Case says what the `if` is made of. Operations are chosen such that each is one or two machine instructions
whatever stands before it: their operands are loaded from memory, offsets are immediate, and the two sides of an
if/else use different operands, so that nothing can be moved out of them.
"""
import dataclasses

# Kind of operation: instructions, CUDA C, PTX. {i}: its number, {y} {z} {m} {w} {r} {s}: its side's operands.
KINDS = {
    "fma": (1, "x = x * {y} + {z};", "fma.rn.f32 %x, %x, %{y}, %{z};"),
    "int": (1, "v = v * {m} + {w};", "mad.lo.s32 %v, %v, %{m}, %{w};"),
    "shift": (1, "v = __funnelshift_l(v, {m}, {w});", "shf.l.wrap.b32 %v, %v, %{m}, %{w};"),
    "double": (1, "q = q * {r} + {s};", "fma.rn.f64 %q, %q, %{r}, %{s};"),
    "sine": (2, "x = __sinf(x);", "sin.approx.f32 %x, %x;"),
    "store": (1, "o[{i}] = {w};", "st.global.u32 [%o+{b}], %{w};"),
    "load": (2, "v = v * {m} + a[{i}];", "ld.global.u32 %l, [%a+{b}]; mad.lo.s32 %v, %v, %{m}, %l;"),
    "shared load": (2, "v = v * {m} + tile[t + {i}];",
                    "ld.shared.u32 %l, [%tile+{b}]; mad.lo.s32 %v, %v, %{m}, %l;"),
    "shared store": (1, "tile[t + {i}] = {w};", "st.shared.u32 [%tile+{b}], %{w};"),
    "atomic": (1, "atomicAdd(o + {i}, {w});", "red.global.add.u32 [%o+{b}], %{w};"),
    "call": (1, "v = callee(v, {m});", "call (%v), callee, (%v, %{m});"),
}
# Where the `if` stands: alone; with an else; with an else that does the same with other operands; at the kernel's end;
# in a loop, which may hold a barrier; around another short `if`; within another `if`, long enough to stay a branch;
# around a loop.
ALONE, ELSE, ALIKE, END, LOOP, BARRIER_LOOP, AROUND, WITHIN, AROUND_LOOP = SURROUNDINGS = (
    "alone", "else", "else alike", "end", "loop", "barrier loop", "around", "within", "around loop")
LONG = ("fma", "int") * 8
CONDITIONS = ("lane", "data", "uniform")
FRONTS = ("cuda", "ptx")
ARCHITECTURES = ("sm_75", "sm_90")

# Conditions: of the `if` that is looked at, then of the other one. In a loop they change with each round.
TESTS = {"lane": ("(t & 3) == 1", "(t & 8) == 8"), "data": ("c > 7", "d > 9"), "uniform": ("n > 5", "k > 3")}
LOOP_TESTS = {"lane": "(t & i) == 1", "data": "a[i * 64] > 7", "uniform": "n > i"}
PTX_TESTS = {
    "lane": ("and.b32 %l, %t, 3; setp.eq.s32 {p}, %l, 1;", "and.b32 %l, %t, 8; setp.eq.s32 {p}, %l, 8;"),
    "data": ("setp.gt.s32 {p}, %c, 7;", "setp.gt.s32 {p}, %d, 9;"),
    "uniform": ("setp.gt.s32 {p}, %n, 5;", "setp.gt.s32 {p}, %k, 3;"),
}
PTX_LOOP_TESTS = {
    "lane": "and.b32 %l, %t, %i; setp.eq.s32 {p}, %l, 1;",
    "data": "mul.wide.s32 %e, %i, 256; add.u64 %e, %e, %a; ld.global.u32 %l, [%e]; setp.gt.s32 {p}, %l, 7;",
    "uniform": "setp.gt.s32 {p}, %n, %i;",
}


@dataclasses.dataclass(frozen=True)
class Case:
    front: str
    arch: str
    surroundings: str
    condition: str
    then: tuple          # kinds of operations, in order
    otherwise: tuple = ()  # else: the other side; around: what stands behind the inner `if`
    inner: tuple = ()      # around: the inner side
    other_condition: str = ""  # around, within: of the other `if`
    room: int = 0          # instructions behind the `if` that need nothing from it

    def instructions(self):
        """Of all that the `if` decides on."""
        return sum(KINDS[kind][0] for kind in self.then + self.otherwise + self.inner)


def operands(side):
    """Then, else and inner sides have their own operands; offsets are apart by a side's 64 operations."""
    return {name: f"{name}{side}" for name in "yzmwrs"}


def lines(kinds, side, form):
    made = []
    for number, kind in enumerate(kinds):
        index = 32 * (1 + number + 64 * side)
        made.append(KINDS[kind][form].format(i=index, b=4 * index, **operands(side)))
    return made


def cuda(name, case):
    def test(which, condition):
        return TESTS[condition][which]

    then, other, inner = (" ".join(lines(kinds, side, 1))
                          for side, kinds in enumerate((case.then, case.otherwise, case.inner)))
    room = " ".join(["u = u * g + h;"] * case.room)
    finish = "o[0] = v; f[t] = x; f[t + 8192] = u; e[t] = q; o[8192] = tile[t + 1];"
    first = test(0, case.condition)
    if case.surroundings == ALONE:
        body = f"if ({first}) {{ {then} }} {room} {finish}"
    elif case.surroundings in (ELSE, ALIKE):
        body = f"if ({first}) {{ {then} }} else {{ {other} }} {room} {finish}"
    elif case.surroundings == END:
        body = f"{finish} if ({first}) {{ {then} o[9216] = v; f[t + 9216] = x; }}"
    elif case.surroundings in (LOOP, BARRIER_LOOP):
        barrier = " __syncthreads();" if case.surroundings == BARRIER_LOOP else ""
        body = ("_Pragma(\"unroll 1\") for (int i = 0; i < rounds; ++i) { "
                f"if ({LOOP_TESTS[case.condition]}) {{ {then} }} {room}{barrier} }} {finish}")
    elif case.surroundings == AROUND:
        body = f"if ({first}) {{ {then} if ({test(1, case.other_condition)}) {{ {inner} }} {other} }} {room} {finish}"
    elif case.surroundings == WITHIN:
        long = " ".join(lines(LONG, 1, 1))
        body = f"if ({test(1, case.other_condition)}) {{ {long} if ({first}) {{ {then} }} {long} }} {finish}"
    else:
        body = (f"if ({first}) {{ _Pragma(\"unroll 1\") for (int i = 0; i < rounds; ++i) {{ {then} }} }} "
                f"{finish}")
    return (f'extern "C" __global__ void {name}(int *out, int *in, float *f, double *e, int n, int k, int rounds) {{\n'
            "  __shared__ int tile[8192];\n  int t = threadIdx.x;\n  int *o = out + t, *a = in + t;\n"
            "  int v = a[0], c = a[1024], d = a[2048];\n  float x = f[t], u = f[t + 10240], g = f[t + 11264], "
            "h = f[t + 12288];\n  double q = e[t];\n  o[10240] = v;\n"
            + "".join(f"  int m{s} = a[{1024 * (3 + s)}], w{s} = a[{1024 * (6 + s)}];\n"
                      f"  float y{s} = f[t + {1024 * (1 + s)}], z{s} = f[t + {1024 * (4 + s)}];\n"
                      f"  double r{s} = e[t + {1024 * (1 + s)}], s{s} = e[t + {1024 * (4 + s)}];\n" for s in range(3))
            + f"  tile[t] = v; __syncthreads();\n  {body}\n}}\n")


CUDA_HEAD = "__device__ __noinline__ int callee(int a, int b) { return a * b / (a ^ 77); }\n"


def ptx_head(arch):
    return (f".version 9.0\n.target {arch}\n.address_size 64\n"
            ".func (.reg .b32 %r) callee(.reg .b32 %a, .reg .b32 %b)\n{\n.reg .b32 %c;\n"
            "mul.lo.s32 %r, %a, %b; xor.b32 %c, %a, 77; div.s32 %r, %r, %c; ret;\n}\n")


def ptx(name, case):
    def test(which, condition, predicate):
        return PTX_TESTS[condition][which].format(p=predicate)

    then, other, inner = ("\n".join(lines(kinds, side, 2))
                          for side, kinds in enumerate((case.then, case.otherwise, case.inner)))
    room = "\n".join(["fma.rn.f32 %u, %u, %g, %h;"] * case.room)
    finish = ("st.global.u32 [%o], %v; st.global.f32 [%f], %x; st.global.f32 [%f+32768], %u; "
              "st.global.f64 [%e8], %q;\n"
              "ld.shared.u32 %l, [%tile+4]; st.global.u32 [%o+32768], %l;")
    first = test(0, case.condition, "%p")
    loop = "mov.u32 %i, 0; setp.lt.s32 %p3, %rounds, 1; @%p3 bra DONE;\nHEAD: .pragma \"nounroll\";\n"
    again = "add.s32 %i, %i, 1; setp.lt.s32 %p3, %i, %rounds; @%p3 bra HEAD;\nDONE:\n"
    if case.surroundings == ALONE:
        body = f"{first} @!%p bra SKIP;\n{then}\nSKIP:\n{room}\n{finish}"
    elif case.surroundings in (ELSE, ALIKE):
        body = f"{first} @!%p bra OTHER;\n{then}\nbra SKIP;\nOTHER:\n{other}\nSKIP:\n{room}\n{finish}"
    elif case.surroundings == END:
        body = (f"{finish}\n{first} @!%p bra SKIP;\n{then}\nst.global.u32 [%o+36864], %v; "
                "st.global.f32 [%f+36864], %x;\nSKIP:\n")
    elif case.surroundings in (LOOP, BARRIER_LOOP):
        barrier = "bar.sync 0;\n" if case.surroundings == BARRIER_LOOP else ""
        first = PTX_LOOP_TESTS[case.condition].format(p="%p")
        body = f"{loop}{first} @!%p bra SKIP;\n{then}\nSKIP:\n{room}\n{barrier}{again}{finish}"
    elif case.surroundings == AROUND:
        body = (f"{first} @!%p bra SKIP;\n{then}\n{test(1, case.other_condition, '%p2')} @!%p2 bra INNER;\n"
                f"{inner}\nINNER:\n{other}\nSKIP:\n{room}\n{finish}")
    elif case.surroundings == WITHIN:
        long = "\n".join(lines(LONG, 1, 2))
        body = (f"{test(1, case.other_condition, '%p2')} @!%p2 bra SKIP;\n{long}\n{first} @!%p bra INNER;\n"
                f"{then}\nINNER:\n{long}\nSKIP:\n{finish}")
    else:
        body = f"{first} @!%p bra DONE;\n{loop}{then}\n{again}{finish}"
    loads = "".join(f"ld.global.u32 %m{s}, [%a+{4096 * (3 + s)}]; ld.global.u32 %w{s}, [%a+{4096 * (6 + s)}];\n"
                    f"ld.global.f32 %y{s}, [%f+{4096 * (1 + s)}]; ld.global.f32 %z{s}, [%f+{4096 * (4 + s)}];\n"
                    f"ld.global.f64 %r{s}, [%e8+{8192 * (1 + s)}]; ld.global.f64 %s{s}, [%e8+{8192 * (4 + s)}];\n"
                    for s in range(3))
    names = "".join(f", %m{s}, %w{s}" for s in range(3))
    floats = "".join(f", %y{s}, %z{s}" for s in range(3))
    doubles = "".join(f", %r{s}, %s{s}" for s in range(3))
    return (f".visible .entry {name}(.param .u64 out, .param .u64 in, .param .u64 fin, .param .u64 ein, .param .u32 pn,"
            " .param .u32 pk, .param .u32 prounds)\n{\n"
            f".reg .b32 %t, %l, %v, %c, %d, %n, %k, %i, %rounds, %tile{names};\n.reg .f32 %x, %u, %g, %h{floats};\n"
            f".reg .f64 %q{doubles};\n.reg .b64 %o, %a, %f, %e, %e8, %w;\n.reg .pred %p, %p2, %p3;\n"
            ".shared .align 4 .b8 tile[32768];\n"
            "mov.u32 %t, %tid.x; ld.param.u32 %n, [pn]; ld.param.u32 %k, [pk]; ld.param.u32 %rounds, [prounds];\n"
            "mul.wide.u32 %w, %t, 4;\n"
            + "".join(f"ld.param.u64 {reg}, [{name}]; cvta.to.global.u64 {reg}, {reg}; add.u64 {reg}, {reg}, %w;\n"
                      for reg, name in (("%o", "out"), ("%a", "in"), ("%f", "fin")))
            + "ld.param.u64 %e8, [ein]; cvta.to.global.u64 %e8, %e8; add.u64 %e8, %e8, %w; add.u64 %e8, %e8, %w;\n"
            "mov.u32 %tile, tile; mad.lo.u32 %tile, %t, 4, %tile;\n"
            "ld.global.u32 %v, [%a]; ld.global.u32 %c, [%a+4096]; ld.global.u32 %d, [%a+8192];\n"
            f"ld.global.f32 %x, [%f]; ld.global.f32 %u, [%f+40960]; ld.global.f32 %g, [%f+45056]; "
            f"ld.global.f32 %h, [%f+49152]; ld.global.f64 %q, [%e8]; st.global.u32 [%o+40960], %v;\n{loads}"
            f"st.shared.u32 [%tile], %v; bar.sync 0;\n{body}\nret;\n}}\n")
