// Device functions that the driver supplies and compiled code calls by name: vprintf, malloc, free,
// __assertfail, cudaGraphSetConditional, those of the grid's barrier, and those that launch grids.
// They have code addresses below isa::kCodeBase.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/program.hpp"

namespace heddle::simulator {

enum class Builtin : std::uint8_t {
  vprintf,
  malloc,
  free,
  assertfail,
  graph_set_conditional,
  grid_barrier_handle,
  grid_barrier_sync,
  get_parameter_buffer,
  launch_device,
  get_parameter_buffer_v1,
  launch_device_v1,
  get_last_error,
  set_last_error,
  stream_create,
  stream_destroy,
  stream_wait_event,
  event_create,
  event_record,
  event_destroy,
  get_device,
  get_device_count,
  device_get_attribute,
  max_active_blocks,
  max_active_blocks_with_flags,
  unknown,
};

// Those of the grid's barrier and of launches come from libcudadevrt, which nvcc links to such
// code; it translates between them and the functions that programs call.
inline constexpr std::array<std::string_view, 24> kBuiltinNames{
    "vprintf",
    "malloc",
    "free",
    "__assertfail",
    "cudaGraphSetConditional",
    "__cuda_syscall_CGS_get_intrinsic_handle",
    "__cuda_syscall_CGS_sync",
    "__cuda_syscall_cnpv2GetParameterBufferV2",
    "__cuda_syscall_cnpv2LaunchDeviceV2",
    "__cuda_syscall_cnpv2GetParameterBuffer",
    "__cuda_syscall_cnpv2LaunchDevice",
    "__cuda_syscall_cnpv2GetLastError",
    "__cuda_syscall_cnpv2SetLastError",
    "__cuda_syscall_cnpv2StreamCreate",
    "__cuda_syscall_cnpv2StreamDestroy",
    "__cuda_syscall_cnpv2StreamWaitEvent",
    "__cuda_syscall_cnpv2EventCreate",
    "__cuda_syscall_cnpv2EventRecord",
    "__cuda_syscall_cnpv2EventDestroy",
    "__cuda_syscall_cnpv2GetDevice",
    "__cuda_syscall_cnpv2GetDeviceCount",
    "__cuda_syscall_cnpv2DeviceGetAttribute",
    "__cuda_syscall_cnpv2MaxActiveBlocksPerMultiprocessor",
    "__cuda_syscall_cnpv2MaxActiveBlocksPerMultiprocessorWithFlags",
};

// What device code calls of the device runtime (simulator/execute/execute_device_runtime.cpp).
constexpr bool is_device_runtime(Builtin builtin) {
  return builtin >= Builtin::get_parameter_buffer && builtin < Builtin::unknown;
}

// Code address of a function named like this; the address of Builtin::unknown for all others, so
// that a module loads although one of its functions may never be called.
// Code of other compilers than nvcc's (libNVVM) calls cudaGetParameterBufferV2 and its like, which
// libcudadevrt has make of the same functions by older names.
constexpr std::uint64_t builtin_address(std::string_view name) {
  constexpr std::string_view kOlder = "cnp", kNewer = "__cuda_syscall_cnpv2";
  std::uint64_t index = 0;
  if (name.starts_with(kOlder)) {
    const std::string_view rest = name.substr(kOlder.size());
    while (index < kBuiltinNames.size() && !(kBuiltinNames[index].starts_with(kNewer) &&
                                             kBuiltinNames[index].substr(kNewer.size()) == rest))
      ++index;
    return 16 * (index + 1);
  }
  while (index < kBuiltinNames.size() && kBuiltinNames[index] != name) ++index;
  return 16 * (index + 1);
}

constexpr std::optional<Builtin> builtin_at(std::uint64_t code_address) {
  const std::uint64_t index = code_address / 16;
  if (index == 0 || index > kBuiltinNames.size() + 1 || code_address >= isa::kCodeBase)
    return std::nullopt;
  return static_cast<Builtin>(index - 1);
}

}  // namespace heddle::simulator
