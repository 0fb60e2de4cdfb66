#include "gpu/runtime/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "simulator/base/display_names.hpp"
#include "simulator/device/device.hpp"

namespace heddle::runtime {
namespace {

using namespace std::chrono_literals;
using Seconds = std::chrono::duration<double>;

constexpr auto kQuietFor = 1s;
constexpr auto kBetweenUpdates = 250ms;
constexpr auto kBetweenLines = 30s;
constexpr std::string_view kEraseLine = "\r\033[K";

std::string duration(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string describe(const std::string& kernel, const simulator::LaunchProgress& progress,
                     double seconds) {
  std::string text =
      fmt::format("heddle: {}: {} of {} blocks, {:.1f} M warp instructions, {:.1f} M/s", kernel,
                  progress.blocks_ended, progress.blocks,
                  static_cast<double>(progress.warp_instructions) * 1e-6,
                  static_cast<double>(progress.warp_instructions) * 1e-6 / seconds);
  if (progress.blocks_ended != 0) {
    const double left = static_cast<double>(progress.blocks - progress.blocks_ended) /
                        static_cast<double>(progress.blocks_ended);
    text += fmt::format(", about {} left", duration(seconds * left));
  }
  return text;
}

}  // namespace

ProgressLine::ProgressLine(bool terminal, std::function<void(std::string_view)> write,
                           std::function<Clock::time_point()> now)
    : terminal_(terminal), write_(std::move(write)), now_(std::move(now)) {}

void ProgressLine::before(simulator::Device&, const simulator::LaunchRequest& request) {
  kernel_ = simulator::visible(simulator::display_name(request.kernel->name));
  started_ = now_();
  due_ = started_ + (terminal_ ? Clock::duration(kQuietFor) : Clock::duration(kBetweenLines));
  shown_ = false;
}

bool ProgressLine::during(const simulator::LaunchProgress& progress) {
  const Clock::time_point now = now_();
  if (now < due_) return true;
  due_ = now + (terminal_ ? Clock::duration(kBetweenUpdates) : Clock::duration(kBetweenLines));
  const std::string text = describe(kernel_, progress, Seconds(now - started_).count());
  write_(terminal_ ? fmt::format("{}{}", kEraseLine, text) : text + "\n");
  shown_ = true;
  return true;
}

// What stands on a terminal is taken away.
void ProgressLine::after(simulator::Device&, const simulator::LaunchRequest&,
                         const simulator::LaunchOutcome&) {
  if (terminal_ && shown_) write_(kEraseLine);
  shown_ = false;
}

std::shared_ptr<ProgressLine> progress_on_stderr() {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && terminal == std::string_view("dumb");
  return std::make_shared<ProgressLine>(isatty(STDERR_FILENO) != 0 && !dumb,
                                        [](std::string_view text) {
                                          std::fwrite(text.data(), 1, text.size(), stderr);
                                          std::fflush(stderr);
                                        });
}

}  // namespace heddle::runtime
