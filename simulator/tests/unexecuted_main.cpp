// Lists the instructions of cubins that do not decode or that the core does not execute.
//
//   unexecuted CUBIN…      prints, for each kind, how often it occurs and where first
//
// Exit status: 0 when all is executed, 1 when something is not.

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
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

void look_at(const char* path, std::map<std::string, Gap>& gaps) {
  const std::vector<std::byte> bytes = read(path);
  const isa::Cubin cubin = isa::parse_cubin(bytes, path);
  for (const isa::Section& section : cubin.sections) {
    if (!section.name.starts_with(".text")) continue;
    for (std::size_t pc = 0; pc + sizeof(isa::Word) <= section.bytes.size();
         pc += sizeof(isa::Word)) {
      isa::Word word;
      std::memcpy(&word, section.bytes.data() + pc, sizeof word);
      const auto instruction = isa::decode(cubin.arch, word);
      if (instruction && simulator::executes(*instruction)) continue;
      char words[48];
      std::snprintf(words, sizeof words, "%016llx %016llx",
                    static_cast<unsigned long long>(word.hi),
                    static_cast<unsigned long long>(word.lo));
      const std::string text = instruction
                                   ? "not executed " + isa::print(*instruction, pc) + "   " + words
                                   : std::string("unknown      ") + words;
      Gap& gap = gaps[text];
      if (gap.count++ == 0) gap.first = section.name;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, Gap> gaps;
  for (int i = 1; i < argc; ++i) {
    try {
      look_at(argv[i], gaps);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "unexecuted: %s\n", error.what());
      return 2;
    }
  }
  for (const auto& [text, gap] : gaps)
    std::printf("%6u  %s   %s\n", gap.count, text.c_str(), gap.first.c_str());
  return gaps.empty() ? 0 : 1;
}
