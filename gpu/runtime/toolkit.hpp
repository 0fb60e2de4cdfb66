// The CUDA Toolkit's own programs, where it is installed: ptxas and nvlink.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::runtime {

// A file in memory, which a tool opens by its descriptor: nothing is left behind, however we end.
// Throws std::system_error.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::string path() const;
  void write(std::string_view text) const;
  std::vector<std::byte> read() const;

 private:
  int descriptor_;
};

// A tool by its name: what the variable HEDDLE_PTXAS (HEDDLE_NVLINK, …) names, else in
// CUDA_HOME/bin, CUDA_PATH/bin, PATH, /usr/local/cuda/bin. Empty: there is none.
std::string find_tool(const std::string& name);

// Runs a command to its end. What it says goes to `output`. Throws std::system_error where it
// cannot be started.
void run_tool(std::vector<std::string> command, const MemoryFile& output);

}  // namespace heddle::runtime
