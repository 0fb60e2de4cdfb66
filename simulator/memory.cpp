#include "simulator/memory.hpp"

#include <sys/mman.h>

#include <new>
#include <stdexcept>

namespace heddle::simulator {
namespace {

// Device addresses start above the windows through which generic addresses reach shared and local
// memory (simulator/address_space.hpp) and below any host mapping of a 64-bit Linux process.
constexpr std::uint64_t kFirstAddress = 0x10'0000'0000;
constexpr std::uint64_t kPage = 4096;

std::byte* map_pages(std::uint64_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(pages);
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

struct DeviceMemory::Impl {
  std::uint64_t capacity = 0;
  std::uint64_t used = 0;
  std::uint32_t next_ordinal = 0;
  std::map<std::uint64_t, Allocation> allocations;
};

DeviceMemory::DeviceMemory(std::uint64_t capacity) : impl_(std::make_unique<Impl>()) {
  impl_->capacity = capacity;
}

DeviceMemory::~DeviceMemory() {
  for (const auto& [address, allocation] : impl_->allocations)
    if (!allocation.host_mapped) munmap(allocation.data, round_up(allocation.bytes, kPage));
}

std::optional<std::uint64_t> DeviceMemory::allocate(std::uint64_t bytes, std::string label,
                                                    std::uint64_t alignment) {
  if (bytes == 0) bytes = 1;
  if (bytes > impl_->capacity - impl_->used) return std::nullopt;
  // First fit, so that addresses follow from the sequence of calls alone. At least one byte stays
  // free between neighbours: an access past the end never lands in the next allocation.
  std::uint64_t address = kFirstAddress;
  for (const auto& [start, other] : impl_->allocations) {
    if (other.host_mapped || start + other.bytes < address) continue;
    if (address + bytes < start) break;
    address = round_up(start + other.bytes + 1, alignment);
  }
  Allocation allocation;
  allocation.address = address;
  allocation.bytes = bytes;
  allocation.data = map_pages(round_up(bytes, kPage));
  allocation.ordinal = impl_->next_ordinal++;
  allocation.label = std::move(label);
  impl_->used += bytes;
  impl_->allocations.emplace(address, std::move(allocation));
  return address;
}

std::uint64_t DeviceMemory::map_host(std::byte* host, std::uint64_t bytes, std::string label) {
  Allocation allocation;
  allocation.address = reinterpret_cast<std::uint64_t>(host);
  allocation.bytes = bytes;
  allocation.data = host;
  allocation.ordinal = impl_->next_ordinal++;
  allocation.host_mapped = true;
  allocation.label = std::move(label);
  const std::uint64_t address = allocation.address;
  if (!impl_->allocations.emplace(address, std::move(allocation)).second)
    throw std::invalid_argument("host memory is mapped already");
  return address;
}

bool DeviceMemory::free(std::uint64_t address) {
  const auto found = impl_->allocations.find(address);
  if (found == impl_->allocations.end()) return false;
  const Allocation& allocation = found->second;
  if (!allocation.host_mapped) {
    munmap(allocation.data, round_up(allocation.bytes, kPage));
    impl_->used -= allocation.bytes;
  }
  impl_->allocations.erase(found);
  return true;
}

const Allocation* DeviceMemory::find(std::uint64_t address) const {
  auto next = impl_->allocations.upper_bound(address);
  if (next == impl_->allocations.begin()) return nullptr;
  const Allocation& candidate = std::prev(next)->second;
  return candidate.contains(address, 1) ? &candidate : nullptr;
}

const Allocation* DeviceMemory::nearest(std::uint64_t address) const {
  if (impl_->allocations.empty()) return nullptr;
  auto next = impl_->allocations.upper_bound(address);
  if (next == impl_->allocations.begin()) return &next->second;
  const Allocation& below = std::prev(next)->second;
  if (next == impl_->allocations.end() || below.contains(address, 1)) return &below;
  const std::uint64_t past_below = address - (below.address + below.bytes - 1);
  return past_below <= next->first - address ? &below : &next->second;
}

std::byte* DeviceMemory::view(std::uint64_t address, std::uint64_t bytes) const {
  const Allocation* allocation = find(address);
  if (allocation == nullptr || !allocation->contains(address, bytes)) return nullptr;
  return allocation->data + (address - allocation->address);
}

std::uint64_t DeviceMemory::used() const { return impl_->used; }
std::uint64_t DeviceMemory::capacity() const { return impl_->capacity; }
const std::map<std::uint64_t, Allocation>& DeviceMemory::allocations() const {
  return impl_->allocations;
}

}  // namespace heddle::simulator
