#include "simulator/execute/device_printf.hpp"

#include <locale.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

namespace heddle::simulator {
namespace {

constexpr std::size_t kMaxStringBytes = 64 << 10;
constexpr int kMaxWidth = 64 << 10;  // of a field or a precision, whatever the format asks for
constexpr int kMaxArguments = 32;

// Numbers look the same whatever the program's locale is.
class NeutralLocale {
 public:
  NeutralLocale() : before_(uselocale(neutral())) {}
  ~NeutralLocale() { uselocale(before_); }
  NeutralLocale(const NeutralLocale&) = delete;
  NeutralLocale& operator=(const NeutralLocale&) = delete;

 private:
  static locale_t neutral() {
    static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
    return locale;
  }
  locale_t before_;
};

// A string up to its NUL, or nothing when it is not readable up to there.
std::optional<std::string> read_string(const DeviceReader& read, std::uint64_t address) {
  std::string text;
  std::array<std::byte, 64> chunk;
  std::size_t step = chunk.size();
  while (text.size() < kMaxStringBytes) {
    const std::span<std::byte> part(chunk.data(), step);
    if (!read(address + text.size(), part)) {
      if (step == 1) return std::nullopt;
      step = 1;  // the end of an allocation may be near
      continue;
    }
    const auto* characters = reinterpret_cast<const char*>(part.data());
    const std::size_t length = strnlen(characters, step);
    text.append(characters, length);
    if (length < step) return text;
  }
  return text;
}

// Takes arguments one after the other from the buffer.
class Arguments {
 public:
  Arguments(const DeviceReader& read, std::uint64_t address) : read_(read), address_(address) {}

  template <typename Value>
  Value take() {
    static_assert(sizeof(Value) == 4 || sizeof(Value) == 8);
    offset_ = (offset_ + sizeof(Value) - 1) / sizeof(Value) * sizeof(Value);
    Value value{};
    read_(address_ + offset_, std::as_writable_bytes(std::span(&value, 1)));
    offset_ += sizeof(Value);
    ++used_;
    return value;
  }
  int used() const { return used_; }
  std::uint64_t bytes() const { return offset_; }

 private:
  const DeviceReader& read_;
  std::uint64_t address_;
  std::uint64_t offset_ = 0;
  int used_ = 0;
};

// Of a call's record in the buffer of a GPU.
std::uint64_t bytes_in_fifo(std::uint64_t arguments) {
  constexpr std::uint64_t kHead = 16, kUnit = 8;
  return kHead + (arguments + kUnit - 1) / kUnit * kUnit;
}

struct Conversion {
  std::string flags;
  bool width_from_argument = false, precision_from_argument = false;
  std::optional<int> width, precision;
  std::string size;
  char type = 0;
  std::size_t length = 0;  // characters of the format it takes up

