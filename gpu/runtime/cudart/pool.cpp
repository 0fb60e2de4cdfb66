// Stream-ordered allocation and its pools.
#include <unistd.h>

#include <cstring>

#include "gpu/runtime/cudart/graph_calls.hpp"

namespace heddle::runtime {

namespace {

constexpr int kPinned = 1, kOnDevice = 1;
constexpr int kReadWrite = 3;
constexpr int kFileDescriptor = 1;

bool is_device(const abi::MemLocation& location) {
  return location.type == kOnDevice && Runtime::instance().has_gpu(location.id);
}

// The context that has a pool; that of `current` where none has.
InContext<bool> owner_of(abi::Handle pool, Context& current) {
  return in_any_context(current, [&](Context& each) { return each.has_pool(pool); });
}

Error allocate(void** pointer, std::size_t bytes, abi::Handle pool, abi::Handle stream,
               DefaultStream zero) {
  return on_stream(stream, zero, [&](Context& context, Stream& in) {
    if (pointer == nullptr) return Error::invalid_value;
    if (in.capture && bytes != 0) return capture_allocation(context, in, bytes, pointer);
    std::uint64_t address = 0;
    const abi::Handle from = pool != nullptr ? pool : context.current_pool();
    const Error error = owner_of(from, context).context->allocate_from(from, bytes, address);
    if (error == Error::success) *pointer = reinterpret_cast<void*>(address);
    return error;
  });
}

template <typename Body>
Error on_pool(abi::Handle handle, Body body) {
  return on_device([&](Context& current) {
    return owner_of(handle, current)
        .context->with_pool(handle, body)
        .value_or(Error::invalid_value);
  });
}

// cudaMemPoolAttr.
enum Attribute : int {
  kFirstReuse = 1,
  kLastReuse = 3,
  kReleaseThreshold = 4,
  kReservedCurrent = 5,
  kReservedHigh = 6,
  kUsedCurrent = 7,
  kUsedHigh = 8,
};

// The pool of a device, or of another place that has none.
template <typename Body>
Error at_location(const abi::MemLocation* location, int type, Body body) {
  if (location == nullptr || type != kPinned) return api([] { return Error::invalid_value; });
  if (location->type != kOnDevice)
    return api([] { return not_supported("a memory pool of the host"); });
  return on_gpu(location->id, body);
}

Error give(abi::Handle* out, abi::Handle pool) {
  if (out == nullptr) return Error::invalid_value;
  *out = pool;
  return Error::success;
}

}  // namespace

HEDDLE_STREAM_API(cudaMallocAsync, _ptsz, (void** pointer, std::size_t bytes, abi::Handle stream),
                  (pointer, bytes, stream)) {
  return allocate(pointer, bytes, nullptr, stream, kStreamZero);
}

HEDDLE_STREAM_API(cudaMallocFromPoolAsync, _ptsz,
                  (void** pointer, std::size_t bytes, abi::Handle pool, abi::Handle stream),
                  (pointer, bytes, pool, stream)) {
  if (pool == nullptr) return api([] { return Error::invalid_value; });
  return allocate(pointer, bytes, pool, stream, kStreamZero);
}

HEDDLE_STREAM_API(cudaFreeAsync, _ptsz, (void* pointer, abi::Handle stream), (pointer, stream)) {
  return on_stream(stream, kStreamZero, [&](Context& context, Stream& in) {
    if (pointer == nullptr) return Error::success;
    if (!in.capture)
      return on_owner(context, pointer,
                      [&](Context& owner) { return owner.free_later(address_of(pointer), in); });
    if (!context.find_memory(address_of(pointer))) return Error::invalid_value;
    return capture_freeing(context, in, pointer);
  });
}

HEDDLE_API Error cudaDeviceGetDefaultMemPool(abi::Handle* pool, int device) {
  return on_gpu(device, [&](Context& context) { return give(pool, context.default_pool()); });
}

HEDDLE_API Error cudaDeviceGetMemPool(abi::Handle* pool, int device) {
  return on_gpu(device, [&](Context& context) { return give(pool, context.current_pool()); });
}

HEDDLE_API Error cudaDeviceSetMemPool(int device, abi::Handle pool) {
  return on_gpu(device, [&](Context& context) { return context.use_pool(pool); });
}

HEDDLE_API Error cudaMemGetDefaultMemPool(abi::Handle* pool, abi::MemLocation* location, int type) {
  return at_location(location, type,
                     [&](Context& context) { return give(pool, context.default_pool()); });
}

HEDDLE_API Error cudaMemGetMemPool(abi::Handle* pool, abi::MemLocation* location, int type) {
  return at_location(location, type,
                     [&](Context& context) { return give(pool, context.current_pool()); });
}

HEDDLE_API Error cudaMemSetMemPool(abi::MemLocation* location, int type, abi::Handle pool) {
  return at_location(location, type, [&](Context& context) { return context.use_pool(pool); });
}

HEDDLE_API Error cudaMemPoolCreate(abi::Handle* pool, const abi::MemPoolProps* properties) {
  return on_device([&](Context& current) {
    constexpr int kManaged = 2, kOnHostNode = 3;
    if (pool == nullptr || properties == nullptr ||
        (properties->allocType != kPinned && properties->allocType != kManaged))
      return Error::invalid_value;
    if (properties->handleTypes != 0 && properties->handleTypes != kFileDescriptor)
      return not_supported("a memory pool shared otherwise than by file descriptors");
    if (properties->location.type < kOnDevice || properties->location.type > kOnHostNode ||
        (properties->location.type != kOnDevice ? properties->location.id != 0
                                                : !is_device(properties->location)))
      return Error::invalid_value;
    if (properties->location.type != kOnDevice) return give(pool, current.create_pool(*properties));
    return on_gpu(properties->location.id,
                  [&](Context& context) { return give(pool, context.create_pool(*properties)); });
  });
}

HEDDLE_API Error cudaMemPoolDestroy(abi::Handle pool) {
  return on_device(
      [&](Context& current) { return owner_of(pool, current).context->destroy_pool(pool); });
}

HEDDLE_API Error cudaMemPoolTrimTo(abi::Handle handle, std::size_t keep) {
  return on_pool(handle, [&](MemoryPool& pool) {
    pool.trim(keep);
    return Error::success;
  });
}

// Other processes learn of a pool by a descriptor that stands for it, and of memory in it by what
// cudaMemPoolExportPointer gives.
HEDDLE_API Error cudaMemPoolExportToShareableHandle(void* handle, abi::Handle pool, int type,
                                                    unsigned flags) {
  return on_pool(pool, [&](MemoryPool& found) {
    if (handle == nullptr || type != kFileDescriptor || flags != 0 ||
        found.properties.handleTypes != kFileDescriptor)
      return Error::invalid_value;
    SharedPool shared{found.number, found.properties.location.id};
    const int descriptor = dup(to_file(shared)->descriptor());
    std::memcpy(handle, &descriptor, sizeof descriptor);
    found.number = shared.number;
    return descriptor >= 0 ? Error::success : Error::operating_system;
  });
}
HEDDLE_API Error cudaMemPoolImportFromShareableHandle(abi::Handle* pool, void* handle, int type,
                                                      unsigned flags) {
  return api([&] {
    const auto descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(handle));
    SharedPool shared{};
    if (descriptor < 0) return Error::unknown;  // as an H200 answers
    if (pool == nullptr || type != kFileDescriptor || flags != 0 || !from_file(descriptor, shared))
      return Error::invalid_value;
    return on_gpu(shared.gpu, [&](Context& context) {
      const abi::MemPoolProps properties{
          kPinned, kFileDescriptor, {kOnDevice, shared.gpu}, nullptr, 0, 0, {}};
      return give(pool, context.create_pool(properties, shared.number));
    });
  });
}
HEDDLE_API Error cudaMemPoolExportPointer(abi::IpcHandle* data, void* pointer) {
  return on_device([&](Context& current) {
    if (data == nullptr) return Error::invalid_value;
    return on_owner(current, pointer, [&](Context& context) {
      return context.share_pooled_memory(address_of(pointer), *data);
    });
  });
}
HEDDLE_API Error cudaMemPoolImportPointer(void** pointer, abi::Handle handle,
                                          const abi::IpcHandle* data) {
  return on_device([&](Context& current) {
    if (pointer == nullptr || data == nullptr) return Error::invalid_value;
    std::uint64_t address = 0;
    const Error error =
        owner_of(handle, current).context->open_pooled_memory(handle, *data, address);
    if (error == Error::success) *pointer = reinterpret_cast<void*>(address);
    return error;
  });
}

