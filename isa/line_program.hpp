// The line programs of a .debug_line section (DWARF 2 to 4), run to their rows.
//
// Why not libdw: nvcc's extension for inlined code (extended opcodes 0x90 and 0x91) names the row
// of the caller by its number within the sequence; libdw 0.188 takes it for a number within the
// whole table and finds the wrong line as soon as a cubin has two kernels (its answer for the
// second kernel of isa/tests/cubins/lines.cu is a line of the first).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/elf.hpp"

namespace heddle::isa {

struct LineRow {
  std::uint64_t base = 0;     // byte offset in .debug_line of the address this row counts from: a
                              // relocation there says which symbol that is
  std::uint64_t advance = 0;  // bytes from that address (with what stands in place of it)
  std::uint32_t file = 0;     // index into LineProgram::files
  std::uint32_t line = 0;
  std::uint32_t context = 0;  // the row of the call, 1 is the first of the sequence; 0: not inlined
  std::uint64_t function = 0;  // inlined code: its name's offset in .debug_str
  bool end = false;            // the sequence's last row: no code from here on
};

struct LineProgram {
  struct File {
    std::string_view directory, name;
  };
  std::vector<File> files;  // [0] is unnamed: numbers start at 1
  std::vector<std::vector<LineRow>> sequences;
};

// Throws CubinError.
std::vector<LineProgram> read_line_programs(const Bytes& debug_line);

}  // namespace heddle::isa
