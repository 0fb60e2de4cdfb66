#include "cli/kernel_parameter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "cli/command.hpp"
#include "simulator/base/file.hpp"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;
using Kind = ElementType::Kind;

constexpr struct {
  std::string_view name;
  ElementType type;
} kTypes[] = {{"f32", {Kind::floating, 4}},         {"f64", {Kind::floating, 8}},
              {"i8", {Kind::signed_integer, 1}},    {"i16", {Kind::signed_integer, 2}},
              {"i32", {Kind::signed_integer, 4}},   {"i64", {Kind::signed_integer, 8}},
              {"u8", {Kind::unsigned_integer, 1}},  {"u16", {Kind::unsigned_integer, 2}},
              {"u32", {Kind::unsigned_integer, 4}}, {"u64", {Kind::unsigned_integer, 8}}};

[[noreturn]] void fail(std::string_view text) {
  throw Usage(fmt::format(
      "--param {}: expected a number, or an array as in f32[1024], f32[1024]=1.5, i32[64]=iota, "
      "i32[64]=random or u8[4096]=@FILE",
      text));
}

std::optional<ElementType> find_type(std::string_view name) {
  for (const auto& each : kTypes)
    if (each.name == name) return each.type;
  return std::nullopt;
}

template <typename Number>
bool read_whole(std::string_view text, Number& number, int base) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && stop == end && !text.empty();
}

// False: it is not one that fits.
bool put_integer(std::string_view text, bool is_signed, std::span<std::byte> to) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const bool hexadecimal = text.starts_with("0x");
  std::uint64_t size = 0;
  if (!read_whole(text.substr(hexadecimal ? 2 : 0), size, hexadecimal ? 16 : 10)) return false;
  const unsigned bits = static_cast<unsigned>(to.size() * 8);
  const std::uint64_t most = ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t limit = negative ? most / 2 + 1 : is_signed ? most / 2 : most;
  if (size > limit || (negative && !is_signed)) return false;
  const std::uint64_t value = negative ? ~size + 1 : size;
  std::memcpy(to.data(), &value, to.size());
  return true;
}

bool put_floating(std::string_view text, std::span<std::byte> to) {
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return false;
  const float narrow = static_cast<float>(value);
  if (to.size() == sizeof value) std::memcpy(to.data(), &value, sizeof value);
  if (to.size() == sizeof narrow) std::memcpy(to.data(), &narrow, sizeof narrow);
  return to.size() == sizeof value || to.size() == sizeof narrow;
}

bool put(std::string_view text, const ElementType& type, std::span<std::byte> to) {
  if (type.kind == Kind::floating) return put_floating(text, to);
  return put_integer(text, type.kind == Kind::signed_integer, to);
}

// SplitMix64: the same numbers everywhere.
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::string random_number(const ElementType& type, std::uint64_t& state) {
  const std::uint64_t bits = next_random(state);
  if (type.kind == Kind::floating)
    return fmt::format("{}", static_cast<double>(bits >> 40) * 0x1p-24);
  return fmt::format("{}", bits % 100);
}

void fill(KernelParameter& array, std::string_view how, std::string_view text) {
  const ElementType type = *array.array;
  if (how.starts_with('@')) {
    const std::string file = simulator::read_file(std::string(how.substr(1)), array.bytes.size());
    std::memcpy(array.bytes.data(), file.data(), file.size());
    return;
  }
  std::uint64_t state = 1;
  for (std::uint64_t i = 0; i < array.count; ++i) {
    const auto to = std::span(array.bytes).subspan(i * type.bytes, type.bytes);
    const std::string number = how == "iota"     ? fmt::format("{}", i)
                               : how == "random" ? random_number(type, state)
                                                 : std::string(how);
    if (!put(number, type, to)) fail(text);
  }
}

KernelParameter parse_array(std::string_view text, std::size_t open, std::uint32_t bytes) {
  KernelParameter result;
  const std::size_t close = text.find(']', open);
  result.type_name = text.substr(0, open);
  result.array = find_type(result.type_name);
  if (!result.array || close == text.npos || bytes != sizeof(std::uint64_t)) fail(text);
  if (!read_whole(text.substr(open + 1, close - open - 1), result.count, 10)) fail(text);
  if (result.count == 0 || result.count > kMostBytes / result.array->bytes) fail(text);
  result.bytes.resize(result.count * result.array->bytes);
  const std::string_view rest = text.substr(close + 1);
  if (rest.empty()) return result;
  if (!rest.starts_with('=')) fail(text);
  fill(result, rest.substr(1), text);
  return result;
}

}  // namespace

KernelParameter parse_parameter(const std::string& text, std::uint32_t bytes) {
  if (const std::size_t open = text.find('['); open != text.npos)
    return parse_array(text, open, bytes);
  KernelParameter result;
  result.bytes.resize(bytes);
  const std::size_t colon = text.find(':');
  if (colon != text.npos) {
    result.type_name = text.substr(0, colon);
    const auto type = find_type(result.type_name);
    if (!type || type->bytes != bytes || !put(text.substr(colon + 1), *type, result.bytes))
      throw Usage(fmt::format("--param {}: the parameter has {} bytes", text, bytes));
    return result;
  }
  const bool is_hexadecimal = text.find("0x") != text.npos;
  const bool is_floating = !is_hexadecimal && text.find_first_of(".eEn") != text.npos;
  const bool is_signed = text.starts_with('-');
  if (bytes > sizeof(std::uint64_t))
    throw Usage(
        fmt::format("--param {}: the parameter is a structure of {} bytes, which cannot be typed",
                    text, bytes));
  if (!(is_floating ? put_floating(text, result.bytes)
                    : put_integer(text, is_signed, result.bytes)))
    fail(text);
  return result;
}

std::string array_text(const KernelParameter& array, const std::byte* contents) {
  constexpr std::uint64_t kInLine = 8;
  const auto number = [&]<typename Number>(Number value, std::uint64_t i) {
    std::memcpy(&value, contents + i * sizeof value, sizeof value);
    return fmt::format("{}", value);
  };
  const auto element = [&](std::uint64_t i) -> std::string {
    const auto [kind, bytes] = *array.array;
    if (kind == Kind::floating) return bytes == 4 ? number(0.0F, i) : number(0.0, i);
    const bool is_signed = kind == Kind::signed_integer;
    if (bytes == 1) return is_signed ? number(std::int8_t{}, i) : number(std::uint8_t{}, i);
    if (bytes == 2) return is_signed ? number(std::int16_t{}, i) : number(std::uint16_t{}, i);
    if (bytes == 4) return is_signed ? number(std::int32_t{}, i) : number(std::uint32_t{}, i);
    return is_signed ? number(std::int64_t{}, i) : number(std::uint64_t{}, i);
  };
  std::string text;
  for (std::uint64_t i = 0; i < array.count; ++i) {
    text += element(i);
    text += i + 1 == array.count || i % kInLine == kInLine - 1 ? '\n' : ' ';
  }
  return text;
}

}  // namespace heddle::cli
