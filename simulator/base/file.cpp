#include "simulator/base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

namespace heddle::simulator {
namespace {

constexpr std::size_t kReadAtOnce = 1 << 16;

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what, int error) {
  throw std::runtime_error(fmt::format("{}: {}: {}", path.string(), what, std::strerror(error)));
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::uint64_t limit) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, "cannot open", errno);
  std::string bytes;
  std::vector<char> buffer(kReadAtOnce);
  while (file.read(buffer.data(), kReadAtOnce), file.gcount() > 0) {
    bytes.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
    if (bytes.size() > limit)
      throw std::runtime_error(fmt::format("{}: longer than {} bytes", path.string(), limit));
  }
  if (file.bad()) fail(path, "cannot read", errno);
  return bytes;
}

std::string read_regular_file(const std::filesystem::path& path, std::uint64_t limit) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) fail(path, "cannot open", errno);
  struct stat facts {};
  const bool regular = fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
  std::string bytes;
  std::vector<char> buffer(kReadAtOnce);
  ssize_t got = 0;
  while (regular && bytes.size() <= limit) {
    got = read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
  }
  const int error = got < 0 ? errno : 0;
  close(descriptor);
  if (!regular) throw std::runtime_error(fmt::format("{}: not a regular file", path.string()));
  if (error != 0) fail(path, "cannot read", error);
  if (bytes.size() > limit)
    throw std::runtime_error(fmt::format("{}: longer than {} bytes", path.string(), limit));
  return bytes;
}

// Files that are written once and committed take the best.
std::string compress(std::string_view bytes, int level) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level);
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
