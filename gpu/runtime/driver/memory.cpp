// Memory: allocation, copies, fills.
#include <algorithm>
#include <vector>

#include "gpu/runtime/driver/api.hpp"

namespace heddle::runtime::driver {
namespace {

constexpr auto kAnywhere = abi::MemcpyKind::by_address;

abi::Handle per_thread() { return reinterpret_cast<abi::Handle>(abi::kStreamPerThread); }

Error copy(void* to, const void* from, std::size_t bytes, abi::MemcpyKind kind, abi::Handle stream,
           bool wait) {
  const Error error = cudaMemcpyAsync(to, from, bytes, kind, stream);
  return error == Error::success && wait ? cudaStreamSynchronize(stream) : error;
}

template <typename Value>
Error fill(DevicePointer to, Value value, std::size_t count, abi::Handle stream) {
  if constexpr (sizeof value == 1) return cudaMemsetAsync(at(to), value, count, stream);
  const std::vector<Value> values(count, value);
  if (to % sizeof value != 0) return Error::invalid_value;
  return copy(at(to), values.data(), count * sizeof value, kAnywhere, stream, true);
}

}  // namespace

HEDDLE_DRIVER_API Result cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  return forward([&] { return cudaMemGetInfo(free_bytes, total_bytes); });
}

HEDDLE_DRIVER_API Result cuMemAlloc_v2(DevicePointer* address, std::size_t bytes) {
  if (address == nullptr || bytes == 0) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] { return cudaMalloc(reinterpret_cast<void**>(address), bytes); });
}

HEDDLE_DRIVER_API Result cuMemAllocPitch_v2(DevicePointer* address, std::size_t* pitch,
                                            std::size_t width, std::size_t height, unsigned) {
  return forward(
      [&] { return cudaMallocPitch(reinterpret_cast<void**>(address), pitch, width, height); });
}

HEDDLE_DRIVER_API Result cuMemAllocManaged(DevicePointer* address, std::size_t bytes,
                                           unsigned flags) {
  return forward(
      [&] { return cudaMallocManaged(reinterpret_cast<void**>(address), bytes, flags); });
}

HEDDLE_DRIVER_API Result cuMemFree_v2(DevicePointer address) {
  return forward([&] { return cudaFree(at(address)); });
}

HEDDLE_DRIVER_STREAM_API(cuMemAllocAsync, _ptsz,
                         (DevicePointer * address, std::size_t bytes, abi::Handle stream),
                         (address, bytes, stream)) {
  return forward([&] {
    return cudaMallocAsync(reinterpret_cast<void**>(address), bytes, in_stream<kPerThread>(stream));
  });
}

HEDDLE_DRIVER_STREAM_API(cuMemFreeAsync, _ptsz, (DevicePointer address, abi::Handle stream),
                         (address, stream)) {
  return forward([&] { return cudaFreeAsync(at(address), in_stream<kPerThread>(stream)); });
}

HEDDLE_DRIVER_API Result cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return forward([&] { return cudaHostAlloc(pointer, bytes, flags); });
}
HEDDLE_DRIVER_API Result cuMemAllocHost_v2(void** pointer, std::size_t bytes) {
  return forward([&] { return cudaHostAlloc(pointer, bytes, 0); });
}
HEDDLE_DRIVER_API Result cuMemFreeHost(void* pointer) {
  return forward([&] { return cudaFreeHost(pointer); });
}
HEDDLE_DRIVER_API Result cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned flags) {
  return forward([&] { return cudaHostRegister(pointer, bytes, flags); });
}
HEDDLE_DRIVER_API Result cuMemHostUnregister(void* pointer) {
  return forward([&] { return cudaHostUnregister(pointer); });
}
HEDDLE_DRIVER_API Result cuMemHostGetDevicePointer_v2(DevicePointer* address, void* host,
                                                      unsigned flags) {
  return forward(
      [&] { return cudaHostGetDevicePointer(reinterpret_cast<void**>(address), host, flags); });
}
HEDDLE_DRIVER_API Result cuMemHostGetFlags(unsigned* flags, void* host) {
  return forward([&] { return cudaHostGetFlags(flags, host); });
}

