// Arrays, copies of boxes, textures and surfaces: the runtime interface's, in the driver's layouts.
#include <algorithm>

#include "gpu/runtime/driver/boxes.hpp"

namespace heddle::runtime::driver {
namespace {

// As CUDA_ARRAY_DESCRIPTOR and CUDA_ARRAY3D_DESCRIPTOR lay them out.
struct Plane {
  std::size_t width, height;
  int format;
  unsigned channels;
};
struct Volume {
  std::size_t width, height, depth;
  int format;
  unsigned channels, flags;
};

// CUarray_format: 1, 2, 3: unsigned of 8, 16, 32 bits; 8, 9, 10: signed; 16: half; 32: float.
bool to_runtime(int format, unsigned channels, abi::ChannelFormatDesc& out) {
  constexpr int kSigned = 8, kHalf = 16, kFloat = 32;
  int bits = 0, kind = abi::kChannelUnsigned;
  if (format >= 1 && format <= 3) {
    bits = 4 << format;
  } else if (format >= kSigned && format <= kSigned + 2) {
    bits = 8 << (format - kSigned);
    kind = abi::kChannelSigned;
  } else if (format == kHalf || format == kFloat) {
    bits = format;
    kind = abi::kChannelFloat;
  }
  if (bits == 0 || (channels != 1 && channels != 2 && channels != 4)) return false;
  out = {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0, kind};
  return true;
}

int to_driver(const abi::ChannelFormatDesc& format) {
  constexpr int kSigned = 8;
  if (format.f == abi::kChannelFloat) return format.x;
  const int size = format.x == 8 ? 0 : format.x == 16 ? 1 : 2;
  return format.f == abi::kChannelSigned ? kSigned + size : 1 + size;
}

unsigned channels_of(const abi::ChannelFormatDesc& format) {
  return 1u + (format.y != 0) + (format.z != 0) + (format.w != 0);
}

Error describe(abi::Handle array, Volume& volume) {
  abi::ChannelFormatDesc format;
  abi::Extent extent;
  unsigned flags = 0;
  const Error error = cudaArrayGetInfo(&format, &extent, &flags, array);
  if (error == Error::success)
    volume = {extent.width,      extent.height,       extent.depth,
              to_driver(format), channels_of(format), flags};
  return error;
}

Error create(abi::Handle* array, const Volume& wanted) {
  abi::ChannelFormatDesc format;
  if (array == nullptr || !to_runtime(wanted.format, wanted.channels, format))
    return Error::invalid_value;
  return cudaMalloc3DArray(array, &format, {wanted.width, wanted.height, wanted.depth},
                           wanted.flags);
}

// CUDA_MEMCPY2D has fewer fields.
struct FlatSide {
  std::size_t x, y;
  unsigned type;
  const void* host;
  DevicePointer device;
  abi::Handle array;
  std::size_t pitch;
};
struct Copy2D {
  FlatSide from, to;
  std::size_t width, height;
};

constexpr unsigned kHost = 1, kDevice = 2, kArray = 3, kByAddress = 4;

std::size_t element_bytes(const Side& side) {
  abi::ChannelFormatDesc format{};
  if (side.type != kArray ||
      cudaArrayGetInfo(&format, nullptr, nullptr, side.array) != Error::success)
    return 0;
  return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
}

// The runtime interface counts in elements of an array where there is one.
bool place(const Side& side, const Copy3D& copy, std::size_t element, abi::Handle& array,
           abi::Pos& position, abi::PitchedPtr& memory) {
  if (side.type == kArray) {
    array = side.array;
    position = {side.x / element, side.y, side.z};
    return side.x % element == 0;
  }
  const std::size_t pitch = side.pitch == 0 ? side.x + copy.width : side.pitch;
  if (side.type < kHost || side.type > kByAddress) return false;
  void* const base = side.type == kHost ? const_cast<void*>(side.host) : at(side.device);
  memory = {base, pitch, pitch, side.height == 0 ? side.y + copy.height : side.height};
  position = {side.x, side.y, side.z};
  return pitch >= copy.width;
}

// Whether a side must be the device's. An H200 looks for none of the others, HOST among them
// (gpu/runtime/tests/answers/bad_addresses.cu).
abi::MemcpyKind kind_of(const Copy3D& copy) {
  using enum abi::MemcpyKind;
  const bool from_device = copy.from.type == kDevice, to_device = copy.to.type == kDevice;
  if (from_device) return to_device ? device_to_device : device_to_host;
  return to_device ? host_to_device : by_address;
}

Error run(const Copy3D* copy, abi::Handle stream, bool wait) {
  if (copy == nullptr) return Error::invalid_value;
  abi::Memcpy3DParms same;
  const Error error = to_runtime(*copy, same);
  if (error != Error::success) return error;
  if (!wait) return cudaMemcpy3DAsync(&same, stream);
  return stream == nullptr ? cudaMemcpy3D(&same) : cudaMemcpy3D_ptds(&same);
}

Side deep(const FlatSide& side) {
  return {side.x,      side.y,     0,       0,          side.type, side.host,
          side.device, side.array, nullptr, side.pitch, 0};
}
Error run(const Copy2D* copy, abi::Handle stream, bool wait) {
  if (copy == nullptr) return Error::invalid_value;
  const Copy3D same{deep(copy->from), deep(copy->to), copy->width, copy->height, 1};
  return run(&same, stream, wait);
}

abi::Handle per_thread() { return reinterpret_cast<abi::Handle>(abi::kStreamPerThread); }

// Copies of bytes of an array of one row; `type`: of the other side.
Error bytes_of(abi::Handle array, std::size_t offset, unsigned type, void* other, std::size_t count,
               bool to_array, abi::Handle stream, bool wait) {
  Volume shape{};
  const Error error = describe(array, shape);
  if (error != Error::success) return error;
  if (shape.height > 1 && offset != 0) return Error::invalid_value;
  Copy3D copy{};
  copy.width = count;
  copy.height = copy.depth = 1;
  Side in_array{}, linear{};
  in_array.type = kArray;
  in_array.array = array;
  in_array.x = offset;
  linear.type = type;
  linear.host = other;
  linear.device = reinterpret_cast<DevicePointer>(other);
  copy.from = to_array ? linear : in_array;
  copy.to = to_array ? in_array : linear;
  return run(&copy, stream, wait);
}

// As CUDA_RESOURCE_DESC and CUDA_TEXTURE_DESC lay them out.
struct Resource {
  int type;  // 0: array, 1: levels of detail, 2: linear, 3: pitched
  union {
    abi::Handle array;
    struct {
      DevicePointer address;
      int format;
      unsigned channels;
      std::size_t bytes;
    } linear;
    struct {
      DevicePointer address;
      int format;
      unsigned channels;
      std::size_t width, height, pitch;
    } pitched;
    int reserved[32];
  };
  unsigned flags;
};
struct Sampling {
  int addressing[3];
  int filter;
  unsigned flags;  // 1: integers as they are, 2: coordinates from 0 to 1, 16: sRGB
  unsigned anisotropy;
  int filter_of_levels;
  float bias, least_level, most_level;
  float border[4];
  int reserved[12];
};

Error to_runtime(const Resource* from, abi::ResourceDesc& to, abi::ChannelFormatDesc& format) {
  if (from == nullptr) return Error::invalid_value;
  to = {};
  to.resType = static_cast<abi::ResourceType>(from->type);
  switch (to.resType) {
    case abi::ResourceType::array:
      to.res.array = from->array;
      return cudaArrayGetInfo(&format, nullptr, nullptr, from->array);
    case abi::ResourceType::mipmapped_array: {
      abi::Handle first = nullptr;
      to.res.array = from->array;
      const Error error = cudaGetMipmappedArrayLevel(&first, from->array, 0);
      return error == Error::success ? cudaArrayGetInfo(&format, nullptr, nullptr, first) : error;
    }
    case abi::ResourceType::linear:
      if (!to_runtime(from->linear.format, from->linear.channels, format))
        return Error::invalid_value;
      to.res.linear = {at(from->linear.address), format, from->linear.bytes};
      return Error::success;
    case abi::ResourceType::pitched:
      if (!to_runtime(from->pitched.format, from->pitched.channels, format))
        return Error::invalid_value;
      to.res.pitch2D = {at(from->pitched.address), format, from->pitched.width,
                        from->pitched.height, from->pitched.pitch};
      return Error::success;
    default:
      return Error::not_supported;
  }
}

void to_driver(const abi::ResourceDesc& from, Resource& to) {
  to = {};
  to.type = static_cast<int>(from.resType);
  if (from.resType == abi::ResourceType::array ||
      from.resType == abi::ResourceType::mipmapped_array) {
    to.array = from.res.array;
  } else if (from.resType == abi::ResourceType::linear) {
    const auto& linear = from.res.linear;
    to.linear = {reinterpret_cast<DevicePointer>(linear.devPtr), to_driver(linear.desc),
                 channels_of(linear.desc), linear.sizeInBytes};
  } else {
    const auto& plane = from.res.pitch2D;
    to.pitched = {reinterpret_cast<DevicePointer>(plane.devPtr),
                  to_driver(plane.desc),
                  channels_of(plane.desc),
                  plane.width,
                  plane.height,
                  plane.pitchInBytes};
  }
}

constexpr unsigned kAsIntegers = 1, kNormalized = 2, kSrgb = 16;

abi::TextureDesc to_runtime(const Sampling& from, const abi::ChannelFormatDesc& format) {
  abi::TextureDesc to{};
  std::copy_n(from.addressing, 3, to.addressMode);
  std::copy_n(from.border, 4, to.borderColor);
  to.filterMode = from.filter;
  // Integers of up to 16 bits are fractions unless they are asked for.
  const bool small_integers = format.f != abi::kChannelFloat && format.x < 32;
  to.readMode = small_integers && (from.flags & kAsIntegers) == 0 ? 1 : 0;
  to.normalizedCoords = (from.flags & kNormalized) != 0;
  to.sRGB = (from.flags & kSrgb) != 0;
  to.maxAnisotropy = from.anisotropy;
  to.mipmapFilterMode = from.filter_of_levels;
  to.mipmapLevelBias = from.bias;
  to.minMipmapLevelClamp = from.least_level;
  to.maxMipmapLevelClamp = from.most_level;
  return to;
}

}  // namespace

Error to_runtime(const Copy3D& copy, abi::Memcpy3DParms& same) {
  same = {};
  const std::size_t element =
      std::max<std::size_t>({1, element_bytes(copy.from), element_bytes(copy.to)});
  if (copy.width % element != 0) return Error::invalid_value;
  if (!place(copy.from, copy, element, same.srcArray, same.srcPos, same.srcPtr) ||
      !place(copy.to, copy, element, same.dstArray, same.dstPos, same.dstPtr))
    return Error::invalid_value;
  same.extent = {copy.width / element, copy.height, copy.depth};
  same.kind = kind_of(copy);
  return Error::success;
}

Copy3D to_driver(const abi::Memcpy3DParms& copy) {
  std::size_t element = 1;
  const auto side = [&](abi::Handle array, const abi::Pos& at, const abi::PitchedPtr& memory) {
    Side made{at.x,
              at.y,
              at.z,
              0,
              array != nullptr ? kArray : kByAddress,
              memory.ptr,
              reinterpret_cast<DevicePointer>(memory.ptr),
              array,
              nullptr,
              memory.pitch,
              memory.ysize};
    const std::size_t bytes = element_bytes(made);
    made.x *= std::max<std::size_t>(bytes, 1);
    element = std::max(element, bytes);
    return made;
  };
  const Side from = side(copy.srcArray, copy.srcPos, copy.srcPtr);
  const Side to = side(copy.dstArray, copy.dstPos, copy.dstPtr);
  return {from, to, copy.extent.width * element, copy.extent.height, copy.extent.depth};
}

HEDDLE_DRIVER_API Result cuArrayCreate_v2(abi::Handle* array, const Plane* wanted) {
  if (wanted == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] {
    return create(array, {wanted->width, wanted->height, 0, wanted->format, wanted->channels, 0});
  });
}
HEDDLE_DRIVER_API Result cuArray3DCreate_v2(abi::Handle* array, const Volume* wanted) {
  if (wanted == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] { return create(array, *wanted); });
}
HEDDLE_DRIVER_API Result cuArray3DGetDescriptor_v2(Volume* volume, abi::Handle array) {
  if (volume == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] { return describe(array, *volume); });
}
HEDDLE_DRIVER_API Result cuArrayGetDescriptor_v2(Plane* plane, abi::Handle array) {
  if (plane == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] {
    Volume volume{};
    const Error error = describe(array, volume);
    if (error == Error::success)
      *plane = {volume.width, volume.height, volume.format, volume.channels};
    return error;
  });
}
HEDDLE_DRIVER_API Result cuArrayDestroy(abi::Handle array) {
  if (array == nullptr) return Result::CUDA_ERROR_INVALID_HANDLE;
  return forward([&] { return cudaFreeArray(array); });
}

