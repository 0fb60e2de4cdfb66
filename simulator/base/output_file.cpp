#include "simulator/base/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace heddle::simulator {
namespace {

namespace fs = std::filesystem;

// Of a file's name while it is written. Files that carry it and that no one has locked were left
// by a process that was killed.
constexpr std::string_view kMark = ".heddle-";
constexpr std::size_t kRandomCharacters = 6;

std::string random_characters() {
  constexpr std::string_view kAlphabet =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::uint8_t bytes[kRandomCharacters] = {};
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) output_failure("getrandom", errno);
  std::string text;
  for (const std::uint8_t byte : bytes) text += kAlphabet[byte % kAlphabet.size()];
  return text;
}

// ".out.json.heddle-4fGh2a", short enough for a name.
std::string temporary_name(const fs::path& target) {
  constexpr std::size_t kMost = 255 - 1 - kMark.size() - kRandomCharacters;
  return fmt::format(".{}{}{}", target.filename().string().substr(0, kMost), kMark,
                     random_characters());
}

bool is_temporary_name(std::string_view name) {
  return name.starts_with('.') && name.size() > kMark.size() + kRandomCharacters &&
         name.substr(0, name.size() - kRandomCharacters).ends_with(kMark);
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

void remove_if_abandoned(const fs::path& file) {
  constexpr std::chrono::minutes kYoung{1};  // it may not be locked yet
  std::error_code failed;
  const auto changed = fs::last_write_time(file, failed);
  if (failed || fs::file_time_type::clock::now() - changed < kYoung) return;
  const int descriptor =
      open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat now {};
  if (fstat(descriptor, &now) == 0 && S_ISREG(now.st_mode) && now.st_uid == geteuid() &&
      flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    unlink(file.c_str());
  close(descriptor);
}

// Once for each folder: a capture writes thousands of files into one.
void remove_abandoned(const fs::path& folder) {
  static std::mutex mutex;
  static auto& looked_at = *new std::set<fs::path>;
  const std::lock_guard lock(mutex);
  std::error_code failed;
  if (!looked_at.insert(fs::absolute(folder, failed)).second) return;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed))
    if (is_temporary_name(entry->path().filename().string())) remove_if_abandoned(entry->path());
}

void sync_directory(const fs::path& directory) {
  const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // the file itself is in place; some file systems refuse this
  fsync(descriptor);
  close(descriptor);
}

OwnDescriptor open_target(const OutputTarget& target, const fs::path& path, int flags) {
  const int descriptor = target.kind == OutputTarget::Kind::descriptor
                             ? fcntl(target.descriptor, F_DUPFD_CLOEXEC, 3)
                             : open(target.path.c_str(), flags | O_CLOEXEC | O_NOCTTY, 0666);
  if (descriptor < 0) output_failure(path, errno);
  return OwnDescriptor(descriptor);
}

std::string name_of_descriptor(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

}  // namespace

NewFile::NewFile(fs::path path) : path_(std::move(path)), target_(output_target(path_)) {
  if (target_.kind != OutputTarget::Kind::regular) {
    if (target_.descriptor == STDOUT_FILENO) std::fflush(stdout);  // what was printed before
    descriptor_ = open_target(target_, path_, O_WRONLY);
    return;
  }
  check_output(path_);  // a file that may not be written is not replaced either
  remove_abandoned(folder_of(target_.path));
  if (create_in(folder_of(target_.path), false)) return;
  const int error = errno;
  copied_ = true;
  std::error_code failed;
  const fs::path elsewhere = fs::temp_directory_path(failed);
  if (!target_.exists || failed || !create_in(elsewhere, true)) output_failure(path_, error);
}

// Without a name where that can be, so that nothing of it is left however the process ends.
bool NewFile::create_in(const fs::path& folder, bool may_copy) {
  const mode_t mode = target_.exists ? target_.mode & 0666 : 0666;
  int descriptor = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (descriptor >= 0 && !may_copy &&
      access(name_of_descriptor(descriptor).c_str(), F_OK) != 0) {  // no /proc: it gets no name
    close(descriptor);
    descriptor = -1;
  }
  if (descriptor < 0) {
    do {
      temporary_ = (folder / temporary_name(target_.path)).string();
      descriptor = open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode | S_IRUSR);
    } while (descriptor < 0 && errno == EEXIST);
    if (descriptor < 0) temporary_.clear();
  }
  if (descriptor < 0) return false;
  descriptor_ = OwnDescriptor(descriptor);
  flock(descriptor_.number(), LOCK_EX | LOCK_NB);
  return true;
}

NewFile::~NewFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void NewFile::write(std::string_view bytes) {
  constexpr std::size_t kBuffer = 1 << 18;
  buffer_ += bytes;
  if (buffer_.size() >= kBuffer) flush();
}

void NewFile::flush() {
  if (const int error = descriptor_.write(buffer_)) output_failure(path_, error);
  buffer_.clear();
}

void NewFile::put_in_place() {
  flush();
  if (target_.kind != OutputTarget::Kind::regular) return;
  if (!copied_) keep_mode_and_owner();
  if (!copied_ && fsync(descriptor_.number()) != 0) output_failure(path_, errno);
  if (copied_ || !rename_into_place()) copy_into_place();
  sync_directory(folder_of(target_.path));
}

