#include "gpu/cupti/launch.hpp"

#include "gpu/cupti/check.hpp"

namespace heddle::cupti {
namespace {

bool per_thread_default_stream(CUpti_CallbackId id) {
  return id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz ||
         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz ||
         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
}

CUstream real_stream(CUpti_CallbackId id, CUstream stream) {
  return stream == nullptr && per_thread_default_stream(id) ? CU_STREAM_PER_THREAD : stream;
}

// A launch may name a CUkernel (the runtime loads libraries, not modules) where the type says
// CUfunction.
CUfunction real_function(CUfunction named) {
  int registers = 0;
  if (cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, named) == CUDA_SUCCESS)
    return named;
  CUfunction function = nullptr;
  HEDDLE_CALL(cuKernelGetFunction(&function, reinterpret_cast<CUkernel>(named)));
  return function;
}

template <typename Parameters>
void fill_flat(Launch& launch, const Parameters& p) {
  launch.function = p.f;
  launch.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  launch.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  launch.dynamic_shared_bytes = p.sharedMemBytes;
  launch.stream = real_stream(launch.entry, p.hStream);
}

void fill_from_config(Launch& launch, const cuLaunchKernelEx_params& p) {
  launch.function = p.f;
  launch.grid = {p.config->gridDimX, p.config->gridDimY, p.config->gridDimZ};
  launch.block = {p.config->blockDimX, p.config->blockDimY, p.config->blockDimZ};
  launch.dynamic_shared_bytes = p.config->sharedMemBytes;
  launch.stream = real_stream(launch.entry, p.config->hStream);
}

}  // namespace

std::optional<Launch> launch_of(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  Launch launch;
  launch.entry = id;
  launch.parameters = data.functionParams;
  launch.context = data.context;
  launch.kernel = data.symbolName;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
      fill_flat(launch, *static_cast<const cuLaunchKernel_params*>(data.functionParams));
      return launch;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
      fill_flat(launch, *static_cast<const cuLaunchCooperativeKernel_params*>(data.functionParams));
      return launch;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
      fill_from_config(launch, *static_cast<const cuLaunchKernelEx_params*>(data.functionParams));
      return launch;
    default:
      return std::nullopt;
  }
}

CUresult Launch::again() const {
  switch (entry) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const auto& p = *static_cast<const cuLaunchKernelEx_params*>(parameters);
      CUlaunchConfig config = *p.config;
      config.hStream = stream;
      return cuLaunchKernelEx(&config, p.f, p.kernelParams, p.extra);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
      const auto& p = *static_cast<const cuLaunchCooperativeKernel_params*>(parameters);
      return cuLaunchCooperativeKernel(p.f, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                       dynamic_shared_bytes, stream, p.kernelParams);
    }
    default: {
      const auto& p = *static_cast<const cuLaunchKernel_params*>(parameters);
      return cuLaunchKernel(p.f, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                            dynamic_shared_bytes, stream, p.kernelParams, p.extra);
    }
  }
}

Members Launch::attributes() const {
  const CUfunction real = real_function(function);
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    HEDDLE_CALL(cuFuncGetAttribute(&value, which, real));
    return static_cast<std::uint32_t>(value);
  };
  Members members;
  members.add("registers", attribute(CU_FUNC_ATTRIBUTE_NUM_REGS));
  members.add("static_shared_bytes", attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  members.add("local_bytes", attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
  members.add("constant_bytes", attribute(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
  return members;
}

CUmodule Launch::module() const {
  CUmodule module = nullptr;
  HEDDLE_CALL(cuFuncGetModule(&module, real_function(function)));
  return module;
}

bool Launch::capturing() const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

}  // namespace heddle::cupti
