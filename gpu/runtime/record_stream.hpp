// How the stand-in hands records to the `heddle` command: a file of JSON lines, each written when
// it is known, so that a program that crashes leaves the launches it finished.
//
//   {"schema":"heddle.record-stream/3","process":4711,"device":…,"arch":…,"program":[…]}
//   {"names":[…]}              of the metrics of the launches that follow: written when they change
//   one launch, as in a record's "launches", but its "metrics" are a list of values; "seconds" is
//                              what the host took for it
//   {"index":…,"seconds":…,"as":7}  one that is otherwise as the last that took place 7 of 64:
//                              launches written in full take them in turn
//   {"library_call":{…}}       a routine that the host computed
//   {"running":{…}}            how far the next launch is, now and then while it runs
//   …
//   {"complete":true}          the program ended in an orderly way
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/runtime/launch_observer.hpp"
#include "simulator/base/output_file.hpp"
#include "simulator/device/device.hpp"
#include "simulator/models/gpu_model.hpp"
#include "simulator/record/record.hpp"

namespace heddle::runtime {

inline constexpr std::size_t kRecentLaunches = 64;

struct RecordStreamOptions {
  long process = 0;
  std::vector<std::string> program;  // argv
  bool per_instruction = false;
  bool memory_digests = false;
  std::chrono::steady_clock::time_point (*now)() = std::chrono::steady_clock::now;
};

// A launch that had not ended when its program was.
struct RunningLaunch {
  std::uint64_t index = 0;
  std::string kernel;
  std::uint64_t blocks_ended = 0, blocks = 0;
};

// A library's routine that the host computed: it has no counts (docs/record.md).
struct LibraryCall {
  std::uint64_t before = 0;  // index of the launch that came next
  std::string name;          // as the program called it, "cublasSgemm_v2"
  std::string type;          // of its elements, "float32"
  std::string shape;         // "m=64 n=32 k=16"
  bool operator==(const LibraryCall&) const = default;
};
nlohmann::ordered_json to_json(const LibraryCall& call);

class RecordStreamWriter : public LaunchObserver {
 public:
  // All throw std::runtime_error when a line cannot be written.
  RecordStreamWriter(std::unique_ptr<simulator::StreamFile> file, const simulator::GpuModel& model,
                     RecordStreamOptions options);

  void nested(unsigned depth) override { nesting_ = depth; }
  void before(simulator::Device& device, const simulator::LaunchRequest& request) override;
  bool during(const simulator::LaunchProgress& progress) override;
  void after(simulator::Device& device, const simulator::LaunchRequest& request,
             const simulator::LaunchOutcome& outcome) override;
  void unloading(const simulator::Module& module) override;
  void library_call(LibraryCall call);
  void complete();

 private:
  // What a launch's line is made of, but for its index and what the host took.
  struct Told {
    simulator::LaunchRequest request;  // without parameters, which no record has
    simulator::LaunchOutcome outcome;
    unsigned nesting = 0, gpu = 0;
  };
  bool may_be_told_again(const simulator::LaunchOutcome& outcome) const;
  static bool say_the_same(const Told& told, const Told& other);
  void write_line(std::string_view line);
  void write_again(std::uint64_t index, double seconds, std::size_t place);
  // Returns its place.
  std::size_t write_launch(std::uint64_t index, double seconds, std::string body);

  const std::unique_ptr<simulator::StreamFile> file_;
  const RecordStreamOptions options_;
  std::uint64_t launches_ = 0;
  std::vector<simulator::MetricName> names_;         // of metrics, as written last
  std::array<std::string, kRecentLaunches> recent_;  // their lines but for their indices
  // What these were made of, where another launch may say the same: most programs launch the same
  // kernels again and again, and a line takes longer than a small launch.
  std::array<std::optional<Told>, kRecentLaunches> told_;
  std::uint64_t in_full_ = 0;                    // launches so written
  unsigned nesting_ = 0;                         // of the launch that executes
  std::string kernel_;                           // of the launch that executes
  std::chrono::steady_clock::time_point begun_;  // when it began
  std::chrono::steady_clock::time_point due_;    // when its progress is written next
};

// Reads a stream, also one that is still being written.
class RecordStreamReader {
 public:
  // Throws std::runtime_error when the file cannot be read.
  explicit RecordStreamReader(const std::filesystem::path& path);
  // Called for each launch: the place it takes, and whether it is, but for its index, as the one
  // that had it before.
  using OnLaunch =
      std::function<void(const simulator::LaunchRecord& launch, std::size_t place, bool again)>;
  // Takes the whole lines that have been written since. False: there were none. Throws
  // std::runtime_error naming the file and the line.
  bool read_on(const OnLaunch& on_launch = {});
  // What was read so far; its device is empty where not even the first line was.
  simulator::Record& record() { return record_; }
  // What the host took for each of its launches.
  const std::vector<double>& seconds() const { return seconds_; }
  const std::vector<LibraryCall>& library_calls() const { return library_calls_; }
  // The launch that executes, as far as is known; none: none does, or it has just begun.
  const std::optional<RunningLaunch>& running() const { return running_; }

 private:
  struct Taken {
    std::size_t place = 0;
    bool again = false;
  };
  // Nothing where the line is no launch; one is the last of record_.
  std::optional<Taken> take(const std::string& line);

  const std::string path_;
  std::ifstream file_;
  std::string rest_;  // of a line that has not ended
  std::uint64_t lines_ = 0, in_full_ = 0;
  simulator::Record record_;
  std::vector<double> seconds_;
  std::vector<simulator::MetricName> names_;           // of the launches that follow
  std::array<std::size_t, kRecentLaunches> recent_{};  // where they are in record_
  std::optional<RunningLaunch> running_;
  std::vector<LibraryCall> library_calls_;
};

// A stream as a record; `complete` says whether its last line is there. A torn last line is left
// out. Throws std::runtime_error naming the file and the line.
simulator::Record read_record_stream(const std::filesystem::path& path);

}  // namespace heddle::runtime
