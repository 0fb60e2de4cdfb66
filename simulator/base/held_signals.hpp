// While it exists, threads begin with all signals held that the program may have handlers for: its
// own threads shall handle them. A signal that a thread raises by what it does is its own.
#pragma once

#include <pthread.h>

#include <csignal>

namespace heddle::simulator {

class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    sigfillset(&held);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&held, own);
    pthread_sigmask(SIG_SETMASK, &held, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace heddle::simulator
