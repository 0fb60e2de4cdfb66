// Runs launch capsules: what a program launched, without the program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/runtime/launch_observer.hpp"
#include "simulator/launch/launch_settings.hpp"
#include "simulator/record/record.hpp"
#include "traces/formats/trace.hpp"

namespace heddle::validation {

struct ReplayOptions {
  simulator::LaunchSettings settings = {};
  bool per_instruction = false;
  bool memory_digests = false;
  std::string gpu = {};  // id of the model to run on; empty: the one each was captured on
  std::function<void(std::string_view)> print = nullptr;  // what the kernels print
  std::shared_ptr<runtime::LaunchObserver> observer = nullptr;
  traces::Trace* trace = nullptr;  // sees every launch
  // Asked now and then; false: the launch is interrupted, and those behind it are left out.
  std::function<bool()> go_on = nullptr;
};

struct Replay {
  simulator::Record record;
  // Where memory afterwards is not what the capsule says it was: one line each.
  std::vector<std::string> memory_differences;
  std::vector<std::string> notes;  // what else a user should know of a launch
};

// Capsules of one folder, in the order of their launches, or the file itself. Throws
// std::runtime_error when there is none.
std::vector<std::filesystem::path> find_capsules(const std::filesystem::path& path);

// The number the file's name begins with, else `otherwise`.
std::uint64_t launch_index(const std::filesystem::path& file, std::uint64_t otherwise);

// The launches' indices are the numbers the files' names begin with, else their places in `files`.
Replay replay(const std::vector<std::filesystem::path>& files, const ReplayOptions& options);

}  // namespace heddle::validation
