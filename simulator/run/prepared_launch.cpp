#include "simulator/run/prepared_launch.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "simulator/execute/constant_bank.hpp"
#include "simulator/launch/launch_shape.hpp"
#include "simulator/memory/texture.hpp"
#include "simulator/models/occupancy.hpp"

namespace heddle::simulator {
namespace {

constexpr const char* kNotRequested = "request them with --metrics";
constexpr const char* kObserved = "traces and advice follow the code as a profiler patches it";

// Warp instructions after which a launch without a limit of its own counts as endless: hours.
constexpr std::uint64_t kDefaultLimit = std::uint64_t{1} << 36;

// Immediates are written anew too: another launch of the module may have had the rows.
std::shared_ptr<const RowStorage> fill_pool(const LoweredProgram& program,
                                            const KernelFacts& kernel,
                                            const ConstantBanks& constants) {
  std::shared_ptr<RowStorage>& rows = program.last_rows;
  if (rows == nullptr || rows.use_count() > 1)
    rows = std::make_shared<RowStorage>(program.pool.size() * kWarpSize);
  for (const std::uint32_t row : kernel.pool_rows) {
    const PoolRow& source = program.pool[row];
    const std::uint32_t value =
        source.is_constant
            ? static_cast<std::uint32_t>(constants.read(source.bank, source.value, 4))
            : source.value;
    std::fill_n(rows->begin() + static_cast<std::ptrdiff_t>(std::size_t{row} * kWarpSize),
                kWarpSize, value);
  }
  return rows;
}

}  // namespace

GridBarrier::GridBarrier(DeviceMemory& memory, bool wanted) : memory_(memory) {
  constexpr std::uint64_t kBytes = 8;
  if (wanted) address_ = memory.allocate_host_visible(kBytes, "the grid's barrier");
  if (wanted && !address_) throw std::bad_alloc();
}

GridBarrier::~GridBarrier() {
  if (address_) memory_.free(*address_);
}

std::uint64_t instruction_limit(const LaunchSettings& settings) {
  return settings.max_instructions != 0 ? settings.max_instructions : kDefaultLimit;
}

PreparedLaunch::PreparedLaunch(const GpuModel& model, DeviceMemory& memory, const Limits& limits,
                               const LaunchRequest& request, const LaunchOptions& options)
    : barrier_(memory, request.cooperative), printed_(limits.printf_bytes) {
  check_settings(options.settings);
  const Module& module = *request.module;
  memory.forget_rights();
  context_.request = &request;
  context_.options = &options;
  context_.model = &model;
  context_.memory = &memory;
  context_.printed = &printed_;
  context_.reconvergence = options.settings.reconvergence.value_or(model.reconvergence);
  // Counts by instruction are measured with patched code, time without. Who names convergence
  // barriers wants them as they are.
  context_.patched = !options.settings.timing && !options.settings.reconvergence &&
                     model.reconvergence == ReconvergencePolicy::barriers;
  context_.textures = texture_table(memory);
  context_.program = &lowered(module);
  context_.kernel = &context_.program->facts->kernel(module.program().entry(*request.kernel));
  context_.entry = index_of_code_address(module.program().entry(*request.kernel));
  context_.local_bytes = local_bytes(*request.kernel, limits.stack_bytes);
  // Cooperative groups keep the barriers of wide tiles in the system's part, also in kernels that
  // have no shared memory of their own.
  const std::uint32_t reserved =
      isa::traits(model.arch).has_clusters ? model.shared_bytes_reserved : std::uint32_t{0};
  context_.shared_asked =
      std::max(request.kernel->static_shared_bytes, reserved) + request.dynamic_shared_bytes;
  context_.shared_bytes = shared_bytes_allocated(model, context_.shared_asked);
  context_.warps_per_block =
      static_cast<std::uint32_t>((request.block.count() + kWarpSize - 1) / kWarpSize);
  context_.constants = constant_banks(request, barrier_.address());
  context_.pool = fill_pool(*context_.program, *context_.kernel, context_.constants);
  context_.instruction_limit = instruction_limit(options.settings);
  resident_ = std::max<std::uint64_t>(1, simulator::resident_blocks(model, request));
}

// Where functions call themselves, one barrier's register serves several depths. What a program is
// after are the results of its own code.
bool PreparedLaunch::may_deadlock() const {
  return context_.patched && context_.kernel->may_recurse;
}

// Whether counts of code without patches may differ, and are wanted.
bool PreparedLaunch::may_differ() const {
  return context_.patched && context_.options->settings.counters && context_.kernel->may_part_lanes;
}

void PreparedLaunch::give_up_patches() {
  patches_given_up_ = true;
  context_.patched = false;
}

void PreparedLaunch::try_patches() {
  if (may_deadlock() && deadlocks(context_, resident_)) give_up_patches();
}

GridRun PreparedLaunch::run() {
  const bool observed = context_.options->observer != nullptr;
  if (observed) try_patches();
  if (observed || !(may_deadlock() || may_differ())) {
    GridRun once{run_grid(context_, resident_), {}, {}, patches_given_up_};
    if (once.run.seen.patches_show) once.why_not_unpatched = observed ? kObserved : kNotRequested;
    return once;
  }
  RevocableRun patched(context_, resident_);
  const bool waited = patched.run().seen.waited_for_others;
  if (may_deadlock() && patched.deadlocked() && !waited) {
    patched.revoke();
    context_.memory->accesses_outside() = 0;
    give_up_patches();
    return {run_grid(context_, resident_), {}, {}, true};
  }
  if (!patched.run().seen.patches_show) return {patched.keep(), {}, {}, false};
  const std::string why_not = why_not_again(patched);
  if (!why_not.empty()) return {patched.keep(), {}, why_not, false};
  return run_again(patched);
}

// Why a launch cannot be taken back and executed once more; empty: it can.
std::string PreparedLaunch::why_not_again(const RevocableRun& patched) const {
  const BlockRun& run = patched.run();
  if (!context_.options->settings.counters) return kNotRequested;
  if (run.fault) return "the launch failed";
  if (run.seen.printed || run.seen.used_heap) return "it called the driver's functions";
  if (run.seen.waited_for_others) return "it waited for the host or another stream";
  if (patched.wrote_host_memory(barrier_.address()))
    return "it wrote to memory that the host program uses too";
  return {};
}

// What remains in memory is what the code itself does; nobody sees patches there.
GridRun PreparedLaunch::run_again(RevocableRun& patched) {
  patched.revoke();
  GridRun both{patched.keep(), {}, {}, false};
  const std::uint64_t outside = context_.memory->accesses_outside();  // counted once
  context_.patched = false;
  BlockRun plain = run_grid(context_, resident_);
  context_.patched = true;
  both.run.fault = std::move(plain.fault);
  both.run.seen.uncounted_reunions = plain.seen.uncounted_reunions;
  both.unpatched = std::move(plain.counts);
  context_.memory->accesses_outside() = outside;
  return both;
}

}  // namespace heddle::simulator
