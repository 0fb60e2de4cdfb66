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
    if (words != words_) take(words, Memory(std::calloc(bytes_for(words), 1), std::free));
  }
  // For rows that are used by turns with those of many blocks, or by one launch after the other.
  void resize_in_big_pages(std::size_t words, Fresh holds) {
    if (words == words_) return;
    take(words, Memory(take_from_big_pages(bytes_for(words), holds), give_back_to_big_pages));
  }
  std::size_t size() const { return words_; }
  std::uint32_t* data() { return first_; }
  const std::uint32_t* data() const { return first_; }
  std::uint32_t* begin() { return first_; }
  std::uint32_t* end() { return first_ + words_; }
  const std::uint32_t* begin() const { return first_; }
  const std::uint32_t* end() const { return first_ + words_; }

 private:
  using Memory = std::unique_ptr<void, void (*)(void*)>;
  static std::size_t bytes_for(std::size_t words) {
    return words * sizeof(std::uint32_t) + kCacheLine;
  }
  void take(std::size_t words, Memory memory) {
    memory_ = std::move(memory);
    if (memory_ == nullptr) throw std::bad_alloc();
    void* first = memory_.get();
    std::size_t bytes = bytes_for(words);
    first_ = static_cast<std::uint32_t*>(
        std::align(kCacheLine, words * sizeof(std::uint32_t), first, bytes));
    words_ = words;
  }

  Memory memory_{nullptr, std::free};
  std::uint32_t* first_ = nullptr;
  std::size_t words_ = 0;
};

}  // namespace heddle::simulator
