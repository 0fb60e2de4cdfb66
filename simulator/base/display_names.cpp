#include "simulator/base/display_names.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <regex>
#include <stdexcept>
#include <system_error>

namespace heddle::simulator {
namespace {

constexpr std::string_view kRegex = "regex:";

struct CodePoints {
  char32_t first, last;
};
// Beside the control characters below U+0020: what a terminal obeys (C1), what reorders text
// (bidirectional marks, embeddings, isolates), and what is invisible (zero widths,
// fillers, variation selectors, tags). Unicode 15, general categories Cc, Cf, Zl, Zp and
// Default_Ignorable.
constexpr CodePoints kUnseen[] = {
    {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},
    {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},
    {0x8e2, 0x8e2},     {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},
    {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},
    {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
    {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},
    {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};

bool is_unseen(char32_t point) {
  return std::ranges::any_of(kUnseen, [point](const CodePoints& range) {
    return point >= range.first && point <= range.last;
  });
}

struct Character {
  char32_t point = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

// The character that `text` begins with.
Character first_character(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  char32_t point = lead & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3fu);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xd800 && point <= 0xdfff;
  if (point < kLeast[bytes] || surrogate || point > 0x10ffff) return {};
  return {point, bytes};
}

// \x1b or \u{202e} for what no text shall smuggle to a terminal: it becomes no command and does
// not pretend to be another text. Bytes that are not UTF-8 are shown as bytes.
std::string escaped(std::string_view text, std::string_view kept) {
  std::string result;
  while (!text.empty()) {
    const auto [point, bytes] = first_character(text);
    const std::size_t length = std::max<std::size_t>(bytes, 1);
    if (bytes == 0 || point < 0x20 || point == 0x7f) {
      if (kept.find(text[0]) != kept.npos)
        result += text[0];
      else
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (is_unseen(point)) {
      result += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(point));
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
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

// With -rdc=true nvcc puts the file's identifier before the names of static kernels: the
// identifier's length, the identifier, the name, as in
// __nv_static_22__7ca640ff_5_st_cu_main__Z1kPi.
std::string_view without_file(std::string_view name) {
  constexpr std::string_view kMark = "__nv_static_";
  if (!name.starts_with(kMark)) return name;
  std::string_view rest = name.substr(kMark.size());
  std::size_t length = 0;
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), length);
  if (read.ec != std::errc()) return name;
  rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
  if (length > rest.size() || rest.size() - length < 2 || rest[0] != '_' || rest[length + 1] != '_')
    return name;
  return rest.substr(length + 2);
}

// nvcc puts static functions into a namespace that is named after the file:
// _INTERNAL_91674359_8_calls_cu_43ac2d0c::cube(int).
std::string without_file_namespace(const std::string& name) {
  constexpr std::string_view kBegin = "_INTERNAL_";
  if (name.find(kBegin) == name.npos) return name;
  static const std::regex space(
      "_INTERNAL_[0-9a-f]{8}_[0-9]+_[A-Za-z0-9_]+_[0-9a-f]{8}(_[0-9]+)?::");
  return std::regex_replace(name, space, "");
}

// What a mangled template's name begins with, for names that the C++ library cannot read:
// "cutlass::device_kernel<…>(…)". Empty: it begins otherwise.
std::string template_outline(std::string_view mangled) {
  std::string_view rest = mangled.substr(2);  // "_Z"
  if (rest.starts_with('N')) rest.remove_prefix(1);
  std::string name;
  std::size_t length = 0;
  for (;;) {
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), length);
    if (read.ec != std::errc()) break;
    rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
    if (length == 0 || length > rest.size()) return {};
    name += name.empty() ? "" : "::";
    name += rest.substr(0, length);
    rest.remove_prefix(length);
  }
  if (name.empty() || !rest.starts_with('I')) return {};
  return fmt::format("{}<{}>({})", name, kLeftOut, kLeftOut);
}

}  // namespace

std::string visible(std::string_view text) { return escaped(text, ""); }
std::string visible_lines(std::string_view text) { return escaped(text, "\n\t"); }

std::string demangled(const std::string& whole) {
  constexpr std::size_t kLongest = 4096;  // the demangler recurses over what it is given
  const std::string name(without_file(whole));
  if (!name.starts_with("_Z")) return name;
  if (name.size() <= kLongest) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
    constexpr int kNoMemory = -1;
    if (status == kNoMemory) throw std::bad_alloc();
    if (status == 0) return without_file_namespace(text.get());
  }
  const std::string outline = template_outline(name);
  return outline.empty() ? name : outline;
}

std::string display_name(const std::string& kernel) {
  std::string name = demangled(kernel);
  if (length(name) > kMostShown) name = without_inside(name, '<', '>');
  if (length(name) > kMostShown) name = without_inside(name, '(', ')');
  if (length(name) > kMostShown) name = fmt::format("{}{}", beginning(name, kMostShown), kLeftOut);
  return name;
}

std::string base_name(const std::string& kernel) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  std::string name = demangled(kernel);
  for (std::size_t at; (at = name.find(kUnnamed)) != name.npos;) name.erase(at, kUnnamed.size());
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
  } catch (const std::regex_error&) {
    throw std::invalid_argument(
        fmt::format("{} is not a regular expression as in ECMAScript: check its brackets", name_));
  }
}

bool KernelFilter::matches(const std::string& kernel) const {
  if (name_.empty()) return true;
  if (pattern_) return std::regex_search(base_name(kernel), *pattern_);
  return kernel == name_ || base_name(kernel) == name_ || demangled(kernel) == name_;
}

}  // namespace heddle::simulator
