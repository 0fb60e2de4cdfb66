#include "simulator/launch/kernel_code.hpp"

namespace heddle::simulator {

std::vector<InstructionRange> code_of_kernel(const isa::Program& program, const isa::Cubin& cubin,
                                             std::uint64_t entry) {
  std::vector<InstructionRange> code;
  const isa::CodeRange* own = program.range_at(entry);
  for (const isa::CodeRange& range : program.ranges) {
    const bool is_other_kernel = cubin.functions[range.function].is_kernel &&
                                 (own == nullptr || range.section != own->section);
    if (is_other_kernel) continue;
    const auto first =
        static_cast<std::uint32_t>((range.address - isa::kCodeBase) / sizeof(isa::Word));
    const auto end = static_cast<std::uint32_t>(first + range.size / sizeof(isa::Word));
    if (code.empty() || end > code.back().end) code.push_back({first, end});
  }
  return code;
}

}  // namespace heddle::simulator
