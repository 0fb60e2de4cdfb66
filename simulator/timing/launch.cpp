#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "simulator/execute/cluster.hpp"
#include "simulator/execute/stall_report.hpp"
#include "simulator/lanes/float_environment.hpp"
#include "simulator/launch/classify.hpp"
#include "simulator/timing/timed_launch.hpp"

namespace heddle::simulator::timing {
namespace {

std::uint64_t l1_bytes(const LaunchContext& context, const Constants& constants) {
  const std::uint64_t shared =
      shared_bytes_beside_l1(*context.model, resources_of(*context.request));
  return constants.l1_bytes > shared ? constants.l1_bytes - shared : 0;
}

// Of the kernel's code, with the functions behind it that belong to it.
std::uint32_t kernel_lines(const LaunchContext& context, const Constants& constants) {
  constexpr std::uint64_t kInstructionBytes = sizeof(isa::Word);
  const isa::Program& program = context.request->module->program();
  const isa::CodeRange* range =
      program.range_at(isa::kCodeBase + kInstructionBytes * context.entry);
  const std::uint64_t bytes = range == nullptr ? 0 : range->size;
  return static_cast<std::uint32_t>(bytes / constants.instruction_line_bytes);
}

// Counts of things, sizes and rates cannot be zero; times and prefetches can.
void check(const Constants& constants, const GpuModel& model) {
  for (const ConstantInfo& each : kConstants)
    if (each.unit != "cycle" && each.unit != "line" && constants.*each.member == 0)
      throw std::invalid_argument(fmt::format("{}: must be positive", each.name));
  for (const auto& [name, ways] :
       {std::pair{"l1_ways", constants.l1_ways}, {"l2_ways", constants.l2_ways}})
    if (ways > kMostWays)
      throw std::invalid_argument(fmt::format("{}: at most {}", name, kMostWays));
  for (const auto& [name, parts] :
       {std::pair{"l2_slices", constants.l2_slices}, {"l2_halves", constants.l2_halves}})
    if (parts > kMostSlices)
      throw std::invalid_argument(fmt::format("{}: at most {}", name, kMostSlices));
  if (constants.l1_bytes > LoadStoreUnit::kMostL1Bytes)
    throw std::invalid_argument(fmt::format("l1_bytes: at most {}", LoadStoreUnit::kMostL1Bytes));
  if (constants.sub_cores > kMostSubCores)
    throw std::invalid_argument(fmt::format("sub_cores: at most {}", kMostSubCores));
  if (model.max_warps_per_sm > constants.sub_cores * kSlots)
    throw std::invalid_argument(fmt::format("sub_cores: at least {} for {} warps",
                                            (model.max_warps_per_sm + kSlots - 1) / kSlots,
                                            model.max_warps_per_sm));
}

}  // namespace

TimedLaunch::TimedLaunch(const LaunchContext& context, const Options& options,
                         std::uint32_t blocks_per_sm, DeviceTime& device, InstructionSource& source,
                         std::uint64_t alone)
    : context_(context),
      constants_(constants_for(*context.model, options)),
      code_(timed_code(context, constants_, device)),
      core_(context),
      memory_(*device.memory),
      stalls_at_(code_->program.instructions.size()),
      shared_{constants_,
              code_->program,
              code_->rows_ahead,
              core_,
              source,
              clock_,
              device.cycles,
              scheduler(options.policy),
              options.policy == Policy::two_level,
              stalls_at_.data()},
      clock_(device.cycles),
      blocks_(context.request->grid.count()),
      cluster_(cluster_shape(*context.request)),
      blocks_per_sm_(std::max(1u, blocks_per_sm)),
      quantum_(longest_quantum(memory_.least_latency(), constants_.latency_mio_queue,
                               cluster_.count() > 1 ? constants_.latency_cluster_barrier : kNever)),
      l1_bytes_(l1_bytes(context, constants_)),
      sm_count_(options.sms != 0 ? options.sms : context.model->sms),
      sm_places_(sm_places(constants_, sm_count_)) {
  core_.instruction_limit = context.instruction_limit;
  core_.cycle = &clock_;
  if (!options.cold_caches) shared_.print_code = shared_.print_arguments = 0;
  const isa::Kernel* const kernel = context.request->kernel;
  const LaunchedKernel launched{
      .entry = context.entry,
      .lines = kernel_lines(context, constants_),
      .parameters = kernel->parameter_offset,
      .cold = options.cold_caches,
      .kept = !options.cold_caches && device.last_kernel == kernel,
      .sms = sms_with_blocks(),
      .block_interval = first_block_interval(),
  };
  for (std::uint32_t i = 0; i < constants_.gpcs; ++i)
    gpcs_.emplace_back(constants_, code_->program, launched, i, sm_places_);
  place_sms();
  memory_.start(options.cold_caches);
  choose_sample(options);
  if (alone != kForEver) choose_threads(options, device, alone);
}

void TimedLaunch::choose_threads(const Options& options, DeviceTime& device, std::uint64_t alone) {
  if (sms_.size() < 2 || blocks_ < 2 || !wants_threads(*context_.options)) return;
  one_thread_ = why_one_thread(context_, options);
  if (!one_thread_.empty()) return;
  try {
    if (device.accesses == nullptr || !device.accesses->can_go_on())
      device.accesses = std::make_shared<SharedAccesses>();
    device.accesses->begin_launch(*context_.memory,
                                  device.note_reads.contains(context_.request->kernel));
    threaded_.emplace(shared_, sms_, *device.accesses, alone);
  } catch (const std::bad_alloc&) {
    one_thread_ = "there is no memory to take notes in";
  }
}

// The first ones, where there are fewer blocks than SMs.
std::uint32_t TimedLaunch::sms_with_blocks() const {
  if (cluster_.count() > 1) return sm_count_;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(sm_count_, blocks_));
}

