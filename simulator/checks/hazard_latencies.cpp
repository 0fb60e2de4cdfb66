#include "simulator/checks/hazard_latencies.hpp"

#include "isa/attributes.hpp"
#include "simulator/warp/register_uses.hpp"

namespace heddle::simulator::checks {
namespace {

using isa::Unit;

constexpr unsigned kArithmetic = 4, kWide = 2, kUniform = 2, kFp64 = 6;

bool is_wide(const isa::Instruction& in) {
  return isa::unit(in) == Unit::fma && isa::facts(in).work == isa::Work::wide_product;
}

bool is_uniform(unsigned place) {
  return (place >= kUniformPlace && place < kPredicatePlace) || place >= kUniformPredicatePlace;
}

}  // namespace

unsigned least_latency(const isa::Instruction& writer, const isa::Instruction& reader,
                       unsigned place, bool as_guard) {
  const Unit unit = isa::unit(writer);
  if (is_uniform(place)) return unit == Unit::uniform ? kUniform : 0;
  if (as_guard) {
    const bool is_known = unit == Unit::alu || unit == Unit::fma || unit == Unit::fp16;
    return is_known ? isa::traits(writer.arch).guard_latency.value : 0;
  }
  switch (unit) {
    case Unit::alu:
    case Unit::fma:
      return is_wide(writer) || is_wide(reader) ? kWide : kArithmetic;
    case Unit::fp16:
      return kArithmetic;
    case Unit::fp64:
      return isa::traits(writer.arch).fp64_is_fixed ? kFp64 : 0;
    default:
      return 0;
  }
}

}  // namespace heddle::simulator::checks
