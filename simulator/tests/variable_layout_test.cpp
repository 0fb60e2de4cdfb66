// Variables begin at multiples of 256 bytes, and everything that speaks of them goes along.
#include "simulator/launch/variable_layout.hpp"

#include <gtest/gtest.h>

namespace heddle::simulator {
namespace {

constexpr std::uint8_t kObject = 1, kSection = 3;

std::vector<std::byte> counting(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

// An integer, an array of 300 bytes behind it, and a pointer into that.
isa::Cubin three_variables() {
  isa::Cubin cubin;
  cubin.sections.resize(2);
  cubin.sections[1] = {
      .name = ".nv.global.init", .size = 312, .alignment = 8, .bytes = counting(312)};
  cubin.symbols = {{.name = ""},
                   {.name = "integer", .section = 1, .value = 0, .size = 4, .type = kObject},
                   {.name = "array", .section = 1, .value = 4, .size = 300, .type = kObject},
                   {.name = "pointer", .section = 1, .value = 304, .size = 8, .type = kObject}};
  cubin.relocations = {{.section = 1, .offset = 304, .symbol = 2, .addend = 16}};
  return cubin;
}

TEST(VariableLayout, EachBeginsAtAMultipleOf256) {
  isa::Cubin cubin = three_variables();
  part_variables(cubin);
  EXPECT_EQ(cubin.symbols[1].value, 0u);
  EXPECT_EQ(cubin.symbols[2].value, 256u);
  EXPECT_EQ(cubin.symbols[3].value, 768u);  // 256 + 300, rounded up
  EXPECT_EQ(cubin.sections[1].size, 776u);
}

TEST(VariableLayout, InitialValuesAndRelocationsGoAlong) {
  isa::Cubin cubin = three_variables();
  part_variables(cubin);
  const std::vector<std::byte>& bytes = cubin.sections[1].bytes;
  ASSERT_EQ(bytes.size(), 776u);
  EXPECT_EQ(bytes[3], std::byte{3});
  EXPECT_EQ(bytes[4], std::byte{0});          // between variables
  EXPECT_EQ(bytes[256 + 10], std::byte{14});  // array[10]
  EXPECT_EQ(bytes[768], static_cast<std::byte>(304 % 256));
  EXPECT_EQ(cubin.relocations[0].offset, 768u);
  EXPECT_EQ(cubin.relocations[0].addend, 16);
}

TEST(VariableLayout, NamesOfOnePlaceStayTogether) {
  isa::Cubin cubin = three_variables();
  cubin.symbols.push_back({.name = "again", .section = 1, .value = 4, .type = kObject});
  part_variables(cubin);
  EXPECT_EQ(cubin.symbols[4].value, cubin.symbols[2].value);
}

TEST(VariableLayout, SectionsThatCodeReachesByTheirOwnSymbolStay) {
  isa::Cubin cubin = three_variables();
  cubin.symbols.push_back({.name = ".nv.global.init", .section = 1, .type = kSection});
  cubin.relocations.push_back({.section = 0, .symbol = 4});
  part_variables(cubin);
  EXPECT_EQ(cubin.symbols[2].value, 4u);
  EXPECT_EQ(cubin.sections[1].size, 312u);
}

TEST(VariableLayout, ManagedVariablesAreParted) {
  isa::Cubin cubin = three_variables();
  cubin.symbols[1].other = 4;
  part_variables(cubin);
  EXPECT_EQ(cubin.symbols[2].value, 256u);
}

}  // namespace
}  // namespace heddle::simulator
