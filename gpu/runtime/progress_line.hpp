// Tells a person how far a long launch is and how long it will take: nothing in its first second;
// then, on a terminal, one line that is written over, elsewhere at most a line every ten seconds.
// Suggests --sample where timing a launch takes more than a minute, and says when a launch is
// stopped of which no block has ended by then.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/runtime/launch_observer.hpp"
#include "simulator/launch/launch_settings.hpp"

namespace heddle::runtime {

class ProgressLine : public LaunchObserver {
 public:
  using Clock = std::chrono::steady_clock;

  // `settings`: of the launches. `write`: to stderr, or a stand-in for it.
  ProgressLine(bool terminal, const simulator::LaunchSettings& settings,
               std::function<void(std::string_view)> write,
               std::function<Clock::time_point()> now = Clock::now);

  void before(simulator::Device& device, const simulator::LaunchRequest& request) override;
  bool during(const simulator::LaunchProgress& progress) override;
  void after(simulator::Device& device, const simulator::LaunchRequest& request,
             const simulator::LaunchOutcome& outcome) override;

 private:
  struct TimeLeft {
    double seconds = 0;
    const char* how = nullptr;  // "about", "at least"; null: not known
  };
  TimeLeft time_left(const simulator::LaunchProgress& progress, double seconds) const;
  void suggest_sample(const simulator::LaunchProgress& progress, double whole);
  void tell_limit(const simulator::LaunchProgress& progress, double seconds);

  bool terminal_;
  bool timed_in_full_;  // and not sampled
  std::uint64_t most_instructions_;
  std::function<void(std::string_view)> write_;
  std::function<Clock::time_point()> now_;
  std::string kernel_;
  std::uint64_t blocks_at_once_ = 1;
  std::map<std::string, double> instructions_per_block_;  // of each kernel's last launch
  Clock::time_point started_{}, due_{};
  std::optional<Clock::time_point> last_line_;
  bool shown_ = false;
  bool suggested_ = false;
  bool told_limit_ = false;
};

// On this process's stderr.
std::shared_ptr<ProgressLine> progress_on_stderr(const simulator::LaunchSettings& settings);

}  // namespace heddle::runtime
