// Native code against lane functions: random runs of what both execute.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "isa/decoder.hpp"
#include "isa/encoding.hpp"
#include "simulator/execute/machine.hpp"
#include "simulator/execute/native_program.hpp"
#include "simulator/native/code_memory.hpp"
#include "simulator/native/run_compiler.hpp"
#include "simulator/native/runs.hpp"
#include "simulator/tests/any_instruction.hpp"
#include "simulator/tests/both_executors.hpp"

namespace heddle::simulator {
namespace {

// Made ready; its last instruction is the trap row.
struct Ready {
  isa::Program program;
  LoweredProgram lowered;

  explicit Ready(const std::vector<Instruction>& run) {
    program.arch = run.front().arch;
    program.instructions.assign(run.begin(), run.end());
    program.instructions.emplace_back();
    lowered = lower(program);
  }
  std::string text() const {
    std::string text;
    for (const auto& in : program.instructions)
      if (in) text += isa::print(*in, 0) + "\n";
    return text;
  }
};

constexpr std::array kUnits{native::VectorUnit::avx2, native::VectorUnit::avx512};

// By each vector unit that the processor has.
void compare(const std::vector<Instruction>& run, Random& random) {
  const Ready ready(run);
  const NextWord next = [&] { return any_word(random); };
  const std::vector<std::uint32_t> pool = any_pool(ready.lowered, next);
  const auto length = static_cast<std::uint32_t>(run.size());
  for (const Mask active : {kFullMask, Mask(static_cast<std::uint32_t>(random()) | 1u)})
    for (const native::VectorUnit unit : kUnits) {
      if (!native::is_supported(unit)) continue;
      ASSERT_EQ(difference(unit, ready.lowered, pool, 0, length, active, next), "") << ready.text();
    }
}

TEST(Native, ComputesWhatLaneFunctionsDo) {
  if (!native::best_unit()) GTEST_SKIP() << "neither AVX2 nor AVX-512";
  Random random(2);
  for (const isa::Arch arch : {isa::Arch::sm_75, isa::Arch::sm_90, isa::Arch::sm_100}) {
    std::vector<Instruction> all;
    for (const isa::Encoding* encoding : isa::all_encodings(arch))
      for (unsigned i = 0; i < 12; ++i) {
        const auto in = any_instruction(arch, *encoding, random);
        if (!in || Ready({*in}).lowered.steps[0].lane == nullptr) continue;
        all.push_back(*in);
        ASSERT_NO_FATAL_FAILURE(compare({*in}, random));
      }
    for (unsigned i = 0; i < 600; ++i) {
      std::vector<Instruction> run(1 + random() % 60);
      for (Instruction& in : run) in = all[random() % all.size()];
      ASSERT_NO_FATAL_FAILURE(compare(run, random));
    }
  }
}

// Which those are that need no lane function: at least what the benchmark's programs execute most.
TEST(Native, TranslatesWhatIsExecutedMost) {
  using isa::Op;
  Random random(2);
  std::vector<std::uint8_t> memory(native::RunCompiler::kMostBytes);
  for (const Op op : {Op::IADD3, Op::IMAD, Op::IMAD_WIDE, Op::ISETP, Op::LOP3, Op::SHF, Op::LEA,
                      Op::MOV, Op::SEL, Op::FADD, Op::FMUL, Op::FFMA, Op::FSETP, Op::DFMA}) {
    std::array<bool, kUnits.size()> translated{};
    for (const isa::Encoding* encoding : isa::all_encodings(isa::Arch::sm_90))
      for (unsigned i = 0; i < 2000 && !translated[0]; ++i) {
        const auto in = any_instruction(isa::Arch::sm_90, *encoding, random);
        if (!in || in->op != op) continue;
        const Ready ready({*in});
        const native::KnownWord known = known_words(ready.lowered);
        const std::array run{native::RunOp{&ready.lowered.steps[0], {}}};
        for (unsigned unit = 0; unit < kUnits.size(); ++unit)
          translated[unit] =
              native::RunCompiler(kUnits[unit], run, known, true, false, memory.data()).complete();
        EXPECT_EQ(translated[0], translated[1]) << ready.text();
      }
    EXPECT_TRUE(translated[0]) << isa::name(op);
  }
}

// Of the mapping that an address lies in, as /proc/self/maps tells it: "r-xp".
std::string rights_at(const void* address) {
  std::ifstream maps("/proc/self/maps");
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t first = 0, end = 0;
    char dash = 0;
    std::string rights;
    std::istringstream(line) >> std::hex >> first >> dash >> end >> rights;
    if (at >= first && at < end) return rights;
  }
  return {};
}

TEST(Native, CodeIsNeverWritable) {
  const std::array<std::uint8_t, 1> returns{0xc3};
  const native::CodeMemory code(returns, 5);
  EXPECT_EQ(rights_at(code.entry()), "r-xp");
}

std::optional<Instruction> any_addition(Random& random) {
  std::optional<Instruction> in;
  for (const isa::Encoding* encoding : isa::all_encodings(isa::Arch::sm_90))
    if (!in || in->op != isa::Op::IADD3) in = any_instruction(isa::Arch::sm_90, *encoding, random);
  return in;
}

// Not before, as most instructions are executed a few times only; and not never.
TEST(Native, MakesCodeAtTheTwoHundredthVisit) {
  Random random(4);
  const auto in = any_addition(random);
  ASSERT_TRUE(in && in->op == isa::Op::IADD3);
  const Ready ready(std::vector<Instruction>(3, *in));
  const auto runs = make_native(ready.lowered, native::VectorUnit::avx2);
  for (unsigned visit = 1; visit < 200; ++visit) {
    runs->visit(0);
    ASSERT_EQ(runs->at(0).function(true), nullptr) << visit;
    ASSERT_EQ(runs->at(0).function(false), nullptr) << visit;
  }
  EXPECT_EQ(runs->bytes(), 0u);
  runs->visit(0);
  EXPECT_NE(runs->at(0).function(true), nullptr);
  EXPECT_NE(runs->at(0).function(false), nullptr);
  EXPECT_EQ(runs->at(1).function(true), nullptr);
}

// A program of additions, entered at each of its instructions in turn.
TEST(Native, StopsMakingCodeAtItsLimit) {
  Random random(3);
  const auto in = any_addition(random);
  ASSERT_TRUE(in && in->op == isa::Op::IADD3);
  const Ready ready(std::vector<Instruction>(20'000, *in));
  const auto runs = make_native(ready.lowered, native::VectorUnit::avx512);
  for (std::uint32_t i = 0; i < 20'000; ++i)
    for (unsigned visit = 0; visit < 300; ++visit) runs->visit(i);
  EXPECT_NE(runs->at(0).function(true), nullptr);
  EXPECT_EQ(runs->at(0).length, native::RunCompiler::kLongestRun);
  EXPECT_EQ(runs->at(19'999).function(true), nullptr);
  EXPECT_GE(runs->bytes(), native::Runs::kMostBytes / 2);
  EXPECT_LE(runs->bytes(), native::Runs::kMostBytes + (1 << 20));
}

}  // namespace
}  // namespace heddle::simulator
