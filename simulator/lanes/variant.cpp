#include "simulator/lanes/families.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {

Families families() {
  return {
      {integer_rows(), logic_rows(), warp_rows(), float32_rows(), float64_rows(), convert_rows(),
       half2_rows(), mufu_rows(), hmma_rows(), matrix_rows(), narrow_matrix_rows()},
      address_functions()};
}

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
