"""Statements and expressions that read and write memory: each thread its own places, or what nobody writes."""
from wide.templates import TYPES

READ_ONLY = {  # views of the input: as which type it is read, and how many elements it has
    "u": ("unsigned", 256), "B": ("unsigned char", 1024), "c": ("signed char", 1024), "s": ("short", 512),
    "S": ("unsigned short", 512), "i": ("int", 256), "w": ("unsigned long long", 128), "l": ("long long", 128),
}
VECTORS = [("uint4", 64, "xyzw"), ("uint2", 128, "xy"), ("uchar4", 256, "xyzw"), ("ushort2", 256, "xy"),
           ("ushort4", 128, "xyzw"), ("uchar2", 512, "xy")]
# Elements of places that each thread has to itself, and the letter of such expressions.
PLACES = {
    "unsigned char": "B", "short": "s", "unsigned": "u", "unsigned long long": "w", "int": "i", "float": "f",
    "double": "y", "long long": "l",
}
PLACE_VECTORS = {"uchar4": "xyzw", "short2": "xy", "uint4": "xyzw", "int2": "xy", "ulonglong2": "xy", "char3": "xyz",
                 "uint3": "xyz", "ushort4": "xyzw"}
LOADS = ["__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "*", "*"]
STORES = ["__stcg", "__stcs", "__stwb", "__stwt"]


class Memory:
    def begin_memory(self):
        r = self.rng
        self.areas, self.shared = [], []
        for _ in range(r.randint(0, 2)):
            element = r.choice(list(PLACES) + list(PLACE_VECTORS))
            count = r.choice([1, 2, 3, 4, 8])
            self.areas.append((f"area{len(self.areas)}", element, count, r.choice(["own", "strided"]), r.randint(0, 3)))
        self.table = r.choice([0, 0, 4, 33, 250, 1000, 1500])  # words in a parameter
        self.constant = r.random() < 0.5
        self.dynamic = r.choice([0, 0, 0, 256, 1024, 13000])     # words of dynamic shared memory
        self.dynamic_is_table = r.random() < 0.5                 # that nobody writes; else it is exchanged through
        for _ in range(r.randint(0, 2)):
            self.shared.append((f"tile{len(self.shared)}",
                                r.choice(["unsigned", "unsigned char", "short", "unsigned long long", "uint4", "ushort2", "int"])))
        self.has_sums = r.random() < 0.5
        self.prints = r.random() < 0.03
        self.uses_results = r.random() < 0.2  # of atomics, on places of its own

    def power(self):
        size = 32
        while size < self.threads:
            size *= 2
        return size

    def parameters(self):
        parameters = ["const unsigned n", "const unsigned* __restrict__ data" if self.rng.random() < 0.5 else "const unsigned* data",
                      "unsigned* out", "unsigned* sums", "unsigned long long* sums64"]
        parameters += [f"{element}* {name}" for name, element, _, _, _ in self.areas]
        if self.table:
            parameters.insert(self.rng.randint(1, len(parameters)), f"const Table_{self.table} table")
        return parameters

    def argument(self, parameter):
        """What main passes for a parameter."""
        name = parameter.split()[-1].lstrip("*")
        if name == "n":
            return f"{self.rng.randint(1, 99)}u"
        if name == "table":
            return f"make_table<Table_{self.table}>({self.rng.randint(1, 999)}u)"
        if name.startswith("area"):
            area = next(a for a in self.areas if a[0] == name)
            return f"reinterpret_cast<{area[1]}*>({self.name}_{name}.data())"
        return {"data": "data.data()", "out": f"{self.name}_out.data()", "sums": "sums.data()", "sums64": "sums64.data()"}[name]

    def memory_start(self):
        lines = []
        if self.dynamic:
            lines.append("  extern __shared__ __align__(16) unsigned dynamic_words[];")
            lines.append(f"  for (unsigned k = tid; k < {self.dynamic}u; k += {self.threads}u) dynamic_words[k] = k * n;")
        for name, element in self.shared:
            lines.append(f"  __shared__ {element} {name}[{self.power()}];")
            lines.append(f"  for (unsigned k = tid; k < {self.power()}u; k += {self.threads}u) {name}[k] = {self.made(element, 'k')};")
        if self.has_sums:
            lines.append("  __shared__ unsigned shared_sums[32];")
            lines.append("  __shared__ unsigned long long shared_sums64[4];")
            lines.append("  for (unsigned k = tid; k < 32; k += blockDim.x * blockDim.y * blockDim.z) {")
            lines.append("    shared_sums[k] = 0;")
            lines.append("    if (k < 4) shared_sums64[k] = 1;")
            lines.append("  }")
        if lines:
            lines.append("  __syncthreads();")
        return lines

    def memory_end(self):
        if not self.has_sums:
            return []
        return ["  __syncthreads();", "  a += shared_sums[tid & 31u] + fold(shared_sums64[tid & 3u]);"]

    @staticmethod
    def made(element, value):
        """A value of any element type out of 32 bits."""
        parts = {**PLACE_VECTORS, "ushort2": "xy"}.get(element)
        if parts is None:
            if element in ("float", "double"):
                return f"{element}(int({value}) >> 4) * {'0.25f' if element == 'float' else '0.125'}"
            return f"({element})({value})"
        return f"make_{element}({', '.join(f'({value}) >> {k}' for k, _ in enumerate(parts))})"

    @staticmethod
    def read_of(element, place):
        parts = {**PLACE_VECTORS, "ushort2": "xy"}.get(element)
        if parts is None:
            return f"fold({place})"
        return "(" + " ^ ".join(f"(fold({place}.{part}) << {k})" for k, part in enumerate(parts)) + ")"

    def read(self, letter):
        """Something that nobody writes while the kernel runs."""
        r = self.rng
        at = self.expr("u", 1) if r.random() < 0.5 else r.choice(["t", "a", "b"] + ["tid"] * (not self.in_function))
        kinds = ["input"] * 3
        if letter == "u":
            kinds += ["vector", "pointer"] + ["table"] * 2 * bool(self.table) + ["constant"] * 2 + ["global", "managed"]
            kinds += ["dynamic"] * bool(self.dynamic and self.dynamic_is_table)
        if self.in_function:
            kinds = ["input"]
        if letter == "f":
            return f"constant_floats[({at}) & 31u]" if not self.in_function else "constant_floats[7]"
        if letter not in READ_ONLY:
            return self.rng.choice(self.variables[letter])
        kind = r.choice(kinds)
        if kind == "input":
            element, count = READ_ONLY[letter]
            load = r.choice(LOADS)
            place = f"reinterpret_cast<const {element}*>(data) + (({at}) & {count - 1}u)"
            return f"(*({place}))" if load == "*" else f"{load}({place})"
        if kind == "vector":
            element, count, parts = r.choice(VECTORS)
            load = r.choice(LOADS[:4])
            return f"unsigned({load}(reinterpret_cast<const {element}*>(data) + (({at}) & {count - 1}u)).{r.choice(parts)})"
        if kind == "table":
            return f"table.words[({at}) % {self.table}u]"
        if kind == "constant":
            return f"constant_words[({at}) & 63u]"
        if kind == "global":
            return f"global_words[({at}) & 63u]"
        if kind == "managed":
            return f"managed_words[({at}) & 63u]"
        if kind == "dynamic":
            return f"dynamic_words[({at}) % {self.dynamic}u]"
        other = "dynamic_words" if self.dynamic and self.dynamic_is_table else "constant_words" if r.random() < 0.5 else "global_words"
        return f"({self.condition()} ? {other} : data)[({at}) & 63u]"

    def memory_choices(self):
        choices = [(self.chase, 0.5), (self.private_array, 1.2), (self.bytes_of, 0.6), (self.union_value, 0.5),
                   (self.bit_fields, 0.6), (self.room, 0.2)]
        if self.areas:
            choices.append((self.own_place, 3))
        if self.prints:
            choices.append((self.line, 1))
        choices.append((self.reduction, 1))
        if self.together:
            choices += [(self.exchange, 2.5)] if self.shared else []
            choices += [(self.exchange_dynamic, 1)] if self.dynamic and not self.dynamic_is_table else []
        return choices

    def own_place(self):
        """Reads or writes what only this thread touches: in global memory, in an order of its own."""
        r = self.rng
        name, element, count, order, offset = r.choice(self.areas)
        part = f"({self.expr('u', 1)}) % {count}u" if r.random() < 0.5 else str(r.randrange(count))
        index = f"{offset} + t * {count}u + {part}" if order == "own" else f"{offset} + {self.total}u * ({part}) + t"
        place = f"{name}[{index}]"
        parts = PLACE_VECTORS.get(element)
        kind = r.random()
        if kind < 0.35:
            return self.emit(f"{r.choice('abcd')} += {self.read_of(element, place)};")
        if parts and kind < 0.5:
            return self.emit(f"{place}.{r.choice(parts)} = {self.expr('u', 1)};")
        if kind < 0.6 and self.uses_results and element in ("unsigned", "unsigned long long", "int"):
            operation = r.choice(["Add", "Max", "Xor", "Exch", "And"] + ["Inc", "Sub"] * (element == "unsigned"))
            return self.emit(f"{r.choice('abcd')} ^= unsigned(atomic{operation}(&{place}, ({element}){self.expr('u', 1)}));")
        if kind < 0.65 and self.uses_results and element in ("unsigned", "unsigned long long", "int"):
            return self.emit(f"{r.choice('abcd')} += unsigned(atomicCAS(&{place}, ({element}){self.value()}, ({element}){self.value()}));")
        if kind < 0.7 and self.uses_results and element in ("float", "double"):
            return self.emit(f"atomicAdd(&{place}, {self.made(element, self.value())});")
        if kind < 0.8 and element in ("unsigned char", "unsigned", "int", "short", "uint4", "uchar4", "float", "double"):
            return self.emit(f"{r.choice(STORES)}(&{place}, {self.made(element, self.expr('u', 1))});")
        if kind < 0.88 and not parts:
            return self.emit(f"*(volatile {element}*)&{place} = {self.made(element, self.expr('u', 1))};")
        letter = PLACES.get(element)
        if letter in self.types:
            value = self.expr(letter, 2)
            return self.emit(f"{place} = {f'tame({value})' if letter in 'fy' else value};")
        if "half" in self.groups and element == "unsigned" and self.uses_results:
            return self.emit(f"atomicAdd(reinterpret_cast<__half2*>(&{place}), {self.leaf('p')});")
        return self.emit(f"{place} = {self.made(element, self.expr('u', 2))};")

    def permuted(self, power):
        r = self.rng
        return r.choice([f"((tid * {r.choice([1, 3, 5, 17])}u + {r.randint(0, 31)}u) & {power - 1}u)",
                         f"(tid ^ {r.randint(0, 31)}u)", "tid", f"({power - 1}u - tid)"])

    def exchange(self):
        """Every thread writes a place of shared memory, a barrier, and reads another's."""
        r = self.rng
        name, element = r.choice(self.shared)
        power = self.power()
        self.emit("__syncthreads();")
        self.emit(f"{name}[{self.permuted(power)}] = {self.made(element, self.expr('u', 1))};")
        self.emit(r.choice(["__syncthreads();", "__syncthreads();", "__barrier_sync(0);", 'asm volatile("bar.sync 0;" ::: "memory");']))
        for _ in range(r.randint(1, 3)):
            self.emit(f"{r.choice('abcd')} += {self.read_of(element, f'{name}[({self.expr(chr(117), 1)}) & {power - 1}u]')};")
        self.emit("__syncthreads();")

    def exchange_dynamic(self):
        """The same in dynamic shared memory, in words, bytes or pairs, with a stride."""
        r = self.rng
        element, size = r.choice([("unsigned", 4), ("unsigned char", 1), ("unsigned short", 2), ("unsigned long long", 8)])
        room = self.dynamic * 4 // size
        stride = r.choice([s for s in [1, 2, 3, 4, 8, 17, 32, 33] if s * self.threads <= room] or [1])
        if stride * self.threads > room:
            return self.assignment()
        at = f"reinterpret_cast<{element}*>(dynamic_words)"
        self.emit("__syncthreads();")
        self.emit(f"{at}[tid * {stride}u] = ({element}){self.expr('u', 2)};")
        self.emit("__syncthreads();")
        self.emit(f"{r.choice('abcd')} += unsigned({at}[({self.expr('u', 1)}) % {room}u]);")
        self.emit("__syncthreads();")

    def reduction(self):
        """Atomics whose result nobody uses and whose order does not matter."""
        r = self.rng
        places = ["&sums[{} & 15u]", "&global_sums[{} & 7u]"] + ["&shared_sums[{} & 7u]"] * 2 * self.has_sums
        place = r.choice(places).format(f"({self.expr('u', 1)})")
        if r.random() < 0.25:
            place = (r.choice(["&sums64[{} & 7u]"] + ["&shared_sums64[{} & 1u]"] * self.has_sums)
                     .format(f"({self.expr('u', 1)})"))
            return self.emit(f"atomicAdd({place}, (unsigned long long){self.expr('u', 1)} * 65537u);")
        self.emit(f"atomicAdd({place}, {self.expr('u', 1)});")
        if r.random() < 0.5:
            at, name = r.randint(0, 1), "shared_sums" if self.has_sums and r.random() < 0.5 else "sums"
            base = 16 if name == "sums" else 8
            self.emit(r.choice([f"atomicMax(&{name}[{base + at}], {self.expr('u', 1)});",
                                f"atomicMin(&{name}[{base + 2 + at}], {self.expr('u', 1)});",
                                f"atomicXor(&{name}[{base + 4 + at}], {self.expr('u', 1)});",
                                f"atomicOr(&{name}[{base + 6}], {self.value()} & 0x00ff00f0u);",
                                f"atomicAnd(&{name}[{base + 7}], {self.value()} | 0xff0000ffu);",
                                f"atomicMax((int*)&{name}[{base + 8 + at}], {self.expr('i', 1)});",
                                f"atomicInc(&{name}[{base + 10}], 1000u);"]))

    def line(self):
        """A line of text from one thread."""
        self.emit(f'if (t == {self.rng.randrange(self.total)}u) printf("{self.name} %u %d %llx %f\\n", {self.value()}, {self.leaf("i")}, {self.value()} * 77ull, double({self.value()} & 255u));')

    def chase(self):
        r = self.rng
        at = self.fresh("at")
        self.emit(f"unsigned {at} = {self.expr('u', 1)} & 255u;")
        self.emit(f"for (unsigned k = 0; k < {self.expr('u', 1)} % 9u; ++k) {at} = (data[{at}] + k) & 255u;"
                  if r.random() < 0.5 else f"for (unsigned k = 0; k < 6; ++k) {at} = data[{at}] >> {r.randint(0, 24)} & 255u;")
        self.emit(f"{r.choice('abcd')} ^= {at};")

    def private_array(self):
        """An array of the thread's own with an index that only the run knows."""
        r = self.rng
        name, count = self.fresh("own"), r.choice([3, 8, 20, 64])
        element = r.choice(["unsigned", "unsigned char", "short", "unsigned long long", "float", "double", "uint4", "ushort2", "uint3"])
        self.emit(f"{element} {name}[{count}];")
        self.emit(f"for (unsigned k = 0; k < {count}u; ++k) {name}[k] = {self.made(element, f'{self.value()} * k + {r.randint(0, 99)}u')};")
        if r.random() < 0.5:
            self.emit(f"for (unsigned k = 0; k < 5; ++k) {name}[({self.expr('u', 1)} + k) % {count}u] = {self.made(element, self.value())};")
        self.emit(f"{r.choice('abcd')} += {self.read_of(element, f'{name}[({self.expr(chr(117), 1)}) % {count}u]')};")

    def bytes_of(self):
        """Words at addresses that are no multiple of their size, by memcpy."""
        r = self.rng
        element = r.choice(["unsigned", "unsigned long long", "unsigned short"])
        name = self.fresh("part")
        self.emit(f"{{ {element} {name};")
        self.emit(f"  memcpy(&{name}, reinterpret_cast<const unsigned char*>(data) + ({self.expr('u', 1)}) % 1000u, sizeof {name});")
        self.emit(f"  {r.choice('abcd')} += fold({name}); }}")

    def union_value(self):
        r = self.rng
        name = self.fresh("mixed")
        self.emit(f"union {{ unsigned word[2]; unsigned char byte[8]; unsigned short half[4]; unsigned long long all; }} {name};")
        self.emit(f"{name}.word[0] = {self.expr('u', 1)}; {name}.word[1] = {self.expr('u', 1)};")
        self.emit(f"{name}.byte[{r.choice([str(r.randint(0, 7)), f'({self.value()}) & 7u'])}] = (unsigned char)({self.value()});")
        self.emit(f"{r.choice('abcd')} ^= {r.choice([f'{name}.half[{r.randint(0, 3)}]', f'fold({name}.all)', f'{name}.byte[({self.value()}) & 7u]'])};")

    def bit_fields(self):
        r = self.rng
        first, second = r.randint(1, 12), r.randint(2, 18)
        name = self.fresh("fields")
        self.emit(f"struct {{ unsigned x : {first}; int y : {second}; unsigned z : {31 - first}; long long w : {r.randint(20, 60)}; unsigned char v : 3; }} {name};")
        self.emit(f"{name}.x = {self.expr('u', 1)}; {name}.y = {self.expr('i', 1)}; {name}.z = {self.expr('u', 1)}; {name}.w = (int)({self.value()}); {name}.v = 5;")
        self.emit(f"if ({self.condition()}) {{ {name}.y = {name}.y >> 1; {name}.z ^= {self.value()}; }}")
        self.emit(f"{r.choice('abcd')} += {name}.x + unsigned({name}.y) * 3u + {name}.z + unsigned({name}.w >> 3) + {name}.v;")

    def room(self):
        """alloca: an array whose size only the run knows."""
        if self.loops or self.depth:
            return self.assignment()
        name = self.fresh("room")
        size = f"(n % 5u + {self.rng.randint(1, 6)}u)"
        self.emit(f"unsigned* {name} = static_cast<unsigned*>(alloca({size} * sizeof(unsigned)));")
        self.emit(f"for (unsigned k = 0; k < {size}; ++k) {name}[k] = a * k + b;")
        self.emit(f"c ^= {name}[({self.expr('u', 1)}) % {size}];")
