#include "traces/viewer/row_codec.hpp"

#include <array>
#include <optional>

#include "traces/viewer/varint.hpp"

namespace heddle::traces {
namespace {

using simulator::kWarpSize;
using simulator::Mask;

struct Line {
  std::uint32_t value = 0, step = 0;
};

// The line through the lanes' values, if there is one.
std::optional<Line> line_through(Row values, Mask lanes) {
  const auto first = lanes.first();
  const Mask others = lanes.without_first();
  Line line{.value = values[first], .step = 0};
  if (others.empty()) return line;
  const auto second = others.first();
  // Over lanes that are not neighbours a step is only looked for where it is whole.
  const auto rise = static_cast<std::int32_t>(values[second] - values[first]);
  const auto run = static_cast<std::int32_t>(second - first);
  if (rise % run != 0) return std::nullopt;
  line.step = static_cast<std::uint32_t>(rise / run);
  line.value -= line.step * first;
  for (unsigned lane = second; lane < kWarpSize; ++lane)
    if (lanes.has(lane) && values[lane] != line.value + line.step * lane) return std::nullopt;
  return line;
}

void put_line(std::string& bytes, RowForm flat, RowForm sloped, std::uint8_t flags, Line line) {
  bytes += static_cast<char>(static_cast<std::uint8_t>(line.step == 0 ? flat : sloped) | flags);
  put_varint(bytes, zigzag(line.value));
  if (line.step != 0) put_varint(bytes, zigzag(line.step));
}

std::string steps_of(Row values, Mask lanes) {
  std::string bytes;
  std::uint32_t last = 0;
  for (const unsigned lane : lanes) {
    const std::uint32_t value = values[lane];
    put_varint(bytes, zigzag(value - last));
    last = value;
  }
  return bytes;
}

std::string planes_of(Row values, Mask lanes) {
  std::string bytes;
  for (unsigned shift = 0; shift < 32; shift += 8)
    for (const unsigned lane : lanes) bytes += static_cast<char>(values[lane] >> shift);
  return bytes;
}

void put_mask(std::string& bytes, Mask mask) {
  for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(mask.bits() >> shift);
}

// The form byte, and the mask where one is needed; the values follow.
std::string head(RowForm form, std::uint8_t flags) {
  return {static_cast<char>(static_cast<std::uint8_t>(form) | flags)};
}

}  // namespace

void put_row(std::string& bytes, Row old, Row now, Mask usual) {
  Mask changed;
  std::array<std::uint32_t, kWarpSize> difference{};
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    difference[lane] = now[lane] - old[lane];
    if (difference[lane] != 0) changed |= Mask::of(lane);
  }
  const bool expected = changed.within(usual);
  const Mask lanes = expected ? usual : changed;
  const std::uint8_t flags = expected ? 0 : kOwnLanes;
  std::string body;
  if (const auto line = line_through(now, lanes)) {
    put_line(body, RowForm::same, RowForm::line, flags, *line);
  } else if (const auto added = line_through(difference, lanes)) {
    put_line(body, RowForm::add, RowForm::add_line, flags, *added);
  } else {
    const std::string steps = steps_of(now, lanes), planes = planes_of(now, lanes);
    body = steps.size() < planes.size() ? head(RowForm::steps, flags) + steps
                                        : head(RowForm::planes, flags) + planes;
  }
  bytes += body[0];
  if (!expected) put_mask(bytes, lanes);
  bytes.append(body, 1);
}

}  // namespace heddle::traces
