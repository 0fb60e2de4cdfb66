// Memory: allocation, copies, fills.
#include "gpu/runtime/driver/api.hpp"
#include "gpu/runtime/driver/support.hpp"

namespace heddle::runtime::driver {
namespace {

// What is said to be the device's must be there; the host's may be anywhere.
constexpr auto kAnywhere = abi::MemcpyKind::by_address;
constexpr auto kToDevice = abi::MemcpyKind::host_to_device;
constexpr auto kFromDevice = abi::MemcpyKind::device_to_host;
constexpr auto kWithinDevice = abi::MemcpyKind::device_to_device;

abi::Handle per_thread() { return reinterpret_cast<abi::Handle>(abi::kStreamPerThread); }

Error copy(void* to, const void* from, std::size_t bytes, abi::MemcpyKind kind, abi::Handle stream,
           bool wait) {
  if (!wait) return cudaMemcpyAsync(to, from, bytes, kind, stream);
  return stream == nullptr ? cudaMemcpy(to, from, bytes, kind)
                           : cudaMemcpy_ptds(to, from, bytes, kind);
}

template <typename Value>
Error fill(DevicePointer to, std::size_t pitch, Value value, std::size_t width, std::size_t height,
           abi::Handle stream, bool wait) {
  return support().fill(at(to), pitch, value, sizeof value, width, height, stream, wait);
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
                                            std::size_t width, std::size_t height,
                                            unsigned element) {
  if (element != 4 && element != 8 && element != 16) return Result::CUDA_ERROR_INVALID_VALUE;
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
#define HEDDLE_COPY(name, kind, to_type, to_pointer, from_type, from_pointer)                   \
  HEDDLE_DRIVER_API Result name(to_type to, from_type from, std::size_t bytes) {                \
    return forward([&] { return copy(to_pointer, from_pointer, bytes, kind, nullptr, true); }); \
  }                                                                                             \
  HEDDLE_DRIVER_API Result name##_ptds(to_type to, from_type from, std::size_t bytes) {         \
    return forward(                                                                             \
        [&] { return copy(to_pointer, from_pointer, bytes, kind, per_thread(), true); });       \
  }
HEDDLE_COPY(cuMemcpyHtoD_v2, kToDevice, DevicePointer, at(to), const void*, from)
HEDDLE_COPY(cuMemcpyDtoH_v2, kFromDevice, void*, to, DevicePointer, at(from))
HEDDLE_COPY(cuMemcpyDtoD_v2, kWithinDevice, DevicePointer, at(to), DevicePointer, at(from))
HEDDLE_COPY(cuMemcpy, kAnywhere, DevicePointer, at(to), DevicePointer, at(from))
#undef HEDDLE_COPY

#define HEDDLE_COPY_ASYNC(name, kind, to_type, to_pointer, from_type, from_pointer)        \
  HEDDLE_DRIVER_STREAM_API(name, _ptsz,                                                    \
                           (to_type to, from_type from, std::size_t bytes, abi::Handle s), \
                           (to, from, bytes, s)) {                                         \
    return forward([&] {                                                                   \
      return copy(to_pointer, from_pointer, bytes, kind, in_stream<kPerThread>(s), false); \
    });                                                                                    \
  }
HEDDLE_COPY_ASYNC(cuMemcpyHtoDAsync_v2, kToDevice, DevicePointer, at(to), const void*, from)
HEDDLE_COPY_ASYNC(cuMemcpyDtoHAsync_v2, kFromDevice, void*, to, DevicePointer, at(from))
HEDDLE_COPY_ASYNC(cuMemcpyDtoDAsync_v2, kWithinDevice, DevicePointer, at(to), DevicePointer,
                  at(from))
HEDDLE_COPY_ASYNC(cuMemcpyAsync, kAnywhere, DevicePointer, at(to), DevicePointer, at(from))
#undef HEDDLE_COPY_ASYNC

#define HEDDLE_FILL(name, async_name, type)                                                       \
  HEDDLE_DRIVER_STREAM_API(name, _ptds, (DevicePointer to, type value, std::size_t count),        \
                           (to, value, count)) {                                                  \
    return forward(                                                                               \
        [&] { return fill(to, 0, value, count, 1, in_stream<kPerThread>(nullptr), true); });      \
  }                                                                                               \
  HEDDLE_DRIVER_STREAM_API(async_name, _ptsz,                                                     \
                           (DevicePointer to, type value, std::size_t count, abi::Handle stream), \
                           (to, value, count, stream)) {                                          \
    return forward(                                                                               \
        [&] { return fill(to, 0, value, count, 1, in_stream<kPerThread>(stream), false); });      \
  }
HEDDLE_FILL(cuMemsetD8_v2, cuMemsetD8Async, unsigned char)
HEDDLE_FILL(cuMemsetD16_v2, cuMemsetD16Async, unsigned short)
HEDDLE_FILL(cuMemsetD32_v2, cuMemsetD32Async, unsigned)
#undef HEDDLE_FILL

#define HEDDLE_FILL_ROWS(name, async_name, type)                                                \
  HEDDLE_DRIVER_STREAM_API(                                                                     \
      name, _ptds,                                                                              \
      (DevicePointer to, std::size_t pitch, type value, std::size_t width, std::size_t height), \
      (to, pitch, value, width, height)) {                                                      \
    return forward([&] {                                                                        \
      return fill(to, pitch, value, width, height, in_stream<kPerThread>(nullptr), true);       \
    });                                                                                         \
  }                                                                                             \
  HEDDLE_DRIVER_STREAM_API(async_name, _ptsz,                                                   \
                           (DevicePointer to, std::size_t pitch, type value, std::size_t width, \
                            std::size_t height, abi::Handle stream),                            \
                           (to, pitch, value, width, height, stream)) {                         \
    return forward([&] {                                                                        \
      return fill(to, pitch, value, width, height, in_stream<kPerThread>(stream), false);       \
    });                                                                                         \
  }
HEDDLE_FILL_ROWS(cuMemsetD2D8_v2, cuMemsetD2D8Async, unsigned char)
HEDDLE_FILL_ROWS(cuMemsetD2D16_v2, cuMemsetD2D16Async, unsigned short)
HEDDLE_FILL_ROWS(cuMemsetD2D32_v2, cuMemsetD2D32Async, unsigned)
#undef HEDDLE_FILL_ROWS

// Addresses say whose memory it is.
#define HEDDLE_PEER_COPY(name, copy_call)                                           \
  HEDDLE_DRIVER_API Result name(DevicePointer to, void*, DevicePointer from, void*, \
                                std::size_t bytes) {                                \
    return copy_call(to, from, bytes);                                              \
  }
HEDDLE_PEER_COPY(cuMemcpyPeer, cuMemcpyDtoD_v2)
HEDDLE_PEER_COPY(cuMemcpyPeer_ptds, cuMemcpyDtoD_v2_ptds)
#undef HEDDLE_PEER_COPY
HEDDLE_DRIVER_STREAM_API(cuMemcpyPeerAsync, _ptsz,
                         (DevicePointer to, void* to_context, DevicePointer from,
                          void* from_context, std::size_t bytes, abi::Handle stream),
                         (to, to_context, from, from_context, bytes, stream)) {
  static_cast<void>(to_context), static_cast<void>(from_context);
  return forward([&] {
    return copy(at(to), at(from), bytes, kWithinDevice, in_stream<kPerThread>(stream), false);
  });
}

HEDDLE_DRIVER_STREAM_API(cuMemcpyBatchAsync_v2, _ptsz,
                         (DevicePointer * to, DevicePointer* from, std::size_t* bytes,
                          std::size_t count, void* attributes, std::size_t* attribute_of,
                          std::size_t attribute_count, abi::Handle stream),
                         (to, from, bytes, count, attributes, attribute_of, attribute_count,
                          stream)) {
  return forward([&] {
    return cudaMemcpyBatchAsync(
        reinterpret_cast<void* const*>(to), reinterpret_cast<const void* const*>(from), bytes,
        count, attributes, attribute_of, attribute_count, in_stream<kPerThread>(stream));
  });
}

HEDDLE_DRIVER_STREAM_API(cuMemcpyBatchAsync, _ptsz,
                         (DevicePointer * to, DevicePointer* from, std::size_t* bytes,
                          std::size_t count, void* attributes, std::size_t* attribute_of,
                          std::size_t attribute_count, std::size_t* failed, abi::Handle stream),
                         (to, from, bytes, count, attributes, attribute_of, attribute_count, failed,
                          stream)) {
  if (failed != nullptr) *failed = ~std::size_t{0};  // which one is not told
  return forward([&] {
    return cudaMemcpyBatchAsync(
        reinterpret_cast<void* const*>(to), reinterpret_cast<const void* const*>(from), bytes,
        count, attributes, attribute_of, attribute_count, in_stream<kPerThread>(stream));
  });
}

// Managed memory.
HEDDLE_DRIVER_API Result cuMemAdvise_v2(DevicePointer address, std::size_t bytes, int what,
                                        abi::MemLocation location) {
  return forward([&] { return cudaMemAdvise(at(address), bytes, what, location); });
}
HEDDLE_DRIVER_STREAM_API(cuMemPrefetchAsync_v2, _ptsz,
                         (DevicePointer address, std::size_t bytes, abi::MemLocation location,
                          unsigned flags, abi::Handle stream),
                         (address, bytes, location, flags, stream)) {
  return forward([&] {
    return cudaMemPrefetchAsync(at(address), bytes, location, flags, in_stream<kPerThread>(stream));
  });
}
HEDDLE_DRIVER_STREAM_API(cuMemPrefetchBatchAsync, _ptsz,
                         (void** addresses, std::size_t* bytes, std::size_t count,
                          abi::MemLocation* locations, std::size_t* first_of,
                          std::size_t location_count, unsigned long long flags, abi::Handle stream),
                         (addresses, bytes, count, locations, first_of, location_count, flags,
                          stream)) {
  return forward([&] {
    return cudaMemPrefetchBatchAsync(addresses, bytes, count, locations, first_of, location_count,
                                     flags, in_stream<kPerThread>(stream));
  });
}
HEDDLE_DRIVER_STREAM_API(cuMemDiscardBatchAsync, _ptsz,
                         (void** addresses, std::size_t* bytes, std::size_t count,
                          unsigned long long flags, abi::Handle stream),
                         (addresses, bytes, count, flags, stream)) {
  return forward([&] {
    return cudaMemDiscardBatchAsync(addresses, bytes, count, flags, in_stream<kPerThread>(stream));
  });
}
HEDDLE_DRIVER_STREAM_API(cuMemDiscardAndPrefetchBatchAsync, _ptsz,
                         (void** addresses, std::size_t* bytes, std::size_t count,
                          abi::MemLocation* locations, std::size_t* first_of,
                          std::size_t location_count, unsigned long long flags, abi::Handle stream),
                         (addresses, bytes, count, locations, first_of, location_count, flags,
                          stream)) {
  return forward([&] {
    return cudaMemDiscardAndPrefetchBatchAsync(addresses, bytes, count, locations, first_of,
                                               location_count, flags,
                                               in_stream<kPerThread>(stream));
  });
}
HEDDLE_DRIVER_API Result cuMemRangeGetAttribute(void* data, std::size_t data_bytes, int attribute,
                                                DevicePointer address, std::size_t bytes) {
  return forward(
      [&] { return cudaMemRangeGetAttribute(data, data_bytes, attribute, at(address), bytes); });
}
HEDDLE_DRIVER_API Result cuMemRangeGetAttributes(void** data, std::size_t* data_bytes,
                                                 int* attributes, std::size_t count,
                                                 DevicePointer address, std::size_t bytes) {
  return forward([&] {
    return cudaMemRangeGetAttributes(data, data_bytes, attributes, count, at(address), bytes);
  });
}

HEDDLE_DRIVER_API Result cuMemGetAddressRange_v2(DevicePointer* base, std::size_t* bytes,
                                                 DevicePointer address) {
  std::uint64_t first = 0, length = 0;
  const Result result = forward([&] { return support().find_memory(address, &first, &length); });
  if (result == Result::CUDA_ERROR_INVALID_VALUE) return Result::CUDA_ERROR_NOT_FOUND;
  if (result != Result::CUDA_SUCCESS) return result;
  if (base != nullptr) *base = first;
  if (bytes != nullptr) *bytes = length;
  return result;
}

// Memory and events of other processes.
HEDDLE_DRIVER_API Result cuIpcGetMemHandle(abi::IpcHandle* handle, DevicePointer address) {
  return forward([&] { return cudaIpcGetMemHandle(handle, at(address)); });
}
HEDDLE_DRIVER_API Result cuIpcOpenMemHandle_v2(DevicePointer* address, abi::IpcHandle handle,
                                               unsigned flags) {
  return forward(
      [&] { return cudaIpcOpenMemHandle(reinterpret_cast<void**>(address), handle, flags); });
}
HEDDLE_DRIVER_API Result cuIpcCloseMemHandle(DevicePointer address) {
  return forward([&] { return cudaIpcCloseMemHandle(at(address)); });
}
HEDDLE_DRIVER_API Result cuIpcGetEventHandle(abi::IpcHandle* handle, abi::Handle event) {
  return forward([&] { return cudaIpcGetEventHandle(handle, event); });
}
HEDDLE_DRIVER_API Result cuIpcOpenEventHandle(abi::Handle* event, abi::IpcHandle handle) {
  return forward([&] { return cudaIpcOpenEventHandle(event, handle); });
}

}  // namespace heddle::runtime::driver
