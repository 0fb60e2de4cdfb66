// A launch: checked, prepared, its blocks run in waves of what fits on the GPU.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "simulator/check_launch.hpp"
#include "simulator/checks/checks.hpp"
#include "simulator/classify.hpp"
#include "simulator/constant_bank.hpp"
#include "simulator/device_heap.hpp"
#include "simulator/device_launches.hpp"
#include "simulator/prepared_launch.hpp"
#include "simulator/run_blocks.hpp"
#include "simulator/timing/launch.hpp"
#include "simulator/timing/sample.hpp"

namespace heddle::simulator {

struct Device::Impl {
  explicit Impl(const GpuModel& gpu) : model(gpu), memory(gpu.memory_bytes) {}
  const GpuModel& model;
  DeviceMemory memory;
  timing::DeviceTime time;
};

Device::Device(const GpuModel& model) : impl_(std::make_unique<Impl>(model)) {}
Device::~Device() = default;
const GpuModel& Device::model() const { return impl_->model; }
DeviceMemory& Device::memory() { return impl_->memory; }

std::optional<Device::Refusal> Device::check(const LaunchRequest& request) const {
  return check_launch(impl_->model, request);
}

void Device::prepare(const Module& module) {
  const ModuleFacts& facts = *module.lowered().facts;
  if (facts.allocates()) DeviceHeap::create(impl_->memory, heap_bytes);
  if (facts.launches_grids()) DeviceLaunches::create(impl_->memory);
}

namespace {

LaunchOutcome launch_checked(Device& device, const LaunchRequest& request, LaunchOptions options) {
  checks::Checks& checks = *std::exchange(options.checks, nullptr);
  checks.begin(request, options.observer);
  options.observer = &checks;
  LaunchOutcome outcome = device.launch(request, options);
  outcome.findings = checks.end(outcome);
  return outcome;
}

}  // namespace

LaunchOutcome Device::launch(const LaunchRequest& request, const LaunchOptions& options) {
  if (options.checks != nullptr) return launch_checked(*this, request, options);
  const Module& module = *request.module;
  prepare(module);
  kept_frames_ = std::max<std::uint64_t>(kept_frames_, local_bytes(*request.kernel, 0));
  PreparedLaunch prepared(impl_->model, impl_->memory, stack_bytes(), request, options);
  LaunchOutcome outcome;
  BlockRun run;
  const auto per_sm = static_cast<std::uint32_t>(
      std::max<std::uint64_t>(1, prepared.resident_blocks() / impl_->model.sms));
  std::string not_timed;
  if (options.timing)
    not_timed = timing::why_not_timed(prepared.context(), *options.timing, per_sm);
  if (!not_timed.empty()) outcome.unmodelled.push_back(not_timed);
  const bool timed = options.timing && not_timed.empty();
  // What is timed could spin for ever.
  std::optional<Deadlock> deadlock;
  if (timed) deadlock = find_deadlock(prepared.context(), prepared.resident_blocks());
  if (deadlock) {
    run.counts.resize(module.program().instructions.size());
    run.fault = std::move(deadlock->fault);
  } else if (timed) {
    timing::TimedRun result =
        timing::run_timed(prepared.context(), *options.timing, per_sm, impl_->time);
    run = std::move(result.run);
    outcome.timing = std::move(result.result);
    outcome.timing->stalls_at.resize(module.program().instructions.size());
    if (const std::string note = timing::note_on_sample(*outcome.timing); !note.empty())
      outcome.unmodelled.push_back(note);
  } else {
    run = prepared.run();
  }
  outcome.counts = std::move(run.counts);
  outcome.counts.resize(module.program().instructions.size());
  outcome.warps = request.grid.count() * prepared.context().warps_per_block;
  outcome.fault = std::move(run.fault);
  outcome.threads_note = std::move(run.note);
  outcome.launch_class = classify(module.program(), outcome.counts);
  if (run.unordered_reads)
    outcome.launch_class.order_dependent_because.push_back(
        "reads of what other warps write meanwhile");
  if (options.timing && !impl_->model.timing_checked)
    outcome.unmodelled.push_back(
        fmt::format("time: unvalidated, no {} was at hand to check it against", impl_->model.name));
  const Reconvergence reconvergence = prepared.context().reconvergence;
  if (reconvergence != impl_->model.reconvergence)
    outcome.unmodelled.push_back(fmt::format("reconvergence by {} ({}: {})",
                                             info(reconvergence).meaning, impl_->model.name,
                                             info(impl_->model.reconvergence).meaning));
  if (impl_->model.sketches_only())
    outcome.unmodelled.push_back(
        fmt::format("unvalidated: no {} was at hand to check anything against", impl_->model.name));
  if (prepared.patches_given_up())
    outcome.unmodelled.push_back(
        "groups of functions that call themselves, as a profiler's patches part them: all counts "
        "are of the code without patches");
  if (run.uncounted_reunions) {
    outcome.unmodelled.push_back(
        "groups that met at WARPSYNC.COLLECTIVE or at a restored barrier: hardware counters add "
        "executions by a rule not known");
    outcome.counters_incomplete = true;
  }
  if (run.patches_show) {
    outcome.unmodelled.push_back(
        "groups that meet elsewhere once a profiler has patched the code: counts by instruction "
        "are as it has them, the hardware counters are of the code without patches (--timing on)");
    outcome.counters_incomplete = true;
  }
  if (run.printed) {
    if (outcome.warps > 1)
      outcome.launch_class.order_dependent_because.push_back("device printf of several warps");
    outcome.unmodelled.push_back(
        "vprintf: the driver's own instructions, which hardware counters see");
    outcome.counters_incomplete = true;
  }
  if (run.used_heap) {
    outcome.launch_class.order_dependent_because.push_back("malloc in device code");
    outcome.unmodelled.push_back(
        "malloc and free: the driver's own instructions, which hardware counters see");
    outcome.counters_incomplete = true;
  }
  if (DeviceLaunches::any(impl_->memory)) {
    outcome.unmodelled.push_back(
        "launches by device code: executed when the grid has ended (a GPU may begin them earlier); "
        "the driver's own instructions, which hardware counters see");
    outcome.counters_incomplete = true;
  }
  return outcome;
}

}  // namespace heddle::simulator
