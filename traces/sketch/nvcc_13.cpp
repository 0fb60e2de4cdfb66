// What nvcc 13.0 makes of a branch. validation/predication/README.md says how each number was
// found.
#include <optional>

#include "traces/sketch/predication.hpp"

namespace heddle::isa::sketch {
namespace {

// NVVM, before ptxas sees a branch.
constexpr unsigned kSelected = 4;  // operations done for nothing at most
bool nvvm_selects(const BranchShape& shape) {
  if (!shape.then.cheap || (shape.otherwise.instructions != 0 && !shape.otherwise.cheap))
    return false;
  if (shape.alike && shape.diverges()) return true;
  return *shape.then.cheap + shape.otherwise.cheap.value_or(0) <= kSelected;
}

// ptxas: the most instructions of a side, the jump at the end of one of two sides among them.
constexpr unsigned kDivergent = 8, kUniform = 6, kWithLoads = 20;
// Beside a side that loads, a side that does not and has the jump; and where the other is short.
constexpr unsigned kBesideLoads = 9, kBesideShort = 17, kShort = 4;
constexpr unsigned kRoom = 3;

bool has_room(const BranchShape& shape, Front front) {
  unsigned room = shape.room;
  // The other side's instructions pass the time of this one's loads.
  if (shape.then.loads == 0) room += shape.then.instructions;
  if (shape.otherwise.loads == 0) room += shape.otherwise.instructions;
  if (front == Front::cuda && shape.otherwise.instructions != 0 && shape.otherwise.loads == 0)
    ++room;
  return room >= kRoom;
}

bool fits(const Side& side, bool jumps, const BranchShape& shape) {
  if (side.instructions == 0) return true;
  const unsigned jump = jumps ? 1 : 0;
  if (shape.loads() == 0)
    return side.instructions + jump <= (shape.diverges() ? kDivergent : kUniform);
  if (side.loads != 0 || !jumps) return side.instructions + jump <= kWithLoads;
  const unsigned other = shape.all() - side.instructions;
  return side.instructions <= (other <= kShort ? kBesideShort : kBesideLoads);
}

}  // namespace

BranchOutcome nvcc_13(const BranchShape& shape, Front front) {
  if (shape.ends_kernel) return BranchOutcome::predicate;
  if (front == Front::cuda && !shape.stays && nvvm_selects(shape)) return BranchOutcome::select;
  if (shape.stays) return BranchOutcome::branch;
  if (shape.loads() != 0 && !has_room(shape, front)) return BranchOutcome::branch;
  // NVVM puts the second side first in its PTX, whose jump then leads past the other.
  const bool two_sides = shape.otherwise.instructions != 0;
  return fits(shape.then, two_sides && front == Front::ptx, shape) &&
                 fits(shape.otherwise, two_sides && front == Front::cuda, shape)
             ? BranchOutcome::predicate
             : BranchOutcome::branch;
}

}  // namespace heddle::isa::sketch