void TimedLaunch::place_sms() {
  sms_.clear();
  for (std::uint32_t i = 0; i < sms_with_blocks(); ++i)
    sms_.emplace_back(shared_, i, l1_bytes_, gpcs_[sm_places_[i].gpc], sm_places_[i]);
}

void TimedLaunch::run() {
  const lanes::FloatEnvironment environment;  // whatever the program around us has set
  dispatch_first_blocks();
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  Ran ran = run_until(slices_ ? slices_->instructions_at_first() : kAll);
  if (ran == Ran::issued && count_blocks()) return run_slices();
  if (slices_ && ran == Ran::issued && !core_.fault) ran = run_until(kAll);
  slices_.reset();
  if (ran != Ran::ended) return;
  if (std::ranges::none_of(sms_, [](const Sm& sm) { return sm.blocks() != 0; })) return;
  if (context_.options->observer != nullptr) context_.options->observer->stuck(core_, some_block());
  report_deadlock(core_, some_block());
}

// The tick: a quantum of time in which SMs know nothing of one another.
TimedLaunch::Ran TimedLaunch::run_until(std::uint64_t instructions) {
  for (Cycle next = next_event(); next != kNever; next = next_event()) {
    if (issued() >= instructions) return Ran::issued;
    now_ = std::max(now_, next);
    const Cycle end = now_ + quantum_;
    if (!run_sms(end)) return Ran::stopped;
    answer_requests(end);
    now_ = end;
    dispatch_next_blocks();
    if (core_.fault || reached_limit()) return Ran::stopped;
  }
  return Ran::ended;
}

Cycle TimedLaunch::next_event() const {
  Cycle next = kNever;
  for (const Sm& sm : sms_) next = std::min(next, sm.next_event());
  return next;
}

// GPCs start their blocks beside one another, each its own one by one (measured: dispatch.tsv of
// gpu/kernels/micro/timing/control.cu).
Cycle TimedLaunch::first_block_interval() const {
  return std::clamp<Cycle>(
      warps_of_block(), constants_.interval_gpc_block,
      std::max(constants_.interval_gpc_block, constants_.interval_gpc_large_block));
}

