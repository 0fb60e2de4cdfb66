// heddle sweep: many runs of one command.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

#include "cli/commands.hpp"
#include "cli/difference_page.hpp"
#include "cli/ranks.hpp"
#include "cli/selection.hpp"
#include "cli/sweep_text.hpp"
#include "simulator/base/file.hpp"
#include "traces/viewer/page.hpp"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kMostProcesses = 1024;

// Of every run.
std::vector<std::string> run_options(const Arguments& arguments) {
  std::vector<std::string> options = {"--timing=" + arguments.value("timing", "on")};
  for (const char* option : {"kernel", "timeout", "max-instructions"})
    if (arguments.has(option))
      options.push_back(fmt::format("--{}={}", option, arguments.value(option)));
  return options;
}

// The first decides.
std::vector<const simulator::Metric*> columns(const Arguments& arguments) {
  std::vector<const simulator::Metric*> metrics;
  const auto add = [&](const simulator::Metric* metric) {
    if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
  };
  if (arguments.has("best")) add(&metric_of("--best", arguments.value("best")));
  for (const simulator::Metric* metric : chosen_metrics(arguments)) add(metric);
  if (!metrics.empty()) return metrics;
  if (arguments.value("timing", "on") == "on")
    add(simulator::find_metric("gpu__time_duration.sum"));
  for (const char* name : {"inst_executed", "smsp__sass_sectors_mem_global.sum"})
    add(simulator::find_metric(name));
  return metrics;
}

// Of a share, and of what is done in a time, there can be more; of all else there should be less.
bool wants_most(const Arguments& arguments, const simulator::Metric& metric) {
  if (arguments.has("most")) return true;
  return metric.unit == "%" || metric.unit.ends_with("/s") || metric.unit.ends_with("/cycle");
}

// Of --per: the axes that say what is computed, and not how.
std::vector<std::size_t> problem_axes(const Arguments& arguments, const SweepPlan& plan) {
  std::vector<std::size_t> axes;
  Names labels;
  for (const Axis& axis : plan.axes) labels.push_back(axis.label());
  for (const std::string& name : arguments.list("per")) {
    const auto found = std::ranges::find(labels, name);
    if (found == labels.end())
      throw Usage(fmt::format("--per: no list is named {}{}", name, suggestion(name, labels)));
    axes.push_back(static_cast<std::size_t>(found - labels.begin()));
  }
  return axes;
}

// Makes the jobs that are missing: on as many threads as processes are wanted, or on ranks.
class Runner : public RankTasks {
 public:
  Runner(Sweep& sweep, const Arguments& arguments)
      : sweep_(sweep),
        arguments_(arguments),
        options_(run_options(arguments)),
        store_(arguments.value("output", "heddle-sweep"), options_) {}

