// How launches execute, from the options of heddle run.
#pragma once

#include <cstdint>
#include <string_view>

#include "cli/command.hpp"
#include "simulator/launch/launch_settings.hpp"

namespace heddle::cli {

inline constexpr std::uint64_t kMostThreads = 4096;

// `usual_instructions`: the limit where --max-instructions is not given; 0: none. Throws Usage.
simulator::LaunchSettings launch_settings(const Arguments& arguments,
                                          std::uint64_t usual_instructions);

// Whether this is --seed, and of --schedule random.
bool seeds_schedule(std::string_view option, const Arguments& arguments);

}  // namespace heddle::cli
