// What debug information says of variables, of cubins that isa/tests/make_cubins.sh made.
#include "isa/variables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "isa/tests/cubin_files.hpp"

namespace heddle::isa {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// "float x in R4", "float * p in c[0][0x210]" for those of a function before an instruction.
std::vector<std::string> places(const VariableTable& table, const std::string& function,
                                std::uint64_t offset) {
  std::vector<std::string> texts;
  for (const Variable& variable : table.of(function)) {
    const auto place = table.place(function, variable, offset);
    if (!place) continue;
    std::string text = variable.type.name + " " + variable.name + " in";
    if (place->bank0) text += " c" + std::to_string(*place->bank0);
    for (std::uint32_t i = 0; i < place->part_count; ++i)
      text += (place->parts[i].is_uniform ? " UR" : " R") + std::to_string(place->parts[i].number);
    texts.push_back(text);
  }
  return texts;
}

TEST(Variables, OfADebugBuildAreInRegistersOrParameters) {
  const Cubin cubin = parse_test_cubin("variables.sm_90.cubin");
  const VariableTable table(cubin);
  const std::string function = "_Z4sumsPixd";
  ASSERT_NE(cubin.find_kernel(function), nullptr);
  const std::uint32_t first = cubin.find_kernel(function)->parameter_offset;
  EXPECT_THAT(places(table, function, 0),
              ElementsAre("int * out in c" + std::to_string(first),
                          "long long n in c" + std::to_string(first + 8)));
  std::set<std::string> names;
  for (const Variable& variable : table.of(function)) {
    names.insert(variable.type.name + " " + variable.name);
    bool is_held = false;
    for (std::uint64_t offset = 0; offset < variable.end; offset += 16) {
      const auto place = table.place(function, variable, offset);
      if (!place) continue;
      is_held = true;
      if (!place->bank0) {
        EXPECT_EQ(place->part_count, variable.type.bytes == 8 ? 2u : 1u) << variable.name;
      }
      EXPECT_GE(offset, variable.begin);
    }
    EXPECT_TRUE(is_held) << variable.name;
  }
  EXPECT_THAT(names,
              ElementsAre("double d", "double half", "float other", "int * out", "int i", "int j",
                          "long long n", "short s", "unsigned char b", "unsigned long long big"));
}

TEST(Variables, ScopesEndWithTheirBlocks) {
  const Cubin cubin = parse_test_cubin("variables.sm_90.cubin");
  const VariableTable table(cubin);
  const auto& all = table.of("_Z4sumsPixd");
  const auto find = [&](const char* name) {
    return *std::ranges::find(all, name, &Variable::name);
  };
  EXPECT_GT(find("j").begin, find("i").begin);
  EXPECT_LT(find("j").end, find("i").end);
  EXPECT_EQ(table.place("_Z4sumsPixd", find("j"), find("j").end), std::nullopt);
}

TEST(Variables, AreKnownForOtherArchitecturesAndLinkedCode) {
  EXPECT_FALSE(VariableTable(parse_test_cubin("variables.sm_75.cubin")).of("_Z4sumsPixd").empty());
  const Cubin debug = parse_test_cubin("debug.sm_90.cubin");
  // Its first instruction moves the argument: MOV R0, R4.
  const VariableTable of_debug(debug);
  EXPECT_THAT(places(of_debug, "_Z7half_off", 0), ElementsAre());
  EXPECT_THAT(places(of_debug, "_Z7half_off", 16), ElementsAre("float x in R0"));
}

TEST(Variables, AreNotThereWithoutDebugInformation) {
  const Cubin cubin = parse_test_cubin("lines.sm_90.cubin");
  const VariableTable table(cubin);
  for (const Function& function : cubin.functions) EXPECT_TRUE(table.of(function.name).empty());
}

// Whatever a byte of the debug sections becomes, reading ends, by an error or with variables.
TEST(Variables, OfDamagedFilesAreReadOrRefused) {
  const Cubin whole = parse_test_cubin("variables.sm_90.cubin");
  std::size_t refused = 0, tried = 0;
  for (const char* name :
       {".debug_info", ".debug_abbrev", ".debug_loc", ".nv_debug_info_reg_sass"}) {
    const auto index = static_cast<std::size_t>(whole.find_section(name) - whole.sections.data());
    for (std::size_t at = 0; at < whole.sections[index].bytes.size(); at += 7) {
      Cubin damaged = whole;
      damaged.sections[index].bytes[at] ^= std::byte{0xff};
      ++tried;
      try {
        places(VariableTable(damaged), "_Z4sumsPixd", 0x400);
      } catch (const CubinError& error) {
        ++refused;
        EXPECT_THAT(error.what(), HasSubstr("variables.sm_90.cubin: section '."));
      }
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_LT(refused, tried);
}

}  // namespace
}  // namespace heddle::isa
