// Who read and wrote each place of a memory last, by word; by byte where narrower accesses came.
//
// Most accesses are whole lines that all lanes of a warp read or write side by side. As long as
// none but such have come to a line, one record stands for its words. Where others come, its parts
// stand for themselves: what was read of them, what was written, or both (word_traces.hpp). Copies
// that are pending, and what was done without a warp, do not fit there: they make cells of a line.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "simulator/base/mask.hpp"
#include "simulator/base/types.hpp"
#include "simulator/checks/shadow_arena.hpp"
#include "simulator/checks/trace.hpp"
#include "simulator/checks/word_traces.hpp"
#include "simulator/memory/access_counts.hpp"

namespace heddle::simulator::checks {

class Shadow {
 public:
  static constexpr std::uint32_t kWordShift = 2, kWord = 1u << kWordShift;
  static constexpr std::uint32_t kLine = 128, kWords = kLine / kWord;

  struct Line {
    // Where its parts stand for themselves:
    ReadPart* reads = nullptr;         // of each; null: nobody has read
    WrittenPart* writes = nullptr;     // of each; null: nobody has written
    Cell* cells = nullptr;             // of each, in place of both
    std::uint32_t shift = kWordShift;  // a part is 1 << shift bytes
    // Of all its words, where one record stands for them:
    TraceRef write = 0;
    ReadPart read;
    std::uint32_t* values = nullptr;  // what was there after the write
    bool is_apart() const { return reads != nullptr || writes != nullptr || cells != nullptr; }
    bool is_by_words() const { return cells == nullptr && shift == kWordShift; }
    std::uint32_t count() const { return kLine >> shift; }
  };
  // One part, and those that follow it.
  struct Place {
    ReadPart* read;
    WrittenPart* written;
    std::uint32_t shift;  // as that of its line
    // In place: to copy one that was just made takes the host's core longer than to look it up.
    void set(const Line& line, std::uint64_t part) {
      read = line.reads == nullptr ? nullptr : line.reads + part;
      written = line.writes == nullptr ? nullptr : line.writes + part;
      shift = line.shift;
    }
    std::uint32_t bytes() const { return 1u << shift; }
    std::uint32_t parts_in(std::uint32_t count) const { return count >> shift; }
  };

  // Nobody has read or written anywhere.
  void clear() {
    chunks_.clear();
    known_ = {};
    pages_.clear();
    traces_.clear();
    arena_.clear();
  }

  // The line at an address that is a multiple of its size; null: it is divided into bytes or cells.
  Line* line_at(std::uint64_t address) {
    Line& line = line_of(address);
    return line.is_by_words() ? &line : nullptr;
  }
  // What was written to all of a line is kept there.
  std::uint32_t* values_of(Line& line) {
    if (line.values == nullptr) line.values = arena_.make_unset<std::uint32_t>(kWords);
    return line.values;
  }

  // Of a warp that has not read yet.
  Reader new_reader() const { return traces_.new_reader(); }
  const WordTraces& traces() const { return traces_; }
  // Before one instruction is looked at: whether its trace can be told apart from all others.
  bool make_room() {
    if (traces_.is_full()) [[unlikely]]
      traces_.collect([this](auto&& f) { for_each_ref(f); });
    return !traces_.is_exhausted();
  }
  TraceRef add(const Trace& trace) { return traces_.add(trace); }

