// --trace perfetto=FILE: a timeline in the trace-event JSON that ui.perfetto.dev opens.
//
// One process per SM, one track per warp on it (named with its sub-core where the launch is timed),
// a slice per instruction, and a counter of the lanes that execute. Timed launches have slices for
// what warps wait for too, and a microsecond on the screen is a cycle; in others it is a step.
// Streams of a timed program are a process of their own, with kernels and copies as they overlap:
// there a microsecond is a nanosecond since the program began.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "simulator/base/display_names.hpp"
#include "simulator/base/output_file.hpp"
#include "traces/analysis/listing.hpp"
#include "traces/formats/trace.hpp"

namespace heddle::traces {

class PerfettoTrace : public Trace, private simulator::Observer {
 public:
  explicit PerfettoTrace(const TraceOptions& options);  // throws std::runtime_error
  ~PerfettoTrace() override;

  simulator::Observer* begin_launch(std::uint64_t index, const simulator::LaunchRequest& request,
                                    const simulator::GpuModel& gpu) override;
  // The file is whole after each launch.
  void end_launch(const simulator::LaunchOutcome& outcome) override;
  void stream_work(const StreamSlice& slice) override;

 private:
  struct Track {
    std::uint64_t process = 0, thread = 0;
    std::uint64_t block = 0;
    std::uint32_t warp = 0;
    unsigned active = ~0u;  // lanes, as last written
    // What it waits for, not written yet.
    std::string_view reason;
    std::uint64_t from = 0, until = 0;
  };

  void issuing(const simulator::CoreView& core, const simulator::WarpView& warp,
               const simulator::Issue& next) override;
  void issued(const simulator::CoreView&, const simulator::WarpView&,
              const simulator::Issue&) override {}
  void waited(const simulator::CoreView& core, const simulator::WarpView& warp,
              const simulator::Waited& wait) override;
  bool is_wanted(const simulator::WarpView& warp) const;
  Track& track_of(const simulator::WarpView& warp);
  void name_track(const simulator::WarpView& warp, const Track& track, int sub_core);
  void write_wait(Track& track);
  void write_lanes(Track& track, std::uint64_t time, unsigned lanes);
  void write(const std::string& event);
  void open_list();
  void close_list();

  const TraceOptions options_;
  const simulator::KernelFilter kernels_;
  simulator::StreamFile file_;
  bool empty_ = true, whole_ = false;  // whole: the list's end is written

  // Of the launch.
  std::optional<Listing> listing_;
  std::string kernel_;
  std::uint64_t start_ = 0;             // on the timeline
  std::optional<std::uint64_t> first_;  // cycle or step of its first event
  std::uint64_t end_ = 0;               // of all so far
  std::uint64_t lines_ = 0;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Track> tracks_;  // by block and warp
  std::set<std::pair<std::uint64_t, std::uint64_t>> named_;
};

}  // namespace heddle::traces
