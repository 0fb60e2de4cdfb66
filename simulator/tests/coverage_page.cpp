#include "simulator/tests/coverage_page.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

#include "isa/cubin.hpp"
#include "isa/decoder.hpp"
#include "isa/encoding.hpp"
#include "simulator/execute/coverage.hpp"
#include "simulator/tests/recorded_probe.hpp"

namespace heddle::simulator {
namespace {

using isa::Arch;
using isa::Encoding;
using isa::Item;
using isa::ItemKind;

// A word of this encoding with legal modifiers at random, if it is one.
std::optional<isa::Instruction> random_instruction(Arch arch, const Encoding& encoding,
                                                   std::mt19937_64& random) {
  isa::Word word = encoding.value;
  word.set_bits(isa::kGuardBits.lo, isa::kGuardBits.width, isa::kPT);
  const auto some_register = [&](unsigned width) -> std::uint64_t {
    const std::uint64_t none = (std::uint64_t{1} << width) - 1;
    return random() % 3 == 0 ? none : random() % 3 * 16;
  };
  const auto some_predicate = [&](bool may_be_negated) -> std::uint64_t {
    const std::uint64_t negated = may_be_negated && random() % 4 == 0 ? 8 : 0;
    return negated | (random() % 2 == 0 ? isa::kPT : random() % 6);
  };
  isa::for_each_item(*encoding.layout, encoding.form, [&](const Item& item) {
    if (item.kind == ItemKind::slot) {
      const isa::SlotPlace place = isa::slot_place(item, encoding.form);
      place.bits.set(word, some_register(place.bits.width));
      if (item.negate || item.invert) word.set_bits(place.negate, 1, random() % 4 == 0 ? 1 : 0);
      if (item.absolute) word.set_bits(place.absolute, 1, random() % 4 == 0 ? 1 : 0);
    } else if (item.bits.width != 0) {
      const bool is_register = item.kind == ItemKind::rd || item.kind == ItemKind::urd ||
                               item.kind == ItemKind::ur || item.kind == ItemKind::reg;
      const bool is_predicate = item.kind == ItemKind::pdst || item.kind == ItemKind::psrc;
      item.bits.set(word, is_register    ? some_register(item.bits.width)
                          : is_predicate ? some_predicate(item.kind == ItemKind::psrc)
                                         : random());
    }
  });
  const auto instruction = isa::decode(arch, word);
  if (!instruction || instruction->encoding->row != encoding.row) return std::nullopt;
  return instruction;
}

struct Form {
  bool executes = false;
  std::set<std::string> texts, executed_texts;  // of modifiers
};

template <class F>
void for_each_modifier(const isa::Instruction& instruction, F&& f) {
  const Encoding& encoding = *instruction.encoding;
  isa::for_each_item(*encoding.layout, encoding.form, [&](const Item& item) {
    if (item.kind != ItemKind::mod) return;
    const std::string text(isa::modifier_text(item, instruction.word));
    if (!text.empty()) f(text);
  });
}

using Forms = std::map<const isa::Row*, Form>;

Forms forms_of(Arch arch) {
  constexpr unsigned kTries = 2000;
  std::mt19937_64 random(1);
  Forms forms;
  for (const Encoding* encoding : isa::all_encodings(arch)) {
    if (encoding->row->forms != isa::kFixed && encoding->form != isa::Form::RRR) continue;
    Form& form = forms[encoding->row];
    for (unsigned i = 0; i < kTries; ++i) {
      const auto instruction = random_instruction(arch, *encoding, random);
      if (!instruction) continue;
      const bool runs = executes(*instruction);
      form.executes = form.executes || runs;
      for_each_modifier(*instruction, [&](const std::string& text) {
        form.texts.insert(text);
        if (runs) form.executed_texts.insert(text);
      });
    }
  }
  return forms;
}

// One word of each form that programs execute whose results and counts are an H200's.
std::vector<isa::Word> words_of_programs() {
  const std::string path = HEDDLE_SOURCE_DIR "/simulator/tests/data/program_words.txt";
  std::ifstream file(path);
  std::vector<isa::Word> words;
  std::string op, program;
  isa::Word word;
  while (file >> op >> std::hex >> word.hi >> word.lo >> program) words.push_back(word);
  if (words.empty() || !file.eof()) throw std::runtime_error(path + ": not a list of words");
  return words;
}

// Whether an H200 ran a kernel of the form probe to its end.
bool ended_well(const std::map<std::string, std::string>& answers, const std::string& section) {
  constexpr std::string_view kText = ".text.";
  const auto found = answers.find(section.substr(std::min(kText.size(), section.size())));
  return found == answers.end() || !found->second.starts_with("CUDA_ERROR");
}

// The rows that recorded answers of an H200 go through, and those of which it refused all that was
// asked.
struct Answered {
  std::set<const isa::Row*> proved, refused;
};

Answered answered_rows() {
  Answered rows;
  const auto note = [&](const isa::Word& word, bool proved = true) {
    const auto instruction = isa::decode(Arch::sm_90, word);
    if (instruction) (proved ? rows.proved : rows.refused).insert(instruction->encoding->row);
  };
  for (const isa::Word& word : words_of_programs()) note(word);
  for (const isa::Word& word : recorded_lane_words()) note(word);
  std::vector<RecordedCubin> files = recorded_cubins();
  for (const char* probe : {"warpgroup_probe", "tensor_probe", "form_probe"})
    std::ranges::move(recorded_cubins(probe), std::back_inserter(files));
  const std::map<std::string, std::string> answers = recorded_hashes("form_probe");
  for (const RecordedCubin& file : files) {
    const isa::Cubin cubin = isa::parse_cubin(file.bytes, file.name);
    for (const isa::Section& section : cubin.sections) {
      if (!section.name.starts_with(".text")) continue;
      const bool ended = ended_well(answers, section.name);
      for (std::size_t pc = 0; pc + sizeof(isa::Word) <= section.bytes.size();
           pc += sizeof(isa::Word)) {
        isa::Word word;
        std::memcpy(&word, section.bytes.data() + pc, sizeof word);
        note(word, ended);
      }
    }
  }
  for (const isa::Row* row : rows.proved) rows.refused.erase(row);
  return rows;
}

std::string spelled(isa::Op op) {
  std::string text(isa::name(op));
  std::replace(text.begin(), text.end(), '_', '.');
  return text;
}

std::string joined(const std::set<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " ") + text;
  return all;
}

struct Line {
  std::array<std::pair<unsigned, unsigned>, isa::kAllArchs.size()> executed{};  // of how many
  unsigned proved = 0, refused = 0;
  std::set<std::string> missing;
};

constexpr std::string_view kHead =
    R"(# Which instructions are executed

This page is generated from the opcode rows of `isa/opcodes`, from the list of instructions that the core executes, and from recorded
results of an NVIDIA H200. `simulator_coverage_test` fails if the page is out of date. A *form* is a row of `isa/opcodes`: one bit
layout of an opcode, with all its kinds of operands. The columns are

- sm_75 … sm_121: the number of forms that are executed. An empty cell means that the architecture has none. Only sm_90's were compared
  with a GPU. The others are decoded and printed as the vendor's disassembler does, and executed as on sm_90 or as the PTX ISA says.
- proved: the number of sm_90's forms that were compared with an H200. Their results are recorded and replayed by
  `simulator_lanes_test`, `simulator_instruction_probe_test`, `simulator_warpgroup_probe_test` and `simulator_tensor_probe_test`, or they
  are executed by programs of `gpu/kernels` whose memory and counts per instruction equal an H200's
  (`simulator/tests/data/program_words.txt`, made by `instruction_coverage --words`). *Refused* forms are printed by nvdisasm, but no
  compiler was seen to emit them for sm_90, and an H200 rejects them with `CUDA_ERROR_ILLEGAL_INSTRUCTION`. LDGMC, a load from memory
  that several GPUs share, was tested only on ordinary memory.
- not executed: modifiers of sm_90 that stop a launch with a message that names the instruction. Words that match no opcode stop a
  launch too.

`instruction_coverage FILE…` prints the same for given programs and for the launches in their records
(`simulator/tests/instruction_coverage_main.cpp`). `docs/programs.md` has its output for third-party programs.

)";

