// Reads what a program's processes write of their launches while they run, and writes the record
// meanwhile: a program ended after its millionth launch does not keep its user waiting.
#pragma once

#include <array>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gpu/runtime/record_stream.hpp"
#include "simulator/base/file.hpp"
#include "simulator/record/record_json.hpp"

namespace heddle::cli {

struct ProcessRecord {
  long process = 0;
  simulator::Record record;
  bool written = false;                           // to its file
  std::optional<runtime::RunningLaunch> running;  // when the program was ended
  std::vector<runtime::LibraryCall> library_calls = {};
  std::string more = {};  // further members of the record's file (RecordJson::end)
};

class RecordFollower {
 public:
  // `streams`: a folder where each process's stream is named by its number. `file`: of the record,
  // "%p" in it becomes the process; empty: none is written. `host_time`: with what the host took
  // for each launch.
  RecordFollower(std::filesystem::path streams, std::string file, bool host_time = false);
  ~RecordFollower();
  RecordFollower(const RecordFollower&) = delete;
  RecordFollower& operator=(const RecordFollower&) = delete;

  // Once they have ended: of each process that launched a kernel, be it one that
  // has not ended, in order of their numbers. Files
  // are in place, unless several would be one. Throws what reading or writing has thrown.
  std::vector<ProcessRecord> finish();

 private:
  class Process;
  void follow();
  bool look();

  const std::filesystem::path streams_;
  const std::string file_;
  const bool host_time_;
  std::map<long, std::unique_ptr<Process>> processes_;
  std::exception_ptr failure_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace heddle::cli
