// What texture and surface instructions have in common: where their handle is, the fault of a
// handle that names nothing, and which texels they touch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "isa/instruction.hpp"
#include "simulator/execute/machine.hpp"
#include "simulator/memory/texture.hpp"
#include "simulator/memory/texture_sampler.hpp"

namespace heddle::simulator {

// Where the handle of a texture or surface is.
struct HandlePlace {
  enum class In : std::uint8_t { registers, constant, uniform };
  In in = In::registers;
  std::uint32_t at = 0;  // constant: the bank above bit 16, and bytes; uniform: the row's words

  static constexpr unsigned kBankShift = 16;
};

HandlePlace handle_place(const isa::Instruction& in);

// The handle a lane uses; in_register: the one that its registers hold, if that is where it is.
std::uint32_t lane_handle(const Core& core, const Warp& warp, HandlePlace place, unsigned lane,
                          std::uint32_t in_register);

Flow no_such_texture(Core& core, Warp& warp, const Step& step, unsigned lane, std::uint32_t handle);

// Of a timed launch: which texels lanes read, the n-th of each in the n-th access.
class TexelNotes {
 public:
  explicit TexelNotes(Core& core)
      : core_(core),
        wanted_(core.observed && core.cycle != nullptr),
        first_(core.accesses.size()) {}
  bool wanted() const { return wanted_; }
  void begin(unsigned lane) {
    lane_ = lane;
    texels_ = 0;
  }
  void add(std::uint64_t address, std::uint64_t bytes) {
    if (!wanted_) return;
    const std::size_t at = first_ + texels_++;
    if (at == core_.accesses.size()) {
      Access& access = core_.accesses.emplace_back();
      access.space = Window::global;
      access.width = static_cast<std::uint32_t>(bytes);
    }
    core_.accesses[at].lanes |= Mask::of(lane_);
    core_.accesses[at].address[lane_] = address;
  }
  // What was read for the lanes together; `first`: where the texture begins.
  void add(const TexelReads& reads, Mask lanes, std::uint64_t first, std::uint64_t bytes) {
    if (!wanted_) return;
    for (const unsigned lane : lanes) {
      begin(lane);
      for (const TexelReads::Tap& tap : std::span(reads.taps).first(reads.count))
        if (tap.lanes.has(lane)) add(first + tap.offset[lane], bytes);
    }
  }

 private:
  Core& core_;
  const bool wanted_;
  const std::size_t first_;
  std::size_t texels_ = 0;
  unsigned lane_ = 0;
};

// Surface instructions, and TXQ (execute_surface.cpp).
Execute lower_surface(const isa::Instruction& in, Step& step);
std::optional<TextureHeader> surface_in_use(const Core& core, const Warp& warp, const Step& step,
                                            unsigned lane);

}  // namespace heddle::simulator
