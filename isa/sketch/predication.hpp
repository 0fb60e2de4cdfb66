// If-conversion: whether a branch over a few instructions becomes instructions under a predicate.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "isa/sketch/code.hpp"
#include "isa/sketch/value.hpp"

namespace heddle::isa::sketch {

// What a rule may look at: the two sides of a branch, as instructions.
struct BranchShape {
  unsigned then = 0, otherwise = 0;              // instructions on each side
  unsigned then_loads = 0, otherwise_loads = 0;  // of those, loads from global memory
  bool atomics = false;
  Dependence condition = Dependence::uniform;
  bool in_barrier_loop = false;  // in a loop in which the block comes together

  unsigned all() const { return then + otherwise; }
};

struct PredicationRule {
  std::string_view name;
  std::string_view meaning;  // one line, with its source
  bool (*predicates)(const BranchShape&) = nullptr;
  bool exits = false;  // an `if` that ends the kernel becomes an EXIT under a predicate
};

std::span<const PredicationRule> predication_rules();
const PredicationRule* find_predication_rule(std::string_view name);

// Nothing where a side holds what cannot be put under a predicate: branches, barriers, exchanges
// between threads, instructions that have a predicate already.
std::optional<BranchShape> shape_of(const std::vector<Line>& then,
                                    const std::vector<Line>& otherwise, Dependence condition,
                                    bool in_barrier_loop);

}  // namespace heddle::isa::sketch
