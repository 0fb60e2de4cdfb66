// What the device runtime answers. Its functions give 0 or one of the driver's own error numbers,
// which libcudadevrt's code translates; a thread's last error is kept as CUDA's number.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "simulator/execute/device_runtime.hpp"
#include "simulator/execute/memory_access.hpp"
#include "simulator/launch/check_launch.hpp"
#include "simulator/launch/device_launches.hpp"
#include "simulator/memory/memory_journal.hpp"
#include "simulator/models/occupancy.hpp"

namespace heddle::simulator {
namespace {

// CUDA's number of the one error that is kept without translation (driver_types.h).
constexpr std::uint32_t kMaxDepthExceeded = 65, kPendingLaunchesExceeded = 69,
                        kInvalidDeviceFunction = 98;
// The driver's numbers. libcudadevrt makes of them, in this order, cudaErrorInvalidValue,
// cudaErrorLaunchOutOfResources and cudaErrorInvalidConfiguration.
constexpr std::uint32_t kInvalidValue = 1, kOutOfResources = 6, kInvalidConfiguration = 7;
constexpr std::uint32_t kDisableTiming = 2;  // the only kind of event there is on the device

DeviceLaunches::Thread thread_of(const Warp& warp, unsigned lane) {
  return {.block = warp.block->linear, .thread = warp.index * kWarpSize + lane};
}

// Arguments: the kernel (2 registers), the grid (3), the block (3), bytes of dynamic shared memory.
// On an H200 a bad configuration gets its buffer too, and its error when it is launched.
std::uint64_t get_parameter_buffer(const Core& core, DeviceLaunches& launches, const Warp& warp,
                                   unsigned lane) {
  const auto dim = [&](unsigned index) {
    return Dim3{argument(warp, index, lane), argument(warp, index + 1, lane),
                argument(warp, index + 2, lane)};
  };
  DeviceLaunch launch{.kernel = register_pair(warp, kFirstArgument, lane),
                      .grid = dim(kFirstArgument + 2),
                      .block = dim(kFirstArgument + 5),
                      .dynamic_shared_bytes = argument(warp, kFirstArgument + 8, lane)};
  const isa::Kernel* kernel = kernel_at(*core.launch.request->module, launch.kernel);
  std::uint64_t buffer = 0;
  const bool too_deep = launches.nesting() >= DeviceLaunches::kMostNesting;
  if (kernel != nullptr && !too_deep) {
    launch.parameter_bytes = kernel->parameter_bytes;
    buffer = launches.prepare(launch, thread_of(warp, lane));
  }
  if (buffer == 0)
    launches.set_last_error(thread_of(warp, lane), kernel == nullptr ? kInvalidDeviceFunction
                                                   : too_deep        ? kMaxDepthExceeded
                                                                     : kPendingLaunchesExceeded);
  return buffer;
}

// Arguments: the alignment, which is never more than that of all buffers, and the bytes.
std::uint64_t get_parameter_buffer_v1(DeviceLaunches& launches, const Warp& warp, unsigned lane) {
  const DeviceLaunches::Thread thread = thread_of(warp, lane);
  const bool too_deep = launches.nesting() >= DeviceLaunches::kMostNesting;
  const std::uint64_t buffer =
      too_deep ? 0 : launches.prepare_bytes(argument(warp, kFirstArgument + 1, lane), thread);
  if (buffer == 0)
    launches.set_last_error(thread, too_deep ? kMaxDepthExceeded : kPendingLaunchesExceeded);
  return buffer;
}

// What an H200 answers (docs/experiments/device-launches.md). Launch bounds are a matter of the
// configuration here, and so is shared memory beyond what a launch has without asking.
std::uint32_t error_of(const GpuModel& gpu, const LaunchRequest& request) {
  const isa::Kernel& kernel = *request.kernel;
  const std::uint64_t shared = kernel.static_shared_bytes - kernel.reserved_shared_bytes +
                               std::uint64_t{request.dynamic_shared_bytes};
  if (shared > gpu.shared_bytes_per_block) return kInvalidConfiguration;
  const auto refusal = check_launch(gpu, request);
  if (!refusal) return 0;
  const bool out_of_registers =
      refusal->cuda_error == "cudaErrorLaunchOutOfResources" &&
      (kernel.max_threads == 0 || request.block.count() <= kernel.max_threads);
  return out_of_registers ? kOutOfResources : kInvalidConfiguration;
}

std::uint32_t launch(const Core& core, DeviceLaunches& launches, std::uint64_t parameters,
                     std::uint64_t stream, DeviceLaunches::Thread thread) {
  if (stream > kFireAndForgetStream && !launches.is_handle(stream)) return kInvalidValue;
  const auto prepared = launches.prepared(parameters);
  if (!prepared) return kInvalidValue;
  Module& module = *core.launch.request->module;
  LaunchRequest request{.module = &module,
                        .kernel = kernel_at(module, prepared->kernel),
                        .grid = prepared->grid,
                        .block = prepared->block,
                        .cluster = {1, 1, 1},
                        .dynamic_shared_bytes = prepared->dynamic_shared_bytes,
                        .cooperative = false,
                        .parameters = {}};
  if (request.kernel == nullptr) return kInvalidValue;
  request.parameters.resize(request.kernel->parameter_bytes);
  if (const std::uint32_t error = error_of(*core.launch.model, request)) return error;
  return launches.launch(parameters, stream, thread) ? 0 : kInvalidValue;
}

// Arguments: the kernel (2 registers), the buffer (2), addresses of grid (2) and block (2), bytes
// of dynamic shared memory (1 and one left out), the stream (2). Nothing: `bad` is an address the
// thread does not have.
std::optional<std::uint32_t> launch_v1(Core& core, DeviceLaunches& launches, Warp& warp,
                                       unsigned lane, std::uint64_t& bad) {
  Dim3 shape[2];
  for (unsigned i = 0; i < 2; ++i) {
    bad = register_pair(warp, kFirstArgument + 4 + 2 * i, lane);
    const std::byte* const from = thread_view(core, warp, lane, bad, sizeof shape[i]);
    if (from == nullptr) return std::nullopt;
    std::memcpy(&shape[i], from, sizeof shape[i]);
  }
  const std::uint64_t code = register_pair(warp, kFirstArgument, lane);
  const std::uint64_t parameters = register_pair(warp, kFirstArgument + 2, lane);
  const isa::Kernel* const kernel = kernel_at(*core.launch.request->module, code);
  if (kernel == nullptr) return kInvalidValue;
  const DeviceLaunch wanted{.kernel = code,
                            .grid = shape[0],
                            .block = shape[1],
                            .dynamic_shared_bytes = argument(warp, kFirstArgument + 8, lane),
                            .parameter_bytes = kernel->parameter_bytes};
  if (!launches.configure(parameters, wanted)) return kInvalidValue;
  return launch(core, launches, parameters, register_pair(warp, kFirstArgument + 10, lane),
                thread_of(warp, lane));
}

// Of cudaDeviceAttr those that a GPU model has; nothing: none of these.
std::optional<std::uint32_t> attribute(const GpuModel& gpu, std::uint32_t number) {
  const std::uint32_t sm = static_cast<std::uint32_t>(isa::sm_number(gpu.arch));
  switch (number) {
    case 1:  // max threads per block
    case 2:  // max block dimension x
    case 3:  // y
      return gpu.max_threads_per_block;
    case 4:  // max block dimension z
      return 64;
    case 5:  // max grid dimension x
      return 0x7fffffff;
    case 6:  // y
    case 7:  // z
      return 65535;
    case 8:
      return static_cast<std::uint32_t>(gpu.shared_bytes_per_block);
    case 10:
      return kWarpSize;
    case 12:
      return gpu.registers_per_block;
    case 16:
      return gpu.sms;
    case 75:
      return sm / 10;
    case 76:
      return sm % 10;
    case 97:
      return static_cast<std::uint32_t>(gpu.shared_bytes_per_block_optin);
    default:
      return std::nullopt;
  }
}

// Arguments: where the answer goes (2 registers), the kernel (2), threads of a block (1 and one
// left out), bytes of dynamic shared memory (2). Nothing: no such kernel, or no such block.
std::optional<std::uint32_t> max_active_blocks(const Core& core, const Warp& warp, unsigned lane) {
  const isa::Kernel* kernel =
      kernel_at(*core.launch.request->module, register_pair(warp, kFirstArgument + 2, lane));
  const std::uint32_t threads = argument(warp, kFirstArgument + 4, lane);
  if (kernel == nullptr || threads == 0 || threads > core.launch.model->max_threads_per_block)
    return std::nullopt;
  const std::uint64_t shared = kernel->static_shared_bytes - kernel->reserved_shared_bytes +
                               register_pair(warp, kFirstArgument + 6, lane);
  if (shared > core.launch.model->shared_bytes_per_block) return 0;
  return occupancy(*core.launch.model,
                   {.threads_per_block = threads,
                    .registers_per_thread = kernel->registers,
                    .shared_bytes_per_block = static_cast<std::uint32_t>(shared)})
      .blocks_per_sm;
}

// Puts an answer where a pointer of the code's points to; false: it is not the thread's memory.
template <typename Value>
bool answer(Core& core, Warp& warp, unsigned lane, std::uint64_t address, Value value) {
  std::byte* const to = thread_view(core, warp, lane, address, sizeof value);
  const bool is_global = window_of(address) == Window::global;
  if (to == nullptr || (is_global && !core.may_write(address, sizeof value))) return false;
  if (core.journal != nullptr && is_global)
    core.journal->before_write({address}, Mask::of(0), sizeof value);
  std::memcpy(to, &value, sizeof value);
  return true;
}

}  // namespace

std::byte* thread_view(Core& core, Warp& warp, unsigned lane, std::uint64_t address,
                       std::uint64_t bytes) {
  switch (window_of(address)) {
    case Window::global:
      return core.resolve(address, bytes);
    case Window::shared:
      return shared_view(core, *warp.block, address & 0xffff'ffff, bytes);
    case Window::local:
      return local_view(core, warp, lane, address, bytes);
  }
  return nullptr;
}

std::optional<BadAddress> call_device_runtime(Core& core, Warp& warp, Mask lanes, Builtin builtin) {
  DeviceLaunches launches(*core.launch.memory, core.journal);
  std::optional<BadAddress> bad;
  for (const unsigned lane : lanes) {
    std::uint32_t& result = argument(warp, kFirstArgument, lane);
    const std::uint64_t pointer = register_pair(warp, kFirstArgument, lane);
    const auto put = [&](auto value) {
      if (!answer(core, warp, lane, pointer, value) && !bad)
        bad = BadAddress{Mask::of(lane), pointer};
      result = 0;
    };
    switch (builtin) {
      case Builtin::get_parameter_buffer:
        set_register_pair(warp, kFirstArgument, lane,
                          get_parameter_buffer(core, launches, warp, lane));
        break;
      case Builtin::launch_device:
        result = launch(core, launches, pointer, register_pair(warp, kFirstArgument + 2, lane),
                        thread_of(warp, lane));
        break;
      case Builtin::get_parameter_buffer_v1:
        set_register_pair(warp, kFirstArgument, lane,
                          get_parameter_buffer_v1(launches, warp, lane));
        break;
      case Builtin::launch_device_v1: {
        std::uint64_t address = 0;
        const auto error = launch_v1(core, launches, warp, lane, address);
        if (!error && !bad) bad = BadAddress{Mask::of(lane), address};
        result = error.value_or(0);
        break;
      }
      case Builtin::get_last_error:
        result = launches.last_error(thread_of(warp, lane));
        break;
      case Builtin::set_last_error:
        launches.set_last_error(thread_of(warp, lane), result);
        break;
      case Builtin::event_create:
        if (argument(warp, kFirstArgument + 2, lane) != kDisableTiming) {
          result = kInvalidValue;
          break;
        }
        [[fallthrough]];
      case Builtin::stream_create:
        put(launches.new_handle());
        break;
      case Builtin::get_device:
        put(std::uint32_t{0});
        break;
      case Builtin::get_device_count:
        put(std::uint32_t{1});
        break;
      case Builtin::device_get_attribute: {
        const std::uint32_t number = argument(warp, kFirstArgument + 2, lane);
        const auto value = attribute(*core.launch.model, number);
        put(value.value_or(0));
        if (!value) result = kInvalidValue;
        break;
      }
      case Builtin::max_active_blocks:
      case Builtin::max_active_blocks_with_flags: {
        const auto blocks = max_active_blocks(core, warp, lane);
        put(blocks.value_or(0));
        if (!blocks) result = kInvalidValue;
        break;
      }
      default:  // orders that the order of launching keeps anyway
        result = 0;
    }
  }
  return bad;
}

}  // namespace heddle::simulator
