// heddle disasm: the listing of a cubin's code, as nvdisasm -c prints it.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "cli/commands.hpp"
#include "cli/program_file.hpp"
#include "cli/text.hpp"
#include "isa/decoder.hpp"
#include "isa/labels.hpp"

namespace heddle::cli {
namespace {

std::vector<isa::Word> words_of(const isa::Section& section) {
  std::vector<isa::Word> words(section.bytes.size() / sizeof(isa::Word));
  std::memcpy(words.data(), section.bytes.data(), words.size() * sizeof(isa::Word));
  return words;
}

// The functions of a text section by their byte offset.
isa::AddressNames functions_of(const isa::Cubin& cubin, const isa::Section& section) {
  isa::AddressNames names;
  for (const isa::Function& function : cubin.functions)
    if (&cubin.sections[function.section] == &section)
      names.emplace(function.offset, visible(function.name));
  return names;
}

// `next_label`: labels are numbered over the whole file.
std::string listing(const isa::Cubin& cubin, const isa::Section& section, const std::string& origin,
                    unsigned& next_label) {
  const std::vector<isa::Word> words = words_of(section);
  const isa::AddressNames functions = functions_of(cubin, section);
  isa::AddressNames names = isa::label_names(cubin.arch, words, functions, next_label);
  const auto name_of = [&](std::uint64_t target) {
    const auto found = names.find(target);
    return found == names.end() ? fmt::format("{:#x}", target)
                                : fmt::format("`({})", found->second);
  };
  std::string text = fmt::format("//--------------------- {:<30} --------------------------\n",
                                 visible(section.name));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t pc = i * sizeof(isa::Word);
    const auto instruction = isa::decode(cubin.arch, words[i]);
    if (!instruction)
      throw isa::CubinError(fmt::format("{}: {}+0x{:x}: unknown instruction {:016x} {:016x}",
                                        origin, section.name, pc, words[i].lo, words[i].hi));
    if (const auto function = functions.find(pc); function != functions.end())
      text += function->second + ":\n";
    else if (const auto label = names.find(pc); label != names.end())
      text += label->second + ":\n";
    text += fmt::format("        /*{:04x}*/                   {} ;\n", pc,
                        isa::print(*instruction, pc, name_of));
  }
  return text;
}

}  // namespace

int run_disasm(const Arguments& arguments) {
  if (arguments.words.size() != 1) throw Usage("give one cubin or program");
  for (const CubinFile& file : read_cubins(arguments.words[0], arguments.value("arch"))) {
    const isa::Cubin cubin = isa::parse_cubin(file.bytes, file.origin);
    fmt::print("// {} ({})\n", visible(file.origin), isa::name(cubin.arch));
    unsigned next_label = 0;
    for (const isa::Section& section : cubin.sections)
      if (section.name.starts_with(".text"))
        std::fputs(listing(cubin, section, file.origin, next_label).c_str(), stdout);
  }
  return 0;
}

}  // namespace heddle::cli
