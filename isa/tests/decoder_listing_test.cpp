// The text of every instruction against what nvdisasm printed.
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <tuple>

#include "isa/decoder.hpp"
#include "isa/labels.hpp"
#include "isa/operands.hpp"
#include "isa/tests/gold.hpp"

namespace heddle::isa {
namespace {

// "+INF " ends in a space of its own.
std::string without_trailing_spaces(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

class ListingOf : public testing::TestWithParam<Arch> {};
INSTANTIATE_TEST_SUITE_P(EveryArch, ListingOf, testing::ValuesIn(kAllArchs),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST_P(ListingOf, EqualsNvdisasm) {
  std::size_t relocated = 0, equal = 0;
  for (const GoldRow& row : listing_rows(GetParam())) {
    const auto instruction = decode(GetParam(), row.word);
    ASSERT_TRUE(instruction) << row.text;
    // The operand is a symbol's address, which the word does not hold before relocation.
    if (row.text.find("`(*)") != std::string::npos) {
      ++relocated;
      continue;
    }
    EXPECT_EQ(without_trailing_spaces(print(*instruction, row.address)), row.text);
    ++equal;
  }
  const bool is_client_blackwell = GetParam() == Arch::sm_120 || GetParam() == Arch::sm_121;
  EXPECT_EQ(relocated, GetParam() == Arch::sm_75 ? 15u : is_client_blackwell ? 19u : 18u);
  EXPECT_GT(equal, 20'000u);
}

TEST_P(ListingOf, HasTheOpcodeBehindTheGuard) {
  for (const GoldRow& row : listing_rows(GetParam())) {
    const auto instruction = decode(GetParam(), row.word);
    ASSERT_TRUE(instruction) << row.text;
    const std::size_t begin = row.text.starts_with('@') ? row.text.find(' ') + 1 : 0;
    EXPECT_EQ(print_opcode(*instruction), row.text.substr(begin, row.text.find(' ', begin) - begin))
        << row.text;
  }
}

// One instruction of each shape that ptxas makes of the PTX ISA.
TEST(Sweep, EveryPtxInstructionEqualsNvdisasm) {
  std::size_t equal = 0;
  for (const Arch arch : kAllArchs)
    for (const GoldRow& row : sweep_rows(arch)) {
      const auto instruction = decode(arch, row.word);
      EXPECT_TRUE(instruction) << row.text;
      if (!instruction || row.text.find("`(*)") != std::string::npos) continue;
      EXPECT_EQ(without_trailing_spaces(print(*instruction, row.address)), row.text);
      ++equal;
    }
  EXPECT_GT(equal, 27'000u);
}

// Of sm_90a: products of warp groups in every form, and what else it has.
TEST(Sweep, EveryInstructionOfSm90aEqualsNvdisasm) {
  std::size_t equal = 0;
  for (const GoldRow& row : warpgroup_rows()) {
    const auto instruction = decode(Arch::sm_90, row.word);
    ASSERT_TRUE(instruction) << row.text;
    EXPECT_EQ(without_trailing_spaces(print(*instruction, row.address)), row.text);
    EXPECT_EQ(encode(*instruction), row.word) << row.text;
    ++equal;
  }
  EXPECT_GT(equal, 1'400u);
}

// Words that no compiler emits (gpu/kernels/micro/form_probe), as nvdisasm 13.1 prints them.
TEST(Sweep, EveryFormOfTheFormProbeEqualsNvdisasm) {
  std::size_t equal = 0;
  for (const GoldRow& row : form_rows()) {
    const auto instruction = decode(Arch::sm_90, row.word);
    ASSERT_TRUE(instruction) << row.text;
    EXPECT_EQ(without_trailing_spaces(print(*instruction, row.address)), row.text);
    EXPECT_EQ(encode(*instruction), row.word) << row.text;
    ++equal;
  }
  EXPECT_GT(equal, 1'100u);
}

// Products in tensor memory and what moves numbers to and from it; pairs of blocks; narrow numbers,
// accesses of 32 bytes and what else came with Blackwell.
TEST(Sweep, EveryInstructionOfBlackwellEqualsNvdisasm) {
  for (const Arch arch : {Arch::sm_100, Arch::sm_103, Arch::sm_110, Arch::sm_120, Arch::sm_121}) {
    std::size_t equal = 0;
    for (const GoldRow& row : blackwell_rows(arch)) {
      const auto instruction = decode(arch, row.word);
      ASSERT_TRUE(instruction) << row.text;
      EXPECT_EQ(without_trailing_spaces(print(*instruction, row.address)), row.text);
      EXPECT_EQ(encode(*instruction), row.word) << row.text;
      ++equal;
    }
    EXPECT_GT(equal, 1'900u);
  }
}

TEST(Operands, OfWideAccessesAreAsManyRegistersAsTheMaskNames) {
  const auto text = [](const Word& word) {
    std::string names;
    for (const OperandUse& use : operands(*decode(Arch::sm_100, word)))
      if (use.file == RegisterFile::vector)
        names += std::string(use.is_written ? "w" : "r") + std::to_string(use.first) + "+" +
                 std::to_string(use.count) + " ";
    return names;
  };
  // LDG.E.ENL2.256 R8, R4, desc[UR4][R2.64]; R6, R4, with the mask 0x55; R5, RZ, with 0x80.
  EXPECT_EQ(text({0xfe0000040204797e, 0x08121908}), "w8+4 w4+4 r2+2 ");
  EXPECT_EQ(text({0xaa0000040204797e, 0x08121806}), "w6+2 w4+2 r2+2 ");
  EXPECT_EQ(text({0x0000000402ff797e, 0x08121905}), "w5+1 r2+2 ");
  // STG.E.ENL2.256 desc[UR4][R2.64+0x40], R4, R6, 0x55
  EXPECT_EQ(text({0xa80002040206797f, 0x0a121804}), "r2+2 r4+2 r6+2 ");
}

TEST(Operands, OfTensorMemoryAreAsManyRegistersAsShapesAndMasksSay) {
  const auto registers_of = [](const Word& word, RegisterFile file, unsigned first) {
    const auto instruction = decode(Arch::sm_100, word);
    if (!instruction) return 0u;
    const Operands all = operands(*instruction);
    for (unsigned i = 0; i < all.count; ++i)
      if (all.uses[i].file == file && all.uses[i].first == first)
        return unsigned{all.uses[i].count};
    return 0u;
  };
  // LDTM.x64 R4; LDTM.16dp256bit.x8 R4; STTM.16dp128bit.x2 of R4.
  const auto vector = RegisterFile::vector, uniform = RegisterFile::uniform;
  EXPECT_EQ(registers_of({0x00000000000479ee | 4ull << 32, 0x08340000}, vector, 4), 64u);
  EXPECT_EQ(registers_of({0x00000000000479ee | 4ull << 32, 0x081a0000}, vector, 4), 32u);
  EXPECT_EQ(registers_of({0x00000004000079ed, 0x08080004}, vector, 4), 4u);
  // UTCHMMA with lanes left out, of one block (UR4) and of a pair (UR8); UTCHMMA.WS (UR12).
  EXPECT_EQ(registers_of({0x00040a0e0c0075ea, 0x08000008}, uniform, 4), 4u);
  EXPECT_EQ(registers_of({0x00080612100075ea, 0x08200004}, uniform, 8), 8u);
  EXPECT_EQ(registers_of({0x000c0a08050079ea, 0x080b0004}, uniform, 12), 2u);
}

// Forms that no PTX instruction asks for: of add.sat.s32 on what a warp shares, and of
// __vibmax_u16x2 and its relatives (nvdisasm 13.0).
TEST(Sweep, FormsOfIntrinsicsEqualNvdisasm) {
  const std::pair<Word, const char*> rows[] = {
      {{0x000000050800729f, 0x000fe20008700204},
       "UPLOP3.LUT UP0, UPT, UR8.SIGN, UR5.SIGN, UR4.SIGN, 0x2, 0x0"},
      {{0x000000050800729f, 0x000fe20008724004},
       "UPLOP3.LUT UP1, UPT, UR8.SIGN, UR5.SIGN, UR4.SIGN, 0x40, 0x0"},
      {{0x0000000500077248, 0x0c0fe40007c60200},
       "VIMNMX.U16x2 R7, P3, P4, R0.reuse, R5.reuse, !PT"},
      {{0x0000000500067248, 0x000fc40003ea0200}, "VIMNMX.U16x2 R6, P5, P6, R0, R5, PT"},
      {{0x00000005001d7248, 0x080fe40007c60300}, "VIMNMX.S16x2 R29, P3, P4, R0, R5.reuse, !PT"},
      {{0x00000005001b7248, 0x080fe20003d80300}, "VIMNMX.S16x2 R27, P4, P5, R0, R5.reuse, PT"},
  };
  for (const auto& [word, text] : rows) {
    const auto instruction = decode(Arch::sm_90, word);
    ASSERT_TRUE(instruction) << text;
    EXPECT_EQ(print(*instruction, 0), text);
  }
}

// Products of narrow floats, which ptxas makes for sm_120a alone (nvdisasm 13.0).
TEST(Sweep, NarrowProductsEqualNvdisasm) {
  const std::pair<Word, const char*> rows[] = {
      {{0x000000080404727a, 0x000000000020ac0c}, "QMMA.16832.F32.E4M3.E2M1 R4, R4, R8, R12"},
      {{0x000000080404727a, 0x000000000004ec0c}, "QMMA.16832.F32.E3M2.E5M2 R4, R4, R8, R12"},
      {{0x000000080404727a, 0x0000000000282c0c}, "QMMA.16832.F32.E2M3.E2M3 R4, R4, R8, R12"},
      {{0x70b000080404747a, 0x000000000018fe0c},
       "QMMA.SF.16832.F32.E2M1.E3M2.E8 R4, R4, R8, R12, R0, R11, URZ"},
      {{0x60b000080404747a, 0x000000000000000c},
       "QMMA.SF.16832.F32.E4M3.E4M3.E8 R4, R4, R8, R12, R0, R11, UR6"},
      {{0x70b000080404747f, 0x0000000000083e0c},
       "OMMA.SF.16864.F32.E2M1.E2M1.E8 R4, R4, R8, R12, R0, R11, URZ"},
      {{0x60b000080404747f, 0x000000000004000c},
       "OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X R4, R4, R8, R12, R0, R11, UR6"},
  };
  for (const auto& [word, text] : rows) {
    const auto instruction = decode(Arch::sm_120, word);
    ASSERT_TRUE(instruction) << text;
    EXPECT_EQ(print(*instruction, 0), text);
    EXPECT_EQ(encode(*instruction), word) << text;
  }
}

// Sums of addresses that ptxas leaves to the instruction (nvdisasm 13.5).
TEST(Sweep, OffsetsOfTensorMemoryAndOfZerosEqualNvdisasm) {
  const std::pair<Word, const char*> rows[] = {
      {{0x000020ff060073cb, 0x0001e40008000004}, "UMEMSETS.64 [UR6+0x20], URZ, UR4"},
      {{0x00000804080079e7, 0x0003d80009100000},
       "UTCCP.T.S.4x32dp128bit tmem[UR8+0x8], gdesc[UR4]"},
      {{0x00002000040079e6, 0x001fd80008010000}, "UTCSHIFT.DOWN tmem[UR4+0x20]"},
  };
  for (const auto& [word, text] : rows) {
    const auto instruction = decode(Arch::sm_100, word);
    ASSERT_TRUE(instruction) << text;
    EXPECT_EQ(print(*instruction, 0), text);
    EXPECT_EQ(encode(*instruction), word) << text;
  }
}

class PublishedOf : public testing::TestWithParam<Arch> {};
INSTANTIATE_TEST_SUITE_P(ThreeArchs, PublishedOf,
                         testing::Values(Arch::sm_75, Arch::sm_80, Arch::sm_86),
                         [](const auto& test) { return std::string(name(test.param)); });

TEST_P(PublishedOf, EqualsNvdisasm11) {
  for (const GoldRow& row : published_rows(GetParam())) {
    const auto instruction = decode(GetParam(), row.word);
    ASSERT_TRUE(instruction) << row.text;
    EXPECT_EQ(without_trailing_spaces(print(*instruction, row.address)), row.text);
  }
}

// A whole listing as nvdisasm -c -hex writes it: sections, labels, instructions.
class ListingReader {
 public:
  struct Section {
    AddressNames labels;  // as the listing defines them
    std::vector<Word> code;
    std::vector<std::string> texts;
  };

  explicit ListingReader(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) read(line);
  }
  const std::vector<Section>& sections() const { return sections_; }

 private:
  void read(const std::string& line) {
    if (line.starts_with("\t.section")) {
      sections_.emplace_back();
    } else if (sections_.empty() || line.empty()) {
      return;
    } else if (line.back() == ':' && line.front() != ' ' && line.front() != '\t') {
      Section& section = sections_.back();
      const std::string label = line.substr(0, line.size() - 1);
      if (!label.starts_with(".text.")) section.labels[section.texts.size() * 16] = label;
    } else if (line.find("/* 0x") != std::string::npos) {
      read_instruction(line);
    }
  }

  void read_instruction(const std::string& line) {
    Section& section = sections_.back();
    const std::string hex = line.substr(line.find("/* 0x") + 5, 16);
    const std::size_t end_of_address = line.find("*/");
    if (end_of_address > line.find("/* 0x")) {  // the second line of an instruction: its high half
      section.code.push_back(parse_word(hex + low_));
      return;
    }
    low_ = hex;
    std::string text = line.substr(end_of_address + 2, line.find("/* 0x") - end_of_address - 2);
    text.erase(0, text.find_first_not_of(' '));
    text.erase(text.rfind(';'));
    section.texts.push_back(without_trailing_spaces(text));
  }

  std::vector<Section> sections_;
  std::string low_;
};

TEST(Labels, AreThoseOfNvdisasm) {
  const ListingReader listing(read_gold("control.sm_90.lst.zst"));
  ASSERT_EQ(listing.sections().size(), 7u);
  unsigned next = 0;
  for (const ListingReader::Section& section : listing.sections()) {
    ASSERT_EQ(section.code.size(), section.texts.size());
    AddressNames symbols;
    for (const auto& [address, label] : section.labels)
      if (!label.starts_with(".L_x_")) symbols[address] = label;
    const AddressNames names = label_names(Arch::sm_90, section.code, symbols, next);
    const auto name = [&](std::uint64_t address) { return "`(" + names.at(address) + ")"; };
    for (std::size_t i = 0; i < section.code.size(); ++i) {
      const auto instruction = decode(Arch::sm_90, section.code[i]);
      ASSERT_TRUE(instruction);
      EXPECT_EQ(without_trailing_spaces(print(*instruction, i * 16, name)), section.texts[i]);
    }
  }
  EXPECT_EQ(next, 59u);
}

// What ptxas makes of st.async, red.async, fence.sc.cluster and prefetch sizes of cp.async, which
// the corpus lacks.
TEST(Listing, HasStoresThatCountAtABarrierAndUniformBranches) {
  constexpr std::pair<const char*, const char*> kRows[] = {
      {"002fe8000c00083f0000000604007dbd", "STAS [R4.64], R6"},
      {"004fe8000c000a3f0000000204007dbd", "STAS.64 [R4.64], R2"},
      {"000fe2000c000c3f0000000804007dbd", "STAS.128 [R4.64], R8"},
      {"001fe8000800013f0000000004007dbe", "REDAS.ADD [R4.64], R0"},
      {"002fe8000800053f0000000204007dbe", "REDAS.ADD.64 [R4.64], R2"},
      {"000fe8000880033f0000000004007dbe", "REDAS.MIN.S32 [R4.64], R0"},
      {"000fe2000a80013f0000000004007dbe", "REDAS.AND [R4.64], R0"},
      {"000fea000b8000000000000108047547", "BRA.U !UP0, 0x20"},
      {"000fea000b8000000000000100047547", "BRA.U UP0, 0x20"},
      {"000fe20008003000000000ff3e007884", "UR2UP UPR, UR62.B3"},
      {"000fe8000b9218c40000000002057fae", "LDGSTS.E.LTC64B [R5], desc[UR4][R2.64]"},
      {"000fe8000b901dc40002000002057fae",
       "LDGSTS.E.BYPASS.LTC256B.128 [R5+0x20], desc[UR4][R2.64]"},
  };
  for (const auto& [word, text] : kRows) {
    const auto instruction = decode(Arch::sm_90, parse_word(word));
    ASSERT_TRUE(instruction) << text;
    EXPECT_EQ(print(*instruction, 0), text);
    EXPECT_EQ(encode(*instruction), parse_word(word)) << text;
  }
}

// Of surfaces, from PTX alone.
TEST(Listing, HasReductionsAndFormattedStoresOfSurfaces) {
  constexpr std::tuple<Arch, const char*, const char*> kRows[] = {
      {Arch::sm_75, "000fe20000116000700058000200759f",
       "SURED.D.2D.ADD.STRONG.SYS.TRAP [R2], R0, 0x0, 0x58"},
      {Arch::sm_75, "000fe20001116e00700058020400759f",
       "SURED.D.2D.MAX.SD64.STRONG.SYS.TRAP [R4], R2, 0x0, 0x58"},
      {Arch::sm_75, "000fe20000916c00700058000200759f",
       "SURED.D.2D.MIN.SD32.STRONG.SYS.TRAP [R2], R0, 0x0, 0x58"},
      {Arch::sm_90, "001fe200081140007000040002007f9f",
       "SURED.D.2D.ADD.STRONG.SYS.TRAP [R2], R0, UR4, 0x0"},
      {Arch::sm_90, "001fe2000a9140007000040002007f9f",
       "SURED.D.2D.AND.STRONG.SYS.TRAP [R2], R0, UR4, 0x0"},
      {Arch::sm_90, "001fe20009114e007000040204007f9f",
       "SURED.D.2D.MAX.SD64.STRONG.SYS.TRAP [R4], R2, UR4, 0x0"},
      {Arch::sm_90, "001fe20008914c007000040002007f9f",
       "SURED.D.2D.MIN.SD32.STRONG.SYS.TRAP [R2], R0, UR4, 0x0"},
      {Arch::sm_90, "001fee000810af007000040402007f9b",
       "SUST.P.2D.STRONG.SM.TRAP [R2], R4, UR4, 0x0"},
      {Arch::sm_90, "002fe2000810a1000000040009007f9b",
       "SUST.P.1D.STRONG.SM.R.IGN [R9], R0, UR4, 0x0"},
      {Arch::sm_90, "004fe2000810a3000800040a09007f9b",
       "SUST.P.1D.STRONG.SM.RG [R9], R10, UR4, 0x0"},
      {Arch::sm_90, "004fe400081141001000040007000f9f",
       "@P0 SURED.D.BA.1D.ADD.STRONG.SYS.TRAP [R7], R0, UR4, 0x0"},
      {Arch::sm_90, "000fea00081145000800040207000f9f",
       "@P0 SURED.D.BA.1D.ADD.U64.STRONG.SYS [R7], R2, UR4, 0x0"},
      {Arch::sm_90, "008fe200089143006000040d0a007f9f",
       "SURED.D.BA.2D.MIN.S32.STRONG.SYS.IGN [R10], R13, UR4, 0x0"},
      {Arch::sm_90, "000fe200089141006000040d0a007f9f",
       "SURED.D.BA.2D.MIN.STRONG.SYS.IGN [R10], R13, UR4, 0x0"},
      {Arch::sm_90, "000fea000a9141007000040d0a007f9f",
       "SURED.D.BA.2D.AND.STRONG.SYS.TRAP [R10], R13, UR4, 0x0"},
      {Arch::sm_90, "001fe2000b114100b000040d04007f9f",
       "SURED.D.BA.3D.OR.STRONG.SYS.TRAP [R4], R13, UR4, 0x0"},
      {Arch::sm_90, "002fe20009114b000800040807007f9f",
       "SURED.D.BA.1D.MAX.S64.STRONG.SYS [R7], R8, UR4, 0x0"},
      {Arch::sm_90, "000fe200091145000800040807007f9f",
       "SURED.D.BA.1D.MAX.U64.STRONG.SYS [R7], R8, UR4, 0x0"},
  };
  for (const auto& [arch, word, text] : kRows) {
    const auto instruction = decode(arch, parse_word(word));
    ASSERT_TRUE(instruction) << text;
    EXPECT_EQ(print(*instruction, 0), text);
    EXPECT_EQ(encode(*instruction), parse_word(word)) << text;
  }
}

}  // namespace
}  // namespace heddle::isa
