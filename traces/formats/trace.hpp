// What `--trace` writes of a run: which form, which instructions, where to.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/launch/launch.hpp"
#include "simulator/launch/observer.hpp"

namespace heddle::traces {

// Numbers "3", "0-7", "1,4-6"; nothing given: every number.
class Ranges {
 public:
  Ranges() = default;
  // Throws std::invalid_argument. `base`: 10, or 16 with or without 0x.
  explicit Ranges(std::string_view text, int base = 10);
  bool contains(std::uint64_t number) const;
  bool all() const { return ranges_.empty(); }
  std::uint64_t least() const;  // 0 where all() holds

 private:
  struct Range {
    std::uint64_t first, last;
  };
  std::vector<Range> ranges_;
};

struct TraceOptions {
  std::string form;         // "text" …
  std::string file;         // empty: stderr, for forms that can
  std::string kernel;       // as simulator::KernelFilter takes it
  Ranges blocks;            // linear indices
  Ranges warps;             // in their blocks
  Ranges pcs;               // bytes from the start of the function
  std::string source_file;  // of `lines`; empty: any
  Ranges lines;
  bool mask_changes = false;          // only where the lanes that execute are others than before
  std::uint64_t from_divergence = 0;  // begin at the n-th divergence; 0: at the start
  std::uint64_t most_lines = std::numeric_limits<std::uint64_t>::max();
  bool all_values = false;  // of every lane, however many differ
};

// By what the options are called: "trace" is "text" or "text=FILE", "trace-kernel" a name … Keys
// that are not of this list are left alone. Throws std::invalid_argument naming the key.
using TraceRequest = std::map<std::string, std::string>;
TraceOptions trace_options(const TraceRequest& request);
// A request as one line of text and back, for a process that is to make the trace. Throws
// std::invalid_argument.
std::string encode(const TraceRequest& request);
TraceRequest decode_trace_request(std::string_view text);

// A run that is traced. Its functions are called from one thread.
class Trace {
 public:
  virtual ~Trace() = default;
  // Before a launch: its observer, or null when nothing of it is wanted.
  virtual simulator::Observer* begin_launch(std::uint64_t index,
                                            const simulator::LaunchRequest& request,
                                            const simulator::GpuModel& gpu) = 0;
  virtual void end_launch(const simulator::LaunchOutcome& outcome) = 0;
  // In timed runs of programs: when a kernel or a copy of a stream happened on the device.
  struct StreamSlice {
    std::uint64_t stream = 0;  // 0: the legacy default stream
    std::string name;
    double begin = 0, end = 0;  // nanoseconds since the program began
  };
  virtual void stream_work(const StreamSlice&) {}
};

// `file` may hold %p, already expanded. Throws std::invalid_argument, std::runtime_error when the
// file cannot be written.
std::unique_ptr<Trace> make_trace(const TraceOptions& options);

}  // namespace heddle::traces
