// The launches heddle step goes through: a program's, captured while it runs once, or capsules'.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "cli/command.hpp"
#include "cli/temporary_folder.hpp"
#include "gpu/runtime/capsule.hpp"

namespace heddle::cli {

class StepLaunches {
 public:
  // Runs the program, if one is given.
  explicit StepLaunches(const Arguments& arguments);

  struct Chosen {
    runtime::Capsule capsule;
    std::filesystem::path file;
    std::uint64_t index = 0;  // of the launch in its program
  };
  // Those that -k, -s and -c choose, one in memory at a time.
  void for_chosen(const std::function<void(const Chosen&)>& visit) const;
  // The files of those alone.
  std::vector<std::filesystem::path> chosen_files() const;
  int status() const { return status_; }  // the program's own; 0 for capsules

 private:
  std::filesystem::path sketch_folder(const std::string& word) const;

  const Arguments& arguments_;
  TemporaryFolder captured_;
  std::vector<std::filesystem::path> files_;
  int status_ = 0;
};

// Where to look for source files: --source-folder; then, of a program, where the compiler found
// them and here; of a capsule or a sketch, beside it.
std::vector<std::filesystem::path> source_folders(const Arguments& arguments);

}  // namespace heddle::cli
