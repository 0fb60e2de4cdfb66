#include "simulator/base/big_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>

namespace heddle::simulator {
namespace {

constexpr std::size_t kLine = 64, kHugePage = 2 << 20, kChunk = 16 << 20;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Its first line is this, what is given out follows.
struct Chunk {
  void* mapped = nullptr;
  std::size_t mapped_bytes = 0;
  std::size_t bytes = 0, used = 0, pieces = 0;
  std::size_t written = 0;  // bytes from its start that may hold something; behind them all is zero
};
static_assert(sizeof(Chunk) <= kLine);

std::mutex mutex;
Chunk* current = nullptr;  // the one that new pieces come from
// Of which nobody has a piece. Kept, as launch follows launch: the system needs longer to clear
// such memory than many a launch takes.
constexpr std::size_t kMostSpare = 16;
std::array<Chunk*, kMostSpare> spare;
std::size_t spares = 0;

Chunk* map_chunk(std::size_t least) {
  const std::size_t bytes = round_up(std::max(least, kChunk), kHugePage);
  void* const mapped = mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  void* const first =
      reinterpret_cast<void*>(round_up(reinterpret_cast<std::uintptr_t>(mapped), kHugePage));
  madvise(first, bytes, MADV_HUGEPAGE);  // where the system has none, nothing changes
  return new (first) Chunk{mapped, bytes + kHugePage, bytes, kLine, 0, kLine};
}

Chunk* chunk_with(std::size_t needed) {
  if (spares != 0 && kLine + needed <= kChunk) return spare[--spares];
  return map_chunk(kLine + needed);
}

// Before each piece lies a line that says whose it is.
Chunk*& owner_of(void* piece) {
  return *reinterpret_cast<Chunk**>(static_cast<std::byte*>(piece) - kLine);
}

}  // namespace

void* take_from_big_pages(std::size_t bytes, Fresh holds) {
  const std::size_t needed = kLine + round_up(bytes, kLine);
  const std::lock_guard lock(mutex);
  if (current == nullptr || current->bytes - current->used < needed) current = chunk_with(needed);
  std::byte* const piece = reinterpret_cast<std::byte*>(current) + current->used + kLine;
  owner_of(piece) = current;
  const std::size_t old = current->written - std::min(current->written, current->used + kLine);
  if (holds == Fresh::zeroed) std::memset(piece, 0, std::min(bytes, old));
  current->used += needed;
  current->written = std::max(current->written, current->used);
  ++current->pieces;
  return piece;
}

void give_back_to_big_pages(void* memory) {
  const std::lock_guard lock(mutex);
  Chunk* const chunk = owner_of(memory);
  if (--chunk->pieces != 0) return;
  if (chunk == current) current = nullptr;
  if (chunk->bytes != kChunk || spares == kMostSpare) {
    munmap(chunk->mapped, chunk->mapped_bytes);
    return;
  }
  chunk->used = kLine;
  spare[spares++] = chunk;
}

}  // namespace heddle::simulator
