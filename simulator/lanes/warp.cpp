// Instructions that look across the lanes of a warp (docs/hardware/arithmetic.md). `on` is always
// the active lanes whose guard holds, also where the result is a uniform register.

#include "simulator/lanes/choose.hpp"
#include "simulator/lanes/families.hpp"
#include "simulator/lanes/float32.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

void broadcast(u32* row, u32 value) {
  for (unsigned i = 0; i < kWarpSize; ++i) row[i] = value;
}

// value[i] = row[which[i]].
inline void take_lanes(const u32* row, const u32 (&which)[kWarpSize], u32 (&value)[kWarpSize]) {
#if defined(__AVX512F__) && !defined(__clang__)  // an instruction takes words from two vectors
  using Half = u32 __attribute__((vector_size(kWarpSize / 2 * sizeof(u32))));
  Half low, high;
  __builtin_memcpy(&low, row, sizeof low);
  __builtin_memcpy(&high, row + kWarpSize / 2, sizeof high);
  for (u32 first = 0; first < kWarpSize; first += kWarpSize / 2) {
    Half from;
    __builtin_memcpy(&from, which + first, sizeof from);
    const Half taken = __builtin_shuffle(low, high, from);
    __builtin_memcpy(value + first, &taken, sizeof taken);
  }
#else
  for (u32 i = 0; i < kWarpSize; ++i) value[i] = row[u64{which[i]}];
#endif
}

enum ShflMode : u32 { kIdx, kUp, kDown, kBfly };

// C: bits 4:0 clamp, bits 12:8 segment mask; as PTX shfl. A source lane that is not active gives
// zero (measured).
template <u32 kMode>
void shfl(WarpState& warp, const MicroOp& op, Mask on) {
  const u32* a = source_row(warp, op.a);
  const u32* b = source_row(warp, op.b);
  const u32* c = source_row(warp, op.c);
  u32* d = destination_row(warp, op.d);
  u32 source[kWarpSize], value[kWarpSize];
  const u32 active = on.bits();
  LaneFlags in_range;
  for (unsigned i = 0; i < kWarpSize; ++i) {
    const u32 segment = c[i] >> 8 & 31, clamp = c[i] & 31, lane = b[i] & 31;
    const i32 first = static_cast<i32>(i & segment);
    const i32 last = first | static_cast<i32>(clamp & ~segment);
    const i32 self = static_cast<i32>(i), step = static_cast<i32>(lane);
    i32 from;
    if constexpr (kMode == kIdx) from = first | static_cast<i32>(lane & ~segment);
    if constexpr (kMode == kUp) from = self - step;
    if constexpr (kMode == kDown) from = self + step;
    if constexpr (kMode == kBfly) from = self ^ step;
    const bool inside = kMode == kUp ? from >= last : from <= last;
    in_range.set(i, inside);
    source[i] = pick(inside, static_cast<u32>(from) & 31, i);
  }
  take_lanes(a, source, value);
  for (unsigned i = 0; i < kWarpSize; ++i) value[i] &= 0u - (active >> source[i] & 1);
  for (unsigned i = 0; i < kWarpSize; ++i) put<false>(d, i, value[i], on);
  warp.set_predicate(op.pu, Mask(in_range.gather()), on);
}

LaneFunction select_shfl(const Request& request, MicroOp&) {
  return choose<4>(request.mod(Mod::shfl_mode),
                   []<u32 kMode>() -> LaneFunction { return shfl<kMode>; });
}

// Vote operations: 0 ALL, 1 ANY, 2 EQ.
Mask vote_result(u32 operation, Mask ballot, Mask on) {
  const bool all = ballot == on, any = ballot.any();
  const bool result = operation == 0 ? all : operation == 1 ? any : all || !any;
  return result ? kFullMask : Mask();
}

