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

// A sketch is CUDA C. Where nvcc computes both sides and selects, a predicate does as well: no
// branch is left.
bool cuda_13(const BranchShape& shape) {
  return nvcc_13(shape, Front::cuda) != BranchOutcome::branch;
}

constexpr PredicationRule kRules[] = {
    {"off", "every branch stays one, as nvcc -G leaves them", never},
    {"4", "branches over at most 4 instructions become predicates", up_to_4},
    {"7", "branches over at most 7 instructions become predicates", up_to_7},
    {"2009",
     "as the CUDA C Programming Guide of 2009 says: 7 where warps are likely to diverge (the "
     "condition depends on the thread or on data), else 4",
     guide_of_2009},
    {"cuda13", "as nvcc 13.0 -O3 was measured to (validation/predication/README.md)", cuda_13,
     true},
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

// In operations of a compiler's middle end, where it is arithmetic that cannot fail.
std::optional<unsigned> cheap_operations(Op op) {
  switch (op) {
    case Op::MOV:
      return 0;
    case Op::FFMA:
    case Op::DFMA:
    case Op::IMAD:
      return 2;
    case Op::FADD:
    case Op::FMUL:
    case Op::DADD:
    case Op::DMUL:
    case Op::IADD3:
    case Op::LOP3:
    case Op::SHF:
    case Op::SEL:
      return 1;
    default:
      return std::nullopt;
  }
}

Side side_of(const std::vector<Line>& lines, bool& stays) {
  Side side{.instructions = 0, .loads = 0, .cheap = 0u};
  for (const Line& line : lines) {
    if (line.kind != Line::Kind::instruction) continue;
    ++side.instructions;
    side.loads += line.op == Op::LDG ? 1 : 0;
    stays = stays || line.op == Op::ATOMG || line.op == Op::ATOMS;
    const std::optional<unsigned> cheap = cheap_operations(line.op);
    if (side.cheap && cheap)
      *side.cheap += *cheap;
    else
      side.cheap.reset();
  }
  return side;
}

}  // namespace

std::span<const PredicationRule> predication_rules() { return kRules; }

const PredicationRule* find_predication_rule(std::string_view name) {
  const auto* const found = std::ranges::find(kRules, name, &PredicationRule::name);
  return found == std::end(kRules) ? nullptr : found;
}

std::optional<BranchShape> shape_of(const std::vector<Line>& then,
                                    const std::vector<Line>& otherwise) {
  if (!std::ranges::all_of(then, is_plain) || !std::ranges::all_of(otherwise, is_plain))
    return std::nullopt;
  BranchShape shape;
  shape.then = side_of(then, shape.stays);
  shape.otherwise = side_of(otherwise, shape.stays);
  shape.alike = !then.empty() && std::ranges::equal(then, otherwise, {}, &Line::op, &Line::op);
  return shape;
}

}  // namespace heddle::isa::sketch
