// An input as a file in memory, for readers that take a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

namespace heddle::isa {

class InputFile {
 public:
  InputFile() : descriptor_(memfd_create("input", MFD_CLOEXEC)) {
    if (descriptor_ < 0) std::abort();
    path_ = "/proc/self/fd/" + std::to_string(descriptor_);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() { close(descriptor_); }

  // Valid until the next call.
  const std::string& holding(std::span<const std::uint8_t> bytes) {
    const auto size = static_cast<ssize_t>(bytes.size());
    if (ftruncate(descriptor_, 0) != 0 ||
        pwrite(descriptor_, bytes.data(), bytes.size(), 0) != size)
      std::abort();
    return path_;
  }

 private:
  const int descriptor_;
  std::string path_;
};

}  // namespace heddle::isa
