#include "simulator/lanes/logic.hpp"

#include "simulator/lanes/choose.hpp"
#include "simulator/lanes/families.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

// ~B swaps the halves of the table where b is 1 and 0.
constexpr u32 with_inverted_b(u32 table) { return (table & 0x33u) << 2 | (table & 0xccu) >> 2; }

LaneFunction select_lop3(const Request& request, MicroOp& op) {
  const u32 lut = request.mod(Mod::lut) & 0xff;
  if (op.pu == kDiscardedPredicate) {
    return choose<256>(op.b_negate ? with_inverted_b(lut) : lut,
                       []<u32 kTable>() -> LaneFunction { return lift<Lop3<kTable>>; });
  }
  op.param[0] = lut;
  op.param[1] = request.mod(Mod::pop);
  return lift<Lop3Predicate>;
}

// Predicate logic works on whole masks; there is no lane loop.
void plop3(WarpState& warp, const MicroOp& op, Mask on) {
  const u32 a = warp.predicate(op.pp).bits();
  const u32 b = warp.predicate(op.pq).bits();
  const u32 c = warp.predicate(op.pr).bits();
  warp.set_predicate(op.pu, Mask(lookup3(op.param[0], a, b, c)), on);
  if (op.pv != kDiscardedPredicate)
    warp.set_predicate(op.pv, Mask(lookup3(op.param[1], a, b, c)), on);
}

// .SIGN: of the registers' top bits.
void plop3_of_signs(WarpState& warp, const MicroOp& op, Mask on) {
  const auto signs = [&](RowOffset offset) {
    const u32* row = source_row(warp, offset);
    u32 mask = 0;
    for (u32 i = 0; i < kWarpSize; ++i) mask |= (row[i] >> 31) << i;
    return mask;
  };
  const u32 a = signs(op.a), b = signs(op.b), c = signs(op.c);
  warp.set_predicate(op.pu, Mask(lookup3(op.param[0], a, b, c)), on);
  warp.set_predicate(op.pv, Mask(lookup3(op.param[1], a, b, c)), on);
}

LaneFunction select_plop3(const Request& request, MicroOp& op) {
  op.param[0] = request.mod(Mod::lut);
  op.param[1] = request.mod(Mod::lut2);
  return request.instruction->a.kind == isa::Source::Kind::none ? plop3 : plop3_of_signs;
}

// param[0]: the byte's first bit; param[1]: index of the first predicate of the file.
void pack_predicates(WarpState& warp, const MicroOp& op, Mask on) {
  const u32* a = source_row(warp, op.a);
  const u32* mask = source_row(warp, op.b);
  u32* d = destination_row(warp, op.d);
  u32 packed[kWarpSize] = {};
  for (u32 j = 0; j < kPT; ++j) {
    const u32 predicate = warp.predicates[op.param[1] + j].bits();
    for (u32 i = 0; i < kWarpSize; ++i) packed[i] |= (predicate >> i & 1) << j;
  }
  for (u32 i = 0; i < kWarpSize; ++i) {
    const u32 bits = (mask[i] & 0x7f) << op.param[0];
    put<false>(d, i, (a[i] & ~bits) | (packed[i] << op.param[0] & bits), on);
  }
}

void unpack_predicates(WarpState& warp, const MicroOp& op, Mask on) {
  const u32* a = source_row(warp, op.a);
  const u32* mask = source_row(warp, op.b);
  for (u32 j = 0; j < kPT; ++j) {
    u32 value = 0, write = 0;
    for (u32 i = 0; i < kWarpSize; ++i) {
      value |= (a[i] >> op.param[0] >> j & 1) << i;
      write |= (mask[i] >> j & 1) << i;
    }
    warp.set_predicate(op.param[1] + j, Mask(value), on & Mask(write));
  }
}

template <void (*kFunction)(WarpState&, const MicroOp&, Mask), u32 kFirstPredicate>
LaneFunction select_byte(const Request& request, MicroOp& op) {
  op.param[0] = 8 * (request.mod(Mod::insert) & 3);
  op.param[1] = kFirstPredicate;
  return kFunction;
}

constexpr Row kRows[] = {
    {Op::LOP3, select_lop3},
    {Op::ULOP3, select_lop3},
    {Op::PLOP3, select_plop3},
    {Op::UPLOP3, select_plop3},
    {Op::P2R, select_byte<pack_predicates, 0>},
    {Op::UP2UR, select_byte<pack_predicates, kUniformPredicates>},
    {Op::R2P, select_byte<unpack_predicates, 0>},
    {Op::UR2UP, select_byte<unpack_predicates, kUniformPredicates>},
};

}  // namespace

Rows logic_rows() { return {kRows, sizeof kRows / sizeof kRows[0]}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
