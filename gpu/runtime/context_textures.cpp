// Arrays, textures and surfaces.
#include <algorithm>
#include <bit>
#include <limits>

#include "gpu/runtime/context.hpp"
#include "gpu/runtime/host_memory.hpp"
#include "gpu/runtime/texture_limits.hpp"
#include "simulator/memory/texture.hpp"

namespace heddle::runtime {
namespace {

using simulator::TextureHeader;

// Shapes as an array's flags and dimensions give them.
TextureHeader::Shape shape_of(const Array& array) {
  const bool layered = (array.flags & abi::kArrayLayered) != 0;
  if ((array.flags & abi::kArrayCubemap) != 0)
    return layered ? TextureHeader::Shape::cubes : TextureHeader::Shape::cube;
  if (layered)
    return array.extent.height == 0 ? TextureHeader::Shape::lines : TextureHeader::Shape::planes;
  if (array.extent.depth != 0) return TextureHeader::Shape::volume;
  return array.extent.height == 0 ? TextureHeader::Shape::line : TextureHeader::Shape::plane;
}

void set_format(TextureHeader& header, const abi::ChannelFormatDesc& format) {
  header.format = format.f == abi::kChannelFloat    ? TextureHeader::Format::floating
                  : format.f == abi::kChannelSigned ? TextureHeader::Format::signed_integer
                                                    : TextureHeader::Format::unsigned_integer;
  header.channel_bits = static_cast<std::uint8_t>(format.x);
  header.channels =
      static_cast<std::uint8_t>(1 + (format.y != 0) + (format.z != 0) + (format.w != 0));
}

TextureHeader header_of(const Array& array) {
  TextureHeader header;
  header.address = array.address;
  header.row_bytes = array.row_bytes();
  header.layer_bytes = array.layer_bytes();
  header.width = array.width();
  header.height = static_cast<std::uint32_t>(array.height());
  header.depth = static_cast<std::uint32_t>(array.depth());
  header.shape = shape_of(array);
  set_format(header, array.format);
  return header;
}

// 1/256 of levels; what is less is cut off.
int in_level_parts(float levels, float least) {
  constexpr float kMost = 64, kParts = 256;
  return static_cast<int>(std::clamp(levels, least, kMost) * kParts);
}

// Formats of views (cudaResourceViewFormat): unsigned and signed integers of 8, 16 and 32 bits with
// one, two and four channels, then halves and floats.
bool view_format(int format, abi::ChannelFormatDesc& out) {
  constexpr int kFirst = 1, kHalves = 19, kEnd = 25, kChannelCounts = 3;
  if (format < kFirst || format >= kEnd) return false;
  const int index = format - kFirst;
  const bool floating = format >= kHalves;
  const int bits =
      floating ? 16 << (format - kHalves) / kChannelCounts : 8 << index / kChannelCounts / 2;
  const int channels = 1 << index % kChannelCounts;
  const int kind = floating                          ? abi::kChannelFloat
                   : index / kChannelCounts % 2 == 0 ? abi::kChannelUnsigned
                                                     : abi::kChannelSigned;
  out = {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0, kind};
  return true;
}

bool describe_sampling(const abi::TextureDesc& description, TextureHeader& header) {
  for (unsigned i = 0; i < 3; ++i) {
    if (description.addressMode[i] < 0 || description.addressMode[i] > 3) return false;
    auto mode = static_cast<TextureHeader::Addressing>(description.addressMode[i]);
    // Wrapping and mirroring need coordinates from 0 to 1; otherwise they mean clamping.
    if (description.normalizedCoords == 0 && mode != TextureHeader::Addressing::border)
      mode = TextureHeader::Addressing::clamp;
    header.addressing[i] = mode;
  }
  header.linear_filter = description.filterMode == 1;
  header.normalized_coordinates = description.normalizedCoords != 0;
  const bool integers = header.format != TextureHeader::Format::floating;
  header.normalized_result = integers && description.readMode == 1;
  header.srgb = description.sRGB != 0;
  header.linear_between_levels = description.mipmapFilterMode == 1;
  header.bias = static_cast<std::int16_t>(in_level_parts(description.mipmapLevelBias, -64));
  header.least = static_cast<std::uint16_t>(in_level_parts(description.minMipmapLevelClamp, 0));
  header.most = static_cast<std::uint16_t>(in_level_parts(description.maxMipmapLevelClamp, 0));
  std::copy_n(description.borderColor, 4, header.border.begin());
  // Integers of 32 bits have no fractions, and what is no number cannot be filtered.
  if (header.normalized_result && header.channel_bits == 32) return false;
  return !(header.linear_filter && integers && !header.normalized_result);
}

}  // namespace

bool is_texel_format(const abi::ChannelFormatDesc& format) {
  const int bits = format.x;
  if (bits != 8 && bits != 16 && bits != 32) return false;
  if (format.f < abi::kChannelSigned || format.f > abi::kChannelFloat) return false;
  if (format.f == abi::kChannelFloat && bits == 8) return false;
  const auto has = [bits](int channel) { return channel == bits; };
  const auto lacks = [](int channel) { return channel == 0; };
  return (lacks(format.y) && lacks(format.z) && lacks(format.w)) ||
         (has(format.y) && lacks(format.z) && lacks(format.w)) ||
         (has(format.y) && has(format.z) && has(format.w));
}

// What an H200 makes arrays of (gpu/runtime/tests/answers/arrays.cu).
static bool is_array_shape(const abi::Extent& extent, unsigned flags) {
  constexpr std::size_t kLine = 131072, kPlaneHeight = 65536, kVolume = 16384, kLayered = 32768,
                        kLayers = 2048;
  constexpr unsigned kKnown =
      abi::kArrayLayered | abi::kArraySurface | abi::kArrayCubemap | abi::kArrayGather;
  const bool layered = (flags & abi::kArrayLayered) != 0;
  if (extent.width == 0 || (flags & ~kKnown) != 0) return false;
  if ((flags & abi::kArrayCubemap) != 0)
    return extent.width == extent.height && extent.width <= kLayered &&
           (layered ? extent.depth != 0 && extent.depth % 6 == 0 : extent.depth == 6);
  if ((flags & abi::kArrayGather) != 0 && (extent.height == 0 || extent.depth != 0)) return false;
  if (layered)
    return extent.width <= kLayered && extent.height <= kLayered && extent.depth != 0 &&
           extent.depth <= kLayers;
  if (extent.depth != 0)
    return extent.height != 0 && extent.width <= kVolume && extent.height <= kVolume &&
           extent.depth <= kVolume;
  return extent.width <= kLine && extent.height <= kPlaneHeight;
}

Error Context::create_array(const abi::ChannelFormatDesc& format, const abi::Extent& extent,
                            unsigned flags, abi::Handle& handle) {
  if (!is_texel_format(format)) return Error::invalid_channel_descriptor;
  if (!is_array_shape(extent, flags)) return Error::invalid_value;
  auto array = std::make_shared<Array>(Array{format, extent, flags, 0});
  const Error error =
      allocate(array->bytes(), ".nv.array", array->address, simulator::DeviceMemory::Pool::apart);
  if (error != Error::success) return error;
  std::lock_guard lock(mutex_);
  handle = array.get();
  arrays_[handle] = std::move(array);
  return Error::success;
}

std::shared_ptr<Array> Context::array(abi::Handle handle) const {
  std::lock_guard lock(mutex_);
  const auto found = arrays_.find(handle);
  return found == arrays_.end() ? nullptr : found->second;
}

// Sizes are halved and rounded down, to one at least; layers stay.
static abi::Extent half(const abi::Extent& extent, bool layered) {
  const auto smaller = [](std::size_t size) {
    return size == 0 ? 0 : std::max<std::size_t>(size / 2, 1);
  };
  return {smaller(extent.width), smaller(extent.height),
          layered ? extent.depth : smaller(extent.depth)};
}

Error Context::create_levels(const abi::ChannelFormatDesc& format, const abi::Extent& extent,
                             unsigned count, unsigned flags, abi::Handle& handle) {
  constexpr std::size_t kMostSide = 32768;  // of planes and lines with levels
  if (!is_texel_format(format)) return Error::invalid_channel_descriptor;
  if (!is_array_shape(extent, flags) || extent.width > kMostSide || extent.height > kMostSide)
    return Error::invalid_value;
  const bool layered = (flags & (abi::kArrayLayered | abi::kArrayCubemap)) != 0;
  const std::size_t longest =
      std::max({extent.width, extent.height, layered ? std::size_t{0} : extent.depth});
  const auto possible = static_cast<unsigned>(std::bit_width(longest));
  auto made = std::make_shared<MipmappedArray>();
  std::uint64_t bytes = 0;
  abi::Extent size = extent;
  for (unsigned level = 0; level < std::clamp(count, 1u, possible); ++level) {
    made->levels.push_back(std::make_shared<Array>(Array{format, size, flags, bytes}));
    bytes += (made->levels.back()->bytes() + simulator::kLevelAlignment - 1) /
             simulator::kLevelAlignment * simulator::kLevelAlignment;
    size = half(size, layered);
  }
  const Error error = allocate(bytes, ".nv.array", made->address);
  if (error != Error::success) return error;
  for (const auto& level : made->levels) level->address += made->address;
  std::lock_guard lock(mutex_);
  for (const auto& level : made->levels) arrays_[level.get()] = level;
  handle = made.get();
  mipmapped_arrays_[handle] = std::move(made);
  return Error::success;
}

std::shared_ptr<MipmappedArray> Context::levels(abi::Handle handle) const {
  std::lock_guard lock(mutex_);
  const auto found = mipmapped_arrays_.find(handle);
  return found == mipmapped_arrays_.end() ? nullptr : found->second;
}

Error Context::free_levels(abi::Handle handle) {
  const auto doomed = levels(handle);
  if (!doomed) return Error::context_is_destroyed;  // as an H200 answers
  {
    std::lock_guard lock(mutex_);
    for (const auto& level : doomed->levels) arrays_.erase(level.get());
    mipmapped_arrays_.erase(handle);
  }
  return free(doomed->address);
}

Error Context::free_array(abi::Handle handle) {
  const auto doomed = array(handle);
  if (!doomed) return Error::invalid_value;
  const auto in_levels = [&](const auto& each) {
    return std::ranges::find(each.second->levels, doomed) != each.second->levels.end();
  };
  {
    std::lock_guard lock(mutex_);  // a level goes with the others
    if (std::ranges::any_of(mipmapped_arrays_, in_levels)) return Error::success;
  }
  {
    std::lock_guard lock(mutex_);
    arrays_.erase(handle);
  }
  return free(doomed->address);
}

// What an H200 makes textures over linear memory of: anything but memory of the program's that is
// not registered. It need not be there, nor all of it: fetches from what is not are faults
// (gpu/runtime/tests/answers/textures.cu).
static bool takes_texture(const std::optional<MemoryBlock>& block, std::uint64_t address) {
  return address != 0 &&
         (block.has_value() || refuse_registering(address, 1, true) != Error::success);
}

Error Context::describe_resource(const abi::ResourceDesc& resource, TextureHeader& header) const {
  if (resource.resType == abi::ResourceType::array) {
    const auto found = array(resource.res.array);
    if (!found) return Error::invalid_value;
    header = header_of(*found);
    return Error::success;
  }
  if (resource.resType == abi::ResourceType::mipmapped_array) {
    const auto found = levels(resource.res.array);
    if (!found) return Error::invalid_resource_handle;
    header = header_of(*found->levels.front());
    header.last_level = static_cast<std::uint8_t>(found->levels.size() - 1);
    return Error::success;
  }
  if (resource.resType == abi::ResourceType::linear) {
    const auto& linear = resource.res.linear;
    const auto address = reinterpret_cast<std::uint64_t>(linear.devPtr);
    if (!is_texel_format(linear.desc)) return Error::invalid_channel_descriptor;
    set_format(header, linear.desc);
    if (!takes_texture(find_memory(address), address) || linear.sizeInBytes == 0 ||
        linear.sizeInBytes / header.texel_bytes() > kMostLinearTexels)
      return Error::invalid_value;
    header.shape = TextureHeader::Shape::buffer;
    header.address = address;
    header.width = linear.sizeInBytes / header.texel_bytes();
    return Error::success;
  }
  if (resource.resType != abi::ResourceType::pitched) return Error::not_supported;
  const auto& plane = resource.res.pitch2D;
  const auto address = reinterpret_cast<std::uint64_t>(plane.devPtr);
  if (!is_texel_format(plane.desc)) return Error::invalid_channel_descriptor;
  set_format(header, plane.desc);
  constexpr std::size_t kMost = 1 << 17;
  if (!takes_texture(find_memory(address), address) || plane.width == 0 || plane.height == 0 ||
      plane.width > kMost || plane.height > kMost)
    return Error::invalid_value;
  header.shape = TextureHeader::Shape::plane;
  header.address = address;
  header.width = plane.width;
  header.height = static_cast<std::uint32_t>(plane.height);
  header.row_bytes = plane.pitchInBytes;
  return Error::success;
}

Error Context::add_header(const TextureHeader& header, const TextureDescription& description,
                          std::uint64_t& object) {
  std::optional<std::uint32_t> handle;
  const Error error = run([&](Ticket) { handle = add_texture(device_.memory(), header); });
  if (error != Error::success) return error;
  if (!handle) return Error::memory_allocation;
  object = *handle;
  std::lock_guard lock(mutex_);
  textures_[object] = description;
  return Error::success;
}

// What of a resource a texture takes. Of the formats that a view can have those of whole texels.
static bool apply_view(const abi::ResourceViewDesc& view, TextureHeader& header) {
  abi::ChannelFormatDesc format;
  if (!view_format(view.format, format)) return false;
  TextureHeader seen = header;
  set_format(seen, format);
  if (seen.texel_bytes() != header.texel_bytes() || view.width != header.width ||
      view.firstMipmapLevel > header.last_level)
    return false;
  header = seen;
  header.first_level = static_cast<std::uint8_t>(view.firstMipmapLevel);
  header.last_level = static_cast<std::uint8_t>(
      std::clamp<unsigned>(view.lastMipmapLevel, view.firstMipmapLevel, header.last_level));
  const bool layered =
      header.shape == TextureHeader::Shape::lines || header.shape == TextureHeader::Shape::planes;
  if (layered && view.firstLayer <= view.lastLayer && view.lastLayer < header.depth) {
    header.address += view.firstLayer * header.layer_bytes;
    header.depth = view.lastLayer - view.firstLayer + 1;
  }
  return true;
}

Error Context::create_texture(const abi::ResourceDesc& resource,
                              const abi::TextureDesc& description,
                              const abi::ResourceViewDesc* view, std::uint64_t& object) {
  TextureHeader header;
  const Error error = describe_resource(resource, header);
  if (error != Error::success) return error;
  if (view != nullptr && view->format != 0 && !apply_view(*view, header))
    return Error::invalid_value;
  if (!describe_sampling(description, header)) return Error::invalid_filter_setting;
  return add_header(
      header, {resource, description, false, view != nullptr ? *view : abi::ResourceViewDesc{}},
      object);
}

Error Context::create_surface(const abi::ResourceDesc& resource, std::uint64_t& object) {
  if (resource.resType != abi::ResourceType::array) return Error::invalid_value;
  const auto found = array(resource.res.array);
  if (!found) return Error::invalid_value;  // one that was not made for surfaces will do
  TextureHeader header = header_of(*found);
  header.surface = true;
  return add_header(header, {resource, {}, true, {}}, object);
}

Error Context::destroy_texture(std::uint64_t object, bool surface) {
  {
    std::lock_guard lock(mutex_);
    const auto found = textures_.find(object);
    // An H200 takes any number (gpu/runtime/tests/answers/textures.cu).
    if (found == textures_.end() || found->second.surface != surface) return Error::success;
    textures_.erase(found);
  }
  return run([&](Ticket) { remove_texture(device_.memory(), static_cast<std::uint32_t>(object)); });
}

std::optional<TextureDescription> Context::texture(std::uint64_t object, bool surface) const {
  std::lock_guard lock(mutex_);
  const auto found = textures_.find(object);
  if (found == textures_.end() || found->second.surface != surface) return std::nullopt;
  return found->second;
}

}  // namespace heddle::runtime
