// Options that stand elsewhere than on the command line: in the environment (HEDDLE_THREADS for
// --threads), in ./heddle.toml, in the user's own heddle.toml. What is nearer to the command wins,
// in that order, and the command line before all.
//
//     threads = 0                  # for every command that has this option
//     metrics = ["branch_efficiency", "gld_efficiency"]
//     [run]                        # for heddle run alone; wins over the line without a table
//     per-pc = true
//
// Where results go is set by the user alone, never by a ./heddle.toml.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace heddle::cli {

struct Surroundings {
  const char* (*environment)(const char* name) = nullptr;  // getenv, or a stand-in for it
  std::vector<std::filesystem::path>
      files;  // the nearest first; those that are not there do not count
  // How many of them, from the first, came with the folder one works in. The folder may have been
  // downloaded: they set no option that has something written, or sources read, or programs run.
  std::size_t of_project = 0;
};

// This process's own.
Surroundings surroundings();

// Gives `arguments` what is set elsewhere for options that were not typed. Throws Usage with file,
// line and key.
void configure(Arguments& arguments, const Command& command, const Surroundings& around);

// --print-config: every option of the command, its value and where it was set.
std::string configuration_text(const Arguments& arguments, const Command& command);

// "HEDDLE_MAX_INSTRUCTIONS" of "max-instructions".
std::string environment_name(std::string_view option);

}  // namespace heddle::cli
