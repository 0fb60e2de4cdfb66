#include "simulator/lanes/copy_rows.hpp"

#include "simulator/lanes/scattered.hpp"

namespace heddle::simulator::lanes {
namespace {

template <unsigned kRows>
void copy(WarpState& warp, const MicroOp& op, Mask on) {
  for (unsigned i = 0; i < kRows; ++i) {
    const std::uint32_t* const from = source_row(warp, i < 2 ? op.a : op.b) + i % 2 * kWarpSize;
    std::uint32_t* const to = destination_row(warp, op.d) + i * kWarpSize;
    scattered_functions().copy_lanes(from, to, on);
  }
}

}  // namespace

LaneFunction copy_rows(unsigned rows) {
  return rows == 1 ? copy<1> : rows == 2 ? copy<2> : copy<4>;
}

unsigned rows_copied(const MicroOp& op) {
  for (const unsigned rows : {1u, 2u, 4u})
    if (op.lane == copy_rows(rows)) return rows;
  return 0;
}

}  // namespace heddle::simulator::lanes
