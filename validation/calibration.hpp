// From the records of the microbenchmarks to the timing constants of a GPU model. Nothing else goes
// into them: the suite that the model is judged by is not looked at.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "validation/micro_record.hpp"

namespace heddle::validation {

using MicroRecords = std::map<std::string, MicroRecord>;

// One constant that microbenchmarks give.
struct Calibrated {
  std::string name;
  std::uint64_t value = 0;
  std::string source;  // "measured: …": the questions, the program, the device and when
};

// In the order of the recipes (calibration.cpp). Throws std::runtime_error where a record or an
// answer is missing.
std::vector<Calibrated> calibrate(const MicroRecords& records);

// The model file `toml` with the rows of its table [timing] that microbenchmarks give written anew;
// all else stays as it is. Throws std::runtime_error naming the constant that has no row.
std::string calibrated_model(std::string_view toml, const MicroRecords& records);

}  // namespace heddle::validation
