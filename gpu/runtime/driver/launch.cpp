// Launching kernels, and what can be asked of and set on them.
#include <algorithm>
#include <cstring>

#include "gpu/runtime/driver/api.hpp"
#include "gpu/runtime/driver/parameters.hpp"

namespace heddle::runtime::driver {
namespace {

Error launch(const LaunchConfig& config, abi::Handle function, void** parameters, void** extra) {
  const abi::LaunchConfig given{config.grid,   config.block,      config.shared_bytes,
                                config.stream, config.attributes, config.attribute_count};
  if (parameters != nullptr && extra != nullptr) return Error::invalid_value;
  const Parameters packed(function, parameters, extra);
  if (!packed.fit()) return Error::launch_out_of_resources;  // what an H200's driver says
  return cudaLaunchKernelExC(&given, function, packed.pointers());
}

}  // namespace

HEDDLE_DRIVER_STREAM_API(cuLaunchKernel, _ptsz,
                         (abi::Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared_bytes, abi::Handle stream, void** parameters,
                          void** extra),
                         (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                          stream, parameters, extra)) {
  return forward([&] {
    return launch({{grid_x, grid_y, grid_z},
                   {block_x, block_y, block_z},
                   shared_bytes,
                   in_stream<kPerThread>(stream),
                   nullptr,
                   0},
                  function, parameters, extra);
  });
}

HEDDLE_DRIVER_STREAM_API(cuLaunchKernelEx, _ptsz,
                         (const LaunchConfig* config, abi::Handle function, void** parameters,
                          void** extra),
                         (config, function, parameters, extra)) {
  if (config == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] {
    LaunchConfig with_stream = *config;
    with_stream.stream = in_stream<kPerThread>(config->stream);
    return launch(with_stream, function, parameters, extra);
  });
}

HEDDLE_DRIVER_STREAM_API(cuLaunchCooperativeKernel, _ptsz,
                         (abi::Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared_bytes, abi::Handle stream, void** parameters),
                         (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                          stream, parameters)) {
  return forward([&] {
    return cudaLaunchCooperativeKernel(function, {grid_x, grid_y, grid_z},
                                       {block_x, block_y, block_z}, parameters, shared_bytes,
                                       in_stream<kPerThread>(stream));
  });
}

HEDDLE_DRIVER_API Result cuFuncGetAttribute(int* value, int attribute, abi::Handle function) {
  if (value == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] {
    abi::FuncAttributes all;
    const Error error = cudaFuncGetAttributes(&all, function);
    if (error != Error::success) return error;
    // In the order of CUfunction_attribute.
    const int values[] = {all.maxThreadsPerBlock,
                          static_cast<int>(all.sharedSizeBytes),
                          static_cast<int>(all.constSizeBytes),
                          static_cast<int>(all.localSizeBytes),
                          all.numRegs,
                          all.ptxVersion,
                          all.binaryVersion,
                          all.cacheModeCA,
                          all.maxDynamicSharedSizeBytes,
                          all.preferredShmemCarveout,
                          all.clusterDimMustBeSet,
                          all.requiredClusterWidth,
                          all.requiredClusterHeight,
                          all.requiredClusterDepth,
                          all.nonPortableClusterSizeAllowed,
                          all.clusterSchedulingPolicyPreference};
    if (attribute < 0 || attribute >= static_cast<int>(std::size(values)))
      return Error::invalid_value;
    *value = values[attribute];
    return Error::success;
  });
}