// Between the starts of two blocks on an SM: up to five warps take as long as one (begin.*.first of
// gpu/kernels/micro/timing/block_starts.cu).
Cycle TimedLaunch::sm_block_interval() const {
  return std::max<Cycle>(
      constants_.sm_block_start_interval,
      constants_.sm_block_start_cycles + warps_of_block() * constants_.warp_start_interval);
}

std::uint64_t TimedLaunch::warps_of_block() const {
  return (context_.request->block.count() + kWarpSize - 1) / kWarpSize;
}

// One block on each SM before the second on any.
void TimedLaunch::dispatch_first_blocks() {
  place_ready_.resize(sms_.size());
  const Cycle interval = first_block_interval();
  for (std::size_t sm = 0; sm < place_ready_.size(); ++sm)
    place_ready_[sm] = constants_.latency_launch + sm_places_[sm].before * interval;
  if (cluster_.count() > 1) return dispatch_clusters();
  for (std::uint32_t round = 0; round < blocks_per_sm_ && next_block_ != blocks_; ++round)
    for (const std::uint32_t sm : sms_for_blocks(constants_, sm_places_, blocks_ - next_block_)) {
      if (next_block_ == blocks_) return;
      start_block(sm, place_ready_[sm]);
    }
}

// Blocks take the places of those that ended, in the order in which they did. The ends of a grid's
// blocks are noticed one after another, also when none is left to begin (elapsed less active of
// `nothing`, block_starts.cu).
void TimedLaunch::dispatch_next_blocks() {
  const std::uint64_t end_ticks =
      constants_.block_replacement_interval * Server::kTicks / Calendar::kHundred;
  const bool in_clusters = cluster_.count() > 1;
  std::vector<EndedBlock> ended;
  for (Sm& sm : sms_) {
    std::ranges::move(sm.ended(), std::back_inserter(ended));
    sm.ended().clear();
  }
  std::ranges::sort(ended, {},
                    [](const EndedBlock& each) { return std::tuple(each.time, each.sm); });
  for (EndedBlock& each : ended) {
    const Cycle noticed =
        in_clusters ? each.time : each.time + ends_noticed_.wait(each.time, end_ticks);
    last_end_ = std::max(last_end_, noticed);
    if (sample_) ends_.push_back(each.time);
    ++blocks_ended_;
    if (context_.options->observer != nullptr)
      context_.options->observer->block_ended(core_, *each.block);
    if (in_clusters) end_in_cluster(each);
    spare_.push_back(std::move(each.block));
    if (next_block_ != blocks_ && !in_clusters)
      start_block(each.sm, std::max({now_, noticed + constants_.latency_block_start,
                                     place_ready_[each.sm]}));
  }
  if (in_clusters && !ended.empty()) dispatch_clusters();
}

// Blocks that stand still while others are executed must not be waited for.
std::string TimedLaunch::why_not_sampled() const {
  if (context_.request->cooperative || cluster_.count() > 1) return "blocks wait for one another";
  if (context_.options->observer != nullptr) return "the launch is observed";
  return context_.program->facts->sees_order();
}

void TimedLaunch::choose_sample(const Options& options) {
  if (options.sample_instructions == 0 && options.sample >= 1) return;
  const std::uint64_t resident = std::uint64_t{blocks_per_sm_} * sm_count_;
  not_sampled_ = why_not_sampled();
  if (!not_sampled_.empty()) return;
  if (options.sample_instructions != 0) {
    slices_.emplace(options.sample_instructions, blocks_, resident);
    return;
  }
  sample_.emplace(blocks_, resident, options.sample);
  if (sample_->left_out().empty()) {
    not_sampled_ = fmt::format("it has fewer than {} waves", Sample::kLeastWaves + 1);
    sample_.reset();
  }
}

void TimedLaunch::execute_untimed_blocks() {
  if (!sample_ || next_left_out_ == sample_->left_out().size()) return;
  const BlockRange range = sample_->left_out()[next_left_out_];
  if (next_block_ != range.first) return;
  ++next_left_out_;
  next_block_ = range.end;
  BlockRun run = run_part(context_, std::uint64_t{blocks_per_sm_} * sm_count_, range);
  for (const auto& [pc, counts] : run.counts) core_.counts[pc] += counts;
  untimed_ += run.counts.executed();
  blocks_ended_ += range.end - range.first;
  core_.fault = std::move(run.fault);
  core_.seen |= run.seen;
}

