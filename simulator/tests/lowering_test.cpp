// What is done when instructions are made ready, instead of each time they execute.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "isa/attributes.hpp"
#include "isa/decoder.hpp"
#include "isa/operands.hpp"
#include "simulator/execute/machine.hpp"
#include "simulator/lanes/float_environment.hpp"
#include "simulator/tests/watched_execution.hpp"

namespace heddle::simulator {
namespace {

using isa::Instruction;
using isa::Source;

// One instruction made ready by itself, and a warp that executes it.
class Ready {
 public:
  explicit Ready(const Instruction& in) {
    program_.arch = in.arch;
    program_.instructions = {in, std::nullopt};
    lowered_ = lower(program_);
    rows_.resize(kRowsPerWarp * kWarpSize);
  }
  const Step& step() const { return lowered_.steps[0]; }
  std::uint32_t* row(unsigned number) { return &rows_[number * kWarpSize]; }

  void execute(const ConstantBanks& constants, std::array<Mask, 17> predicates, Mask on) {
    std::vector<std::uint32_t> pool;
    for (const PoolRow& row : lowered_.pool)
      pool.insert(pool.end(), kWarpSize,
                  row.is_constant
                      ? static_cast<std::uint32_t>(constants.read(row.bank, row.value, 4))
                      : row.value);
    WarpState warp;
    warp.rows = rows_.data();
    warp.pool = pool.data();
    warp.predicates = predicates;
    const lanes::FloatEnvironment environment;
    step().lane(warp, step(), on | step().widen);
  }

 private:
  isa::Program program_;
  LoweredProgram lowered_;
  std::vector<std::uint32_t> rows_;
};

std::array<Mask, 17> any_predicates(std::mt19937_64& random) {
  std::array<Mask, 17> predicates;
  for (Mask& predicate : predicates) predicate = Mask(static_cast<std::uint32_t>(random()));
  predicates[kPT] = predicates[kUniformPredicates + kPT] = kFullMask;
  return predicates;
}

// As compilers write them: zero registers, and immediates of few bits or of many.
void make_known(Source& source, std::mt19937_64& random) {
  if (source.kind == Source::Kind::none) return;
  const bool zero = random() % 2 == 0;
  source.kind = zero ? Source::Kind::reg : Source::Kind::imm;
  source.index = isa::kRZ;
  const auto any = static_cast<std::uint32_t>(random());
  source.value = random() % 2 == 0 ? any : any & 0x3c007f80;
}

// The same numbers in registers of their own.
Instruction from_registers(Instruction in, Ready& ready) {
  unsigned index = 100;
  for (Source* const source : {&in.a, &in.b, &in.c}) {
    if (source->kind == Source::Kind::none) continue;
    const std::uint32_t value = source->kind == Source::Kind::imm ? source->value : 0;
    source->kind = Source::Kind::reg;
    source->index = static_cast<std::uint8_t>(index);
    std::fill_n(ready.row(index++), kWarpSize, value);
  }
  return in;
}

TEST(Lowering, ComputesBeforehandWhatRegistersWouldGive) {
  std::mt19937_64 random(1);
  unsigned moved = 0;
  for (const isa::Encoding* encoding : isa::all_encodings(isa::Arch::sm_90))
    for (unsigned i = 0; i < 200; ++i) {
      auto in = word_to_watch(isa::Arch::sm_90, *encoding, random);
      if (!in) continue;
      if (isa::facts(*in).work != isa::Work::multiply_add) break;
      if (isa::operand_widths(*in).destination != 1 || in->rd == isa::kRZ) break;
      for (Source* const source : {&in->a, &in->b, &in->c}) make_known(*source, random);
      Ready known(*in);
      Ready scratch(*in);
      Ready general(from_registers(*in, scratch));
      if (known.step().lane == nullptr) continue;
      for (unsigned row = 0; row < 200; ++row)
        std::copy_n(scratch.row(row), kWarpSize, general.row(row));
      const auto predicates = any_predicates(random);
      const Mask on = random() % 2 == 0 ? kFullMask : Mask(static_cast<std::uint32_t>(random()));
      known.execute({}, predicates, on);
      general.execute({}, predicates, on);
      EXPECT_TRUE(std::equal(known.row(in->rd), known.row(in->rd) + kWarpSize, general.row(in->rd)))
          << isa::print(*in, 0);
      moved += known.step().lane != general.step().lane;
    }
  EXPECT_GT(moved, 300u);
}

TEST(Lowering, LoadsConstantsBeforehandWhereTheyAreNamed) {
  std::mt19937_64 random(2);
  ConstantBanks constants;
  for (auto& bank : constants.banks) {
    bank.resize(200);
    for (std::byte& byte : bank) byte = static_cast<std::byte>(random());
  }
  unsigned loaded = 0;
  for (const isa::Arch arch : {isa::Arch::sm_90, isa::Arch::sm_100})
    for (const isa::Encoding* encoding : isa::all_encodings(arch))
      for (unsigned i = 0; i < 200; ++i) {
        auto in = word_to_watch(arch, *encoding, random);
        if (!in) continue;
        if (isa::memory_access(*in).space != isa::Space::constant) break;
        if (in->b.kind != Source::Kind::constant) break;
        if (in->a.kind != Source::Kind::none) in->a.index = isa::kRZ;
        in->b.index = static_cast<std::uint8_t>(random() % 6);
        in->b.value = static_cast<std::uint32_t>(random() % 60) * 4;  // beyond the bank too
        Ready ready(*in);
        const unsigned bytes = isa::access_bytes(*in);
        if (ready.step().lane == nullptr) {
          EXPECT_TRUE(bytes < 4 || in->mod(isa::Mod::ldc_mode) != 0) << isa::print(*in, 0);
          continue;
        }
        ++loaded;
        const Mask on = Mask(static_cast<std::uint32_t>(random())),
                   written = on | ready.step().widen;
        ready.execute(constants, any_predicates(random), on);
        const auto first = static_cast<unsigned>(ready.step().d) / kWarpSize;
        for (unsigned word = 0; word < bytes / 4; ++word)
          for (unsigned lane = 0; lane < kWarpSize; ++lane)
            EXPECT_EQ(
                ready.row(first + word)[lane],
                !written.has(lane) ? 0 : constants.read(in->b.index, in->b.value + 4 * word, 4));
      }
  EXPECT_GT(loaded, 100u);
}

// Rows that no instruction names are other warps' (simulator/execute/row_layout.hpp).
TEST(Lowering, NamesTheRegistersOfMetadataAndScales) {
  constexpr std::uint64_t kHighRegisters = std::uint64_t{0x78} << 40 | std::uint64_t{0x6e} << 52;
  for (const isa::Word word : {isa::Word{0x00b000080404747a, 0x000000000000000c},
                               isa::Word{0x00b000080404747f, 0x000000000005000c}}) {
    const auto in = isa::decode(isa::Arch::sm_120, {word.lo | kHighRegisters, word.hi});
    ASSERT_TRUE(in);
    EXPECT_GE(rows_named_by(*in).registers, 0x78u) << isa::print(*in, 0);
  }
}

}  // namespace
}  // namespace heddle::simulator
