#include "gpu/cupti/allocations.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/cupti/sha256.hpp"

namespace heddle::cupti {
namespace {

// 12 bits of tag, 12 of ordinal, 40 of offset.
std::uint64_t masked(const Allocation& target, std::uint64_t address) {
  return std::uint64_t{0xa11} << 52 | std::uint64_t{target.ordinal & 0xfff} << 40 |
         (address - target.base);
}

}  // namespace

void Allocations::add(std::uint64_t base, std::uint64_t bytes) {
  if (bytes != 0) live_[base] = {next_ordinal_++, base, bytes};
}

std::vector<Allocation> Allocations::live() const {
  std::vector<Allocation> out;
  for (const auto& [base, allocation] : live_) out.push_back(allocation);
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a.ordinal < b.ordinal; });
  return out;
}

std::vector<Allocation> Allocations::changeable() const {
  std::vector<Allocation> out = live();
  for (const auto& [base, bytes] : mappings_) out.push_back({0, base, bytes});
  return out;
}

void Allocations::remove_mappings(std::uint64_t base, std::uint64_t bytes) {
  mappings_.erase(mappings_.lower_bound(base), mappings_.lower_bound(base + bytes));
}

const Allocation* Allocations::find(std::uint64_t address) const {
  auto after = live_.upper_bound(address);
  if (after == live_.begin()) return nullptr;
  const Allocation& candidate = std::prev(after)->second;
  return address - candidate.base < candidate.bytes ? &candidate : nullptr;
}

Digest Allocations::digest(std::vector<std::uint8_t>& contents) const {
  Digest out;
  const std::uint64_t low = live_.empty() ? 1 : live_.begin()->first;
  const std::uint64_t high =
      live_.empty() ? 0 : live_.rbegin()->first + live_.rbegin()->second.bytes;
  for (std::size_t at = 0; at + 8 <= contents.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, contents.data() + at, 8);
    if (word < low || word >= high) continue;
    const Allocation* target = find(word);
    if (target == nullptr) continue;
    word = masked(*target, word);
    std::memcpy(contents.data() + at, &word, 8);
    ++out.pointers;
  }
  Sha256 hash;
  hash.update(contents.data(), contents.size());
  out.sha256 = hash.finish();
  return out;
}

}  // namespace heddle::cupti
