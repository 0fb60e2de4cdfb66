// What was counted in a launch, of the instructions that were executed: a module may hold a hundred
// times as many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/base/instruction_counts.hpp"

namespace heddle::simulator {

class LaunchCounts {
 public:
  struct Entry {
    std::uint32_t pc = 0;  // index in isa::Program::instructions
    InstructionCounts counts;
  };

  LaunchCounts() = default;
  // In the order of their instructions, each once.
  explicit LaunchCounts(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  // All zero of an instruction that was not executed.
  const InstructionCounts& operator[](std::size_t pc) const;
  // Warp instructions in all.
  std::uint64_t executed() const;
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }  // instructions that were executed
  // Adds those of `other`, `times` times.
  void add(const LaunchCounts& other, std::uint64_t times = 1);

 private:
  std::vector<Entry> entries_;
};

}  // namespace heddle::simulator
