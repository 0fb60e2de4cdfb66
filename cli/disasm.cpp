// heddle disasm: the listing of a cubin's code, as nvdisasm -c prints it.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <map>

#include "cli/commands.hpp"
#include "cli/program_file.hpp"
#include "cli/text.hpp"
#include "isa/decoder.hpp"

namespace heddle::cli {
namespace {

// One text section: its decoded words and the labels its branches go to.
class Listing {
 public:
  Listing(const isa::Cubin& cubin, const isa::Section& section, const std::string& origin)
      : cubin_(cubin), section_(section) {
    for (std::uint64_t pc = 0; pc + sizeof(isa::Word) <= section.bytes.size();
         pc += sizeof(isa::Word)) {
      isa::Word word;
      std::memcpy(&word, section.bytes.data() + pc, sizeof word);
      const auto instruction = isa::decode(cubin.arch, word);
      if (!instruction)
        throw isa::CubinError(fmt::format("{}: {}+0x{:x}: unknown instruction {:016x} {:016x}",
                                          origin, section.name, pc, word.lo, word.hi));
      instructions_.push_back(*instruction);
      // Printed once for its target alone.
      isa::print(*instruction, pc, [this](std::uint64_t target) {
        labels_.emplace(target, 0);
        return std::string();
      });
    }
  }

  // Labels are numbered over the whole file, from `next` on.
  void number_labels(unsigned& next) {
    for (auto& [target, number] : labels_) number = next++;
  }

  std::string text() const {
    const auto namer = [this](std::uint64_t target) {
      return fmt::format("`({})", label(labels_.at(target)));
    };
    std::string text = fmt::format("//--------------------- {:<30} --------------------------\n",
                                   visible(section_.name));
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
      const std::uint64_t pc = i * sizeof(isa::Word);
      for (const isa::Function& function : cubin_.functions)
        if (&cubin_.sections[function.section] == &section_ && function.offset == pc)
          text += fmt::format("{}:\n", visible(function.name));
      if (const auto found = labels_.find(pc); found != labels_.end())
        text += fmt::format("{}:\n", label(found->second));
      text += fmt::format("        /*{:04x}*/                   {} ;\n", pc,
                          isa::print(instructions_[i], pc, namer));
    }
    return text;
  }

 private:
  static std::string label(unsigned number) { return fmt::format(".L_x_{}", number); }

  const isa::Cubin& cubin_;
  const isa::Section& section_;
  std::vector<isa::Instruction> instructions_;
  std::map<std::uint64_t, unsigned> labels_;
};

}  // namespace

int run_disasm(const Arguments& arguments) {
  if (arguments.words.size() != 1) throw Usage("give one cubin or program");
  for (const CubinFile& file : read_cubins(arguments.words[0], arguments.value("arch"))) {
    const isa::Cubin cubin = isa::parse_cubin(file.bytes, file.origin);
    fmt::print("// {} ({})\n", visible(file.origin), isa::name(cubin.arch));
    unsigned next_label = 0;
    for (const isa::Section& section : cubin.sections) {
      if (!section.name.starts_with(".text")) continue;
      Listing listing(cubin, section, file.origin);
      listing.number_labels(next_label);
      std::fputs(listing.text().c_str(), stdout);
    }
  }
  return 0;
}

}  // namespace heddle::cli
