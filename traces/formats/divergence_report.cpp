#include "traces/formats/divergence_report.hpp"

namespace heddle::traces {

DivergenceReport::DivergenceReport(const TraceOptions& options)
    : kernels_(options.kernel), file_(simulator::file_or_stderr(options.file)) {}

simulator::Observer* DivergenceReport::begin_launch(std::uint64_t index,
                                                    const simulator::LaunchRequest& request,
                                                    const simulator::GpuModel& gpu) {
  if (!kernels_.matches(request.kernel->name)) return nullptr;
  index_ = index;
  request_ = &request;
  gpu_ = &gpu;
  return &watch_.emplace();
}

void DivergenceReport::end_launch(const simulator::LaunchOutcome& outcome) {
  if (!watch_) return;
  file_->write(text(index_, *request_, *gpu_, outcome, *watch_));
  file_->flush();
  watch_.reset();
  file_->check();
}

}  // namespace heddle::traces