  // The signal that ended it; 0: none.
  int run(std::uint64_t processes) {
    prepare();
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(processes, left_.size()); ++i)
      threads.emplace_back([this] { work(); });
    for (std::thread& each : threads) each.join();
    if (!error_.empty()) throw std::runtime_error(error_);
    return signal_;
  }

  void prepare() override {
    for (std::size_t job = 0; job < sweep_.plan.jobs.size(); ++job) {
      sweep_.results[job] = store_.find(sweep_.plan.jobs[job]);
      const bool again =
          sweep_.results[job] && sweep_.results[job]->failed() && arguments_.has("retry-failed");
      if (!sweep_.results[job] || again) left_.push_back(job);
    }
    if (left_.size() != sweep_.plan.jobs.size())
      fmt::print(stderr, "heddle: {} of {} runs were made before\n",
                 sweep_.plan.jobs.size() - left_.size(), sweep_.plan.jobs.size());
  }

  std::optional<std::size_t> next() override {
    const std::size_t next = next_++;
    if (next >= left_.size() || signal_ != 0 || stopped_) return std::nullopt;
    return left_[next];
  }

  std::optional<std::string> make(std::size_t number) override {
    const Job& job = sweep_.plan.jobs[number];
    const JobResult result = run_job(job, options_);
    if (result.interrupted != 0) {  // it has not finished
      signal_ = result.interrupted;
      return std::nullopt;
    }
    const std::string text = job_text(job, result);
    store_.keep(job, text);
    return text;
  }

  void finished(std::size_t number, const std::string& text) override {
    const JobResult result = job_result(text);
    std::lock_guard lock(mutex_);
    sweep_.results[number] = result;
    ++done_;
    if (!arguments_.has("no-progress"))
      fmt::print(stderr, "heddle: {} of {}: {}{}\n", done_, left_.size(),
                 visible(fmt::format("{}", fmt::join(sweep_.plan.jobs[number].values, " "))),
                 result.failed() ? "  failed" : "");
  }

 private:
  void work() {
    try {
      while (const auto job = next())
        if (const auto text = make(*job)) finished(*job, *text);
    } catch (const std::exception& failure) {
      std::lock_guard lock(mutex_);
      error_ = failure.what();
      stopped_ = true;
    }
  }

  Sweep& sweep_;
  const Arguments& arguments_;
  const std::vector<std::string> options_;
  const JobStore store_;
  std::vector<std::size_t> left_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<int> signal_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::string error_;
};

// `color`: where --color is not given.
void write_results(const Sweep& sweep, const Arguments& arguments, const char* color) {
  const Style style = Style::choose(arguments.value("color", color), STDOUT_FILENO);
  if (arguments.value("csv") != simulator::kStandardOutput)
    std::fputs(sweep_table(sweep, style).c_str(), stdout);
  if (arguments.has("csv")) simulator::write_file(arguments.value("csv"), sweep_csv(sweep));
  if (arguments.has("html"))
    simulator::write_file(arguments.value("html"),
                          traces::filled_page({{"sweep", sweep_json(sweep)}}, {}));
}

// A command line that every run refuses is a mistake of the one who typed the sweep.
void check_some_run_was_understood(const Sweep& sweep) {
  constexpr std::string_view kBegin = "heddle: ";
  const auto refused = [&](const std::optional<JobResult>& each) {
    return each && each->status == kTrouble && each->said.starts_with(kBegin);
  };
  if (!std::ranges::all_of(sweep.results, refused)) return;
  const std::string& said = sweep.results.front()->said;
  throw Usage(said.substr(kBegin.size(), said.find('\n') - kBegin.size()));
}

}  // namespace

int run_sweep(const Arguments& arguments) {
  Sweep sweep;
  sweep.plan = sweep_plan(arguments);
  sweep.per = problem_axes(arguments, sweep.plan);
  sweep.results.resize(sweep.plan.jobs.size());
  sweep.metrics = columns(arguments);
  sweep.most = wants_most(arguments, *sweep.metrics.front());
  const std::uint64_t processes = arguments.number("jobs", kMostProcesses).value_or(1);
  if (arguments.has("html")) check_viewer();
  Runner runner(sweep, arguments);
  const bool on_ranks = has_ranks();
  if (on_ranks) {
    if (arguments.has("jobs"))
      throw Usage("--jobs: each rank of mpirun makes one run at a time; start more ranks");
    if (share_among_ranks(runner) != 0) return 0;
  } else if (const int signal = runner.run(
                 processes == 0 ? std::max(1u, std::thread::hardware_concurrency()) : processes);
             signal != 0) {
    fmt::print(stderr, "heddle: stopped; the same command makes the missing runs\n");
    return kSignalled + signal;
  }
  check_some_run_was_understood(sweep);
  // mpirun gives its ranks a terminal, wherever its own output goes.
  write_results(sweep, arguments, on_ranks ? "never" : "auto");
  const bool failed =
      std::ranges::any_of(sweep.results, [](const auto& each) { return !each || each->failed(); });
  return failed ? kDifferent : 0;
}

}  // namespace heddle::cli
