#include "simulator/base/output_target.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace heddle::simulator {
namespace {

namespace fs = std::filesystem;

// 3 of /dev/fd/3 and of its other names.
std::optional<int> named_descriptor(const fs::path& path) {
  const std::string text = path.string();
  for (const std::string& folder :
       {std::string("/dev/fd/"), std::string("/proc/self/fd/"),
        std::string("/proc/thread-self/fd/"), fmt::format("/proc/{}/fd/", getpid())}) {
    if (!text.starts_with(folder)) continue;
    int number = -1;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data() + folder.size(), end, number);
    if (error == std::errc() && at == end && number >= 0) return number;
  }
  return std::nullopt;
}

// The links of /proc name things that have no path.
bool is_link(const fs::path& path) {
  struct stat now {};
  return !path.string().starts_with("/proc/") && lstat(path.c_str(), &now) == 0 &&
         S_ISLNK(now.st_mode);
}

fs::path folder_to_write(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

void need(const fs::path& place, int access, const fs::path& path) {
  if (faccessat(AT_FDCWD, place.c_str(), access, AT_EACCESS) != 0) output_failure(path, errno);
}

}  // namespace

void output_failure(const fs::path& path, int error) {
  throw std::runtime_error(
      fmt::format("{}: cannot be written: {}", path.string(), std::strerror(error)));
}

OutputTarget output_target(const fs::path& path) {
  constexpr int kMostLinks = 40;
  OutputTarget target;
  target.path = path;
  if (path == kStandardOutput) {
    target.kind = OutputTarget::Kind::descriptor;
    target.descriptor = STDOUT_FILENO;
    return target;
  }
  for (int links = 0;; ++links) {
    if (const auto descriptor = named_descriptor(target.path)) {
      target.kind = OutputTarget::Kind::descriptor;
      target.descriptor = *descriptor;
      return target;
    }
    if (!is_link(target.path)) break;
    if (links == kMostLinks) output_failure(path, ELOOP);
    std::error_code failed;
    const fs::path next = fs::read_symlink(target.path, failed);
    if (failed) output_failure(path, failed.value());
    target.path = next.is_absolute() ? next : folder_to_write(target.path) / next;
  }
  struct stat now {};
  target.exists = stat(target.path.c_str(), &now) == 0;
  if (!target.exists && errno != ENOENT) output_failure(path, errno);
  if (target.exists ? S_ISDIR(now.st_mode) : !target.path.has_filename())
    output_failure(path, target.path.empty() ? ENOENT : EISDIR);
  if (!target.exists) return target;
  if (!S_ISREG(now.st_mode)) target.kind = OutputTarget::Kind::special;
  target.mode = now.st_mode & 07777;
  target.owner = now.st_uid;
  target.group = now.st_gid;
  return target;
}

void check_output(const fs::path& path) {
  const OutputTarget target = output_target(path);
  if (target.kind == OutputTarget::Kind::descriptor) {
    const int flags = fcntl(target.descriptor, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) output_failure(path, EBADF);
  } else if (target.exists) {
    need(target.path, W_OK, path);
  } else {
    need(folder_to_write(target.path), W_OK | X_OK, path);
  }
}

void check_output_folder(const fs::path& path) {
  fs::path there = fs::absolute(path).lexically_normal();
  std::error_code ignored;
  while (!fs::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
  if (!fs::is_directory(there, ignored)) output_failure(path, ENOTDIR);
  need(there, W_OK | X_OK, path);
}

}  // namespace heddle::simulator
