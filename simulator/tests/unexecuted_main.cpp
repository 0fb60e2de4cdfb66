// Lists the instructions of cubins and programs that do not decode or that the core does not
// execute, and says how many different spellings (opcode and modifiers) there are.
//
//   unexecuted FILE…      prints, for each kind, how often it occurs and where first
//
// Exit status: 0 when all is executed, 1 when something is not.

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "isa/cubin.hpp"
#include "isa/decoder.hpp"
#include "simulator/coverage.hpp"

namespace {

using namespace heddle;

struct Gap {
  unsigned count = 0;
  std::string first;  // where
};

std::vector<std::byte> read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> result(bytes.size());
  if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

// Opcode and modifiers as printed, without guard and operands: "LDG.E.64".
std::string spelling(const isa::Instruction& instruction) {
  std::string text = isa::print(instruction, 0);
  if (text.starts_with('@')) text.erase(0, text.find(' ') + 1);
  return text.substr(0, text.find_first_of(" ;"));
}

struct Seen {
  std::map<std::string, Gap> gaps;
  std::set<std::string> executed, others;  // spellings
  unsigned long long instructions = 0;
};

void look_at(const isa::Cubin& cubin, Seen& seen) {
  for (const isa::Section& section : cubin.sections) {
    if (!section.name.starts_with(".text")) continue;
    for (std::size_t pc = 0; pc + sizeof(isa::Word) <= section.bytes.size();
         pc += sizeof(isa::Word)) {
      isa::Word word;
      std::memcpy(&word, section.bytes.data() + pc, sizeof word);
      const auto instruction = isa::decode(cubin.arch, word);
      ++seen.instructions;
      const bool executed = instruction && simulator::executes(*instruction);
      if (instruction) (executed ? seen.executed : seen.others).insert(spelling(*instruction));
      if (executed) continue;
      char words[48];
      std::snprintf(words, sizeof words, "%016llx %016llx",
                    static_cast<unsigned long long>(word.hi),
                    static_cast<unsigned long long>(word.lo));
      const std::string text = instruction
                                   ? "not executed " + isa::print(*instruction, pc) + "   " + words
                                   : std::string("unknown      ") + words;
      if (!instruction) seen.others.insert("opcode " + std::string(words + 30, 3));
      Gap& gap = seen.gaps[text];
      if (gap.count++ == 0) gap.first = section.name;
    }
  }
}

void look_at(const char* path, Seen& seen) {
  const std::vector<std::byte> bytes = read(path);
  constexpr std::size_t kMachine = 18;  // e_machine, in an ELF file
  constexpr std::byte kCuda{190};
  if (bytes.size() > kMachine && bytes[kMachine] == kCuda)
    return look_at(isa::parse_cubin(bytes, path), seen);
  for (const isa::FatEntry& entry : isa::read_executable(bytes, path))
    if (entry.kind == isa::FatEntry::Kind::elf)
      look_at(isa::parse_cubin(entry.contents, path), seen);
}

}  // namespace

int main(int argc, char** argv) {
  Seen seen;
  for (int i = 1; i < argc; ++i) {
    try {
      look_at(argv[i], seen);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "unexecuted: %s\n", error.what());
      return 2;
    }
  }
  for (const auto& [text, gap] : seen.gaps)
    std::printf("%6u  %s   %s\n", gap.count, text.c_str(), gap.first.c_str());
  for (const std::string& each : seen.others) seen.executed.erase(each);  // not with all operands
  std::printf("%llu instructions; %zu spellings executed, %zu not\n", seen.instructions,
              seen.executed.size(), seen.others.size());
  return seen.gaps.empty() ? 0 : 1;
}
