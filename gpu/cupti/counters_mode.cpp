// Hardware counters of a launch. There are more counters than the hardware has registers for, so
// the launch is repeated, one pass after another, each from the same device memory and with the
// caches empty; then the program's own launch follows, not measured. CUPTI's own kernel replay is
// not used: it restores memory right before a pass, so the caches are full of what it wrote
// (measured: 3.4 MB of DRAM writes in a kernel that has none).
#include <memory>

#include "gpu/cupti/caches.hpp"
#include "gpu/cupti/check.hpp"
#include "gpu/cupti/mode.hpp"
#include "gpu/cupti/range_profiler.hpp"
#include "gpu/cupti/snapshot.hpp"

namespace heddle::cupti {
namespace {

class CountersMode final : public Mode {
 public:
  Members header(CUdevice device) override {
    CUcontext context = nullptr;
    HEDDLE_CALL(cuCtxGetCurrent(&context));
    counters_ = std::make_unique<CounterSet>(context, device);
    Members members;
    members.add("counter_passes", std::uint64_t{counters_->passes()});
    return members;
  }

  void before(const Launch& launch, const DeviceMemory& memory, LaunchFragment& out) override {
    if (profiler_.context() != launch.context) {
      profiler_.disable();
      forget();
      profiler_.enable(launch.context, *counters_);
    }
    profiler_.begin_launch(*counters_);
    snapshot_.take(memory);
    std::size_t passes = 0;
    do {
      // CUPTI may ask for a few more than it planned; never for many.
      if (passes++ == 4 * counters_->passes())
        throw std::runtime_error("the counter passes do not end");
    } while (!pass(launch));
    snapshot_.restore();
    const std::vector<double> values = counters_->values(profiler_.counter_data());
    for (std::size_t i = 0; i < values.size(); ++i)
      out.metrics.add(counters_->names()[i], values[i]);
  }

  void after(const Launch&, const DeviceMemory&, LaunchFragment&) override {}

  void context_ends(CUcontext context) override {
    if (context != profiler_.context()) return;
    profiler_.disable();
    forget();
  }

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

}  // namespace

std::unique_ptr<Mode> make_counters_mode() { return std::make_unique<CountersMode>(); }

}  // namespace heddle::cupti
