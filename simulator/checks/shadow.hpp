// Who read and wrote each place of a memory last, by word; by byte where narrower accesses came.
//
// Most accesses are whole lines that all lanes of a warp read or write side by side. As long as
// none but such have come to a line, one record stands for its words.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/base/row_storage.hpp"
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
  static constexpr unsigned kPcBits = 23;
  static constexpr std::uint32_t kMostPc = (1u << kPcBits) - 1;
  WarpId who;
  std::uint32_t clock = 0;  // of the warp; 0: nobody
  std::uint32_t tick = 0;   // LaneOrder's
  std::uint32_t pc : kPcBits = 0;
  std::uint32_t lane : 5 = 0;
  std::uint32_t how : 2 = 0;        // a Use
  std::uint32_t pending : 1 = 0;    // by an asynchronous copy that nobody has waited for
  std::uint32_t for_block : 1 = 0;  // strong or atomic to threads of its block alone
  Use use() const { return static_cast<Use>(how); }
};

struct alignas(kCacheLine) Cell {
  Trace write, read, other_read;  // other_read: by another warp than `read`
  std::uint32_t value = 0;        // what was there after the write
};
static_assert(sizeof(Cell) == kCacheLine);

class Shadow {
 public:
  static constexpr std::uint32_t kWord = 4, kLine = 128, kWords = kLine / kWord;

  // By a whole line's lanes: word w was the first one's plus (w >> shift).
  struct LineTrace : Trace {
    std::uint8_t shift = 0;
    std::uint32_t lane_of(std::uint32_t word) const { return lane + (word >> shift); }
    bool same_lanes(const LineTrace& other) const {
      return lane == other.lane && shift == other.shift;
    }
    Trace of(std::uint32_t word) const {
      Trace trace = *this;
      trace.lane = lane_of(word) % kWarpSize;
      return trace;
    }
  };
  struct Line {
    LineTrace write, read, other_read;        // of all words, as long as there are no cells
    std::unique_ptr<std::uint32_t[]> values;  // what was there after the write; null: nobody wrote
    std::unique_ptr<Cell[]> cells;
    void clear() {  // keeps the room for values
      write = read = other_read = {};
      cells.reset();
    }
  };

  // Nobody has read or written anywhere.
  void clear() {
    chunks_.clear();
    known_ = {};
    used_ = 0;
  }

  // The line at an address that is a multiple of its size; null: there bytes stand for themselves.
  Line* line_at(std::uint64_t address) {
    Page& page = page_at(address / kPage);
    return page.bytes.empty() ? &page.lines[address % kPage / kLine] : nullptr;
  }
  // From now on the line's words stand for themselves.
  static Cell* cells_of(Line& line) {
    if (line.cells == nullptr) [[unlikely]]
      divide(line);
    return line.cells.get();
  }

  // Has the host fetch the line there, and then what stands for its words: those of many lanes come
  // side by side.
  void prefetch_line(std::uint64_t address) {
    const Line& line = page_at(address / kPage).lines[address % kPage / kLine];
    __builtin_prefetch(&line.cells);
    __builtin_prefetch(&line);
  }
  void prefetch_cell(std::uint64_t address) {
    const Line& line = page_at(address / kPage).lines[address % kPage / kLine];
    if (line.cells != nullptr) __builtin_prefetch(&line.cells[address % kLine / kWord]);
  }

  // Calls f(cell, address, bytes) for each part of an access; parts that stand for themselves are
  // as small as the narrowest access to their page.
  template <typename F>
  void for_each(std::uint64_t address, std::uint32_t bytes, F&& f) {
    Page& page = page_at(address / kPage);
    const std::uint32_t offset = static_cast<std::uint32_t>(address % kPage);
    const std::uint32_t end = std::min(offset + bytes, static_cast<std::uint32_t>(kPage));
    if (page.bytes.empty() && (address % kWord != 0 || bytes % kWord != 0)) split(page);
    if (!page.bytes.empty()) {
      for (std::uint32_t at = offset; at < end; ++at)
        f(page.bytes[at], address - offset + at, std::uint32_t{1});
      return;
    }
    for (std::uint32_t at = offset; at < end; at += kWord)
      f(cells_of(page.lines[at / kLine])[at % kLine / kWord], address - offset + at, kWord);
  }

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
      if (is_known(at / kPage))
        for_each(at, kUnit, [](Cell& cell, std::uint64_t, std::uint32_t) { cell = {}; });
  }

 private:
  static constexpr std::uint64_t kPage = 1024, kChunk = 256;  // bytes; pages
  struct Page {
    std::array<Line, kPage / kLine> lines;
    std::vector<Cell> bytes;  // once they stand for themselves; else empty
  };
  struct Chunk {
    std::array<Page*, kChunk> pages{};
  };
  struct Known {
    std::uint64_t number = ~std::uint64_t{0};
    Chunk* chunk = nullptr;
  };

  Page& page_at(std::uint64_t number) {
    const std::uint64_t in_chunks = number / kChunk;
    Known& known = known_[in_chunks % known_.size()];
    if (known.number != in_chunks) [[unlikely]] {
      std::unique_ptr<Chunk>& chunk = chunks_[in_chunks];
      if (chunk == nullptr) chunk = std::make_unique<Chunk>();
      known = {in_chunks, chunk.get()};
    }
    Page*& page = known.chunk->pages[number % kChunk];
    if (page == nullptr) [[unlikely]]
      page = &new_page();
    return *page;
  }
  bool is_known(std::uint64_t number) const {
    const auto found = chunks_.find(number / kChunk);
    return found != chunks_.end() && found->second->pages[number % kChunk] != nullptr;
  }
  // Pages are kept from launch to launch.
  Page& new_page() {
    constexpr std::size_t kSlab = 16;
    if (used_ == slabs_.size() * kSlab) slabs_.push_back(std::make_unique<Page[]>(kSlab));
    Page& page = slabs_[used_ / kSlab][used_ % kSlab];
    ++used_;
    for (Line& line : page.lines) line.clear();
    page.bytes = {};
    return page;
  }
  static void divide(Line& line) {
    line.cells = std::make_unique<Cell[]>(kWords);
    if ((line.write.clock | line.read.clock) == 0) return;
    for (std::uint32_t word = 0; word < kWords; ++word) {
      Cell& cell = line.cells[word];
      cell.write = line.write.of(word);
      cell.read = line.read.of(word);
      cell.other_read = line.other_read.of(word);
      if (line.values != nullptr) cell.value = line.values[word];
    }
  }
  static void split(Page& page) {
    page.bytes.resize(kPage);
    for (std::uint32_t i = 0; i < kPage; ++i) {
      page.bytes[i] = cells_of(page.lines[i / kLine])[i % kLine / kWord];
      page.bytes[i].value = page.bytes[i].value >> 8 * (i % kWord) & 0xff;
    }
    for (Line& line : page.lines) line.cells.reset();
  }

  std::unordered_map<std::uint64_t, std::unique_ptr<Chunk>> chunks_;
  std::array<Known, 64> known_{};
  std::vector<std::unique_ptr<Page[]>> slabs_;
  std::size_t used_ = 0;  // pages of them
};

}  // namespace heddle::simulator::checks
