// References to textures (CUtexref): what is set of them is kept and told. No code that a compiler
// of today makes has any, so that none is ever found in a module.
#include <algorithm>
#include <mutex>
#include <set>

#include "gpu/runtime/driver/api.hpp"

namespace heddle::runtime::driver {
namespace {

struct Reference {
  DevicePointer address = 0;
  std::size_t bytes = 0;
  abi::Handle array = nullptr, levels = nullptr;
  int addressing[3] = {0, 0, 0};
  int filter = 0, format = 0x20, channels = 1, level_filter = 0, anisotropy = 1;
  unsigned flags = 0;
  float bias = 0, least_level = 0, most_level = 0;
  float border[4] = {0, 0, 0, 0};
};

std::mutex references_mutex;
std::set<Reference*>& references() {
  static auto& all = *new std::set<Reference*>;
  return all;
}

template <typename Body>
Result on(Reference* reference, Body body) {
  std::lock_guard lock(references_mutex);
  if (!references().contains(reference)) return Result::CUDA_ERROR_INVALID_VALUE;
  return body(*reference) ? Result::CUDA_SUCCESS : Result::CUDA_ERROR_INVALID_VALUE;
}

template <typename Value, typename Member>
Result tell(Value* to, Reference* reference, Member member) {
  return on(reference, [&](const Reference& found) {
    if (to == nullptr) return false;
    *to = static_cast<Value>(found.*member);
    return true;
  });
}

template <typename Value, typename Member>
Result set(Reference* reference, Member member, Value value, bool allowed = true) {
  return on(reference, [&](Reference& found) {
    if (allowed) found.*member = value;
    return allowed;
  });
}

bool is_dimension(int dimension) { return dimension >= 0 && dimension < 3; }

}  // namespace

HEDDLE_DRIVER_API Result cuTexRefCreate(Reference** reference) {
  if (reference == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  std::lock_guard lock(references_mutex);
  *reference = *references().insert(new Reference).first;
  return Result::CUDA_SUCCESS;
}
HEDDLE_DRIVER_API Result cuTexRefDestroy(Reference* reference) {
  std::lock_guard lock(references_mutex);
  if (references().erase(reference) == 0) return Result::CUDA_ERROR_INVALID_VALUE;
  delete reference;
  return Result::CUDA_SUCCESS;
}

HEDDLE_DRIVER_API Result cuTexRefSetArray(Reference* reference, abi::Handle array, unsigned) {
  return set(reference, &Reference::array, array, array != nullptr);
}
HEDDLE_DRIVER_API Result cuTexRefGetArray(abi::Handle* array, Reference* reference) {
  return tell(array, reference, &Reference::array);
}
HEDDLE_DRIVER_API Result cuTexRefSetMipmappedArray(Reference* reference, abi::Handle levels,
                                                   unsigned) {
  return set(reference, &Reference::levels, levels, levels != nullptr);
}
HEDDLE_DRIVER_API Result cuTexRefGetMipmappedArray(abi::Handle* levels, Reference* reference) {
  return tell(levels, reference, &Reference::levels);
}
HEDDLE_DRIVER_API Result cuTexRefSetAddress_v2(std::size_t* offset, Reference* reference,
                                               DevicePointer address, std::size_t bytes) {
  return on(reference, [&](Reference& found) {
    found.address = address;
    found.bytes = bytes;
    if (offset != nullptr) *offset = 0;
    return true;
  });
}
HEDDLE_DRIVER_API Result cuTexRefSetAddress2D_v3(Reference* reference, const void* plane,
                                                 DevicePointer address, std::size_t) {
  return set(reference, &Reference::address, address, plane != nullptr);
}
HEDDLE_DRIVER_API Result cuTexRefGetAddress_v2(DevicePointer* address, Reference* reference) {
  return tell(address, reference, &Reference::address);
}
HEDDLE_DRIVER_API Result cuTexRefSetFormat(Reference* reference, int format, int channels) {
  return on(reference, [&](Reference& found) {
    found.format = format;
    found.channels = channels;
    return channels == 1 || channels == 2 || channels == 4;
  });
}
HEDDLE_DRIVER_API Result cuTexRefGetFormat(int* format, int* channels, Reference* reference) {
  return on(reference, [&](const Reference& found) {
    if (format != nullptr) *format = found.format;
    if (channels != nullptr) *channels = found.channels;
    return true;
  });
}
HEDDLE_DRIVER_API Result cuTexRefSetAddressMode(Reference* reference, int dimension, int mode) {
  return on(reference, [&](Reference& found) {
    if (is_dimension(dimension)) found.addressing[dimension] = mode;
    return is_dimension(dimension);
  });
}
HEDDLE_DRIVER_API Result cuTexRefGetAddressMode(int* mode, Reference* reference, int dimension) {
  return on(reference, [&](const Reference& found) {
    if (mode == nullptr || !is_dimension(dimension)) return false;
    *mode = found.addressing[dimension];
    return true;
  });
}
HEDDLE_DRIVER_API Result cuTexRefSetFilterMode(Reference* reference, int mode) {
  return set(reference, &Reference::filter, mode, mode == 0 || mode == 1);
}
HEDDLE_DRIVER_API Result cuTexRefGetFilterMode(int* mode, Reference* reference) {
  return tell(mode, reference, &Reference::filter);
}
HEDDLE_DRIVER_API Result cuTexRefSetFlags(Reference* reference, unsigned flags) {
  return set(reference, &Reference::flags, flags);
}
HEDDLE_DRIVER_API Result cuTexRefGetFlags(unsigned* flags, Reference* reference) {
  return tell(flags, reference, &Reference::flags);
}
HEDDLE_DRIVER_API Result cuTexRefSetMipmapFilterMode(Reference* reference, int mode) {
  return set(reference, &Reference::level_filter, mode, mode == 0 || mode == 1);
}
HEDDLE_DRIVER_API Result cuTexRefGetMipmapFilterMode(int* mode, Reference* reference) {
  return tell(mode, reference, &Reference::level_filter);
}
HEDDLE_DRIVER_API Result cuTexRefSetMipmapLevelBias(Reference* reference, float bias) {
  return set(reference, &Reference::bias, bias);
}
HEDDLE_DRIVER_API Result cuTexRefGetMipmapLevelBias(float* bias, Reference* reference) {
  return tell(bias, reference, &Reference::bias);
}
HEDDLE_DRIVER_API Result cuTexRefSetMipmapLevelClamp(Reference* reference, float least,
                                                     float most) {
  return on(reference, [&](Reference& found) {
    found.least_level = least;
    found.most_level = most;
    return true;
  });
}
HEDDLE_DRIVER_API Result cuTexRefGetMipmapLevelClamp(float* least, float* most,
                                                     Reference* reference) {
  return on(reference, [&](const Reference& found) {
    if (least != nullptr) *least = found.least_level;
    if (most != nullptr) *most = found.most_level;
    return true;
  });
}
HEDDLE_DRIVER_API Result cuTexRefSetMaxAnisotropy(Reference* reference, unsigned most) {
  return set(reference, &Reference::anisotropy, static_cast<int>(most));
}
HEDDLE_DRIVER_API Result cuTexRefGetMaxAnisotropy(int* most, Reference* reference) {
  return tell(most, reference, &Reference::anisotropy);
}
HEDDLE_DRIVER_API Result cuTexRefSetBorderColor(Reference* reference, const float* color) {
  return on(reference, [&](Reference& found) {
    if (color != nullptr) std::copy_n(color, 4, found.border);
    return color != nullptr;
  });
}
HEDDLE_DRIVER_API Result cuTexRefGetBorderColor(float* color, Reference* reference) {
  return on(reference, [&](const Reference& found) {
    if (color != nullptr) std::copy_n(found.border, 4, color);
    return color != nullptr;
  });
}

}  // namespace heddle::runtime::driver
