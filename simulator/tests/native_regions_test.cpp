// Native code of regions against lane functions: random programs that branch, diverge and access
// memory, each executed by both, a block of two warps at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "isa/attributes.hpp"
#include "isa/decoder.hpp"
#include "isa/encoding.hpp"
#include "isa/operands.hpp"
#include "simulator/device/device.hpp"
#include "simulator/execute/coverage.hpp"
#include "simulator/execute/machine.hpp"
#include "simulator/execute/native_program.hpp"
#include "simulator/lanes/float_environment.hpp"
#include "simulator/launch/conflicts.hpp"
#include "simulator/native/region_compiler.hpp"
#include "simulator/native/runs.hpp"
#include "simulator/run/prepared_launch.hpp"
#include "simulator/tests/any_instruction.hpp"
#include "simulator/tests/compiled_kernels.hpp"

namespace heddle::simulator {
namespace {

using isa::Op;

constexpr std::size_t kData = 8192, kShared = 2048;
constexpr unsigned kWarps = 2;
// Pairs of registers that hold addresses, of global and of shared memory: of a row, of one place,
// of places anywhere in it, of rows that may lie outside, of anything. (Others write to the
// registers below.)
constexpr unsigned kAddresses = 40, kKinds = 5, kUniformBase = 40;

struct Instructions {
  std::vector<Instruction> computing, accessing, branches, barriers, exits;
};

Instructions draw_instructions(Random& random) {
  Instructions drawn;
  for (const isa::Encoding* encoding : isa::all_encodings(isa::Arch::sm_90))
    for (unsigned i = 0; i < 24; ++i) {
      const auto in = any_instruction(isa::Arch::sm_90, *encoding, random);
      if (!in || !executes(*in)) continue;
      const bool always = in->pp.index == isa::kPT && !in->pp.negated;
      switch (in->op) {
        case Op::LDG:
        case Op::STG:
        case Op::LDS:
        case Op::STS:
        case Op::ATOMS:
        case Op::RED:
          // Where addresses are registers alone.
          if (in->mod(isa::Mod::stride) == 0 &&
              (isa::memory_access(*in).space == isa::Space::shared ||
               isa::operand_widths(*in).a == 2))
            drawn.accessing.push_back(*in);
          break;
        case Op::BRA:
          if (in->mod(isa::Mod::cond) < 2) drawn.branches.push_back(*in);
          break;
        case Op::BSSY:
        case Op::BSYNC:
          if (always) drawn.barriers.push_back(*in);
          break;
        case Op::EXIT:
          drawn.exits.push_back(*in);
          break;
        case Op::IADD3:
        case Op::IMAD:
        case Op::ISETP:
        case Op::LOP3:
        case Op::SHF:
        case Op::SEL:
        case Op::FADD:
        case Op::FFMA:
        case Op::R2UR:
        case Op::VOTE:
        case Op::SHFL:
          drawn.computing.push_back(*in);
          break;
        default:
          break;
      }
    }
  return drawn;
}

// A row, or pieces that lie further apart.
unsigned row_of(const Instruction& in, Random& random) {
  const unsigned bytes = isa::access_bytes(in);
  const unsigned row = bytes <= 4 ? 2 : bytes == 8 ? 3 : 4;
  return random() % 2 == 0 ? row : row + static_cast<unsigned>(random() % (5 - row));
}

std::vector<Instruction> draw_program(const Instructions& from, Random& random) {
  // Some are longer than a region.
  std::vector<Instruction> program(random() % 30 == 0 ? 700 : 20 + random() % 100);
  const auto any = [&](const std::vector<Instruction>& of) { return of[random() % of.size()]; };
  const bool hostile = random() % 4 == 0;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto kind = static_cast<unsigned>(random() % 20);
    Instruction& in = program[i];
    if (kind < 8) {
      in = any(from.computing);
    } else if (kind < 15) {
      in = any(from.accessing);
      const bool in_global = in.op == Op::LDG || in.op == Op::STG || in.op == Op::RED;
      const auto places = static_cast<unsigned>(hostile && random() % 2 == 0 ? random() % kKinds
                                                : random() % 2 == 0          ? random() % 2
                                                                             : row_of(in, random));
      if (in.a.kind == Source::Kind::reg)
        in.a.index =
            static_cast<std::uint8_t>(kAddresses + 2 * (places + (in_global ? 0 : kKinds)));
      if (in.ur != isa::kURZ) in.ur = kUniformBase;
      in.offset = static_cast<std::int64_t>(16 * (random() % 8));
      if (hostile && random() % 4 == 0) in.offset = static_cast<std::int64_t>(random() % 9000);
    } else if (kind < 18) {
      in = any(from.branches);
      const auto target = static_cast<std::int64_t>(random() % program.size());
      in.offset = 16 * (target - static_cast<std::int64_t>(i) - 1);
    } else if (kind == 18) {
      in = any(from.barriers);
      in.barrier = static_cast<std::uint8_t>(random() % 2);
    } else {
      in = any(random() % 8 == 0 ? from.exits : from.computing);
    }
  }
  program.back() = from.exits.front();
  program.back().guard = program.back().pp = {};
  return program;
}

// Who is told of each use, as nobody notes any by himself.
class Told final : public AccessLog {
 public:
  explicit Told(AccessLog& log) : log_(log) {}
  bool read(std::uint64_t at, unsigned bytes) override { return log_.read(at, bytes); }
  bool write(std::uint64_t at, unsigned bytes) override { return log_.write(at, bytes); }
  bool read_all(std::uint64_t at, std::uint64_t bytes) override { return log_.read_all(at, bytes); }
  bool reduce(std::uint64_t at, unsigned bytes, unsigned operation) override {
    return log_.reduce_apart(at, bytes, operation);
  }
  bool communicate(std::uint64_t at) override { return log_.communicate(at); }

