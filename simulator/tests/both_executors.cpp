#include "simulator/tests/both_executors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>

#include "simulator/execute/native_program.hpp"
#include "simulator/lanes/float_environment.hpp"
#include "simulator/native/code_memory.hpp"
#include "simulator/native/run_compiler.hpp"

namespace heddle::simulator {
namespace {

// A warp, and the threads that were off at each instruction, below zero.
struct State {
  std::vector<std::uint32_t> rows = std::vector<std::uint32_t>(kRowsPerWarp * kWarpSize);
  std::array<Mask, 17> predicates{};
  std::vector<std::uint64_t> threads_on;

  State(std::uint32_t length, const NextWord& next) : threads_on(length) {
    for (unsigned row = 0; row < kRowsPerWarp; ++row) {
      const std::uint32_t first = next();
      for (unsigned i = 0; i < kWarpSize; ++i)
        rows[row * kWarpSize + i] = row >= kUniformRow || i == 0 ? first : next();
    }
    for (unsigned i = 0; i < predicates.size(); ++i) {
      const std::uint32_t bits = next();
      predicates[i] = i < kUniformPredicates         ? Mask(bits)
                      : std::popcount(bits) % 2 == 0 ? kFullMask
                                                     : Mask();
    }
    predicates[kPT] = predicates[kUniformPredicates + kPT] = kFullMask;
  }
  WarpState warp(const std::vector<std::uint32_t>& pool) {
    WarpState warp;
    warp.rows = rows.data();
    warp.pool = pool.data();
    warp.predicates = predicates;
    return warp;
  }
  void take_predicates(const WarpState& warp) {
    predicates = warp.predicates;
    predicates[kDiscardedPredicate] = Mask();  // which nobody reads
  }
};

void interpret(const LoweredProgram& program, const std::vector<std::uint32_t>& pool,
               std::uint32_t first, Mask active, State& state) {
  WarpState warp = state.warp(pool);
  for (std::size_t i = 0; i < state.threads_on.size(); ++i) {
    const Step& step = program.steps[first + i];
    const Mask on = active & warp.predicate(step.guard);
    state.threads_on[i] -= (active & ~on).count();
    if (on.any()) step.lane(warp, step, on | step.widen);
  }
  state.take_predicates(warp);
}

void execute_natively(native::VectorUnit unit, const LoweredProgram& program,
                      const std::vector<std::uint32_t>& pool, std::uint32_t first, Mask active,
                      State& state) {
  static std::vector<std::uint8_t> memory(native::RunCompiler::kMostBytes);
  std::vector<native::RunOp> run;
  for (std::uint32_t i = 0; i < state.threads_on.size(); ++i)
    run.push_back({&program.steps[first + i], {0, 8 * i}});
  const native::KnownWord known = known_words(program);
  const native::RunCompiler compiler(unit, run, known, active == kFullMask, true, memory.data());
  if (!compiler.complete()) throw std::logic_error("more registers than there are");
  const native::CodeMemory code(compiler.code(), first);
  const auto function =
      reinterpret_cast<native::Function>(reinterpret_cast<std::uintptr_t>(code.entry()));
  WarpState warp = state.warp(pool);
  const void* const pages[] = {state.threads_on.data()};
  function(&warp, active.bits(), pages);
  state.take_predicates(warp);
}

template <typename Values>
std::string first_difference(const char* what, const Values& expected, const Values& got) {
  const auto [at, other] = std::ranges::mismatch(expected, got);
  if (at == expected.end()) return {};
  return fmt::format("{} {}", what, at - expected.begin());
}

}  // namespace

std::vector<std::uint32_t> any_pool(const LoweredProgram& program, const NextWord& next) {
  std::vector<std::uint32_t> pool;
  for (const PoolRow& row : program.pool)
    pool.insert(pool.end(), kWarpSize, row.is_constant ? next() : row.value);
  return pool;
}

std::string difference(native::VectorUnit unit, const LoweredProgram& program,
                       const std::vector<std::uint32_t>& pool, std::uint32_t first,
                       std::uint32_t length, Mask active, const NextWord& next) {
  const lanes::FloatEnvironment environment;
  State expected(length, next), got = expected;
  interpret(program, pool, first, active, expected);
  execute_natively(unit, program, pool, first, active, got);
  for (std::string text : {first_difference("word", expected.rows, got.rows),
                           first_difference("predicate", expected.predicates, got.predicates),
                           first_difference("count", expected.threads_on, got.threads_on)})
    if (!text.empty()) return text;
  return {};
}

}  // namespace heddle::simulator