  int arguments() const { return 1 + width_from_argument + precision_from_argument; }
  bool wide() const {
    return size == "l" || size == "ll" || size == "j" || size == "z" || size == "t";
  }
};

std::optional<int> read_digits(std::string_view text, std::size_t& at) {
  if (at >= text.size() || text[at] < '0' || text[at] > '9') return std::nullopt;
  int value = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    value = std::min(value * 10 + (text[at] - '0'), kMaxWidth);
  return value;
}

// The conversion that `text` starts with, after its '%'; nothing when it is none.
std::optional<Conversion> parse(std::string_view text) {
  Conversion conversion;
  std::size_t at = 0;
  const auto peek = [&] { return at < text.size() ? text[at] : '\0'; };
  while (std::string_view("#0- +").find(peek()) != std::string_view::npos && peek() != '\0')
    conversion.flags += text[at++];
  if (peek() == '*') {
    conversion.width_from_argument = true;
    ++at;
  } else {
    conversion.width = read_digits(text, at);
  }
  if (peek() == '.') {
    ++at;
    if (peek() == '*') {
      conversion.precision_from_argument = true;
      ++at;
    } else {
      conversion.precision = read_digits(text, at).value_or(0);
    }
  }
  for (std::string_view size : {"hh", "h", "ll", "l", "j", "z", "t"})
    if (text.substr(at).starts_with(size)) {
      conversion.size = size;
      at += size.size();
      break;
    }
  conversion.type = peek();
  if (conversion.type == '\0' ||
      std::string_view("cdiouxXpeEfFgGaAs").find(conversion.type) == std::string_view::npos)
    return std::nullopt;
  conversion.length = at + 1;
  return conversion;
}

template <typename Value>
void append(std::string& text, const Conversion& conversion, const char* size, Value value) {
  const std::string format = "%" + conversion.flags + (conversion.width ? "*" : "") +
                             (conversion.precision ? ".*" : "") + size + conversion.type;
  const auto write = [&](char* to, std::size_t room) {
    if (conversion.width && conversion.precision)
      return std::snprintf(to, room, format.c_str(), *conversion.width, *conversion.precision,
                           value);
    if (conversion.width) return std::snprintf(to, room, format.c_str(), *conversion.width, value);
    if (conversion.precision)
      return std::snprintf(to, room, format.c_str(), *conversion.precision, value);
    return std::snprintf(to, room, format.c_str(), value);
  };
  const int length = write(nullptr, 0);
  if (length <= 0) return;
  const std::size_t before = text.size();
  text.resize(before + static_cast<std::size_t>(length) + 1);
  write(text.data() + before, static_cast<std::size_t>(length) + 1);
  text.pop_back();  // the NUL
}

void convert(FormattedPrintf& result, Conversion conversion, Arguments& arguments,
             const DeviceReader& read) {
  std::string& text = result.text;
  const auto bounded = [](int value) { return std::clamp(value, -kMaxWidth, kMaxWidth); };
  if (conversion.width_from_argument) conversion.width = bounded(arguments.take<int>());
  if (conversion.precision_from_argument) conversion.precision = bounded(arguments.take<int>());
  switch (conversion.type) {
    case 'c':
      return append(text, conversion, "", arguments.take<int>());
    case 's': {
      const auto address = arguments.take<std::uint64_t>();
      const auto string = address == 0 ? "(null)" : read_string(read, address);
      if (string) result.string_characters += static_cast<std::uint32_t>(string->size());
      return append(text, conversion, "", string ? string->c_str() : "(unreadable)");
    }
    case 'p':
      return append(text, conversion, "", reinterpret_cast<void*>(arguments.take<std::uint64_t>()));
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      if (conversion.wide()) return append(text, conversion, "ll", arguments.take<long long>());
      return append(text, conversion, conversion.size.c_str(), arguments.take<int>());
    default:
      return append(text, conversion, "", arguments.take<double>());
  }
}

}  // namespace

FormattedPrintf format_device_printf(const DeviceReader& read, std::uint64_t format,
                                     std::uint64_t arguments) {
  const auto pattern = format == 0 ? std::nullopt : read_string(read, format);
  if (!pattern) return {"", -1};
  const NeutralLocale neutral;
  FormattedPrintf result;
  Arguments values(read, arguments);
  std::string_view rest = *pattern;
  while (!rest.empty()) {
    const std::size_t percent = std::min(rest.find('%'), rest.size());
    result.text += rest.substr(0, percent);
    result.characters += static_cast<std::uint32_t>(percent);
    rest.remove_prefix(percent);
    if (rest.empty()) break;
    if (rest.starts_with("%%")) {
      result.text += '%';
      result.characters += 2;
      rest.remove_prefix(2);
      continue;
    }
    const auto conversion = parse(rest.substr(1));
    if (conversion && values.used() + conversion->arguments() <= kMaxArguments) {
      convert(result, *conversion, values, read);
      result.characters += static_cast<std::uint32_t>(conversion->length - 1);
      rest.remove_prefix(1 + conversion->length);
    } else {
      result.text += '%';
      ++result.characters;
      rest.remove_prefix(1);
    }
  }
  result.arguments = values.used();
  result.bytes = bytes_in_fifo(values.bytes());
  return result;
}

}  // namespace heddle::simulator
