// --trace accelsim=FOLDER: the format that Accel-Sim replays (tracer version 5), for sm_75, sm_80
// and sm_86. A kernelslist.g, and a kernel-N.traceg per launch with its code, kernel-N.cubin,
// beside it: the format does not tell what the compiler says to the issue logic, which timing needs
// (traces/formats/accelsim_launch.hpp). Accel-Sim does not look at it.
//
// Not written: copies between host and device (which only warm Accel-Sim's L2), and source lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulator/base/display_names.hpp"
#include "simulator/base/output_file.hpp"
#include "traces/analysis/listing.hpp"
#include "traces/formats/trace.hpp"

namespace heddle::traces {

class AccelsimTrace : public Trace, private simulator::Observer {
 public:
  // Makes the folder. Throws std::invalid_argument when none is named.
  explicit AccelsimTrace(const TraceOptions& options);

  // Throws std::runtime_error for another architecture.
  simulator::Observer* begin_launch(std::uint64_t index, const simulator::LaunchRequest& request,
                                    const simulator::GpuModel& gpu) override;
  // A launch that faulted leaves the blocks that ended.
  void end_launch(const simulator::LaunchOutcome& outcome) override;

 private:
  // A warp's lines so far; a block is written when it has ended, as its lines follow each other.
  struct WarpLines {
    std::uint64_t count = 0;
    std::string text;
  };
  void block_started(const simulator::CoreView& core, const simulator::BlockView& block) override;
  void issued(const simulator::CoreView& core, const simulator::WarpView& warp,
              const simulator::Issue& issue) override;
  void block_ended(const simulator::CoreView& core, const simulator::BlockView& block) override;
  void write_header(const simulator::LaunchRequest& request);
  void write_code(const simulator::Module& module);

  const TraceOptions options_;
  const simulator::KernelFilter kernels_;
  const std::filesystem::path folder_;
  std::uint64_t kernels_written_ = 0;
  std::map<std::string, std::filesystem::path> code_written_;  // by its digest

  // Of the launch.
  std::unique_ptr<simulator::StreamFile> file_;
  std::optional<Listing> listing_;
  std::map<std::uint64_t, std::vector<WarpLines>> blocks_;
};

// The addresses of the lanes of a set as the format writes them: "1 0xBASE STRIDE" for lanes side
// by side at one stride, otherwise "2 0xBASE D1 D2 …" with the distances from lane to lane.
std::string accelsim_addresses(simulator::Mask lanes, const simulator::Addresses& address);

}  // namespace heddle::traces
