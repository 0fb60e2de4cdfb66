#include "traces/analysis/listing.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "isa/decoder.hpp"
#include "simulator/base/code_address.hpp"
#include "simulator/base/display_names.hpp"

namespace heddle::traces {
namespace {

// Empty where the table is damaged: code without lines can be shown.
isa::LineTable line_table(const isa::Cubin& cubin, std::uint32_t section) {
  try {
    return isa::read_line_table(cubin, section);
  } catch (const isa::CubinError&) {
    return {};
  }
}

}  // namespace

Listing::Listing(const simulator::Module& module)
    : module_(module), lines_(module.program().instructions.size() + 1) {}

namespace {

std::string source_text(const std::string& file, std::uint32_t line) {
  if (file.empty() || line == 0) return {};
  return fmt::format("{}:{}", std::filesystem::path(file).filename().string(), line);
}

}  // namespace

std::string Listing::Line::source() const { return source_text(file, line); }

void Listing::put_source(Line& line, const isa::CodeRange& range, std::uint64_t address) {
  auto table = line_tables_.find(range.section);
  if (table == line_tables_.end())
    table = line_tables_.emplace(range.section, line_table(module_.cubin(), range.section)).first;
  const isa::LineEntry* entry = table->second.find(address - range.address + range.section_offset);
  if (entry == nullptr) return;
  line.file = entry->file;
  line.line = entry->line;
  for (std::uint32_t site = entry->inlined_at; site != 0;) {
    const isa::LineEntry& call = table->second.call_sites[site - 1];
    line.calls.push_back({std::string(call.file), call.line});
    site = call.inlined_at;
  }
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
    put_source(line, *range, address);
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

std::string Listing::place_text(std::uint32_t pc, const std::string& kernel) {
  const Line& line = at(pc);
  std::string source = line.source();
  if (source.empty()) return pc_text(pc, kernel);
  const std::string caller =
      line.calls.empty() ? "" : source_text(line.calls.back().file, line.calls.back().line);
  if (!caller.empty() && caller != source) source += ", called at " + caller;
  return fmt::format("{} ({})", source, pc_text(pc, kernel));
}

}  // namespace heddle::traces
