#include "traces/viewer/row_codec.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <string_view>

#include "traces/viewer/varint.hpp"

namespace heddle::traces {
namespace {

using simulator::kWarpSize;
using simulator::Mask;
using Values = std::array<std::uint32_t, kWarpSize>;

// A reader of its own, after the description in row_codec.hpp.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  std::uint32_t byte() { return static_cast<unsigned char>(bytes_.at(at_++)); }
  std::uint32_t u32() {
    std::uint32_t value = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) value |= byte() << shift;
    return value;
  }
  std::uint32_t signed_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint32_t part = byte();
      value |= std::uint64_t{part & 0x7f} << shift;
      if (part < 0x80) break;
    }
    return static_cast<std::uint32_t>(value >> 1) ^ (0u - static_cast<std::uint32_t>(value & 1));
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

Values decoded(const std::string& bytes, Values row, Mask usual) {
  Reader reader(bytes);
  const std::uint32_t head = reader.byte();
  const Mask lanes = (head & kOwnLanes) != 0 ? Mask(reader.u32()) : usual;
  const auto form = static_cast<RowForm>(head & 7);
  const auto each = [lanes](auto&& visit) {
    for (const unsigned lane : lanes) visit(lane);
  };
  if (form == RowForm::steps) {
    std::uint32_t last = 0;
    each([&](unsigned lane) { row[lane] = last += reader.signed_varint(); });
  } else if (form == RowForm::planes) {
    each([&](unsigned lane) { row[lane] = 0; });
    for (unsigned shift = 0; shift < 32; shift += 8)
      each([&](unsigned lane) { row[lane] |= reader.byte() << shift; });
  } else {
    const bool sloped = form == RowForm::line || form == RowForm::add_line;
    const bool adds = form == RowForm::add || form == RowForm::add_line;
    const std::uint32_t value = reader.signed_varint();
    const std::uint32_t step = sloped ? reader.signed_varint() : 0;
    each([&](unsigned lane) { row[lane] = (adds ? row[lane] : 0) + value + step * lane; });
  }
  EXPECT_TRUE(reader.at_end());
  return row;
}

std::string encoded(const Values& old, const Values& now, Mask usual) {
  std::string bytes;
  put_row(bytes, old, now, usual);
  return bytes;
}

Values line(std::uint32_t first, std::uint32_t step) {
  Values row{};
  for (unsigned lane = 0; lane < kWarpSize; ++lane) row[lane] = first + step * lane;
  return row;
}

TEST(RowCodec, WritesWhatFollowsARuleInAFewBytes) {
  const Values old = line(7, 3);
  Values noise{};
  std::mt19937 random(1);
  for (auto& value : noise) value = static_cast<std::uint32_t>(random());
  Values more = noise;
  for (auto& value : more) value += 5;
  EXPECT_EQ(encoded(old, line(1000, 0), simulator::kFullMask).size(), 3u);
  EXPECT_EQ(encoded(old, line(1000, 4), simulator::kFullMask).size(), 4u);
  EXPECT_EQ(encoded(noise, more, simulator::kFullMask).size(), 2u);
  EXPECT_EQ(encoded(old, noise, simulator::kFullMask).size(), 1u + 4 * kWarpSize);
}

TEST(RowCodec, IsReadBackAsItWas) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto word = [&] { return static_cast<std::uint32_t>(random()) >> random() % 32; };
    const Mask usual = trial % 3 == 0 ? simulator::kFullMask : Mask(word() | 1u);
    Values old = trial % 2 == 0 ? line(word(), word()) : Values{};
    if (trial % 5 == 0)
      for (auto& value : old) value = word();
    Values now = old;
    const Values ruled = line(word(), word());
    const std::uint32_t added = word();
    // Sometimes lanes change that were not expected to.
    const Mask written = trial % 7 == 0 ? Mask(word() | 2u) : usual;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if (!written.has(lane)) continue;
      const std::array<std::uint32_t, 4> choices = {ruled[lane], ruled[0], old[lane] + added,
                                                    word()};
      now[lane] = choices[static_cast<std::size_t>(trial) % 4];
    }
    if (now == old) continue;
    ASSERT_EQ(decoded(encoded(old, now, usual), old, usual), now) << "trial " << trial;
  }
}

}  // namespace
}  // namespace heddle::traces
