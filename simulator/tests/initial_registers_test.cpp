// Which registers a kernel may read before it writes them.
#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "isa/decoder.hpp"
#include "simulator/launch/initial_registers.hpp"

namespace heddle::simulator {
namespace {

using isa::Instruction;

Instruction decoded(isa::Word word) { return *isa::decode(isa::Arch::sm_90, word); }

// Executed by threads whose P0 holds, or by all.
enum class If : std::uint64_t { p0 = 0, always = 7 };
constexpr std::uint64_t guarded(std::uint64_t opcode, If when) {
  return opcode | static_cast<std::uint64_t>(when) << 12;
}
Instruction mov(std::uint64_t to, std::uint64_t from, If when = If::always) {
  return decoded({.lo = guarded(0x202, when) | to << 16 | from << 32, .hi = 0x000f'ca00'0000'0f00});
}
// SHFL.BFLY with the next lane.
Instruction shfl(std::uint64_t to, std::uint64_t from) {
  return decoded(
      {.lo = 0x0c20'1f00'0000'7f89 | to << 16 | from << 24, .hi = 0x000e'2400'000e'0000});
}
Instruction exit(If when = If::always) {
  return decoded({.lo = guarded(0x94d, when), .hi = 0x000f'ea00'0380'0000});
}
// `far`: instructions from the one behind it.
Instruction branch(std::int64_t far, If when = If::always) {
  Instruction in = decoded({.lo = guarded(0x947, when), .hi = 0x000f'ea00'0380'0000});
  in.offset = far * static_cast<std::int64_t>(sizeof(isa::Word));
  return in;
}
Instruction call() { return decoded({.lo = 0x7944, .hi = 0x000f'ea00'03c0'0000}); }

std::optional<RegisterSet> read_first(std::initializer_list<Instruction> code) {
  isa::Program program;
  program.arch = isa::Arch::sm_90;
  program.instructions.assign(code.begin(), code.end());
  const auto end = static_cast<std::uint32_t>(code.size());
  program.instructions.emplace_back();
  return registers_read_first(program, {0, end}, 0);
}

std::optional<RegisterSet> only(std::initializer_list<std::size_t> registers) {
  RegisterSet set;
  for (const std::size_t each : registers) set.vector.set(each);
  return set;
}

TEST(RegistersReadFirst, AreNotThoseWrittenBefore) {
  EXPECT_EQ(read_first({mov(1, 2), mov(3, 1), exit()}), only({2}));
}

TEST(RegistersReadFirst, AreThoseThatSomeThreadsDoNotWrite) {
  EXPECT_EQ(read_first({mov(1, 2, If::p0), mov(3, 1), exit()}), only({1, 2}));
}

TEST(RegistersReadFirst, AreThoseThatOnePathDoesNotWrite) {
  EXPECT_EQ(read_first({branch(1, If::p0), mov(1, 2), mov(3, 1), exit()}), only({1, 2}));
  EXPECT_EQ(read_first({branch(2, If::p0), mov(1, 2), branch(1), mov(1, 2), mov(3, 1), exit()}),
            only({2}));
}

TEST(RegistersReadFirst, AreFoundInLoops) {
  EXPECT_EQ(read_first({mov(4, 1), mov(1, 2), branch(-3, If::p0), exit()}), only({1, 2}));
  EXPECT_EQ(read_first({mov(1, 2), mov(4, 1), branch(-2), exit()}), only({2}));
}

TEST(RegistersReadFirst, AreNotThoseOfCodeThatNoThreadComesTo) {
  EXPECT_EQ(read_first({branch(1), mov(1, 2), exit(), mov(3, 4)}), only({}));
}

// A thread that has left may not have written its own.
TEST(RegistersReadFirst, AreAllThatMayBeReadOfOtherThreads) {
  EXPECT_EQ(read_first({mov(5, 2), shfl(6, 5), mov(7, 6), exit()}), only({2, 5}));
}

TEST(RegistersReadFirst, AreNotKnownOfCodeThatGoesElsewhere) {
  EXPECT_EQ(read_first({call(), exit()}), std::nullopt);
  EXPECT_EQ(read_first({branch(7)}), std::nullopt);
  EXPECT_EQ(read_first({exit(If::p0), mov(1, 2)}), std::nullopt);
  EXPECT_NE(read_first({exit(), call()}), std::nullopt);
}

}  // namespace
}  // namespace heddle::simulator