  // From now on the line's parts stand for themselves, and what is written or read has a place.
  void divide(Line& line, bool writes) {
    hand_on(line);
    if (writes && line.writes == nullptr) line.writes = arena_.make<WrittenPart>(line.count());
    if (!writes && line.reads == nullptr) line.reads = arena_.make<ReadPart>(line.count());
  }
  static Place place_in(const Line& line, std::uint64_t part) {
    Place place;
    place.set(line, part);
    return place;
  }
  // The first parts that lanes access, which stand for themselves from now on. Returns the lanes of
  // those that cells stand for; in neither are lanes that read the same as the lane before.
  Mask find_places(Mask lanes, const Addresses& address, std::uint32_t bytes, bool writes,
                   std::array<Place, kWarpSize>& found, Mask& noted) {
    // Scattered accesses miss the host's caches: first at the lines, for all lanes side by side.
    std::array<Line*, kWarpSize> lines;
    Mask looked_at;
    std::uint64_t last = ~std::uint64_t{0}, known = ~std::uint64_t{0};
    Line* line = nullptr;
    for (const unsigned lane : lanes) {
      const std::uint64_t at = address[lane];
      if (at == last && !writes) continue;
      last = at;
      if (at / kLine != known) {
        known = at / kLine;
        line = &line_of(at);
        __builtin_prefetch(line);
      }
      lines[lane] = line;
      looked_at |= Mask::of(lane);
    }
    Mask others;
    const Line* divided = nullptr;
    for (const unsigned lane : looked_at) {
      const std::uint64_t at = address[lane];
      if (lines[lane] != divided || (at | bytes) % kWord != 0)
        divide_for(*lines[lane], at, bytes, writes);
      divided = lines[lane];
      if (divided->cells != nullptr || at % kLine + bytes > kLine) {
        others |= Mask::of(lane);
        continue;
      }
      const std::uint64_t part = at % kLine >> divided->shift;
      found[lane].set(*divided, part);
      if (writes || divided->writes != nullptr) __builtin_prefetch(divided->writes + part);
      if (divided->reads != nullptr) __builtin_prefetch(divided->reads + part);
      noted |= Mask::of(lane);
    }
    return others;
  }
  // Notes that a warp reads a part; one that somebody may have written is to be looked at before.
  void note_read(ReadPart& part, TraceRef ref, WarpId who, const Reader& reader) {
    traces_.note(part, ref, who, reader);
  }
  // Notes that a warp reads a whole line whose words stand for themselves. False, and nothing is
  // done: somebody has written to one, or nobody has read one.
  bool note_words(Line& line, const LineTrace& now, TraceRef ref, const Reader& reader) {
    if (line.reads == nullptr || line.writes != nullptr) return false;
    for (std::uint32_t word = 0; word < kWords; ++word)
      note_read(line.reads[word], WordTraces::with_lane(ref, now.of(word).lane), now.who, reader);
    return true;
  }

  // Calls f(cell, address, bytes) for each part of an access; from now on cells stand for all parts
  // of its lines, which are as small as the narrowest access to them.
  template <typename F>
  void for_each(std::uint64_t address, std::uint64_t bytes, F&& f) {
    const bool is_narrow = (address | bytes) % kWord != 0;
    while (bytes != 0) {
      const std::uint64_t here = std::min(bytes, kLine - address % kLine);
      Line& line = line_of(address);
      if (is_narrow && line.shift != 0) divide_into_bytes(line);
      if (line.cells == nullptr) make_cells(line);
      const std::uint32_t part = 1u << line.shift;
      for (std::uint64_t at = 0; at < here; at += part)
        f(line.cells[(address + at) % kLine >> line.shift], address + at, part);
      address += here;
      bytes -= here;
    }
  }

  // Nobody has read or written there.
  void forget(std::uint64_t address, std::uint64_t bytes) {
    constexpr std::uint64_t kUnit = 16;
    const auto after = [](std::uint64_t at, std::uint64_t size) { return (at / size + 1) * size; };
    for (std::uint64_t at = address / kUnit * kUnit; at < address + bytes;) {
      const auto chunk = chunks_.find(at / kPage / kChunk);
      if (chunk == chunks_.end()) {
        at = after(at, kPage * kChunk);
        continue;
      }
      Page* const page = chunk->second->pages[at / kPage % kChunk];
      if (page == nullptr) {
        at = after(at, kPage);
        continue;
      }
      forget_parts(page->lines[at % kPage / kLine], at % kLine, kUnit);
      at += kUnit;
    }
  }

