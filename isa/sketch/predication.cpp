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

constexpr PredicationRule kRules[] = {
    {"off", "every branch stays one, as nvcc -G leaves them", never},
    {"4", "branches over at most 4 instructions become predicates", up_to_4},
    {"7", "branches over at most 7 instructions become predicates", up_to_7},
    {"2009",
     "as the CUDA C Programming Guide of 2009 says: 7 where warps are likely to diverge (the "
     "condition depends on the thread or on data), else 4",
     guide_of_2009},
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

void count(const std::vector<Line>& lines, unsigned& instructions, BranchShape& shape) {
  for (const Line& line : lines) {
    if (line.kind != Line::Kind::instruction) continue;
    ++instructions;
    switch (line.op) {
      case Op::LDG:
      case Op::LDS:
      case Op::LDL:
      case Op::LDC:
        ++shape.loads;
        break;
      case Op::STG:
      case Op::STS:
      case Op::STL:
      case Op::ATOMG:
      case Op::ATOMS:
        ++shape.stores;
        break;
      case Op::FADD:
      case Op::FMUL:
      case Op::FFMA:
      case Op::DADD:
      case Op::DMUL:
      case Op::DFMA:
        ++shape.floating;
        break;
      default:
        ++shape.integer;
    }
  }
}

}  // namespace

std::span<const PredicationRule> predication_rules() { return kRules; }

const PredicationRule* find_predication_rule(std::string_view name) {
  const auto* const found = std::ranges::find(kRules, name, &PredicationRule::name);
  return found == std::end(kRules) ? nullptr : found;
}

std::optional<BranchShape> shape_of(const std::vector<Line>& then,
                                    const std::vector<Line>& otherwise, Dependence condition) {
  if (!std::ranges::all_of(then, is_plain) || !std::ranges::all_of(otherwise, is_plain))
    return std::nullopt;
  BranchShape shape;
  shape.condition = condition;
  count(then, shape.then, shape);
  count(otherwise, shape.otherwise, shape);
  return shape;
}

}  // namespace heddle::isa::sketch
