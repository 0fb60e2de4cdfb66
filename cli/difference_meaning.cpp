// What a difference means, in one sentence.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <functional>

#include "cli/difference.hpp"
#include "simulator/base/display_numbers.hpp"

namespace heddle::cli {
namespace {

using simulator::MetricValues;

constexpr double kLeast = 0.005;  // a relative difference that is not worth a word

std::optional<double> value(const MetricValues& values, const char* name) {
  return simulator::value_of(values, *simulator::find_metric(name));
}

// "12 µs"
std::string time_text(double nanoseconds) {
  const char* unit = "ns";
  for (const char* next : {"µs", "ms", "s"}) {
    if (nanoseconds < 1000) break;
    nanoseconds /= 1000;
    unit = next;
  }
  return fmt::format("{:.3g} {}", nanoseconds, unit);
}

std::string of_time(const MetricValues& before, const MetricValues& after) {
  const auto a = value(before, "gpu__time_duration.sum"),
             b = value(after, "gpu__time_duration.sum");
  if (!a || !b || *a <= 0 || *b <= 0) return {};
  const std::string times = fmt::format("~{} to ~{}", time_text(*a), time_text(*b));
  if (std::abs(*a / *b - 1) < kMedianCyclesError / 100)
    return fmt::format("as fast within the model's error ({})", times);
  return *a > *b ? fmt::format("~{:.2f} times as fast ({})", *a / *b, times)
                 : fmt::format("takes ~{:.2f} times as long ({})", *b / *a, times);
}

std::string of_count(double a, double b, const char* what) {
  if (a == b || (a > 0 && std::abs(b / a - 1) < kLeast)) return {};
  if (b == 0) return fmt::format("no {}, {} before", what, simulator::readable_whole(a));
  if (a == 0) return fmt::format("{} {}, none before", simulator::readable_whole(b), what);
  constexpr double kTimes = 2;
  if (b / a >= kTimes) return fmt::format("{:.3g} times as many {}", b / a, what);
  const double percent = 100 * std::abs(b / a - 1);
  return fmt::format("{:.{}f} % {} {}", percent, percent < 10 ? 1 : 0, b < a ? "fewer" : "more",
                     what);
}

std::string of_share(double a, double b, const char* what) {
  constexpr double kPoints = 0.5;
  if (std::abs(a - b) < kPoints) return {};
  return fmt::format("{} from {:.0f} to {:.0f} %", what, a, b);
}

struct Phrase {
  const char* metric;
  const char* plus;  // another summand, or null
  const char* what;
  bool is_share;
};
constexpr Phrase kPhrases[] = {
    {"inst_executed", nullptr, "warp instructions", false},
    {"branch_efficiency", nullptr, "branch efficiency", true},
    {"divergent_branch", nullptr, "divergent branches", false},
    {"warp_execution_efficiency", nullptr, "warp execution efficiency", true},
    {"smsp__sass_sectors_mem_global.sum", nullptr, "global sectors", false},
    {"gld_efficiency", nullptr, "load efficiency", true},
    {"gst_efficiency", nullptr, "store efficiency", true},
    {"shared_ld_bank_conflict", "shared_st_bank_conflict", "bank conflicts", false},
    {"smsp__sass_sectors_mem_local.sum", nullptr, "local-memory sectors", false},
};

std::string said(const Phrase& phrase, const MetricValues& before, const MetricValues& after) {
  auto a = value(before, phrase.metric), b = value(after, phrase.metric);
  if (phrase.plus != nullptr) {
    const auto more_a = value(before, phrase.plus), more_b = value(after, phrase.plus);
    if (a && more_a) *a += *more_a;
    if (b && more_b) *b += *more_b;
  }
  // Without branches, or loads, there is no share of them.
  if (!a || !b) return {};
  return phrase.is_share ? of_share(*a, *b, phrase.what) : of_count(*a, *b, phrase.what);
}

}  // namespace

std::string meaning(const MetricValues& before, const MetricValues& after) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> parts;
  if (const std::string time = of_time(before, after); !time.empty()) parts.push_back(time);
  for (const Phrase& phrase : kPhrases) {
    if (parts.size() == kMost) break;
    if (std::string text = said(phrase, before, after); !text.empty())
      parts.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace heddle::cli