HEDDLE_API Error cudaMemPoolGetAttribute(abi::Handle handle, int attribute, void* value) {
  return on_pool(handle, [&](const MemoryPool& pool) {
    if (value == nullptr) return Error::invalid_value;
    if (attribute >= kFirstReuse && attribute <= kLastReuse) {
      std::memcpy(value, &pool.reuse[attribute - kFirstReuse], sizeof(int));
      return Error::success;
    }
    std::uint64_t number = 0;
    switch (attribute) {
      case kReleaseThreshold:
        number = pool.release_threshold;
        break;
      case kReservedCurrent:
        number = pool.reserved;
        break;
      case kUsedCurrent:
        number = pool.used;
        break;
      case kReservedHigh:
        number = pool.reserved_high;
        break;
      case kUsedHigh:
        number = pool.used_high;
        break;
      default:
        return Error::invalid_value;
    }
    std::memcpy(value, &number, sizeof number);
    return Error::success;
  });
}

HEDDLE_API Error cudaMemPoolSetAttribute(abi::Handle handle, int attribute, void* value) {
  return on_pool(handle, [&](MemoryPool& pool) {
    if (value == nullptr) return Error::invalid_value;
    if (attribute >= kFirstReuse && attribute <= kLastReuse) {
      std::memcpy(&pool.reuse[attribute - kFirstReuse], value, sizeof(int));
      return Error::success;
    }
    std::uint64_t number = 0;
    std::memcpy(&number, value, sizeof number);
    if (attribute == kReleaseThreshold) {
      pool.release_threshold = number;
      return Error::success;
    }
    // High-water marks can be set back, to nothing else.
    if ((attribute != kReservedHigh && attribute != kUsedHigh) || number != 0)
      return Error::invalid_value;
    if (attribute == kUsedHigh) pool.used_high = pool.used;
    if (attribute == kReservedHigh) pool.reserved_high = pool.reserved;
    return Error::success;
  });
}

