#include <bit>
#include <cstddef>
#include <cstring>

#include "simulator/memory/texture.hpp"

namespace heddle::simulator {
namespace {

constexpr const char* kLabel = ".nv.textures";
constexpr std::uint32_t kMostTextures = 1 << 16;

using Bytes = std::array<std::byte, sizeof(TextureHeader)>;

// Whether the bytes of its flags are flags: anything may stand in device memory.
bool has_flags(const Bytes& bytes) {
  for (const std::size_t at :
       {offsetof(TextureHeader, linear_filter), offsetof(TextureHeader, normalized_coordinates),
        offsetof(TextureHeader, normalized_result), offsetof(TextureHeader, srgb),
        offsetof(TextureHeader, surface), offsetof(TextureHeader, linear_between_levels),
        offsetof(TextureHeader, destroyed)})
    if (bytes[at] > std::byte{1}) return false;
  return true;
}

// What sampling relies on: a header that contradicts itself is none. The widest texture is linear
// memory (maxTexture1DLinear, 2^28).
bool is_well_formed(const TextureHeader& header) {
  constexpr std::uint64_t kMostTexels = std::uint64_t{1} << 31;
  constexpr std::uint8_t kMostLevel = 31;
  const bool known_shape =
      header.shape <= TextureHeader::Shape::buffer && static_cast<std::uint8_t>(header.shape) != 6;
  bool known_addressing = true;
  for (const auto mode : header.addressing)
    known_addressing &= mode <= TextureHeader::Addressing::border;
  return known_shape && known_addressing && header.format <= TextureHeader::Format::floating &&
         header.width <= kMostTexels && header.height != 0 && header.height <= kMostTexels &&
         header.depth != 0 && header.depth <= kMostTexels && header.channels <= 4 &&
         std::has_single_bit(header.channels) && header.channel_bits >= 8 &&
         header.channel_bits <= 32 && std::has_single_bit(header.channel_bits) &&
         header.first_level <= header.last_level && header.last_level <= kMostLevel;
}

}  // namespace

const Allocation* texture_table(const DeviceMemory& memory) { return memory.find_named(kLabel); }

std::optional<TextureHeader> find_texture(const Allocation* table, std::uint32_t handle) {
  if (table == nullptr || handle >= table->bytes / sizeof(TextureHeader)) return std::nullopt;
  Bytes bytes;
  std::memcpy(&bytes, table->data + handle * sizeof bytes, sizeof bytes);
  if (!has_flags(bytes)) return std::nullopt;
  const auto header = std::bit_cast<TextureHeader>(bytes);
  if (header.address == 0 || !is_well_formed(header)) return std::nullopt;
  return header;
}

std::optional<std::uint32_t> add_texture(DeviceMemory& memory, const TextureHeader& header) {
  const Allocation* table = texture_table(memory);
  if (table == nullptr) {
    if (!memory.allocate(kMostTextures * sizeof header, kLabel, DeviceMemory::Pool::apart))
      return std::nullopt;
    table = texture_table(memory);
  }
  for (std::uint32_t handle = 1; handle < kMostTextures; ++handle) {
    if (const auto there = find_texture(table, handle); there && !there->destroyed) continue;
    std::memcpy(table->data + handle * sizeof header, &header, sizeof header);
    return handle;
  }
  return std::nullopt;
}

bool remove_texture(DeviceMemory& memory, std::uint32_t handle) {
  const Allocation* table = texture_table(memory);
  auto header = find_texture(table, handle);
  if (!header || header->destroyed) return false;
  header->destroyed = true;
  std::memcpy(table->data + handle * sizeof *header, &*header, sizeof *header);
  return true;
}

}  // namespace heddle::simulator
