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
  EXPECT_NE(line.cells, nullptr);
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
  EXPECT_EQ(shadow.line_at(kAddress)->cells, nullptr);
  EXPECT_EQ(clock_at(kAddress + 12), 0u);
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
