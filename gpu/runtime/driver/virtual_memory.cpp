// Virtual memory: ranges of addresses, memory, and which lies where. A range is an allocation as
// large as it is; memory is a file in memory, whose pages lie at as many places as it is mapped to,
// in this process and in others.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "gpu/runtime/driver/api.hpp"
#include "gpu/runtime/driver/support.hpp"

namespace heddle::runtime::driver {
namespace {

constexpr std::size_t kGranularity = 2 << 20;
constexpr int kFileDescriptor = 1;  // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

// As CUmemAllocationProp and CUmemAccessDesc lay them out.
struct Properties {
  int type, handle_types;
  abi::MemLocation location;
  void* security;
  struct {
    unsigned char compression, rdma_capable;
    unsigned short usage;
    unsigned char reserved[4];
  } flags;
};
struct Access {
  abi::MemLocation location;
  int flags;
};

struct Memory {
  std::size_t bytes = 0;
  Properties properties{};
  unsigned references = 1;
  int file = -1;
};
struct Mapping {
  std::size_t bytes = 0;
  std::uint64_t memory = 0;
  unsigned long long access = 0;
};
struct Space {
  std::mutex mutex;
  std::map<DevicePointer, std::size_t> ranges;
  std::map<DevicePointer, Mapping> mappings;
  std::map<std::uint64_t, Memory> memories;  // by handle
  std::uint64_t next_handle = 1;

