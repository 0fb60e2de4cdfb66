#include "simulator/lanes/mufu.hpp"

#include "simulator/lanes/choose.hpp"
#include "simulator/lanes/families.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

// As lift. Often all lanes have the same word, as where each divides by one number: then it is
// computed once.
template <class Op>
[[gnu::flatten]] void lift_of_one_word(WarpState& warp, const MicroOp& op, Mask on) {
  const SourceView<typename Op::Sources> b(warp, op.b, op.b_negate, op.b_absolute);
  const u32 one = on.first();
  u32 differ[kWarpSize];
  for (u32 i = 0; i < kWarpSize; ++i)
    differ[i] = (b.row[i] ^ b.row[one]) & (0u - u32{(on.bits() & kLaneBits.bit[i]) != 0});
  if (any_set(differ)) return lift<Op>(warp, op, on);
  Lane x{};
  x.b = b.low(one);
  const u32 result = Op::eval(x);
  u32* const d = destination_row(warp, op.d);
  for (u32 i = 0; i < kWarpSize; ++i) put<false>(d, i, result, on);
}

// Widths: 0 FP32, 1 FP16, 2 BF16.
LaneFunction select_mufu(const Request& request, MicroOp& op) {
  op.param[0] = 16 * (request.mod(Mod::half_sel) & 1);
  const u32 width = request.mod(Mod::width);
  return choose<10>(request.mod(Mod::mufu_op), [&]<u32 kFunction>() -> LaneFunction {
    if constexpr (kFunction == kRcp64h || kFunction == kRsq64h) {
      return width == 0 ? lift_of_one_word<Mufu64h<kFunction>> : nullptr;
    } else {
      if (width == 0) return lift_of_one_word<Mufu<kFunction>>;
      return width == 1   ? lift<MufuHalf<kFunction, Half::fp16>>
             : width == 2 ? lift<MufuHalf<kFunction, Half::bf16>>
                          : nullptr;
    }
  });
}

constexpr Row kRows[] = {{Op::MUFU, select_mufu}};

}  // namespace

Rows mufu_rows() { return {kRows, sizeof kRows / sizeof kRows[0]}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
