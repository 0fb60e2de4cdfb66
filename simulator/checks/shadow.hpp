// Who read and wrote each place of a memory last, by word; by byte where narrower accesses came.
//
// Most accesses are whole lines that all lanes of a warp read or write side by side. As long as
// none but such have come to a line, one record stands for its words. As long as nobody has written
// to a line, its words are kept as those that are only read (read_words.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/base/mask.hpp"
#include "simulator/base/types.hpp"
#include "simulator/checks/read_words.hpp"
#include "simulator/checks/shadow_arena.hpp"
#include "simulator/checks/trace.hpp"
#include "simulator/memory/access_counts.hpp"

namespace heddle::simulator::checks {

class Shadow {
 public:
  static constexpr std::uint32_t kWord = 4, kLine = 128, kWords = kLine / kWord;

  // By a whole line's lanes: word w was the first one's plus (w >> shift).
  struct LineTrace : Trace {
    std::uint8_t shift = 0;
    // Of the i-th of the lines that an instruction reads or writes; `lines`: a power of two.
    static LineTrace of_lines(const Trace& trace, std::uint32_t lines, std::uint32_t i) {
      LineTrace line{trace, static_cast<std::uint8_t>(std::countr_zero(lines))};
      line.lane = i * (kWarpSize / lines) % kWarpSize;
      return line;
    }
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
  // What stands for each word of a line, where one record does not stand for all; at most one of
  // the two.
  struct Words {
    ReadWord* reads = nullptr;  // nobody has written to any of them
    Cell* cells = nullptr;
  };
  struct Line {
    Words* words = nullptr;                   // its own
    std::unique_ptr<std::uint32_t[]> values;  // what was there after the write; null: nobody wrote
    LineTrace write, read, other_read;        // of all words, where none stands for itself
    void clear() {                            // keeps the room for values
      write = read = other_read = {};
      *words = {};
    }
  };

  // Nobody has read or written anywhere.
  void clear() {
    chunks_.clear();
    known_ = {};
    used_ = 0;
    traces_.clear();
    arena_.clear();
  }

  // The line at an address that is a multiple of its size; null: there bytes stand for themselves.
  Line* line_at(std::uint64_t address) {
    Page& page = page_at(address / kPage);
    return page.bytes.empty() ? &page.lines[address % kPage / kLine] : nullptr;
  }
  // From now on the line's words stand for themselves.
  Cell* cells_of(Line& line) {
    if (line.words->cells == nullptr) [[unlikely]]
      divide(line);
    return line.words->cells;
  }

  // Of a warp that has not read yet.
  Reader new_reader() const { return traces_.new_reader(); }
  // An instruction that reads words.
  struct Reading {
    const Reader& reader;  // its warp
    Trace trace;           // of every lane
    std::uint32_t bytes;   // of every lane
  };
  // Notes what it reads at the address of each lane. Calls f(lane) afterwards for those of whose
  // words somebody may have written one.
  template <typename F>
  void note_reads(Mask lanes, const Addresses& address, const Reading& now, F&& f) {
    const std::uint32_t count = now.bytes / kWord;
    std::array<ReadWord*, kWarpSize> found;
    Mask noted, others;
    Lines lines(*this);
    for_each_distinct(lanes, address, [&](unsigned lane) {
      ReadWord* const reads = lines.reads_at(address[lane]);
      const std::uint64_t word = address[lane] % kLine / kWord;
      const bool is_apart = (address[lane] | now.bytes) % kWord != 0 || word + count > kWords;
      if (reads == nullptr || is_apart) return void(others |= Mask::of(lane));
      found[lane] = reads + word;
      __builtin_prefetch(found[lane]);
      noted |= Mask::of(lane);
    });
    if (noted.any() && make_room()) {
      const ReadRef ref = traces_.add(now.trace);
      for (const unsigned lane : noted)
        for (std::uint32_t i = 0; i < count; ++i)
          traces_.note(found[lane][i], ReadTraces::with_lane(ref, lane), now.trace.who, now.reader);
    } else {
      others |= noted;
    }
    for (const unsigned lane : others) f(lane);
  }
  // Notes that a warp reads a whole line. False, and nothing is done: as above, or its words do not
  // stand for themselves.
  bool note_read(Line& line, const LineTrace& now, const Reader& reader) {
    ReadWord* const reads = line.words->reads;
    if (reads == nullptr || !make_room()) return false;
    const ReadRef ref = traces_.add(now);
    for (std::uint32_t word = 0; word < kWords; ++word)
      traces_.note(reads[word], ReadTraces::with_lane(ref, now.of(word).lane), now.who, reader);
    return true;
  }

