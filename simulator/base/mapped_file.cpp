#include "simulator/base/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace heddle::simulator {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const auto fail = [&] {
    throw std::runtime_error(
        fmt::format("{}: cannot read: {}", path.string(), std::strerror(errno)));
  };
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail();
  struct stat status {};
  void* begin = MAP_FAILED;
  bool good = fstat(descriptor, &status) == 0;
  if (good && !S_ISREG(status.st_mode)) {
    good = false;
    errno = EISDIR;
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (good && size != 0) {
    begin = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    good = begin != MAP_FAILED;
  }
  const int error = errno;
  close(descriptor);
  errno = error;
  if (!good) fail();
  if (size != 0) bytes_ = {static_cast<const char*>(begin), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace heddle::simulator
