// The tables each variant is made of, one per translation unit.
#pragma once

#include "simulator/lanes/selection.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

Rows integer_rows();
Rows logic_rows();
Rows warp_rows();
Rows float32_rows();
Rows float64_rows();
Rows convert_rows();
Rows half2_rows();
Rows mufu_rows();
Rows hmma_rows();
Rows matrix_rows();
Rows narrow_matrix_rows();
AddressFunctions address_functions();

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