 private:
  static constexpr std::uint64_t kPage = 1024, kChunk = 512;  // bytes; pages
  struct Page {
    std::array<Line, kPage / kLine> lines;
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
      Chunk*& chunk = chunks_[in_chunks];
      if (chunk == nullptr) chunk = arena_.make<Chunk>(1);
      known = {in_chunks, chunk};
    }
    Page*& page = known.chunk->pages[number % kChunk];
    if (page == nullptr) [[unlikely]]
      page = &new_page();
    return *page;
  }
  Line& line_of(std::uint64_t address) {
    return page_at(address / kPage).lines[address % kPage / kLine];
  }
  void forget_parts(Line& line, std::uint64_t offset, std::uint64_t bytes) {
    hand_on(line);
    const std::uint64_t first = offset >> line.shift, count = bytes >> line.shift;
    if (line.reads != nullptr) std::fill_n(line.reads + first, count, ReadPart{});
    if (line.writes != nullptr) std::fill_n(line.writes + first, count, WrittenPart{});
    if (line.cells != nullptr) std::fill_n(line.cells + first, count, Cell{});
  }
  Page& new_page() {
    Page* const page = arena_.make<Page>(1);
    pages_.push_back(page);
    return *page;
  }
  // So that an access has its places, unless cells stand for them.
  void divide_for(Line& line, std::uint64_t address, std::uint32_t bytes, bool writes) {
    if ((address | bytes) % kWord != 0 && line.shift != 0) [[unlikely]]
      divide_into_bytes(line);
    if (line.cells == nullptr) divide(line, writes);
  }
  // What stood for a whole line stands for each of its words.
  void hand_on(Line& line) {
    if ((line.read.read | line.write) != 0) hand_on_traces(line);  // so none stands for itself
  }
  void hand_on_traces(Line& line) {
    const auto note = [&](TraceRef of_line, auto* first, auto which) {
      if (of_line == 0) return;
      const LineTrace trace = traces_.of_line(of_line);
      const TraceRef ref = WordTraces::instruction_of(of_line);
      for (std::uint32_t word = 0; word < kWords; ++word)
        first[word].*which = WordTraces::with_lane(ref, trace.of(word).lane);
    };
    if (line.read.read != 0) {
      line.reads = arena_.make<ReadPart>(kWords);
      note(line.read.read, line.reads, &ReadPart::read);
      note(line.read.other_read, line.reads, &ReadPart::other_read);
    }
    if (line.write != 0) {
      line.writes = arena_.make<WrittenPart>(kWords);
      note(line.write, line.writes, &WrittenPart::write);
      for (std::uint32_t word = 0; word < kWords; ++word)
        line.writes[word].value = line.values[word];
    }
    line.read = {};
    line.write = 0;
  }
  // From now on each byte stands for itself.
  void divide_into_bytes(Line& line) {
    hand_on(line);
    line.shift = 0;
    const auto copy = [&](auto*& parts) {
      if (parts == nullptr) return;
      const auto* const words = parts;
      parts = arena_.make<std::remove_cvref_t<decltype(*parts)>>(kLine);
      for (std::uint32_t i = 0; i < kLine; ++i) parts[i] = words[i / kWord];
    };
    copy(line.reads);
    copy(line.writes);
    copy(line.cells);
    for (std::uint32_t i = 0; i < kLine; ++i) {
      const auto keep_byte = [&](std::uint32_t& word) { word = word >> 8 * (i % kWord) & 0xff; };
      if (line.writes != nullptr) keep_byte(line.writes[i].value);
      if (line.cells != nullptr) keep_byte(line.cells[i].value);
    }
  }
  void make_cells(Line& line) {
    hand_on(line);
    Cell* const cells = arena_.make<Cell>(line.count());
    for (std::uint32_t i = 0; i < line.count(); ++i) {
      if (line.reads != nullptr) {
        cells[i].read = traces_.of(line.reads[i].read);
        cells[i].other_read = traces_.of(line.reads[i].other_read);
      }
      if (line.writes != nullptr) {
        cells[i].write = traces_.of(line.writes[i].write);
        cells[i].value = line.writes[i].value;
      }
    }
    line.cells = cells;
    line.reads = nullptr;
    line.writes = nullptr;
  }

  template <typename F>
  void for_each_ref(F&& f) {
    const auto read = [&](ReadPart& part) { f(part.read), f(part.other_read); };
    for (Page* const page : pages_)
      for (Line& line : page->lines) {
        if (line.reads != nullptr) std::for_each_n(line.reads, line.count(), read);
        if (line.writes != nullptr)
          std::for_each_n(line.writes, line.count(), [&](WrittenPart& part) { f(part.write); });
        read(line.read);
        f(line.write);
      }
  }

  std::unordered_map<std::uint64_t, Chunk*> chunks_;
  std::array<Known, 128> known_{};
  std::vector<Page*> pages_;
  ShadowArena arena_;  // of all of that
  WordTraces traces_;  // of words that stand for themselves
};

}  // namespace heddle::simulator::checks