  // Has the host fetch what stands for the words there: those of many lanes come side by side.
  void prefetch(Mask lanes, const Addresses& address) {
    std::array<const Words*, kWarpSize> words;
    for (const unsigned lane : lanes) {
      words[lane] = &words_at(address[lane]);
      __builtin_prefetch(words[lane]);
    }
    for (const unsigned lane : lanes) prefetch_word(*words[lane], address[lane]);
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
  static constexpr std::size_t kSlab = 16;                    // pages
  struct Page {
    std::array<Words, kPage / kLine> words;  // side by side: scattered accesses need no more
    std::array<Line, kPage / kLine> lines;
    std::vector<Cell> bytes;  // once they stand for themselves; else empty
    Page() {
      for (std::size_t i = 0; i < lines.size(); ++i) lines[i].words = &words[i];
    }
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;
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
    if (used_ == slabs_.size() * kSlab) slabs_.push_back(std::make_unique<Page[]>(kSlab));
    Page& page = slabs_[used_ / kSlab][used_ % kSlab];
    ++used_;
    for (Line& line : page.lines) line.clear();
    page.bytes = {};
    return page;
  }
  Words& words_at(std::uint64_t address) {
    return page_at(address / kPage).words[address % kPage / kLine];
  }
  static void prefetch_word(const Words& words, std::uint64_t address) {
    const std::uint64_t word = address % kLine / kWord;
    if (words.reads != nullptr)
      __builtin_prefetch(&words.reads[word]);
    else if (words.cells != nullptr)
      __builtin_prefetch(&words.cells[word]);
  }
  // Lanes that read the same as the one before are left out.
  template <typename F>
  static void for_each_distinct(Mask lanes, const Addresses& address, F&& f) {
    std::uint64_t last = ~std::uint64_t{0};
    for (const unsigned lane : lanes) {
      if (address[lane] == last) continue;
      last = address[lane];
      f(lane);
    }
  }

  // The lines that lanes read, one after the other: most read in the line of the lane before.
  class Lines {
   public:
    explicit Lines(Shadow& shadow) : shadow_(shadow) {}
    // What stands for the words of the line there; null: somebody may have written to one.
    ReadWord* reads_at(std::uint64_t address) {
      if (address / kLine != number_) {
        number_ = address / kLine;
        Page& page = shadow_.page_at(address / kPage);
        const std::size_t line = address % kPage / kLine;
        if (page.words[line].reads == nullptr && page.bytes.empty())
          shadow_.begin_reads(page.lines[line]);
        reads_ = page.words[line].reads;
      }
      return reads_;
    }

   private:
    Shadow& shadow_;
    std::uint64_t number_ = ~std::uint64_t{0};
    ReadWord* reads_ = nullptr;
  };

  // For another trace of a read.
  bool make_room() {
    if (traces_.is_full()) [[unlikely]]
      traces_.collect([this](auto&& f) { for_each_read_word(f); });
    return !traces_.is_exhausted();
  }
  template <typename F>
  void for_each_read_word(F&& f) {
    for (std::size_t i = 0; i < used_; ++i)
      for (const Words& words : slabs_[i / kSlab][i % kSlab].words)
        if (words.reads != nullptr) std::for_each_n(words.reads, kWords, f);
  }
  // From now on each word has its readers, unless somebody has written there.
  void begin_reads(Line& line) {
    if (line.words->cells != nullptr || line.write.clock != 0 || !make_room()) return;
    line.words->reads = arena_.make<ReadWord>(kWords);
    const auto note = [&](const LineTrace& trace, ReadRef ReadWord::*which) {
      if (trace.clock == 0) return;
      const ReadRef ref = traces_.add(trace);
      for (std::uint32_t word = 0; word < kWords; ++word)
        line.words->reads[word].*which = ReadTraces::with_lane(ref, trace.of(word).lane);
    };
    note(line.read, &ReadWord::read);
    note(line.other_read, &ReadWord::other_read);
  }
  void divide(Line& line) {
    Words& words = *line.words;
    words.cells = arena_.make<Cell>(kWords);
    if (words.reads != nullptr) {
      for (std::uint32_t word = 0; word < kWords; ++word) {
        words.cells[word].read = traces_.of(words.reads[word].read);
        words.cells[word].other_read = traces_.of(words.reads[word].other_read);
      }
      words.reads = nullptr;
      return;
    }
    if ((line.write.clock | line.read.clock) == 0) return;
    for (std::uint32_t word = 0; word < kWords; ++word) {
      Cell& cell = words.cells[word];
      cell.write = line.write.of(word);
      cell.read = line.read.of(word);
      cell.other_read = line.other_read.of(word);
      if (line.values != nullptr) cell.value = line.values[word];
    }
  }
  void split(Page& page) {
    page.bytes.resize(kPage);
    for (std::uint32_t i = 0; i < kPage; ++i) {
      page.bytes[i] = cells_of(page.lines[i / kLine])[i % kLine / kWord];
      page.bytes[i].value = page.bytes[i].value >> 8 * (i % kWord) & 0xff;
    }
    page.words = {};
  }

  std::unordered_map<std::uint64_t, std::unique_ptr<Chunk>> chunks_;
  std::array<Known, 64> known_{};
  std::vector<std::unique_ptr<Page[]>> slabs_;
  std::size_t used_ = 0;  // pages of them
  ShadowArena arena_;     // of words that stand for themselves
  ReadTraces traces_;     // of words that are only read
};

}  // namespace heddle::simulator::checks
