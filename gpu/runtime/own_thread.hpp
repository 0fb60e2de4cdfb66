// Threads of Heddle's own in the program's process.
#pragma once

#include <pthread.h>

#include <csignal>
#include <future>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "gpu/runtime/crash_report.hpp"

namespace heddle::runtime {

// Signals belong to the program: a thread it does not know of must not take them, but for those
// that its own code raises. While one lives the calling thread makes such threads.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int raised : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, raised);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// What `body` returns or throws. It has a stack of the usual size, where the calling thread of the
// program may have a small one; but where this machine has no more threads.
template <typename Body>
std::invoke_result_t<Body> on_own_thread(Body body) {
  std::packaged_task<std::invoke_result_t<Body>()> task(std::move(body));
  try {
    std::thread thread;
    {
      const AllSignalsBlocked inherited_by_the_thread;
      thread = std::thread([&task] {
        all_is_ours();
        task();
      });
    }
    thread.join();
  } catch (const std::system_error&) {  // it did not begin
    task();
  }
  return task.get_future().get();
}

}  // namespace heddle::runtime
