#include "traces/analysis/values.hpp"

#include <fmt/format.h>

#include <bit>

namespace heddle::traces {
namespace {

using simulator::kFullMask;
using simulator::kWarpSize;
using Values = std::span<const std::uint64_t, kWarpSize>;

// The longest evenly spaced set of at least three lanes, or run, that starts at the lowest lane.
struct Piece {
  Mask lanes;
  std::string text;
};
Piece first_piece(Mask lanes) {
  const unsigned first = lanes.first();
  const Mask rest = lanes.without_first();
  if (rest.empty()) return {lanes, fmt::format("{}", first)};
  const unsigned stride = rest.first() - first;
  Mask taken;
  unsigned last = first;
  for (unsigned lane = first; lane < kWarpSize && lanes.has(lane); lane += stride) {
    taken |= Mask::of(lane);
    last = lane;
  }
  if (stride == 1) return {taken, fmt::format("{}-{}", first, last)};
  if (taken.count() >= 3) return {taken, fmt::format("{}-{}/{}", first, last, stride)};
  return {Mask::of(first), fmt::format("{}", first)};
}

// Evenly spaced: the value at lane 0 and the distance from lane to lane; `false`: they are not.
bool evenly_spaced(Mask lanes, Values values, std::uint64_t word, std::uint64_t& base,
                   std::uint64_t& step) {
  if (lanes.count() < 3) return false;
  const unsigned a = lanes.first(), b = lanes.without_first().first();
  if (b != a + 1) return false;  // a division would have to be exact
  step = (values[b] - values[a]) & word;
  base = (values[a] - step * a) & word;
  for (const unsigned lane : lanes)
    if (values[lane] != ((base + step * lane) & word)) return false;
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
  constexpr Mask kEven{0x55555555u};
  if (lanes == kFullMask) return "all";
  if (lanes.empty()) return "none";
  if (lanes == kEven) return "even";
  if (lanes == ~kEven) return "odd";
  std::string text;
  unsigned pieces = 0;
  for (Mask left = lanes; left.any(); ++pieces) {
    if (pieces == kMostPieces) return fmt::format("{:#010x}", lanes.bits());
    const Piece piece = first_piece(left);
    text += fmt::format("{}{}", text.empty() ? "" : ",", piece.text);
    left &= ~piece.lanes;
  }
  return text;
}

std::string values_text(Mask lanes, Values values, unsigned bits, unsigned most, ValueForm form) {
  if (lanes.empty()) return "";
  const std::uint64_t word = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  std::string text = "{";
  unsigned shown = 0;
  for (Mask left = lanes; left.any(); ++shown) {
    const std::uint64_t value = values[left.first()];
    Mask same;
    for (const unsigned lane : left)
      if (values[lane] == value) same |= Mask::of(lane);
    if (same == lanes) return value_text(value, bits, form);
    if (shown == 0 && form != ValueForm::floating) {
      std::uint64_t base = 0, step = 0;
      if (evenly_spaced(lanes, values, word, base, step)) return rule_text(base, step, bits, form);
    }
    if (shown == most) return fmt::format("{} +{} more}}", text, left.count());
    text += fmt::format("{}{}:{}", shown == 0 ? "" : " ", lanes_text(same),
                        value_text(value, bits, form));
    left &= ~same;
  }
  return text + "}";
}

}  // namespace heddle::traces
