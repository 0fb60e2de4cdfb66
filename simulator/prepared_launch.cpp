#include "simulator/prepared_launch.hpp"

#include <algorithm>
#include <new>

#include "simulator/constant_bank.hpp"
#include "simulator/occupancy.hpp"
#include "simulator/run_blocks.hpp"
#include "simulator/texture.hpp"

namespace heddle::simulator {
namespace {

// Warp instructions after which a launch without a limit of its own counts as endless: hours.
constexpr std::uint64_t kDefaultLimit = std::uint64_t{1} << 36;

RowStorage fill_pool(const LoweredProgram& program, const ConstantBanks& constants) {
  RowStorage pool(program.pool.size() * kWarpSize);
  for (std::size_t row = 0; row < program.pool.size(); ++row) {
    const PoolRow& source = program.pool[row];
    const std::uint32_t value =
        source.is_constant
            ? static_cast<std::uint32_t>(constants.read(source.bank, source.value, 4))
            : source.value;
    std::fill_n(pool.begin() + static_cast<std::ptrdiff_t>(row * kWarpSize), kWarpSize, value);
  }
  return pool;
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

std::uint64_t resident_blocks(const GpuModel& gpu, const LaunchRequest& request) {
  const isa::Kernel& kernel = *request.kernel;
  const Occupancy fit = occupancy(
      gpu, {.threads_per_block = static_cast<std::uint32_t>(request.block.count()),
            .registers_per_thread = kernel.registers,
            .shared_bytes_per_block = kernel.static_shared_bytes - kernel.reserved_shared_bytes +
                                      request.dynamic_shared_bytes});
  return std::uint64_t{fit.blocks_per_sm} * gpu.sms;
}

PreparedLaunch::PreparedLaunch(const GpuModel& model, DeviceMemory& memory,
                               std::uint64_t stack_bytes, const LaunchRequest& request,
                               const LaunchOptions& options)
    : barrier_(memory, request.cooperative) {
  const Module& module = *request.module;
  context_.request = &request;
  context_.options = &options;
  context_.model = &model;
  context_.memory = &memory;
  context_.reconvergence = options.reconvergence.value_or(model.reconvergence);
  // Counts by instruction are measured with patched code, time without. Who names convergence
  // barriers wants them as they are.
  context_.patched =
      !options.timing && !options.reconvergence && model.reconvergence == Reconvergence::barriers;
  context_.textures = texture_table(memory);
  context_.program = &module.lowered();
  context_.entry = index_of_code_address(module.program().entry(*request.kernel));
  context_.local_bytes = local_bytes(*request.kernel, stack_bytes);
  // Cooperative groups keep the barriers of wide tiles in the system's part, also in kernels that
  // have no shared memory of their own.
  const std::uint32_t reserved =
      model.arch == isa::Arch::sm_90 ? model.shared_bytes_reserved : std::uint32_t{0};
  context_.shared_bytes =
      std::max(request.kernel->static_shared_bytes, reserved) + request.dynamic_shared_bytes;
  context_.warps_per_block =
      static_cast<std::uint32_t>((request.block.count() + kWarpSize - 1) / kWarpSize);
  context_.constants = constant_banks(request, barrier_.address());
  context_.pool = fill_pool(*context_.program, context_.constants);
  context_.instruction_limit =
      options.max_instructions != 0 ? options.max_instructions : kDefaultLimit;
  resident_ = std::max<std::uint64_t>(1, simulator::resident_blocks(model, request));
  // Where functions call themselves, one barrier's register serves several depths. What a program
  // is after are the results of its own code.
  const std::uint64_t entry = code_address_of_index(context_.entry);
  patches_may_deadlock_ = context_.patched && context_.program->facts->kernel(entry).may_recurse;
}

void PreparedLaunch::try_patches() {
  if (patches_may_deadlock_ && deadlocks(context_, resident_)) give_up_patches();
}

BlockRun PreparedLaunch::run() {
  if (!patches_may_deadlock_) return run_grid(context_, resident_);
  if (context_.options->observer != nullptr) {
    try_patches();
  } else {
    if (std::optional<BlockRun> run = run_grid_unless_deadlock(context_, resident_))
      return std::move(*run);
    give_up_patches();
  }
  return run_grid(context_, resident_);
}

void PreparedLaunch::give_up_patches() {
  patches_given_up_ = true;
  context_.patched = false;
}

}  // namespace heddle::simulator
