// What each warp of a launch knows to have happened in the others: vector clocks.
//
// A warp's clock goes on whenever it tells others how far it is: at a block barrier, a cluster's
// barrier, or a fence that an atomic operation or a strong store then makes known. Within a block a
// matrix says up to which clock each warp knows each other; of other blocks a warp holds rows, as
// they were told, which are shared and never change.
//
// What copies without a thread (bulk copies that an mbarrier counts) is an agent: it has a clock
// like a warp's and a number behind the warps of a block, and knows nothing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace heddle::simulator::checks {

// A warp, by its block's number in the order of their starts.
struct WarpId {
  std::uint32_t block = 0, warp = 0;
  friend bool operator==(const WarpId&, const WarpId&) = default;
};

// To whom a fence makes known what is before it: its block, or every thread.
enum class Scope : std::uint8_t { block, all };

class Knowledge {
 public:
  // What is told: of each block, up to which clock each of its warps is known.
  using Row = std::vector<std::uint32_t>;
  using Told = std::map<std::uint32_t, std::shared_ptr<const Row>>;

  void clear() { parts_.clear(); }
  void start_block(std::uint32_t block, std::uint32_t warps);
  void end_block(std::uint32_t block);
  WarpId add_agent(std::uint32_t block);
  // What tells that all is known which the agent did so far.
  Told told_by_agent(WarpId agent);

  std::uint32_t clock(WarpId warp) const;
  // Whether `now` knows what `then` did while its clock was `clock`.
  bool knows(WarpId now, WarpId then, std::uint32_t clock) const;

  // Warps meet: those in `waiting` (bits) know afterwards what they and those in `arriving` did.
  // What one of them has fenced all of them tell.
  void meet(std::uint32_t block, std::uint32_t waiting, std::uint32_t arriving);

  // A fence: what the warp tells from now on is what it knows now.
  void fence(WarpId warp, Scope scope = Scope::all);
  // What it tells to its block, or to all; null before its first such fence.
  const std::shared_ptr<const Told>& told_by(WarpId warp, Scope to = Scope::all) const;
  void learn(WarpId warp, const std::shared_ptr<const Told>& told);
  static void join(Told& into, const Told& more);

 private:
  struct Warp {
    std::uint32_t clock = 1;
    Row known;       // clocks of the block's warps and agents
    Told elsewhere;  // of other blocks
    // By the last fence: for all, and for its block, which is told no less.
    std::shared_ptr<const Told> fenced, fenced_for_block;
    std::shared_ptr<const Told> learned;  // last
  };
  static void join(Row& into, const Row& more);
  // What those of `warps` have fenced whose bit is set.
  static std::shared_ptr<const Told> joined(const std::vector<Warp>& warps, std::uint32_t which,
                                            std::shared_ptr<const Told> Warp::*fenced);
  static std::uint32_t at(const Row& row, std::uint32_t warp) {
    return warp < row.size() ? row[warp] : 0;
  }

  // A grid may have billions of blocks: of parts that have ended as a whole nothing is kept but
  // their place.
  static constexpr std::uint32_t kPart = 1024;
  struct Part {
    std::array<std::vector<Warp>, kPart> blocks;
    std::uint32_t ended = 0;
  };
  std::vector<Warp>& warps_of(std::uint32_t block) {
    return parts_[block / kPart]->blocks[block % kPart];
  }
  const Warp& warp_at(WarpId warp) const {
    return parts_[warp.block / kPart]->blocks[warp.block % kPart][warp.warp];
  }

  std::vector<std::unique_ptr<Part>> parts_;  // by number; null: ended
};

}  // namespace heddle::simulator::checks
