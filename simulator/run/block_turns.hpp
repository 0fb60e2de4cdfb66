// The blocks of one core that have started and not ended: they take turns.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "simulator/execute/machine.hpp"
#include "simulator/execute/random_order.hpp"
#include "simulator/run/run_blocks.hpp"

namespace heddle::simulator {

// Blocks in the order of their turns; storage is used again.
class ResidentBlocks {
 public:
  void start(const Core& core, std::uint64_t linear);
  // The blocks of one cluster.
  void start_cluster(const Core& core, const Dim3& shape, std::uint64_t cluster);
  void add(std::unique_ptr<Block> block) { turns_.push_front(std::move(block)); }
  // Calls f(block) for the `count` blocks whose turns come next.
  template <typename F>
  void for_each_of_first(std::uint64_t count, F&& f) const {
    for (std::uint64_t i = 0; i < count; ++i) f(*turns_[i]);
  }
  bool empty() const { return turns_.empty(); }
  std::size_t size() const { return turns_.size(); }
  Block& first() { return *turns_.front(); }
  const Block& first() const { return *turns_.front(); }
  void rotate();
  // The one that would have its turn `later` turns from now has it next.
  void bring_forward(std::size_t later);
  void end_first();

 private:
  std::deque<std::unique_ptr<Block>> turns_;
  std::vector<std::unique_ptr<Block>> spare_;
};

// The number of a block, or of a cluster, that is to start; nothing: there is none left.
using NextBlock = std::function<std::optional<std::uint64_t>()>;
// The first of those that are left, which it then no longer is.
NextBlock in_order(BlockRange& left);

class BlockTurns : private WaitingBlocks {
 public:
  static constexpr std::uint64_t kNeverPause = ~std::uint64_t{0};

  // `resident`: how many blocks the GPU holds at once. All that is given must outlive it.
  BlockTurns(Core& core, std::uint64_t resident, Watch& watch);
  BlockTurns(const BlockTurns&) = delete;
  BlockTurns& operator=(const BlockTurns&) = delete;

  // Runs blocks, or clusters of them, until `next` has none left or the launch stops. A block that
  // cannot go on alone gives way to another one, as far as the GPU could hold them at once. True:
  // the core has issued `pause_at` instructions and can_share(), so that others could help; called
  // again, it goes on as if it had not paused.
  bool run(const NextBlock& next, std::uint64_t pause_at = kNeverPause);

  // The block that has begun, when run has paused; null: none.
  const Block* begun() const { return resident_.empty() ? nullptr : &resident_.first(); }
  void forget_begun() {
    resident_ = {};
    starts_another_ = false;
  }
  // Goes on with a block that another core began, as that one would: the next block begins first.
  void take_over(std::unique_ptr<Block> block) {
    resident_.add(std::move(block));
    starts_another_ = true;
  }

 private:
  enum class After : std::uint8_t { goes_on, launch_stops };

  bool start_next();
  std::optional<std::uint64_t> number_of_next();
  void choose_at_random(Core::Turn turn);
  bool take_turns(std::uint64_t pause_at);
  void start_as_many_as_fit();
  std::optional<std::uint64_t> cancel_next() override;
  bool can_share() const;
  After take_turn();
  void note(Core::Turn turn, bool executed);
  bool may_stand_still_again() const;
  bool stopped_by(Core::Turn turn, std::uint64_t issued);
  bool ends_waits();
  void tell();

  Core& core_;
  std::uint64_t resident_limit_;
  Watch& watch_;
  std::uint64_t untold_ended_ = 0, untold_issued_ = 0;  // what the watch does not know yet
  const NextBlock* next_ = nullptr;                     // while it runs
  std::optional<ShuffledNumbers> shuffled_;             // where the order of blocks is random
  ResidentBlocks resident_;
  bool starts_another_ = false;
  // Turns in a row in which every warp of the block only waited, or went round in a loop that
  // changes nothing.
  std::size_t waiting_ = 0, spinning_ = 0;
  // Where no block gets on. A wait that a GPU gives up may stand in a loop that ends: then all get
  // on once such waits have ended. Else they wait again, to be seen where they do.
  enum class Standing : std::uint8_t { no, waits_end, for_good } standing_ = Standing::no;
  std::uint64_t ended_waits_at_ = 0;             // warp instructions of the core
  std::optional<std::uint64_t> stood_still_at_;  // how many instructions had been issued
};

}  // namespace heddle::simulator
