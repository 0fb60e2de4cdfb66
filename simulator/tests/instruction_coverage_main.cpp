// How much of the instructions of given code is decoded, executed, and proved on a GPU: as
// spellings (an opcode with its modifiers), and by executions where records say how often each
// instruction was executed.
//
//   instruction_coverage [--words FILE] [--proof FILE]… FILE…
//
// FILE is a cubin, a program, or a record with counts by instruction (NAME.json, NAME.json.zst) of
// code that is among the files. Proved is a spelling that occurs in code whose answers on an H200
// are recorded (simulator/tests/data), or that a record says was executed of a program given by
// --proof: one whose results and counts on the model are an H200's. What is not executed or not
// proved is listed. --words writes, of each form of sm_90 that records say such a program executed,
// one word and the program: docs/coverage.md is made with those in simulator/tests/data.
//
// Exit status: 0 when all is executed, 1 when something is not, 2 when a file cannot be read.

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isa/cubin.hpp"
#include "isa/decoder.hpp"
#include "isa/encoding.hpp"
#include "simulator/base/sha256.hpp"
#include "simulator/execute/coverage.hpp"
#include "simulator/record/record.hpp"
#include "simulator/tests/recorded_probe.hpp"

namespace {

using namespace heddle;

struct Spelling {
  bool decoded = true, executed = true, proved = false;
  std::uint64_t instructions = 0, executions = 0;
  std::string example, where;  // of one that is not executed, if any is not
};

std::vector<std::byte> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> result(bytes.size());
  if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

// Opcode and modifiers as printed, without guard and operands: "LDG.E.64". Of a word that is no
// instruction known: its opcode bits.
std::string spelled(isa::Arch arch, const isa::Word& word) {
  const auto instruction = isa::decode(arch, word);
  if (!instruction) return fmt::format("opcode {:#05x}", word.bits(0, 12));
  std::string text = isa::print(*instruction, 0);
  if (text.starts_with('@')) text.erase(0, text.find(' ') + 1);
  return text.substr(0, text.find_first_of(" ;"));
}

std::vector<isa::Word> words_of(std::span<const std::byte> bytes) {
  std::vector<isa::Word> words(bytes.size() / sizeof(isa::Word));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(isa::Word));
  return words;
}

bool is_code(const isa::Section& section) { return section.name.starts_with(".text."); }

std::string code_sha256(const isa::Cubin& cubin) {
  simulator::Sha256 hash;
  for (const isa::Section& section : cubin.sections)
    if (is_code(section)) hash.update(section.bytes);
  return hash.hex();
}

std::vector<isa::Cubin> cubins_of(const std::string& path) {
  const std::vector<std::byte> bytes = read(path);
  constexpr std::size_t kMachine = 18;  // e_machine, in an ELF file
  constexpr std::byte kCuda{190};
  std::vector<isa::Cubin> cubins;
  if (bytes.size() > kMachine && bytes[kMachine] == kCuda) {
    cubins.push_back(isa::parse_cubin(bytes, path));
    return cubins;
  }
  for (const isa::FatEntry& entry : isa::read_executable(bytes, path))
    if (entry.kind == isa::FatEntry::Kind::elf)
      cubins.push_back(isa::parse_cubin(entry.contents, path));
  return cubins;
}

template <typename Visit>
void for_each_word(const isa::Cubin& cubin, Visit&& visit) {
  for (const isa::Section& section : cubin.sections)
    if (is_code(section))
      for (const isa::Word& word : words_of(section.bytes)) visit(section, word);
}

// The word at a byte offset in a function, if it is there.
std::optional<isa::Word> word_at(const isa::Cubin& cubin, std::string_view name, std::uint64_t pc) {
  for (const isa::Function& function : cubin.functions) {
    if (function.name != name) continue;
    const isa::Section& section = cubin.sections[function.section];
    const std::uint64_t at = function.offset + pc;
    if (at + sizeof(isa::Word) > section.bytes.size()) break;
    isa::Word word;
    std::memcpy(&word, section.bytes.data() + at, sizeof word);
    return word;
  }
  return std::nullopt;
}

