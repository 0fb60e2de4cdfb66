// --trace advice: not the instructions but, after each launch, what their divergence cost and what
// helps.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "simulator/names.hpp"
#include "traces/divergence_watch.hpp"
#include "traces/trace.hpp"

namespace heddle::traces {

class AdviceTrace : public Trace {
 public:
  // Writes to `options.file` or stderr. Throws std::system_error.
  explicit AdviceTrace(const TraceOptions& options);

  simulator::Observer* begin_launch(std::uint64_t index, const simulator::LaunchRequest& request,
                                    const simulator::GpuModel& gpu) override;
  void end_launch(const simulator::LaunchOutcome& outcome) override;

 private:
  const simulator::KernelFilter kernels_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> own_file_;
  // Of the launch.
  std::optional<DivergenceWatch> watch_;
  const simulator::LaunchRequest* request_ = nullptr;
  std::uint64_t index_ = 0;
};

}  // namespace heddle::traces
