#include "traces/stepper/breakpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>

#include "simulator/base/display_names.hpp"
#include "traces/formats/trace.hpp"

namespace heddle::traces {
namespace {

using simulator::kWarpSize;

// Decimal, or hexadecimal with 0x; `base` 16: hexadecimal in any case.
std::uint64_t number(std::string_view text, int base = 10) {
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument(fmt::format("\"{}\" is not a number", text));
  return value;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool compare(std::uint32_t left, const std::string& sign, std::uint32_t right) {
  if (sign == "==") return left == right;
  if (sign == "!=") return left != right;
  if (sign == "<") return left < right;
  if (sign == "<=") return left <= right;
  if (sign == ">") return left > right;
  return left >= right;
}

std::string first_word(const std::string& text) {
  const auto words = words_of(text);
  if (words.empty()) throw std::invalid_argument("nothing is given");
  return words.front();
}

}  // namespace

CodePlace::CodePlace(std::string_view text) {
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    file_ = text.substr(0, colon);
    line_ = static_cast<std::uint32_t>(number(text.substr(colon + 1)));
    if (line_ == 0) throw std::invalid_argument("lines begin at 1");
    return;
  }
  const std::size_t plus = text.rfind('+');
  if (plus != std::string_view::npos) function_ = text.substr(0, plus);
  offset_ = number(text.substr(plus == std::string_view::npos ? 0 : plus + 1), 16);
}

bool CodePlace::matches(const Listing::Line& line, const std::string& kernel) const {
  if (line_ != 0) return line.line == line_ && (file_.empty() || line.file.ends_with(file_));
  const bool in_function = function_.empty() ? line.function == kernel
                                             : simulator::base_name(line.function) == function_;
  return in_function && line.offset == offset_;
}

Breakpoint::Breakpoint(const std::string& text) : text_(text), place_(first_word(text)) {
  std::vector<std::string> words = words_of(text);
  std::vector<std::string> term;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool joins = words[i] == (i == 1 ? "if" : "and");
    if (i == 1 && !joins)
      throw std::invalid_argument(fmt::format("\"{}\" where \"if\" should be", words[i]));
    if (joins && i != 1) {
      read_term(term);
      term.clear();
    } else if (!joins) {
      term.push_back(words[i]);
    }
  }
  if (words.size() > 1) read_term(term);
}

void Breakpoint::read_term(const std::vector<std::string>& words) {
  if (words.size() == 2 && (words[0] == "lane" || words[0] == "lanes")) {
    const Ranges wanted(words[1]);
    lanes_ = Mask();
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      if (wanted.contains(lane)) lanes_ |= Mask::of(lane);
  } else if (words.size() == 2 && words[0] == "warp") {
    warp_ = number(words[1]);
  } else if (words.size() == 2 && words[0] == "block") {
    block_ = number(words[1]);
  } else {
    comparisons_.push_back(read_comparison(words));
  }
}

Breakpoint::Comparison Breakpoint::read_comparison(const std::vector<std::string>& words) {
  constexpr std::string_view kSigns[] = {"==", "!=", "<", "<=", ">", ">="};
  if (words.size() != 3 || std::ranges::find(kSigns, words[1]) == std::end(kSigns))
    throw std::invalid_argument(
        "a condition is like: lane 3, warp 1, block 2, or R5 == 0x20 (with blanks)");
  Comparison comparison;
  comparison.sign = words[1];
  comparison.value = static_cast<std::uint32_t>(number(words[2]));
  std::string_view name = words[0];
  const bool uniform = name.starts_with('U');
  if (uniform) name.remove_prefix(1);
  if (name.size() < 2 || (name[0] != 'R' && name[0] != 'P'))
    throw std::invalid_argument(fmt::format("{} is no register or predicate", words[0]));
  comparison.predicate = name[0] == 'P';
  const std::uint64_t index = number(name.substr(1));
  const std::uint64_t end = comparison.predicate ? isa::kPT
                            : uniform            ? isa::kUniformRegisters
                                                 : isa::kRZ;
  if (index >= end) throw std::invalid_argument(fmt::format("there is no {}", words[0]));
  const unsigned first = !uniform               ? 0
                         : comparison.predicate ? simulator::kUniformPredicates
                                                : simulator::kUniformRow;
  comparison.index = first + static_cast<unsigned>(index);
  return comparison;
}

bool Breakpoint::holds(const simulator::WarpView& warp, const simulator::Issue& next,
                       const Listing::Line& line, const std::string& kernel) const {
  if (!place_.matches(line, kernel)) return false;
  if (warp_ && *warp_ != warp.index()) return false;
  if (block_ && *block_ != warp.block().linear()) return false;
  Mask left = next.active & lanes_;
  for (const Comparison& comparison : comparisons_)
    for (const unsigned lane : left) {
      const std::uint32_t value = comparison.predicate
                                      ? warp.predicates()[comparison.index].has(lane)
                                      : warp.row(comparison.index)[lane];
      if (!compare(value, comparison.sign, comparison.value)) left &= ~Mask::of(lane);
    }
  return left.any();
}

}  // namespace heddle::traces
