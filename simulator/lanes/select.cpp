#include "simulator/lanes/selection.hpp"

namespace heddle::simulator {
namespace lanes {
namespace {

const Variant& widest_supported() {
  static const Variant* const chosen = [] {
    const Variant* widest = nullptr;
    for (const Variant& variant : variants())
      if (variant.supported) widest = &variant;
    return widest;
  }();
  return *chosen;
}

}  // namespace

const AddressFunctions& address_functions() { return widest_supported().addresses; }

}  // namespace lanes

bool select_lane_function(const isa::Instruction& instruction, MicroOp& op) {
  using namespace lanes;
  const Variant& variant = widest_supported();
  if (variant.selectors[static_cast<std::size_t>(instruction.op)] == nullptr) return false;
  return variant.select({&instruction, instruction.mods()}, op);
}

}  // namespace heddle::simulator
