// Who read and wrote what, kept by the line, by the word and by the byte.
#include "simulator/checks/shadow.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace heddle::simulator::checks {
namespace {

constexpr std::uint64_t kAddress = 0x7f00'0000'0400;

Shadow::LineTrace by(std::uint32_t warp, std::uint32_t clock) {
  Shadow::LineTrace trace;
  trace.who = {0, warp};
  trace.clock = clock;
  return trace;
}

// A line that warp 3 wrote, and of which it wrote 0x01020304 + word.
Shadow::Line& written(Shadow& shadow) {
  Shadow::Line& line = *shadow.line_at(kAddress);
  line.write = by(3, 7);
  line.values = std::make_unique<std::uint32_t[]>(Shadow::kWords);
  for (std::uint32_t word = 0; word < Shadow::kWords; ++word) line.values[word] = 0x01020304 + word;
  return line;
}

TEST(Shadow, WordsOfALineKnowTheirLanesAndValues) {
  Shadow shadow;
  Shadow::Line& line = written(shadow);
  line.read = by(4, 9);
  line.read.lane = 16;
  line.read.shift = 1;  // two words a lane
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
  EXPECT_NE(line.words->cells, nullptr);
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
  EXPECT_NE(shadow.line_at(kAddress + 1024), nullptr);
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
  EXPECT_EQ(shadow.line_at(kAddress)->words->cells, nullptr);
  EXPECT_EQ(clock_at(kAddress + 12), 0u);
}

Trace reader(std::uint32_t warp, std::uint32_t lane, std::uint32_t pc) {
  Trace trace = by(warp, 5);
  trace.lane = lane % 32;
  trace.pc = pc & Trace::kMostPc;
  return trace;
}
bool note_read(Shadow& shadow, std::uint64_t address, const Trace& trace,
               const Reader& reader = {}) {
  Addresses addresses{};
  addresses[trace.lane] = address;
  bool noted = true;
  shadow.note_reads(Mask::of(trace.lane), addresses, {reader, trace, 4},
                    [&](unsigned) { noted = false; });
  return noted;
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
  EXPECT_EQ(shadow.line_at(kAddress)->words->cells, nullptr);
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
  shadow.for_each(kAddress + 256, 4,
                  [&](Cell& cell, std::uint64_t, std::uint32_t) { cell.write = by(9, 1); });
  shadow.for_each(kAddress + 4096 + 1, 1, [](Cell&, std::uint64_t, std::uint32_t) {});  // bytes
  Addresses addresses{};
  const std::uint64_t offset[] = {8, 8, 16, 256, 128, 4096, 12};
  Mask lanes;
  for (std::uint32_t lane = 0; lane < std::size(offset); ++lane) {
    addresses[lane] = kAddress + offset[lane];
    lanes |= Mask::of(lane);
  }
  Mask told;
  shadow.note_reads(lanes, addresses, {{}, reader(1, 0, 7), 4},
                    [&](unsigned lane) { told |= Mask::of(lane); });
  EXPECT_EQ(told, Mask::of(3) | Mask::of(5));
  EXPECT_EQ(cell_at(shadow, kAddress + 8).read.lane, 0u);
  EXPECT_EQ(cell_at(shadow, kAddress + 12).read.lane, 6u);
  EXPECT_EQ(cell_at(shadow, kAddress + 16).read.lane, 2u);
  EXPECT_EQ(cell_at(shadow, kAddress + 128).read.lane, 4u);
  EXPECT_EQ(cell_at(shadow, kAddress + 256).read.clock, 0u);
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
  line.read = by(4, 9);
  line.read.shift = 1;
  line.other_read = by(6, 8);
  ASSERT_TRUE(note_read(shadow, kAddress + 8, reader(1, 30, 100)));
  EXPECT_TRUE(shadow.note_read(line, by(7, 3), shadow.new_reader()));
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
  written(shadow);
  EXPECT_FALSE(note_read(shadow, kAddress + 8, reader(1, 0, 1)));
  cell_at(shadow, kAddress + 8);  // a cell for each word
  EXPECT_FALSE(note_read(shadow, kAddress + 8, reader(1, 0, 1)));
  shadow.for_each(kAddress + 5, 1, [](Cell&, std::uint64_t, std::uint32_t) {});
  EXPECT_FALSE(note_read(shadow, kAddress + 8, reader(1, 0, 1)));
  EXPECT_FALSE(note_read(shadow, kAddress + 128, reader(1, 0, 1)));
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
    shadow.line_at(i * kFar)->write = by(0, static_cast<std::uint32_t>(i) + 1);
  for (std::uint64_t i = 0; i < kPlaces; ++i)
    EXPECT_EQ(shadow.line_at(i * kFar)->write.clock, i + 1);
}

}  // namespace
}  // namespace heddle::simulator::checks
