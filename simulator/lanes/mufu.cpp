#include "simulator/lanes/mufu.hpp"

#include "simulator/lanes/choose.hpp"
#include "simulator/lanes/families.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

// Widths: 0 FP32, 1 FP16, 2 BF16.
LaneFunction select_mufu(const Request& request, MicroOp& op) {
  op.param[0] = 16 * (request.mod(Mod::half_sel) & 1);
  const u32 width = request.mod(Mod::width);
  return choose<10>(request.mod(Mod::mufu_op), [&]<u32 kFunction>() -> LaneFunction {
    if constexpr (kFunction == kRcp64h || kFunction == kRsq64h) {
      return width == 0 ? lift<Mufu64h<kFunction>> : nullptr;
    } else {
      if (width == 0) return lift<Mufu<kFunction>>;
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