std::unique_ptr<Block> TimedLaunch::take_spare() {
  if (spare_.empty()) return std::make_unique<Block>();
  std::unique_ptr<Block> block = std::move(spare_.back());
  spare_.pop_back();
  return block;
}

void TimedLaunch::start_block(std::uint32_t sm, Cycle begin) {
  place_ready_[sm] = begin + sm_block_interval();
  execute_untimed_blocks();
  std::unique_ptr<Block> block = take_spare();
  shared_.source.start_block(core_, *block, next_block_++);
  if (context_.options->observer != nullptr)
    context_.options->observer->block_started(core_, *block);
  sms_[sm].start_block(std::move(block), begin);
}

bool TimedLaunch::run_sms(Cycle end) {
  if (!threaded_) return run_in_order(sms_, end);
  const bool goes_on = threaded_->run(end);
  failed_ = threaded_->failed();
  if (failed_) threaded_->undo();
  return goes_on;
}

std::uint64_t TimedLaunch::issued() const {
  return core_.issued + (threaded_ ? threaded_->issued() : 0);
}

// In the order of their time; those of one cycle in the order of SMs, and each SM's as it made
// them.
void TimedLaunch::sort_requests() {
  requests_.clear();
  Cycle first = kNever, last = 0;
  for (Sm& sm : sms_)
    for (Request& request : sm.requests()) {
      requests_.push_back(&request);
      first = std::min(first, request.time);
      last = std::max(last, request.time);
    }
  constexpr Cycle kMostCycles = 1 << 14;
  if (requests_.empty()) return;
  if (last - first >= kMostCycles) {
    std::ranges::stable_sort(requests_, {}, &Request::time);
    return;
  }
  // What was collected is in order but for the time: it is put into places counted before.
  places_.assign(last - first + 1, 0);
  for (const Request* request : requests_) ++places_[request->time - first];
  std::exclusive_scan(places_.begin(), places_.end(), places_.begin(), 0u);
  sorted_.resize(requests_.size());
  for (Request* request : requests_) sorted_[places_[request->time - first]++] = request;
  std::swap(requests_, sorted_);
}

void TimedLaunch::answer_requests(Cycle end) {
  sort_requests();
  if (requests_.empty()) return;
  memory_.serve(requests_);
  for (Sm& sm : sms_)
    if (!sm.requests().empty()) sm.answer(end);
}

const Block& TimedLaunch::some_block() const {
  for (const Sm& sm : sms_)
    if (const Block* block = sm.any_block()) return *block;
  throw std::logic_error("a launch without a block");
}

bool TimedLaunch::reached_limit() {
  const bool running = std::ranges::any_of(sms_, [](const Sm& sm) { return sm.blocks() != 0; });
  if (!running) return false;
  if (issued() + untimed_ >= core_.instruction_limit) {
    report_instruction_limit(core_, some_block());
    return true;
  }
  return told_to_stop(some_block());
}

// By the launch's owner, which is queried now and then.
bool TimedLaunch::told_to_stop(const Block& block) {
  const auto& watch = context_.options->watch;
  const std::uint64_t executed = issued() + untimed_;
  if (!watch || executed < watch_due_) return false;
  watch_due_ = executed + kWatchInterval;
  if (watch({blocks_ended_, blocks_, executed})) return false;
  report_interrupt(core_, block);
  return true;
}

void TimedLaunch::add_sums(Result& result) {
  for (Sm& sm : sms_) sm.add_to(result);
  result.traffic += memory_.traffic();
  result.stalls_at = stalls_at_;
  if (threaded_) threaded_->add_to(result.stalls_at);
}

// A launch ends when all that its blocks sent to memory is done, long after the last block where
// they add to few addresses (adds.* of gpu/kernels/micro/timing/stores.cu;
// docs/experiments/timing.md).
Cycle TimedLaunch::launch_end() const { return std::max(last_end_, memory_.last_write()); }