// Copies that wait: in the stream of their default, and until they are done.
#define HEDDLE_COPY(name, to_type, to_pointer, from_type, from_pointer)                        \
  HEDDLE_DRIVER_API Result name(to_type to, from_type from, std::size_t bytes) {               \
    return forward(                                                                            \
        [&] { return copy(to_pointer, from_pointer, bytes, kAnywhere, nullptr, true); });      \
  }                                                                                            \
  HEDDLE_DRIVER_API Result name##_ptds(to_type to, from_type from, std::size_t bytes) {        \
    return forward(                                                                            \
        [&] { return copy(to_pointer, from_pointer, bytes, kAnywhere, per_thread(), true); }); \
  }
HEDDLE_COPY(cuMemcpyHtoD_v2, DevicePointer, at(to), const void*, from)
HEDDLE_COPY(cuMemcpyDtoH_v2, void*, to, DevicePointer, at(from))
HEDDLE_COPY(cuMemcpyDtoD_v2, DevicePointer, at(to), DevicePointer, at(from))
HEDDLE_COPY(cuMemcpy, DevicePointer, at(to), DevicePointer, at(from))
#undef HEDDLE_COPY

#define HEDDLE_COPY_ASYNC(name, to_type, to_pointer, from_type, from_pointer)                   \
  HEDDLE_DRIVER_STREAM_API(name, _ptsz,                                                         \
                           (to_type to, from_type from, std::size_t bytes, abi::Handle s),      \
                           (to, from, bytes, s)) {                                              \
    return forward([&] {                                                                        \
      return copy(to_pointer, from_pointer, bytes, kAnywhere, in_stream<kPerThread>(s), false); \
    });                                                                                         \
  }
HEDDLE_COPY_ASYNC(cuMemcpyHtoDAsync_v2, DevicePointer, at(to), const void*, from)
HEDDLE_COPY_ASYNC(cuMemcpyDtoHAsync_v2, void*, to, DevicePointer, at(from))
HEDDLE_COPY_ASYNC(cuMemcpyDtoDAsync_v2, DevicePointer, at(to), DevicePointer, at(from))
HEDDLE_COPY_ASYNC(cuMemcpyAsync, DevicePointer, at(to), DevicePointer, at(from))
#undef HEDDLE_COPY_ASYNC

#define HEDDLE_FILL(name, async_name, type)                                                       \
  HEDDLE_DRIVER_STREAM_API(name, _ptds, (DevicePointer to, type value, std::size_t count),        \
                           (to, value, count)) {                                                  \
    return forward([&] { return fill(to, value, count, in_stream<kPerThread>(nullptr)); });       \
  }                                                                                               \
  HEDDLE_DRIVER_STREAM_API(async_name, _ptsz,                                                     \
                           (DevicePointer to, type value, std::size_t count, abi::Handle stream), \
                           (to, value, count, stream)) {                                          \
    return forward([&] { return fill(to, value, count, in_stream<kPerThread>(stream)); });        \
  }
HEDDLE_FILL(cuMemsetD8_v2, cuMemsetD8Async, unsigned char)
HEDDLE_FILL(cuMemsetD16_v2, cuMemsetD16Async, unsigned short)
HEDDLE_FILL(cuMemsetD32_v2, cuMemsetD32Async, unsigned)
#undef HEDDLE_FILL

// Attributes of pointers (CUpointer_attribute).
HEDDLE_DRIVER_API Result cuPointerGetAttribute(void* data, int attribute, DevicePointer address) {
  constexpr int kMemoryType = 2, kDevicePointer = 3, kHostPointer = 4, kIsManaged = 8, kOrdinal = 9;
  if (data == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] {
    abi::PointerAttributes found;
    const Error error = cudaPointerGetAttributes(&found, at(address));
    if (error != Error::success) return error;
    if (found.type == abi::MemoryType::unregistered) return Error::invalid_value;
    const bool on_host = found.type == abi::MemoryType::host;
    switch (attribute) {
      case kMemoryType:
        *static_cast<unsigned*>(data) = on_host ? 1 : 2;
        return Error::success;
      case kDevicePointer:
        *static_cast<void**>(data) = found.devicePointer;
        return Error::success;
      case kHostPointer:
        *static_cast<void**>(data) = found.hostPointer;
        return found.hostPointer == nullptr ? Error::invalid_value : Error::success;
      case kIsManaged:
        *static_cast<unsigned*>(data) = found.type == abi::MemoryType::managed;
        return Error::success;
      case kOrdinal:
        *static_cast<int*>(data) = found.device;
        return Error::success;
      default:
        return Error::not_supported;
    }
  });
}

}  // namespace heddle::runtime::driver
