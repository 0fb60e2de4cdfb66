#include "simulator/launch/code_place.hpp"

#include <fmt/format.h>

#include "isa/decoder.hpp"
#include "simulator/base/code_address.hpp"

namespace heddle::simulator {

CodePlace code_place(const Module& module, std::uint32_t index) {
  CodePlace place;
  const std::uint64_t address = code_address_of_index(index);
  const isa::Program& program = module.program();
  if (const isa::CodeRange* range = program.range_at(address)) {
    place.pc = address - range->address;
    place.function = module.cubin().functions[range->function].name;
  } else {
    place.pc = address;
  }
  if (const auto position = module.position(address); position && position->line != 0) {
    place.line = fmt::format("{}:{}", position->file, position->line);
    for (const Module::Position::Call& call : position->calls)
      if (call.line != 0) place.calls.push_back(fmt::format("{}:{}", call.file, call.line));
  }
  if (index < program.trap() && program.instructions[index]) {
    place.instruction = isa::print(*program.instructions[index], place.pc);
  } else if (index >= program.trap()) {
    place.instruction = "(past the end of the code)";
  } else {
    const isa::Word& word = program.words[index];
    place.instruction = fmt::format("0x{:016x} 0x{:016x}", word.lo, word.hi);
  }
  return place;
}

}  // namespace heddle::simulator
