// What the page of the seed kernels is made of: their launches, each in four ways.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/models/gpu_model.hpp"
#include "simulator/record/record.hpp"
#include "simulator/warp/reconvergence_policies.hpp"

namespace heddle::validation {

// One entry of the suite: the launches of its program and of its sketch that belong together.
struct SeedEntry {
  const char* sketch;    // in traces/kernels
  std::size_t first;     // its launch there
  std::size_t launches;  // from there on
  const char* entry;     // of gpu/kernels/suite.toml
  const char* source;    // in gpu/kernels
};
const std::vector<SeedEntry>& seed_entries();

using Launches = std::vector<simulator::LaunchRecord>;

struct SeedLaunches {
  // Launch by launch, but for `derived`, which has each kernel once.
  Launches written, derived, model, hardware;
};

// `build`: "G" or "O3". Written sketches follow `predication`; derived ones have the branches that
// the build had, and follow none. Throws std::runtime_error where something is missing.
SeedLaunches seed_launches(const SeedEntry& entry, const std::string& build,
                           const std::string& predication);

// The launches of a written sketch on a GPU, and of an entry's capsules.
Launches run_written(const std::string& sketch, const std::string& predication,
                     const simulator::GpuModel& gpu);
Launches run_capsules(const std::string& name,
                      std::optional<simulator::ReconvergencePolicy> reconvergence = std::nullopt);

// What warps executed of one source line. Branches are those with a condition, and the rest by
// where they lead to.
struct LineCounts {
  std::uint64_t warps = 0, threads = 0;  // instructions
  std::uint64_t branches = 0, divergent = 0;
  std::uint64_t conditions = 0, next = 0, ahead = 0, back = 0, calls = 0;
};
// By line of `file`; 0: every line of another file, and what has none.
std::map<std::uint32_t, LineCounts> by_line(const simulator::LaunchRecord& launch,
                                            const std::string& file);

std::vector<std::string> lines_of(const std::filesystem::path& file);  // [0] is line 1
std::filesystem::path source_root();

}  // namespace heddle::validation
