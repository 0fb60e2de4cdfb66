#include "traces/formats/accelsim_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "simulator/base/file.hpp"

namespace heddle::traces {
namespace {

using simulator::Dim3;
using simulator::Mask;

// Longest line: 32 addresses of 20 characters and what stands before them.
constexpr std::size_t kMostCharacters = 4096;

// Lines with their numbers, for messages.
class Lines {
 public:
  Lines(std::string_view text, const std::string& origin, std::uint64_t number = 0)
      : rest_(text), size_(text.size()), origin_(origin), number_(number) {}
  bool next(std::string_view& line) {
    ++number_;
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.size() > kMostCharacters) fail("a line is too long");
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return true;
  }
  // The next that is not blank.
  bool next_text(std::string_view& line) {
    while (next(line))
      if (line.find_first_not_of(" \t") != std::string_view::npos) return true;
    return false;
  }
  std::uint64_t number() const { return number_; }
  std::size_t offset() const { return size_ - rest_.size(); }
  [[noreturn]] void fail(std::string_view why) const {
    throw std::runtime_error(fmt::format("{}:{}: {}", origin_, number_, why));
  }

 private:
  std::string_view rest_;
  std::size_t size_;
  const std::string& origin_;
  std::uint64_t number_;
};

template <typename Number>
Number number(const Lines& lines, std::string_view text, int base = 10) {
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    lines.fail(fmt::format("\"{}\" is not a number", text.substr(0, 40)));
  return value;
}

class Words {
 public:
  Words(const Lines& lines, std::string_view text) : lines_(lines), rest_(text) {}
  std::string_view next(const char* what) {
    const std::string_view word = take();
    if (word.empty()) lines_.fail(fmt::format("{} is missing", what));
    return word;
  }
  template <typename Number>
  Number next_number(const char* what, int base = 10) {
    return number<Number>(lines_, next(what), base);
  }
  void expect_end() {
    if (const std::string_view word = take(); !word.empty())
      lines_.fail(fmt::format("more than an instruction has: {}", word));
  }

 private:
  std::string_view take() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t"));
    rest_.remove_prefix(word.size());
    return word;
  }
  const Lines& lines_;
  std::string_view rest_;
};

AccelsimRegisters read_registers(const Lines& lines, Words& words, std::uint32_t most) {
  const auto count = words.next_number<std::uint32_t>("a count of registers");
  if (count > most) lines.fail(fmt::format("{} registers; at most {}", count, most));
  AccelsimRegisters registers;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string_view name = words.next("a register");
    if (name[0] != 'R') lines.fail(fmt::format("{} is no register", name));
    registers.number[registers.count++] = number<std::uint8_t>(lines, name.substr(1));
  }
  return registers;
}

void read_addresses(const Lines& lines, Words& words, AccelsimInstruction& instruction) {
  const auto mode = words.next_number<unsigned>("the form of the addresses");
  if (mode > 2) lines.fail(fmt::format("addresses in form {}", mode));
  std::uint64_t address = 0;
  std::int64_t stride = 0;
  bool is_first = true;
  if (mode == 1) {
    address = words.next_number<std::uint64_t>("an address", 16);
    stride = words.next_number<std::int64_t>("a stride");
  }
  for (const unsigned lane : instruction.lanes) {
    if (mode == 0 || (mode == 2 && is_first))
      address = words.next_number<std::uint64_t>("an address", 16);
    else if (mode == 2)
      address += static_cast<std::uint64_t>(words.next_number<std::int64_t>("a distance"));
    else if (!is_first)
      address += static_cast<std::uint64_t>(stride);
    instruction.address[lane] = address;
    is_first = false;
  }
}

void read_instruction(const Lines& lines, std::string_view text, bool has_line,
                      AccelsimInstruction& instruction) {
  constexpr std::uint32_t kMostDestinations = 1, kMostSources = 4;
  Words words(lines, text);
  instruction.line = has_line ? words.next_number<std::uint32_t>("a source line") : 0;
  instruction.pc = words.next_number<std::uint64_t>("a pc", 16);
  instruction.lanes = Mask(words.next_number<std::uint32_t>("a mask", 16));
  instruction.destinations = read_registers(lines, words, kMostDestinations);
  instruction.opcode = words.next("an opcode");
  instruction.sources = read_registers(lines, words, kMostSources);
  instruction.width = words.next_number<std::uint32_t>("a width");
  if (instruction.width != 0) read_addresses(lines, words, instruction);
  instruction.immediate = words.next_number<std::int64_t>("an immediate");
  words.expect_end();
}

// "x,y,z", in parentheses or not.
Dim3 read_dim(const Lines& lines, std::string_view value) {
  std::string text(value);
  std::erase_if(text, [](char c) { return c == '(' || c == ')' || c == ' '; });
  std::array<std::uint32_t, 3> size{};
  std::size_t at = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    size[i] = number<std::uint32_t>(lines, std::string_view(text).substr(at, comma - at));
    at = std::min(comma + 1, text.size());
  }
  return {size[0], size[1], size[2]};
}

