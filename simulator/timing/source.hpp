// Where the instructions that are timed come from: the functional core, or who knows what was
// executed before.
#pragma once

#include <cstdint>

#include "simulator/execute/machine.hpp"

namespace heddle::simulator::timing {

class InstructionSource {
 public:
  virtual ~InstructionSource() = default;
  // Whether `step` executes, so that it is known ahead what an instruction without effect on
  // control flow leads to.
  virtual bool executes() const { return false; }
  // Places the warps of block number `linear` at their first instructions.
  virtual void start_block(Core& core, Block& block, std::uint64_t linear) = 0;
  // The warp's next instruction, as Core::step gives it. Afterwards its convergence says where the
  // warp stands.
  virtual Issue step(Core& core, Warp& warp) = 0;
};

// Executes each instruction when it issues.
class ExecutedInstructions : public InstructionSource {
 public:
  bool executes() const override { return true; }
  void start_block(Core& core, Block& block, std::uint64_t linear) override {
    core.start_block(block, linear);
  }
  Issue step(Core& core, Warp& warp) override {
    return core.step(warp, core.launch.options->observer);
  }
};

}  // namespace heddle::simulator::timing
