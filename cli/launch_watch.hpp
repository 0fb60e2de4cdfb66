// Looking after launches that the command executes itself: stderr says how far each is,
// and what ended one that did not end by itself.
#pragma once

#include <memory>

#include "cli/command.hpp"
#include "cli/limits.hpp"
#include "gpu/runtime/capsule.hpp"
#include "gpu/runtime/progress_line.hpp"

namespace heddle::cli {

class LaunchWatch {
 public:
  LaunchWatch() : LaunchWatch(kUsualInstructions, std::nullopt) {}
  explicit LaunchWatch(const Arguments& arguments);  // --max-instructions, --timeout

  // Around a launch. `index`: to name it.
  void before(simulator::Device& device, const simulator::LaunchRequest& request,
              simulator::LaunchOptions& options);
  void after(simulator::Device& device, const simulator::LaunchRequest& request,
             const simulator::LaunchOutcome& outcome, std::uint64_t index);
  // All of it.
  simulator::LaunchOutcome run(runtime::CapsuleLaunch& launch, std::uint64_t index,
                               simulator::LaunchOptions options);
  // Whether a launch was ended by a limit; asked between launches, whether to leave out the rest.
  bool reached_limit() { return reached_limit_ || deadline_.passed(); }

 private:
  LaunchWatch(std::uint64_t most_instructions, std::optional<std::uint64_t> seconds);

  const std::uint64_t most_instructions_;
  const std::optional<std::uint64_t> seconds_;
  Deadline deadline_;
  std::shared_ptr<runtime::ProgressLine> progress_;
  bool reached_limit_ = false;
};

}  // namespace heddle::cli
