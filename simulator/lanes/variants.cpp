#include <cassert>

#include "simulator/lanes/selection.hpp"

namespace heddle::simulator::lanes {

namespace baseline {
Families families();
}
#ifdef HEDDLE_LANES_BASELINE_ONLY
namespace avx2 = baseline;
namespace avx512 = baseline;
#else
namespace avx2 {
Families families();
}
namespace avx512 {
Families families();
}
#endif

namespace {

bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512cd") != 0;
}

Variant make_variant(const char* name, bool supported, const Families& families) {
  Variant variant{name, supported, {}, families.addresses};
  for (const Rows& rows : families.rows) {
    for (std::size_t i = 0; i < rows.count; ++i) {
      Selector& selector = variant.selectors[static_cast<std::size_t>(rows.first[i].op)];
      assert(selector == nullptr);  // one row per opcode
      selector = rows.first[i].selector;
    }
  }
  return variant;
}

}  // namespace

const std::array<Variant, 3>& variants() {
  static const std::array<Variant, 3> all{
      make_variant("baseline", true, baseline::families()),
      make_variant("avx2", has_avx2(), avx2::families()),
      make_variant("avx512", has_avx512(), avx512::families()),
  };
  return all;
}

bool Variant::select(const Request& request, MicroOp& op) const {
  const Selector selector = selectors[static_cast<std::size_t>(request.instruction->op)];
  op.param = {};
  op.lane = selector == nullptr ? nullptr : selector(request, op);
  return op.lane != nullptr;
}

}  // namespace heddle::simulator::lanes
