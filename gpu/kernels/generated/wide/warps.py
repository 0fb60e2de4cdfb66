"""Statements by which lanes and warps meet: shuffles, votes, groups, barriers. Only where all are together."""


class Warps:
    def begin_warps(self):
        # Whether it may ask which lanes are active: on hardware, the launches are classed as depending on time.
        self.asks_who = self.rng.random() < 0.15

    def warp_choices(self):
        choices = []
        if self.together and self.live_known:
            choices += [(self.shuffle, 3), (self.vote, 2), (self.matched, 0.8), (self.reduce, 1), (self.members, 1)]
            if not self.left:
                choices += [(self.tile, 1)] if self.whole_warps else []
                choices += [(self.coalesced, 1)] if self.asks_who else []
                choices += [(self.counting_barrier, 0.7), (self.named_barrier, 0.6)]
        return choices

    def full(self):
        return self.whole_warps and self.live == "live"

    def shuffle(self):
        """A lane's value from another lane, which must be one of those that call."""
        r = self.rng
        letter = r.choice([x for x in sorted(self.types) if x in "uiwlfyhp"] or ["u"])
        width = r.choice([32, 32, 32, 16, 8, 4, 2])
        kind, amount = r.choice(["_xor", "_down", "_up", ""]), r.randint(1, 31)
        operand = str(amount) if kind else f"int({self.expr('u', 1)} & 31u)"
        live, lane = self.live, "(tid & 31u)"
        value = self.expr(letter, 1)
        call = f"__shfl{kind}_sync({live}, {value}, {operand}" + (f", {width})" if width != 32 or r.random() < 0.3 else ")")
        got, origin = self.fresh("got"), self.fresh("origin")
        target = r.choice("abcd")
        if self.full() and r.random() < 0.8:
            return self.emit(f"{target} += fold({call});")
        # Across the end of a segment a lane has its own value, as from a lane that is not there it must not be used.
        start = f"({lane} & ~{width - 1}u)"
        source = {"_xor": f"({lane} ^ {amount}u)", "_down": f"({lane} + {amount}u)", "_up": f"({lane} - {amount}u)",
                  "": f"({start} + (shuffled & {width - 1}u))"}[kind]
        if not kind:
            self.emit(f"{{ const unsigned shuffled = {self.expr('u', 1)} & 31u;")
            call = call.replace(operand, "int(shuffled)", 1) if operand in call else call
        else:
            self.emit("{")
        self.emit(f"  const auto {got} = {call};")
        self.emit(f"  const unsigned {origin} = {source};")
        # xor within a width reaches lanes of lower segments, of higher ones not: taken only within the own one.
        self.emit(f"  if ({origin} >= {start} && {origin} < {start} + {width}u && ({live} >> ({origin} & 31u) & 1u)) {target} += fold({got}); }}")

    def vote(self):
        r = self.rng
        live, target, condition = self.live, r.choice("abcd"), self.condition()
        self.emit(r.choice([f"{target} ^= __ballot_sync({live}, {condition});",
                            f"if (__any_sync({live}, {condition})) {target} += 3u;",
                            f"if (__all_sync({live}, {condition})) {target} += 5u;",
                            f"{target} += __popc(__ballot_sync({live}, {condition}) & ((1u << (tid & 31u)) - 1u));",
                            f"if (__uni_sync({live}, {condition})) {target} ^= 77u;",
                            f"__syncwarp({live});"]))

    def matched(self):
        r = self.rng
        if r.random() < 0.7:
            value = r.choice([f"({self.expr('u', 1)}) & 3u", f"(unsigned long long)(({self.value()}) & 1u)", f"float(({self.value()}) & 1u)"])
            return self.emit(f"{r.choice('abcd')} += __match_any_sync({self.live}, {value});")
        same = self.fresh("same")
        self.emit(f"{{ int {same}; b ^= __match_all_sync({self.live}, ({self.value()}) >> {r.choice([0, 10, 31])}, &{same}); a += {same}; }}")

    def reduce(self):
        self.emit(f"{self.rng.choice('abcd')} ^= reduce_{self.rng.choice(['add', 'min', 'max', 'and', 'or', 'xor'])}({self.live}, {self.expr('u', 2)});")

    def members(self):
        """A branch whose lanes are known before it, and talk to one another inside."""
        if self.depth > 2:
            return self.assignment()
        inside, group = self.fresh("inside"), self.fresh("group")
        self.emit(f"const bool {inside} = {self.condition()};")
        self.emit(f"const unsigned {group} = __ballot_sync({self.live}, {inside});")
        self.emit(f"if ({inside}) {{")
        outer, self.live = self.live, group
        together, self.together = self.together, False
        self.depth += 1
        for _ in range(self.rng.randint(1, 3)):
            self.rng.choice([self.assignment, self.shuffle, self.vote, self.matched, self.reduce])()
        self.depth -= 1
        self.live, self.together = outer, together
        self.emit("}")
        if self.rng.random() < 0.7:
            self.emit(f"__syncwarp({self.live});")

    def tile(self):
        """A tile of cooperative groups: shuffles, reductions and scans in it."""
        r = self.rng
        size = r.choice([1, 2, 4, 8, 16, 32])
        name = self.fresh("tile_of")
        value, target = self.expr("u", 1), r.choice("abcd")
        self.emit(f"{{ auto {name} = cg::tiled_partition<{size}>(cg::this_thread_block());")
        statements = [
            f"{target} += {name}.shfl_xor({value}, {max(1, size // 2)});",
            f"{target} += {name}.shfl_down({value}, 1);" if size == 32 else f"{name}.sync();",
            f"{target} ^= {name}.ballot({self.condition()});", f"{target} += {name}.any({self.condition()}) ? 3u : 1u;",
            f"{target} += cg::reduce({name}, {value}, cg::plus<unsigned>());",
            f"{target} ^= unsigned(cg::reduce({name}, int({value}), cg::greater<int>()));",
            f"{target} += cg::inclusive_scan({name}, {value});",
            f"{target} += cg::exclusive_scan({name}, {value}, cg::bit_xor<unsigned>());",
            f"{target} += {name}.match_any({value} & 3u);",
            f"{target} += {name}.thread_rank() * {name}.meta_group_rank();"]
        if self.asks_who:
            statements += [
                f"{{ auto half = cg::binary_partition({name}, {self.condition()}); {target} += half.size() * 5u + half.thread_rank(); }}",
                f"{{ auto part = cg::labeled_partition({name}, {value} & 3u); {target} += cg::reduce(part, {self.value()}, cg::plus<unsigned>()); }}"]
        self.emit("  " + r.choice(statements))
        self.emit("}")

    def coalesced(self):
        """Lanes that add together what each would have added: the sum does not depend on who is with whom."""
        name = self.fresh("with")
        self.emit(f"if ({self.condition()}) {{")
        self.emit(f"  auto {name} = cg::coalesced_threads();")
        self.emit(f"  const unsigned sum = cg::reduce({name}, {self.expr('u', 1)}, cg::plus<unsigned>());")
        self.emit(f"  if ({name}.thread_rank() == 0) atomicAdd(&sums[15], sum);")
        self.emit("}")
        self.emit(f"__syncwarp({self.live});")

    def counting_barrier(self):
        r = self.rng
        kind, target = r.choice(["count", "and", "or"]), r.choice("abcd")
        if r.random() < 0.6:
            return self.emit(f"{target} += unsigned(__syncthreads_{kind}({self.condition()}));")
        operation = {"count": "popc.u32 %0, 0, p", "and": "and.pred q, 0, p", "or": "or.pred q, 0, p"}[kind]
        last = "" if kind == "count" else " selp.u32 %0, 1, 0, q;"
        self.emit(f'{{ unsigned all; asm volatile("{{.reg .pred p, q; setp.ne.u32 p, %1, 0; bar.red.{operation};{last}}}" '
                  f': "=r"(all) : "r"({self.expr("u", 1)} & 1u) : "memory"); {target} += all; }}')

    def named_barrier(self):
        """Some warps meet at a barrier with a number of its own."""
        r = self.rng
        warps = (self.threads + 31) // 32
        some = r.randint(1, warps)
        number = r.randint(1, 15)
        if r.random() < 0.5 or not self.shared or warps < 2:
            self.emit(f'if (tid < {some * 32}u) asm volatile("barrier.sync {number}, {some * 32};" ::: "memory");')
            return self.emit("__syncwarp(live);")
        name, element = r.choice(self.shared)
        if element not in ("unsigned", "int", "unsigned long long"):
            return self.emit("__syncthreads();")
        self.emit("__syncthreads();")
        self.emit("if (tid < 32u) {")
        self.emit(f"  {name}[tid] = ({element}){self.expr('u', 1)};")
        self.emit(f'  asm volatile("bar.arrive {number}, {warps * 32};" ::: "memory");')
        self.emit("} else {")
        self.emit(f'  asm volatile("bar.sync {number}, {warps * 32};" ::: "memory");')
        self.emit(f"  {r.choice('abcd')} += unsigned({name}[tid & 31u]);")
        self.emit("}")
        self.emit("__syncthreads();")
