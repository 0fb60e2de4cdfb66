#include "simulator/base/display_names.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace heddle::simulator {
namespace {

constexpr std::string_view kRegex = "regex:";

std::string escaped(std::string_view text, bool keep_line_ends) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 || byte == 0x7f) && !(keep_line_ends && c == '\n'))
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  return result;
}

constexpr std::size_t kMostShown = 100;
constexpr std::string_view kLeftOut = "…";

// What stands between `open` and its `close`, outermost, replaced by "…".
std::string without_inside(std::string_view text, char open, char close) {
  std::string result;
  std::size_t depth = 0;
  for (const char c : text) {
    if (c == close && depth > 0 && --depth == 0) result += kLeftOut;
    if (depth == 0) result += c;
    if (c == open) ++depth;
  }
  return result;
}

// Characters, of text in UTF-8.
std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

// At most as many bytes, without a part of a character.
std::string_view beginning(std::string_view text, std::size_t bytes) {
  while (bytes > 0 && (text[bytes] & 0xc0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace

std::string visible(std::string_view text) { return escaped(text, false); }
std::string visible_lines(std::string_view text) { return escaped(text, true); }

std::string demangled(const std::string& name) {
  constexpr std::size_t kLongest = 4096;  // the demangler recurses over what it is given
  if (!name.starts_with("_Z") || name.size() > kLongest) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

std::string display_name(const std::string& kernel) {
  std::string name = demangled(kernel);
  if (length(name) > kMostShown) name = without_inside(name, '<', '>');
  if (length(name) > kMostShown) name = without_inside(name, '(', ')');
  if (length(name) > kMostShown) name = fmt::format("{}{}", beginning(name, kMostShown), kLeftOut);
  return name;
}

std::string base_name(const std::string& kernel) {
  std::string name = demangled(kernel);
  // A template's demangled name begins with its return type.
  const std::size_t end = std::min(name.find_first_of("<("), name.size());
  const std::size_t blank = name.rfind(' ', end);
  return name.substr(blank == std::string::npos ? 0 : blank + 1,
                     end - (blank == std::string::npos ? 0 : blank + 1));
}

KernelFilter::KernelFilter(std::string text) : name_(std::move(text)) {
  if (!name_.starts_with(kRegex)) return;
  try {
    pattern_.emplace(name_.substr(kRegex.size()));
  } catch (const std::regex_error& error) {
    throw std::invalid_argument(
        fmt::format("{} is not a regular expression: {}", name_, error.what()));
  }
}

bool KernelFilter::matches(const std::string& kernel) const {
  if (name_.empty()) return true;
  if (pattern_) return std::regex_search(base_name(kernel), *pattern_);
  return kernel == name_ || base_name(kernel) == name_ || demangled(kernel) == name_;
}

}  // namespace heddle::simulator
