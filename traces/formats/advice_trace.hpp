// --trace advice: not the instructions but, after each launch, what their divergence cost and what
// helps.
#pragma once

#include <string>

#include "traces/formats/divergence_report.hpp"

namespace heddle::traces {

class AdviceTrace : public DivergenceReport {
 public:
  using DivergenceReport::DivergenceReport;

 private:
  std::string text(std::uint64_t index, const simulator::LaunchRequest& request,
                   const simulator::GpuModel& gpu, const simulator::LaunchOutcome& outcome,
                   const DivergenceWatch& watch) override;
};

}  // namespace heddle::traces