std::size_t place_of(Arch arch) {
  return static_cast<std::size_t>(std::ranges::find(isa::kAllArchs, arch) - isa::kAllArchs.begin());
}

std::string table_head() {
  std::string names = "| opcode |", rule = "|---|";
  for (const Arch arch : isa::kAllArchs) {
    names += fmt::format(" {} |", isa::name(arch));
    rule += "---|";
  }
  return names + " proved | not executed |\n" + rule + "---|---|\n";
}

}  // namespace

std::string coverage_page() {
  std::map<isa::Op, Line> lines;
  const Answered answered = answered_rows();
  for (std::size_t i = 0; i < isa::kAllArchs.size(); ++i) {
    for (const auto& [row, form] : forms_of(isa::kAllArchs[i])) {
      Line& line = lines[row->op];
      auto& [executed, all] = line.executed[i];
      ++all;
      if (isa::kAllArchs[i] == Arch::sm_90) {
        line.proved += form.executes && answered.proved.contains(row) ? 1 : 0;
        line.refused += answered.refused.contains(row) ? 1 : 0;
      }
      if (!form.executes) continue;
      ++executed;
      if (isa::kAllArchs[i] == Arch::sm_90)
        std::set_difference(form.texts.begin(), form.texts.end(), form.executed_texts.begin(),
                            form.executed_texts.end(),
                            std::inserter(line.missing, line.missing.end()));
    }
  }
  std::string page = std::string(kHead) + table_head();
  for (const auto& [op, line] : lines) {
    page += fmt::format("| {} |", spelled(op));
    for (const auto& [executed, all] : line.executed)
      page += all == 0          ? std::string(" |")
              : executed == all ? fmt::format(" {} |", all)
                                : fmt::format(" {} of {} |", executed, all);
    const unsigned forms = line.executed[place_of(Arch::sm_90)].second;
    page += forms == 0 ? std::string(" |") : fmt::format(" {} of {}", line.proved, forms);
    if (line.refused != 0) page += fmt::format(", {} refused", line.refused);
    if (forms != 0) page += " |";
    page +=
        line.missing.empty() ? std::string(" |\n") : fmt::format(" {} |\n", joined(line.missing));
  }
  return page;
}

}  // namespace heddle::simulator
