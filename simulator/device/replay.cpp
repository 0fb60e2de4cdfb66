#include "simulator/device/replay.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <utility>

#include "simulator/execute/saved_block.hpp"
#include "simulator/execute/stall_report.hpp"
#include "simulator/lanes/float_environment.hpp"
#include "simulator/memory/memory_journal.hpp"
#include "simulator/run/prepared_launch.hpp"
#include "simulator/run/run_blocks.hpp"

namespace heddle::simulator {
namespace {

std::uint64_t bytes_of(const MemoryJournal::Pieces& pieces) {
  return pieces.capacity() * sizeof(MemoryJournal::Piece);
}

LaunchOptions launch_options(const ReplayOptions& replay) {
  LaunchOptions options;
  options.settings = replay.settings;
  options.settings.timing.reset();
  return options;
}

// Finds the last instruction that matches.
class Finder : public Observer {
 public:
  Finder(Observer& look, const std::function<bool()>& wanted) : look_(look), wanted_(wanted) {}
  void issuing(const CoreView& core, const WarpView& warp, const Issue& next) override {
    look_.issuing(core, warp, next);
  }
  void issued(const CoreView& core, const WarpView& warp, const Issue& issue) override {
    look_.issued(core, warp, issue);
    if (wanted_()) found = core.issued() - 1;
  }
  std::optional<std::uint64_t> found;

 private:
  Observer& look_;
  const std::function<bool()>& wanted_;
};

class Hash {
 public:
  void add(std::uint64_t word) { state_ = std::rotl((state_ ^ word) * 0x9e37'79b9'7f4a'7c15u, 29); }
  void add(std::span<const std::byte> bytes) {
    add(bytes.size());
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) add_word(bytes, 8);
    if (!bytes.empty()) add_word(bytes, bytes.size());
  }
  std::uint64_t value() const { return state_ ^ state_ >> 32; }

 private:
  void add_word(std::span<const std::byte> bytes, std::size_t count) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), count);
    add(word);
  }
  std::uint64_t state_ = 0;
};

void add_block(Hash& hash, const Core& core, const Block& block) {
  hash.add(block.linear);
  for (const Warp& warp : block.warps) {
    const auto rows = [&](std::size_t first, std::size_t count) {
      hash.add(std::as_bytes(std::span(warp.rows + first * kWarpSize, count * kWarpSize)));
    };
    rows(0, std::min<std::size_t>(core.launch.kernel->registers + 1, kDiscardRow));
    rows(kUniformRow, isa::kUniformRegisters);
    rows(kReturnRow, 2);
    for (unsigned i = 0; i < kDiscardedPredicate; ++i) hash.add(warp.predicates[i].bits());
    for (unsigned i = 0; i < kConvergenceBarriers; ++i)
      hash.add(warp.convergence->barrier(i).bits());
    for (const Group& group : warp.convergence->groups()) {
      hash.add(std::uint64_t{group.lanes.bits()} << 32 | group.pc);
      hash.add(std::uint64_t{group.partners.bits()} << 32 | static_cast<unsigned>(group.wait) << 8 |
               group.index);
    }
  }
  hash.add(block.shared);
  hash.add(block.local.bytes());
  for (const BlockBarrier& barrier : block.barriers) {
    hash.add(std::uint64_t{barrier.arrived_only} << 32 | barrier.expected);
    hash.add(std::uint64_t{barrier.threads} << 32 | barrier.holding);
  }
  for (const Block::BarrierResult& result : block.results)
    hash.add(std::uint64_t{result.word} << 1 | (result.holds ? 1 : 0));
}

}  // namespace

class Replay::State {
 public:
  State(Device& device, const LaunchRequest& request, ReplayOptions options);

  std::uint64_t step() const { return core_.issued; }
  const Warp* next() const { return next_; }
  const std::optional<Fault>& fault() const { return core_.fault; }
  const Core& core() const { return core_; }
  std::optional<BlockView> block(std::uint64_t linear) const;
  std::vector<BlockView> blocks() const;
  bool forward(Observer* observer);
  void go_to(std::uint64_t step, Observer* observer = nullptr);
  bool back_to(Observer& look, const std::function<bool()>& wanted,
               const std::function<bool()>& go_on);
  std::uint64_t digest() const;
  std::uint64_t kept_bytes() const;
  std::uint64_t interval() const { return interval_; }

