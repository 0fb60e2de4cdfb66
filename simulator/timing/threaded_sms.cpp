#include "simulator/timing/threaded_sms.hpp"

#include <algorithm>
#include <new>
#include <numeric>
#include <thread>
#include <utility>

#include "simulator/base/idle_cores.hpp"
#include "simulator/execute/cluster.hpp"
#include "simulator/lanes/float_environment.hpp"

namespace heddle::simulator::timing {
namespace {

// Launches of fewer warp instructions are over before threads would pay. Untimed launches need four
// times as many: they are faster, and their threads do not wait for one another.
constexpr std::uint64_t kTimesUntimed = 4, kAlone = 1 << 12;
// A quantum after one with fewer is not worth a thread's waking.
constexpr std::uint64_t kLeastShared = 256;
// That what was in memory before may take, so that it can be put back.
constexpr std::uint64_t kMostBytes = 512 << 20;
constexpr unsigned kMostThreads = 64;
// Where more than one SM in N waits for others, some quanta are run by one thread.
constexpr std::size_t kSeldom = 4;
constexpr unsigned kAloneQuanta = 64;

}  // namespace

std::string why_one_thread(const LaunchContext& launch, const Options& options) {
  if (launch.options->observer != nullptr) return "the launch is observed";
  if (cluster_shape(*launch.request).count() > 1) return "blocks of a cluster reach each other";
  if (!options.cold_caches) return "L2 holds what earlier launches left";
  if (options.sample_instructions != 0 || options.sample < 1) return "a part of it is timed";
  if (launch.kernel->conflicts != 0) return "blocks of its kernel use the same memory";
  if (launch.kernel->calls_driver) return "it calls functions of the driver";
  return {};
}

bool wants_threads(const LaunchOptions& options) {
  return options.settings.threads == 0 ? idle_cores() > 1 : options.settings.threads > 1;
}

struct ThreadedSms::Other {
  Other(const SmContext& first, AccessLog* log)
      : core(first.core.launch),
        stalls_at(first.program.instructions.size()),
        context{first.constants,     first.program,   first.rows_ahead,  core,
                first.source,        clock,           first.clock_start, first.pick,
                first.picks_by_wait, stalls_at.data()} {
    core.cycle = &clock;
    core.tell(log);
  }
  Core core;
  std::uint64_t clock = 0;
  std::vector<StallCycles> stalls_at;
  SmContext context;
};

ThreadedSms::ThreadedSms(SmContext& first, std::deque<Sm>& sms, SharedAccesses& accesses,
                         std::uint64_t alone)
    : first_(first), sms_(sms), join_at_(alone), accesses_(&accesses), notes_(sms.size()) {
  logs_.reserve(kMostThreads);
  logs_.emplace_back(*accesses_);
  first_.core.tell(&logs_.front());
}

ThreadedSms::~ThreadedSms() { first_.core.tell(nullptr); }

std::uint64_t ThreadedSms::alone_by(const LaunchOptions& options) {
  return options.settings.threads == 0 ? kAlone : options.settings.threads_after / kTimesUntimed;
}

void ThreadedSms::join_others() {
  const unsigned named = first_.core.launch.options->settings.threads;
  const unsigned wanted = named != 0 ? named : idle_cores();
  const auto count = static_cast<unsigned>(
      std::min<std::size_t>({wanted, kMostThreads, std::max<std::size_t>(1, sms_.size())}));
  join_at_ = std::max<std::uint64_t>(1, 2 * first_.core.issued);  // others may have ended by then
  if (count <= 1) return;
  try {
    accesses_->share();
  } catch (const std::bad_alloc&) {
    return leave_to_one_thread();
  }
  join_at_ = ~std::uint64_t{0};
  for (unsigned i = 1; i < count; ++i) {
    logs_.emplace_back(*accesses_);
    others_.push_back(std::make_unique<Other>(first_, &logs_.back()));
  }
  threads_.emplace(count, sms_.size(), [this](unsigned thread, std::size_t first, std::size_t end) {
    run_some(thread, first, end);
  });
}

bool ThreadedSms::run(Cycle end) {
  if (accesses_ != nullptr && !threads_ && first_.core.issued >= join_at_) join_others();
  const std::uint64_t before = first_.core.issued + issued();
  if (alone_quanta_ != 0) --alone_quanta_;
  const bool shared = threads_ && last_issued_ >= kLeastShared && alone_quanta_ == 0;
  const bool goes_on = shared ? run_side_by_side(end) : run_alone(end);
  last_issued_ = first_.core.issued + issued() - before;
  if (!threads_) last_issued_ = std::max(last_issued_, kLeastShared);
  failed_ = first_.core.conflicted || (shared && !goes_on);
  const auto add = [](std::uint64_t sum, const SharedAccesses::Log& log) {
    return sum + log.bytes();
  };
  if (accesses_ != nullptr && !failed_ &&
      (std::accumulate(logs_.begin(), logs_.end(), std::uint64_t{0}, add) > kMostBytes ||
       !accesses_->can_go_on()))
    leave_to_one_thread();
  return goes_on;
}

// The rest of the launch is for one thread.
void ThreadedSms::leave_to_one_thread() {
  first_.core.tell(nullptr);
  threads_.reset();
  logs_.clear();
  accesses_ = nullptr;
}

// All SMs together are far more than the host's caches hold, so that they are prefetched.
bool ThreadedSms::run_alone(Cycle end) {
  if (accesses_ != nullptr) accesses_->begin_quantum(nullptr);
  for (Sm& sm : sms_) sm.use(first_, nullptr);
  return run_in_order(sms_, end);
}

bool ThreadedSms::run_side_by_side(Cycle end) {
  ++shared_quanta_;
  accesses_->begin_quantum(&*threads_);
  end_ = end;
  stopped_.store(false, std::memory_order_relaxed);
  const UnorderedReads* const reads = first_.core.unordered_reads.get();
  for (const auto& other : others_)
    if (reads != nullptr) other->core.unordered_reads->take_found(reads->found());
  threads_->run_quantum();
  look_at_notes();
  std::uint64_t waits = 0;
  for (SharedAccesses::Log& log : logs_) waits += log.take_waits();
  if (waits > sms_.size() / kSeldom) alone_quanta_ = kAloneQuanta;
  return !stopped_.load(std::memory_order_relaxed);
}

// What a piece of SMs will touch is asked for together, before the first of them runs.
void ThreadedSms::run_some(unsigned thread, std::size_t first, std::size_t end) {
  const lanes::FloatEnvironment environment;
  const auto prefetch = [&](PrefetchStage stage) {
    for (std::size_t i = first; i < end; ++i) sms_[i].prefetch(stage, end_);
  };
  for (const auto stage : {PrefetchStage::sm, PrefetchStage::sub_cores, PrefetchStage::slots})
    prefetch(stage);
  for (std::size_t i = first; i < end; ++i) sms_[i].take_answers();
  for (const auto stage : {PrefetchStage::warps, PrefetchStage::registers}) prefetch(stage);
  for (std::size_t i = first; i < end; ++i) {
    if (!stopped_.load(std::memory_order_relaxed)) run_one(thread, i);
    threads_->finished(i);
  }
}

void ThreadedSms::run_one(unsigned thread, std::size_t sm) {
  SmContext& context = thread == 0 ? first_ : others_[thread - 1]->context;
  logs_[thread].follow(static_cast<std::uint32_t>(sm));
  if (context.core.unordered_reads != nullptr) context.core.unordered_reads->note_in(&notes_[sm]);
  sms_[sm].use(context, &*threads_);
  if (!sms_[sm].run(end_)) stopped_.store(true, std::memory_order_relaxed);
}

// In the order in which one thread would have made them.
void ThreadedSms::look_at_notes() {
  UnorderedReads* const reads = first_.core.unordered_reads.get();
  if (reads == nullptr) return;
  reads->note_in(nullptr);
  for (auto& of_sm : notes_) {
    for (const UnorderedReads::Note& note : of_sm)
      if (!reads->found()) reads->look_at(note);
    of_sm.clear();
  }
}

void ThreadedSms::undo() {
  for (SharedAccesses::Log& log : logs_) log.undo();
}

std::uint64_t ThreadedSms::issued() const {
  std::uint64_t sum = 0;
  for (const auto& other : others_) sum += other->core.issued;
  return sum;
}

void ThreadedSms::add_to(BlockRun& run) {
  for (const auto& other : others_) {
    BlockRun theirs = take_run(other->core);
    run.counts.add(theirs.counts);
    run.seen |= theirs.seen;
  }
}

void ThreadedSms::add_to(std::vector<StallCycles>& stalls) const {
  for (const auto& other : others_)
    for (std::size_t pc = 0; pc < stalls.size(); ++pc)
      for (std::size_t i = 0; i < kStalls; ++i) stalls[pc][i] += other->stalls_at[pc][i];
}

bool run_in_order(std::deque<Sm>& sms, Cycle end) {
  constexpr auto kStages = static_cast<std::size_t>(PrefetchStage::count_);
  for (std::size_t i = 0; i < sms.size(); ++i) {
    sms[i].take_answers();
    if (i + 2 < sms.size()) sms[i + 2].take_answers();  // before what they set going is prefetched
    for (std::size_t stage = 0; stage < kStages && i + stage + 1 < sms.size(); ++stage)
      sms[i + stage + 1].prefetch(static_cast<PrefetchStage>(kStages - 1 - stage), end);
    if (!sms[i].run(end)) return false;
  }
  return true;
}

}  // namespace heddle::simulator::timing