HEDDLE_API Error cudaMemPoolGetAccess(int* flags, abi::Handle handle, abi::MemLocation* location) {
  return on_pool(handle, [&](const MemoryPool& pool) {
    constexpr int kOnHost = 2;
    if (flags == nullptr || location == nullptr ||
        (!is_device(*location) && location->type != kOnHost))
      return Error::invalid_value;
    const auto reaches = [&](int gpu) {
      return gpu == pool.properties.location.id || (pool.reached_by >> gpu & 1) != 0;
    };
    *flags = is_device(*location) && reaches(location->id) ? kReadWrite : 0;
    return Error::success;
  });
}

HEDDLE_API Error cudaMemPoolSetAccess(abi::Handle handle, const abi::MemAccessDesc* accesses,
                                      std::size_t count) {
  return on_device([&](Context& current) {
    constexpr int kReadOnly = 1;
    const auto owner = owner_of(handle, current);
    if (!owner.found || (accesses == nullptr && count != 0)) return Error::invalid_value;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [location, flags] = accesses[i];
      if (!is_device(location)) return Error::invalid_device;
      if (flags == kReadOnly) return Error::not_supported;
      const auto gpu = static_cast<unsigned>(location.id);
      if (gpu == owner.context->gpu()) {  // a device's own memory cannot be taken from it
        if (flags != kReadWrite) return Error::invalid_device;
        continue;
      }
      const Error error = owner.context->set_pool_access(handle, gpu, flags == kReadWrite);
      if (error != Error::success) return error;
    }
    return Error::success;
  });
}

}  // namespace heddle::runtime
