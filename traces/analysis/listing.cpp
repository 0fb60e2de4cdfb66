#include "traces/analysis/listing.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "isa/decoder.hpp"
#include "simulator/base/display_names.hpp"
#include "simulator/execute/machine.hpp"

namespace heddle::traces {

Listing::Listing(const simulator::Module& module)
    : module_(module), lines_(module.program().instructions.size() + 1) {}

std::string Listing::Line::source() const {
  if (file.empty() || line == 0) return {};
  return fmt::format("{}:{}", std::filesystem::path(file).filename().string(), line);
}

const Listing::Line& Listing::at(std::uint32_t pc) {
  std::unique_ptr<const Line>& slot = lines_.at(pc);
  if (slot) return *slot;
  const isa::Program& program = module_.program();
  const std::uint64_t address = simulator::code_address_of_index(pc);
  Line line;
  if (const isa::CodeRange* range = program.range_at(address)) {
    line.function = module_.cubin().functions[range->function].name;
    line.offset = address - range->address;
  }
  if (const auto position = module_.position(address)) {
    line.file = position->file;
    line.line = position->line;
  }
  if (pc >= program.trap()) {
    line.text = "(past the end of the code)";
  } else if (program.instructions[pc]) {
    line.text = isa::print(*program.instructions[pc], line.offset);
    line.opcode = isa::print_opcode(*program.instructions[pc]);
  } else {
    line.text = fmt::format("0x{:016x} 0x{:016x}", program.words[pc].lo, program.words[pc].hi);
  }
  slot = std::make_unique<const Line>(std::move(line));
  return *slot;
}

std::string Listing::pc_text(std::uint32_t pc, const std::string& kernel) {
  const Line& line = at(pc);
  if (line.function == kernel) return fmt::format("{:04x}", line.offset);
  return fmt::format("{}+{:04x}", simulator::visible(simulator::base_name(line.function)),
                     line.offset);
}

}  // namespace heddle::traces
