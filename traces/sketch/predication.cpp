#include "traces/sketch/predication.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "isa/attributes.hpp"

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
  const Facts& what = facts(line.op);
  return what.work != Work::exchange &&
         (what.effect == Effect::none || what.effect == Effect::exit);
}

bool is_register(const Operand& operand) {
  return operand.kind == Source::Kind::reg && operand.reg != 0;
}

// In operations of a compiler's middle end, where it is arithmetic that cannot fail.
std::optional<unsigned> cheap_operations(const Line& line) {
  switch (facts(line.op).work) {
    case Work::move:
      if (line.op != Op::MOV) return std::nullopt;  // of another register file
      return 0;
    case Work::multiply_add:
      return is_register(line.c) ? 2 : 1;
    case Work::add:
    case Work::multiply:
    case Work::logic:
    case Work::shift:
    case Work::select:
      return 1;
    default:
      return std::nullopt;
  }
}

bool loads_global(Op op) {
  const MemoryAccess access = facts(op).memory;
  return access.kind == MemoryAccess::Kind::load && access.space == Space::global;
}

// Counts what a compiler would leave of the sketch compiler's instructions: this one copies into
// variables, adds behind a product, and computes an address as often as it is written.
class Counter {
 public:
  bool counts(const Line& line) {
    if (line.op == Op::MOV && is_register(line.b)) return false;
    if (line.op == Op::IMAD_WIDE) return is_new_address(line);
    if (line.op == Op::IMAD || line.op == Op::FMUL || line.op == Op::DMUL) product_ = line.d;
    if (line.op != Op::IADD3 && line.op != Op::FADD && line.op != Op::DADD) return true;
    const bool joins = product_ != 0 && (is(line.a, product_) || is(line.b, product_));
    if (joins) product_ = 0;
    return !joins;
  }

 private:
  static bool is(const Operand& operand, Register reg) {
    return is_register(operand) && operand.reg == reg;
  }
  bool is_new_address(const Line& line) {
    return addresses_.insert({line.a.reg, line.b.value, line.c.reg}).second;
  }

  Register product_ = 0;  // the last one, not yet added to
  std::set<std::array<std::uint32_t, 3>> addresses_;
};

Side side_of(const std::vector<Line>& lines, bool& stays) {
  Side side{.instructions = 0, .loads = 0, .cheap = 0u};
  Counter counter;
  for (const Line& line : lines) {
    if (line.kind != Line::Kind::instruction) continue;
    side.instructions += counter.counts(line) ? 1 : 0;
    side.loads += loads_global(line.op) ? 1 : 0;
    stays = stays || facts(line.op).memory.kind == MemoryAccess::Kind::atomic;
    const std::optional<unsigned> cheap = cheap_operations(line);
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