// VOTE and VOTEU differ in who receives the ballot.
template <bool kUniform>
void vote(WarpState& warp, const MicroOp& op, Mask on) {
  const Mask ballot = warp.predicate(op.pp) & on;
  u32* d = destination_row(warp, op.d);
  const Mask lanes = kUniform ? kFullMask : on;
  for (unsigned i = 0; i < kWarpSize; ++i) put<false>(d, i, ballot.bits(), lanes);
  warp.set_predicate(op.pu, vote_result(op.param[0], ballot, on), lanes);
}

template <bool kUniform>
LaneFunction select_vote(const Request& request, MicroOp& op) {
  op.param[0] = request.mod(Mod::vote_op);
  return op.param[0] < 3 ? vote<kUniform> : nullptr;
}

template <bool kWide>
Mask lanes_equal_to(const u32* row, unsigned lane) {
  u32 equal = 0;
  const u32 low = row[lane], high = kWide ? row[kWarpSize + lane] : 0;
  for (unsigned i = 0; i < kWarpSize; ++i) {
    const bool same = row[i] == low && (!kWide || row[kWarpSize + i] == high);
    equal |= same ? kLaneBits.bit[i] : 0;
  }
  return Mask(equal);
}

template <bool kWide>
void match_any(WarpState& warp, const MicroOp& op, Mask on) {
  const u32* a = source_row(warp, op.a);
  u32 group[kWarpSize] = {};
  for (Mask left = on; left.any();) {
    const Mask equal = lanes_equal_to<kWide>(a, left.first()) & on;
    for (unsigned i = 0; i < kWarpSize; ++i)
      group[i] |= (equal.bits() & kLaneBits.bit[i]) != 0 ? equal.bits() : 0;
    left &= ~equal;
  }
  u32* d = destination_row(warp, op.d);
  for (unsigned i = 0; i < kWarpSize; ++i) put<false>(d, i, group[i], on);
}

template <bool kWide>
void match_all(WarpState& warp, const MicroOp& op, Mask on) {
  const Mask equal = lanes_equal_to<kWide>(source_row(warp, op.a), on.first());
  const bool all = (equal & on) == on;
  u32* d = destination_row(warp, op.d);
  for (unsigned i = 0; i < kWarpSize; ++i) put<false>(d, i, all ? on.bits() : 0, on);
  warp.set_predicate(op.pu, all ? kFullMask : Mask(), on);
}

LaneFunction select_match(const Request& request, MicroOp&) {
  const bool any = request.mod(Mod::match_op) != 0, wide = request.mod(Mod::width) != 0;
  if (any) return wide ? match_any<true> : match_any<false>;
  return wide ? match_all<true> : match_all<false>;
}

// Reductions: 0 AND, 1 OR, 2 XOR, 3 SUM, 4 MIN, 5 MAX. param[0]: flips the sign bit, so that signed
// numbers compare as unsigned ones.
template <u32 kOperation>
void redux(WarpState& warp, const MicroOp& op, Mask on) {
  const u32* a = source_row(warp, op.a);
  const u32 flip = op.param[0];
  u32 result = kOperation == 0 || kOperation == 4 ? ~0u : 0;
  for (unsigned i = 0; i < kWarpSize; ++i) {
    if (!on.has(i)) continue;
    const u32 value = a[i] ^ flip;
    if constexpr (kOperation == 0) result &= value;
    if constexpr (kOperation == 1) result |= value;
    if constexpr (kOperation == 2) result ^= value;
    if constexpr (kOperation == 3) result += value;
    if constexpr (kOperation == 4) result = value < result ? value : result;
    if constexpr (kOperation == 5) result = value > result ? value : result;
  }
  broadcast(destination_row(warp, op.d), result ^ flip);
}

LaneFunction select_redux(const Request& request, MicroOp& op) {
  const u32 operation = request.mod(Mod::redux_op);
  op.param[0] = operation >= 4 && request.mod(Mod::is_signed) != 0 ? 0x80000000u : 0;
  return choose<6>(operation, []<u32 kOperation>() -> LaneFunction { return redux<kOperation>; });
}

