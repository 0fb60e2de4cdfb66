// A trace that writes nothing while a launch executes and, after it, what its divergence came to.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "simulator/base/display_names.hpp"
#include "simulator/base/output_file.hpp"
#include "traces/analysis/divergence_watch.hpp"
#include "traces/formats/trace.hpp"

namespace heddle::traces {

class DivergenceReport : public Trace {
 public:
  // Writes to `options.file` or stderr. Throws std::system_error.
  explicit DivergenceReport(const TraceOptions& options);

  simulator::Observer* begin_launch(std::uint64_t index, const simulator::LaunchRequest& request,
                                    const simulator::GpuModel& gpu) final;
  void end_launch(const simulator::LaunchOutcome& outcome) final;

 private:
  // What is to be written of launch number `index`.
  virtual std::string text(std::uint64_t index, const simulator::LaunchRequest& request,
                           const simulator::GpuModel& gpu, const simulator::LaunchOutcome& outcome,
                           const DivergenceWatch& watch) = 0;

  const simulator::KernelFilter kernels_;
  const std::unique_ptr<simulator::StreamFile> file_;
  // Of the launch.
  std::optional<DivergenceWatch> watch_;
  const simulator::LaunchRequest* request_ = nullptr;
  const simulator::GpuModel* gpu_ = nullptr;
  std::uint64_t index_ = 0;
};

}  // namespace heddle::traces
