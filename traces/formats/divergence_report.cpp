#include "traces/formats/divergence_report.hpp"

namespace heddle::traces {

DivergenceReport::DivergenceReport(const TraceOptions& options)
    : kernels_(options.kernel), own_file_(open_file_if_named(options.file)) {}

simulator::Observer* DivergenceReport::begin_launch(std::uint64_t index,
                                                    const simulator::LaunchRequest& request,
                                                    const simulator::GpuModel&) {
  if (!kernels_.matches(request.kernel->name)) return nullptr;
  index_ = index;
  request_ = &request;
  return &watch_.emplace();
}

void DivergenceReport::end_launch(const simulator::LaunchOutcome& outcome) {
  if (!watch_) return;
  std::FILE* const file = own_file_ ? own_file_.get() : stderr;
  std::fputs(text(index_, *request_, outcome, *watch_).c_str(), file);
  std::fflush(file);
  watch_.reset();
}

}  // namespace heddle::traces
