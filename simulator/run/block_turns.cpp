#include "simulator/run/block_turns.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "simulator/execute/cluster.hpp"
#include "simulator/execute/spinning.hpp"
#include "simulator/execute/stall_report.hpp"
#include "simulator/lanes/float_environment.hpp"

namespace heddle::simulator {

NextBlock in_order(BlockRange& left) {
  return [&left]() -> std::optional<std::uint64_t> {
    if (left.first == left.end) return std::nullopt;
    return left.first++;
  };
}

void ResidentBlocks::start(const Core& core, std::uint64_t linear) {
  if (spare_.empty()) spare_.push_back(std::make_unique<Block>());
  core.start_block(*spare_.back(), linear);
  turns_.push_front(std::move(spare_.back()));
  spare_.pop_back();
}

void ResidentBlocks::start_cluster(const Core& core, const Dim3& shape, std::uint64_t cluster) {
  std::vector<Block*> blocks(shape.count());
  for (std::uint32_t rank = static_cast<std::uint32_t>(blocks.size()); rank-- > 0;) {
    start(core, block_in_cluster(core.launch.request->grid, shape, cluster, rank));
    blocks[rank] = turns_.front().get();
  }
  join_cluster(blocks);
}

void ResidentBlocks::rotate() {
  turns_.push_back(std::move(turns_.front()));
  turns_.pop_front();
}

void ResidentBlocks::bring_forward(std::size_t later) {
  std::rotate(turns_.begin(), turns_.begin() + static_cast<std::ptrdiff_t>(later),
              turns_.begin() + static_cast<std::ptrdiff_t>(later) + 1);
}

void ResidentBlocks::end_first() {
  leave_cluster(*turns_.front());
  spare_.push_back(std::move(turns_.front()));
  turns_.pop_front();
}

namespace {

// No block gets on: until memory changes that a warp reads. False: nobody will change it, and the
// launch stops.
bool wait_for_others(Core& core, const Block& block, const BlockCounts& blocks) {
  if (core.log != nullptr) {
    core.stop_for_conflict();  // one thread alone knows what all blocks wait for
    return false;
  }
  const auto& wait = core.launch.options->wait;
  Standstill standstill{core.launch.request->kernel->name, {}, describe_standstill(core, blocks)};
  for (const AwaitedPlace& place : core.awaited) standstill.addresses.push_back(place.address);
  std::ranges::sort(standstill.addresses);
  auto& addresses = standstill.addresses;
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  // Where they are too many to know all, those that wait look themselves.
  const bool all_known = core.awaited.size() < kMostAwaited;
  const auto changed = [&] {
    core.launch.memory->forget_rights();
    core.forget_allocations();
    return std::ranges::any_of(core.awaited,
                               [&](const AwaitedPlace& each) { return has_changed(core, each); });
  };
  for (bool waited = false; !changed() && (all_known || !waited); waited = true) {
    if (!core.awaited.empty() && wait && wait(standstill)) continue;
    if (changed()) break;  // by the last one that could, before it began to wait for us
    report_deadlock(core, block, standstill.description);
    return false;
  }
  core.seen.waited_for_others = true;
  return true;
}

}  // namespace

BlockTurns::BlockTurns(Core& core, std::uint64_t resident, Watch& watch)
    : core_(core), resident_limit_(resident), watch_(watch) {
  if (const auto seed = core.launch.options->settings.random_schedule)
    shuffled_.emplace(whole_grid(core.launch).end, *seed);
}

std::optional<std::uint64_t> BlockTurns::number_of_next() {
  const std::optional<std::uint64_t> index = (*next_)();
  return index && shuffled_ ? shuffled_->at(*index) : index;
}

bool BlockTurns::start_next() {
  const std::optional<std::uint64_t> number = number_of_next();
  if (!number) return false;
  const Dim3 cluster = cluster_shape(*core_.launch.request);
  if (cluster.count() == 1)
    resident_.start(core_, *number);
  else
    resident_.start_cluster(core_, cluster, *number);
  if (Observer* const observer = core_.launch.options->observer)
    resident_.for_each_of_first(cluster.count(),
                                [&](const Block& block) { observer->block_started(core_, block); });
  return true;
}

// A GPU begins all blocks that it has room for. Here they begin when they get a turn, but where
// blocks ask for those that have not begun.
void BlockTurns::start_as_many_as_fit() {
  const std::uint64_t blocks = cluster_shape(*core_.launch.request).count();
  while (resident_.size() + blocks <= resident_limit_ && start_next())
    for (std::uint64_t i = 0; i < blocks; ++i) resident_.rotate();
}

std::optional<std::uint64_t> BlockTurns::cancel_next() {
  const std::optional<std::uint64_t> number = number_of_next();
  if (!number) return std::nullopt;
  const std::uint64_t blocks = cluster_shape(*core_.launch.request).count();
  core_.seen.cancelled += blocks;
  untold_ended_ += blocks;
  return number;
}

// Whether the launch stands where its blocks in their order would have brought it, with at most one
// of them begun: one that can be copied (simulator/execute/saved_block.hpp).
bool BlockTurns::can_share() const {
  if (resident_.empty()) return true;
  const LaunchContext& launch = core_.launch;
  return resident_.size() == 1 && starts_another_ && !launch.options->settings.timing &&
         resident_.first().cluster == nullptr &&
         std::ranges::none_of(resident_.first().warps,
                              [](const Warp& warp) { return warp.held_since.has_value(); });
}

bool BlockTurns::run(const NextBlock& next, std::uint64_t pause_at) {
  const lanes::FloatEnvironment environment;  // whatever the program around us has set
  next_ = &next;
  core_.waiting = this;
  const bool paused = take_turns(pause_at);
  core_.waiting = nullptr;
  tell();
  return paused;
}

bool BlockTurns::take_turns(std::uint64_t pause_at) {
  for (;;) {
    if (core_.launch.kernel->cancels_blocks) start_as_many_as_fit();
    if (core_.issued >= pause_at && can_share()) return true;
    if (watch_.stopped()) return false;
    if (resident_.empty() || starts_another_) {
      if (start_next()) {
        waiting_ = spinning_ = 0;
        standing_ = Standing::no;
        core_.ends_waits = false;
      } else if (resident_.empty()) {
        return false;
      }
    }
    if (take_turn() == After::launch_stops) return false;
  }
}

// A launch that has waited for others may do so again soon: it is looked at when each block has had
// a turn since, then after two turns, four and so on, for four turns. Without that it would be
// looked at ever more seldom (core.cpp), and each time cost as much as all before.
bool BlockTurns::may_stand_still_again() const {
  if (!stood_still_at_) return false;
  const std::uint64_t turn_of_all = resident_.size() * block_quantum(*core_.launch.request);
  const std::uint64_t turns =
      (core_.issued - *stood_still_at_) / std::max<std::uint64_t>(1, turn_of_all);
  return turns != 0 && turns - std::bit_floor(turns) < 4;
}

void BlockTurns::note(Core::Turn turn, bool executed) {
  const bool held_up = turn == Core::Turn::stuck && !executed;
  const bool spins = turn == Core::Turn::spinning || held_up;
  spinning_ = spins ? spinning_ + 1 : 0;
  waiting_ = spins || turn == Core::Turn::waiting ? waiting_ + 1 : 0;
  core_.look_closely = waiting_ > resident_.size() || may_stand_still_again();
  if (spinning_ == 0) core_.awaited.clear();
}

void BlockTurns::tell() {
  watch_.add(std::exchange(untold_ended_, 0), std::exchange(untold_issued_, 0));
}

// Whether the launch ends here; why, is told.
bool BlockTurns::stopped_by(Core::Turn turn, std::uint64_t issued) {
  if (turn == Core::Turn::stopped) return true;
  if (turn == Core::Turn::stuck && whole_cluster_stuck(resident_.first())) {
    if (Observer* const observer = core_.launch.options->observer)
      observer->stuck(core_, resident_.first());
    report_deadlock(core_, resident_.first());
    return true;
  }
  if (turn == Core::Turn::out_of_time && core_.issued >= core_.instruction_limit) {
    report_instruction_limit(core_, resident_.first());
    return true;
  }
  // Not after each short block: threads would wait for one another at the sums.
  constexpr std::uint64_t kSeldom = 1 << 12;
  untold_issued_ += issued;
  if (untold_issued_ < kSeldom) return false;
  tell();
  if (!watch_.go_on()) {
    report_interrupt(core_, resident_.first());
    return true;
  }
  return false;
}

// No block gets on. False: nor does any when waits end that a GPU gives up.
bool BlockTurns::ends_waits() {
  if (standing_ == Standing::for_good) {
    standing_ = Standing::no;
    return false;
  }
  standing_ = standing_ == Standing::no ? Standing::waits_end : Standing::for_good;
  core_.ends_waits = standing_ == Standing::waits_end;
  ended_waits_at_ = core_.issued;
  core_.look_closely = true;
  spinning_ = 0;
  core_.awaited.clear();
  return true;
}

// Few blocks at a time, as turns are short; more where those that have begun may wait for others.
// Blocks that wait have their turns one after the other: so it is seen whether all of them do.
void BlockTurns::choose_at_random(Core::Turn turn) {
  constexpr std::size_t kFew = 8, kSeldom = 16;
  if (turn != Core::Turn::out_of_time) return;
  resident_.bring_forward(core_.random->below(resident_.size()));
  starts_another_ &= core_.random->below(resident_.size() < kFew ? 2 : kSeldom) == 0;
}

BlockTurns::After BlockTurns::take_turn() {
  starts_another_ = false;
  const std::uint64_t quantum = block_quantum(*core_.launch.request);
  const std::uint64_t before = core_.issued;
  const Core::Turn turn = core_.run_block(
      resident_.first(), core_.draws_turns() ? core_.random->length(quantum) : quantum,
      warp_turn(quantum));
  note(turn, core_.issued != before);
  // Loops that poll and end are over by then.
  constexpr std::uint64_t kPolls = 1 << 16;
  if (standing_ == Standing::waits_end && core_.issued - ended_waits_at_ > kPolls) {
    standing_ = Standing::for_good;
    core_.ends_waits = false;
  }
  if (spinning_ > resident_.size() && !ends_waits()) {
    if (!wait_for_others(core_, resident_.first(),
                         {resident_.size(), watch_.not_ended() - untold_ended_ - resident_.size()}))
      return After::launch_stops;
    waiting_ = spinning_ = 0;
    core_.awaited.clear();
    stood_still_at_ = core_.issued;
  }
  if (stopped_by(turn, core_.issued - before)) return After::launch_stops;
  if (turn == Core::Turn::finished) {
    if (Observer* const observer = core_.launch.options->observer)
      observer->block_ended(core_, resident_.first());
    ++untold_ended_;
    resident_.end_first();
    return After::goes_on;
  }
  resident_.rotate();
  starts_another_ = turn != Core::Turn::stuck && resident_.size() < resident_limit_;
  if (core_.draws_turns()) choose_at_random(turn);
  return After::goes_on;
}

}  // namespace heddle::simulator