// Calls visit(word, executions) for each instruction a launch executed; null: it is not in the
// code.
template <typename Visit>
void for_each_executed(const isa::Cubin& cubin, const simulator::LaunchRecord& launch,
                       Visit&& visit) {
  for (const simulator::InstructionRecord& each : launch.instructions) {
    const auto count = each.metrics.find("smsp__sass_inst_executed.sum");
    if (count == each.metrics.end() || count->second == 0) continue;
    const auto word = word_at(cubin, each.function, each.pc);
    visit(word ? &*word : nullptr, static_cast<std::uint64_t>(count->second));
  }
}

class Coverage {
 public:
  Coverage() {
    for (const isa::Word& word : simulator::recorded_lane_words())
      proved_.insert(spelled(isa::Arch::sm_90, word));
    for (const simulator::RecordedCubin& file : simulator::recorded_cubins())
      for_each_word(isa::parse_cubin(file.bytes, file.name),
                    [&](const isa::Section&, const isa::Word& word) {
                      proved_.insert(spelled(isa::Arch::sm_90, word));
                    });
  }

  void add_proof(isa::Cubin cubin) {
    std::string hash = code_sha256(cubin);
    proofs_.emplace(std::move(hash), std::move(cubin));
  }

  void write_words(const std::string& path) const {
    std::set<std::string> lines;
    for (const auto& [row, proof] : words_)
      lines.insert(fmt::format("{} {:016x} {:016x} {}\n", isa::name(row->op), proof.word.hi,
                               proof.word.lo, proof.program));
    std::ofstream file(path);
    for (const std::string& line : lines) file << line;
    if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
  }

  void add_code(isa::Cubin cubin) {
    std::string hash = code_sha256(cubin);
    if (code_.contains(hash)) return;
    for_each_word(cubin, [&](const isa::Section& section, const isa::Word& word) {
      add_instruction(cubin, section, word);
    });
    code_.emplace(std::move(hash), std::move(cubin));
  }

  void add_record(const simulator::Record& record) {
    bool counted = false;
    for (const simulator::LaunchRecord& launch : record.launches) {
      if (launch.instructions.empty()) continue;
      const auto code = code_.find(launch.code_sha256), proof = proofs_.find(launch.code_sha256);
      if (proof != proofs_.end())
        for_each_executed(proof->second, launch, [&](const isa::Word* word, std::uint64_t) {
          if (word == nullptr) return;
          proved_.insert(spelled(proof->second.arch, *word));
          note_word(proof->second, *word);
        });
      if (code != code_.end()) {
        counted = true;
        ++launches_;
        for_each_executed(code->second, launch, [&](const isa::Word* word, std::uint64_t count) {
          (word == nullptr ? unplaced_
                           : spellings_.at(spelled(code->second.arch, *word)).executions) += count;
        });
      } else if (proof == proofs_.end()) {
        ++without_code_;
      }
    }
    if (counted) ++records_;
  }

  // After everything has been added.
  void compare_with_proofs() {
    for (auto& [name, spelling] : spellings_) spelling.proved = proved_.contains(name);
  }

  void print() const;
  bool all_executed() const {
    return share(&Spelling::executed).spellings == static_cast<double>(spellings_.size());
  }

 private:
  struct Share {
    double spellings = 0, executions = 0;
  };

  void add_instruction(const isa::Cubin& cubin, const isa::Section& section,
                       const isa::Word& word) {
    const auto instruction = isa::decode(cubin.arch, word);
    std::string name = spelled(cubin.arch, word);
    Spelling& spelling = spellings_[name];
    ++spelling.instructions;
    if (instruction && simulator::executes(*instruction)) return;
    spelling.executed = false;
    spelling.decoded = spelling.decoded && instruction.has_value();
    if (!spelling.where.empty()) return;
    spelling.example = (instruction ? isa::print(*instruction, 0) + "  " : "") +
                       fmt::format("{:016x} {:016x}", word.hi, word.lo);
    spelling.where = cubin.origin + " " + section.name;
  }

