// What must hold for every encoding, whatever its text is.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "isa/decoder.hpp"
#include "isa/encoding.hpp"
#include "isa/tests/gold.hpp"

namespace heddle::isa {
namespace {

class DecoderOf : public testing::TestWithParam<Arch> {
 protected:
  static std::vector<GoldRow> rows() {
    std::vector<GoldRow> all = listing_rows(GetParam());
    for (GoldRow& row : published_rows(GetParam())) all.push_back(std::move(row));
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(EveryArch, DecoderOf, testing::ValuesIn(kAllArchs),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST_P(DecoderOf, GivesBackEveryWordItAccepts) {
  std::mt19937_64 random(1);
  for (const GoldRow& row : rows()) {
    Word word = row.word;
    // The gold has no scheduling information: bits 121:105 may hold anything.
    word.set_bits(105, 17, random());
    const auto instruction = decode(GetParam(), word);
    if (!instruction) continue;
    EXPECT_EQ(encode(*instruction), word) << row.text;
  }
}

// Words nobody compiled: fields of a known encoding filled at random.
TEST_P(DecoderOf, GivesBackRandomWordsOfEveryEncoding) {
  std::mt19937_64 random(2);
  std::set<const Encoding*> reached;
  for (const Encoding* encoding : all_encodings(GetParam()))
    for (int i = 0; i < 64; ++i) {
      const Word noise{random(), random()};
      const Word word{(encoding->value.lo & encoding->mask.lo) | (noise.lo & ~encoding->mask.lo),
                      (encoding->value.hi & encoding->mask.hi) | (noise.hi & ~encoding->mask.hi)};
      const auto instruction = decode(GetParam(), word);
      if (!instruction) continue;  // a modifier has a value without a meaning
      reached.insert(instruction->encoding);
      EXPECT_EQ(encode(*instruction), word) << print(*instruction, 0);
    }
  EXPECT_GT(reached.size(), 300u);
}

TEST_P(DecoderOf, ReadsAllModifiersAsOneByOne) {
  for (const GoldRow& row : rows()) {
    const auto instruction = decode(GetParam(), row.word);
    if (!instruction) continue;
    const ModifierValues values = instruction->mods();
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], instruction->mod(static_cast<Mod>(i))) << row.text;
  }
}

// Random words with one field at the ends of its range, or of either of its two pieces: there are
// the numbers with a meaning of their own, such as RZ and URZ.
TEST_P(DecoderOf, GivesBackEveryEdgeOfEveryField) {
  for (const Encoding* encoding : all_encodings(GetParam())) {
    const auto expect_given_back = [&](const Word& word) {
      const auto instruction = decode(GetParam(), word);
      if (!instruction) return;  // a modifier has a value without a meaning
      EXPECT_EQ(encode(*instruction), word) << print(*instruction, 0);
    };
    std::mt19937_64 random(3);
    for (int i = 0; i < 8; ++i) {
      const Word noise{random(), random()};
      const Word base{(encoding->value.lo & encoding->mask.lo) | (noise.lo & ~encoding->mask.lo),
                      (encoding->value.hi & encoding->mask.hi) | (noise.hi & ~encoding->mask.hi)};
      for_each_field(*encoding->layout, encoding->form, [&](const Bits& field) {
        for (unsigned which = 0; which < 4; ++which) {
          Word word = base;
          word.set_bits(field.lo, field.width, (which & 1) != 0 ? ~std::uint64_t{0} : 0);
          if (field.width2 != 0)
            word.set_bits(field.lo2, field.width2, (which & 2) != 0 ? ~std::uint64_t{0} : 0);
          expect_given_back(word);
        }
      });
    }
  }
}

// A bit nobody claims is rejected, or belongs to another encoding; it is never ignored.
TEST_P(DecoderOf, RejectsEveryBitNobodyClaims) {
  std::set<const Encoding*> seen;
  std::size_t rejected = 0;
  for (const GoldRow& row : rows()) {
    const auto instruction = decode(GetParam(), row.word);
    if (!instruction || !seen.insert(instruction->encoding).second) continue;
    const Word mask = instruction->encoding->mask;
    for (unsigned bit = 0; bit < 128; ++bit) {
      if (!mask.bit(bit)) continue;
      Word flipped = row.word;
      flipped.set_bits(bit, 1, flipped.bit(bit) ? 0 : 1);
      const auto other = decode(GetParam(), flipped);
      if (!other) {
        ++rejected;
        continue;
      }
      EXPECT_NE(other->encoding, instruction->encoding) << row.text << " bit " << bit;
      EXPECT_EQ(encode(*other), flipped) << row.text << " bit " << bit;
    }
  }
  EXPECT_GT(seen.size(), 200u);
  EXPECT_GT(rejected, 5'000u);
}

// The compiler proves it from the rows (encodings.cpp); this asks the words.
TEST_P(DecoderOf, FindsNoTwoEncodingsForOneWord) {
  for (const GoldRow& row : rows()) {
    int matching = 0;
    for (const Encoding* encoding : all_encodings(GetParam()))
      if (matches(*encoding, row.word)) ++matching;
    EXPECT_LE(matching, 1) << row.text;
  }
}

TEST(Decoder, KnowsThatANumberIsAnotherOpcodeElsewhere) {
  const Word word = parse_word("000fe200000000000000000305047236");
  ASSERT_TRUE(decode(Arch::sm_90, word));
  EXPECT_EQ(decode(Arch::sm_90, word)->op, Op::VIADD);
  ASSERT_TRUE(decode(Arch::sm_75, word));
  EXPECT_EQ(decode(Arch::sm_75, word)->op, Op::HMMA);
  EXPECT_FALSE(decode(Arch::sm_80, word));
}

}  // namespace
}  // namespace heddle::isa