HEDDLE_DRIVER_API Result cuMipmappedArrayCreate(abi::Handle* array, const Volume* wanted,
                                                unsigned levels) {
  abi::ChannelFormatDesc format;
  if (array == nullptr || wanted == nullptr ||
      !to_runtime(wanted->format, wanted->channels, format))
    return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] {
    return cudaMallocMipmappedArray(array, &format, {wanted->width, wanted->height, wanted->depth},
                                    levels, wanted->flags);
  });
}
HEDDLE_DRIVER_API Result cuMipmappedArrayGetLevel(abi::Handle* level, abi::Handle array,
                                                  unsigned number) {
  return forward([&] { return cudaGetMipmappedArrayLevel(level, array, number); });
}
HEDDLE_DRIVER_API Result cuMipmappedArrayDestroy(abi::Handle array) {
  if (array == nullptr) return Result::CUDA_ERROR_INVALID_HANDLE;
  return forward([&] { return cudaFreeMipmappedArray(array); });
}

// Copies that wait, in the stream of their default; and those that do not.
#define HEDDLE_BOX_COPY(name, type)                                \
  HEDDLE_DRIVER_API Result name(const type* copy) {                \
    return forward([&] { return run(copy, nullptr, true); });      \
  }                                                                \
  HEDDLE_DRIVER_API Result name##_ptds(const type* copy) {         \
    return forward([&] { return run(copy, per_thread(), true); }); \
  }