 private:
  // Where the order of execution is.
  struct Place {
    std::uint64_t next_block = 0;
    std::uint64_t block_end = 0, warp_end = 0;  // of their turns, in instructions issued
    std::size_t warp = 0;                       // whose turn it is, in the first block
    bool in_turn = false;                       // the warp has begun its turn
    bool progress = false;                      // a warp of the block has executed in this round
    bool all_wait = true;  // those that have only wait (simulator/execute/polling.hpp)
  };
  struct Resident {
    Block block;
    std::shared_ptr<const SavedBlock> saved;  // null: it has executed since
  };
  struct Kept {
    std::uint64_t step = 0;
    std::uint64_t instruction_limit = 0;
    Place place;
    Polling polling;
    GivingWay giving_way;
    std::vector<std::shared_ptr<const SavedBlock>> blocks;  // in the order of their turns
    MemoryJournal::Pieces written;  // until the next kept state; of the last one: in the journal
  };

  // Where the launch is stopped.
  std::uint64_t last_step() const { return deadlock_at_.value_or(core_.instruction_limit); }
  void settle();
  bool begin_warp_turn();
  void end_warp_turn();
  void end_block_turn();
  bool start_next_block();
  void begin_block_turn();
  void keep();
  void thin_out();
  void load(std::size_t kept);

  LaunchOptions launch_options_;
  LaunchRequest request_;
  PreparedLaunch prepared_;
  MemoryJournal journal_;
  Core core_;
  Place place_;
  std::deque<std::unique_ptr<Resident>> residents_;  // the first has the core
  const Warp* next_ = nullptr;

  // Where the launch's deadlock is seen; nothing: it has none.
  std::optional<std::uint64_t> deadlock_at_;
  const std::uint64_t memory_limit_;
  std::uint64_t interval_;
  ByteCount block_bytes_ = std::make_shared<std::uint64_t>(0);
  std::uint64_t memory_bytes_ = 0;  // in Kept::written
  std::deque<Kept> kept_;
};

Replay::State::State(Device& device, const LaunchRequest& request, ReplayOptions options)
    : launch_options_(launch_options(options)),
      request_(request),
      prepared_(device.model(), device.memory(), {device.stack_bytes(), 0}, request_,
                launch_options_),
      journal_(device.memory()),
      core_(prepared_.context()),
      memory_limit_(options.memory_limit),
      interval_(std::max<std::uint64_t>(1, options.interval)) {
  core_.instruction_limit = prepared_.context().instruction_limit;
  core_.shows_registers = true;
  prepared_.try_patches();
  if (const auto found = find_deadlock(prepared_.context(), prepared_.resident_blocks())) {
    deadlock_at_ = found->issued;
  }
  core_.journal = &journal_;
  settle();
  keep();
}

std::optional<BlockView> Replay::State::block(std::uint64_t linear) const {
  for (const auto& resident : residents_)
    if (resident->block.linear == linear) return resident->block;
  return std::nullopt;
}

std::vector<BlockView> Replay::State::blocks() const {
  std::vector<BlockView> all;
  for (const auto& resident : residents_) all.emplace_back(resident->block);
  return all;
}

// The order in which warps execute is that of run_blocks.cpp and Core::run_block, one instruction
// at a time (simulator/tests/replay_test.cpp compares them).
void Replay::State::settle() {
  next_ = nullptr;
  while (!core_.fault) {
    if (residents_.empty()) {
      if (!start_next_block()) return;
      begin_block_turn();
    }
    Block& block = residents_.front()->block;
    if (place_.in_turn) {
      const Warp& warp = block.warps[place_.warp];
      const bool others_turn = (warp.convergence->released_by_block() && block.warps.size() > 1) ||
                               core_.polling.waits() || core_.giving_way.gave();
      if (warp.convergence->has_current() && core_.issued < place_.warp_end && !others_turn) {
        next_ = &warp;
        return;
      }
      end_warp_turn();
    } else if (begin_warp_turn()) {
      continue;
    } else if (block.finished()) {
      end_block_turn();
    } else if (!place_.progress) {
      report_deadlock(core_, block);
    } else if (place_.all_wait) {
      end_block_turn();
    } else {
      place_.warp = 0;
      place_.progress = false;
      place_.all_wait = true;
    }
  }
}