 private:
  AccessLog& log_;
};

class NativeRegions : public testing::TestWithParam<native::VectorUnit> {
 protected:
  struct Outcome {
    Core::Turn turn{};
    std::uint64_t issued = 0;
    std::vector<std::uint32_t> rows;
    std::vector<Mask> predicates, lanes;
    std::vector<std::uint32_t> pcs;
    std::vector<std::byte> memory;
    std::vector<std::pair<std::uint32_t, std::array<std::byte, sizeof(InstructionCounts)>>> counts;
    std::string fault;
    std::vector<std::uint64_t> uses;  // of memory, by row, where they are logged
    friend bool operator==(const Outcome&, const Outcome&) = default;
  };

  NativeRegions() {
    request_.module = &module_;
    request_.kernel = module_.cubin().find_kernel("stream");
    request_.grid = {1, 1, 1};
    request_.block = {kWarps * kWarpSize, 1, 1};
    request_.parameters.resize(4 * sizeof(std::uint64_t));
    request_.dynamic_shared_bytes = kShared;
    data_ = *device_.memory().allocate(kData, "data");
  }

  // As every register of an address has it that is not to be written.
  void put_addresses(Warp& warp, Random& random) const {
    const std::uint64_t beside = data_ + kData - 64;
    for (const bool in_global : {true, false})
      for (unsigned kind = 0; kind < kKinds; ++kind) {
        const std::uint64_t first = in_global ? data_ : 0, size = in_global ? kData : kShared;
        const std::uint64_t row = first + 16 * (random() % 32);
        // Some lanes' pieces have sectors of their own, in which they may lie anywhere.
        const bool apart = kind == 4 && random() % 4 == 0;
        const std::uint64_t step = apart ? in_global ? 64 : 32 : std::uint64_t{1} << kind;
        std::uint32_t* const low =
            warp.rows + (kAddresses + 2 * (kind + (in_global ? 0 : kKinds))) * kWarpSize;
        for (unsigned lane = 0; lane < kWarpSize; ++lane) {
          const std::uint64_t at = kind == 0   ? row
                                   : kind == 1 ? first + 16 * (random() % (size / 32))
                                   : kind < 5  ? row + step * lane
                                   : kind == 5 ? (in_global ? beside : size - 64) + 4 * lane
                                               : random() >> random() % 64;
          low[lane] = static_cast<std::uint32_t>(at);
          low[kWarpSize + lane] = static_cast<std::uint32_t>(at >> 32);
        }
      }
    std::fill_n(warp.rows + (kUniformRow + kUniformBase) * kWarpSize, 2 * kWarpSize, 0u);
  }

