// Tensor maps: descriptions of tensors that copies of boxes read (simulator/memory/tensor_map.hpp).
#include "simulator/memory/tensor_map.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/runtime/driver/api.hpp"

namespace heddle::runtime::driver {
namespace {

using simulator::kMostDimensions;
using simulator::TensorMap;
using simulator::TensorType;

// What every function is given. False where it is not so much as a description.
struct Given {
  std::uint32_t type, rank;
  void* address;
  const std::uint64_t *sizes, *strides;
  const std::uint32_t* steps;
  std::uint32_t interleave, swizzle, promotion, fill;
};

std::optional<TensorMap> map_of(const Given& given) {
  constexpr auto kTypes = static_cast<std::uint32_t>(TensorType::count_);
  if (given.type >= kTypes || given.rank == 0 || given.rank > kMostDimensions ||
      given.sizes == nullptr || given.steps == nullptr ||
      (given.strides == nullptr && given.rank > 1))
    return std::nullopt;
  TensorMap map;
  map.type = static_cast<TensorType>(given.type);
  map.rank = given.rank;
  map.address = reinterpret_cast<std::uintptr_t>(given.address);
  map.interleave = given.interleave;
  map.swizzle = given.swizzle;
  map.promotion = given.promotion;
  map.fill = given.fill;
  std::copy_n(given.sizes, given.rank, map.size.begin());
  std::copy_n(given.steps, given.rank, map.step.begin());
  if (given.rank > 1) std::copy_n(given.strides, given.rank - 1, map.stride.begin());
  return map;
}

Result put(void* to, const std::optional<TensorMap>& map) {
  constexpr std::uintptr_t kAlignment = 64;
  if (to == nullptr || reinterpret_cast<std::uintptr_t>(to) % kAlignment != 0 || !map)
    return Result::CUDA_ERROR_INVALID_VALUE;
  const auto bytes = simulator::encode(*map);
  if (!bytes) return Result::CUDA_ERROR_INVALID_VALUE;
  std::memcpy(to, bytes->data(), bytes->size());
  return Result::CUDA_SUCCESS;
}

}  // namespace

HEDDLE_DRIVER_API Result cuTensorMapEncodeTiled(
    void* to, std::uint32_t type, std::uint32_t rank, void* address, const std::uint64_t* sizes,
    const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* steps,
    std::uint32_t interleave, std::uint32_t swizzle, std::uint32_t promotion, std::uint32_t fill) {
  auto map =
      map_of({type, rank, address, sizes, strides, steps, interleave, swizzle, promotion, fill});
  if (!map || box == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  std::copy_n(box, rank, map->box.begin());
  return put(to, map);
}

HEDDLE_DRIVER_API Result cuTensorMapEncodeIm2col(void* to, std::uint32_t type, std::uint32_t rank,
                                                 void* address, const std::uint64_t* sizes,
                                                 const std::uint64_t* strides, const int* lower,
                                                 const int* upper, std::uint32_t channels,
                                                 std::uint32_t pixels, const std::uint32_t* steps,
                                                 std::uint32_t interleave, std::uint32_t swizzle,
                                                 std::uint32_t promotion, std::uint32_t fill) {
  auto map =
      map_of({type, rank, address, sizes, strides, steps, interleave, swizzle, promotion, fill});
  constexpr unsigned kLeastRank = 3;  // channels, one dimension of pixels, images
  if (!map || rank < kLeastRank || lower == nullptr || upper == nullptr)
    return Result::CUDA_ERROR_INVALID_VALUE;
  map->is_im2col = true;
  map->channels = channels;
  map->pixels = pixels;
  std::copy_n(lower, rank - 2, map->lower.begin());
  std::copy_n(upper, rank - 2, map->upper.begin());
  return put(to, map);
}

// Boxes of pixels that count along one side alone. To an H200's driver they are boxes of pixels
// whose corners are 0 along the other sides, whatever the mode is.
HEDDLE_DRIVER_API Result cuTensorMapEncodeIm2colWide(
    void* to, std::uint32_t type, std::uint32_t rank, void* address, const std::uint64_t* sizes,
    const std::uint64_t* strides, int lower, int upper, std::uint32_t channels,
    std::uint32_t pixels, const std::uint32_t* steps, std::uint32_t interleave, std::uint32_t mode,
    std::uint32_t swizzle, std::uint32_t promotion, std::uint32_t fill) {
  constexpr std::uint32_t kModes = 2;
  if (mode >= kModes) return Result::CUDA_ERROR_INVALID_VALUE;
  const int lower_corner[kMostDimensions] = {lower}, upper_corner[kMostDimensions] = {upper};
  return cuTensorMapEncodeIm2col(to, type, rank, address, sizes, strides, lower_corner,
                                 upper_corner, channels, pixels, steps, interleave, swizzle,
                                 promotion, fill);
}

HEDDLE_DRIVER_API Result cuTensorMapReplaceAddress(void* map, void* address) {
  const bool replaced =
      map != nullptr && simulator::replace_address(static_cast<std::byte*>(map),
                                                   reinterpret_cast<std::uintptr_t>(address));
  return replaced ? Result::CUDA_SUCCESS : Result::CUDA_ERROR_INVALID_VALUE;
}

}  // namespace heddle::runtime::driver
