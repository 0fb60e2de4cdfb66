// A module's instructions as text, with where they come from.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "isa/program.hpp"
#include "simulator/launch/launch.hpp"

namespace heddle::traces {

class Listing {
 public:
  // The module must outlive it.
  explicit Listing(const simulator::Module& module);

  struct Line {
    std::string text;      // as nvdisasm prints it; branch targets as byte offsets in the function
    std::string opcode;    // with its modifiers
    std::string function;  // mangled
    std::uint64_t offset = 0;  // bytes from the function's start
    std::string file;          // empty: no source line is known
    std::uint32_t line = 0;
    // Of inlined code: the calls that it is part of, the innermost first.
    struct Call {
      std::string file;
      std::uint32_t line = 0;
    };
    std::vector<Call> calls;
    // "file.cu:31", without folders; empty when unknown.
    std::string source() const;
  };
  // `pc`: index in Program::instructions, or one past the last. Made when first asked for.
  const Line& at(std::uint32_t pc);
  std::size_t size() const { return lines_.size() - 1; }  // as Program::instructions
  // "01a0" in the kernel, "helper(int)+01a0" elsewhere.
  std::string pc_text(std::uint32_t pc, const std::string& kernel);
  // "file.cu:31 (01a0)"; of inlined code also the line of the function that is not inlined:
  // "library.hpp:107, called at file.cu:31 (01a0)".
  std::string place_text(std::uint32_t pc, const std::string& kernel);

 private:
  void put_source(Line& line, const isa::CodeRange& range, std::uint64_t address);

  const simulator::Module& module_;
  std::map<std::uint32_t, isa::LineTable> line_tables_;  // by text section
  std::vector<std::unique_ptr<const Line>> lines_;
};

}  // namespace heddle::traces
