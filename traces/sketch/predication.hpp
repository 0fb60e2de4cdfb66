// If-conversion: whether a branch over a few instructions becomes instructions under a predicate.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "traces/sketch/code.hpp"
#include "traces/sketch/value.hpp"

namespace heddle::isa::sketch {

// One side of a branch.
struct Side {
  unsigned instructions = 0;
  unsigned loads = 0;  // of those, from global memory
  // As a compiler's middle end counts them (a multiply-add is two), where all of them are
  // arithmetic that may as well be done for nothing; else nothing.
  std::optional<unsigned> cheap;
};

// What a rule may look at: the two sides of a branch, and where it stands.
struct BranchShape {
  Side then, otherwise;  // otherwise.instructions is 0: no else
  bool stays = false;  // a side holds what no compiler predicates: atomics, calls, branches, loops
  bool alike = false;  // both sides do the same operations, on other operands
  bool ends_kernel = false;  // nothing follows, and there is no else
  Dependence condition = Dependence::uniform;
  // Instructions before and behind it that neither side needs or is needed by: what a load's
  // latency can pass with.
  unsigned room = 0;

  unsigned all() const { return then.instructions + otherwise.instructions; }
  unsigned loads() const { return then.loads + otherwise.loads; }
  bool diverges() const { return condition != Dependence::uniform; }
};

// What becomes of a branch: it stays; its instructions get a predicate (or, at the kernel's end,
// the rest is left by an EXIT with one); both sides are computed and a select chooses.
enum class BranchOutcome : std::uint8_t { branch, predicate, select };
// What is compiled: CUDA C, where NVVM may choose before ptxas sees a branch, or PTX, where ptxas
// is alone.
enum class Front : std::uint8_t { cuda, ptx };

// nvcc 13.0 with optimisation, as measured for sm_75 and sm_90: validation/predication/README.md.
BranchOutcome nvcc_13(const BranchShape& shape, Front front);

struct PredicationRule {
  std::string_view name;
  std::string_view meaning;  // one line, with its source
  bool (*predicates)(const BranchShape&) = nullptr;
  bool exits = false;  // an `if` that ends the kernel becomes an EXIT under a predicate
};

std::span<const PredicationRule> predication_rules();
const PredicationRule* find_predication_rule(std::string_view name);

// The sides' part of a shape. Nothing where a side holds what cannot be put under a predicate:
// branches, barriers, exchanges between threads, instructions that have a predicate already.
std::optional<BranchShape> shape_of(const std::vector<Line>& then,
                                    const std::vector<Line>& otherwise);

}  // namespace heddle::isa::sketch