HEDDLE_BOX_COPY(cuMemcpy2D_v2, Copy2D)
HEDDLE_BOX_COPY(cuMemcpy2DUnaligned_v2, Copy2D)
HEDDLE_BOX_COPY(cuMemcpy3D_v2, Copy3D)
#undef HEDDLE_BOX_COPY
HEDDLE_DRIVER_STREAM_API(cuMemcpy2DAsync_v2, _ptsz, (const Copy2D* copy, abi::Handle stream),
                         (copy, stream)) {
  return forward([&] { return run(copy, in_stream<kPerThread>(stream), false); });
}
HEDDLE_DRIVER_STREAM_API(cuMemcpy3DAsync_v2, _ptsz, (const Copy3D* copy, abi::Handle stream),
                         (copy, stream)) {
  return forward([&] { return run(copy, in_stream<kPerThread>(stream), false); });
}

HEDDLE_DRIVER_API Result cuMemcpyHtoA_v2(abi::Handle array, std::size_t offset, const void* from,
                                         std::size_t bytes) {
  return forward([&] {
    return bytes_of(array, offset, kHost, const_cast<void*>(from), bytes, true, nullptr, true);
  });
}
HEDDLE_DRIVER_API Result cuMemcpyAtoH_v2(void* to, abi::Handle array, std::size_t offset,
                                         std::size_t bytes) {
  return forward([&] { return bytes_of(array, offset, kHost, to, bytes, false, nullptr, true); });
}
HEDDLE_DRIVER_API Result cuMemcpyDtoA_v2(abi::Handle array, std::size_t offset, DevicePointer from,
                                         std::size_t bytes) {
  return forward(
      [&] { return bytes_of(array, offset, kDevice, at(from), bytes, true, nullptr, true); });
}
HEDDLE_DRIVER_API Result cuMemcpyAtoD_v2(DevicePointer to, abi::Handle array, std::size_t offset,
                                         std::size_t bytes) {
  return forward(
      [&] { return bytes_of(array, offset, kDevice, at(to), bytes, false, nullptr, true); });
}
HEDDLE_DRIVER_API Result cuMemcpyAtoA_v2(abi::Handle to, std::size_t to_offset, abi::Handle from,
                                         std::size_t from_offset, std::size_t bytes) {
  Copy3D copy{};
  copy.from.type = copy.to.type = kArray;
  copy.from.array = from;
  copy.from.x = from_offset;
  copy.to.array = to;
  copy.to.x = to_offset;
  copy.width = bytes;
  copy.height = copy.depth = 1;
  return forward([&] { return run(&copy, nullptr, true); });
}
HEDDLE_DRIVER_API Result cuMemcpy3DPeer(const Copy3D* copy) { return cuMemcpy3D_v2(copy); }
HEDDLE_DRIVER_STREAM_API(cuMemcpy3DPeerAsync, _ptsz, (const Copy3D* copy, abi::Handle stream),
                         (copy, stream)) {
  return forward([&] { return run(copy, in_stream<kPerThread>(stream), false); });
}
HEDDLE_DRIVER_STREAM_API(cuMemcpyHtoAAsync_v2, _ptsz,
                         (abi::Handle array, std::size_t offset, const void* from,
                          std::size_t bytes, abi::Handle stream),
                         (array, offset, from, bytes, stream)) {
  return forward([&] {
    return bytes_of(array, offset, kHost, const_cast<void*>(from), bytes, true,
                    in_stream<kPerThread>(stream), false);
  });
}
HEDDLE_DRIVER_STREAM_API(cuMemcpyAtoHAsync_v2, _ptsz,
                         (void* to, abi::Handle array, std::size_t offset, std::size_t bytes,
                          abi::Handle stream),
                         (to, array, offset, bytes, stream)) {
  return forward([&] {
    return bytes_of(array, offset, kHost, to, bytes, false, in_stream<kPerThread>(stream), false);
  });
}

