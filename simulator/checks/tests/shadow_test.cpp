// Who read and wrote what, kept by the line, by the word and by the byte.
#include "simulator/checks/shadow.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

namespace heddle::simulator::checks {
namespace {

constexpr std::uint64_t kAddress = 0x7f00'0000'0400;

LineTrace by(std::uint32_t warp, std::uint32_t clock) {
  LineTrace trace;
  trace.who = {0, warp};
  trace.clock = clock;
  return trace;
}

// A line that warp 3 wrote, and of which it wrote 0x01020304 + word.
Shadow::Line& written(Shadow& shadow) {
  Shadow::Line& line = *shadow.line_at(kAddress);
  line.write = WordTraces::with_line(shadow.add(by(3, 7)), 1, 0);
  std::uint32_t* const values = shadow.values_of(line);
  for (std::uint32_t word = 0; word < Shadow::kWords; ++word) values[word] = 0x01020304 + word;
  return line;
}

TEST(Shadow, WordsOfALineKnowTheirLanesAndValues) {
  Shadow shadow;
  Shadow::Line& line = written(shadow);
  line.read.read = WordTraces::with_line(shadow.add(by(4, 9)), 2, 1);  // two words a lane
  unsigned parts = 0;
  shadow.for_each(kAddress + 20, 8, [&](Cell& cell, std::uint64_t at, std::uint32_t bytes) {
    EXPECT_EQ(at, kAddress + 20 + 4 * parts);
    EXPECT_EQ(bytes, 4u);
    EXPECT_EQ(cell.write.who.warp, 3u);
    EXPECT_EQ(cell.write.clock, 7u);
    EXPECT_EQ(cell.write.lane, 5 + parts);
    EXPECT_EQ(cell.value, 0x01020304 + 5 + parts);
    EXPECT_EQ(cell.read.lane, 16 + (5 + parts) / 2);
    EXPECT_EQ(cell.other_read.clock, 0u);
    ++parts;
  });
  EXPECT_EQ(parts, 2u);
  EXPECT_EQ(shadow.line_at(kAddress), nullptr);
}

TEST(Shadow, BytesOfAPageKnowTheirWords) {
  Shadow shadow;
  written(shadow);
  unsigned parts = 0;
  shadow.for_each(kAddress + 5, 1, [&](Cell& cell, std::uint64_t at, std::uint32_t bytes) {
    EXPECT_EQ(at, kAddress + 5);
    EXPECT_EQ(bytes, 1u);
    EXPECT_EQ(cell.write.lane, 1u);
    EXPECT_EQ(cell.value, 0x03u);
    ++parts;
  });
  EXPECT_EQ(parts, 1u);
  EXPECT_EQ(shadow.line_at(kAddress), nullptr);
  EXPECT_NE(shadow.line_at(kAddress + 128), nullptr);
}

TEST(Shadow, BytesThatAreReadKnowWhoWroteTheirWord) {
  Shadow shadow;
  written(shadow);
  Addresses addresses{};
  addresses[6] = kAddress + 41;
  std::array<Shadow::Place, kWarpSize> found;
  Mask noted;
  EXPECT_EQ(shadow.find_places(Mask::of(6), addresses, 1, false, found, noted), Mask());
  EXPECT_EQ(noted, Mask::of(6));
  EXPECT_EQ(found[6].bytes(), 1u);
  EXPECT_EQ(found[6].written->value, 0x03u);
  EXPECT_EQ(shadow.traces().of(found[6].written->write).lane, 10u);
  shadow.note_read(*found[6].read, WordTraces::with_lane(shadow.add(by(1, 4)), 6), {0, 1}, {});
  shadow.for_each(kAddress + 40, 4, [&](Cell& cell, std::uint64_t at, std::uint32_t) {
    EXPECT_EQ(cell.write.who.warp, 3u);
    EXPECT_EQ(cell.read.clock, at == kAddress + 41 ? 4u : 0u);
  });
  EXPECT_EQ(shadow.line_at(kAddress), nullptr);
}

TEST(Shadow, ForgetsAPlaceOrEverything) {
  Shadow shadow;
  written(shadow);
  shadow.forget(kAddress + 16, 16);
  const auto clock_at = [&](std::uint64_t address) {
    std::uint32_t clock = 0;
    shadow.for_each(address, 4,
                    [&](Cell& cell, std::uint64_t, std::uint32_t) { clock = cell.write.clock; });
    return clock;
  };
  EXPECT_EQ(clock_at(kAddress + 12), 7u);
  EXPECT_EQ(clock_at(kAddress + 16), 0u);
  EXPECT_EQ(clock_at(kAddress + 28), 0u);
  EXPECT_EQ(clock_at(kAddress + 32), 7u);
  shadow.clear();
  EXPECT_FALSE(shadow.line_at(kAddress)->is_apart());
  EXPECT_EQ(clock_at(kAddress + 12), 0u);
}

Trace reader(std::uint32_t warp, std::uint32_t lane, std::uint32_t pc) {
  Trace trace = by(warp, 5);
  trace.lane = lane % 32;
  trace.pc = pc & Trace::kMostPc;
  return trace;
}
// Lanes of a warp read a word each. Returns those of cells and of lines that somebody wrote to.
Mask note_reads(Shadow& shadow, Mask lanes, const Addresses& addresses, const Trace& trace,
                const Reader& reader = {}) {
  EXPECT_TRUE(shadow.make_room());
  std::array<Shadow::Place, kWarpSize> found;
  Mask noted;
  Mask others = shadow.find_places(lanes, addresses, 4, false, found, noted);
  const TraceRef ref = shadow.add(trace);
  for (const unsigned lane : noted) {
    if (found[lane].written != nullptr) others |= Mask::of(lane);
    shadow.note_read(*found[lane].read, WordTraces::with_lane(ref, lane), trace.who, reader);
  }
  return others;
}
bool note_read(Shadow& shadow, std::uint64_t address, const Trace& trace,
               const Reader& reader = {}) {
  Addresses addresses{};
  addresses[trace.lane] = address;
  return note_reads(shadow, Mask::of(trace.lane), addresses, trace, reader).empty();
}
void note_write(Shadow& shadow, std::uint64_t address, const Trace& trace, std::uint32_t value) {
  ASSERT_TRUE(shadow.make_room());
  Addresses addresses{};
  addresses[trace.lane] = address;
  std::array<Shadow::Place, kWarpSize> found;
  Mask noted;
  if (shadow.find_places(Mask::of(trace.lane), addresses, 4, true, found, noted).empty()) {
    *found[trace.lane].written = {WordTraces::with_lane(shadow.add(trace), trace.lane), value};
    return;
  }
  shadow.for_each(address, 4, [&](Cell& cell, std::uint64_t, std::uint32_t) {
    cell.write = trace;
    cell.value = value;
  });
}
Cell cell_at(Shadow& shadow, std::uint64_t address) {
  Cell found;
  shadow.for_each(address, 4, [&](Cell& cell, std::uint64_t, std::uint32_t) { found = cell; });
  return found;
}

TEST(Shadow, WordsThatAreOnlyReadKnowTheLastReadersOfTwoWarps) {
  Shadow shadow;
  for (const std::uint32_t warp : {1, 2, 3, 3})
    ASSERT_TRUE(note_read(shadow, kAddress + 8, reader(warp, 20 + warp, 100 + warp)));
  EXPECT_EQ(shadow.line_at(kAddress)->writes, nullptr);
  const Cell cell = cell_at(shadow, kAddress + 8);
  EXPECT_EQ(cell.read.who.warp, 3u);
  EXPECT_EQ(cell.read.lane, 23u);
  EXPECT_EQ(cell.read.pc, 103u);
  EXPECT_EQ(cell.other_read.who.warp, 2u);
  EXPECT_EQ(cell.other_read.lane, 22u);
  EXPECT_EQ(cell.other_read.pc, 102u);
  EXPECT_EQ(cell.write.clock, 0u);
  EXPECT_EQ(cell_at(shadow, kAddress + 12).read.clock, 0u);
}

TEST(Shadow, LanesThatReadWhatWasWrittenAreToldApartFromOthers) {
  Shadow shadow;
  note_write(shadow, kAddress + 256, by(9, 1), 0);
  shadow.for_each(kAddress + 4096 + 1, 1, [](Cell&, std::uint64_t, std::uint32_t) {});  // bytes
  Addresses addresses{};
  const std::uint64_t offset[] = {8, 8, 16, 256, 128, 4096, 12};
  Mask lanes;
  for (std::uint32_t lane = 0; lane < std::size(offset); ++lane) {
    addresses[lane] = kAddress + offset[lane];
    lanes |= Mask::of(lane);
  }
  EXPECT_EQ(note_reads(shadow, lanes, addresses, reader(1, 0, 7)), Mask::of(3) | Mask::of(5));
  EXPECT_EQ(cell_at(shadow, kAddress + 8).read.lane, 0u);
  EXPECT_EQ(cell_at(shadow, kAddress + 12).read.lane, 6u);
  EXPECT_EQ(cell_at(shadow, kAddress + 16).read.lane, 2u);
  EXPECT_EQ(cell_at(shadow, kAddress + 128).read.lane, 4u);
  EXPECT_EQ(cell_at(shadow, kAddress + 256).write.who.warp, 9u);
  EXPECT_EQ(cell_at(shadow, kAddress + 20).read.clock, 0u);
}

TEST(Shadow, WordsThatAreOnlyReadTellAWarpsOwnReadsFromThoseBeforeIt) {
  Shadow shadow;
  for (const std::uint32_t warp : {1, 2}) note_read(shadow, kAddress, reader(warp, 0, 1));
  const Reader third = shadow.new_reader();
  for (const std::uint32_t pc : {5, 6}) note_read(shadow, kAddress, reader(3, 0, pc), third);
  const Cell cell = cell_at(shadow, kAddress);
  EXPECT_EQ(cell.read.pc, 6u);
  EXPECT_EQ(cell.other_read.who.warp, 2u);
}

TEST(Shadow, WordsThatAreOnlyReadKnowWhatTheirLineKnew) {
  Shadow shadow;
  Shadow::Line& line = *shadow.line_at(kAddress);
  line.read.read = WordTraces::with_line(shadow.add(by(4, 9)), 2, 0);
  line.read.other_read = WordTraces::with_line(shadow.add(by(6, 8)), 1, 0);
  ASSERT_TRUE(note_read(shadow, kAddress + 8, reader(1, 30, 100)));
  EXPECT_TRUE(shadow.note_words(line, by(7, 3), shadow.add(by(7, 3)), shadow.new_reader()));
  const Cell read_once = cell_at(shadow, kAddress + 20);
  EXPECT_EQ(read_once.read.who.warp, 7u);
  EXPECT_EQ(read_once.read.lane, 5u);
  EXPECT_EQ(read_once.other_read.who.warp, 4u);
  EXPECT_EQ(read_once.other_read.lane, 2u);
  const Cell read_twice = cell_at(shadow, kAddress + 8);
  EXPECT_EQ(read_twice.other_read.who.warp, 1u);
  EXPECT_EQ(read_twice.other_read.lane, 30u);
}

TEST(Shadow, WordsThatSomebodyWroteAreNotOnlyRead) {
  Shadow shadow;
  Shadow::Line& line = written(shadow);
  EXPECT_FALSE(note_read(shadow, kAddress + 8, reader(1, 0, 1)));
  EXPECT_FALSE(shadow.note_words(line, by(7, 3), shadow.add(by(7, 3)), {}));
  cell_at(shadow, kAddress + 8);  // a cell for each word
  EXPECT_FALSE(note_read(shadow, kAddress + 8, reader(1, 0, 1)));
  EXPECT_FALSE(note_read(shadow, kAddress + 8, reader(1, 0, 1)));
  EXPECT_TRUE(note_read(shadow, kAddress + 128, reader(1, 0, 1)));
}

// A block may be as large as the heap; only what somebody has accessed is visited.
TEST(Shadow, ForgetsALargeBlock) {
  Shadow shadow;
  note_write(shadow, kAddress - 8, by(1, 1), 4);
  note_write(shadow, kAddress + 12, by(1, 2), 5);
  const std::uint64_t far = kAddress + (std::uint64_t{1} << 40);
  note_write(shadow, far - 8, by(1, 3), 6);
  note_write(shadow, far + 8, by(1, 4), 7);
  shadow.forget(kAddress, std::uint64_t{1} << 40);
  EXPECT_EQ(cell_at(shadow, kAddress - 8).value, 4u);
  EXPECT_EQ(cell_at(shadow, kAddress + 12).value, 0u);
  EXPECT_EQ(cell_at(shadow, far - 8).value, 0u);
  EXPECT_EQ(cell_at(shadow, far + 8).value, 7u);
}

TEST(Shadow, ForgetsWordsThatStandForThemselves) {
  Shadow shadow;
  note_write(shadow, kAddress + 12, by(1, 2), 5);
  note_write(shadow, kAddress + 16, by(1, 3), 6);
  note_read(shadow, kAddress + 16, reader(2, 0, 1));
  shadow.forget(kAddress + 16, 4);
  EXPECT_EQ(cell_at(shadow, kAddress + 12).value, 5u);
  EXPECT_EQ(cell_at(shadow, kAddress + 16).value, 0u);
  EXPECT_EQ(cell_at(shadow, kAddress + 16).write.clock, 0u);
  EXPECT_EQ(cell_at(shadow, kAddress + 16).read.clock, 0u);
}

// What a launch leaves behind must not show in the next one, whose memory it is.
TEST(Shadow, NothingIsLeftOfWhatWasCleared) {
  Shadow shadow;
  for (std::uint64_t at = 0; at < 1 << 20; at += 4) note_write(shadow, at, by(1, 2), 7);
  shadow.clear();
  for (std::uint64_t at = 0; at < 1 << 20; at += 8)
    ASSERT_TRUE(note_read(shadow, at, reader(3, 0, 1)));
  for (std::uint64_t at = 0; at < 1 << 20; at += 4) {
    const Cell cell = cell_at(shadow, at);
    ASSERT_EQ(cell.write.clock, 0u);
    ASSERT_EQ(cell.other_read.clock, 0u);
  }
}

bool equal(const Trace& one, const Trace& other) {
  return one.who == other.who && one.clock == other.clock && one.pc == other.pc &&
         (one.clock == 0 || one.lane == other.lane);
}

// Whatever stands for a word, it is what cells for all words would be.
TEST(Shadow, AgreesWithOneCellForEachWord) {
  constexpr std::uint32_t kAll = 4 * 1024 / 4;  // words
  std::mt19937 random(15);
  const auto below = [&](std::uint32_t count) {
    return static_cast<std::uint32_t>(random()) % count;
  };
  const auto read = [](Cell& cell, const Trace& now) {
    if (cell.read.clock != 0 && cell.read.who != now.who) cell.other_read = cell.read;
    cell.read = now;
  };
  for (int round = 0; round < 20; ++round) {
    Shadow shadow;
    std::vector<Cell> cells(kAll);
    for (std::uint32_t i = 0; i < 20'000; ++i) {
      const std::uint32_t word = below(kAll), line = word / Shadow::kWords * Shadow::kWords;
      const Trace now = reader(below(4), below(32), i + 1);
      const std::uint64_t at = kAddress + word * 4;
      LineTrace of_line{now};
      of_line.lane = 0;
      Shadow::Line* const whole = shadow.line_at(kAddress + line * 4);
      switch (below(i % 4 == 0 ? 4 : 2)) {
        case 0:
          if (!note_read(shadow, at, now) && shadow.line_at(kAddress + line * 4) == nullptr)
            shadow.for_each(at, 4,
                            [&](Cell& cell, std::uint64_t, std::uint32_t) { read(cell, now); });
          read(cells[word], now);
          break;
        case 1:
          note_write(shadow, at, now, i);
          cells[word].write = now;
          cells[word].value = i;
          break;
        case 2:
          if (whole == nullptr || whole->is_apart()) break;
          whole->write = WordTraces::with_line(shadow.add(now), 1, 0);
          for (std::uint32_t w = 0; w < Shadow::kWords; ++w) {
            cells[line + w].write = of_line.of(w);
            cells[line + w].value = shadow.values_of(*whole)[w] = i + w;
          }
          break;
        default:
          if (below(2000) == 0) shadow.for_each(at, 4, [](Cell&, std::uint64_t, std::uint32_t) {});
          if (whole == nullptr || !shadow.make_room() ||
              !shadow.note_words(*whole, of_line, shadow.add(now), {}))
            break;
          for (std::uint32_t w = 0; w < Shadow::kWords; ++w) read(cells[line + w], of_line.of(w));
      }
    }
    for (std::uint32_t word = 0; word < kAll; ++word) {
      const Cell found = cell_at(shadow, kAddress + word * 4);
      ASSERT_TRUE(equal(found.write, cells[word].write)) << round << ": word " << word;
      ASSERT_TRUE(equal(found.read, cells[word].read)) << round << ": word " << word;
      ASSERT_TRUE(equal(found.other_read, cells[word].other_read)) << round << ": word " << word;
      ASSERT_EQ(found.value, cells[word].value) << round << ": word " << word;
    }
  }
}

// Far more reads than traces are kept.
TEST(Shadow, WordsThatAreOnlyReadKeepTheirTracesWhenOthersAreDropped) {
  Shadow shadow;
  note_read(shadow, kAddress + 8, reader(1, 3, 100));
  note_read(shadow, kAddress + 8, reader(2, 4, 101));
  constexpr std::uint32_t kReads = 3u << 20;
  const Reader reading = shadow.new_reader();
  for (std::uint32_t i = 0; i < kReads; ++i)
    note_read(shadow, kAddress, reader(i % 3 * (i % 2 + 1), 9, i), reading);
  note_read(shadow, kAddress + 16, reader(1, 5, 102));
  const Cell early = cell_at(shadow, kAddress + 8), late = cell_at(shadow, kAddress);
  EXPECT_EQ(early.read.pc, 101u);
  EXPECT_EQ(early.other_read.pc, 100u);
  EXPECT_EQ(late.read.pc, kReads - 1);
  EXPECT_EQ(late.other_read.pc, kReads - 2);
  EXPECT_EQ(cell_at(shadow, kAddress + 16).read.pc, 102u);
}

// More pages than are known by number at a time.
TEST(Shadow, KeepsFarPlacesApart) {
  Shadow shadow;
  constexpr std::uint64_t kFar = 16 << 20, kPlaces = 200;
  for (std::uint64_t i = 0; i < kPlaces; ++i)
    shadow.line_at(i * kFar)->write = static_cast<TraceRef>(i) + 1;
  for (std::uint64_t i = 0; i < kPlaces; ++i) EXPECT_EQ(shadow.line_at(i * kFar)->write, i + 1);
}

}  // namespace
}  // namespace heddle::simulator::checks
