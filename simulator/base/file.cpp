#include "simulator/base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <utility>

namespace heddle::simulator {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what, int error) {
  throw std::runtime_error(fmt::format("{}: {}: {}", path.string(), what, std::strerror(error)));
}

void write_all(int descriptor, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, "cannot write", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void sync_directory(const std::filesystem::path& directory) {
  const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // the file itself is in place; some file systems refuse this
  fsync(descriptor);
  close(descriptor);
}

std::filesystem::path directory_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

}  // namespace

NewFile::NewFile(std::filesystem::path path) : path_(std::move(path)) {
  std::string pattern =
      fmt::format("{}/.{}.XXXXXX", directory_of(path_).string(), path_.filename().string());
  descriptor_ = mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail(path_, "cannot create a file beside it", errno);
  temporary_ = pattern;
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void NewFile::write(std::string_view bytes) {
  constexpr std::size_t kBuffer = 1 << 18;
  buffer_ += bytes;
  if (buffer_.size() >= kBuffer) flush();
}

void NewFile::flush() {
  write_all(descriptor_, buffer_, path_);
  buffer_.clear();
}

void NewFile::put_in_place() {
  flush();
  const mode_t mask = umask(0);  // mkstemp's 0600 is not what a user expects of a result
  umask(mask);
  if (fchmod(descriptor_, 0666 & ~mask) != 0) fail(path_, "cannot set its mode", errno);
  if (fsync(descriptor_) != 0) fail(path_, "cannot sync", errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "cannot rename", errno);
  temporary_.clear();
  sync_directory(directory_of(path_));
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  NewFile file(path);
  file.write(bytes);
  file.put_in_place();
}

std::string read_file(const std::filesystem::path& path, std::uint64_t limit) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, "cannot open", errno);
  std::string bytes;
  char buffer[1 << 16];
  while (file.read(buffer, sizeof buffer), file.gcount() > 0) {
    bytes.append(buffer, static_cast<std::size_t>(file.gcount()));
    if (bytes.size() > limit)
      throw std::runtime_error(fmt::format("{}: longer than {} bytes", path.string(), limit));
  }
  if (file.bad()) fail(path, "cannot read", errno);
  return bytes;
}

std::string compress(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  constexpr int kLevel = 19;  // these files are written once and committed
  const std::size_t size =
      ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kLevel);
  if (ZSTD_isError(size)) throw std::runtime_error(ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

std::string decompress(std::string_view bytes, std::uint64_t limit, std::string_view origin) {
  const std::uint64_t bound = std::min<std::uint64_t>(limit, kMaxRatio * bytes.size());
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  std::string out;
  std::vector<char> chunk(ZSTD_DStreamOutSize());
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  std::size_t state = 1;  // 0: the frame is complete
  while (state != 0) {
    ZSTD_outBuffer output{chunk.data(), chunk.size(), 0};
    state = ZSTD_decompressStream(stream.get(), &output, &input);
    if (ZSTD_isError(state))
      throw std::runtime_error(fmt::format("{}: {}", origin, ZSTD_getErrorName(state)));
    if (output.pos == 0 && input.pos == input.size && state != 0)
      throw std::runtime_error(fmt::format("{}: compressed data ends early", origin));
    out.append(chunk.data(), output.pos);
    if (out.size() > bound)
      throw std::runtime_error(fmt::format("{}: grows beyond {} bytes", origin, bound));
  }
  if (input.pos != input.size)
    throw std::runtime_error(fmt::format("{}: bytes after the compressed data", origin));
  return out;
}

}  // namespace heddle::simulator
