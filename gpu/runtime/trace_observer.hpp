// Writes what `heddle run --trace` asks for while the program's launches execute.
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/runtime/launch_observer.hpp"
#include "gpu/runtime/timeline.hpp"
#include "simulator/base/display_names.hpp"
#include "simulator/device/device.hpp"
#include "traces/formats/trace.hpp"

namespace heddle::runtime {

class TraceObserver : public LaunchObserver {
 public:
  explicit TraceObserver(std::unique_ptr<traces::Trace> trace) : trace_(std::move(trace)) {}

  void before(simulator::Device& device, const simulator::LaunchRequest& request) override {
    observer_ = trace_->begin_launch(launches_++, request, device.model());
  }
  bool one_launch_at_a_time() const override { return true; }
  simulator::Observer* instructions() override { return observer_; }
  void worked(const StreamEvent& event) override {
    trace_->stream_work({event.stream.is_legacy ? 0 : event.stream.id,
                         simulator::demangled(event.name), event.span.begin, event.span.end});
  }
  void after(simulator::Device&, const simulator::LaunchRequest&,
             const simulator::LaunchOutcome& outcome) override {
    if (observer_ != nullptr) trace_->end_launch(outcome);
  }

 private:
  std::unique_ptr<traces::Trace> trace_;
  simulator::Observer* observer_ = nullptr;  // of the launch that is running
  std::uint64_t launches_ = 0;
};

}  // namespace heddle::runtime
