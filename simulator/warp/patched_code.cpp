#include "simulator/warp/patched_code.hpp"

namespace heddle::simulator {

std::unique_ptr<Reconvergence> PatchedCode::clone() const {
  return std::make_unique<PatchedCode>(*this);
}

bool PatchedCode::equals(const Reconvergence& other) const {
  return *this == static_cast<const PatchedCode&>(other);
}

void PatchedCode::begin() {
  Barriers::begin();
  jumped_ = Mask();
  show_ = false;
}

Flow PatchedCode::branch(const Branch& branch) {
  const Flow flow = Barriers::branch(branch);
  if (branch.parts.size() == 2 && !branch.indirect && branch.parts[1].pc != branch.at + 1)
    jumped_ |= branch.parts[1].lanes;
  return flow;
}

// 1. The patch of an access to memory makes the group that is next in turn join the rest, as a
// branch that diverges would.
void PatchedCode::follow_access() { show_ |= displace_front(); }

// 2. Lanes that fall through to an instruction wait behind the patch of the one before, those that
// jump there at the instruction's own. For the same reason a group that is chosen at a BSYNC takes
// nobody along who waits there.
bool PatchedCode::at_one_place(Mask one, Mask other) {
  if (((jumped_ & one).any()) == ((jumped_ & other).any())) return true;
  show_ = true;
  return false;
}

}  // namespace heddle::simulator
