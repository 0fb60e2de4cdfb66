#include "cli/signals.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "cli/temporary_folder.hpp"

namespace heddle::cli {
namespace {

constexpr timespec kPatience{.tv_sec = 2, .tv_nsec = 0};  // between asking to end and killing

struct State {
  std::mutex mutex;
  unsigned watches = 0;      // that live
  std::set<pid_t> children;  // that have been started and have not ended
  int signal = 0;            // since there is a watch
};

State& state() {
  static State& only = *new State;  // the thread may outlive main
  return only;
}

sigset_t& mask_before() {
  static sigset_t mask;
  return mask;
}

sigset_t& defaulted() {
  static sigset_t signals{};
  return signals;
}

// What nobody asked us to ignore (nohup, a shell's background job).
sigset_t watched() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    sigaction(each, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&signals, each);
  }
  return signals;
}

// As if nobody had watched.
[[noreturn]] void end_by(int signal) {
  remove_temporary_folders();
  ::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  raise(signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  _exit(128 + signal);
}

// Whether the children are to be killed if they live on.
bool take(int signal, const siginfo_t& info) {
  std::lock_guard lock(state().mutex);
  if (state().watches == 0) end_by(signal);
  const bool first = state().signal == 0;
  if (first) state().signal = signal;
  if (state().children.empty()) return false;
  const bool from_terminal = signal == SIGINT && info.si_code == SI_KERNEL;
  for (const pid_t child : state().children)
    if (!first)
      kill(child, SIGKILL);
    else if (!from_terminal)
      kill(child, signal);
  return first;
}

void kill_children() {
  std::lock_guard lock(state().mutex);
  if (state().signal == 0) return;
  for (const pid_t child : state().children) kill(child, SIGKILL);
}

void watch(const sigset_t& signals) {
  for (bool waiting = false;;) {
    siginfo_t info{};
    const int signal = sigtimedwait(&signals, &info, waiting ? &kPatience : nullptr);
    if (signal > 0)
      waiting = take(signal, info);
    else if (waiting && errno == EAGAIN) {
      kill_children();
      waiting = false;
    }
  }
}

}  // namespace

void watch_signals() {
  const sigset_t signals = watched();
  pthread_sigmask(SIG_BLOCK, &signals, &mask_before());
  try {
    std::thread(watch, signals).detach();
  } catch (const std::system_error& failure) {
    throw std::system_error(failure.code(), "no thread can be started to watch for signals");
  }
}

void ignore_file_size_signal() {
  sigemptyset(&defaulted());
  if (::signal(SIGXFSZ, SIG_IGN) == SIG_DFL) sigaddset(&defaulted(), SIGXFSZ);
}

const sigset_t& defaulted_signals() { return defaulted(); }

ChildWatch::ChildWatch(const std::function<pid_t(const sigset_t& mask)>& start) {
  std::lock_guard lock(state().mutex);
  if (state().watches++ == 0) state().signal = 0;
  child_ = start(mask_before());
  if (child_ <= 0) return;
  state().children.insert(child_);
  if (state().signal != 0) kill(child_, state().signal);  // it came for those before
}

ChildWatch::~ChildWatch() {
  std::lock_guard lock(state().mutex);
  --state().watches;
  state().children.erase(child_);
}

int ChildWatch::end() {
  std::lock_guard lock(state().mutex);
  state().children.erase(child_);
  return state().signal;
}

}  // namespace heddle::cli
