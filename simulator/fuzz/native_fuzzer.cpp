// A cubin's runs of instructions, executed by native code and by lane functions.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "isa/fuzz/target.hpp"
#include "isa/program.hpp"
#include "simulator/native/runs.hpp"
#include "simulator/tests/both_executors.hpp"

namespace {

using namespace heddle;
using namespace heddle::simulator;

// Runs begin anywhere in a program: it is cut into pieces of different lengths.
void compare_runs(const LoweredProgram& program) {
  constexpr std::uint32_t kMostRuns = 64;
  std::uint32_t seed = 1;
  const NextWord next = [&] { return seed = seed * 1664525 + 1013904223; };
  const std::vector<std::uint32_t> pool = any_pool(program, next);
  std::uint32_t runs = 0;
  for (std::uint32_t first = 0; first < program.steps.size() && runs < kMostRuns; ++first) {
    const std::uint32_t most = 1 + next() % 40;
    std::uint32_t length = 0;
    while (length < most && program.steps[first + length].lane != nullptr) ++length;
    if (length == 0) continue;
    const Mask active = next() % 2 == 0 ? kFullMask : Mask(next() | 1u);
    for (const native::VectorUnit unit : {native::VectorUnit::avx2, native::VectorUnit::avx512}) {
      if (!native::is_supported(unit)) continue;
      const std::string differs = difference(unit, program, pool, first, length, active, next);
      if (differs.empty()) continue;
      std::fprintf(stderr, "from instruction %u: %s\n", first, differs.c_str());
      std::abort();
    }
    first += length;
    ++runs;
  }
}

}  // namespace

HEDDLE_FUZZ_TARGET(bytes) {
  const isa::Cubin cubin = isa::parse_cubin(bytes, "fuzz");
  const isa::Program program = isa::place(
      cubin, {.section_address = [](std::uint32_t section) { return 0x700000000 + section; },
              .external = [](std::string_view name) { return 0x800000000 + name.size(); }});
  compare_runs(lower(program));
}
