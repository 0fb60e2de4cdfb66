// A folder that goes when it is done with; where its process was killed, when the next one makes
// its first.
#pragma once

#include <filesystem>

namespace heddle::cli {

class TemporaryFolder {
 public:
  TemporaryFolder();  // throws std::runtime_error when it cannot be made
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Those that are there, for a process that ends without its destructors. From any thread.
void remove_temporary_folders();

}  // namespace heddle::cli
