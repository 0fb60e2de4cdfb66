#include "gpu/runtime/redirect/patch.hpp"

#include <sys/mman.h>

#include <cstring>

#include "gpu/runtime/redirect/object_file.hpp"

namespace heddle::runtime::redirect {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kReach = (std::uint64_t{1} << 31) - 65536;

std::byte* bytes_at(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

// jmp *0(%rip), with the target behind it.
struct [[gnu::packed]] FarJump {
  std::uint8_t opcode[6] = {0xff, 0x25, 0, 0, 0, 0};
  const void* target;
  std::uint16_t unused = 0;
};
static_assert(sizeof(FarJump) == 16);

// Writable memory of which every byte is within reach of every byte of the code; null: none is
// free.
std::byte* map_near(std::uint64_t code, std::uint64_t bytes, std::uint64_t wanted) {
  constexpr std::uint64_t kStep = std::uint64_t{1} << 20, kLowest = std::uint64_t{1} << 16;
  const auto try_at = [&](std::uint64_t address) -> std::byte* {
    void* const got = mmap(bytes_at(address), wanted, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED) return nullptr;
    if (got == bytes_at(address)) return static_cast<std::byte*>(got);
    munmap(got, wanted);  // a kernel that does not know the flag
    return nullptr;
  };
  if (bytes + wanted >= kReach) return nullptr;
  const std::uint64_t below = code & ~(kPage - 1),
                      above = (code + bytes + kPage - 1) & ~(kPage - 1);
  for (std::uint64_t distance = kStep; distance + bytes + wanted < kReach; distance += kStep) {
    if (below > distance + kLowest)
      if (std::byte* const got = try_at(below - distance)) return got;
    if (std::byte* const got = try_at(above + distance)) return got;
  }
  return nullptr;
}

void write_jump(std::uint64_t from, const std::byte* to) {
  const auto distance =
      static_cast<std::int32_t>(reinterpret_cast<std::uint64_t>(to) - (from + kJumpBytes));
  *bytes_at(from) = std::byte{0xe9};
  std::memcpy(bytes_at(from + 1), &distance, sizeof distance);
}

}  // namespace

bool write_jumps(std::span<const Jump> jumps, const Code& code) {
  if (jumps.empty()) return true;
  const std::uint64_t wanted = (jumps.size() * sizeof(FarJump) + kPage - 1) & ~(kPage - 1);
  std::byte* const pages = map_near(code.address, code.bytes, wanted);
  if (pages == nullptr) return false;
  for (std::size_t i = 0; i < jumps.size(); ++i) {
    const FarJump far{.target = jumps[i].to};
    std::memcpy(pages + i * sizeof far, &far, sizeof far);
  }
  const std::uint64_t begin = jumps.front().from & ~(kPage - 1);
  const std::uint64_t end = (jumps.back().from + kJumpBytes + kPage - 1) & ~(kPage - 1);
  if (mprotect(pages, wanted, PROT_READ | PROT_EXEC) != 0 ||
      mprotect(bytes_at(begin), end - begin, PROT_READ | PROT_WRITE) != 0) {
    munmap(pages, wanted);
    return false;
  }
  for (std::size_t i = 0; i < jumps.size(); ++i)
    write_jump(jumps[i].from, pages + i * sizeof(FarJump));
  mprotect(bytes_at(begin), end - begin, code.protection);
  return true;
}

}  // namespace heddle::runtime::redirect
