// A file mapped for reading: only what is looked at is read. Needs nothing of the C++ library.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <span>

namespace heddle::runtime::redirect {

class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (descriptor < 0) return;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      address_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    close(descriptor);
  }
  ~MappedFile() {
    if (address_ != MAP_FAILED) munmap(address_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const {
    if (address_ == MAP_FAILED) return {};
    return {static_cast<const std::byte*>(address_), size_};
  }

 private:
  void* address_ = MAP_FAILED;
  std::size_t size_ = 0;
};

}  // namespace heddle::runtime::redirect
