// What must hold for every encoding, whatever its text is.
#include <gtest/gtest.h>

#include "isa/decoder.hpp"
#include "isa/encoding.hpp"
#include "isa/tests/gold.hpp"

namespace heddle::isa {
namespace {

class DecoderOf : public testing::TestWithParam<Arch> {};
INSTANTIATE_TEST_SUITE_P(EveryArch, DecoderOf, testing::ValuesIn(kAllArchs),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST_P(DecoderOf, GivesBackEveryWordItAccepts) {
  for (const GoldRow& row : published_rows(GetParam())) {
    const auto instruction = decode(GetParam(), row.word);
    if (!instruction) continue;
    EXPECT_EQ(encode(*instruction), row.word) << row.text;
  }
}

// A bit nobody claims must be rejected, or read as another encoding that claims it; never ignored.
TEST_P(DecoderOf, RejectsEveryBitNobodyClaims) {
  std::size_t flips = 0;
  for (const GoldRow& row : published_rows(GetParam())) {
    const auto instruction = decode(GetParam(), row.word);
    if (!instruction) continue;
    const Word mask = instruction->encoding->mask;
    for (unsigned bit = 0; bit < 128; ++bit) {
      if (!mask.bit(bit)) continue;
      Word flipped = row.word;
      flipped.set_bits(bit, 1, flipped.bit(bit) ? 0 : 1);
      ++flips;
      const auto other = decode(GetParam(), flipped);
      if (!other) continue;
      EXPECT_NE(other->encoding, instruction->encoding) << row.text << " bit " << bit;
      EXPECT_EQ(encode(*other), flipped) << row.text << " bit " << bit;
    }
  }
  EXPECT_GT(flips, 10'000u);
}

TEST_P(DecoderOf, FindsNoTwoEncodingsForOneWord) {
  for (const GoldRow& row : published_rows(GetParam())) {
    int matching = 0;
    for (const Encoding* encoding : all_encodings(GetParam()))
      if (matches(*encoding, row.word)) ++matching;
    EXPECT_LE(matching, 1) << row.text;
  }
}

}  // namespace
}  // namespace heddle::isa
