// Ctrl-C, and being asked to end (SIGINT, SIGTERM, SIGHUP): the program that runs is ended too, and
// no temporary folder stays behind.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <functional>

namespace heddle::cli {

// To be called first in main: the signals are blocked in this thread, and so in all it starts, and
// taken by a thread of their own. Without a child, what comes ends this process as ever, but for
// its temporary folders, which go before.
void watch_signals();

// For the process's beginning: a write beyond the limit of a file's size fails, rather than ends
// this process. A child is to have the default again for defaulted_signals().
void ignore_file_size_signal();
const sigset_t& defaulted_signals();

// While it lives, the signals are about a child: the first is passed on to it (a terminal's Ctrl-C
// reaches it anyway); it is killed by a second one, or two seconds later. Several may live at once,
// in threads of their own: a signal is about all of their children.
class ChildWatch {
 public:
  // Starts the child: `start` gives its process id, or nothing at all below 1. It is to have the
  // signals as `mask` says, which is how they were before watch_signals.
  explicit ChildWatch(const std::function<pid_t(const sigset_t& mask)>& start);
  ~ChildWatch();
  ChildWatch(const ChildWatch&) = delete;
  ChildWatch& operator=(const ChildWatch&) = delete;
  // To be called when it has ended, and before it is waited for: after that its number may be
  // another's. The first signal that came; 0: none.
  int end();

 private:
  pid_t child_ = 0;
};

}  // namespace heddle::cli
