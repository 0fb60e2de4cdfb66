#include "simulator/lanes/float64.hpp"

#include "simulator/lanes/choose.hpp"
#include "simulator/lanes/families.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

template <class Arithmetic>
LaneFunction select_arithmetic(const Request& request, MicroOp& op) {
  return lift_with<Arithmetic>(request.mod(Mod::rnd), op);
}

LaneFunction select_dsetp(const Request& request, MicroOp& op) {
  op.param[0] = request.mod(Mod::bop);
  if (op.param[0] > 2) return nullptr;
  return choose<16>(request.mod(Mod::cmp), []<u32 kCompare>() -> LaneFunction {
    if constexpr (kCompare == 0 || kCompare == 15) return lift<DsetpMinMax<kCompare == 0>>;
    return lift<Dsetp<kCompare>>;
  });
}

constexpr Row kRows[] = {
    {Op::DADD, select_arithmetic<Dadd>},
    {Op::DMUL, select_arithmetic<Dmul>},
    {Op::DFMA, select_arithmetic<Dfma>},
    {Op::DSETP, select_dsetp},
};

}  // namespace

Rows float64_rows() { return {kRows, sizeof kRows / sizeof kRows[0]}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