TimedRun TimedLaunch::take() {
  TimedRun timed;
  Result& result = timed.result;
  result.sms = sm_count_;
  result.sub_cores = constants_.sub_cores;
  result.warp_slots_per_sm = context_.model->max_warps_per_sm;
  result.elapsed = launch_end() + constants_.latency_launch_end;
  result.clock_hz = context_.model->clock_khz * 1e3;
  add_sums(result);
  for (const StallCycles& at : result.stalls_at)
    for (std::size_t i = 0; i < kStalls; ++i) result.stalls[i] += at[i];
  timed.run = take_run(core_);
  if (threaded_) {
    threaded_->add_to(timed.run);
    timed.shared_quanta = threaded_->shared_quanta();
  }
  timed.run.note = one_thread_;
  if (slices_) {
    slices_->fill(result, Cycle{constants_.latency_launch} + constants_.latency_launch_end);
    timed.run.counts = slices_->counts();
    constexpr double kPercent = 100;
    not_sampled_ =
        fmt::format("up to {:.0f} % of the length of their blocks", kPercent * slices_->reach());
  }
  if (sample_) scale(result, *sample_, sample_->extra(ends_), blocks_);
  result.note = not_sampled_;
  return timed;
}

Traffic& Traffic::operator+=(const Traffic& other) {
  l1_global_load += other.l1_global_load;
  l1_global_store += other.l1_global_store;
  l1_local += other.l1_local;
  l1_atomic += other.l1_atomic;
  l2_read += other.l2_read;
  l2_write += other.l2_write;
  l2_atomic += other.l2_atomic;
  dram_sectors_read += other.dram_sectors_read;
  dram_sectors_written += other.dram_sectors_written;
  return *this;
}

Constants constants_for(const GpuModel& model, const Options& options) {
  if (!model.timing)
    throw std::invalid_argument(
        fmt::format("{} has no [timing] values, so nothing can be timed on it", model.id));
  Constants constants = *model.timing;
  for (const auto& [name, value] : options.overrides) {
    const auto found = std::ranges::find(kConstants, name, &ConstantInfo::name);
    if (found == kConstants.end())
      throw std::invalid_argument(fmt::format("no timing constant \"{}\"", name));
    constants.*found->member = value;
  }
  check(constants, model);
  return constants;
}

TimedRun run_timed(const LaunchContext& context, const Options& options,
                   std::uint32_t blocks_per_sm, DeviceTime& device, InstructionSource* source,
                   std::optional<std::uint64_t> alone) {
  const Constants constants = constants_for(*context.model, options);
  const std::uint64_t l2_bytes = context.model->l2_bytes;
  const std::uint32_t sms = options.sms != 0 ? options.sms : context.model->sms;
  if (!device.memory || !device.memory->is_made_of(constants, l2_bytes, sms)) {
    device.memory.emplace(constants, l2_bytes, sms);
    device.code.clear();
    device.last_kernel = nullptr;
  }
  ExecutedInstructions executed;
  const auto run = [&](std::uint64_t before_others) -> std::optional<TimedRun> {
    TimedLaunch launch(context, options, blocks_per_sm, device,
                       source != nullptr ? *source : executed, before_others);
    launch.run();
    if (launch.failed()) return std::nullopt;
    return launch.take();
  };
  std::optional<TimedRun> done =
      run(source != nullptr ? TimedLaunch::kForEver
                            : alone.value_or(ThreadedSms::alone_by(*context.options)));
  if (!done && device.accesses->lacks_reads() &&
      device.note_reads.insert(context.request->kernel).second)
    done = run(alone.value_or(ThreadedSms::alone_by(*context.options)));
  if (!done) {
    ++context.kernel->conflicts;
    done = run(TimedLaunch::kForEver);
    done->run.note = "blocks used the same memory, or the launch failed";
  }
  TimedRun timed = std::move(*done);
  timed.result.as_given = options == Options{};
  device.cycles += timed.result.elapsed;
  device.last_kernel = context.request->kernel;
  return timed;
}

}  // namespace heddle::simulator::timing
