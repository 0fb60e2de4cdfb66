#!/usr/bin/env python3
"""generate.py SEED COUNT DIR: COUNT CUDA programs nobody wrote, for comparing the model with hardware.

Each program holds KERNELS kernels whose control flow is drawn at random: conditions on lanes, on data and on
what is the same for a warp; loops with break and continue, early returns, switches, gotos, calls that are not
inlined, recursion, local and shared arrays, atomics without results, warp functions where all lanes are
together. A kernel that uses nothing but integers of one thread is also run on the host, which is its check.
The same arguments give the same programs. DIR/NAME/NAME.cu and DIR/generated.toml (a suite) are written.
"""
import random
import sys
from pathlib import Path

KERNELS = 6
BINARY = ["+", "-", "*", "^", "&", "|"]


class Kernel:
    """One kernel: `uses_warp` says whether only a warp can run its body (no check on the host then)."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.lines, self.helpers = [], []
        self.depth, self.labels, self.loops, self.counter = 0, [], 0, 0
        self.budget = rng.randint(8, 30)
        self.uses_warp = rng.random() < 0.4
        self.floats = self.uses_warp and rng.random() < 0.5
        self.block = rng.choice([32, 64, 96, 128, 224] if self.uses_warp else [32, 33, 80, 128, 200])
        self.blocks = rng.choice([1, 2, 3, 5])
        self.together = True  # all lanes of every warp are here, but for those that left
        self.left = False     # some may have left the kernel

    # Expressions of unsigned type; `v` are the four variables every kernel has.
    def value(self):
        r = self.rng
        return r.choice([r.choice("abcd"), r.choice("abcd"), "t", str(r.randint(0, 40)), "n",
                         f"data[{r.choice('abcd')} & 255u]"])

    def expression(self, depth=2):
        r = self.rng
        kind = r.random()
        if depth == 0 or kind < 0.25:
            return self.value()
        left, right = self.expression(depth - 1), self.expression(depth - 1)
        if kind < 0.75:
            return f"({left} {r.choice(BINARY)} {right})"
        if kind < 0.83:
            return f"({left} {r.choice(['<<', '>>'])} {r.randint(1, 9)})"
        if kind < 0.92:
            return f"({left} {r.choice(['%', '/'])} {r.randint(2, 19)}u)"
        if kind < 0.96:
            return f"({self.condition()} ? {left} : {right})"
        return f"unsigned(int({left}) >> {r.randint(1, 9)})"

    def condition(self):
        r = self.rng
        lane = r.choice([f"(t & {r.choice([1, 3, 7, 16, 31])}u) {r.choice(['==', '<', '!='])} {r.randint(0, 9)}u",
                         f"t % {r.randint(2, 9)}u == {r.randint(0, 3)}u"])
        data = f"{r.choice('abcd')} % {r.randint(2, 11)}u {r.choice(['<', '==', '>'])} {r.randint(0, 6)}u"
        uniform = f"(n + {r.randint(0, 9)}u) % {r.randint(2, 5)}u == {r.randint(0, 2)}u"
        simple = r.choices([lane, data, uniform], [3, 5, 1])[0]
        if r.random() < 0.2:
            return f"({simple} {r.choice(['&&', '||'])} {r.choice('abcd')} % {r.randint(2, 5)}u != 1u)"
        return f"({simple})"

    def emit(self, text):
        self.lines.append("  " * (self.depth + 1) + text)

    def block_of(self, statements=None):
        together, self.together = self.together, False
        self.depth += 1
        for _ in range(statements or self.rng.randint(1, 3)):
            self.statement()
        self.depth -= 1
        self.together = together

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    def statement(self):
        r = self.rng
        self.budget -= 1
        if self.depth > 4 or self.budget <= 0:
            return self.assignment()
        choices = [(self.assignment, 6), (self.branch, 5), (self.counted_loop, 3), (self.fuelled_loop, 2),
                   (self.switch, 1.5), (self.local_array, 0.7), (self.call, 1.2), (self.wide, 0.6)]
        if self.loops:
            choices += [(self.leave_loop, 3)]
        if self.depth:
            choices += [(self.early_return, 0.5), (self.jump_out, 0.7)]
        if self.uses_warp:
            choices += [(self.reduction, 1)]
            if self.together and not self.left:
                choices += [(self.warp_function, 4), (self.barrier, 1.5)]
        if self.floats:
            choices += [(self.floating, 3)]
        r.choices([c for c, _ in choices], [w for _, w in choices])[0]()

    def assignment(self):
        self.emit(f"{self.rng.choice('abcd')} {self.rng.choice(['=', '+=', '^='])} {self.expression()};")

    def branch(self):
        self.emit(f"if ({self.condition()}) {{")
        self.block_of()
        if self.rng.random() < 0.5:
            self.emit("} else {")
            self.block_of()
        self.emit("}")

    def loop_body(self):
        self.loops += 1
        self.block_of()
        self.loops -= 1

    def counted_loop(self):
        i = self.fresh("i")
        trips = f"{self.expression(1)} % {self.rng.randint(2, 9)}u"
        if self.rng.random() < 0.25:
            trips = f"{self.rng.randint(2, 6)}u"
        pragma = self.rng.choice(["", "", "#pragma unroll 1", "#pragma unroll 2"])
        if pragma:
            self.lines.append(pragma)
        self.emit(f"for (unsigned {i} = 0, e = {trips}; {i} < e; ++{i}) {{")
        self.depth += 1
        self.emit(f"{self.rng.choice('abcd')} += {i} * {self.rng.randint(1, 99)}u;")
        self.depth -= 1
        self.loop_body()
        self.emit("}")

    def fuelled_loop(self):
        fuel = self.fresh("fuel")
        self.emit(f"unsigned {fuel} = {self.rng.randint(2, 12)};")
        if self.rng.random() < 0.5:
            self.emit(f"while ({self.condition()} && {fuel}-- != 0) {{")
            self.loop_body()
            self.emit("}")
        else:
            self.emit("do {")
            self.loop_body()
            self.emit(f"}} while ({self.condition()} && --{fuel} != 0);")

    def leave_loop(self):
        self.emit(f"if ({self.condition()}) {self.rng.choice(['break', 'continue'])};")

    def early_return(self):
        self.left = True
        self.emit(f"if ({self.condition()}) {{ out[t] = {self.expression(1)}; return; }}")

    def jump_out(self):
        """A goto forward, out of everything around it; the label stands at the end of the kernel."""
        self.left = True
        if not self.labels:
            self.labels.append("finish")
        self.emit(f"if ({self.condition()}) goto finish;")

    def switch(self):
        r = self.rng
        cases = r.randint(3, 9)
        self.emit(f"switch ({self.expression(1)} % {cases + r.randint(0, 2)}u) {{")
        loops, self.loops = self.loops, 0  # a break here would leave the switch
        for case in range(cases):
            self.emit(f"  case {case}: {{")
            self.depth += 1
            self.block_of(1)
            self.depth -= 1
            self.emit("  }" if r.random() < 0.25 else "  } break;")
        self.emit(f"  default: {r.choice('abcd')} += {r.randint(1, 9)}u;")
        self.loops = loops
        self.emit("}")

    def local_array(self):
        name = self.fresh("local")
        self.emit(f"unsigned {name}[8];")
        self.emit(f"for (unsigned k = 0; k < 8; ++k) {name}[k] = a * k + c;")
        self.emit(f"{name}[b & 7u] += d;")
        self.emit(f"{self.rng.choice('abcd')} ^= {name}[{self.expression(1)} & 7u];")

    def call(self):
        """A function that is not inlined; a third of them call themselves."""
        name = f"{self.name}_{self.fresh('function')}"
        inner = Kernel(self.rng, name)
        inner.uses_warp = inner.floats = False
        inner.budget = self.rng.randint(1, 5)
        inner.depth, inner.in_function = 1, True
        for _ in range(self.rng.randint(1, 3)):
            self.rng.choice([inner.assignment, inner.branch, inner.counted_loop])()
        text = [f"__host__ __device__ __noinline__ unsigned {name}(unsigned a, unsigned b, unsigned t, unsigned n,",
                "    const unsigned* data, unsigned* out, unsigned depth) {", "  unsigned c = a ^ b, d = 7;"]
        body = [line for line in inner.lines if "return;" not in line and "goto" not in line]
        text += body
        if self.rng.random() < 0.33:
            text.append(f"  if (depth % 8u != 0) c += {name}(a + c, b, t, n, data, out, depth % 8u - 1);")
        text += ["  return a + b + c + d;", "}"]
        self.helpers += inner.helpers + text
        self.emit(f"{self.rng.choice('abcd')} += {name}({self.expression(1)}, {self.expression(1)}, t, n, data, out, {self.value()});")

    def wide(self):
        self.emit(f"{{ unsigned long long w = (unsigned long long)({self.expression(1)}) * {self.expression(1)} + b;")
        self.emit(f"  {self.rng.choice('abcd')} = unsigned(w >> {self.rng.randint(3, 40)}) + unsigned(w % {self.rng.randint(3, 999)}u); }}")

    def floating(self):
        r = self.rng
        self.emit(r.choice([f"x = x * 1.25f + float({self.value()} & 1023u);", "x = sqrtf(fabsf(x)) + 0.5f;",
                            "x += sinf(x) * 3.0f;", f"if (x > {r.randint(1, 900)}.0f) x /= 3.0f;",
                            "a ^= unsigned(int(fminf(x, 1.0e6f)));", "y = y / (1.0 + double(x)) + double(b & 15u);",
                            "b += unsigned(int(fmin(y, 1.0e5)));"]))

    def reduction(self):
        self.emit(self.rng.choice([f"atomicAdd(&sums[{self.expression(1)} & 15u], {self.expression(1)});",
                                   f"atomicMax(&sums[16 + (t & 3u)], {self.value()});",
                                   f"atomicXor(&shared_sums[{self.value()} & 31u], {self.value()});"]))

    def warp_function(self):
        r = self.rng
        full, target = "0xffffffffu", r.choice("abcd")
        self.emit(r.choice([f"{target} += __shfl_xor_sync({full}, {self.value()}, {r.choice([1, 2, 4, 8, 16])});",
                            f"{target} ^= __shfl_down_sync({full}, {self.value()}, {r.randint(1, 16)});",
                            f"{target} += __shfl_sync({full}, {self.value()}, {self.value()} & 31u);",
                            f"{target} ^= __ballot_sync({full}, {self.condition()});",
                            f"if (__any_sync({full}, {self.condition()})) {target} += 3u;",
                            f"if (__all_sync({full}, {self.condition()})) {target} += 5u;",
                            f"{target} += __popc(__match_any_sync({full}, {self.value()} & 3u));",
                            f"{target} += __reduce_add_sync({full}, {self.value()});",
                            f"__syncwarp({full});"]))

    def barrier(self):
        self.emit("__syncthreads();")
        self.emit(f"tile[threadIdx.x] = {self.expression(1)};")
        self.emit("__syncthreads();")
        self.emit(f"{self.rng.choice('abcd')} += tile[({self.value()} + threadIdx.x) % blockDim.x];")
        self.emit("__syncthreads();")

    def text(self):
        for _ in range(self.rng.randint(3, 7)):
            self.statement()
        if self.labels:
            # No declaration may lie between a goto and its label.
            self.lines = ["  {"] + ["  " + line if not line.startswith("#") else line for line in self.lines]
            self.lines += ["  }", "finish:"]
        store = ["  out[t] = a ^ (b << 1) ^ (c << 2) ^ (d << 3);"]
        start = ["  unsigned a = data[t & 255u], b = t * 7u, c = a >> 5, d = n;"]
        if not self.uses_warp:
            return self.helpers + [
                f"__host__ __device__ void {self.name}_of(unsigned t, unsigned n, const unsigned* data, unsigned* out) {{",
                *start, *self.lines, *store, "}",
                f"__global__ void {self.name}(unsigned n, const unsigned* data, unsigned* out, unsigned* sums) {{",
                f"  {self.name}_of(blockIdx.x * blockDim.x + threadIdx.x, n, data, out);", "}"]
        return self.helpers + [
            f"__global__ void {self.name}(unsigned n, const unsigned* data, unsigned* out, unsigned* sums) {{",
            "  __shared__ unsigned tile[256], shared_sums[32];",
            "  if (threadIdx.x < 32) shared_sums[threadIdx.x] = 0;", "  __syncthreads();",
            "  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;", *start,
            "  float x = float(t) * 0.37f;", "  double y = double(a & 255u);", *self.lines,
            "  d += unsigned(int(x)) + unsigned(int(y));", *store,
            "}"]


def program(seed):
    rng = random.Random(seed)
    kernels = [Kernel(rng, f"kernel_{i}") for i in range(KERNELS)]
    texts = ["\n".join(kernel.text()) for kernel in kernels]
    main = ["int main() {", "  Verdict verdict;", "  std::vector<unsigned> input(256);",
            f"  for (unsigned i = 0; i < 256; ++i) input[i] = scramble(i + {seed % 1000003}u);",
            "  DeviceArray<unsigned> data(input), sums(32);"]
    for kernel in kernels:
        threads = kernel.block * kernel.blocks
        main += ["  {", f"    DeviceArray<unsigned> out({threads});",
                 f"    {kernel.name}<<<{kernel.blocks}, {kernel.block}>>>({rng.randint(1, 99)}u, data.data(), out.data(), sums.data());",
                 "    const auto got = out.host();"]
        if not kernel.uses_warp:
            n = main[-2].split("(")[1].split("u,")[0]
            main += [f"    std::vector<unsigned> want({threads});",
                     f"    for (unsigned t = 0; t < {threads}; ++t) {kernel.name}_of(t, {n}u, input.data(), want.data());",
                     f"    verdict.expect(got == want, \"{kernel.name}\");"]
        main += ["  }"]
    main += ["  return verdict.finish();", "}"]
    return ("#include \"../common/device_array.h\"\n\n" + "\n\n".join(texts) + "\n\n" + "\n".join(main) + "\n")


def write_suite(stem, program, usage):
    """Writes the programs that the command line asks for, and the suite that names them; `program` makes one."""
    if len(sys.argv) != 4:
        sys.exit(usage)
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    suite = ['builds = ["O3", "G"]']
    for i in range(count):
        name = f"{stem}_{seed}_{i}"
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / f"{name}.cu").write_text(program(seed * 1000 + i))
        suite.append(f'\n[[entry]]\nname = "{name}"\nprogram = "{name}"\narguments = []')
    (folder / "generated.toml").write_text("\n".join(suite) + "\n")


if __name__ == "__main__":
    write_suite("generated", program, __doc__)
