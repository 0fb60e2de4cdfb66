// Tells a person how far a long launch is: nothing in its first second; then, on a terminal, one
// line that is written over, elsewhere a line every 30 seconds.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "gpu/runtime/launch_observer.hpp"

namespace heddle::runtime {

class ProgressLine : public LaunchObserver {
 public:
  using Clock = std::chrono::steady_clock;

  // `write`: to stderr, or a stand-in for it.
  ProgressLine(bool terminal, std::function<void(std::string_view)> write,
               std::function<Clock::time_point()> now = Clock::now);

  void before(simulator::Device& device, const simulator::LaunchRequest& request) override;
  bool during(const simulator::LaunchProgress& progress) override;
  void after(simulator::Device& device, const simulator::LaunchRequest& request,
             const simulator::LaunchOutcome& outcome) override;

 private:
  bool terminal_;
  std::function<void(std::string_view)> write_;
  std::function<Clock::time_point()> now_;
  std::string kernel_;
  Clock::time_point started_{}, due_{};
  bool shown_ = false;
};

// On this process's stderr.
std::shared_ptr<ProgressLine> progress_on_stderr();

}  // namespace heddle::runtime
