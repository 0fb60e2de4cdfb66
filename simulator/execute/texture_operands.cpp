#include "simulator/execute/texture_operands.hpp"

#include <fmt/format.h>

#include "simulator/execute/memory_access.hpp"

namespace heddle::simulator {

HandlePlace handle_place(const isa::Instruction& in) {
  if (in.word.bits(91, 1) != 0)
    return {HandlePlace::In::uniform,
            static_cast<std::uint32_t>((kUniformRow + in.word.bits(40, 6)) * kWarpSize)};
  constexpr std::uint64_t kReduction = 0x59f;  // whose opcode's form differs from the others'
  if (in.word.bits(9, 3) != 5 && in.word.bits(0, 12) != kReduction) return {};
  return {HandlePlace::In::constant,
          static_cast<std::uint32_t>(in.word.bits(54, 5) << HandlePlace::kBankShift |
                                     in.word.bits(40, 14) * 4)};
}

std::uint32_t lane_handle(const Core& core, const Warp& warp, HandlePlace place, unsigned lane,
                          std::uint32_t in_register) {
  constexpr std::uint32_t kOffset = (1u << HandlePlace::kBankShift) - 1;
  switch (place.in) {
    case HandlePlace::In::constant:
      return static_cast<std::uint32_t>(core.launch.constants.read(
          place.at >> HandlePlace::kBankShift, place.at & kOffset, sizeof(std::uint32_t)));
    case HandlePlace::In::uniform:
      return warp.rows[place.at + lane];
    case HandlePlace::In::registers:
      break;
  }
  return in_register;
}

Flow no_such_texture(Core& core, Warp& warp, const Step& step, unsigned lane,
                     std::uint32_t handle) {
  return core.raise(Fault::Kind::illegal_address, warp, step, Mask::of(lane), handle,
                    fmt::format("no texture or surface has the handle {:#x}", handle));
}

}  // namespace heddle::simulator
