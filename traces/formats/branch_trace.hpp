// --trace branches: after each launch, what every branch of it did and cost, as one line of JSON.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "traces/formats/divergence_report.hpp"

namespace heddle::traces {

struct BranchCost {
  std::string function;  // mangled
  std::uint64_t pc = 0;  // byte offset in it
  std::string line;      // "file.cu:12"; empty when unknown
  std::uint64_t executed = 0, divergent = 0;
  // Warp instructions while the warp was split here, innermost or not, and the lane slots of them
  // (32 each) whose lanes were on another side.
  std::uint64_t split_instructions = 0, lost_slots = 0;
};

struct LaunchBranches {
  std::uint64_t launch = 0;
  std::vector<BranchCost> branches;  // by place in the code; those that were executed
};

class BranchTrace : public DivergenceReport {
 public:
  using DivergenceReport::DivergenceReport;

 private:
  std::string text(std::uint64_t index, const simulator::LaunchRequest& request,
                   const simulator::GpuModel& gpu, const simulator::LaunchOutcome& outcome,
                   const DivergenceWatch& watch) override;
};

// What a BranchTrace wrote. Throws std::runtime_error naming the file.
std::vector<LaunchBranches> read_branches(const std::filesystem::path& file);

}  // namespace heddle::traces
