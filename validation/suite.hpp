// The suite: the programs of gpu/kernels as gpu/kernels/suite.toml lists them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::validation {

// One program with its arguments, built one way.
struct SuiteEntry {
  std::string name;     // "reduce_integer"
  std::string program;  // folder in gpu/kernels
  std::string build;    // "O3" or "G"
  std::vector<std::string> arguments;

  // What its record is called: "reduce_integer.sm_90.O3".
  std::string record_name(const std::string& arch) const { return name + "." + arch + "." + build; }
  // What gpu/kernels/build.sh calls the program.
  std::string program_name(const std::string& arch) const {
    return program + "." + arch + "." + build;
  }
};

// A comparison of two kernels that a suite is there to make: time of the slower over time of the
// faster.
struct SuiteRatio {
  std::string meaning;
  std::string seed;  // what the source of the comparison reports: a number, or words
  struct Place {
    std::string entry, kernel;  // kernel: its name without parameters, demangled
  } slower, faster;
};

// A metric of one kernel that a source or a page speaks of.
struct SuiteValue {
  std::string meaning, seed;  // seed: as above; empty: no source reports it
  std::string metric;         // by any of its names
  SuiteRatio::Place place;
};

// Two ways to write the same. A variant may be several kernels of the entry, one behind another.
struct SuitePair {
  std::string name, entry;
  std::vector<std::string> first, second;  // kernels: names without parameters, demangled
  bool unused = false;  // while the model was developed: nobody looked at it to find causes
};

// Those of the suite's [[ratio]], [[pair]] and [[value]] tables; most suites have none. Throws as
// read_suite.
std::vector<SuiteRatio> read_ratios(const std::filesystem::path& file);
std::vector<SuitePair> read_pairs(const std::filesystem::path& file);
std::vector<SuiteValue> read_values(const std::filesystem::path& file);

// Throws std::runtime_error with file, line and key.
std::vector<SuiteEntry> read_suite(const std::filesystem::path& file);

}  // namespace heddle::validation
