"""One kernel of a wide program: generate.Kernel's control flow around values of many types."""
import re

from generate import Kernel
from wide.calls import Calls
from wide.memory import Memory
from wide.templates import CONSTANTS, GROUPS, GROUP_TYPES, OPTIONAL, START, TYPES
from wide.warps import Warps


class WideKernel(Memory, Warps, Calls, Kernel):
    """What the names in a kernel mean: a, b, c, d and `variables` are values of a thread, t its number in the grid,
    tid in the block, n a parameter; `live` are the lanes of the warp that have not returned, where all are together."""

    def __init__(self, rng, name, groups=None, in_function=False):
        super().__init__(rng, name)
        self.uses_warp, self.floats = True, False
        self.in_function = in_function
        if groups is None:
            names = list(OPTIONAL)
            groups = {"integer"} | set(rng.choices(names, OPTIONAL.values(), k=rng.randint(2, 4)))
        self.groups = groups
        self.types = set("ui") | {letter for group in groups for letter in GROUP_TYPES[group]}
        self.templates = {letter: [] for letter in self.types}
        for group in sorted(groups):
            for letter, templates in GROUPS[group].items():
                self.templates[letter] += [text for text in templates
                                           if letter in self.types and set(re.findall(r"\{(\w)\}", text)) <= self.types]
        self.variables = {letter: [f"{letter}{i}" for i in range(rng.randint(1, 2))] for letter in sorted(self.types)}
        self.variables["u"] = list("abcd")
        self.live, self.live_known = "live", True
        self.uniform = 0  # how many loops and branches are around this that all threads take alike
        self.shape()
        self.begin_memory()
        self.begin_warps()
        self.tops = []  # text before the kernel

    def shape(self):
        """Draws the block's and the grid's extents."""
        r = self.rng
        self.block = r.choice([(32, 1, 1), (64, 1, 1), (96, 1, 1), (128, 1, 1), (256, 1, 1), (16, 8, 1), (8, 4, 3),
                               (33, 1, 1), (50, 1, 1), (7, 5, 3), (100, 1, 1), (31, 2, 1), (12, 9, 1), (1, 1, 64)])
        self.grid = r.choice([(1, 1, 1), (2, 1, 1), (3, 1, 1), (2, 2, 1), (1, 3, 2), (5, 1, 1)])
        self.threads = self.block[0] * self.block[1] * self.block[2]
        self.total = self.threads * self.grid[0] * self.grid[1] * self.grid[2]
        self.whole_warps = self.threads % 32 == 0

    # Expressions.
    def expr(self, letter, depth):
        r = self.rng
        templates = self.templates[letter]
        if depth <= 0 or not templates or r.random() < 0.2:
            return self.leaf(letter)
        return self.fill(r.choice(templates), depth - 1)

    def fill(self, template, depth):
        def operand(match):
            text = match.group(1)
            if ".." in text:
                low, high = text.split("..")
                return str(self.rng.randint(int(low), int(high)))
            return self.expr(text, depth)
        return re.sub(r"\{(\w|\d+\.\.\d+)\}", operand, template)

    def leaf(self, letter):
        r = self.rng
        kind = r.random()
        if kind < 0.15 and letter in CONSTANTS:
            return r.choice(CONSTANTS[letter])
        if kind < 0.3:
            return START[letter].format(r.choice(["t", "n", r.choice("abcd")]))
        if kind < 0.5:
            return self.read(letter)
        return r.choice(self.variables[letter])

    def expression(self, depth=2):
        return self.expr("u", depth)

    def value(self):
        return self.leaf("u")

    def some_type(self):
        return self.rng.choice(sorted(self.types))

    def condition(self):
        r = self.rng
        if r.random() < 0.5:
            return super().condition()
        letter = self.some_type()
        if letter in "pq":
            return f"(fold({self.expr(letter, 1)}) % {r.randint(2, 5)}u == 0u)"
        return f"({self.expr(letter, 1)} {r.choice(['<', '>', '<=', '!='])} {self.leaf(letter)})"

    # Statements.
    def assignment(self):
        r = self.rng
        letter = self.some_type() if r.random() < 0.7 else "u"
        target, value = r.choice(self.variables[letter]), self.expr(letter, r.choice([2, 2, 3]))
        if letter in "fyhpgq" and r.random() < 0.6:
            value = f"tame({value})"
        if letter in "uiw" and r.random() < 0.3:
            return self.emit(f"{target} ^= {value};")
        return self.emit(f"{target} = {value};")

    def statement(self):
        r = self.rng
        self.budget -= 1
        if self.depth > 4 or self.budget <= 0:
            return self.assignment()
        choices = [(self.assignment, 8), (self.branch, 3), (self.counted_loop, 2), (self.fuelled_loop, 1),
                   (self.switch, 1), (self.local_array, 0.5)]
        choices += [(self.leave_loop, 2)] if self.loops else []
        if not self.in_function:
            choices += [(self.call, 0.5), (self.goto_loop, 0.4)]
            choices += self.memory_choices() + self.warp_choices() + self.call_choices()
            if not self.uniform:
                choices += [(self.leave_kernel, 0.4), (self.jump_out, 0.3)] if self.depth else [(self.leave_kernel, 0.3)]
            choices += [(self.same_for_all, 1.5)] if self.together else []
        r.choices([c for c, _ in choices], [w for _, w in choices])[0]()

    def same_for_all(self):
        """A loop or a branch that all threads of the block take alike; barriers may stand in it, no return."""
        r = self.rng
        k = self.fresh("k")
        self.emit(r.choice([f"for (unsigned {k} = 0; {k} < n % {r.randint(2, 5)}u + 1u; ++{k}) {{",
                            f"for (unsigned {k} = 0; {k} < {r.randint(2, 4)}u; ++{k}) {{",
                            f"for (unsigned {k} = blockDim.x; {k} != 0; {k} >>= 2) {{",
                            f"if ((n + {r.randint(0, 3)}u) % {r.randint(2, 3)}u != 0u) {{"]))
        loops, self.loops = self.loops, 0
        self.uniform += 1
        self.depth += 1
        for _ in range(r.randint(1, 3)):
            self.statement()
        self.depth -= 1
        self.uniform -= 1
        self.loops = loops
        self.emit("}")

    def leave_kernel(self):
        """An early return; where all lanes are together those that stay are known afterwards."""
        if not (self.together and self.live_known):
            self.live_known = False
            return self.early_return()
        go = self.fresh("go")
        self.whole_warps = False
        self.left = True
        self.emit(f"const bool {go} = {self.condition()};")
        self.emit(f"live = __ballot_sync(live, !{go});")
        self.emit(f"if ({go}) {{ out[t] = {self.expression(1)}; return; }}")

    def jump_out(self):
        self.live_known = False
        super().jump_out()

    def goto_loop(self):
        """A loop out of gotos, entered in its middle half of the time."""
        again, middle, fuel = self.fresh("again"), self.fresh("middle"), self.fresh("fuel")
        self.emit(f"{{ unsigned {fuel} = {self.rng.randint(2, 9)};")
        if self.rng.random() < 0.5:
            self.emit(f"if ({self.condition()}) goto {middle};")
        self.emit(f"{again}:")
        self.emit("{")
        self.block_of(1)
        self.emit("}")
        self.emit(f"{middle}: ;")
        self.emit("{")
        self.block_of(1)
        self.emit("}")
        self.emit(f"if (--{fuel} != 0 && {self.condition()}) goto {again}; }}")

    # The kernel's text.
    def text(self):
        r = self.rng
        for _ in range(r.randint(5, 10)):
            self.statement()
        finish = []
        if self.labels:
            self.lines = ["  {"] + self.lines + ["  }"]  # no declaration may lie between a goto and its label
            finish = ["finish:"]
        bounds = r.choice(["", "", f"__launch_bounds__({self.threads})", f"__launch_bounds__({self.threads}, {r.randint(2, 4)})"])
        head = [f"__global__ void {bounds} {self.name}({', '.join(self.parameters())}) {{",
                "  const unsigned tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);",
                f"  const unsigned t = tid + {self.threads}u * (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z));"]
        live = "0xffffffffu"
        if self.threads % 32:
            last = self.threads // 32 * 32
            live = f"tid < {last}u ? 0xffffffffu : {(1 << self.threads % 32) - 1:#x}u"
            if self.asks_who and r.random() < 0.5:
                live = "__activemask()"
        head.append(f"  unsigned live = {live};")
        head.append("  unsigned a = data[t & 255u], b = t * 7u, c = a >> 5, d = n;")
        for letter in sorted(self.types - {"u"}):
            head += [f"  {TYPES[letter]} {name} = {START[letter].format(r.choice('abcd'))};"
                     for name in self.variables[letter]]
        folds = [f"fold({name})" for letter in sorted(self.types - {"u"}) for name in self.variables[letter]]
        tail = [f"  a = a * 31u + {fold};" for fold in folds]
        return (self.helpers + self.tops + head + self.memory_start() + self.lines + finish + tail
                + self.memory_end() + ["  out[t] = a ^ (b << 1) ^ (c << 2) ^ (d << 3);", "}"])