// Of floats: NaNs count with .NAN, or where there is nothing else; -0 is less than +0 (PTX ISA,
// redux.sync). param[0]: the bits that are looked at, all or all but the sign.
template <bool kSmallest, bool kNan>
void redux_floats(WarpState& warp, const MicroOp& op, Mask on) {
  const u32* a = source_row(warp, op.a);
  u32 result = kNan32;
  bool any_nan = false;
  for (unsigned i = 0; i < kWarpSize; ++i) {
    if (!on.has(i)) continue;
    const u32 value = a[i] & op.param[0];
    if (is_nan32(value))
      any_nan = true;
    else if (is_nan32(result) || (order_key(value) < order_key(result)) == kSmallest)
      result = value;
  }
  broadcast(destination_row(warp, op.d), kNan && any_nan ? kNan32 : result);
}

// CREDUX: 0 the largest, 2 the smallest; 1 and 3 of absolute values.
LaneFunction select_credux(const Request& request, MicroOp& op) {
  const u32 operation = request.mod(Mod::redux_op);
  if (request.mod(Mod::type) != 0) {
    op.param[0] = (operation & 1) != 0 ? 0x7fffffffu : ~0u;
    return choose<4>(operation / 2 | (request.mod(Mod::nan) & 1) << 1,
                     []<u32 kForm>() -> LaneFunction {
                       return redux_floats<(kForm & 1) != 0, (kForm & 2) != 0>;
                     });
  }
  op.param[0] = request.mod(Mod::is_signed) != 0 ? 0x80000000u : 0;
  return operation == 0 ? redux<5> : redux<4>;
}

// The lowest active lane is read, and Pu says of each lane whether its value is another (measured).
void r2ur(WarpState& warp, const MicroOp& op, Mask on) {
  const u32* a = source_row(warp, op.a);
  const u32 value = a[on.first()];
  LaneFlags others;
  for (unsigned i = 0; i < kWarpSize; ++i) others.set(i, a[i] != value);
  broadcast(destination_row(warp, op.d), value);
  warp.set_predicate(op.pu, Mask(others.gather()), on);
}

// .OR with a predicate: it stays true where it was. ptxas compares the halves of a 64-bit handle
// so, in the loop in which lanes with different ones take turns.
void r2ur_or(WarpState& warp, const MicroOp& op, Mask on) {
  const Mask before = warp.predicates[op.pu];
  r2ur(warp, op, on);
  warp.predicates[op.pu] |= before & on;
}

// .OR; without a predicate, of all lanes' values.
LaneFunction select_r2ur(const Request& request, MicroOp& op) {
  if (request.mod(Mod::combine) == 0) return r2ur;
  return writes_predicates(op) ? r2ur_or : redux<1>;
}

// The lowest active lane whose Pp holds is elected (measured; with none, nobody is).
void elect(WarpState& warp, const MicroOp& op, Mask on) {
  const Mask candidates = warp.predicate(op.pp) & on;
  const bool none = candidates.empty();
  const u32 leader = none ? 0 : candidates.first();
  broadcast(destination_row(warp, op.d), leader);
  warp.set_predicate(op.pu, none ? candidates : Mask::of(leader), on);
}

LaneFunction select_elect(const Request&, MicroOp&) { return elect; }

constexpr Row kRows[] = {
    {Op::SHFL, select_shfl},     {Op::VOTE, select_vote<false>}, {Op::VOTEU, select_vote<true>},
    {Op::MATCH, select_match},   {Op::REDUX, select_redux},      {Op::R2UR, select_r2ur},
    {Op::CREDUX, select_credux}, {Op::ELECT, select_elect},
};

}  // namespace

Rows warp_rows() { return {kRows, sizeof kRows / sizeof kRows[0]}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
