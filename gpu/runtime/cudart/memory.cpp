// Allocating, and asking about addresses.
#include "gpu/runtime/cudart/api.hpp"
#include "gpu/runtime/cudart/copies.hpp"
#include "gpu/runtime/cudart/managed.hpp"

namespace heddle::runtime {

namespace {

constexpr std::size_t kPitchBytes =
    512;  // what cudaMallocPitch rounds rows up to (texture alignment)

Error allocate(void** pointer, std::size_t bytes, const char* label) {
  if (pointer == nullptr) return Error::invalid_value;
  return on_device_uncaptured([&](Context& context) {
    std::uint64_t address = 0;
    const Error error = context.allocate(bytes, label, address);
    if (error == Error::success) *pointer = reinterpret_cast<void*>(address);
    return error;
  });
}

Error allocate_pitched(void** pointer, std::size_t* pitch, std::size_t width, std::size_t rows,
                       const char* label) {
  std::size_t rounded, bytes;
  if (pointer == nullptr || pitch == nullptr) return Error::invalid_value;
  if (__builtin_add_overflow(width, kPitchBytes - 1, &rounded)) return Error::memory_allocation;
  rounded = rounded / kPitchBytes * kPitchBytes;
  if (__builtin_mul_overflow(rounded, rows, &bytes)) return Error::memory_allocation;
  const Error error = allocate(pointer, bytes, label);
  if (error == Error::success) *pitch = rows == 0 ? 0 : rounded;
  return error;
}

Error allocate_host(void** pointer, std::size_t bytes, MemoryKind kind, unsigned flags) {
  return on_device_uncaptured(
      [&](Context& context) { return context.allocate_host(bytes, kind, flags, *pointer); });
}

}  // namespace

HEDDLE_API Error cudaMalloc(void** pointer, std::size_t bytes) {
  return api([&] { return allocate(pointer, bytes, "cudaMalloc"); });
}

HEDDLE_API Error cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                                 std::size_t height) {
  return api([&] { return allocate_pitched(pointer, pitch, width, height, "cudaMallocPitch"); });
}

HEDDLE_API Error cudaMalloc3D(abi::PitchedPtr* pitched, abi::Extent extent) {
  return api([&] {
    std::size_t rows;
    if (pitched == nullptr) return Error::invalid_value;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) return Error::memory_allocation;
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
    return allocate_pitched(&pitched->ptr, &pitched->pitch, extent.width, rows, "cudaMalloc3D");
  });
}

HEDDLE_API Error cudaMallocHost(void** pointer, std::size_t bytes) {
  return api([&] {
    if (pointer == nullptr) return Error::invalid_value;
    return allocate_host(pointer, bytes, MemoryKind::pinned, 0);
  });
}

HEDDLE_API Error cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return api([&] {
    if (pointer == nullptr || (flags & ~abi::kHostAllocMask) != 0) return Error::invalid_value;
    return allocate_host(pointer, bytes, MemoryKind::pinned, flags);
  });
}

HEDDLE_API Error cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return api([&] {
    if (pointer == nullptr) return Error::invalid_value;
    if (flags != abi::kManagedAttachGlobal && flags != abi::kManagedAttachHost)
      return Error::invalid_value;
    const Error error = allocate_host(pointer, bytes, MemoryKind::managed, flags);
    if (error == Error::success) AdviceTable::instance().forget(address_of(*pointer), bytes);
    return error;
  });
}

HEDDLE_API Error cudaFree(void* pointer) {
  return on_device_uncaptured([&](Context& current) {
    if (pointer == nullptr) return Error::success;
    return on_owner(current, pointer,
                    [&](Context& context) { return context.free(address_of(pointer)); });
  });
}

HEDDLE_API Error cudaFreeHost(void* pointer) {
  return on_device_uncaptured([&](Context& current) {
    if (pointer == nullptr) return Error::success;
    return on_owner(current, pointer, [&](Context& context) { return context.free_host(pointer); });
  });
}

HEDDLE_API Error cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return on_device_uncaptured([&](Context& context) {
    constexpr unsigned kIoMemory = 4;
    if ((flags & ~abi::kHostRegisterMask) != 0 || (flags & kIoMemory) != 0)
      return Error::invalid_value;
    return context.register_host(pointer, bytes, flags);
  });
}

HEDDLE_API Error cudaHostUnregister(void* pointer) {
  return on_device_uncaptured([&](Context& current) {
    if (pointer == nullptr) return Error::invalid_value;
    return on_owner(current, pointer,
                    [&](Context& context) { return context.unregister_host(pointer); });
  });
}

HEDDLE_API Error cudaHostGetDevicePointer(void** device_pointer, void* host, unsigned flags) {
  return on_device([&](Context& context) {
    if (device_pointer == nullptr || flags != 0) return Error::invalid_value;
    const auto block = context.find_memory(address_of(host));
    if (!block || block->on_device() || block->kind == MemoryKind::managed)
      return Error::invalid_value;
    *device_pointer = host;
    return Error::success;
  });
}

HEDDLE_API Error cudaHostGetFlags(unsigned* flags, void* host) {
  constexpr unsigned kMapped = 2;  // all of it is, under unified addressing
  return on_device([&](Context& context) {
    if (flags == nullptr) return Error::invalid_value;
    const auto block = context.find_memory(address_of(host));
    if (!block || block->on_device()) return Error::invalid_value;
    constexpr unsigned kReadOnly = 8;  // is not told
    *flags = kMapped;
    if (block->kind != MemoryKind::managed) *flags |= block->flags & ~kReadOnly;
    return Error::success;
  });
}

HEDDLE_API Error cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return on_device([&](Context& context) {
    std::uint64_t free_now = 0, total = 0;
    const Error error = context.memory_info(free_now, total);
    if (free_bytes != nullptr) *free_bytes = free_now;
    if (total_bytes != nullptr) *total_bytes = total;
    return error;
  });
}

HEDDLE_API Error cudaPointerGetAttributes(abi::PointerAttributes* attributes, const void* pointer) {
  return api([&] {  // also when the context is of no use any more
    if (in_host_function()) return Error::not_permitted;
    const auto context = Runtime::instance().context();
    if (!context) return on_device([](Context&) { return Error::success; });
    if (attributes == nullptr) return Error::invalid_value;
    *attributes = {};
    void* same = const_cast<void*>(pointer);
    const auto block = context->find_memory(address_of(pointer));
    if (!block) {
      attributes->type = abi::MemoryType::unregistered;
      attributes->device = abi::kInvalidDeviceId;
      attributes->hostPointer = same;
      return Error::success;
    }
    attributes->device = static_cast<int>(block->gpu);
    attributes->devicePointer = same;
    if (!block->on_device()) attributes->hostPointer = same;
    attributes->type = block->on_device()                   ? abi::MemoryType::device
                       : block->kind == MemoryKind::managed ? abi::MemoryType::managed
                                                            : abi::MemoryType::host;
    return Error::success;
  });
}

HEDDLE_STREAM_API(cudaStreamAttachMemAsync, _ptsz,
                  (abi::Handle stream, void* pointer, std::size_t bytes,
                   [[maybe_unused]] unsigned flags),
                  (stream, pointer, bytes, flags)) {
  return on_stream(stream, kStreamZero, [&](Context& context, Stream&) {
    const auto block = context.find_memory(address_of(pointer));
    const bool whole = block && (bytes == 0 || bytes == block->bytes);
    return whole && block->kind == MemoryKind::managed ? Error::success : Error::invalid_value;
  });
}

}  // namespace heddle::runtime
