#include "simulator/timing/sm_threads.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "simulator/base/held_signals.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr unsigned kQuantumShift = 32;
// Neighbours are prepared for while one runs; but the last piece must not be waited for long, so
// that pieces become smaller towards the end.
constexpr std::size_t kMostAtOnce = 8, kSharesEach = 4;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

SmThreads::SmThreads(unsigned threads, std::size_t sms, Work work)
    : work_(std::move(work)),
      sms_(sms),
      shares_(kSharesEach * threads),
      quantum_(0),
      finished_(sms) {
  threads_.reserve(threads - 1);
  const HeldSignals held;
  try {
    for (unsigned i = 1; i < threads; ++i) threads_.emplace_back([this, i] { serve(i); });
  } catch (const std::system_error&) {  // the machine has no more: those there are do it all
  }
}

SmThreads::~SmThreads() {
  ending_.store(true, std::memory_order_relaxed);
  quantum_.fetch_add(1, std::memory_order_release);
  quantum_.notify_all();
}

void SmThreads::run_quantum() {
  const std::uint32_t number = quantum() + 1;
  // Finished SMs are compared with it, so it is there before any can be taken.
  quantum_.store(number, std::memory_order_relaxed);
  next_.store(std::uint64_t{number} << kQuantumShift, std::memory_order_release);
  quantum_.notify_all();
  work_on(0, number);
  await_below(sms_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

// Quanta are short: a thread that sleeps between them would come late to each.
std::uint32_t SmThreads::await_quantum(std::uint32_t last) const {
  constexpr unsigned kSpins = 2000;
  for (unsigned i = 0; i < kSpins; ++i) {
    if (const std::uint32_t now = quantum_.load(std::memory_order_acquire); now != last) return now;
    pause();
  }
  quantum_.wait(last, std::memory_order_acquire);
  return quantum_.load(std::memory_order_acquire);
}

void SmThreads::serve(unsigned thread) {
  for (std::uint32_t last = 0;;) {
    last = await_quantum(last);
    if (ending_.load(std::memory_order_relaxed)) return;
    work_on(thread, last);
  }
}

bool SmThreads::take(std::uint32_t quantum, std::size_t& first, std::size_t& end) {
  std::uint64_t next = next_.load(std::memory_order_acquire);
  do {
    first = static_cast<std::uint32_t>(next);
    if (next >> kQuantumShift != quantum || first >= sms_) return false;
    end = first + std::clamp<std::size_t>((sms_ - first) / shares_, 1, kMostAtOnce);
  } while (!next_.compare_exchange_weak(next, std::uint64_t{quantum} << kQuantumShift | end,
                                        std::memory_order_acq_rel, std::memory_order_acquire));
  return true;
}

void SmThreads::work_on(unsigned thread, std::uint32_t quantum) {
  for (std::size_t first = 0, end = 0; take(quantum, first, end);) {
    try {
      work_(thread, first, end);
    } catch (...) {
      const std::lock_guard lock(failing_);
      if (!failure_) failure_ = std::current_exception();
      for (std::size_t sm = first; sm < end; ++sm) finished(sm);
    }
  }
}

bool SmThreads::await(std::size_t sm) const {
  constexpr unsigned kSpins = 1000;
  const std::uint32_t number = quantum();
  const std::atomic<std::uint32_t>& last = finished_[sm];
  if (last.load(std::memory_order_acquire) == number) return false;
  for (unsigned i = 0; last.load(std::memory_order_acquire) != number; ++i)
    if (i < kSpins)
      pause();
    else
      std::this_thread::yield();
  return true;
}

bool SmThreads::await_below(std::size_t sm) const {
  bool waited = false;
  for (std::size_t before = sm; before-- > 0;) waited |= await(before);
  return waited;
}

}  // namespace heddle::simulator::timing
