// What pieces of memory held before something changed them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "simulator/base/big_pages.hpp"

namespace heddle::simulator {

// Of pieces of at most `kPieceBytes`, in the order in which they are saved. In pages that launches
// take one after the other: so much new memory takes long to come.
template <std::size_t kPieceBytes>
class MemoryBefore {
 public:
  // Nobody may write there meanwhile.
  void save(std::byte* at, std::size_t bytes) {
    // A page that nobody has touched would come twice, to be read and to be written.
    constexpr unsigned kPageShift = 12;
    const std::uint64_t page = reinterpret_cast<std::uintptr_t>(at) >> kPageShift;
    if (std::exchange(last_page_, page) != page)
      std::atomic_ref<std::uint8_t>(*reinterpret_cast<std::uint8_t*>(at)).fetch_or(0);
    if (is_filled(at, bytes)) return save_filled(at, bytes);
    if (chunks_.empty() || chunks_.back()[0].count == Chunk::kPieces) {
      chunks_.emplace_back(1, Fresh::anything);
      chunks_.back()[0].count = 0;
    }
    Chunk& chunk = chunks_.back()[0];
    chunk.at[chunk.count] = at;
    chunk.bytes[chunk.count] = static_cast<std::uint16_t>(bytes);
    std::memcpy(chunk.contents[chunk.count++].data(), at, bytes);
  }
  // Memory becomes what it was; each piece was saved once. Forgets all.
  void put_back() {
    for (const BigArray<Chunk>& each : chunks_)
      for (std::size_t i = 0; i < each[0].count; ++i)
        std::memcpy(each[0].at[i], each[0].contents[i].data(), each[0].bytes[i]);
    chunks_.clear();
    for (const Filled& each : filled_)
      for (std::uint64_t i = 0; i < each.bytes; i += sizeof each.word)
        std::memcpy(each.at + i, &each.word, sizeof each.word);
    filled_.clear();
  }
  // What it takes.
  std::uint64_t bytes() const {
    return chunks_.size() * sizeof(Chunk) + filled_.size() * sizeof(Filled);
  }

 private:
  // One word over and over. Most results are written to memory that holds zeros or what
  // cudaMemset has left.
  struct Filled {
    std::byte* at;
    std::uint64_t bytes, word;
  };
  static bool is_filled(const std::byte* at, std::size_t bytes) {
    constexpr std::size_t kWord = sizeof(Filled::word);
    return bytes != 0 && bytes % kWord == 0 && std::memcmp(at, at + kWord, bytes - kWord) == 0;
  }
  void save_filled(std::byte* at, std::size_t bytes) {
    Filled now{at, bytes, 0};
    std::memcpy(&now.word, at, sizeof now.word);
    if (!filled_.empty())
      if (Filled& last = filled_.back(); last.at + last.bytes == at && last.word == now.word) {
        last.bytes += bytes;
        return;
      }
    filled_.push_back(now);
  }

  struct Chunk {
    static constexpr std::size_t kPieces = (std::size_t{1} << 17) / kPieceBytes;
    std::array<std::array<std::byte, kPieceBytes>, kPieces> contents;
    std::array<std::byte*, kPieces> at;
    std::array<std::uint16_t, kPieces> bytes;
    std::size_t count;
  };
  std::vector<BigArray<Chunk>> chunks_;  // one each
  std::vector<Filled> filled_;
  std::uint64_t last_page_ = 0;  // in which one was saved
};

}  // namespace heddle::simulator
