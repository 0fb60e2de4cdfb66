#include "cli/record_follower.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <utility>

#include "gpu/runtime/losses.hpp"
#include "gpu/runtime/options.hpp"
#include "simulator/base/json.hpp"

namespace heddle::cli {

namespace fs = std::filesystem;

namespace {

// Behind a record's launches.
std::string text_of(const runtime::RunningLaunch& launch) {
  const nlohmann::ordered_json json = {{"index", launch.index},
                                       {"kernel", launch.kernel},
                                       {"blocks_ended", launch.blocks_ended},
                                       {"blocks", launch.blocks}};
  return fmt::format(",\n \"running\": {}",
                     json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

std::string text_of(const std::vector<double>& seconds) {
  return fmt::format(",\n \"host_seconds\": [{:.9f}]", fmt::join(seconds, ", "));
}

// The same; empty where there are none.
std::string text_of(const std::vector<runtime::LibraryCall>& calls) {
  std::string text;
  for (const runtime::LibraryCall& call : calls) {
    text += text.empty() ? ",\n \"library_calls\": [\n  " : ",\n  ";
    text += to_json(call).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }
  return text.empty() ? text : text + "\n ]";
}

}  // namespace

// A compressed record is written at the end, and so is one that is not put in place as a whole: the
// program's own output may go to the same pipe.
class RecordFollower::Process {
 public:
  Process(long number, const fs::path& stream, const std::string& file, bool host_time)
      : number_(number), host_time_(host_time), reader_(stream) {
    if (!file.empty()) path_ = runtime::expand_process(file, number);
    if (path_.extension() == ".zst" ||
        (!path_.empty() && !simulator::is_replaced_as_a_whole(path_)))
      path_.clear();
  }

  bool look() {
    return reader_.read_on([this](const auto& launch, std::size_t place, bool again) {
      if (path_.empty()) return;
      if (!json_) begin();
      if (!again) bodies_[place] = simulator::RecordJson::body(launch);
      json_->add(launch.index, bodies_[place]);
    });
  }
  bool launched() {
    return !reader_.record().launches.empty() || !reader_.library_calls().empty() ||
           reader_.running();
  }
  ProcessRecord finish(bool in_place) {
    if (!json_ && !path_.empty()) begin();
    ProcessRecord result{number_, std::move(reader_.record()), false, reader_.running(),
                         reader_.library_calls()};
    result.more = text_of(result.library_calls);
    if (result.running) result.more += text_of(*result.running);
    if (host_time_) result.more += text_of(reader_.seconds());
    if (!json_ || !in_place) return result;
    json_->end(result.record.complete, result.more);
    written_->put_in_place();
    result.written = true;
    return result;
  }

 private:
  void begin() {
    written_.emplace(path_);
    json_.emplace(reader_.record(), [this](std::string_view text) { written_->write(text); });
  }

  const long number_;
  const bool host_time_;
  runtime::RecordStreamReader reader_;
  fs::path path_;  // empty: nothing is written
  std::optional<simulator::NewFile> written_;
  std::optional<simulator::RecordJson> json_;
  std::array<std::string, runtime::kRecentLaunches> bodies_;
};

RecordFollower::RecordFollower(fs::path streams, std::string file, bool host_time)
    : streams_(std::move(streams)),
      file_(std::move(file)),
      host_time_(host_time),
      thread_([this] { follow(); }) {}

RecordFollower::~RecordFollower() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void RecordFollower::follow() {
  constexpr std::chrono::milliseconds kPause{20};
  std::unique_lock lock(mutex_);
  while (!stop_ && !failure_) {
    lock.unlock();
    bool any = false;
    try {
      any = look();
    } catch (...) {
      failure_ = std::current_exception();
    }
    lock.lock();
    if (!any) ended_.wait_for(lock, kPause, [this] { return stop_; });
  }
}

// Whether anything was there that had not been read.
bool RecordFollower::look() {
  for (const auto& entry : fs::directory_iterator(streams_)) {
    if (entry.path().filename() == runtime::kLossesFile) continue;
    const long number = std::stol(entry.path().filename().string());
    if (!processes_.contains(number))
      processes_.emplace(number,
                         std::make_unique<Process>(number, entry.path(), file_, host_time_));
  }
  bool any = false;
  for (const auto& [number, process] : processes_) any |= process->look();
  return any;
}

std::vector<ProcessRecord> RecordFollower::finish() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  ended_.notify_all();
  thread_.join();
  if (failure_) std::rethrow_exception(failure_);
  look();
  std::erase_if(processes_, [](const auto& each) { return !each.second->launched(); });
  const bool in_place = processes_.size() == 1 || file_.find("%p") != file_.npos;
  std::vector<ProcessRecord> records;
  for (const auto& [number, process] : processes_) records.push_back(process->finish(in_place));
  return records;
}

}  // namespace heddle::cli
