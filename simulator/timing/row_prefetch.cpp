#include "simulator/timing/row_prefetch.hpp"

#include <bitset>

#include "isa/attributes.hpp"
#include "simulator/warp/register_uses.hpp"

namespace heddle::simulator::timing {
namespace {

// A warp issues some more in a quantum of time, but seldom with many other registers.
constexpr unsigned kInstructions = 16;

using Rows = std::vector<std::uint16_t>;

std::vector<Rows> rows_by_instruction(const isa::Program& program) {
  std::vector<Rows> all(program.instructions.size());
  for (std::size_t pc = 0; pc < all.size(); ++pc) {
    if (!program.instructions[pc]) continue;
    const RegisterUses uses = register_uses(*program.instructions[pc]);
    for (const auto* places : {&uses.reads, &uses.writes})
      for (const std::uint16_t place : *places)
        if (place < kDiscardRow) all[pc].push_back(place);
  }
  return all;
}

}  // namespace

RowsAhead::RowsAhead(const isa::Program& program, const LoweredProgram& lowered) {
  const std::vector<Rows> by_instruction = rows_by_instruction(program);
  const auto end = static_cast<std::uint32_t>(by_instruction.size());
  for (std::uint32_t pc = 0; pc <= end; ++pc) {
    first_.push_back(static_cast<std::uint32_t>(rows_.size()));
    std::bitset<kDiscardRow> seen;
    std::uint32_t at = pc;
    for (unsigned i = 0; i < kInstructions && at < end; ++i) {
      for (const std::uint16_t row : by_instruction[at]) {
        if (!seen[row]) rows_.push_back(row);
        seen[row] = true;
      }
      const auto& instruction = program.instructions[at];
      const bool back = instruction && isa::effect(*instruction) == isa::Effect::branch &&
                        lowered.steps[at].target < at;
      at = back ? lowered.steps[at].target : at + 1;
    }
  }
  first_.push_back(static_cast<std::uint32_t>(rows_.size()));
}

}  // namespace heddle::simulator::timing
