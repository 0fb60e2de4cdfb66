// Branches whose fate under nvcc 13.0 was recorded: the rows of validation/predication/*.csv.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "traces/sketch/predication.hpp"

namespace heddle::isa::sketch {

struct RecordedBranch {
  std::string text;  // the row
  std::string half;  // held-out kernels: "even" or "near" (a threshold)
  std::string arch, surroundings;
  Front front{};
  BranchShape shape;
  BranchOutcome outcome{};
};

std::string_view name(BranchOutcome outcome);
// Throws std::runtime_error with file and line where a row is not as
// gpu/kernels/micro/predication/held_out.py writes it.
std::vector<RecordedBranch> read_branches(const std::filesystem::path& file);

}  // namespace heddle::isa::sketch
