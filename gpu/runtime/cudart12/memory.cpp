// Where managed memory should live, given as a device's number; textures; copies in batches.
#include <cstring>

#include "gpu/runtime/cudart12/abi.hpp"
#include "gpu/runtime/cudart12/previous.hpp"

namespace heddle::runtime {

using abi::Handle;

HEDDLE_OF_13(cudaMemAdvise, (const void*, std::size_t, int, abi::MemLocation));
HEDDLE_OF_13(cudaCreateTextureObject, (unsigned long long*, const abi::ResourceDesc*,
                                       const abi::TextureDesc*, const abi::ResourceViewDesc*));
HEDDLE_OF_13(cudaCreateSurfaceObject, (unsigned long long*, const abi::ResourceDesc*));
HEDDLE_OF_13(cudaGetTextureObjectResourceDesc, (abi::ResourceDesc*, unsigned long long));
HEDDLE_OF_13(cudaGetSurfaceObjectResourceDesc, (abi::ResourceDesc*, unsigned long long));
HEDDLE_OF_13(cudaGetTextureObjectResourceViewDesc, (abi::ResourceViewDesc*, unsigned long long));

namespace {

abi::MemLocation location_of(int device) {
  constexpr int kDevice = 1, kHost = 2;
  return device == abi::kCpuDeviceId ? abi::MemLocation{kHost, 0}
                                     : abi::MemLocation{kDevice, device};
}

// What the longer structure has beside is zero.
template <typename To, typename From>
To extended(const From& from) {
  To to{};
  std::memcpy(&to, &from, sizeof from);
  return to;
}

// Asks CUDA 13's function, whose answer is longer.
template <typename Longer, typename Shorter>
Error shortened(Error (*ask)(Longer*, unsigned long long), Shorter* result,
                unsigned long long object) {
  if (result == nullptr) return ask(nullptr, object);
  Longer longer{};
  const Error error = ask(&longer, object);
  if (error == Error::success) std::memcpy(result, &longer, sizeof *result);
  return error;
}

}  // namespace

HEDDLE_API_12 Error cudaMemAdvise(const void* pointer, std::size_t bytes, int what, int device) {
  return previous_cudaMemAdvise(pointer, bytes, what, location_of(device));
}

HEDDLE_API_12 Error cudaCreateTextureObject(unsigned long long* object,
                                            const abi12::ResourceDesc* resource,
                                            const abi::TextureDesc* texture,
                                            const abi12::ResourceViewDesc* view) {
  if (resource == nullptr)
    return previous_cudaCreateTextureObject(object, nullptr, texture, nullptr);
  const auto longer = extended<abi::ResourceDesc>(*resource);
  const auto longer_view =
      view == nullptr ? abi::ResourceViewDesc{} : extended<abi::ResourceViewDesc>(*view);
  return previous_cudaCreateTextureObject(object, &longer, texture,
                                          view == nullptr ? nullptr : &longer_view);
}

HEDDLE_API_12 Error cudaCreateSurfaceObject(unsigned long long* object,
                                            const abi12::ResourceDesc* resource) {
  if (resource == nullptr) return previous_cudaCreateSurfaceObject(object, nullptr);
  const auto longer = extended<abi::ResourceDesc>(*resource);
  return previous_cudaCreateSurfaceObject(object, &longer);
}

HEDDLE_API_12 Error cudaGetTextureObjectResourceDesc(abi12::ResourceDesc* result,
                                                     unsigned long long object) {
  return shortened(previous_cudaGetTextureObjectResourceDesc, result, object);
}

HEDDLE_API_12 Error cudaGetSurfaceObjectResourceDesc(abi12::ResourceDesc* result,
                                                     unsigned long long object) {
  return shortened(previous_cudaGetSurfaceObjectResourceDesc, result, object);
}

HEDDLE_API_12 Error cudaGetTextureObjectResourceViewDesc(abi12::ResourceViewDesc* result,
                                                         unsigned long long object) {
  return shortened(previous_cudaGetTextureObjectResourceViewDesc, result, object);
}

// Each function with a stream exists twice: for the legacy and for the per-thread default stream.
#define HEDDLE_BOTH(define) define() define(_ptsz)

#define HEDDLE_MEMORY_IN_STREAMS(suffix)                                                           \
  HEDDLE_OF_13(cudaMemPrefetchAsync##suffix,                                                       \
               (const void*, std::size_t, abi::MemLocation, unsigned, Handle));                    \
  HEDDLE_OF_13(cudaMemcpyBatchAsync##suffix,                                                       \
               (void* const*, const void* const*, const std::size_t*, std::size_t, void*,          \
                std::size_t*, std::size_t, Handle));                                               \
  HEDDLE_OF_13(cudaMemcpy3DBatchAsync##suffix, (std::size_t, void*, unsigned long long, Handle));  \
  HEDDLE_API_12 Error cudaMemPrefetchAsync##suffix(const void* pointer, std::size_t bytes,         \
                                                   int device, Handle stream) {                    \
    return previous_cudaMemPrefetchAsync##suffix(pointer, bytes, location_of(device), 0, stream);  \
  }                                                                                                \
  HEDDLE_API_12 Error cudaMemcpyBatchAsync##suffix(                                                \
      void** to, void** from, std::size_t* bytes, std::size_t count, void* attributes,             \
      std::size_t* attribute_of, std::size_t attributes_count, std::size_t* failed,                \
      Handle stream) {                                                                             \
    if (failed != nullptr) *failed = ~std::size_t{0};                                              \
    return previous_cudaMemcpyBatchAsync##suffix(to, from, bytes, count, attributes, attribute_of, \
                                                 attributes_count, stream);                        \
  }                                                                                                \
  HEDDLE_API_12 Error cudaMemcpy3DBatchAsync##suffix(std::size_t count, void* operations,          \
                                                     std::size_t* failed,                          \
                                                     unsigned long long flags, Handle stream) {    \
    if (failed != nullptr) *failed = ~std::size_t{0};                                              \
    return previous_cudaMemcpy3DBatchAsync##suffix(count, operations, flags, stream);              \
  }
HEDDLE_BOTH(HEDDLE_MEMORY_IN_STREAMS)

}  // namespace heddle::runtime
