// What instructions cost as NVIDIA's guides tell it: by classes, in cycles that one instruction of
// a warp keeps its multiprocessor, without latencies and without waiting.
//
// It is the arithmetic that one does by hand with such a table: how often a warp executes
// what, times what it costs, and how much of that is for lanes that are off. It is no model of
// time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/instruction.hpp"
#include "simulator/base/instruction_counts.hpp"
#include "simulator/models/operation.hpp"

namespace heddle::simulator {

enum class CostClass : std::uint8_t {
  float_arithmetic,
  double_arithmetic,
  integer,
  multiply32,
  multiply24,
  convert,
  reciprocal,
  square_root,
  sine_exponential,
  division,
  fast_division,
  memory,
  barrier,
  exchange,
  control,
};

struct CostClassInfo {
  std::string_view key, meaning;
  CostClass value;
};

inline constexpr std::array kCostClasses{
    CostClassInfo{"float", "float add, multiply, multiply-add, compare, min, max",
                  CostClass::float_arithmetic},
    CostClassInfo{"double", "double add, multiply, multiply-add, compare",
                  CostClass::double_arithmetic},
    CostClassInfo{"integer", "integer add, shift, bits, compare, min, max, move",
                  CostClass::integer},
    CostClassInfo{"multiply32", "32-bit integer multiply", CostClass::multiply32},
    CostClassInfo{"multiply24", "24-bit integer multiply", CostClass::multiply24},
    CostClassInfo{"convert", "type conversion", CostClass::convert},
    CostClassInfo{"reciprocal", "reciprocal, reciprocal square root, logarithm",
                  CostClass::reciprocal},
    CostClassInfo{"square_root", "square root", CostClass::square_root},
    CostClassInfo{"sine_exponential", "sine, cosine, exponential", CostClass::sine_exponential},
    CostClassInfo{"division", "float division", CostClass::division},
    CostClassInfo{"fast_division", "float division, fast", CostClass::fast_division},
    CostClassInfo{"memory", "loads, stores and atomics, to issue them", CostClass::memory},
    CostClassInfo{"barrier", "block barrier, to issue it", CostClass::barrier},
    CostClassInfo{"exchange", "shuffle, vote", CostClass::exchange},
    CostClassInfo{"control", "branch, exit", CostClass::control},
};

struct InstructionCosts {
  std::array<double, kCostClasses.size()> cycles{};  // of one instruction of a warp

  double of(CostClass which) const { return cycles[static_cast<std::size_t>(which)]; }
};

// The cost classes of an instruction, several where it takes several; none where it is free: it
// is part of another, or machines of the kind that has such costs do without it.
std::vector<CostClass> cost_classes(const isa::Instruction& instruction,
                                    isa::sketch::Operation operation);

struct CostedInstruction {
  const isa::Instruction* instruction = nullptr;
  isa::sketch::Operation operation = isa::sketch::Operation::itself;
  const InstructionCounts* counts = nullptr;
};

struct CostSum {
  std::uint64_t executed = 0;  // by warps
  double cycles = 0;
  double idle_cycles = 0;  // of these: the share of lanes that were not there, or off
};

// By class, as kCostClasses has them.
std::array<CostSum, kCostClasses.size()> cost_sums(const InstructionCosts& costs,
                                                   std::span<const CostedInstruction> code);

}  // namespace heddle::simulator