HEDDLE_DRIVER_API Result cuFuncSetAttribute(abi::Handle function, int attribute, int value) {
  return forward(
      [&] { return cudaFuncSetAttribute(function, abi::FunctionAttribute{attribute}, value); });
}
HEDDLE_DRIVER_API Result cuKernelGetAttribute(int* value, int attribute, abi::Handle kernel, int) {
  return cuFuncGetAttribute(value, attribute, kernel);
}
HEDDLE_DRIVER_API Result cuKernelSetAttribute(int attribute, int value, abi::Handle kernel, int) {
  return cuFuncSetAttribute(kernel, attribute, value);
}
HEDDLE_DRIVER_API Result cuFuncSetCacheConfig(abi::Handle function, int config) {
  return forward([&] { return cudaFuncSetCacheConfig(function, config); });
}
HEDDLE_DRIVER_API Result cuKernelSetCacheConfig(abi::Handle kernel, int config, int) {
  return cuFuncSetCacheConfig(kernel, config);
}
HEDDLE_DRIVER_API Result cuFuncSetSharedMemConfig(abi::Handle, int) { return Result::CUDA_SUCCESS; }
HEDDLE_DRIVER_API Result cuFuncGetName(const char** name, abi::Handle function) {
  return forward([&] { return cudaFuncGetName(name, function); });
}
HEDDLE_DRIVER_API Result cuKernelGetName(const char** name, abi::Handle kernel) {
  return cuFuncGetName(name, kernel);
}
HEDDLE_DRIVER_API Result cuFuncGetParamInfo(abi::Handle function, std::size_t index,
                                            std::size_t* offset, std::size_t* bytes) {
  return forward([&] { return cudaFuncGetParamInfo(function, index, offset, bytes); });
}
HEDDLE_DRIVER_API Result cuKernelGetParamInfo(abi::Handle kernel, std::size_t index,
                                              std::size_t* offset, std::size_t* bytes) {
  return cuFuncGetParamInfo(kernel, index, offset, bytes);
}
HEDDLE_DRIVER_API Result cuFuncLoad(abi::Handle) { return Result::CUDA_SUCCESS; }
HEDDLE_DRIVER_API Result cuFuncIsLoaded(int* state, abi::Handle) {
  constexpr int kLoaded = 1;
  if (state == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  *state = kLoaded;
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, abi::Handle function, int threads, std::size_t shared_bytes, unsigned flags) {
  return forward([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                  shared_bytes, flags);
  });
}
HEDDLE_DRIVER_API Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                                     abi::Handle function,
                                                                     int threads,
                                                                     std::size_t shared_bytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                              shared_bytes, 0);
}

HEDDLE_DRIVER_API Result cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes,
                                                                 abi::Handle function, int blocks,
                                                                 int threads) {
  return forward(
      [&] { return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads); });
}

static abi::LaunchConfig as_runtime(const LaunchConfig& config) {
  return {config.grid,   config.block,      config.shared_bytes,
          config.stream, config.attributes, config.attribute_count};
}
HEDDLE_DRIVER_API Result cuOccupancyMaxActiveClusters(int* clusters, abi::Handle function,
                                                      const LaunchConfig* config) {
  if (config == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] {
    const abi::LaunchConfig same = as_runtime(*config);
    return cudaOccupancyMaxActiveClusters(clusters, function, &same);
  });
}
HEDDLE_DRIVER_API Result cuOccupancyMaxPotentialClusterSize(int* size, abi::Handle function,
                                                            const LaunchConfig* config) {
  if (config == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] {
    const abi::LaunchConfig same = as_runtime(*config);
    return cudaOccupancyMaxPotentialClusterSize(size, function, &same);
  });
}

// The block size that fills an SM best, the largest of those; and how many such blocks fill the
// GPU.
HEDDLE_DRIVER_API Result cuOccupancyMaxPotentialBlockSize(int* grid, int* block,
                                                          abi::Handle function,
                                                          std::size_t (*shared_of)(int),
                                                          std::size_t shared_bytes, int limit) {
  if (grid == nullptr || block == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] {
    constexpr int kWarp = 32, kSmCount = 16;
    abi::FuncAttributes attributes;
    int sms = 0, best = 0;
    Error error = cudaFuncGetAttributes(&attributes, function);
    if (error == Error::success) error = cudaDeviceGetAttribute(&sms, kSmCount, 0);
    if (error != Error::success) return error;
    const int most =
        limit > 0 ? std::min(limit, attributes.maxThreadsPerBlock) : attributes.maxThreadsPerBlock;
    for (int rounded = (most + kWarp - 1) / kWarp * kWarp; rounded > 0; rounded -= kWarp) {
      const int threads = std::min(rounded, most);
      int blocks = 0;
      error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
          &blocks, function, threads, shared_of != nullptr ? shared_of(threads) : shared_bytes, 0);
      if (error != Error::success) return error;
      if (blocks * threads <= best) continue;
      best = blocks * threads;
      *block = threads;
      *grid = blocks * sms;
    }
    return best == 0 ? Error::invalid_value : Error::success;
  });
}

HEDDLE_DRIVER_API Result cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block,
                                                                   abi::Handle function,
                                                                   std::size_t (*shared_of)(int),
                                                                   std::size_t shared_bytes,
                                                                   int limit, unsigned flags) {
  constexpr unsigned kDisableCachingOverride = 1;
  if (flags > kDisableCachingOverride) return Result::CUDA_ERROR_INVALID_VALUE;
  return cuOccupancyMaxPotentialBlockSize(grid, block, function, shared_of, shared_bytes, limit);
}

}  // namespace heddle::runtime::driver
