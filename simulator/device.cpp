// A launch: checked, prepared, its blocks run in waves of what fits on the GPU.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "simulator/checks/checks.hpp"
#include "simulator/classify.hpp"
#include "simulator/cluster.hpp"
#include "simulator/device_heap.hpp"
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
  const GpuModel& gpu = impl_->model;
  const isa::Kernel& kernel = *request.kernel;
  const Dim3& block = request.block;
  const Dim3& grid = request.grid;
  const auto refuse = [](const char* error, std::string why) {
    return std::optional<Refusal>({error, std::move(why)});
  };
  constexpr std::uint32_t kMostYZ = 65535;
  // Compute capability 3.0 gave grids a long first dimension.
  const bool short_grids = gpu.sketches_only() && gpu.capability < "3";
  const std::uint32_t most_x = short_grids ? kMostYZ : 0x7fffffff;
  if (block.count() == 0 || grid.count() == 0)
    return refuse("cudaErrorInvalidConfiguration", "a dimension is zero");
  if (block.count() > gpu.max_threads_per_block || block.x > 1024 || block.y > 1024 || block.z > 64)
    return refuse("cudaErrorInvalidConfiguration",
                  fmt::format("{} × {} × {} threads; a block has at most {} (and 64 in z)", block.x,
                              block.y, block.z, gpu.max_threads_per_block));
  if (grid.x > most_x || grid.y > kMostYZ || grid.z > kMostYZ)
    return refuse("cudaErrorInvalidConfiguration",
                  fmt::format("a grid of {} × {} × {} blocks", grid.x, grid.y, grid.z));
  constexpr std::uint64_t kMaxClusterBlocks = 16;
  const Dim3 cluster = cluster_shape(request);
  if (cluster.count() > kMaxClusterBlocks || grid.x % cluster.x != 0 || grid.y % cluster.y != 0 ||
      grid.z % cluster.z != 0)
    return refuse("cudaErrorInvalidClusterSize",
                  fmt::format("clusters of {} × {} × {} blocks in a grid of {} × {} × {}",
                              cluster.x, cluster.y, cluster.z, grid.x, grid.y, grid.z));
  const std::uint64_t shared = kernel.static_shared_bytes - kernel.reserved_shared_bytes +
                               std::uint64_t{request.dynamic_shared_bytes};
  if (shared > gpu.shared_bytes_per_block_optin)
    return refuse("cudaErrorInvalidValue",
                  fmt::format("{} bytes of shared memory; a block has at most {}", shared,
                              gpu.shared_bytes_per_block_optin));
  if (kernel.max_threads != 0 && block.count() > kernel.max_threads)
    return refuse("cudaErrorLaunchOutOfResources",
                  fmt::format("{} threads; the kernel was compiled for at most {}", block.count(),
                              kernel.max_threads));
  const std::uint64_t warps = (block.count() + kWarpSize - 1) / kWarpSize;
  const std::uint64_t unit = gpu.register_allocation_unit;
  const std::uint64_t per_warp =
      (std::uint64_t{kernel.registers} * kWarpSize + unit - 1) / unit * unit;
  if (warps * per_warp > gpu.registers_per_block)
    return refuse("cudaErrorLaunchOutOfResources",
                  fmt::format("{} registers a thread and {} threads; a block has {} registers",
                              kernel.registers, block.count(), gpu.registers_per_block));
  if (request.parameters.size() < kernel.parameter_bytes)
    return refuse("cudaErrorInvalidValue", "too few parameter bytes");
  const std::uint64_t resident = resident_blocks(gpu, request);
  if (request.cooperative && grid.count() > resident)
    return refuse("cudaErrorCooperativeLaunchTooLarge",
                  fmt::format("{} blocks that wait for one another; {} fit on the GPU at a time",
                              grid.count(), resident));
  return std::nullopt;
}

void Device::prepare(const Module& module) {
  const bool allocates = std::ranges::any_of(module.cubin().symbols, [](const isa::Symbol& symbol) {
    return symbol.section == 0 && symbol.name == "malloc";
  });
  if (allocates) DeviceHeap::create(impl_->memory, heap_bytes);
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
  const PreparedLaunch prepared(impl_->model, impl_->memory, stack_limit, request, options);
  LaunchOutcome outcome;
  BlockRun run;
  const bool in_clusters = cluster_shape(request).count() > 1;
  if (options.timing && in_clusters)
    outcome.unmodelled.push_back("clusters: such a launch is executed, but not timed");
  const bool timed = options.timing && !in_clusters;
  // What is timed could spin for ever.
  std::optional<Deadlock> deadlock;
  if (timed) deadlock = find_deadlock(prepared.context(), prepared.resident_blocks());
  if (deadlock) {
    run.counts.resize(module.program().instructions.size());
    run.fault = std::move(deadlock->fault);
  } else if (timed) {
    const std::uint64_t per_sm =
        std::max<std::uint64_t>(1, prepared.resident_blocks() / impl_->model.sms);
    timing::TimedRun result = timing::run_timed(prepared.context(), *options.timing,
                                                static_cast<std::uint32_t>(per_sm), impl_->time);
    run = std::move(result.run);
    outcome.timing = std::move(result.result);
    outcome.timing->stalls_at.resize(module.program().instructions.size());
    if (const std::string note = timing::note_on_sample(*outcome.timing); !note.empty())
      outcome.unmodelled.push_back(note);
  } else {
    run = run_grid(prepared.context(), prepared.resident_blocks());
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
  if (run.uncounted_reunions) {
    outcome.unmodelled.push_back(
        "groups that met at WARPSYNC.COLLECTIVE or at a restored barrier: hardware counters add "
        "executions by a rule not known");
    outcome.counters_incomplete = true;
  }
  if (run.patches_show) {
    outcome.unmodelled.push_back(
        "groups that meet elsewhere once a profiler has patched the code: counts by instruction "
        "are "
        "as it has them, the hardware counters are of the code without patches (--timing on)");
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
  return outcome;
}

}  // namespace heddle::simulator