  std::uint64_t add(const Memory& memory) {
    memories[next_handle] = memory;
    return next_handle++;
  }
};
Space& space() {
  static auto& only = *new Space;
  return only;
}

bool in_a_range(const Space& all, DevicePointer address, std::size_t bytes) {
  auto range = all.ranges.upper_bound(address);
  if (range == all.ranges.begin()) return false;
  --range;
  return bytes <= range->second && address - range->first <= range->second - bytes;
}

bool mapped_between(const Space& all, DevicePointer address, std::size_t bytes) {
  auto next = all.mappings.lower_bound(address + bytes);
  return next != all.mappings.begin() &&
         std::prev(next)->first + std::prev(next)->second.bytes > address;
}

// What memory is for, as an H200 answers (gpu/runtime/tests/answers/versions.cu): compressible
// memory can be for nothing else, and tiles of sparse arrays cannot be reached by others.
constexpr unsigned char kCompressible = 1;
constexpr unsigned short kTilePool = 1;
bool can_be(const Properties& wanted) {
  const auto& [compression, rdma_capable, usage, reserved] = wanted.flags;
  if (compression > kCompressible || (compression != 0 && usage != 0)) return false;
  return usage != kTilePool || rdma_capable == 0;
}
// What such memory is told to be: uncompressed where other devices reach it.
Properties told_of(Properties properties) {
  if (properties.flags.rdma_capable != 0) properties.flags.compression = 0;
  properties.flags.usage = 0;
  return properties;
}

bool whole(std::size_t bytes) { return bytes != 0 && bytes % kGranularity == 0; }

void release_if_unused(Space& all, std::uint64_t handle) {
  const auto found = all.memories.find(handle);
  if (found == all.memories.end() || found->second.references != 0) return;
  for (const auto& [address, mapping] : all.mappings)
    if (mapping.memory == handle) return;
  close(found->second.file);
  all.memories.erase(found);
}

template <typename Body>
Result locked(Body body) {
  return forward([&] {
    std::lock_guard lock(space().mutex);
    return body(space());
  });
}

}  // namespace

HEDDLE_DRIVER_API Result cuMemGetAllocationGranularity(std::size_t* bytes,
                                                       const Properties* properties, int option) {
  if (bytes == nullptr || properties == nullptr || option < 0 || option > 1)
    return Result::CUDA_ERROR_INVALID_VALUE;
  *bytes = kGranularity;
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuMemAddressReserve(DevicePointer* address, std::size_t bytes,
                                             std::size_t alignment, DevicePointer wanted,
                                             unsigned long long flags) {
  if (address == nullptr || !whole(bytes) || flags != 0 || (alignment & (alignment - 1)) != 0)
    return Result::CUDA_ERROR_INVALID_VALUE;
  return locked([&](Space& all) {
    const Error error =
        support().reserve(bytes, std::max(alignment, kGranularity), wanted, address);
    if (error != Error::success) return error;
    all.ranges[*address] = bytes;
    return Error::success;
  });
}

// The addresses are not given out again.
HEDDLE_DRIVER_API Result cuMemAddressFree(DevicePointer address, std::size_t bytes) {
  return locked([&](Space& all) {
    const auto found = all.ranges.find(address);
    if (found == all.ranges.end() || found->second != bytes || mapped_between(all, address, bytes))
      return Error::invalid_value;
    all.ranges.erase(found);
    return Error::success;
  });
}

HEDDLE_DRIVER_API Result cuMemCreate(std::uint64_t* handle, std::size_t bytes,
                                     const Properties* properties, unsigned long long flags) {
  if (handle == nullptr || properties == nullptr || !whole(bytes) || flags != 0)
    return Result::CUDA_ERROR_INVALID_VALUE;
  constexpr int kOnDevice = 1, kPinned = 1;
  if (properties->type != kPinned || !can_be(*properties)) return Result::CUDA_ERROR_INVALID_VALUE;
  if ((properties->handle_types & ~kFileDescriptor) != 0 || properties->location.type != kOnDevice)
    return Result::CUDA_ERROR_NOT_SUPPORTED;  // shared otherwise, or the host's
  if (!is_device(properties->location.id)) return Result::CUDA_ERROR_INVALID_DEVICE;
  return forward([&] {
    std::size_t free_bytes = 0, total = 0;
    const Error error = cudaMemGetInfo(&free_bytes, &total);
    if (error != Error::success) return error;
    if (bytes > free_bytes) return Error::memory_allocation;
    const int file = memfd_create("heddle", MFD_CLOEXEC);
    if (file < 0) return Error::operating_system;
    if (ftruncate(file, static_cast<off_t>(bytes)) != 0) {
      close(file);
      return Error::memory_allocation;
    }
    std::lock_guard lock(space().mutex);
    *handle = space().add({bytes, *properties, 1, file});
    return Error::success;
  });
}

HEDDLE_DRIVER_API Result cuMemRelease(std::uint64_t handle) {
  return locked([&](Space& all) {
    const auto found = all.memories.find(handle);
    if (found == all.memories.end() || found->second.references == 0) return Error::invalid_value;
    --found->second.references;
    release_if_unused(all, handle);
    return Error::success;
  });
}

HEDDLE_DRIVER_API Result cuMemMap(DevicePointer address, std::size_t bytes, std::size_t offset,
                                  std::uint64_t handle, unsigned long long flags) {
  return locked([&](Space& all) {
    const auto found = all.memories.find(handle);
    if (found == all.memories.end() || flags != 0 || bytes == 0) return Error::invalid_value;
    if (offset != 0 || bytes != found->second.bytes) return Error::not_supported;
    if (!in_a_range(all, address, bytes) || mapped_between(all, address, bytes) ||
        found->second.properties.flags.usage == kTilePool)
      return Error::invalid_value;
    const Error error = support().put_pages(address, found->second.file, bytes);
    if (error == Error::success) all.mappings[address] = {bytes, handle, 0};
    return error;
  });
}

HEDDLE_DRIVER_API Result cuMemUnmap(DevicePointer address, std::size_t bytes) {
  return locked([&](Space& all) {
    if (!in_a_range(all, address, bytes)) return Error::invalid_value;
    auto next = all.mappings.lower_bound(address);
    while (next != all.mappings.end() && next->first < address + bytes) {
      const Mapping mapping = next->second;
      const Error error = support().put_pages(next->first, -1, mapping.bytes);
      if (error != Error::success) return error;
      next = all.mappings.erase(next);
      release_if_unused(all, mapping.memory);
    }
    return Error::success;
  });
}

HEDDLE_DRIVER_API Result cuMemSetAccess(DevicePointer address, std::size_t bytes,
                                        const Access* access, std::size_t count) {
  return locked([&](Space& all) {
    if (access == nullptr || count == 0 || !mapped_between(all, address, bytes))
      return Error::invalid_value;
    for (std::size_t i = 0; i < count; ++i)
      if (!is_device(access[i].location.id)) return Error::invalid_device;
    for (std::size_t i = 0; i < count; ++i) {
      const Error error = support().set_access(
          address, static_cast<unsigned>(access[i].location.id), access[i].flags != 0);
      if (error != Error::success) return error;
    }
    for (auto& [first, mapping] : all.mappings)
      if (first >= address && first < address + bytes)
        mapping.access = static_cast<unsigned long long>(access[0].flags);
    return Error::success;
  });
}

HEDDLE_DRIVER_API Result cuMemGetAccess(unsigned long long* flags, const abi::MemLocation* location,
                                        DevicePointer address) {
  return locked([&](Space& all) {
    auto found = all.mappings.upper_bound(address);
    if (flags == nullptr || location == nullptr || found == all.mappings.begin())
      return Error::invalid_value;
    --found;
    if (address - found->first >= found->second.bytes) return Error::invalid_value;
    *flags = found->second.access;
    return Error::success;
  });
}

HEDDLE_DRIVER_API Result cuMemGetAllocationPropertiesFromHandle(Properties* properties,
                                                                std::uint64_t handle) {
  return locked([&](Space& all) {
    const auto found = all.memories.find(handle);
    if (properties == nullptr || found == all.memories.end()) return Error::invalid_value;
    *properties = told_of(found->second.properties);
    return Error::success;
  });
}

HEDDLE_DRIVER_API Result cuMemRetainAllocationHandle(std::uint64_t* handle, void* address) {
  return locked([&](Space& all) {
    auto found = all.mappings.upper_bound(reinterpret_cast<DevicePointer>(address));
    if (handle == nullptr || found == all.mappings.begin()) return Error::invalid_value;
    --found;
    if (reinterpret_cast<DevicePointer>(address) - found->first >= found->second.bytes)
      return Error::invalid_value;
    *handle = found->second.memory;
    ++all.memories.at(*handle).references;
    return Error::success;
  });
}

// Handles for other processes are file descriptors, which the program hands over.
HEDDLE_DRIVER_API Result cuMemExportToShareableHandle(void* shareable, std::uint64_t handle,
                                                      int type, unsigned long long flags) {
  return locked([&](Space& all) {
    const auto found = all.memories.find(handle);
    if (shareable == nullptr || found == all.memories.end() || flags != 0 ||
        type != kFileDescriptor || found->second.properties.handle_types != kFileDescriptor)
      return Error::invalid_value;
    const int file = dup(found->second.file);
    *static_cast<int*>(shareable) = file;
    return file >= 0 ? Error::success : Error::operating_system;
  });
}

HEDDLE_DRIVER_API Result cuMemImportFromShareableHandle(std::uint64_t* handle, void* shareable,
                                                        int type) {
  return locked([&](Space& all) {
    constexpr int kOnDevice = 1, kPinned = 1;
    const auto given = static_cast<int>(reinterpret_cast<std::intptr_t>(shareable));
    struct stat facts {};
    if (handle == nullptr || type != kFileDescriptor || fstat(given, &facts) != 0 ||
        !whole(static_cast<std::size_t>(facts.st_size)))
      return Error::invalid_value;
    *handle = all.add({static_cast<std::size_t>(facts.st_size),
                       {kPinned, kFileDescriptor, {kOnDevice, 0}, nullptr, {}},
                       1,
                       dup(given)});
    return Error::success;
  });
}

}  // namespace heddle::runtime::driver