// Of the next warp in this round that can execute; false: there is none.
bool Replay::State::begin_warp_turn() {
  auto& warps = residents_.front()->block.warps;
  while (place_.warp < warps.size() && !warps[place_.warp].convergence->has_current())
    ++place_.warp;
  if (place_.warp == warps.size()) return false;
  place_.in_turn = place_.progress = true;
  Reconvergence& convergence = *warps[place_.warp].convergence;
  const std::uint64_t turn =
      convergence.released_by_block() ? kTurnBehindBarrier : warp_turn(block_quantum(request_));
  core_.begin_giving_way(warps[place_.warp]);
  convergence.begin_turn();
  core_.polling.begin_turn(core_.issued);
  place_.warp_end = std::min(place_.block_end, core_.issued + turn);
  return true;
}

void Replay::State::end_warp_turn() {
  Resident& resident = *residents_.front();
  resident.saved = nullptr;
  Warp& warp = resident.block.warps[place_.warp];
  core_.end_giving_way(warp);
  if (warp.convergence->finished()) check_block_barriers(resident.block);
  place_.in_turn = false;
  place_.all_wait = place_.all_wait && core_.polling.waits();
  ++place_.warp;
  if (core_.issued == place_.block_end) end_block_turn();
}

void Replay::State::end_block_turn() {
  if (residents_.front()->block.finished()) {
    residents_.pop_front();
  } else if (core_.issued >= last_step()) {
    return deadlock_at_ ? report_deadlock(core_, residents_.front()->block)
                        : report_instruction_limit(core_, residents_.front()->block);
  } else {
    residents_.push_back(std::move(residents_.front()));
    residents_.pop_front();
    if (residents_.size() < prepared_.resident_blocks()) start_next_block();
  }
  if (!residents_.empty()) begin_block_turn();
}

void Replay::State::begin_block_turn() {
  place_.warp = 0;
  place_.in_turn = place_.progress = false;
  place_.all_wait = true;
  place_.block_end = core_.issued + std::min(block_quantum(request_), last_step() - core_.issued);
}

bool Replay::State::start_next_block() {
  if (place_.next_block == request_.grid.count()) return false;
  residents_.push_front(std::make_unique<Resident>());
  core_.start_block(residents_.front()->block, place_.next_block++);
  return true;
}

bool Replay::State::forward(Observer* observer) {
  if (next_ == nullptr) return false;
  const lanes::FloatEnvironment environment;
  Resident& resident = *residents_.front();
  resident.saved = nullptr;
  core_.step(resident.block.warps[place_.warp], observer);
  settle();
  if (next_ != nullptr && core_.issued - kept_.back().step >= interval_) keep();
  return true;
}

void Replay::State::go_to(std::uint64_t step, Observer* observer) {
  if (step < core_.issued) {
    const auto after = std::ranges::upper_bound(kept_, step, {}, &Kept::step);
    load(static_cast<std::size_t>(after - kept_.begin()) - 1);
  }
  while (core_.issued < step && forward(observer)) {
  }
}

bool Replay::State::back_to(Observer& look, const std::function<bool()>& wanted,
                            const std::function<bool()>& go_on) {
  const std::uint64_t begin = core_.issued;
  for (std::uint64_t end = begin; end != 0;) {
    const auto after = std::ranges::lower_bound(kept_, end, {}, &Kept::step);
    const auto kept = static_cast<std::size_t>(after - kept_.begin()) - 1;
    const std::uint64_t start = kept_[kept].step;
    load(kept);
    Finder finder(look, wanted);
    go_to(end, &finder);
    if (finder.found) {
      go_to(*finder.found);
      return true;
    }
    end = start;
    if (go_on && !go_on()) break;
  }
  go_to(begin);
  return false;
}