// What follows "key = ".
std::string_view value_of(const Lines& lines, std::string_view line, std::string_view key) {
  const std::string begin = fmt::format("{} = ", key);
  if (!line.starts_with(begin)) lines.fail(fmt::format("expected \"{}\"", begin));
  return line.substr(begin.size());
}

AccelsimKernel read_header(Lines& lines) {
  AccelsimKernel kernel;
  std::string_view line;
  for (;;) {
    if (!lines.next_text(line)) lines.fail("the header does not end");
    if (line[0] == '#') break;
    const std::size_t equals = line.find(" = ");
    if (line[0] != '-' || equals == std::string_view::npos) lines.fail("expected \"-key = value\"");
    kernel.header[std::string(line.substr(1, equals - 1))] = line.substr(equals + 3);
  }
  const auto value = [&](const std::string& key) {
    const auto found = kernel.header.find(key);
    if (found == kernel.header.end()) lines.fail(fmt::format("the header has no {}", key));
    return std::string_view(found->second);
  };
  const auto base = [&](const std::string& key) {
    return kernel.header.contains(key) ? number<std::uint64_t>(lines, value(key), 16) : 0;
  };
  kernel.name = value("kernel name");
  kernel.grid = read_dim(lines, value("grid dim"));
  kernel.block = read_dim(lines, value("block dim"));
  kernel.shared_bytes = number<std::uint32_t>(lines, value("shmem"));
  kernel.registers = number<std::uint32_t>(lines, value("nregs"));
  kernel.binary_version = number<std::uint32_t>(lines, value("binary version"));
  kernel.shared_base = base("shmem base_addr");
  kernel.local_base = base("local mem base_addr");
  kernel.has_lines = value("enable lineinfo") == "1";
  if (value("accelsim tracer version") != "5") lines.fail("not of tracer version 5");
  return kernel;
}

AccelsimWarp read_warp(Lines& lines, std::string_view first) {
  AccelsimWarp warp;
  warp.warp = number<std::uint32_t>(lines, value_of(lines, first, "warp"));
  std::string_view line;
  if (!lines.next_text(line)) lines.fail("a warp has no insts");
  warp.instructions = number<std::uint64_t>(lines, value_of(lines, line, "insts"));
  warp.offset = lines.offset();
  warp.line = lines.number() + 1;
  for (std::uint64_t i = 0; i < warp.instructions; ++i)
    if (!lines.next(line)) lines.fail("instructions are missing");
  return warp;
}

}  // namespace

AccelsimKernel read_accelsim_kernel(std::string_view text, const std::string& origin) {
  Lines lines(text, origin);
  AccelsimKernel kernel = read_header(lines);
  std::string_view line;
  while (lines.next_text(line)) {
    if (line != "#BEGIN_TB") lines.fail("expected #BEGIN_TB");
    AccelsimBlock block;
    if (!lines.next_text(line)) lines.fail("a block does not end");
    block.index = read_dim(lines, value_of(lines, line, "thread block"));
    for (;;) {
      if (!lines.next_text(line)) lines.fail("a block does not end");
      if (line == "#END_TB") break;
      block.warps.push_back(read_warp(lines, line));
    }
    kernel.blocks.push_back(std::move(block));
  }
  return kernel;
}

AccelsimWarpReader::AccelsimWarpReader(std::string_view text, const std::string& origin,
                                       const AccelsimKernel& kernel, const AccelsimWarp& warp)
    : text_(text.substr(warp.offset)),
      origin_(&origin),
      left_(warp.instructions),
      line_(warp.line),
      has_lines_(kernel.has_lines) {}

bool AccelsimWarpReader::next(AccelsimInstruction& instruction) {
  if (left_ == 0) return false;
  Lines lines(text_, *origin_, line_ - 1);
  std::string_view line;
  if (!lines.next(line)) lines.fail("instructions are missing");
  read_instruction(lines, line, has_lines_, instruction);
  text_.remove_prefix(lines.offset());
  ++line_;
  --left_;
  return true;
}

std::vector<std::filesystem::path> read_accelsim_list(const std::filesystem::path& list) {
  constexpr std::uint64_t kMost = 1 << 26;
  const std::string text = simulator::read_file(list, kMost);
  std::vector<std::filesystem::path> kernels;
  const std::string origin = list.string();
  Lines lines(text, origin);
  for (std::string_view line; lines.next(line);) {
    if (!line.starts_with("kernel")) continue;
    if (line.find('/') != std::string_view::npos) lines.fail("a name that leads out of the folder");
    if (!line.ends_with(".traceg")) lines.fail("expected a name that ends in .traceg");
    kernels.push_back(list.parent_path() / line);
  }
  return kernels;
}

}  // namespace heddle::traces
