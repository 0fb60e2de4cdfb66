#include "isa/sketch/predication.hpp"

#include <algorithm>

namespace heddle::isa::sketch {
namespace {

bool never(const BranchShape&) { return false; }
bool up_to_4(const BranchShape& shape) { return shape.all() <= 4; }
bool up_to_7(const BranchShape& shape) { return shape.all() <= 7; }
bool guide_of_2009(const BranchShape& shape) {
  return shape.condition == Dependence::uniform ? up_to_4(shape) : up_to_7(shape);
}

// docs/experiments/predication.md: how it was found.
bool cuda_13(const BranchShape& shape) {
  if (shape.atomics) return false;
  const bool diverges = shape.condition != Dependence::uniform;
  const bool loads = shape.then_loads + shape.otherwise_loads != 0;
  if (loads && shape.in_barrier_loop) return false;
  const auto fits = [&](unsigned instructions, unsigned side_loads, unsigned jump) {
    constexpr unsigned kWithLoads = 20, kBesideLoads = 10, kDivergent = 8, kUniform = 6;
    if (side_loads != 0) return instructions <= kWithLoads;
    if (loads) return instructions + jump <= kBesideLoads;
    return instructions + jump <= (diverges ? kDivergent : kUniform);
  };
  return fits(shape.then, shape.then_loads, 0) &&
         (shape.otherwise == 0 || fits(shape.otherwise, shape.otherwise_loads, 1));
}

constexpr PredicationRule kRules[] = {
    {"off", "every branch stays one, as nvcc -G leaves them", never},
    {"4", "branches over at most 4 instructions become predicates", up_to_4},
    {"7", "branches over at most 7 instructions become predicates", up_to_7},
    {"2009",
     "as the CUDA C Programming Guide of 2009 says: 7 where warps are likely to diverge (the "
     "condition depends on the thread or on data), else 4",
     guide_of_2009},
    {"cuda13", "as nvcc 13.0 -O3 was measured to (docs/experiments/predication.md)", cuda_13, true},
};

// What can be put under a predicate.
bool is_plain(const Line& line) {
  if (line.kind == Line::Kind::label || line.guard.index != 0) return false;
  switch (line.op) {
    case Op::BRA:
    case Op::BSSY:
    case Op::BSYNC:
    case Op::BREAK:
    case Op::BAR:
    case Op::WARPSYNC:
    case Op::SHFL:
    case Op::VOTE:
      return false;
    default:
      return true;
  }
}

void count(const std::vector<Line>& lines, unsigned& instructions, unsigned& loads,
           BranchShape& shape) {
  for (const Line& line : lines) {
    if (line.kind != Line::Kind::instruction) continue;
    ++instructions;
    loads += line.op == Op::LDG ? 1 : 0;
    shape.atomics = shape.atomics || line.op == Op::ATOMG || line.op == Op::ATOMS;
  }
}

}  // namespace

std::span<const PredicationRule> predication_rules() { return kRules; }

const PredicationRule* find_predication_rule(std::string_view name) {
  const auto* const found = std::ranges::find(kRules, name, &PredicationRule::name);
  return found == std::end(kRules) ? nullptr : found;
}

std::optional<BranchShape> shape_of(const std::vector<Line>& then,
                                    const std::vector<Line>& otherwise, Dependence condition,
                                    bool in_barrier_loop) {
  if (!std::ranges::all_of(then, is_plain) || !std::ranges::all_of(otherwise, is_plain))
    return std::nullopt;
  BranchShape shape;
  shape.condition = condition;
  shape.in_barrier_loop = in_barrier_loop;
  count(then, shape.then, shape.then_loads, shape);
  count(otherwise, shape.otherwise, shape.otherwise_loads, shape);
  return shape;
}

}  // namespace heddle::isa::sketch
