// Memory for rows of 32 words. They begin at cache lines: a vector unit's loads and stores of whole
// rows then never lie across two, which costs more than what most instructions compute.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "simulator/base/big_pages.hpp"

namespace heddle::simulator {

inline constexpr std::size_t kCacheLine = 64;

// Zero at first. What nobody uses of it costs nothing: a warp has room for 255 registers, and most
// programs name few.
class RowStorage {
 public:
  RowStorage() = default;
  explicit RowStorage(std::size_t words) { resize(words); }
  RowStorage(const RowStorage& other) : RowStorage(other.words_) {
    std::ranges::copy(other, first_);
  }
  RowStorage(RowStorage&& other) noexcept
      : memory_(std::move(other.memory_)),
        first_(std::exchange(other.first_, nullptr)),
        words_(std::exchange(other.words_, 0)) {}
  RowStorage& operator=(RowStorage other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(first_, other.first_);
    std::swap(words_, other.words_);
    return *this;
  }

  // Another size makes all words zero.
  void resize(std::size_t words) {
    if (words == words_) return;
    const Memory memory(std::calloc(bytes_for(words), 1), std::free);
    if (memory == nullptr) throw std::bad_alloc();
    void* first = memory.get();
    std::size_t bytes = bytes_for(words);
    take(memory, std::align(kCacheLine, words * sizeof(std::uint32_t), first, bytes), words);
  }
  // For rows that are used by turns with those of many blocks, or by one launch after the other.
  void resize_in_big_pages(std::size_t words, Fresh holds) {
    if (words == words_) return;
    const Memory memory(take_from_big_pages(words * sizeof(std::uint32_t), holds),
                        give_back_to_big_pages);
    take(memory, memory.get(), words);
  }
  // Words from `first` on, of a piece of memory that others have too.
  void resize_within(const RowStorage& piece, std::size_t first, std::size_t words) {
    take(piece.memory_, piece.first_ + first, words);
  }
  std::size_t size() const { return words_; }
  std::uint32_t* data() { return first_; }
  const std::uint32_t* data() const { return first_; }
  std::uint32_t* begin() { return first_; }
  std::uint32_t* end() { return first_ + words_; }
  const std::uint32_t* begin() const { return first_; }
  const std::uint32_t* end() const { return first_ + words_; }

 private:
  using Memory = std::shared_ptr<void>;
  static std::size_t bytes_for(std::size_t words) {
    return words * sizeof(std::uint32_t) + kCacheLine;
  }
  void take(Memory memory, void* first, std::size_t words) {
    memory_ = std::move(memory);
    first_ = static_cast<std::uint32_t*>(first);
    words_ = words;
  }

  Memory memory_;
  std::uint32_t* first_ = nullptr;
  std::size_t words_ = 0;
};

// Gives rows to one block after the other that lie among those of the blocks before: each begins
// `apart` words behind them, and has `words`. Several share a piece of memory.
class RowsAmongOthers {
 public:
  void give(RowStorage& rows, std::size_t words, std::size_t apart, std::size_t blocks) {
    constexpr std::size_t kMostWords = 1 << 18, kMostBlocks = 16;
    if (left_ == 0 || words != words_ || apart != apart_) {
      left_ = std::clamp<std::size_t>(kMostWords / apart, 1, std::min(blocks, kMostBlocks));
      piece_ = RowStorage();
      piece_.resize_in_big_pages((left_ - 1) * apart + words, Fresh::anything);
      words_ = words;
      apart_ = apart;
      next_ = 0;
    }
    rows.resize_within(piece_, next_, words);
    next_ += apart;
    --left_;
  }

 private:
  RowStorage piece_;
  std::size_t words_ = 0, apart_ = 0;
  std::size_t left_ = 0, next_ = 0;  // blocks of the piece, and its word where the next begins
};

}  // namespace heddle::simulator