  // `logged`: for the other threads of the launch. By native code itself, where it can; else each
  // use is told.
  Outcome execute(const PreparedLaunch& prepared, LoweredProgram& program, bool natively,
                  bool logged, std::uint64_t seed, std::uint64_t quantum) {
    LaunchOptions options;
    options.settings.interpret = !natively;
    LaunchContext context = prepared.context();
    context.options = &options;
    context.program = &program;
    context.entry = 0;
    Random random(seed);
    auto pool = std::make_shared<RowStorage>(program.pool.size() * kWarpSize);
    for (std::size_t i = 0; i < program.pool.size(); ++i)
      std::fill_n(pool->data() + i * kWarpSize, kWarpSize,
                  program.pool[i].is_constant ? any_word(random) : program.pool[i].value);
    context.pool = pool;
    std::byte* const data = device_.memory().view(data_, kData);
    for (std::size_t i = 0; i < kData; ++i) data[i] = static_cast<std::byte>(random());
    ConflictTracker tracker(device_.memory(), true);
    ConflictTracker::Log log(tracker, 0);
    Told told(log);
    for (std::uint64_t at = 0; at < kData; at += ConflictTracker::kPieceBytes)
      log.read(data_ + at, 4);
    Core core(context);
    if (logged) core.tell(natively ? &log : static_cast<AccessLog*>(&told));
    core.instruction_limit = quantum;
    core.shows_registers = true;
    Block block;
    core.start_block(block, 0);
    for (Warp& warp : block.warps) {
      for (unsigned i = 0; i < kAddresses * kWarpSize; ++i) warp.rows[i] = any_word(random);
      for (unsigned i = 0; i < kPT; ++i) warp.predicates[i] = Mask(any_word(random));
      put_addresses(warp, random);
    }
    const lanes::FloatEnvironment environment;
    Outcome outcome;
    outcome.turn = core.run_block(block, quantum, 1 + random() % 300);
    outcome.issued = core.issued;
    for (const Warp& warp : block.warps) {
      outcome.rows.insert(outcome.rows.end(), warp.rows, warp.rows + kDiscardRow * kWarpSize);
      outcome.rows.insert(outcome.rows.end(), warp.rows + kUniformRow * kWarpSize,
                          warp.rows + (kUniformRow + isa::kUniformRegisters) * kWarpSize);
      outcome.predicates.insert(outcome.predicates.end(), warp.predicates.begin(),
                                warp.predicates.begin() + kDiscardedPredicate);
      for (const Group& group : warp.convergence->groups()) {
        outcome.lanes.push_back(group.lanes);
        outcome.pcs.push_back(group.pc);
      }
    }
    if (core.fault) outcome.fault = core.fault->message();
    const std::uint64_t* const uses = log.notes_of(data_).uses;
    if (outcome.fault.empty())  // else of the access that failed some lanes' may be noted
      outcome.uses.assign(uses, uses + kData / ConflictTracker::kRowBytes);
    log.merge();
    outcome.memory.assign(data, data + kData);
    outcome.memory.insert(outcome.memory.end(), block.shared.begin(), block.shared.end());
    const LaunchCounts counts = core.counts.take();
    for (const LaunchCounts::Entry& entry : counts) {
      outcome.counts.emplace_back(entry.pc, std::array<std::byte, sizeof entry.counts>{});
      std::memcpy(outcome.counts.back().second.data(), &entry.counts, sizeof entry.counts);
    }
    return outcome;
  }

