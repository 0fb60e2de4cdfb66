#include "simulator/lanes/accesses_at_once.hpp"
#include "simulator/lanes/scattered.hpp"
#include "simulator/lanes/selection.hpp"

namespace heddle::simulator::lanes {

namespace baseline {
ScatteredFunctions scattered_functions();
AccessFunctions access_functions();
}  // namespace baseline
#ifdef HEDDLE_LANES_BASELINE_ONLY
namespace avx2 = baseline;
namespace avx512 = baseline;
#else
namespace avx2 {
ScatteredFunctions scattered_functions();
AccessFunctions access_functions();
}  // namespace avx2
namespace avx512 {
ScatteredFunctions scattered_functions();
AccessFunctions access_functions();
}  // namespace avx512
#endif

const ScatteredFunctions& find_scattered_functions() {
  static const ScatteredFunctions widest = [] {
    const auto& all = variants();
    return all[2].supported   ? avx512::scattered_functions()
           : all[1].supported ? avx2::scattered_functions()
                              : baseline::scattered_functions();
  }();
  return widest;
}

const AccessFunctions& find_access_functions() {
  static const AccessFunctions widest = [] {
    const auto& all = variants();
    return all[2].supported   ? avx512::access_functions()
           : all[1].supported ? avx2::access_functions()
                              : baseline::access_functions();
  }();
  return widest;
}

}  // namespace heddle::simulator::lanes
