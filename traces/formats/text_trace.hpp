// --trace text: one line for each instruction a warp executes, written as it happens.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "simulator/base/display_names.hpp"
#include "simulator/base/output_file.hpp"
#include "traces/analysis/changes.hpp"
#include "traces/analysis/listing.hpp"
#include "traces/formats/trace.hpp"

namespace heddle::traces {

class TextTrace : public Trace, private simulator::Observer {
 public:
  // Writes to `options.file` or stderr.
  explicit TextTrace(const TraceOptions& options);

  simulator::Observer* begin_launch(std::uint64_t index, const simulator::LaunchRequest& request,
                                    const simulator::GpuModel& gpu) override;
  void end_launch(const simulator::LaunchOutcome& outcome) override;

 private:
  void issuing(const simulator::CoreView& core, const simulator::WarpView& warp,
               const simulator::Issue& next) override;
  void issued(const simulator::CoreView& core, const simulator::WarpView& warp,
              const simulator::Issue& issue) override;
  void block_ended(const simulator::CoreView& core, const simulator::BlockView& block) override;
  bool is_wanted(const simulator::CoreView& core, const simulator::WarpView& warp,
                 const simulator::Issue& issue);
  bool masks_changed(const simulator::WarpView& warp, const simulator::Issue& issue);
  void write_head();
  void write_line(const simulator::CoreView& core, const simulator::WarpView& warp,
                  const simulator::Issue& issue, const Changes& changes);
  void flush_now_and_then();

  const TraceOptions options_;
  const simulator::KernelFilter kernels_;
  const std::unique_ptr<simulator::StreamFile> file_;
  std::chrono::steady_clock::time_point last_flush_;
  bool head_written_ = false;

  // Of the launch.
  std::optional<Listing> listing_;
  std::uint64_t divergences_ = 0, lines_ = 0, left_out_ = 0;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::pair<Mask, Mask>> masks_;

  // Of the instruction that executes.
  ChangeWatch watch_;
  std::string bar_;
  std::uint64_t step_ = 0;
  bool watching_ = false;
};

}  // namespace heddle::traces
