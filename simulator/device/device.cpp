// A launch: checked, prepared, its blocks run in waves of what fits on the GPU.
#include "simulator/device/device.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "simulator/checks/checks.hpp"
#include "simulator/execute/constant_bank.hpp"
#include "simulator/launch/check_launch.hpp"
#include "simulator/launch/device_launches.hpp"
#include "simulator/memory/device_heap.hpp"
#include "simulator/run/launch_outcome.hpp"
#include "simulator/run/prepared_launch.hpp"
#include "simulator/timing/launch.hpp"
#include "simulator/timing/sample.hpp"

namespace heddle::simulator {

struct Device::Impl {
  Impl(const GpuModel& gpu, GpuPlace among)
      : model(gpu), place(among), memory(gpu.memory_bytes, among) {}
  const GpuModel& model;
  const GpuPlace place;
  DeviceMemory memory;
  timing::DeviceTime time;
};

namespace {

// Of an H200: 8,650,752 bytes, which is 64 KiB for each SM. CUDA's documentation has 1 MiB.
std::uint64_t default_printf_bytes(const GpuModel& model) {
  constexpr std::uint64_t kLeast = 1 << 20, kOfAnSm = 64 << 10;
  return std::max(kLeast, kOfAnSm * model.sms);
}

}  // namespace

Device::Device(const GpuModel& model, GpuPlace place)
    : printf_bytes(default_printf_bytes(model)), impl_(std::make_unique<Impl>(model, place)) {}
Device::~Device() = default;
const GpuModel& Device::model() const { return impl_->model; }
const GpuPlace& Device::place() const { return impl_->place; }
DeviceMemory& Device::memory() { return impl_->memory; }

std::optional<Refusal> Device::check(const LaunchRequest& request) const {
  return check_launch(impl_->model, request);
}

void Device::prepare(const Module& module) {
  const ModuleFacts& facts = *lowered(module).facts;
  if (facts.allocates()) DeviceHeap::create(impl_->memory, heap_bytes);
  if (facts.launches_grids()) DeviceLaunches::create(impl_->memory);
}

namespace {

LaunchOutcome launch_checked(Device& device, const LaunchRequest& request, LaunchOptions options) {
  checks::Checks& checks = *std::exchange(options.checks, nullptr);
  checks.begin(request, options.observer);
  options.observer = &checks;
  LaunchOutcome outcome = device.launch(request, options);
  checks.end(outcome);
  return outcome;
}

std::uint32_t blocks_per_sm(const PreparedLaunch& prepared) {
  const std::uint64_t sms = prepared.context().model->sms;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, prepared.resident_blocks() / sms));
}

// Why a launch that is to be timed cannot be; empty: it can, or is not to be.
std::string why_not_timed(const PreparedLaunch& prepared) {
  const auto& wanted = prepared.context().options->settings.timing;
  if (!wanted) return {};
  return timing::why_not_timed(prepared.context(), *wanted, blocks_per_sm(prepared));
}

LaunchOutcome run_untimed(PreparedLaunch& prepared) {
  GridRun executed = prepared.run();
  return launch_outcome(prepared.context(), std::move(executed));
}

// What would spin for ever is not timed: it is a fault.
LaunchOutcome run_timed(const PreparedLaunch& prepared, timing::DeviceTime& time) {
  const LaunchContext& context = prepared.context();
  GridRun executed;
  if (auto deadlock = find_deadlock(context, prepared.resident_blocks())) {
    executed.run.fault = std::move(deadlock->fault);
    return launch_outcome(context, std::move(executed));
  }
  timing::TimedRun timed =
      timing::run_timed(context, *context.options->settings.timing, blocks_per_sm(prepared), time);
  executed.run = std::move(timed.run);
  LaunchOutcome outcome = launch_outcome(context, std::move(executed));
  outcome.timing = std::move(timed.result);
  outcome.timing->stalls_at.resize(context.request->module->program().instructions.size());
  if (std::string note = timing::note_on_sample(*outcome.timing); !note.empty())
    outcome.unmodelled.push_back(std::move(note));
  return outcome;
}

}  // namespace

LaunchOutcome Device::launch(const LaunchRequest& request, const LaunchOptions& options) {
  if (options.checks != nullptr) return launch_checked(*this, request, options);
  prepare(*request.module);
  impl_->memory.settle_pages();
  kept_frames_ = std::max<std::uint64_t>(kept_frames_, local_bytes(*request.kernel, 0));
  PreparedLaunch prepared(impl_->model, impl_->memory, {stack_bytes(), printf_bytes}, request,
                          options);
  std::string not_timed = why_not_timed(prepared);
  const bool timed = options.settings.timing && not_timed.empty();
  LaunchOutcome outcome = timed ? run_timed(prepared, impl_->time) : run_untimed(prepared);
  if (!not_timed.empty()) outcome.unmodelled.push_back(std::move(not_timed));
  if (const std::string printed = prepared.printed().take(); !printed.empty() && options.print)
    options.print(printed);
  return outcome;
}

}  // namespace heddle::simulator