void NewFile::keep_mode_and_owner() const {
  if (!target_.exists) return;
  struct stat now {};
  if (fstat(descriptor_.number(), &now) != 0) output_failure(path_, errno);
  mode_t mode = target_.mode;
  const bool others = now.st_uid != target_.owner || now.st_gid != target_.group;
  if (others && fchown(descriptor_.number(), target_.owner, target_.group) != 0)
    mode &= 0777;  // it is not allowed: no set-user-ID of another user
  if (fchmod(descriptor_.number(), mode) != 0) output_failure(path_, errno);
}

// False: a file there cannot be renamed over.
bool NewFile::rename_into_place() {
  if (temporary_.empty()) {
    std::string name;
    int failed = 0;
    do {
      name = (folder_of(target_.path) / temporary_name(target_.path)).string();
      failed = linkat(AT_FDCWD, name_of_descriptor(descriptor_.number()).c_str(), AT_FDCWD,
                      name.c_str(), AT_SYMLINK_FOLLOW);
    } while (failed != 0 && errno == EEXIST);
    if (failed != 0) output_failure(path_, errno);
    temporary_ = std::move(name);  // which does not fail: the name is there now
  }
  if (std::rename(temporary_.c_str(), target_.path.c_str()) == 0) {
    temporary_.clear();
    return true;
  }
  const int error = errno;
  if (!target_.exists || (error != EBUSY && error != EXDEV && error != EPERM && error != EACCES))
    output_failure(path_, error);
  return false;
}

void NewFile::copy_into_place() const {
  const OwnDescriptor there = open_target(target_, path_, O_WRONLY);
  struct stat from {
  }, to{};
  if (fstat(descriptor_.number(), &from) != 0 || fstat(there.number(), &to) != 0)
    output_failure(path_, errno);
  // The old contents stay where there is no room for the new ones.
  if (from.st_size > to.st_size && fallocate(there.number(), 0, 0, from.st_size) != 0 &&
      errno != EOPNOTSUPP && errno != EINTR) {
    const int error = errno;
    (void)!ftruncate(there.number(), to.st_size);
    output_failure(path_, error);
  }
  std::string piece(1 << 18, '\0');
  for (off_t at = 0; at < from.st_size;) {
    const ssize_t got = pread(descriptor_.number(), piece.data(), piece.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) output_failure(path_, got < 0 ? errno : EIO);
    if (const int error = there.write({piece.data(), static_cast<std::size_t>(got)}))
      output_failure(path_, error);
    at += got;
  }
  if (ftruncate(there.number(), from.st_size) != 0 || fsync(there.number()) != 0)
    output_failure(path_, errno);
}

void write_file(const fs::path& path, std::string_view bytes) {
  NewFile file(path);
  file.write(bytes);
  file.put_in_place();
}

bool is_replaced_as_a_whole(const fs::path& path) {
  return output_target(path).kind == OutputTarget::Kind::regular;
}

StreamFile::StreamFile(const fs::path& path, Start start) : path_(path) {
  const OutputTarget target = output_target(path);
  if (target.kind == OutputTarget::Kind::regular) name_ = fs::absolute(target.path);
  if (target.descriptor == STDOUT_FILENO) std::fflush(stdout);
  // Sticky folders refuse to "create" a file of someone else that is there.
  const int create = target.exists ? 0 : O_CREAT;
  descriptor_ =
      open_target(target, path, O_WRONLY | create | (start == Start::empty ? O_TRUNC : O_APPEND));
}

StreamFile::StreamFile(int descriptor, fs::path name) : path_(std::move(name)) {
  const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  if (copy < 0)
    error_ = errno;
  else
    descriptor_ = OwnDescriptor(copy);
}

StreamFile::~StreamFile() { flush(); }

void StreamFile::write(std::string_view bytes) {
  constexpr std::size_t kBuffer = 1 << 16;
  if (error_ != 0) return;
  buffer_ += bytes;
  if (buffer_.size() >= kBuffer) flush();
}

// Someone has closed it.
bool StreamFile::reopen() {
  if (name_.empty()) return false;
  const int descriptor = open(name_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) return false;
  OwnDescriptor again(descriptor);
  if (!again.same_file(descriptor_)) return false;
  descriptor_ = std::move(again);
  return true;
}

void StreamFile::flush() {
  if (error_ != 0 || buffer_.empty()) return buffer_.clear();
  if (!descriptor_.is_ours() && !reopen()) {
    error_ = EBADF;
    return buffer_.clear();
  }
  struct stat before {};
  const bool can_cut = !name_.empty() && fstat(descriptor_.number(), &before) == 0;
  error_ = descriptor_.write(buffer_);
  if (error_ != 0 && can_cut) (void)!ftruncate(descriptor_.number(), before.st_size);
  buffer_.clear();
}

void StreamFile::check() const {
  if (error_ != 0) output_failure(path_, error_);
}

void StreamFile::take_back(std::size_t bytes) {
  flush();
  if (error_ != 0 || !can_take_back()) return;
  const off_t at = lseek(descriptor_.number(), 0, SEEK_END) - static_cast<off_t>(bytes);
  if (ftruncate(descriptor_.number(), at) != 0 || lseek(descriptor_.number(), at, SEEK_SET) != at)
    error_ = errno;
}

std::unique_ptr<StreamFile> file_or_stderr(const fs::path& path) {
  return path.empty() ? std::make_unique<StreamFile>(STDERR_FILENO, "standard error")
                      : std::make_unique<StreamFile>(path);
}

}  // namespace heddle::simulator
