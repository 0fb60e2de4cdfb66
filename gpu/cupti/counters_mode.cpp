// Hardware counters of a launch. There are more counters than the hardware has registers for, so
// the launch is repeated, one pass after another, each from the same device memory and with the
// caches empty; then the program's own launch follows, not measured. CUPTI's own kernel replay is
// not used: it restores memory right before a pass, so the caches are full of what it wrote
// (measured: 3.4 MB of DRAM writes in a kernel that has none).
#include <memory>

#include "gpu/cupti/caches.hpp"
#include "gpu/cupti/check.hpp"
#include "gpu/cupti/counters.hpp"
#include "gpu/cupti/mode.hpp"
#include "gpu/cupti/range_profiler.hpp"
#include "gpu/cupti/snapshot.hpp"

namespace heddle::cupti {
namespace {

class CountersMode : public Mode {
 public:
  Members header(CUdevice device) override {
    CUcontext context = nullptr;
    HEDDLE_CALL(cuCtxGetCurrent(&context));
    counters_ = std::make_unique<CounterSet>(context, device, names());
    Members members;
    members.add(kind() + "_passes", std::uint64_t{counters_->passes()});
    return members;
  }

  void before(const Launch& launch, const DeviceMemory& memory, LaunchFragment& out) override {
    if (profiler_.context() != launch.context) {
      profiler_.disable();
      forget();
      profiler_.enable(launch.context, *counters_);
    }
    snapshot_.take(memory);
    measure(launch, out);
    snapshot_.restore();
  }

  void after(const Launch&, const DeviceMemory&, LaunchFragment&) override {}

  void context_ends(CUcontext context) override {
    if (context != profiler_.context()) return;
    profiler_.disable();
    forget();
  }

 protected:
  // What the mode's header members begin with.
  virtual std::string kind() const { return "counter"; }
  virtual std::vector<std::string> names() const { return counter_names(); }
  virtual void measure(const Launch& launch, LaunchFragment& out) {
    const std::vector<double> values = all_passes(launch);
    for (std::size_t i = 0; i < values.size(); ++i)
      out.metrics.add(counters_->names()[i], values[i]);
  }

  // The counters' values, in the order of counters().
  std::vector<double> all_passes(const Launch& launch) {
    profiler_.begin_launch(*counters_);
    std::size_t passes = 0;
    do {
      // CUPTI may ask for a few more than it planned; never for many.
      if (passes++ == 4 * counters_->passes())
        throw std::runtime_error("the counter passes do not end");
    } while (!pass(launch));
    return counters_->values(profiler_.counter_data());
  }
  const std::vector<std::string>& counters() const { return counters_->names(); }

 private:
  // True when it was the last one.
  bool pass(const Launch& launch) {
    snapshot_.restore();
    caches_.flush();
    profiler_.start();
    HEDDLE_CALL(launch.again());
    HEDDLE_CALL(cuCtxSynchronize());
    return profiler_.stop();
  }

  void forget() {
    caches_.forget();
    snapshot_.forget();
  }

  std::unique_ptr<CounterSet> counters_;
  RangeProfiler profiler_;
  CacheFlusher caches_;
  Snapshot snapshot_;
};

// The few counters of timing_counter_names(), each measured several times: what hardware differs
// from itself by is needed to judge what a model differs from it by.
class TimingMode final : public CountersMode {
 protected:
  std::string kind() const override { return "timing"; }
  std::vector<std::string> names() const override { return timing_counter_names(); }
  void measure(const Launch& launch, LaunchFragment& out) override {
    std::vector<std::vector<std::string>> samples(counters().size());
    for (unsigned i = 0; i < repeats(); ++i) {
      const std::vector<double> values = all_passes(launch);
      for (std::size_t k = 0; k < values.size(); ++k) samples[k].push_back(json_number(values[k]));
    }
    Members timing;
    for (std::size_t k = 0; k < samples.size(); ++k)
      timing.add_raw(counters()[k], json_array(samples[k]));
    out.other.add_raw("timing", timing.object());
  }
};

}  // namespace

std::unique_ptr<Mode> make_counters_mode() { return std::make_unique<CountersMode>(); }
std::unique_ptr<Mode> make_timing_mode() { return std::make_unique<TimingMode>(); }

}  // namespace heddle::cupti