  void note_word(const isa::Cubin& cubin, const isa::Word& word) {
    const auto instruction = isa::decode(cubin.arch, word);
    if (!instruction || cubin.arch != isa::Arch::sm_90) return;
    words_.try_emplace(instruction->encoding->row,
                       Proof{word, std::filesystem::path(cubin.origin).filename()});
  }

  Share share(bool Spelling::*member) const {
    Share sum;
    for (const auto& [name, spelling] : spellings_) {
      if (!(spelling.*member)) continue;
      ++sum.spellings;
      sum.executions += static_cast<double>(spelling.executions);
    }
    return sum;
  }

  std::set<std::string> proved_;
  std::map<std::string, Spelling> spellings_;
  struct Proof {
    isa::Word word;
    std::string program;
  };

  std::map<std::string, isa::Cubin> code_, proofs_;  // by the hash that records name it by
  std::map<const isa::Row*, Proof> words_;           // of the forms that proofs executed
  std::uint64_t records_ = 0, launches_ = 0, without_code_ = 0, unplaced_ = 0;
};

double percent(double part, double whole) { return whole == 0 ? 100 : 100 * part / whole; }

void Coverage::print() const {
  double executions = static_cast<double>(unplaced_);
  std::uint64_t instructions = 0;
  for (const auto& [name, spelling] : spellings_) {
    instructions += spelling.instructions;
    executions += static_cast<double>(spelling.executions);
    if (spelling.executed && spelling.proved) continue;
    fmt::print("{:12}  {:8} {:14}  {}{}\n", spelling.executed ? "not proved" : "not executed",
               spelling.instructions, spelling.executions, name,
               spelling.where.empty() ? "" : "   " + spelling.example + "   " + spelling.where);
  }
  const auto total = static_cast<double>(spellings_.size());
  fmt::print("{} cubins, {} instructions, {} spellings; {} records, {} launches, {} executions\n",
             code_.size(), instructions, spellings_.size(), records_, launches_,
             static_cast<std::uint64_t>(executions));
  if (without_code_ != 0)
    fmt::print("{} launches are of code that is not among the files\n", without_code_);
  if (unplaced_ != 0) fmt::print("{} executions are of functions not found\n", unplaced_);
  const auto line = [&](const char* what, const Share& share) {
    fmt::print("{:8}  {:5} spellings  {:8.4f} %  {:20} executions  {:9.5f} %\n", what,
               share.spellings, percent(share.spellings, total),
               static_cast<std::uint64_t>(share.executions), percent(share.executions, executions));
  };
  line("decoded", share(&Spelling::decoded));
  line("executed", share(&Spelling::executed));
  line("proved", share(&Spelling::proved));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Coverage coverage;
    std::vector<std::string> code, records;
    std::string words;
    for (int i = 1; i < argc; ++i) {
      const std::string path = argv[i];
      if (path == "--words" && i + 1 < argc) {
        words = argv[++i];
      } else if (path == "--proof" && i + 1 < argc) {
        for (isa::Cubin& cubin : cubins_of(argv[++i])) coverage.add_proof(std::move(cubin));
      } else {
        const bool record = path.ends_with(".json") || path.ends_with(".json.zst");
        (record ? records : code).push_back(path);
      }
    }
    for (const std::string& path : code)
      for (isa::Cubin& cubin : cubins_of(path)) coverage.add_code(std::move(cubin));
    for (const std::string& path : records) coverage.add_record(simulator::read_record(path));
    coverage.compare_with_proofs();
    coverage.print();
    if (!words.empty()) coverage.write_words(words);
    return coverage.all_executed() ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "instruction_coverage: {}\n", error.what());
    return 2;
  }
}
