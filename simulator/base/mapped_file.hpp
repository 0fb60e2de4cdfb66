// A file's bytes, as large as it may be, without reading them into memory.
#pragma once

#include <filesystem>
#include <string_view>

namespace heddle::simulator {

// The file must not shrink meanwhile: reading behind its new end would end the program.
class MappedFile {
 public:
  // Throws std::runtime_error naming the path.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

}  // namespace heddle::simulator
