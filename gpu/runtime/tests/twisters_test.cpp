// cuRAND's Mersenne twisters by themselves. What NVIDIA's library gives in all is compared by
// python/tests/frameworks/curand_generators.py.
#include "gpu/runtime/libraries/curand/twisters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <sstream>
#include <string>

namespace heddle::runtime::libraries::curand {
namespace {

constexpr std::size_t kInTurn = 8;

// The first place gives the plain generator's numbers, in an order of its own.
TEST(Twisters, TheFirstPlaceOfMt19937IsThePlainGenerator) {
  constexpr std::array<std::size_t, kInTurn> kFirst{0, 113, 170, 283, 340, 397, 510, 567};
  Mt19937Places places(5489);
  std::mt19937 plain(5489);
  std::array<std::uint32_t, 624> expected;
  std::generate(expected.begin(), expected.end(), plain);
  for (const std::size_t at : kFirst) EXPECT_EQ(places.next(), expected[at]) << at;
}

// What NVIDIA's library gives for the seed 1234: places that are 2^2048 numbers apart.
TEST(Twisters, PlacesOfMt19937LieWhereNvidiasDo) {
  Mt19937Places places(1234);
  std::vector<std::uint32_t> numbers(100 * kInTurn + 4);
  std::generate(numbers.begin(), numbers.end(), [&] { return places.next(); });
  const auto from = [&](std::size_t place) {
    const auto at = numbers.begin() + static_cast<std::ptrdiff_t>(place * kInTurn);
    return std::vector<std::uint32_t>(at, at + 4);
  };
  using Numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(from(0), (Numbers{0x31076b2f, 0x116e000a, 0x265b8088, 0xa8638f97}));
  EXPECT_EQ(from(1), (Numbers{0x6f27143c, 0x22b56bf0, 0xa8b118a0, 0xff003025}));
  EXPECT_EQ(from(2), (Numbers{0xa92fd23d, 0x1e04b51e, 0x5b54dcb0, 0x88c5f2eb}));
  EXPECT_EQ(from(100), (Numbers{0xa6f73b4e, 0x20e97266, 0xa04aaa4e, 0xde677742}));
}

std::string table(unsigned first) {
  std::string text = "{";
  for (unsigned i = 0; i < 16; ++i) text += std::to_string(first + i) + ",";
  return text + "},";
}
std::string set_of(unsigned exponent, unsigned position, unsigned left, unsigned right) {
  std::ostringstream text;
  text << "{ /* No. 12 */ " << exponent << ", " << position << ", " << left << ", " << right << ", "
       << table(100) << table(200) << table(300) << " 0xfff80000, {";
  for (int i = 0; i < 21; ++i) text << "0x" << std::hex << i << ",";
  text << "} },\n";
  return text.str();
}
std::string header(const std::string& sets) {
  return "#define HOW_MANY 200\n/* a table\n * of 7 sets */\nstatic params_t "
         "mtgp32dc_params_fast_11213[] = {\n" +
         sets + "};\n";
}
std::vector<Mtgp32Parameters> read(const std::string& text) {
  std::istringstream in(text);
  return read_mtgp32_parameters(in);
}

TEST(Twisters, ParametersOfMtgp32AreThoseOfTheHeader) {
  const auto sets = read(header(set_of(11213, 88, 19, 1) + set_of(11213, 350, 31, 0)));
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[0].position, 88u);
  EXPECT_EQ(sets[0].left, 19u);
  EXPECT_EQ(sets[0].right, 1u);
  EXPECT_EQ(sets[0].mask, 0xfff80000u);
  EXPECT_EQ(sets[0].recursion[0], 100u);
  EXPECT_EQ(sets[0].recursion[15], 115u);
  EXPECT_EQ(sets[0].tempering[15], 215u);
  EXPECT_EQ(sets[1].position, 350u);
}

TEST(Twisters, OtherHeadersAreRefused) {
  const std::string good = set_of(11213, 88, 19, 1);
  EXPECT_THROW(read(""), std::runtime_error);
  EXPECT_THROW(read("mtgp32dc_params_fast_11213[]"), std::runtime_error);
  EXPECT_THROW(read("other_params_11213[] = {" + good + "};"), std::runtime_error);
  EXPECT_THROW(read(header("")), std::runtime_error);
  EXPECT_THROW(read(header(good + "{ 11213, 88, ")), std::runtime_error);
  EXPECT_THROW(read(header(set_of(44497, 88, 19, 1))), std::runtime_error);
  EXPECT_THROW(read(header(set_of(11213, 0, 19, 1))), std::runtime_error);
  EXPECT_THROW(read(header(set_of(11213, 351, 19, 1))), std::runtime_error);
  EXPECT_THROW(read(header(set_of(11213, 88, 32, 1))), std::runtime_error);
  EXPECT_THROW(read(header(set_of(11213, 88, 19, 32))), std::runtime_error);
  EXPECT_THROW(read(header("99999999999999999999999,")), std::exception);
}

TEST(Twisters, Mtgp32NeedsASetForEachSequence) {
  const auto sets = read(header(set_of(11213, 88, 19, 1)));
  EXPECT_THROW(Mtgp32Sequences(sets, 2, 1), std::runtime_error);
  Mtgp32Sequences one(sets, 1, 1), other(sets, 1, 2);
  EXPECT_NE(one.next(), other.next());
}

}  // namespace
}  // namespace heddle::runtime::libraries::curand
