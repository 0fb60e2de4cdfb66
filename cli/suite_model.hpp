// An entry of the suite on the model: its program run, or its capsules replayed.
#pragma once

#include <filesystem>
#include <string>

#include "simulator/launch/launch_settings.hpp"
#include "simulator/record/record.hpp"
#include "validation/suite.hpp"

namespace heddle::cli {

inline constexpr const char* kSuiteArch = "sm_90";  // what the records are of
inline constexpr std::uint64_t kMostOutput = 1 << 24;

// Where the launches of the suite come from.
struct SuiteSources {
  std::filesystem::path programs;  // empty: capsules are replayed
  std::filesystem::path capsules, records;
  simulator::LaunchSettings settings = {};  // not timed: counts and memory are wanted
};

// The record of the entry's times on hardware, which may not exist.
std::filesystem::path times_of(const validation::SuiteEntry& entry, const SuiteSources& sources);

struct SuiteRun {
  simulator::Record record;
  std::string output;  // what the program printed; capsules have none
};

// Throws std::runtime_error where the program fails or there is no capsule.
SuiteRun run_entry(const validation::SuiteEntry& entry, const SuiteSources& sources);

}  // namespace heddle::cli
