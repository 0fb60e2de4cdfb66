// What is told of addresses (CUpointer_attribute).
#include <cstring>

#include "gpu/runtime/driver/api.hpp"
#include "gpu/runtime/driver/support.hpp"

namespace heddle::runtime::driver {
namespace {

enum Attribute : int {
  kContext = 1,
  kMemoryType = 2,
  kDevicePointer = 3,
  kHostPointer = 4,
  kPeerTokens = 5,
  kSyncMemops = 6,
  kBufferId = 7,
  kIsManaged = 8,
  kOrdinal = 9,
  kIpcCapable = 10,
  kRangeStart = 11,
  kRangeSize = 12,
  kMapped = 13,
  kHandleTypes = 14,
  kRdmaCapable = 15,
  kAccess = 16,
  kPool = 17,
  kMappingSize = 18,
  kMappingBase = 19,
  kBlockId = 20,
  kDecompression = 21
};

template <typename Value>
void put(void* data, Value value) {
  std::memcpy(data, &value, sizeof value);
}

// As an H200 answers (gpu/runtime/tests/answers/driver.cu).
Error tell(void* data, int attribute, DevicePointer address) {
  constexpr unsigned kReadWrite = 3;
  constexpr std::uint64_t kMappingBytes = 2 << 20;
  abi::PointerAttributes found;
  std::uint64_t base = 0, bytes = 0;
  Error error = cudaPointerGetAttributes(&found, at(address));
  if (error == Error::success) error = support().find_memory(address, &base, &bytes);
  CudaContext* context = nullptr;
  if (error == Error::success) error = support().context_of_memory(address, &context);
  if (error != Error::success) return error;
  if (context == nullptr) context = &support().primary(static_cast<unsigned>(found.device));
  if (context->is_destroyed) return Error::invalid_value;  // and its memory with it
  const bool device_alone = found.type == abi::MemoryType::device;
  switch (attribute) {
    case kContext:
      put(data, context);
      return Error::success;
    case kMemoryType:
      put(data, found.type == abi::MemoryType::host ? 1u : 2u);
      return Error::success;
    case kDevicePointer:
      put(data, found.devicePointer);
      return Error::success;
    case kHostPointer:
      if (found.hostPointer == nullptr) return Error::invalid_value;
      put(data, found.hostPointer);
      return Error::success;
    case kSyncMemops:
    case kIsManaged:
      put(data, unsigned{found.type == abi::MemoryType::managed});
      return Error::success;
    case kBufferId:
      put(data, base);
      return Error::success;
    case kOrdinal:
      put(data, found.device);
      return Error::success;
    case kIpcCapable:
    case kRdmaCapable:
      put(data, unsigned{device_alone});
      return Error::success;
    case kRangeStart:
      put(data, base);
      return Error::success;
    case kRangeSize:
      put(data, bytes);
      return Error::success;
    case kMapped:
      put(data, 1u);
      return Error::success;
    case kDecompression:
      put(data, unsigned{device_alone});
      return Error::success;
    case kPeerTokens:
    case kHandleTypes:
    case kPool:
      put(data, std::uint64_t{0});
      return Error::success;
    case kAccess:
      put(data, kReadWrite);
      return Error::success;
    case kMappingSize:
      put(data, kMappingBytes);
      return Error::success;
    case kMappingBase:
      put(data, base / kMappingBytes * kMappingBytes);
      return Error::success;
    case kBlockId:
      put(data, base);
      return Error::success;
    default:
      return Error::invalid_value;
  }
}

}  // namespace

HEDDLE_DRIVER_API Result cuPointerGetAttribute(void* data, int attribute, DevicePointer address) {
  if (data == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] { return tell(data, attribute, address); });
}

// What cannot be told is nothing, and no error.
HEDDLE_DRIVER_API Result cuPointerGetAttributes(unsigned count, const int* attributes, void** data,
                                                DevicePointer address) {
  if (count == 0 || attributes == nullptr || data == nullptr)
    return Result::CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    const int attribute = attributes[i];
    const bool wide = attribute == kContext || attribute == kDevicePointer ||
                      attribute == kHostPointer || attribute == kBufferId ||
                      (attribute >= kRangeStart && attribute != kMapped &&
                       attribute != kRdmaCapable && attribute != kAccess);
    std::memset(data[i], 0, wide ? sizeof(std::uint64_t) : sizeof(unsigned));
    forward([&] { return tell(data[i], attribute, address); });
  }
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuPointerSetAttribute(const void* value, int attribute,
                                               DevicePointer address) {
  std::uint64_t base = 0, bytes = 0;
  if (value == nullptr || attribute != kSyncMemops) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] { return support().find_memory(address, &base, &bytes); });
}

}  // namespace heddle::runtime::driver
