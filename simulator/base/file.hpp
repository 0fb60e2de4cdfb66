// Reading and writing whole files, safely: bounded on the way in, all or nothing on the way out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::simulator {

// A file that is written beside its place, then synced and renamed: after a crash or on a full disk
// there is the old file or the new one. All throw std::runtime_error naming the path.
class NewFile {
 public:
  explicit NewFile(std::filesystem::path path);
  ~NewFile();  // what was not put in place is removed
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  void write(std::string_view bytes);
  void put_in_place();

 private:
  void flush();
  const std::filesystem::path path_;
  std::string temporary_;  // empty: in place
  std::string buffer_;
  int descriptor_ = -1;
};
void write_file(const std::filesystem::path& path, std::string_view bytes);

// Throws std::runtime_error when the file cannot be read or is longer than `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit);

// Zstandard, one frame. decompress throws std::runtime_error naming `origin` when the input is not
// whole and valid, or would grow beyond `limit` bytes or beyond `kMaxRatio` times its size.
inline constexpr std::uint64_t kMaxRatio = 1000;
std::string compress(std::string_view bytes);
std::string decompress(std::string_view bytes, std::uint64_t limit, std::string_view origin);

}  // namespace heddle::simulator
