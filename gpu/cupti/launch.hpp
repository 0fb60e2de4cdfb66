// A kernel launch as the driver API was asked for it, whichever entry point was used.
#pragma once

#include <cuda.h>
#include <cupti.h>

#include <array>
#include <cstdint>
#include <optional>

#include "gpu/cupti/json.hpp"

namespace heddle::cupti {

struct Launch {
  CUpti_CallbackId entry = 0;
  const void* parameters = nullptr;  // valid while the call is under way
  CUfunction function = nullptr;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint32_t dynamic_shared_bytes = 0;
  const char* kernel = nullptr;  // mangled

  // Asks for the same launch again.
  CUresult again() const;
  // Registers, static shared and local bytes, as the driver gives them for the function.
  Members attributes() const;
  // The module the function belongs to.
  CUmodule module() const;
  bool capturing() const;
};

// The driver entry points that launch a kernel.
inline constexpr CUpti_CallbackId kLaunchEntries[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz};

// Nothing when `id` is none of kLaunchEntries.
std::optional<Launch> launch_of(CUpti_CallbackId id, const CUpti_CallbackData& data);

}  // namespace heddle::cupti
