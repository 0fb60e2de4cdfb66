// What isa/facts.hpp and the pictures say of instructions, against what the executor really does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "isa/attributes.hpp"
#include "isa/decoder.hpp"
#include "isa/operands.hpp"
#include "simulator/checks/register_uses.hpp"
#include "simulator/tests/watched_execution.hpp"

namespace heddle::simulator {
namespace {

using isa::Arch;
using isa::Encoding;
using isa::Instruction;
using isa::OperandUse;
using testing::IsEmpty;

std::string name_of(isa::RegisterFile file, unsigned index) {
  switch (file) {
    case isa::RegisterFile::vector:
      return "R" + std::to_string(index);
    case isa::RegisterFile::uniform:
      return "UR" + std::to_string(index);
    case isa::RegisterFile::predicate:
      return "P" + std::to_string(index);
    case isa::RegisterFile::uniform_predicate:
      break;
  }
  return "UP" + std::to_string(index);
}

// What the facts say.
Watched said_of(const Instruction& in) {
  Watched said;
  for (const OperandUse& use : isa::operands(in))
    for (unsigned i = 0; i < use.count; ++i) {
      if (use.is_read) said.read.insert(name_of(use.file, use.first + i));
      if (use.is_written) said.written.insert(name_of(use.file, use.first + i));
    }
  return said;
}

Names without(const Names& all, const Names& some) {
  Names rest;
  std::ranges::set_difference(all, some, std::inserter(rest, rest.end()));
  return rest;
}

// Several words of every encoding that is executed.
std::vector<Instruction> words(Arch arch) {
  constexpr unsigned kTries = 60, kWords = 6;
  std::mt19937_64 random(5);
  std::vector<Instruction> found;
  for (const Encoding* encoding : isa::all_encodings(arch)) {
    unsigned count = 0;
    for (unsigned i = 0; i < kTries && count < kWords; ++i)
      if (auto in = word_to_watch(arch, *encoding, random)) {
        found.push_back(*in);
        ++count;
      }
  }
  return found;
}

// What no result shows: the cache policy of a descriptor, and registers that a form has and does
// not use.
bool is_never_seen(const Instruction& in, const std::string& name) {
  const bool is_uniform = name.starts_with("UR");
  if (is_uniform && in.mod(isa::Mod::descriptor) != 0) return true;
  return false;
}

class FactsOf : public testing::TestWithParam<Arch> {};

TEST_P(FactsOf, InstructionsNameAllThatTheExecutorReadsAndWrites) {
  const std::vector<Instruction> all = words(GetParam());
  const auto watched = watch(GetParam(), all);
  ASSERT_EQ(watched.size(), all.size());
  std::size_t executed = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!watched[i]) continue;
    ++executed;
    const Watched said = said_of(all[i]);
    EXPECT_THAT(without(watched[i]->read, said.read), IsEmpty()) << "read by " << print(all[i], 0);
    EXPECT_THAT(without(watched[i]->written, said.written), IsEmpty())
        << "written by " << print(all[i], 0);
  }
  EXPECT_GT(executed, all.size() / 2);
}

// By encoding and by the registers that its words say they take: over all those words, every one
// must have been seen.
TEST_P(FactsOf, InstructionsNameNothingThatTheExecutorLeavesAlone) {
  const std::vector<Instruction> all = words(GetParam());
  const auto watched = watch(GetParam(), all);
  struct Seen {
    Watched said, seen;
    const Instruction* example = nullptr;
  };
  std::map<std::tuple<const Encoding*, Names, Names>, Seen> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!watched[i]) continue;
    const Watched said = said_of(all[i]);
    Seen& seen = groups[{all[i].encoding, said.read, said.written}];
    seen.said = said;
    seen.seen.read.insert(watched[i]->read.begin(), watched[i]->read.end());
    seen.seen.written.insert(watched[i]->written.begin(), watched[i]->written.end());
    seen.example = &all[i];
  }
  for (const auto& [key, seen] : groups) {
    Names unread = without(seen.said.read, seen.seen.read);
    std::erase_if(unread, [&](const auto& name) { return is_never_seen(*seen.example, name); });
    EXPECT_THAT(unread, IsEmpty()) << "not read by " << print(*seen.example, 0);
    EXPECT_THAT(without(seen.said.written, seen.seen.written), IsEmpty())
        << "not written by " << print(*seen.example, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, FactsOf, testing::ValuesIn(isa::kAllArchs),
                         [](const auto& each) { return std::string(isa::name(each.param)); });

// The first encoding of the opcode that has a word with this modifier.
Instruction some(Arch arch, isa::Op op, isa::Mod which = isa::Mod::count_,
                 std::uint32_t value = 0) {
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 200; ++i)
    for (const Encoding* encoding : isa::all_encodings(arch)) {
      if (encoding->row->op != op) continue;
      const auto in = word_to_watch(arch, *encoding, random);
      if (in && (which == isa::Mod::count_ || in->mod(which) == value)) return *in;
    }
  throw std::logic_error("no such instruction");
}

Names written_by(const Instruction& in) {
  Names names;
  for (const std::uint16_t place : checks::register_uses(in).writes)
    names.insert(checks::place_name(place));
  return names;
}

TEST(RegisterUses, PairsAreWrittenByWhatPutsClocksConstantsAndAddressesThere) {
  EXPECT_EQ(written_by(some(Arch::sm_90, isa::Op::CS2R, isa::Mod::width, 1)),
            (Names{"R16", "R17"}));
  EXPECT_EQ(written_by(some(Arch::sm_90, isa::Op::CS2R, isa::Mod::width, 0)), (Names{"R16"}));
  EXPECT_EQ(written_by(some(Arch::sm_90, isa::Op::LEPC)), (Names{"R16", "R17"}));
  EXPECT_EQ(written_by(some(Arch::sm_80, isa::Op::LEPC)), (Names{"R16", "R17"}));
  EXPECT_EQ(written_by(some(Arch::sm_90, isa::Op::LDC, isa::Mod::size, 5)), (Names{"R16", "R17"}));
  EXPECT_EQ(written_by(some(Arch::sm_90, isa::Op::ULDC, isa::Mod::size, 5)), (Names{"UR8", "UR9"}));
}

TEST(RegisterUses, ProductsOfBitsWriteAllTheirSums) {
  EXPECT_EQ(written_by(some(Arch::sm_80, isa::Op::BMMA, isa::Mod::mma_shape, 0)),
            (Names{"R16", "R17"}));
  EXPECT_EQ(written_by(some(Arch::sm_80, isa::Op::BMMA, isa::Mod::mma_shape, 2)),
            (Names{"R16", "R17", "R18", "R19"}));
}

TEST(Facts, SayWhatProductsOfMatricesMultiply) {
  using Kind = isa::DataType::Kind;
  const isa::MatrixProduct bits =
      isa::matrix_product(some(Arch::sm_80, isa::Op::BMMA, isa::Mod::mma_shape, 2));
  EXPECT_EQ(bits.shape, (isa::MatrixShape{16, 8, 256}));
  EXPECT_EQ(bits.a, (isa::DataType{Kind::unsigned_integer, 1}));
  EXPECT_EQ(bits.d, (isa::DataType{Kind::signed_integer, 32}));
  const isa::MatrixProduct doubles =
      isa::matrix_product(some(Arch::sm_90, isa::Op::DMMA, isa::Mod::mma_shape, 3));
  EXPECT_EQ(doubles.shape, (isa::MatrixShape{16, 8, 16}));
  EXPECT_EQ(doubles.b, isa::kDouble);
}

}  // namespace
}  // namespace heddle::simulator
