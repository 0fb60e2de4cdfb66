// Jobs that several processes make together: those that mpirun started (its "ranks").
//
// Only the module of cli/mpi links MPI; it is loaded when mpirun has started us. A build without
// Boost.MPI, and a machine without Open MPI, lack nothing else.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace heddle::cli {

class RankTasks {
 public:
  virtual ~RankTasks() = default;
  // On rank 0, before the first job. What it and the next two throw ends all ranks.
  virtual void prepare() = 0;
  // On rank 0: a job's number; nothing when all are handed out. From any thread.
  virtual std::optional<std::size_t> next() = 0;
  // On any rank: makes the job, and keeps what it gave on disk. Nothing: a signal ended it.
  virtual std::optional<std::string> make(std::size_t job) = 0;
  // On rank 0: what `make` returned. From any thread.
  virtual void finished(std::size_t job, const std::string& result) = 0;
};

// Whether mpirun started this process.
bool has_ranks();

// Hands the jobs out to the ranks, one after the other, as they ask. Rank 0 makes jobs too. Returns
// this process's rank once all are made. Throws std::runtime_error where the module is not there.
int share_among_ranks(RankTasks& tasks);

// What the module is and has.
inline constexpr const char* kRanksModule = "libheddle_ranks.so";
using ShareAmongRanks = int(RankTasks&);
inline constexpr const char* kShareAmongRanks = "heddle_share_among_ranks";

}  // namespace heddle::cli
