// A cubin, placed and decoded, and the control flow of its first functions.
#include <algorithm>

#include "isa/control_flow.hpp"
#include "isa/fuzz/target.hpp"
#include "isa/program.hpp"

HEDDLE_FUZZ_TARGET(bytes) {
  using namespace heddle::isa;
  const Cubin cubin = parse_cubin(bytes, "fuzz");
  const Program program =
      place(cubin, {.section_address = [](std::uint32_t section) { return 0x700000000 + section; },
                    .external = [](std::string_view name) { return 0x800000000 + name.size(); }});
  for (const Kernel& kernel : cubin.kernels) program.range_at(program.entry(kernel));
  constexpr std::size_t kMostFunctions = 16;
  for (std::size_t i = 0; i < std::min(program.ranges.size(), kMostFunctions); ++i)
    control_flow(cubin, program, program.ranges[i]);
}
