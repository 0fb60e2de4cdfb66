#include "traces/accelsim_reader.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "simulator/machine.hpp"

namespace heddle::traces {
namespace {

using simulator::Dim3;
using simulator::Mask;

// Longest line: 32 addresses of 20 characters and what stands before them.
constexpr std::size_t kMostCharacters = 4096;

// Lines with their numbers, for messages.
class Lines {
 public:
  Lines(std::istream& stream, const std::string& origin) : stream_(stream), origin_(origin) {}
  bool next(std::string& line) {
    ++number_;
    if (!std::getline(stream_, line)) return false;
    if (line.size() > kMostCharacters) fail("a line is too long");
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return true;
  }
  // The next that is not blank.
  bool next_text(std::string& line) {
    while (next(line))
      if (line.find_first_not_of(" \t") != std::string::npos) return true;
    return false;
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error(fmt::format("{}:{}: {}", origin_, number_, why));
  }

 private:
  std::istream& stream_;
  const std::string& origin_;
  std::uint64_t number_ = 0;
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
  Words(const Lines& lines, const std::string& text) : lines_(lines), stream_(text) {}
  std::string next(const char* what) {
    std::string word;
    if (!(stream_ >> word)) lines_.fail(fmt::format("{} is missing", what));
    return word;
  }
  template <typename Number>
  Number next_number(const char* what, int base = 10) {
    return number<Number>(lines_, next(what), base);
  }
  void expect_end() {
    if (std::string word; stream_ >> word) lines_.fail("more than an instruction has: " + word);
  }

 private:
  const Lines& lines_;
  std::istringstream stream_;
};

std::vector<std::uint32_t> read_registers(const Lines& lines, Words& words, std::uint32_t most) {
  const auto count = words.next_number<std::uint32_t>("a count of registers");
  if (count > most) lines.fail(fmt::format("{} registers; at most {}", count, most));
  std::vector<std::uint32_t> registers;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string name = words.next("a register");
    if (name.empty() || name[0] != 'R') lines.fail(name + " is no register");
    registers.push_back(number<std::uint32_t>(lines, std::string_view(name).substr(1)));
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
  simulator::for_each_lane(instruction.lanes, [&](unsigned lane) {
    if (mode == 0 || (mode == 2 && is_first))
      address = words.next_number<std::uint64_t>("an address", 16);
    else if (mode == 2)
      address += static_cast<std::uint64_t>(words.next_number<std::int64_t>("a distance"));
    else if (!is_first)
      address += static_cast<std::uint64_t>(stride);
    instruction.address[lane] = address;
    is_first = false;
  });
}

AccelsimInstruction read_instruction(const Lines& lines, const std::string& text, bool has_line) {
  constexpr std::uint32_t kMostDestinations = 1, kMostSources = 4;
  Words words(lines, text);
  AccelsimInstruction instruction;
  if (has_line) instruction.line = words.next_number<std::uint32_t>("a source line");
  instruction.pc = words.next_number<std::uint64_t>("a pc", 16);
  instruction.lanes = words.next_number<Mask>("a mask", 16);
  instruction.destinations = read_registers(lines, words, kMostDestinations);
  instruction.opcode = words.next("an opcode");
  instruction.sources = read_registers(lines, words, kMostSources);
  instruction.width = words.next_number<std::uint32_t>("a width");
  if (instruction.width != 0) read_addresses(lines, words, instruction);
  instruction.immediate = words.next_number<std::int64_t>("an immediate");
  words.expect_end();
  return instruction;
}

// "x,y,z", in parentheses or not.
Dim3 read_dim(const Lines& lines, std::string text) {
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
std::string value_of(const Lines& lines, const std::string& line, std::string_view key) {
  const std::string begin = fmt::format("{} = ", key);
  if (!line.starts_with(begin)) lines.fail(fmt::format("expected \"{}\"", begin));
  return line.substr(begin.size());
}

AccelsimKernel read_header(Lines& lines) {
  AccelsimKernel kernel;
  std::string line;
  for (;;) {
    if (!lines.next_text(line)) lines.fail("the header does not end");
    if (line[0] == '#') break;
    const std::size_t equals = line.find(" = ");
    if (line[0] != '-' || equals == std::string::npos) lines.fail("expected \"-key = value\"");
    kernel.header[line.substr(1, equals - 1)] = line.substr(equals + 3);
  }
  const auto value = [&](const std::string& key) {
    const auto found = kernel.header.find(key);
    if (found == kernel.header.end()) lines.fail(fmt::format("the header has no {}", key));
    return found->second;
  };
  kernel.name = value("kernel name");
  kernel.grid = read_dim(lines, value("grid dim"));
  kernel.block = read_dim(lines, value("block dim"));
  kernel.shared_bytes = number<std::uint32_t>(lines, value("shmem"));
  kernel.registers = number<std::uint32_t>(lines, value("nregs"));
  kernel.binary_version = number<std::uint32_t>(lines, value("binary version"));
  kernel.has_lines = value("enable lineinfo") == "1";
  if (value("accelsim tracer version") != "5") lines.fail("not of tracer version 5");
  return kernel;
}

}  // namespace

AccelsimKernel read_accelsim_kernel(std::istream& stream, const std::string& origin,
                                    const std::function<void(const AccelsimWarp&)>& warp) {
  Lines lines(stream, origin);
  const AccelsimKernel kernel = read_header(lines);
  std::string line;
  while (lines.next_text(line)) {
    if (line != "#BEGIN_TB") lines.fail("expected #BEGIN_TB");
    AccelsimWarp current;
    if (!lines.next_text(line)) lines.fail("a block does not end");
    current.block = read_dim(lines, value_of(lines, line, "thread block"));
    for (;;) {
      if (!lines.next_text(line)) lines.fail("a block does not end");
      if (line == "#END_TB") break;
      current.warp = number<std::uint32_t>(lines, value_of(lines, line, "warp"));
      if (!lines.next_text(line)) lines.fail("a warp has no insts");
      const auto count = number<std::uint64_t>(lines, value_of(lines, line, "insts"));
      current.instructions.clear();
      for (std::uint64_t i = 0; i < count; ++i) {
        if (!lines.next(line)) lines.fail("instructions are missing");
        current.instructions.push_back(read_instruction(lines, line, kernel.has_lines));
      }
      warp(current);
    }
  }
  return kernel;
}

std::vector<std::filesystem::path> read_accelsim_list(const std::filesystem::path& list) {
  std::ifstream stream(list);
  if (!stream) throw std::runtime_error("cannot read " + list.string());
  std::vector<std::filesystem::path> kernels;
  const std::string origin = list.string();
  Lines lines(stream, origin);
  for (std::string line; lines.next(line);) {
    if (!line.starts_with("kernel")) continue;
    if (line.find('/') != std::string::npos) lines.fail("a name that leads out of the folder");
    if (!line.ends_with(".traceg")) lines.fail("expected a name that ends in .traceg");
    kernels.push_back(list.parent_path() / line);
  }
  return kernels;
}

}  // namespace heddle::traces
