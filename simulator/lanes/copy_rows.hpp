// Rows that are copied as they are: loads of constants at places that are known, and instructions
// whose result is (lowering.cpp).
#pragma once

#include "simulator/warp/micro_op.hpp"

namespace heddle::simulator::lanes {

// Copies 1, 2 or 4 rows to d: those at a, and of four the last two at b.
LaneFunction copy_rows(unsigned rows);
// How many an instruction copies so; 0: it does something else.
unsigned rows_copied(const MicroOp& op);

}  // namespace heddle::simulator::lanes
