#include "simulator/models/occupancy_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "simulator/base/types.hpp"

namespace heddle::simulator {
namespace {

OccupancyCurve curve(std::string resource, const SmLimits& sm, KernelResources kernel,
                     std::uint32_t KernelResources::*member, std::uint32_t first,
                     std::uint32_t last, std::uint32_t step) {
  OccupancyCurve result{
      .resource = std::move(resource),
      .at = kernel.*member,
      .limited_by = fmt::format("{}", fmt::join(occupancy(sm, kernel).limited_by, " and ")),
      .points = {}};
  for (std::uint32_t value = first; value <= last; value += step) {
    kernel.*member = value;
    result.points.push_back({value, occupancy(sm, kernel).warps_per_sm});
  }
  return result;
}

// Where the picture's parts lie, in pixels.
constexpr int kWidth = 300, kHeight = 180, kLeft = 84, kTop = 36, kBetween = 104, kBottom = 58;

// A staircase: occupancy stays until the next value of the resource.
std::string staircase(const OccupancyCurve& curve, int left, std::uint32_t most_warps) {
  const double first = curve.points.front().value, last = curve.points.back().value;
  const auto x = [&](double value) {
    return left + (last > first ? (value - first) / (last - first) : 0) * kWidth;
  };
  const auto y = [&](double warps) { return kTop + kHeight * (1 - warps / most_warps); };
  std::string path;
  for (const auto& point : curve.points)
    path += path.empty() ? fmt::format("M{:.1f} {:.1f}", x(point.value), y(point.warps))
                         : fmt::format("H{:.1f}V{:.1f}", x(point.value), y(point.warps));
  const auto here = std::ranges::find_if(
      curve.points, [&](const auto& point) { return point.value >= curve.at; });
  std::string svg = fmt::format("<rect x='{}' y='{}' width='{}' height='{}' class='frame'/>\n",
                                left, kTop, kWidth, kHeight);
  for (const double part : {0.25, 0.5, 0.75}) {
    svg +=
        fmt::format("<path class='grid' d='M{} {:.1f}h{}'/>\n", left, y(part * most_warps), kWidth);
    svg += fmt::format("<path class='grid' d='M{:.1f} {}v{}'/>\n", left + part * kWidth, kTop,
                       kHeight);
  }
  svg += fmt::format("<path d='{}'/>\n", path);
  if (here != curve.points.end())
    svg += fmt::format(
        "<circle cx='{:.1f}' cy='{:.1f}' r='5'><title>{}: {} warps, {:.0f} %</title></circle>\n",
        x(here->value), y(here->warps), curve.at, here->warps, 100.0 * here->warps / most_warps);
  svg += fmt::format("<text x='{}' y='{}' class='name'>{}</text>\n", left + kWidth / 2,
                     kTop + kHeight + 36, curve.resource);
  for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0})
    svg += fmt::format("<text x='{:.1f}' y='{}' class='name'>{:.0f}</text>\n", left + part * kWidth,
                       kTop + kHeight + 16, first + part * (last - first));
  for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0})
    svg += fmt::format("<text x='{}' y='{:.1f}' class='end'>{:.0f} ({:.0f} %)</text>\n", left - 6,
                       y(part * most_warps) + 4, part * most_warps, 100 * part);
  if (here != curve.points.end())
    svg += fmt::format(
        "<text x='{}' y='{}' class='name'>the kernel: {}, {:.0f} %, limited by {}</text>\n",
        left + kWidth / 2, kTop + kHeight + 52, curve.at, 100.0 * here->warps / most_warps,
        curve.limited_by);
  return svg;
}

}  // namespace

std::vector<OccupancyCurve> occupancy_curves(const SmLimits& sm, const KernelResources& kernel) {
  constexpr std::uint32_t kSharedStep = 1024;
  return {curve("threads per block", sm, kernel, &KernelResources::threads_per_block, kWarpSize,
                sm.max_threads_per_block, kWarpSize),
          curve("registers per thread", sm, kernel, &KernelResources::registers_per_thread, 1,
                sm.registers_per_thread, 1),
          curve("shared bytes per block", sm, kernel, &KernelResources::shared_bytes_per_block, 0,
                sm.shared_bytes_per_block, kSharedStep)};
}

std::string draw(const std::vector<OccupancyCurve>& curves, const SmLimits& sm) {
  const int width = kLeft + static_cast<int>(curves.size()) * (kWidth + kBetween);
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {} {}' role='img' "
      "aria-label='Occupancy over three resources' font-family='sans-serif' "
      "font-size='12'>\n<style>"
      "rect{{fill:#fff}} .frame{{stroke:#888}} path{{fill:none;stroke:#0072b2;stroke-width:2}} "
      ".grid{{stroke:#ddd;stroke-width:1}} "
      "circle{{fill:#d55e00}} text{{fill:#222}} .end{{text-anchor:end}} "
      ".name{{text-anchor:middle}}</style>\n"
      "<rect width='100%' height='100%'/>\n"
      "<text x='{}' y='22'>Warps on an SM of {}{}; the dot is the kernel</text>\n",
      width, kTop + kHeight + kBottom, kLeft,
      std::isdigit(static_cast<unsigned char>(sm.name.front())) != 0 ? "compute capability " : "",
      sm.name);
  int left = kLeft;
  for (const OccupancyCurve& each : curves) {
    svg += staircase(each, left, sm.max_warps);
    left += kWidth + kBetween;
  }
  return svg + "</svg>\n";
}

}  // namespace heddle::simulator
