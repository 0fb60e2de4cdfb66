#include "simulator/lanes/selection.hpp"
#include "simulator/lanes/texels.hpp"

namespace heddle::simulator::lanes {

namespace baseline {
TexelFunctions texel_functions();
}
#ifdef HEDDLE_LANES_BASELINE_ONLY
namespace avx2 = baseline;
namespace avx512 = baseline;
#else
namespace avx2 {
TexelFunctions texel_functions();
}
namespace avx512 {
TexelFunctions texel_functions();
}
#endif

const TexelFunctions& texel_functions() {
  static const TexelFunctions widest = [] {
    const auto& all = variants();
    return all[2].supported   ? avx512::texel_functions()
           : all[1].supported ? avx2::texel_functions()
                              : baseline::texel_functions();
  }();
  return widest;
}

}  // namespace heddle::simulator::lanes
