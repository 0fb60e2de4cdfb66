// What isa/facts.hpp and the pictures say of instructions, against what the executor really does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "isa/attributes.hpp"
#include "isa/decoder.hpp"
#include "isa/operands.hpp"
#include "simulator/tests/watched_execution.hpp"
#include "simulator/warp/register_uses.hpp"

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

struct Case {
  Instruction instruction;
  Watched said, seen;
};

// Words of every encoding, watched once; an encoding that several architectures have with the first
// of them.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    constexpr unsigned kTries = 60, kWords = 1;
    std::mt19937_64 random(5);
    std::set<const Encoding*> known;
    std::vector<Case> watched;
    for (const Arch arch : isa::kAllArchs) {
      std::vector<Instruction> words;
      for (const Encoding* encoding : isa::all_encodings(arch)) {
        if (!known.insert(encoding).second) continue;
        unsigned count = 0;
        for (unsigned i = 0; i < kTries && count < kWords; ++i)
          if (auto in = word_to_watch(arch, *encoding, random)) {
            words.push_back(*in);
            ++count;
          }
      }
      if (words.empty()) continue;  // all are an older architecture's
      const auto seen = watch(arch, words);
      for (std::size_t i = 0; i < words.size(); ++i)
        if (seen[i]) watched.push_back({words[i], said_of(words[i]), *seen[i]});
    }
    return watched;
  }();
  return all;
}

TEST(FactsOfInstructions, NameAllThatTheExecutorReadsAndWrites) {
  EXPECT_GT(cases().size(), 300u);
  for (const Case& each : cases()) {
    EXPECT_THAT(without(each.seen.read, each.said.read), IsEmpty())
        << "read by " << print(each.instruction, 0);
    EXPECT_THAT(without(each.seen.written, each.said.written), IsEmpty())
        << "written by " << print(each.instruction, 0);
  }
}

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
  for (const std::uint16_t place : register_uses(in).writes) names.insert(place_name(place));
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
