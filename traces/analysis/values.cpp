#include "traces/analysis/values.hpp"

#include <fmt/format.h>

#include <bit>

namespace heddle::traces {
namespace {

using simulator::kFullMask;
using simulator::kWarpSize;
using Values = std::span<const std::uint64_t, kWarpSize>;

unsigned lowest(Mask lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }

// The longest evenly spaced set of at least three lanes, or run, that starts at the lowest lane.
struct Piece {
  Mask lanes;
  std::string text;
};
Piece first_piece(Mask lanes) {
  const unsigned first = lowest(lanes);
  const Mask rest = lanes & (lanes - 1);
  if (rest == 0) return {lanes, fmt::format("{}", first)};
  const unsigned stride = lowest(rest) - first;
  Mask taken = 0;
  unsigned last = first;
  for (unsigned lane = first; lane < kWarpSize && (lanes >> lane & 1) != 0; lane += stride) {
    taken |= Mask{1} << lane;
    last = lane;
  }
  if (stride == 1) return {taken, fmt::format("{}-{}", first, last)};
  if (std::popcount(taken) >= 3) return {taken, fmt::format("{}-{}/{}", first, last, stride)};
  return {Mask{1} << first, fmt::format("{}", first)};
}

// Evenly spaced: the value at lane 0 and the distance from lane to lane; `false`: they are not.
bool evenly_spaced(Mask lanes, Values values, std::uint64_t word, std::uint64_t& base,
                   std::uint64_t& step) {
  if (std::popcount(lanes) < 3) return false;
  const unsigned a = lowest(lanes), b = lowest(lanes & (lanes - 1));
  if (b != a + 1) return false;  // a division would have to be exact
  step = (values[b] - values[a]) & word;
  base = (values[a] - step * a) & word;
  for (Mask left = lanes; left != 0; left &= left - 1)
    if (values[lowest(left)] != ((base + step * lowest(left)) & word)) return false;
  return true;
}

// "0x0+0x4*lane"
std::string rule_text(std::uint64_t base, std::uint64_t step, unsigned bits, ValueForm form) {
  const std::uint64_t word = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const bool down = (step >> (bits - 1) & 1) != 0;
  return fmt::format("{}{}{}*lane", value_text(base, bits, form), down ? '-' : '+',
                     value_text(down ? -step & word : step, bits, form));
}

}  // namespace

std::string value_text(std::uint64_t value, unsigned bits, ValueForm form) {
  const unsigned unused = bits >= 64 ? 0 : 64 - bits;
  const std::uint64_t known = value << unused >> unused;
  if (form == ValueForm::natural) return fmt::format("{}", known);
  if (form == ValueForm::integer)
    return fmt::format("{}", static_cast<std::int64_t>(value << unused) >> unused);
  if (form == ValueForm::floating && bits == 64)
    return fmt::format("{}", std::bit_cast<double>(value));
  if (form == ValueForm::floating && bits == 32)
    return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(value)));
  return fmt::format("{:#x}", known);
}

std::string lanes_text(Mask lanes) {
  constexpr unsigned kMostPieces = 4;
  if (lanes == kFullMask) return "all";
  if (lanes == 0) return "none";
  if (lanes == 0x55555555u) return "even";
  if (lanes == 0xaaaaaaaau) return "odd";
  std::string text;
  unsigned pieces = 0;
  for (Mask left = lanes; left != 0; ++pieces) {
    if (pieces == kMostPieces) return fmt::format("{:#010x}", lanes);
    const Piece piece = first_piece(left);
    text += fmt::format("{}{}", text.empty() ? "" : ",", piece.text);
    left &= ~piece.lanes;
  }
  return text;
}

std::string values_text(Mask lanes, Values values, unsigned bits, unsigned most, ValueForm form) {
  if (lanes == 0) return "";
  const std::uint64_t word = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  std::string text = "{";
  unsigned shown = 0;
  for (Mask left = lanes; left != 0; ++shown) {
    const std::uint64_t value = values[lowest(left)];
    Mask same = 0;
    for (Mask each = left; each != 0; each &= each - 1)
      if (values[lowest(each)] == value) same |= Mask{1} << lowest(each);
    if (same == lanes) return value_text(value, bits, form);
    if (shown == 0 && form != ValueForm::floating) {
      std::uint64_t base = 0, step = 0;
      if (evenly_spaced(lanes, values, word, base, step)) return rule_text(base, step, bits, form);
    }
    if (shown == most) return fmt::format("{} +{} more}}", text, std::popcount(left));
    text += fmt::format("{}{}:{}", shown == 0 ? "" : " ", lanes_text(same),
                        value_text(value, bits, form));
    left &= ~same;
  }
  return text + "}";
}

}  // namespace heddle::traces
