#include "simulator/lanes/mufu.hpp"

#include "simulator/lanes/choose.hpp"
#include "simulator/lanes/families.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

LaneFunction select_mufu(const Request& request, MicroOp& op) {
  op.param[0] = 16 * (request.mod(Mod::half_sel) & 1);
  const bool half = request.mod(Mod::width) != 0;
  return choose<10>(request.mod(Mod::mufu_op), [&]<u32 kFunction>() -> LaneFunction {
    if constexpr (kFunction == kRcp64h || kFunction == kRsq64h) {
      return half ? nullptr : lift<Mufu64h<kFunction>>;
    } else {
      return half ? lift<MufuHalf<kFunction>> : lift<Mufu<kFunction>>;
    }
  });
}

constexpr Row kRows[] = {{Op::MUFU, select_mufu}};

}  // namespace

Rows mufu_rows() { return {kRows, sizeof kRows / sizeof kRows[0]}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