void Replay::State::keep() {
  if (!kept_.empty()) {
    kept_.back().written = journal_.take();
    memory_bytes_ += bytes_of(kept_.back().written);
  }
  Kept kept{.step = core_.issued,
            .instruction_limit = core_.instruction_limit,
            .place = place_,
            .polling = core_.polling,
            .giving_way = core_.giving_way,
            .blocks = {},
            .written = {}};
  // A block's last saved state, to share pages with.
  const auto last_of = [this](std::uint64_t linear) -> const SavedBlock* {
    if (kept_.empty()) return nullptr;
    for (const auto& saved : kept_.back().blocks)
      if (saved->linear() == linear) return saved.get();
    return nullptr;
  };
  for (const auto& resident : residents_) {
    if (!resident->saved)
      resident->saved = std::make_shared<const SavedBlock>(
          core_, resident->block, last_of(resident->block.linear), block_bytes_);
    kept.blocks.push_back(resident->saved);
  }
  kept_.push_back(std::move(kept));
  while (kept_bytes() > memory_limit_ && kept_.size() > 2) thin_out();
}

// Drops every other kept state but the first and the last.
void Replay::State::thin_out() {
  std::deque<Kept> fewer;
  memory_bytes_ = 0;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (i % 2 == 0 || i + 1 == kept_.size())
      fewer.push_back(std::move(kept_[i]));
    else
      MemoryJournal::append(fewer.back().written, kept_[i].written);
  }
  for (const Kept& kept : fewer) memory_bytes_ += bytes_of(kept.written);
  kept_ = std::move(fewer);
  interval_ *= 2;
}

void Replay::State::load(std::size_t number) {
  journal_.put_back(journal_.take());
  while (kept_.size() > number + 1) {
    kept_.pop_back();
    memory_bytes_ -= bytes_of(kept_.back().written);
    journal_.put_back(std::exchange(kept_.back().written, {}));
  }
  const Kept& kept = kept_.back();
  residents_.resize(kept.blocks.size());
  for (std::size_t i = 0; i < residents_.size(); ++i) {
    if (!residents_[i]) residents_[i] = std::make_unique<Resident>();
    kept.blocks[i]->load(core_, residents_[i]->block);
    residents_[i]->saved = kept.blocks[i];
  }
  place_ = kept.place;
  core_.polling = kept.polling;
  core_.giving_way = kept.giving_way;
  core_.issued = kept.step;
  core_.instruction_limit = kept.instruction_limit;
  core_.fault.reset();
  settle();
}

std::uint64_t Replay::State::kept_bytes() const {
  return *block_bytes_ + memory_bytes_ + journal_.bytes() + kept_.size() * sizeof(Kept);
}

std::uint64_t Replay::State::digest() const {
  Hash hash;
  hash.add(core_.issued);
  hash.add(place_.next_block);
  hash.add(place_.warp);
  for (const auto& resident : residents_) add_block(hash, core_, resident->block);
  for (const auto& [address, allocation] : prepared_.context().memory->allocations()) {
    hash.add(address);
    hash.add(std::span<const std::byte>(allocation.data, allocation.bytes));
  }
  return hash.value();
}

Replay::Replay(Device& device, const LaunchRequest& request, ReplayOptions options)
    : state_(std::make_unique<State>(device, request, options)) {}
Replay::~Replay() = default;

std::uint64_t Replay::step() const { return state_->step(); }
std::optional<WarpView> Replay::next() const {
  const Warp* const warp = state_->next();
  return warp != nullptr ? std::optional<WarpView>(*warp) : std::nullopt;
}
bool Replay::ended() const { return state_->next() == nullptr; }
const std::optional<Fault>& Replay::fault() const { return state_->fault(); }
CoreView Replay::core() const { return state_->core(); }
std::optional<BlockView> Replay::block(std::uint64_t linear) const { return state_->block(linear); }
std::vector<BlockView> Replay::blocks() const { return state_->blocks(); }

bool Replay::forward(Observer* observer) { return state_->forward(observer); }
void Replay::go_to(std::uint64_t step, Observer* observer) { state_->go_to(step, observer); }
bool Replay::back_to(Observer& look, const std::function<bool()>& wanted,
                     const std::function<bool()>& go_on) {
  return state_->back_to(look, wanted, go_on);
}

std::uint64_t Replay::digest() const { return state_->digest(); }
std::uint64_t Replay::kept_bytes() const { return state_->kept_bytes(); }
std::uint64_t Replay::interval() const { return state_->interval(); }

}  // namespace heddle::simulator
