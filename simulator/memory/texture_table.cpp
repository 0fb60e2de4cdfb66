#include <cstring>

#include "simulator/memory/texture.hpp"

namespace heddle::simulator {
namespace {

constexpr const char* kLabel = ".nv.textures";
constexpr std::uint32_t kMostTextures = 1 << 16;

}  // namespace

const Allocation* texture_table(const DeviceMemory& memory) { return memory.find_named(kLabel); }

std::optional<TextureHeader> find_texture(const Allocation* table, std::uint32_t handle) {
  if (table == nullptr || handle >= table->bytes / sizeof(TextureHeader)) return std::nullopt;
  TextureHeader header;
  std::memcpy(&header, table->data + handle * sizeof header, sizeof header);
  if (header.address == 0) return std::nullopt;
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
