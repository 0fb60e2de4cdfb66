// How the stand-in hands records to the `heddle` command: a file of JSON lines, each written when
// it is known, so that a program that crashes leaves the launches it finished.
//
//   {"schema":"heddle.record-stream/2","process":4711,"device":…,"arch":…,"program":[…]}
//   {"names":[…]}              of the metrics of the launches that follow: written when they change
//   one launch, as in a record's "launches", but its "metrics" are a list of values
//   …
//   {"complete":true}          the program ended in an orderly way
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gpu/runtime/launch_observer.hpp"
#include "simulator/gpu_model.hpp"
#include "simulator/record.hpp"

namespace heddle::runtime {

struct RecordStreamOptions {
  long process = 0;
  std::vector<std::string> program;  // argv
  bool per_instruction = false;
  bool memory_digests = false;
};

class RecordStreamWriter : public LaunchObserver {
 public:
  // Takes `descriptor`. Throws std::system_error when the first line cannot be written.
  RecordStreamWriter(int descriptor, const simulator::GpuModel& model, RecordStreamOptions options);
  ~RecordStreamWriter() override;

  void nested(unsigned depth) override { nesting_ = depth; }
  void before(simulator::Device& device, const simulator::LaunchRequest& request) override;
  void after(simulator::Device& device, const simulator::LaunchRequest& request,
             const simulator::LaunchOutcome& outcome) override;
  void complete();

 private:
  void write_line(std::string line);

  const int descriptor_;
  const RecordStreamOptions options_;
  std::uint64_t launches_ = 0;
  std::vector<std::string> names_;  // of metrics, as written last
  unsigned nesting_ = 0;            // of the launch that executes
};

// A stream as a record; `complete` says whether its last line is there. A torn last line is left
// out. Throws std::runtime_error naming the file and the line.
simulator::Record read_record_stream(const std::filesystem::path& path);

}  // namespace heddle::runtime
