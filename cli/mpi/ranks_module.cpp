// Jobs handed out over MPI: a rank asks rank 0 for a job, makes it, and sends what it gave with its
// next request. Two messages for each job.
//
// Nobody waits inside MPI: Open MPI would keep a core busy, which jobs need.
#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/serialization/string.hpp>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "cli/ranks.hpp"

namespace heddle::cli {
namespace {

namespace mpi = boost::mpi;

enum Tag { kRequest, kJob };
constexpr std::int64_t kNone = -1;
constexpr int kInterrupted = 130, kTroubled = 2;

// What a rank asks with: the job that it has made, or kNone, and what that gave.
struct Request {
  std::int64_t made = kNone;
  std::string result;
  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& made& result;
  }
};

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

// A program that is swept is no rank of ours, even if it uses MPI.
void hide_mpirun() {
  std::vector<std::string> names;
  for (char** each = environ; *each != nullptr; ++each)
    for (const char* prefix : {"OMPI_", "PMIX_", "PMI_", "ORTE_"})
      if (std::strncmp(*each, prefix, std::strlen(prefix)) == 0)
        names.emplace_back(*each, std::strcspn(*each, "="));
  for (const std::string& name : names) unsetenv(name.c_str());
}

// Makes jobs of rank 0 itself while it hands out the others.
class OwnJobs {
 public:
  explicit OwnJobs(RankTasks& tasks) : tasks_(tasks), thread_([this] { work(); }) {}
  ~OwnJobs() { thread_.join(); }
  OwnJobs(const OwnJobs&) = delete;
  OwnJobs& operator=(const OwnJobs&) = delete;
  bool is_done() const { return done_; }
  // After is_done(): rethrows what ended it; false: a signal did.
  bool check() const {
    if (error_) std::rethrow_exception(error_);
    return !interrupted_;
  }

 private:
  void work() {
    try {
      while (const auto job = tasks_.next()) {
        const auto result = tasks_.make(*job);
        interrupted_ = !result;
        if (interrupted_) break;
        tasks_.finished(*job, *result);
      }
    } catch (...) {
      error_ = std::current_exception();
    }
    done_ = true;
  }

  RankTasks& tasks_;
  std::exception_ptr error_;
  bool interrupted_ = false;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

// False: a signal ended a job.
bool hand_out(const mpi::communicator& world, RankTasks& tasks) {
  tasks.prepare();
  OwnJobs own(tasks);
  for (int asking = world.size() - 1; asking > 0 || !own.is_done();) {
    if (own.is_done() && !own.check()) return false;
    const auto waiting = world.iprobe(mpi::any_source, kRequest);
    if (!waiting) {
      nap();
      continue;
    }
    Request request;
    world.recv(waiting->source(), kRequest, request);
    if (request.made != kNone)
      tasks.finished(static_cast<std::size_t>(request.made), request.result);
    const auto job = tasks.next();
    world.send(waiting->source(), kJob, job ? static_cast<std::int64_t>(*job) : kNone);
    if (!job) --asking;
  }
  return own.check();
}

bool make_jobs(const mpi::communicator& world, RankTasks& tasks) {
  for (Request request;;) {
    world.send(0, kRequest, request);
    while (!world.iprobe(0, kJob)) nap();
    std::int64_t job = kNone;
    world.recv(0, kJob, job);
    if (job == kNone) return true;
    auto result = tasks.make(static_cast<std::size_t>(job));
    if (!result) return false;
    request = {.made = job, .result = std::move(*result)};
  }
}

// As MPI_Barrier, asleep.
void wait_for_all(const mpi::communicator& world) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(world, &request);
  for (int done = 0; done == 0; nap()) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

}  // namespace
}  // namespace heddle::cli

extern "C" int heddle_share_among_ranks(heddle::cli::RankTasks& tasks) {
  using namespace heddle::cli;
  const mpi::environment environment(mpi::threading::funneled, false);
  const mpi::communicator world;
  hide_mpirun();
  try {
    if (!(world.rank() == 0 ? hand_out(world, tasks) : make_jobs(world, tasks)))
      environment.abort(kInterrupted);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle: rank %d: %s\n", world.rank(), error.what());
    environment.abort(kTroubled);
  }
  wait_for_all(world);
  return world.rank();
}
