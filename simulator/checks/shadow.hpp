// Who read and wrote each place of a memory last, by word; by byte where narrower accesses came.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/base/types.hpp"
#include "simulator/checks/knowledge.hpp"

namespace heddle::simulator::checks {

enum class Use : std::uint8_t {
  plain,
  strong,  // volatile, or an atomic load or store
  atomic,  // a read-modify-write
  swap,    // a compare-and-swap
};

struct Trace {
  WarpId who;
  std::uint32_t clock = 0;  // of the warp; 0: nobody
  std::uint32_t tick = 0;   // LaneOrder's
  std::uint32_t pc = 0;
  std::uint32_t value = 0;  // writes: what was there afterwards
  std::uint8_t lane = 0;
  Use use = Use::plain;
  bool pending = false;    // by an asynchronous copy that nobody has waited for
  bool for_block = false;  // strong or atomic to threads of its block alone
};

struct Cell {
  Trace write, read, other_read;  // other_read: by another warp than `read`
};

class Shadow {
 public:
  // Calls f(cell, address, bytes) for each part of an access; parts that stand for themselves are
  // as small as the narrowest access to their page.
  template <typename F>
  void for_each(std::uint64_t address, std::uint32_t bytes, F&& f) {
    Page& page = page_at(address / kPage);
    const std::uint32_t offset = static_cast<std::uint32_t>(address % kPage);
    if (!page.by_byte && (address % kWord != 0 || bytes % kWord != 0)) split(page);
    const std::uint32_t part = page.by_byte ? 1 : kWord;
    for (std::uint32_t at = offset; at < offset + bytes && at < kPage; at += part)
      f(page.cells[at / part], address - offset + at, part);
  }

  // As for_each, of as many bytes as one likes.
  template <typename F>
  void for_each_part(std::uint64_t address, std::uint64_t bytes, F&& f) {
    while (bytes != 0) {
      const std::uint64_t here = std::min(bytes, kPage - address % kPage);
      for_each(address, static_cast<std::uint32_t>(here), f);
      address += here;
      bytes -= here;
    }
  }

  // Nobody has read or written there.
  void forget(std::uint64_t address, std::uint64_t bytes) {
    constexpr std::uint64_t kUnit = 16;
    for (std::uint64_t at = address / kUnit * kUnit; at < address + bytes; at += kUnit)
      if (pages_.contains(at / kPage))
        for_each(at, kUnit, [](Cell& cell, std::uint64_t, std::uint32_t) { cell = {}; });
  }

 private:
  static constexpr std::uint64_t kPage = 1024;
  static constexpr std::uint32_t kWord = 4;
  struct Page {
    bool by_byte = false;
    std::vector<Cell> cells;
  };
  Page& page_at(std::uint64_t number) {
    if (number == cached_number_) return *cached_;
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) {
      page = std::make_unique<Page>();
      page->cells.resize(kPage / kWord);
    }
    cached_number_ = number;
    cached_ = page.get();
    return *page;
  }
  static void split(Page& page) {
    std::vector<Cell> bytes(kPage);
    for (std::uint32_t i = 0; i < kPage; ++i) {
      bytes[i] = page.cells[i / kWord];
      bytes[i].write.value = bytes[i].write.value >> 8 * (i % kWord) & 0xff;
    }
    page.cells = std::move(bytes);
    page.by_byte = true;
  }

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t cached_number_ = ~std::uint64_t{0};
  Page* cached_ = nullptr;
};

}  // namespace heddle::simulator::checks
