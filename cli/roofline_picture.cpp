#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/roofline.hpp"
#include "cli/text.hpp"

namespace heddle::cli {
namespace {

// In pixels.
constexpr double kWidth = 430, kHeight = 300, kLeft = 76, kTop = 44, kBetween = 110, kBottom = 62;

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text)
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return result;
}

// Decades that hold all values.
struct Decades {
  int first = 0, last = 1;
  void include(double value) {
    if (value <= 0) return;
    first = std::min(first, static_cast<int>(std::floor(std::log10(value))));
    last = std::max(last, static_cast<int>(std::ceil(std::log10(value))));
  }
  double share(double value) const { return (std::log10(value) - first) / (last - first); }
};

// One plot of the picture.
class Plot {
 public:
  // `bytes`: what intensities are divided by.
  Plot(const Roofline& roofline, double left, double bytes, std::string unit)
      : roofline_(roofline), left_(left), bytes_(bytes), unit_(std::move(unit)) {
    y_ = {.first = 20, .last = -20};
    for (const Ceiling& each : roofline.ceilings) y_.include(each.work_per_second);
    x_ = {.first = -1, .last = 2};
    for (const RooflinePoint& point : roofline.points) {
      y_.include(point.work_per_second);
      for (const auto& each : point.work_per_byte)
        if (each) x_.include(*each * bytes_);
    }
    y_.first = std::min(y_.first, y_.last - 3);
  }

  std::string svg() const {
    return frame() + roofs() + points() +
           fmt::format("<text x='{}' y='{}' class='name'>{} per {} moved</text>\n", middle(),
                       kTop + kHeight + 44, roofline_.work, unit_) +
           fmt::format("<text x='{}' y='{}' class='name'>{}, 10^9 a second</text>\n", middle(),
                       kTop - 14, roofline_.work);
  }

 private:
  double middle() const { return left_ + kWidth / 2; }
  double x(double value) const { return left_ + kWidth * x_.share(value); }
  double y(double value) const { return kTop + kHeight * (1 - y_.share(value)); }

  std::string frame() const {
    constexpr double kGiga = 1e-9;
    std::string svg = fmt::format("<rect x='{}' y='{}' width='{}' height='{}' class='frame'/>\n",
                                  left_, kTop, kWidth, kHeight);
    for (int decade = x_.first; decade <= x_.last; ++decade) {
      const double at = x(std::pow(10, decade));
      svg += fmt::format("<path class='grid' d='M{:.1f} {}v{}'/>\n", at, kTop, kHeight);
      svg += fmt::format("<text x='{:.1f}' y='{}' class='name'>{:g}</text>\n", at,
                         kTop + kHeight + 18, std::pow(10, decade));
    }
    for (int decade = y_.first; decade <= y_.last; ++decade) {
      const double at = y(std::pow(10, decade));
      svg += fmt::format("<path class='grid' d='M{} {:.1f}h{}'/>\n", left_, at, kWidth);
      svg += fmt::format("<text x='{}' y='{:.1f}' class='end'>{}</text>\n", left_ - 6, at + 4,
                         readable(kGiga * std::pow(10, decade)));
    }
    return svg;
  }

  std::string roofs() const {
    std::string svg;
    const double top = roofline_.ceilings.front().work_per_second;
    for (const Ceiling& each : roofline_.ceilings) {
      svg += fmt::format("<path class='roof' d='M{} {:.1f}H{}'/>\n", left_, y(each.work_per_second),
                         left_ + kWidth);
      svg += fmt::format("<text x='{}' y='{:.1f}' class='end'>{}</text>\n", left_ + kWidth - 6,
                         y(each.work_per_second) - 4, each.name);
    }
    for (const Bandwidth& each : roofline_.bandwidths) {
      // From where it enters the frame to where it meets the highest ceiling.
      const double per = each.bytes_per_second / bytes_;
      const double from = std::max(std::pow(10, x_.first), std::pow(10, y_.first) / per);
      const double until = std::min(std::pow(10, x_.last), top / per);
      if (from >= until) continue;
      svg += fmt::format("<path class='roof' d='M{:.1f} {:.1f}L{:.1f} {:.1f}'/>\n", x(from),
                         y(from * per), x(until), y(until * per));
      const double label = std::sqrt(from * until);
      svg += fmt::format("<text x='{:.1f}' y='{:.1f}' class='end'>{}</text>\n", x(label) - 6,
                         y(label * per), each.name);
    }
    return svg;
  }

