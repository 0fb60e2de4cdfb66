#include "simulator/memory/device_heap.hpp"

#include <cstring>
#include <new>

namespace heddle::simulator {
namespace {

// Like the names of the memory that modules have: no program has asked for it.
constexpr const char* kLabel = ".nv.malloc_heap";
constexpr std::uint64_t kUnit = 16;  // sizes and addresses of blocks are multiples of it
constexpr std::uint64_t kTaken = 0x6865'6170'2d75'7365;

const Allocation* find_heap(const DeviceMemory& memory) { return memory.find_named(kLabel); }

}  // namespace

bool DeviceHeap::is_heap(const Allocation& allocation) { return allocation.label == kLabel; }

bool DeviceHeap::exists(const DeviceMemory& memory) { return find_heap(memory) != nullptr; }

void DeviceHeap::create(DeviceMemory& memory, std::uint64_t bytes) {
  bytes = (bytes + kUnit - 1) / kUnit * kUnit;
  if (exists(memory) || bytes < 2 * kUnit) return;
  const auto address = memory.allocate(bytes, kLabel, DeviceMemory::Pool::apart);
  if (!address) throw std::bad_alloc();
  const Header all{bytes - kUnit, 0};
  std::memcpy(memory.view(*address, sizeof all), &all, sizeof all);
}

DeviceHeap::DeviceHeap(DeviceMemory& memory, MemoryJournal* journal) : journal_(journal) {
  const Allocation* heap = find_heap(memory);
  if (heap == nullptr) return;
  data_ = heap->data;
  start_ = heap->address;
  end_ = start_ + heap->bytes;
  for (std::uint64_t at = start_; end_ - at >= kUnit;) {
    const Header header = read(at);
    if (header.bytes == 0 || header.bytes % kUnit != 0 || header.bytes > end_ - at - kUnit) return;
    if (header.state == kTaken)
      taken_[at] = header.bytes;
    else
      add_free(at, header.bytes);
    at += kUnit + header.bytes;
  }
}

DeviceHeap::Header DeviceHeap::read(std::uint64_t address) const {
  Header header;
  std::memcpy(&header, data_ + (address - start_), sizeof header);
  return header;
}

void DeviceHeap::write(std::uint64_t address, Header header) {
  if (journal_ != nullptr) journal_->before_write({address}, Mask::of(0), sizeof header);
  std::memcpy(data_ + (address - start_), &header, sizeof header);
}

void DeviceHeap::add_free(std::uint64_t address, std::uint64_t bytes) {
  free_[address] = bytes;
  free_by_size_.emplace(bytes, address);
}

void DeviceHeap::remove_free(std::uint64_t address, std::uint64_t bytes) {
  free_.erase(address);
  free_by_size_.erase({bytes, address});
}

std::uint64_t DeviceHeap::allocate(std::uint64_t bytes) {
  if (bytes == 0 || bytes > end_ - start_) return 0;
  bytes = (bytes + kUnit - 1) / kUnit * kUnit;
  const auto fit = free_by_size_.lower_bound({bytes, 0});
  if (fit == free_by_size_.end()) return 0;
  const auto [room, at] = *fit;
  remove_free(at, room);
  if (room - bytes >= 2 * kUnit) {
    const std::uint64_t rest = at + kUnit + bytes;
    write(rest, {room - bytes - kUnit, 0});
    add_free(rest, room - bytes - kUnit);
  } else {
    bytes = room;
  }
  write(at, {bytes, kTaken});
  taken_[at] = bytes;
  return at + kUnit;
}

std::optional<DeviceHeap::Block> DeviceHeap::block_at(std::uint64_t address) const {
  const auto next = taken_.upper_bound(address);
  if (next == taken_.begin()) return std::nullopt;
  const auto [header, bytes] = *std::prev(next);
  const Block block{header + kUnit, bytes};
  if (address < block.address || address - block.address >= bytes) return std::nullopt;
  return block;
}

std::vector<DeviceHeap::Block> DeviceHeap::blocks() const {
  std::vector<Block> all;
  all.reserve(taken_.size());
  for (const auto& [header, bytes] : taken_) all.push_back({header + kUnit, bytes});
  return all;
}

bool DeviceHeap::free(std::uint64_t address) {
  const auto found = taken_.find(address - kUnit);
  if (found == taken_.end()) return false;
  std::uint64_t at = found->first, bytes = found->second;
  taken_.erase(found);
  const auto next = free_.find(at + kUnit + bytes);
  if (next != free_.end()) {
    const auto [next_at, next_bytes] = *next;
    remove_free(next_at, next_bytes);
    bytes += kUnit + next_bytes;
  }
  const auto after = free_.upper_bound(at);
  if (after != free_.begin()) {
    const auto [before_at, before_bytes] = *std::prev(after);
    if (before_at + kUnit + before_bytes == at) {
      remove_free(before_at, before_bytes);
      bytes += kUnit + before_bytes;
      at = before_at;
    }
  }
  write(at, {bytes, 0});
  add_free(at, bytes);
  return true;
}

}  // namespace heddle::simulator
