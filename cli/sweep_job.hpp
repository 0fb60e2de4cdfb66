// One run of a sweep, and what is kept of it: a file for each that has ended.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/sweep_plan.hpp"
#include "simulator/base/types.hpp"
#include "simulator/record/record.hpp"

namespace heddle::cli {

// What a kernel's launches did together: sums; of what is no sum the largest.
struct KernelResult {
  std::string kernel;  // as people read it
  std::uint64_t launches = 0;
  simulator::Dim3 grid, block;  // of the first
  simulator::MetricValues metrics;
  std::string limit;  // what keeps it from being faster, in a few words
};

struct JobResult {
  int status = 0;
  int interrupted = 0;  // by this signal, which was for the sweep; 0: it ended by itself
  std::string said;     // where it failed
  std::vector<KernelResult> kernels;
  bool failed() const { return status != 0 || kernels.empty(); }
};

// The kernels of a record, in the order in which they were first launched.
std::vector<KernelResult> summed(const simulator::Record& record);

// Runs `words` with heddle run and sums up its record.
JobResult run_job(const Job& job, const std::vector<std::string>& options);

// What is kept of a job, as JSON, and back. Throws nlohmann::json::exception for other text.
std::string job_text(const Job& job, const JobResult& result);
JobResult job_result(const std::string& text);

// Finished jobs on disk, each in a file of its own that appears as a whole.
class JobStore {
 public:
  // `options` and the contents of files that the words name are part of what a job is.
  JobStore(std::filesystem::path folder, std::vector<std::string> options);

  std::optional<JobResult> find(const Job& job) const;
  void keep(const Job& job, const std::string& text) const;  // of job_text

 private:
  std::filesystem::path file_of(const Job& job) const;

  const std::filesystem::path folder_;
  const std::vector<std::string> options_;
};

}  // namespace heddle::cli