  std::string points() const {
    constexpr const char* kShapes[] = {"l1", "l2", "dram"};
    constexpr double kGiga = 1e-9;
    std::string svg;
    for (std::size_t n = 0; n < roofline_.points.size(); ++n) {
      const RooflinePoint& point = roofline_.points[n];
      double rightmost = 0;
      for (std::size_t i = 0; i < point.work_per_byte.size(); ++i) {
        if (!point.work_per_byte[i]) continue;
        const double at = x(*point.work_per_byte[i] * bytes_);
        rightmost = std::max(rightmost, at);
        svg += fmt::format(
            "<circle class='{}' cx='{:.1f}' cy='{:.1f}' r='5'><title>{}, {}: {:.3g} per {}, {:.1f} "
            "10^9 a second, {:.1f} % of {}</title></circle>\n",
            kShapes[i], at, y(point.work_per_second), escaped(point.kernel),
            roofline_.bandwidths[i].name, *point.work_per_byte[i] * bytes_, unit_,
            kGiga * point.work_per_second, 100 * point.share, point.limit);
      }
      svg += fmt::format("<text x='{:.1f}' y='{:.1f}'>{}</text>\n", rightmost + 8,
                         y(point.work_per_second) + 4, n + 1);
    }
    return svg;
  }

  const Roofline& roofline_;
  const double left_, bytes_;
  const std::string unit_;
  Decades x_, y_;
};

}  // namespace

std::string roofline_picture(const std::vector<Roofline>& rooflines, const std::string& device) {
  constexpr double kLine = 18, kSector = 32;
  const auto& points = rooflines.front().points;
  const double width = kLeft + 2 * kWidth + kBetween + 30;
  const double height = kTop + kHeight + kBottom + kLine * static_cast<double>(points.size() + 1);
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {} {}' role='img' "
      "aria-label='Rooflines of {}'>\n"
      "<style>text{{font:12px sans-serif;fill:#222}}.name{{text-anchor:middle}}"
      ".end{{text-anchor:end}}.frame{{fill:#fff;stroke:#888}}.grid{{stroke:#ddd;fill:none}}"
      ".roof{{stroke:#0a5c73;stroke-width:2;fill:none}}.l1{{fill:#fff;stroke:#a3400f}}"
      ".l2{{fill:#e8b48f;stroke:#a3400f}}.dram{{fill:#a3400f}}</style>\n"
      "<rect width='100%' height='100%' fill='#fff'/>\n",
      width, height, escaped(device));
  svg += Plot(rooflines[0], kLeft, kSector, "32-byte sector").svg();
  svg += Plot(rooflines[1], kLeft + kWidth + kBetween, 1, "byte").svg();
  double line = kTop + kHeight + kBottom + kLine;
  svg += fmt::format(
      "<text x='{}' y='{}'>{} (model): hollow L1, light L2, dark DRAM; the number is the "
      "kernel's:</text>\n",
      kLeft, line - kLine + 4, escaped(device));
  for (std::size_t n = 0; n < points.size(); ++n, line += kLine)
    svg += fmt::format("<text x='{}' y='{}'>{}  {}: {:.1f} % of {}</text>\n", kLeft, line + 4,
                       n + 1, escaped(points[n].kernel), 100 * points[n].share, points[n].limit);
  return svg + "</svg>\n";
}

}  // namespace heddle::cli
