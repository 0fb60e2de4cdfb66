#include "simulator/timing/texture_unit.hpp"

#include <gtest/gtest.h>

#include <set>

namespace heddle::simulator::timing {
namespace {

constexpr Mask kAll = kFullMask;
constexpr std::uint64_t kBase = 1 << 20;

Constants constants() {
  Constants made;
  made.sub_cores = 4;
  made.texture_queue_entries = 2;
  made.interval_texture_quad = 100;
  made.interval_texture_buffer_quad = 50;
  made.texture_bytes_per_cycle = 32;
  made.texture_filter_bytes_per_cycle = 16;
  made.texture_tag_banks = 4;
  made.latency_texture_header = 300;
  return made;
}

TextureHeader plane(std::uint8_t channels) {
  TextureHeader header;
  header.address = kBase;
  header.shape = TextureHeader::Shape::plane;
  header.channels = channels;
  header.width = header.height = 64;
  header.row_bytes = header.width * header.texel_bytes();
  return header;
}

// Lanes at the texels of a row, `texels` times.
std::vector<Access> row(const TextureHeader& header, std::size_t texels) {
  std::vector<Access> accesses(texels);
  for (std::size_t i = 0; i < texels; ++i) {
    accesses[i].lanes = kAll;
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      accesses[i].address[lane] =
          BlockedLayout(header).place_of(header.address + lane * header.texel_bytes());
  }
  return accesses;
}

class TextureUnitTest : public testing::Test {
 protected:
  const Constants constants_ = constants();
  TextureUnit unit_{constants_};
};

TEST_F(TextureUnitTest, BlocksHoldEachByteOnce) {
  const TextureHeader header = plane(1);
  const BlockedLayout layout(header);
  std::set<std::uint64_t> places;
  for (std::uint64_t byte = 0; byte < header.row_bytes * header.height; ++byte)
    places.insert(layout.place_of(kBase + byte));
  EXPECT_EQ(places.size(), header.row_bytes * header.height);
  EXPECT_EQ(*places.begin(), kBase);
  EXPECT_EQ(*places.rbegin(), kBase + header.row_bytes * header.height - 1);
}

TEST_F(TextureUnitTest, ALineHasFourRows) {
  const TextureHeader header = plane(1);
  const auto line = [&](std::uint64_t x, std::uint64_t y) {
    return BlockedLayout(header).place_of(kBase + y * header.row_bytes + x) / 128;
  };
  EXPECT_EQ(line(0, 0), line(31, 3));
  EXPECT_NE(line(0, 0), line(32, 0));
  EXPECT_NE(line(0, 0), line(0, 4));
}

TEST_F(TextureUnitTest, AWarpTakesEightQuads) {
  EXPECT_EQ(unit_.work(plane(1), false, row(plane(1), 1), kAll), 800u);
  EXPECT_EQ(unit_.work(plane(1), false, row(plane(1), 4), kAll), 800u);  // filtered
  EXPECT_EQ(unit_.work(plane(1), false, row(plane(1), 1), 0xf_lanes), 100u);
}

TEST_F(TextureUnitTest, WideTexelsTakeLonger) {
  EXPECT_EQ(unit_.work(plane(4), false, row(plane(4), 1), kAll), 1600u);
  EXPECT_EQ(unit_.work(plane(4), false, row(plane(4), 4), kAll), 3200u);
  EXPECT_EQ(unit_.work(plane(1), true, row(plane(1), 4), kAll), 1600u);  // four results a lane
}

TEST_F(TextureUnitTest, LinearMemoryTakesHalfAsLongAndConflicts) {
  TextureHeader header = plane(1);
  header.shape = TextureHeader::Shape::buffer;
  EXPECT_EQ(unit_.work(header, false, row(header, 1), kAll), 400u);
  std::vector<Access> apart = row(header, 1);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) apart[0].address[lane] = kBase + lane * 256u;
  EXPECT_EQ(unit_.work(header, false, apart, kAll), 3200u);
}

TEST_F(TextureUnitTest, TheFirstReadOfATextureBringsItsHeader) {
  EXPECT_EQ(unit_.take(0, 10, kBase, 800), 310u);
  EXPECT_EQ(unit_.take(0, 1000, kBase, 800), 1000u);
  EXPECT_EQ(unit_.take(0, 2000, kBase + 1, 800), 2300u);
}

TEST_F(TextureUnitTest, AFullQueueMakesWait) {
  unit_.take(0, 0, kBase, 800);
  unit_.take(0, 0, kBase, 800);
  EXPECT_EQ(unit_.room(0), 300u);
  EXPECT_EQ(unit_.room(1), 0u);
  unit_.take(0, 300, kBase, 800);
  EXPECT_EQ(unit_.room(0), 308u);
}

}  // namespace
}  // namespace heddle::simulator::timing
