#include "simulator/base/own_descriptor.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <utility>

namespace heddle::simulator {
namespace {

// While one is there, a write of this thread cannot end the process: SIGXFSZ and SIGPIPE are held
// back, and the process's own handlers never see ours.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    sigaddset(&held_, SIGXFSZ);
    sigaddset(&held_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  // After a write that failed with `error`: takes the signal that came with it.
  void take(int error) const {
    const int signal = error == EFBIG ? SIGXFSZ : error == EPIPE ? SIGPIPE : 0;
    if (signal == 0 || sigismember(&before_, signal) == 1) return;
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    constexpr timespec kNow{};
    while (sigtimedwait(&only, nullptr, &kNow) < 0 && errno == EINTR) continue;
  }

 private:
  sigset_t held_{}, before_{};
};

int moved_high(int descriptor) {
  for (const int least : {1000, 200, 60, 10, 3}) {
    const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, least);
    if (moved < 0) continue;
    close(descriptor);
    return moved;
  }
  return descriptor;
}

}  // namespace

OwnDescriptor::OwnDescriptor(int descriptor) : number_(moved_high(descriptor)) {
  struct stat now {};
  if (fstat(number_, &now) != 0) return;
  device_ = now.st_dev;
  inode_ = now.st_ino;
}

OwnDescriptor::~OwnDescriptor() { release(); }

OwnDescriptor::OwnDescriptor(OwnDescriptor&& other) noexcept
    : number_(std::exchange(other.number_, -1)), device_(other.device_), inode_(other.inode_) {}

OwnDescriptor& OwnDescriptor::operator=(OwnDescriptor&& other) noexcept {
  if (this == &other) return *this;
  release();
  number_ = std::exchange(other.number_, -1);
  device_ = other.device_;
  inode_ = other.inode_;
  return *this;
}

void OwnDescriptor::release() {
  if (number_ >= 0 && is_ours()) close(number_);
  number_ = -1;
}

bool OwnDescriptor::is_ours() const {
  struct stat now {};
  return number_ >= 0 && fstat(number_, &now) == 0 && now.st_dev == device_ && now.st_ino == inode_;
}

bool OwnDescriptor::same_file(const OwnDescriptor& other) const {
  return device_ == other.device_ && inode_ == other.inode_;
}

int OwnDescriptor::write(std::string_view bytes) const {
  if (!is_ours()) return EBADF;
  const HeldSignals held;
  while (!bytes.empty()) {
    const ssize_t written = ::write(number_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      held.take(error);
      return error;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace heddle::simulator
