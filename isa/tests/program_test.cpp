// Placement: where code and data go, and what relocations make of the instructions.
#include "isa/program.hpp"

#include <gmock/gmock.h>

#include "isa/tests/cubin_files.hpp"

namespace heddle::isa {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

const Function& function_named(const Cubin& cubin, std::string_view name) {
  return *std::ranges::find(cubin.functions, name, &Function::name);
}

std::uint64_t address_of(const Cubin& cubin, const Program& program, std::string_view name) {
  const Function& function = function_named(cubin, name);
  return program.section_addresses[function.section] + function.offset;
}

struct Call {
  std::uint64_t from, to;
};

// Where each direct CALL.ABS goes, as the decoder reads the patched field.
std::vector<Call> absolute_calls(const Program& program, const CodeRange& range) {
  std::vector<Call> calls;
  for (std::uint64_t address = range.address; address < range.address + range.size; address += 16) {
    const auto& instruction = program.instructions[(address - kCodeBase) / 16];
    if (instruction && instruction->op == Op::CALL && instruction->mod(Mod::absolute) != 0 &&
        instruction->a.kind == Source::Kind::none)
      calls.push_back({address, static_cast<std::uint64_t>(instruction->offset)});
  }
  return calls;
}

std::vector<std::uint64_t> called_from(const Cubin& cubin, const Program& program,
                                       std::string_view name) {
  const CodeRange* range = program.range_at(address_of(cubin, program, name));
  std::vector<std::uint64_t> targets;
  for (const Call& call : absolute_calls(program, *range)) targets.push_back(call.to);
  return targets;
}

TEST(PlacedCalls, GoToTheFunctionsTheyName) {
  for (const std::string file : {"debug.sm_75.cubin", "debug.sm_90.cubin"}) {
    SCOPED_TRACE(file);
    const Cubin cubin = parse_test_cubin(file);
    const Program program = place_for_test(cubin);
    const std::uint64_t half = address_of(cubin, program, "_Z7half_off");
    const std::uint64_t quarter = address_of(cubin, program, "_Z10quarter_off");
    EXPECT_THAT(called_from(cubin, program, "_Z5callsPf"), testing::ElementsAre(quarter));
    EXPECT_THAT(called_from(cubin, program, "_Z10quarter_off"), testing::ElementsAre(half, half));
    EXPECT_THAT(called_from(cubin, program, "_Z6printsPi"), testing::ElementsAre(kTestExternal));
  }
}

TEST(PlacedCalls, GoToTheFunctionsOfAnotherFile) {
  for (const std::string file : {"linked.sm_75.cubin", "linked.sm_90.cubin", "linked-G.sm_75.cubin",
                                 "linked-G.sm_90.cubin"}) {
    SCOPED_TRACE(file);
    const Cubin cubin = parse_test_cubin(file);
    const Program program = place_for_test(cubin);
    EXPECT_THAT(called_from(cubin, program, "_Z6linkedPf"),
                testing::ElementsAre(address_of(cubin, program, "_Z5outerf")));
    EXPECT_THAT(called_from(cubin, program, "_Z5outerf"),
                testing::ElementsAre(address_of(cubin, program, "_Z5innerf")));
  }
}

// The 64-bit values that pairs of MOV or UMOV with immediates put into neighbouring registers.
std::vector<std::uint64_t> moved_addresses(const Program& program) {
  std::vector<std::uint64_t> values;
  for (std::size_t low = 0; low < program.words.size(); ++low)
    for (std::size_t high = low + 1; high < std::min(low + 4, program.words.size()); ++high) {
      const Word &a = program.words[low], &b = program.words[high];
      const bool moves =
          a.bits(0, 12) == b.bits(0, 12) && (a.bits(0, 12) == 0x802 || a.bits(0, 12) == 0x882);
      if (moves && b.bits(16, 8) == a.bits(16, 8) + 1)
        values.push_back(a.bits(32, 32) | b.bits(32, 32) << 32);
    }
  return values;
}

TEST(PlacedMoves, HoldTheAddressAfterEachCall) {
  for (const std::string file : {"debug.sm_75.cubin", "debug.sm_90.cubin", "linked.sm_75.cubin",
                                 "linked.sm_90.cubin", "linked-G.sm_90.cubin"}) {
    SCOPED_TRACE(file);
    const Cubin cubin = parse_test_cubin(file);
    const Program program = place_for_test(cubin);
    const std::vector<std::uint64_t> moved = moved_addresses(program);
    std::size_t calls = 0;
    for (const CodeRange& range : program.ranges)
      for (const Call& call : absolute_calls(program, range)) {
        EXPECT_THAT(moved, Contains(call.from + 16));
        ++calls;
      }
    EXPECT_GE(calls, 2u);
  }
}

TEST(PlacedMoves, HoldTheAddressOfAVariable) {
  for (const std::string file : {"debug.sm_75.cubin", "debug.sm_90.cubin", "linked.sm_90.cubin"}) {
    SCOPED_TRACE(file);
    const Cubin cubin = parse_test_cubin(file);
    const std::string variable = file.starts_with("debug") ? "total" : "shift";
    const auto symbol = std::ranges::find(cubin.symbols, variable, &Symbol::name);
    ASSERT_NE(symbol, cubin.symbols.end());
    EXPECT_THAT(moved_addresses(place_for_test(cubin)),
                Contains(test_section_address(symbol->section) + symbol->value));
  }
}

TEST(PlacedData, HoldsTheAddressesItsRelocationsName) {
  for (const std::string file : {"program.sm_75.cubin", "program.sm_90.cubin"}) {
    SCOPED_TRACE(file);
    const Cubin cubin = parse_test_cubin(file);
    const Program program = place_for_test(cubin);
    std::size_t checked = 0;
    for (const Relocation& relocation : cubin.relocations) {
      if (cubin.sections[relocation.section].name != ".nv.constant4") continue;
      const Symbol& symbol = cubin.symbols[relocation.symbol];
      const std::uint64_t expected =
          symbol.section == 0 ? kTestExternal : test_section_address(symbol.section) + symbol.value;
      EXPECT_EQ(get<std::uint64_t>(program.sections[relocation.section], relocation.offset),
                expected)
          << symbol.name;
      ++checked;
    }
    EXPECT_GE(checked, 4u);
  }
}

TEST(PlacedCode, IsAlignedAndPaddedAndWhole) {
  for (const std::string& file : test_files(".cubin")) {
    if (file.starts_with("relocatable")) continue;
    SCOPED_TRACE(file);
    const Cubin cubin = parse_test_cubin(file);
    const Program program = place_for_test(cubin);
    EXPECT_EQ(program.instructions.size(), program.words.size());
    EXPECT_EQ(program.trap() % 8, 0u);  // behind whole sections
    EXPECT_FALSE(program.instructions[program.trap()].has_value());
    for (const Kernel& kernel : cubin.kernels) {
      EXPECT_EQ(program.entry(kernel) % 128, 0u);
      const CodeRange* range = program.range_at(program.entry(kernel));
      ASSERT_NE(range, nullptr);
      EXPECT_EQ(cubin.functions[range->function].name, kernel.name);
    }
  }
}

TEST(PlacedCode, BelongsToTheInnermostFunction) {
  const Cubin cubin = parse_test_cubin("program.sm_75.cubin");
  const Program program = place_for_test(cubin);
  const std::string_view kernel = "_Z10parametersPfPKficsd";
  const std::string_view local = "$_Z10parametersPfPKficsd$_Z10polynomialfi";
  const std::uint64_t begin = address_of(cubin, program, local);
  const std::uint64_t end = begin + function_named(cubin, local).size;
  const auto name_at = [&](std::uint64_t address) {
    const CodeRange* range = program.range_at(address);
    return range == nullptr ? "" : cubin.functions[range->function].name;
  };
  EXPECT_EQ(name_at(begin - 16), kernel);
  EXPECT_EQ(name_at(begin), local);
  EXPECT_EQ(name_at(end - 16), local);
  EXPECT_EQ(name_at(kCodeBase - 16), "");
  EXPECT_EQ(name_at(kCodeBase + 16 * program.words.size()), "");
}

TEST(PlacementErrors, NameAnUndefinedSymbol) {
  const Cubin cubin = parse_test_cubin("program.sm_90.cubin");
  const auto none = [](std::string_view) { return std::uint64_t{0}; };
  EXPECT_THAT(
      error_of([&] { place(cubin, {.section_address = test_section_address, .external = none}); }),
      AllOf(HasSubstr("program.sm_90.cubin"), HasSubstr("'vprintf'")));
}

TEST(PlacementErrors, NameASectionThatIsNowhere) {
  const Cubin cubin = parse_test_cubin("program.sm_90.cubin");
  const auto external = [](std::string_view) { return kTestExternal; };
  EXPECT_THAT(error_of([&] { place(cubin, {.section_address = {}, .external = external}); }),
              AllOf(HasSubstr("'.nv.global"), HasSubstr("nowhere")));
}

TEST(PlacementErrors, NameARelocationThatIsUnknown) {
  Cubin cubin = parse_test_cubin("debug.sm_90.cubin");
  const auto in_code = [&](const Relocation& relocation) {
    return cubin.sections[relocation.section].name.starts_with(".text");
  };
  std::ranges::find_if(cubin.relocations, in_code)->type = 114;
  EXPECT_THAT(error_of([&] { place_for_test(cubin); }),
              AllOf(HasSubstr("type 114"), HasSubstr("'.text."), HasSubstr("not known")));
}

TEST(PlacementErrors, NameARelocationThatWritesPastTheEnd) {
  Cubin cubin = parse_test_cubin("program.sm_90.cubin");
  for (Relocation& relocation : cubin.relocations)
    if (cubin.sections[relocation.section].name == ".nv.constant4")
      relocation.offset = cubin.sections[relocation.section].size - 7;
  EXPECT_THAT(error_of([&] { place_for_test(cubin); }), HasSubstr("patches 8 bytes"));
}

TEST(PlacementErrors, RefuseCodeThatIsNotLinked) {
  const Cubin cubin = parse_test_cubin("relocatable.sm_90.cubin");
  EXPECT_TRUE(cubin.relocatable);
  EXPECT_THAT(error_of([&] { place_for_test(cubin); }), HasSubstr("nvlink"));
}

}  // namespace
}  // namespace heddle::isa
