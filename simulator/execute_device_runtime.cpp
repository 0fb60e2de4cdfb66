// What the device runtime answers. Its functions give 0 or one of the driver's own error numbers,
// which libcudadevrt's code translates; a thread's last error is kept as CUDA's number.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "simulator/check_launch.hpp"
#include "simulator/device_launches.hpp"
#include "simulator/device_runtime.hpp"
#include "simulator/memory_access.hpp"
#include "simulator/memory_journal.hpp"

namespace heddle::simulator {
namespace {

// CUDA's numbers (driver_types.h).
constexpr std::uint32_t kInvalidValue = 1, kInvalidConfiguration = 9, kPendingLaunchesExceeded = 69,
                        kInvalidDeviceFunction = 98, kOutOfResources = 701;
// The driver's, of which libcudadevrt makes cudaErrorInvalidValue.
constexpr std::uint32_t kDriverInvalidValue = 1;

DeviceLaunches::Thread thread_of(const Warp& warp, unsigned lane) {
  return {.block = warp.block->linear, .thread = warp.index * kWarpSize + lane};
}

std::uint32_t error_of(std::string_view refusal) {
  return refusal == "cudaErrorLaunchOutOfResources" ? kOutOfResources : kInvalidConfiguration;
}

// Arguments: the kernel (2 registers), the grid (3), the block (3), bytes of dynamic shared memory.
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
  Module& module = *core.launch.request->module;
  const auto& kernels = module.cubin().kernels;
  const auto kernel = std::ranges::find_if(
      kernels, [&](const auto& each) { return module.program().entry(each) == launch.kernel; });
  const auto refuse = [&](std::uint32_t error) {
    launches.set_last_error(thread_of(warp, lane), error);
    return std::uint64_t{0};
  };
  if (kernel == kernels.end()) return refuse(kInvalidDeviceFunction);
  launch.parameter_bytes = kernel->parameter_bytes;
  LaunchRequest request{.module = &module,
                        .kernel = &*kernel,
                        .grid = launch.grid,
                        .block = launch.block,
                        .cluster = {1, 1, 1},
                        .dynamic_shared_bytes = launch.dynamic_shared_bytes,
                        .cooperative = false,
                        .parameters = {}};
  request.parameters.resize(kernel->parameter_bytes);
  if (const auto refusal = check_launch(*core.launch.model, request))
    return refuse(error_of(refusal->cuda_error));
  const std::uint64_t buffer = launches.prepare(launch);
  return buffer != 0 ? buffer : refuse(kPendingLaunchesExceeded);
}

// Puts an answer where a pointer of the code's points to; false: it is not the thread's memory.
template <typename Value>
bool answer(Core& core, Warp& warp, unsigned lane, std::uint64_t address, Value value) {
  std::byte* const to = thread_view(core, warp, lane, address, sizeof value);
  if (to == nullptr) return false;
  if (core.journal != nullptr && window_of(address) == Window::global)
    core.journal->before_write({address}, 1, sizeof value);
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
  for_each_lane(lanes, [&](unsigned lane) {
    std::uint32_t& result = argument(warp, kFirstArgument, lane);
    const std::uint64_t pointer = register_pair(warp, kFirstArgument, lane);
    const auto put = [&](auto value) {
      if (!answer(core, warp, lane, pointer, value) && !bad)
        bad = BadAddress{Mask{1} << lane, pointer};
      result = 0;
    };
    switch (builtin) {
      case Builtin::get_parameter_buffer:
        set_register_pair(warp, kFirstArgument, lane,
                          get_parameter_buffer(core, launches, warp, lane));
        break;
      case Builtin::launch_device:
        result = launches.launch(pointer, register_pair(warp, kFirstArgument + 2, lane))
                     ? 0
                     : kDriverInvalidValue;
        break;
      case Builtin::get_last_error:
        result = launches.last_error(thread_of(warp, lane));
        break;
      case Builtin::set_last_error:
        launches.set_last_error(thread_of(warp, lane), result);
        break;
      case Builtin::stream_create:
      case Builtin::event_create:
        put(launches.new_handle());
        break;
      case Builtin::get_device:
        put(std::uint32_t{0});
        break;
      case Builtin::get_device_count:
        put(std::uint32_t{1});
        break;
      default:  // orders that the order of launching keeps anyway
        result = 0;
    }
  });
  return bad;
}

}  // namespace heddle::simulator
