#include "isa/line_program.hpp"

#include <fmt/format.h>

#include "isa/cursor.hpp"

namespace heddle::isa {
namespace {

struct Header {
  std::uint64_t end = 0;      // of the whole program
  std::uint64_t program = 0;  // where its opcodes begin
  std::uint8_t minimum_length = 1;
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;
  std::uint8_t opcode_base = 1;
  std::vector<std::uint8_t> operands;  // of the standard opcodes; [0] is unused
};

Header read_header(const Bytes& section, Cursor& cursor) {
  Header header;
  const std::uint64_t start = cursor.position();
  const auto length = cursor.read<std::uint32_t>("a line program's length");
  section.slice(cursor.position(), length, "a line program");
  header.end = cursor.position() + length;
  const auto version = cursor.read<std::uint16_t>("its version");
  if (version < 2 || version > 4)
    section.fail(start, fmt::format("a line table of DWARF version {}, expected 2 to 4", version));
  const auto prologue = cursor.read<std::uint32_t>("its header's length");
  header.program = cursor.position() + prologue;
  if (header.program > header.end)
    section.fail(
        start, fmt::format("a line table's header of {} bytes is longer than the table", prologue));
  header.minimum_length = cursor.read<std::uint8_t>("the minimum instruction length");
  if (version >= 4) cursor.read<std::uint8_t>("operations per instruction");
  cursor.read<std::uint8_t>("the default of is_stmt");
  header.line_base = cursor.read<std::int8_t>("the line base");
  header.line_range = cursor.read<std::uint8_t>("the line range");
  header.opcode_base = cursor.read<std::uint8_t>("the opcode base");
  if (header.line_range == 0 || header.opcode_base == 0)
    section.fail(start, "a line table whose line range or opcode base is zero");
  header.operands.push_back(0);
  for (unsigned opcode = 1; opcode < header.opcode_base; ++opcode)
    header.operands.push_back(cursor.read<std::uint8_t>("an opcode's operand count"));
  return header;
}

void read_files(Cursor& cursor, LineProgram& program) {
  std::vector<std::string_view> directories{""};
  for (std::string_view name; !(name = cursor.text("a directory")).empty();)
    directories.push_back(name);
  program.files.push_back({});
  for (std::string_view name; !(name = cursor.text("a file name")).empty();) {
    const std::uint64_t directory = cursor.uleb();
    cursor.uleb();  // time
    cursor.uleb();  // size
    program.files.push_back(
        {directory < directories.size() ? directories[directory] : std::string_view{}, name});
  }
}

// The state machine of DWARF 4, section 6.2; what only debuggers need (columns, statements) is
// read and forgotten.
class Machine {
 public:
  Machine(const Bytes& section, const Header& header, Cursor& cursor, LineProgram& program)
      : section_(section), header_(header), cursor_(cursor), program_(program) {}

  void run() {
    cursor_.skip_to(header_.program);
    while (cursor_.position() < header_.end) {
      const auto opcode = cursor_.read<std::uint8_t>("an opcode");
      if (opcode >= header_.opcode_base)
        special(opcode);
      else if (opcode == 0)
        extended();
      else
        standard(opcode);
    }
    cursor_.skip_to(header_.end);
  }

 private:
  void special(std::uint8_t opcode) {
    const unsigned adjusted = opcode - header_.opcode_base;
    row_.advance += adjusted / header_.line_range * header_.minimum_length;
    row_.line += static_cast<std::uint32_t>(header_.line_base +
                                            static_cast<int>(adjusted % header_.line_range));
    rows_.push_back(row_);
  }

  void standard(std::uint8_t opcode) {
    switch (opcode) {
      case 1:
        rows_.push_back(row_);
        break;  // copy
      case 2:
        row_.advance += cursor_.uleb() * header_.minimum_length;
        break;  // advance_pc
      case 3:
        row_.line += static_cast<std::uint32_t>(cursor_.sleb());
        break;  // advance_line
      case 4:
        set_file(cursor_.uleb());
        break;  // set_file
      case 8:   // const_add_pc
        row_.advance += (255u - header_.opcode_base) / header_.line_range * header_.minimum_length;
        break;
      case 9:
        row_.advance += cursor_.read<std::uint16_t>("an advance");
        break;  // fixed_advance_pc
      default:
        for (unsigned i = 0; i < header_.operands[opcode]; ++i) cursor_.uleb();
    }
  }

  void extended() {
    const std::uint64_t length = cursor_.uleb();
    const std::uint64_t start = cursor_.position();
    if (length == 0) return;
    section_.slice(start, length, "an extended opcode");
    switch (cursor_.read<std::uint8_t>("an extended opcode")) {
      case 0x01:
        end_sequence();
        break;
      case 0x02:  // set_address
        if (length != 9) section_.fail(start, fmt::format("an address of {} bytes", length - 1));
        row_.base = cursor_.position();
        row_.advance = cursor_.read<std::uint64_t>("an address");
        break;
      case 0x90:  // NVIDIA: inlined call
        row_.context = static_cast<std::uint32_t>(cursor_.uleb());
        row_.function = cursor_.uleb();
        break;
      case 0x91:
        row_.function = cursor_.uleb();
        break;  // NVIDIA: function name
      default:
        break;
    }
    cursor_.skip_to(start + length);
  }

  void set_file(std::uint64_t number) {
    row_.file = number < program_.files.size() ? static_cast<std::uint32_t>(number) : 0;
  }

  void end_sequence() {
    row_.end = true;
    rows_.push_back(row_);
    program_.sequences.push_back(std::move(rows_));
    rows_.clear();
    row_ = first_row();
  }

  static LineRow first_row() { return {.file = 1, .line = 1}; }

  const Bytes& section_;
  const Header& header_;
  Cursor& cursor_;
  LineProgram& program_;
  LineRow row_ = first_row();
  std::vector<LineRow> rows_;
};

}  // namespace

std::vector<LineProgram> read_line_programs(const Bytes& debug_line) {
  std::vector<LineProgram> programs;
  for (Cursor cursor(debug_line, 0); cursor.position() < debug_line.size();) {
    const Header header = read_header(debug_line, cursor);
    LineProgram& program = programs.emplace_back();
    read_files(cursor, program);
    Machine(debug_line, header, cursor, program).run();
  }
  return programs;
}

}  // namespace heddle::isa