HEDDLE_DRIVER_API Result cuTexObjectCreate(std::uint64_t* object, const Resource* resource,
                                           const Sampling* sampling, const void* view) {
  return forward([&] {
    abi::ResourceDesc same;
    abi::ChannelFormatDesc format{};
    if (object == nullptr || sampling == nullptr) return Error::invalid_value;
    const Error error = to_runtime(resource, same, format);
    if (error != Error::success) return error;
    const abi::TextureDesc described = to_runtime(*sampling, format);
    return cudaCreateTextureObject(object, &same, &described,
                                   static_cast<const abi::ResourceViewDesc*>(view));
  });
}
HEDDLE_DRIVER_API Result cuTexObjectDestroy(std::uint64_t object) {
  return forward([&] { return cudaDestroyTextureObject(object); });
}
HEDDLE_DRIVER_API Result cuTexObjectGetResourceDesc(Resource* resource, std::uint64_t object) {
  if (resource == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] {
    abi::ResourceDesc told;
    const Error error = cudaGetTextureObjectResourceDesc(&told, object);
    if (error == Error::success) to_driver(told, *resource);
    return error;
  });
}
HEDDLE_DRIVER_API Result cuTexObjectGetTextureDesc(Sampling* sampling, std::uint64_t object) {
  if (sampling == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] {
    abi::TextureDesc told;
    const Error error = cudaGetTextureObjectTextureDesc(&told, object);
    if (error != Error::success) return error;
    *sampling = {};
    std::copy_n(told.addressMode, 3, sampling->addressing);
    std::copy_n(told.borderColor, 4, sampling->border);
    sampling->filter = told.filterMode;
    sampling->flags = (told.normalizedCoords != 0 ? kNormalized : 0) | (told.sRGB != 0 ? kSrgb : 0);
    sampling->anisotropy = told.maxAnisotropy;
    return error;
  });
}
HEDDLE_DRIVER_API Result cuTexObjectGetResourceViewDesc(abi::ResourceViewDesc* view,
                                                        std::uint64_t object) {
  return forward([&] { return cudaGetTextureObjectResourceViewDesc(view, object); });
}
HEDDLE_DRIVER_API Result cuSurfObjectCreate(std::uint64_t* object, const Resource* resource) {
  return forward([&] {
    abi::ResourceDesc same;
    abi::ChannelFormatDesc format{};
    const Error error = to_runtime(resource, same, format);
    return error == Error::success ? cudaCreateSurfaceObject(object, &same) : error;
  });
}
HEDDLE_DRIVER_API Result cuSurfObjectDestroy(std::uint64_t object) {
  return forward([&] { return cudaDestroySurfaceObject(object); });
}
HEDDLE_DRIVER_API Result cuSurfObjectGetResourceDesc(Resource* resource, std::uint64_t object) {
  if (resource == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] {
    abi::ResourceDesc told;
    const Error error = cudaGetSurfaceObjectResourceDesc(&told, object);
    if (error == Error::success) to_driver(told, *resource);
    return error;
  });
}

}  // namespace heddle::runtime::driver
