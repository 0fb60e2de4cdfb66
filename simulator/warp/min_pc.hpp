// Minimum PC: of a warp's groups the one with the lowest program counter runs, and groups that come
// to one instruction go on as one (Collange, Stack-less SIMT Reconvergence at Low Cost, 2011). As
// compilers put the code behind a branch below its arms, who is behind catches up.
//
// A called function lies anywhere, so a group that is in more calls goes first, whatever its
// program counter; groups meet at the same depth alone. (Collange compares stack pointers; the
// depth of calls is counted here, as not every function moves the stack's.)
#pragma once

#include <array>

#include "simulator/warp/reconvergence.hpp"

namespace heddle::simulator {

class MinPc final : public Reconvergence {
 public:
  std::unique_ptr<Reconvergence> clone() const override;
  bool equals(const Reconvergence& other) const override;

  Flow branch(const Branch& branch) override;
  Warpsynced warpsync(const Warpsync& sync) override;
  Flow end_collective() override;
  Released exit(Mask lanes) override;
  void wait_at_block_barrier(unsigned number) override;
  void release_block_barrier(unsigned number) override;
  void settle() override;

 private:
  friend bool operator==(const MinPc&, const MinPc&) = default;
  // In a collective: a group that goes on elsewhere behind it.
  struct Collected {
    Group group;
    std::uint16_t depth = 0;
    friend bool operator==(const Collected&, const Collected&) = default;
  };
  void begin() override;
  void set_depth(Mask lanes, std::uint16_t depth);
  std::uint16_t depth_of(const Group& group) const;
  bool runs_before(const Group& one, const Group& other) const;
  bool meet(const Group& one, const Group& other) const;
  void merge();
  Mask waiting_with(Mask named) const;
  void release_met();
  void run_body(Group& last, Mask together);
  void begin_body(Mask named);

  std::array<std::uint16_t, kWarpSize> depth_{};  // calls that each lane is in
  std::vector<Collected> collected_;
};

}  // namespace heddle::simulator
