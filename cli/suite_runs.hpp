// The suite's runs on the model: made one after another, or by the ranks of mpirun, and kept.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cli/ranks.hpp"
#include "cli/suite_model.hpp"

namespace heddle::cli {

class SuiteRuns : public RankTasks {
 public:
  // `folder`: where each run that has ended is kept, and found again; empty: none is kept. A run is
  // that of its entry, its program or capsules, how it is timed, and of this build.
  SuiteRuns(const std::vector<validation::SuiteEntry>& entries, const SuiteSources& sources,
            std::filesystem::path folder);
  // The entry's, which may be there already. Throws as run_entry.
  SuiteRun run(const validation::SuiteEntry& entry);

  void prepare() override;
  std::optional<std::size_t> next() override;
  // Gives why the entry cannot be run; nothing of it is kept then.
  std::optional<std::string> make(std::size_t job) override;
  void finished(std::size_t job, const std::string& trouble) override;

 private:
  SuiteRun made(const validation::SuiteEntry& entry) const;
  bool is_made(const validation::SuiteEntry& entry) const;
  std::filesystem::path file_of(const validation::SuiteEntry& entry) const;

  const std::vector<validation::SuiteEntry>& entries_;
  const SuiteSources& sources_;
  const std::filesystem::path folder_;
  const std::string build_;  // a digest of what executes launches
  std::vector<std::size_t> left_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::map<std::string, std::string> troubles_;  // by the entries' record names; guarded
};

}  // namespace heddle::cli
