// Convergence barriers in code that a profiler has patched to count its instructions: which groups
// become one there and which do not (docs/experiments/divergence-order.md, "Code that counts
// itself"). How a patch is made is not published; these rules give what is counted.
#pragma once

#include "simulator/warp/barriers.hpp"

namespace heddle::simulator {

class PatchedCode final : public Barriers {
 public:
  PatchedCode() { follows_accesses_ = true; }
  std::unique_ptr<Reconvergence> clone() const override;
  bool equals(const Reconvergence& other) const override;
  bool patches_show() const override { return show_; }
  Flow branch(const Branch& branch) override;

 private:
  friend bool operator==(const PatchedCode&, const PatchedCode&) = default;
  void begin() override;
  void follow_access() override;
  bool at_one_place(Mask one, Mask other) override;
  bool meets_at_bsync() const override { return false; }
  void passed_over() override { show_ = true; }
  bool searched_beside_block_barrier(const Group&) const override { return false; }
  void turn_started(Mask lanes) override { jumped_ &= ~lanes; }

  Mask jumped_;  // lanes that wait their turn where a jump led
  bool show_ = false;
};

}  // namespace heddle::simulator
