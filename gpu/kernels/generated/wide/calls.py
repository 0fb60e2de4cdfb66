"""Functions: with arguments of many types, by pointer, virtual, templates, lambdas, in recursion."""
import re

from wide.templates import START, TYPES


class Calls:
    def call_choices(self):
        return [(self.typed_function, 1.2), (self.by_pointer, 0.4), (self.virtual_call, 0.4), (self.templated, 0.5),
                (self.lambda_call, 0.6), (self.struct_function, 0.6), (self.array_function, 0.4)]

    def inner(self, name):
        """What a function computes with: the same kinds of values as the kernel."""
        kernel = type(self)(self.rng, name, groups=self.groups, in_function=True)
        kernel.budget, kernel.depth = self.rng.randint(2, 5), 0
        return kernel

    def typed_function(self):
        """A function that is not inlined with an argument of each of some types, and one as its result."""
        r = self.rng
        name = f"{self.name}_{self.fresh('typed')}"
        inner = self.inner(name)
        letters = sorted(r.sample(sorted(self.types), min(len(self.types), r.randint(1, 4))))
        result = r.choice(sorted(self.types))
        inner.variables = {letter: [f"{letter}0"] for letter in self.types}
        inner.variables["u"] = list("abcd")
        for _ in range(r.randint(1, 3)):
            r.choice([inner.assignment, inner.assignment, inner.branch, inner.counted_loop])()
        arguments = [f"{TYPES[letter]} {letter}0" for letter in letters if letter != "u"]
        text = [f"__device__ __noinline__ {TYPES[result]} {name}({', '.join(['unsigned a', 'unsigned t', 'unsigned n', 'const unsigned* data'] + arguments)}) {{",
                "  unsigned b = t ^ n, c = a * 3u, d = 7;"]
        text += [f"  {TYPES[letter]} {letter}0 = {START[letter].format('a')};" for letter in sorted(self.types - set(letters) - {"u"})]
        text += inner.lines
        text += [f"  a ^= fold({letter}0);" for letter in sorted(self.types - {"u", result})]
        text += [f"  return {'a ^ b ^ c ^ d' if result == 'u' else result + '0'};", "}"]
        self.helpers += inner.helpers + text
        values = [self.expr("u", 1), "t", "n", "data"] + [self.expr(letter, 1) for letter in letters if letter != "u"]
        self.emit(f"{r.choice('abcd')} ^= fold({name}({', '.join(values)}));")

    def simple_body(self, arguments):
        """An expression of nothing but some arguments, all of them unsigned."""
        inner = self.inner("")
        inner.variables = {"u": arguments, "i": [f"int({arguments[0]})"]}
        inner.templates = {letter: [text for text in inner.templates[letter] if set(re.findall(r"\{(\w)\}", text)) <= {"u", "i"}]
                           for letter in "ui"}
        inner.leaf = lambda letter: self.rng.choice(inner.variables[letter])
        return inner.expr("u", 3)

    def by_pointer(self):
        r = self.rng
        name = f"{self.name}_{self.fresh('chosen')}"
        count = r.randint(2, 4)
        for k in range(count):
            self.tops.append(f"__device__ __noinline__ unsigned {name}_{k}(unsigned x, unsigned y) {{ return {self.simple_body(['x', 'y'])}; }}")
        self.tops.append(f"__device__ unsigned (*const {name}[])(unsigned, unsigned) = {{{', '.join(f'{name}_{k}' for k in range(count))}}};")
        self.emit(f"{r.choice('abcd')} ^= {name}[({r.choice([self.expr('u', 1), 't', 'n'])}) % {count}u]({self.value()}, {self.value()});")

    def virtual_call(self):
        r = self.rng
        name = f"{self.name}_{self.fresh('Shape')}"
        self.tops.append(f"struct {name} {{ unsigned x; __device__ explicit {name}(unsigned v) : x(v) {{}} __device__ virtual unsigned of(unsigned y) const {{ return x + y; }} }};")
        count = r.randint(2, 3)
        for k in range(count):
            self.tops.append(f"struct {name}_{k} : {name} {{ using {name}::{name}; __device__ unsigned of(unsigned y) const override {{ return {self.simple_body(['x', 'y'])}; }} }};")
        objects = [self.fresh("shape") for _ in range(count)]
        for k, thing in enumerate(objects):
            self.emit(f"const {name}_{k} {thing}({self.value()});")
        which = self.fresh("which")
        self.emit(f"const {name}* {which} = &{objects[0]};")
        for thing in objects[1:]:
            self.emit(f"if ({self.condition()}) {which} = &{thing};")
        self.emit(f"{r.choice('abcd')} += {which}->of({self.value()});")

    def templated(self):
        r = self.rng
        name = f"{self.name}_{self.fresh('repeated')}"
        self.tops.append(f"template <int kTimes, typename T> __device__ {r.choice(['inline', '__noinline__', '__forceinline__'])} T {name}(T x, unsigned y) {{")
        self.tops.append(f"  for (int i = 0; i < kTimes; ++i) x = T(x {r.choice('+^')} T(y >> i));")
        self.tops.append("  return x;")
        self.tops.append("}")
        for _ in range(r.randint(1, 2)):
            element = r.choice(["unsigned", "unsigned long long", "unsigned char", "unsigned short"])
            self.emit(f"{r.choice('abcd')} += unsigned({name}<{r.randint(1, 9)}>(({element}){self.value()}, {self.value()}));")

    def lambda_call(self):
        r = self.rng
        name = self.fresh("then")
        body = self.simple_body(["x", "a", "b"])
        self.emit(f"auto {name} = [{r.choice(['=', '&'])}](unsigned x) {{ return {body}; }};")
        self.emit(f"c ^= {name}({self.value()});")
        if r.random() < 0.5:
            self.emit(f"if ({self.condition()}) d += {name}({name}(c));")

    def struct_function(self):
        """A struct by value to a function, and another one back."""
        r = self.rng
        name = f"{self.name}_{self.fresh('Parts')}"
        words = r.randint(1, 9)
        self.tops.append(f"struct {name} {{ unsigned short first; unsigned words[{words}]; unsigned char last; double middle; }};")
        self.tops.append(f"__device__ __noinline__ {name} {name}_of({name} in, unsigned y) {{")
        self.tops.append(f"  in.words[y % {words}u] += in.first; in.first = (unsigned short)(in.first + in.last); in.last ^= (unsigned char)y; in.middle = in.middle * 0.5 + double(y & 255u);")
        self.tops.append("  return in;")
        self.tops.append("}")
        thing = self.fresh("parts")
        self.emit(f"{name} {thing} = {{(unsigned short)({self.value()}), {{{self.value()}}}, (unsigned char)({self.value()}), double({self.value()} & 1023u)}};")
        self.emit(f"{thing} = {name}_of({thing}, {self.value()});")
        if r.random() < 0.5:
            self.emit(f"if ({self.condition()}) {thing} = {name}_of({thing}, {self.value()});")
        self.emit(f"{r.choice('abcd')} += {thing}.first + {thing}.words[({self.value()}) % {words}u] + {thing}.last + fold({thing}.middle);")

    def array_function(self):
        """A function that works on its caller's array; a third of them call themselves."""
        r = self.rng
        name = f"{self.name}_{self.fresh('sorted')}"
        again = r.random() < 0.33
        self.tops.append(f"__device__ __noinline__ unsigned {name}(unsigned* values, unsigned count) {{")
        if again:
            self.tops.append("  if (count < 2u) return values[0];")
            self.tops.append(f"  return values[count - 1] * 3u + {name}(values + (values[0] & 1u), count - 1u - (values[0] & 1u) * (count > 2u));")
        else:
            self.tops.append("  for (unsigned i = 1; i < count; ++i) {")
            self.tops.append("    unsigned j = i, value = values[i];")
            self.tops.append("    for (; j != 0 && values[j - 1] > value; --j) values[j] = values[j - 1];")
            self.tops.append("    values[j] = value;")
            self.tops.append("  }")
            self.tops.append("  return values[count / 2u];")
        self.tops.append("}")
        array, count = self.fresh("values"), r.randint(3, 9)
        self.emit(f"unsigned {array}[{count}];")
        self.emit(f"for (unsigned k = 0; k < {count}u; ++k) {array}[k] = (a >> k) ^ (b * k);")
        length = str(count) if r.random() < 0.5 else f"({self.expr('u', 1)}) % {count}u + 1u"
        self.emit(f"{r.choice('abcd')} += {name}({array}, {length});")
