// Texture and surface objects.
#include "gpu/runtime/cudart/api.hpp"
#include "gpu/runtime/texture_limits.hpp"

namespace heddle::runtime {

namespace {

// Sets *out from what an object was made of.
template <typename Value, typename Get>
Error ask(std::uint64_t object, bool surface, Value* out, Get get) {
  return on_device([&](Context& context) {
    const auto found = context.texture(object, surface);
    if (out == nullptr || !found) return Error::invalid_value;
    *out = get(*found);
    return Error::success;
  });
}

}  // namespace

HEDDLE_API Error cudaCreateTextureObject(std::uint64_t* object, const abi::ResourceDesc* resource,
                                         const abi::TextureDesc* description,
                                         const abi::ResourceViewDesc* view) {
  return on_device([&](Context& context) {
    if (object == nullptr || resource == nullptr || description == nullptr)
      return Error::invalid_value;
    return context.create_texture(*resource, *description, view, *object);
  });
}

HEDDLE_API Error cudaDestroyTextureObject(std::uint64_t object) {
  return on_device([&](Context& context) { return context.destroy_texture(object, false); });
}

HEDDLE_API Error cudaCreateSurfaceObject(std::uint64_t* object, const abi::ResourceDesc* resource) {
  return on_device([&](Context& context) {
    if (object == nullptr || resource == nullptr) return Error::invalid_value;
    return context.create_surface(*resource, *object);
  });
}

HEDDLE_API Error cudaDestroySurfaceObject(std::uint64_t object) {
  return on_device([&](Context& context) { return context.destroy_texture(object, true); });
}

HEDDLE_API Error cudaGetTextureObjectResourceDesc(abi::ResourceDesc* resource,
                                                  std::uint64_t object) {
  return ask(object, false, resource, [](const TextureDescription& of) { return of.resource; });
}

HEDDLE_API Error cudaGetTextureObjectTextureDesc(abi::TextureDesc* description,
                                                 std::uint64_t object) {
  return ask(object, false, description, [](const TextureDescription& of) { return of.sampling; });
}

HEDDLE_API Error cudaGetTextureObjectResourceViewDesc(abi::ResourceViewDesc* view,
                                                      std::uint64_t object) {
  return ask(object, false, view, [](const TextureDescription& of) { return of.view; });
}

HEDDLE_API Error cudaGetSurfaceObjectResourceDesc(abi::ResourceDesc* resource,
                                                  std::uint64_t object) {
  return ask(object, true, resource, [](const TextureDescription& of) { return of.resource; });
}

HEDDLE_API Error cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* width,
                                                      const abi::ChannelFormatDesc* format,
                                                      int device) {
  return api([&] {
    if (!Runtime::instance().has_gpu(device)) return Error::invalid_device;
    if (width == nullptr || format == nullptr || !is_texel_format(*format))
      return Error::invalid_value;
    *width = kMostLinearTexels;
    return Error::success;
  });
}

}  // namespace heddle::runtime
