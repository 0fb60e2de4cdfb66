#include "simulator/lanes/selection.hpp"
#include "simulator/lanes/warpgroup.hpp"

namespace heddle::simulator::lanes {

namespace baseline {
GroupFunctions group_functions();
}
#ifdef HEDDLE_LANES_BASELINE_ONLY
namespace avx2 = baseline;
namespace avx512 = baseline;
#else
namespace avx2 {
GroupFunctions group_functions();
}
namespace avx512 {
GroupFunctions group_functions();
}
#endif

const GroupFunctions& group_functions() {
  static const GroupFunctions widest = [] {
    const auto& all = variants();
    return all[2].supported   ? avx512::group_functions()
           : all[1].supported ? avx2::group_functions()
                              : baseline::group_functions();
  }();
  return widest;
}

}  // namespace heddle::simulator::lanes
