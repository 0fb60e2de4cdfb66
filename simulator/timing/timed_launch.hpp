// The course of a launch that is being timed. Internal to simulator/timing.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulator/timing/clusters.hpp"
#include "simulator/timing/launch.hpp"
#include "simulator/timing/sample.hpp"
#include "simulator/timing/slices.hpp"
#include "simulator/timing/sm.hpp"
#include "simulator/timing/sm_places.hpp"
#include "simulator/timing/threaded_sms.hpp"
#include "simulator/timing/timed_code.hpp"

namespace heddle::simulator::timing {

// The state of a launch that is being timed. `run` is its whole course.
class TimedLaunch {
 public:
  // `alone`: warp instructions before other host threads join; kForEver: none does.
  static constexpr std::uint64_t kForEver = ~std::uint64_t{0};
  TimedLaunch(const LaunchContext& context, const Options& options, std::uint32_t blocks_per_sm,
              DeviceTime& device, InstructionSource& source, std::uint64_t alone);

  void run();
  // Its SMs ran on several threads and one of them came too late: what it wrote has been put back,
  // and it is to begin anew on one.
  bool failed() const { return failed_; }
  TimedRun take();

 private:
  // Cycles that SMs run before they hear of one another; no answer of L2 comes earlier.
  static constexpr Cycle kLongestQuantum = 256;
  // A request's time is that of an issue up to `before` cycles ago. `barrier`: the least time in
  // which a cluster's barrier releases its warps.
  static Cycle longest_quantum(Cycle least_latency, Cycle before, Cycle barrier) {
    return std::clamp<Cycle>(std::min(least_latency - std::min(least_latency, before), barrier), 1,
                             kLongestQuantum);
  }
  // Warp instructions after which the launch's owner is asked whether to go on.
  static constexpr std::uint64_t kWatchInterval = 1 << 20;

  enum class Ran : std::uint8_t { ended, stopped, issued };
  // Until `instructions` have issued in all, nothing is left to happen, or the launch
  // stops.
  Ran run_until(std::uint64_t instructions);
  std::uint32_t sms_with_blocks() const;
  void place_sms();
  Cycle next_event() const;
  Cycle first_block_interval() const;
  Cycle sm_block_interval() const;
  std::uint64_t warps_of_block() const;
  void dispatch_first_blocks();
  void dispatch_next_blocks();
  void choose_sample(const Options& options);
  std::string why_not_sampled() const;
  void execute_untimed_blocks();
  void start_block(std::uint32_t sm, Cycle begin);
  std::unique_ptr<Block> take_spare();
  std::uint64_t issued() const;
  void choose_threads(const Options& options, DeviceTime& device, std::uint64_t alone);
  bool run_sms(Cycle end);
  void sort_requests();
  void answer_requests(Cycle end);
  bool reached_limit();
  bool told_to_stop(const Block& block);
  const Block& some_block() const;

  // cluster_dispatch.cpp
  std::optional<std::uint32_t> gpc_for_cluster() const;
  std::vector<std::uint32_t> places_for_cluster() const;
  void dispatch_clusters();
  void start_cluster(const std::vector<std::uint32_t>& places, Cycle begin);
  void end_in_cluster(const EndedBlock& ended);

  // sliced_launch.cpp
  bool count_blocks();
  bool count_block(const Slices::Stratum& stratum);
  void run_slices();
  bool begin_wave(Core& forward, const Slices::Wave& wave);
  bool bring_forward(Core& forward, Block& block, std::uint64_t instructions);
  Ran measure_wave(const Slices::Wave& wave);
  void add_sums(Result& result);
  Cycle launch_end() const;

  const LaunchContext& context_;
  const Constants constants_;
  const std::shared_ptr<const TimedCode> code_;
  Core core_;
  MemorySystem& memory_;
  std::vector<StallCycles> stalls_at_;
  SmContext shared_;
  std::uint64_t clock_ = 0;
  std::deque<GpcCache> gpcs_;
  std::deque<Sm> sms_;
  const std::uint64_t blocks_;
  const Dim3 cluster_;  // 1 × 1 × 1: blocks come one by one
  const std::uint32_t blocks_per_sm_;
  const Cycle quantum_;
  const std::uint64_t l1_bytes_;
  const std::uint32_t sm_count_;  // with those that get no block and are not in `sms_`
  const std::vector<SmPlace> sm_places_;
  std::uint64_t next_block_ = 0, blocks_ended_ = 0;  // next_block_: or cluster
  std::vector<Cycle> place_ready_;                   // when each SM can begin with another block
  std::optional<Slices> slices_;
  std::optional<Sample> sample_;
  std::size_t next_left_out_ = 0;  // of the sample's
  std::vector<Cycle> ends_;        // of timed blocks, where there is a sample
  std::string not_sampled_;        // why
  std::optional<ThreadedSms> threaded_;
  std::string one_thread_;  // why, where more were asked for
  bool failed_ = false;
  std::uint64_t untimed_ = 0;  // instructions executed and not timed
  std::uint64_t watch_due_ = kWatchInterval;
  Server ends_noticed_, cluster_starts_;
  Cycle now_ = 0, last_end_ = 0;
  std::vector<std::unique_ptr<Block>> spare_;
  std::vector<Request*> requests_, sorted_;
  std::vector<std::uint32_t> places_;  // in sorted_, by time
};

}  // namespace heddle::simulator::timing
