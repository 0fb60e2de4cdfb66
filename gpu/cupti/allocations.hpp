// The device allocations of the measured program, and the digest of one. The rule is written down
// in README.md ("Memory digests"); the model follows the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::cupti {

struct Allocation {
  std::uint32_t ordinal = 0;
  std::uint64_t base = 0, bytes = 0;
};

struct Digest {
  std::string sha256;
  std::uint64_t pointers = 0;  // words that were replaced
};

class Allocations {
 public:
  // Ordinals count up from 0 and are never used again. An allocation of 0 bytes takes none.
  void add(std::uint64_t base, std::uint64_t bytes);
  void remove(std::uint64_t base) { live_.erase(base); }
  // Virtual memory that the program maps itself: it has no ordinal and no digest.
  void add_mapping(std::uint64_t base, std::uint64_t bytes) { mappings_[base] = bytes; }
  void remove_mappings(std::uint64_t base, std::uint64_t bytes);
  void clear() { live_.clear(), mappings_.clear(); }
  // In order of ordinal.
  std::vector<Allocation> live() const;
  // What a launch can change: those, then mappings by address.
  std::vector<Allocation> changeable() const;
  // Of the contents of one allocation or variable. `contents` is changed: its pointers are masked.
  Digest digest(std::vector<std::uint8_t>& contents) const;

 private:
  const Allocation* find(std::uint64_t address) const;

  std::map<std::uint64_t, Allocation> live_;         // by base
  std::map<std::uint64_t, std::uint64_t> mappings_;  // base, bytes
  std::uint32_t next_ordinal_ = 0;
};

}  // namespace heddle::cupti