  Device device_{gpu_model("h200")};
  Module module_{compiled_kernels("simulator/benchmarks/kernels/kernels.sm_90.cubin"),
                 "kernels.cubin", device_.memory()};
  LaunchRequest request_;
  LaunchOptions options_;
  std::uint64_t data_ = 0;
};

// Its code is made before it executes.
void make_code(LoweredProgram& program, native::VectorUnit unit) {
  program.native = make_native(program, unit);
  constexpr unsigned kMoreThanOften = 200;
  for (const bool full : {true, false})
    for (unsigned i = 0; i < kMoreThanOften; ++i) program.native->visit_place(0, full);
}

INSTANTIATE_TEST_SUITE_P(Units, NativeRegions,
                         testing::Values(native::VectorUnit::avx2, native::VectorUnit::avx512));

TEST_P(NativeRegions, DoWhatLaneFunctionsDo) {
  if (!native::is_supported(GetParam())) GTEST_SKIP() << "not on this processor";
  Random random(7);
  const Instructions from = draw_instructions(random);
  const PreparedLaunch prepared(device_.model(), device_.memory(), {1 << 10, 1 << 20}, request_,
                                options_);
  std::size_t faults = 0, finished = 0;
  for (unsigned i = 0; i < 1500; ++i) {
    isa::Program program;
    program.arch = isa::Arch::sm_90;
    std::string text;
    for (const Instruction& in : draw_program(from, random)) {
      program.instructions.emplace_back(in);
      text += std::to_string(program.instructions.size() - 1) + ": " + isa::print(in, 0) + "\n";
    }
    program.instructions.emplace_back();
    LoweredProgram lowered = lower(program);
    make_code(lowered, GetParam());
    ASSERT_NE(lowered.native->place(0, true), nullptr);
    const std::uint64_t seed = random(), quantum = 1 + random() % 5000;
    const bool logged = i % 2 != 0;
    const Outcome expected = execute(prepared, lowered, false, logged, seed, quantum);
    const Outcome got = execute(prepared, lowered, true, logged, seed, quantum);
    ASSERT_EQ(expected.fault, got.fault) << text;
    ASSERT_EQ(expected.issued, got.issued) << text;
    ASSERT_EQ(expected.turn, got.turn) << text;
    ASSERT_EQ(expected.pcs, got.pcs) << text;
    ASSERT_TRUE(expected.lanes == got.lanes) << text;
    ASSERT_TRUE(expected.predicates == got.predicates) << text;
    const auto [row, other] = std::ranges::mismatch(expected.rows, got.rows);
    ASSERT_EQ(row, expected.rows.end()) << (row - expected.rows.begin()) / kWarpSize << "\n"
                                        << text;
    ASSERT_TRUE(expected.memory == got.memory) << text;
    ASSERT_EQ(expected.uses, got.uses) << text;
    const auto [count, another] = std::ranges::mismatch(expected.counts, got.counts);
    ASSERT_EQ(count - expected.counts.begin(), expected.counts.size())
        << (count == expected.counts.end() ? 0 : count->first) << "\n"
        << text;
    ASSERT_TRUE(expected == got) << text;
    faults += !expected.fault.empty();
    finished += expected.turn == Core::Turn::finished;
  }
  // It is a mixture of all.
  EXPECT_GT(faults, 100u);
  EXPECT_GT(finished, 100u);
  EXPECT_LT(faults + finished, 1200u);
}

// Accesses by all lanes make most code.
TEST_P(NativeRegions, StopMakingCodeAtTheLimit) {
  Random random(9);
  const Instructions from = draw_instructions(random);
  constexpr std::uint32_t kLength = 220'000;
  isa::Program program;
  program.arch = isa::Arch::sm_90;
  for (std::uint32_t i = 0; i < kLength; ++i)
    program.instructions.emplace_back(from.accessing[random() % from.accessing.size()]);
  program.instructions.emplace_back();
  const LoweredProgram lowered = lower(program);
  const auto runs = make_native(lowered, GetParam());
  for (std::uint32_t i = 0; i < kLength; i += native::RegionCompiler::kLongest)
    for (const bool full : {true, false})
      for (unsigned visit = 0; visit < 200; ++visit) runs->visit_place(i, full);
  EXPECT_NE(runs->place(0, true), nullptr);
  EXPECT_NE(runs->place(0, false), nullptr);
  EXPECT_EQ(runs->place(kLength - 1, true), nullptr);
  EXPECT_GE(runs->bytes(), native::Runs::kMostBytes / 2);
  EXPECT_LE(runs->bytes(), native::Runs::kMostBytes);
}

}  // namespace
}  // namespace heddle::simulator
