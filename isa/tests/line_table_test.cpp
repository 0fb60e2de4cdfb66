// Source lines, with the callers of inlined functions.
#include <gmock/gmock.h>

#include "isa/tests/cubin_files.hpp"

namespace heddle::isa {
namespace {

using testing::HasSubstr;

std::uint32_t section_of(const Cubin& cubin, std::string_view name) {
  return static_cast<std::uint32_t>(cubin.find_section(name) - cubin.sections.data());
}

// "2 _Z6squaref <- 5 _Z7squaresf <- 12": the innermost line first.
std::string describe(const LineTable& table, const LineEntry& entry) {
  std::string text = std::to_string(entry.line) + " " + std::string(entry.inlined_function);
  if (entry.inlined_at != 0)
    text += " <- " + describe(table, table.call_sites[entry.inlined_at - 1]);
  return text;
}

TEST(LineTable, NamesTheCallersOfInlinedFunctions) {
  for (const std::string file : {"lines.sm_75.cubin", "lines.sm_90.cubin"}) {
    SCOPED_TRACE(file);
    const Cubin cubin = parse_test_cubin(file);
    const LineTable table = read_line_table(cubin, section_of(cubin, ".text._Z6secondPf"));
    std::vector<std::string> positions;
    for (const LineEntry& entry : table.entries) positions.push_back(describe(table, entry));
    EXPECT_THAT(positions, testing::IsSupersetOf({"11 ", "13 ", "5 _Z7squaresf <- 12 ",
                                                  "2 _Z6squaref <- 5 _Z7squaresf <- 12 "}));
  }
}

TEST(LineTable, BelongsToOneSection) {
  const Cubin cubin = parse_test_cubin("lines.sm_90.cubin");
  const LineTable table = read_line_table(cubin, section_of(cubin, ".text._Z5firstPf"));
  ASSERT_NE(table.find(0), nullptr);
  EXPECT_THAT(std::string(table.find(0)->file), testing::EndsWith("/lines.cu"));
  for (std::uint64_t offset = 0; offset < cubin.find_section(".text._Z5firstPf")->size;
       offset += 16) {
    ASSERT_NE(table.find(offset), nullptr) << offset;
    EXPECT_GE(table.find(offset)->line, 7u);
    EXPECT_LE(table.find(offset)->line, 9u);
  }
}

TEST(LineTable, EndsWithTheCode) {
  const Cubin cubin = parse_test_cubin("lines.sm_90.cubin");
  const Section& text = *cubin.find_section(".text._Z5firstPf");
  const LineTable table = read_line_table(cubin, section_of(cubin, text.name));
  EXPECT_NE(table.find(text.size - 16), nullptr);
  EXPECT_EQ(table.find(text.size), nullptr);
}

TEST(LineTable, OfALinkedDebugBuildComesFromBothFiles) {
  for (const std::string file : {"linked-G.sm_75.cubin", "linked-G.sm_90.cubin"}) {
    const Cubin cubin = parse_test_cubin(file);
    const LineTable kernel = read_line_table(cubin, section_of(cubin, ".text._Z6linkedPf"));
    const LineTable function = read_line_table(cubin, section_of(cubin, ".text._Z5innerf"));
    ASSERT_NE(kernel.find(0), nullptr);
    ASSERT_NE(function.find(0), nullptr);
    EXPECT_THAT(std::string(kernel.find(0)->file), testing::EndsWith("/linked_main.cu"));
    EXPECT_THAT(std::string(function.find(0)->file), testing::EndsWith("/linked_functions.cu"));
  }
}

TEST(LineTable, IsEmptyWithoutDebugInformation) {
  const Cubin cubin = parse_test_cubin("program.sm_90.cubin");
  const LineTable table = read_line_table(cubin, section_of(cubin, ".text._Z6printsPi"));
  EXPECT_TRUE(table.entries.empty());
  EXPECT_EQ(table.find(0), nullptr);
}

TEST(LineTable, KeepsItsNamesWhenCopied) {
  const Cubin cubin = parse_test_cubin("lines.sm_90.cubin");
  LineTable copy;
  {
    const LineTable original = read_line_table(cubin, section_of(cubin, ".text._Z5firstPf"));
    copy = original;
  }
  EXPECT_THAT(std::string(copy.find(0)->file), testing::EndsWith("/lines.cu"));
}

TEST(LineTableErrors, NameTheVersionTheyCannotRead) {
  Cubin cubin = parse_test_cubin("lines.sm_90.cubin");
  const std::uint32_t lines = section_of(cubin, ".debug_line");
  put(cubin.sections[lines].bytes, 4, std::uint16_t{5});
  EXPECT_THAT(error_of([&] { read_line_table(cubin, section_of(cubin, ".text._Z5firstPf")); }),
              testing::AllOf(HasSubstr("'.debug_line'"), HasSubstr("version 5, expected 2 to 4")));
}

}  // namespace
}  // namespace heddle::isa
