#include "simulator/launch/kernel_code.hpp"

namespace heddle::simulator {

std::vector<InstructionRange> code_of_kernel(const isa::Program& program, const CallGraph& calls,
                                             std::uint64_t entry) {
  std::vector<InstructionRange> code;
  for (const std::size_t function : calls.reached_by_kernel(entry)) {
    const isa::CodeRange& range = program.ranges[function];
    const auto first =
        static_cast<std::uint32_t>((range.address - isa::kCodeBase) / sizeof(isa::Word));
    const auto end = static_cast<std::uint32_t>(first + range.size / sizeof(isa::Word));
    if (code.empty() || end > code.back().end) code.push_back({first, end});
  }
  return code;
}

}  // namespace heddle::simulator
