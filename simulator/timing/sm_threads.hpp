// Host threads that run the SMs of each quantum of time, and know which of them have finished it.
//
// What SMs do to one another within a quantum happens in the order of their numbers, as on one
// thread. Threads take SMs in that order, so that who waits for those before it does so briefly.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle::simulator::timing {

class SmThreads {
 public:
  // Runs the SMs from `first` to before `end` on thread number `thread`, and calls finished(sm)
  // behind each.
  using Work = std::function<void(unsigned thread, std::size_t first, std::size_t end)>;

  // `threads`: with the calling one, which is number 0. Fewer, where the machine has no more.
  SmThreads(unsigned threads, std::size_t sms, Work work);
  ~SmThreads();
  SmThreads(const SmThreads&) = delete;
  SmThreads& operator=(const SmThreads&) = delete;

  // Runs all SMs once. What `work` has thrown is thrown here.
  void run_quantum();

  void finished(std::size_t sm) { finished_[sm].store(quantum(), std::memory_order_release); }
  // Returns when those below `sm` have finished. False: they had.
  bool await_below(std::size_t sm) const;
  // Returns when `sm` has. False: it had.
  bool await(std::size_t sm) const;

 private:
  std::uint32_t quantum() const { return quantum_.load(std::memory_order_relaxed); }
  void serve(unsigned thread);
  std::uint32_t await_quantum(std::uint32_t last) const;
  void work_on(unsigned thread, std::uint32_t quantum);
  bool take(std::uint32_t quantum, std::size_t& first, std::size_t& end);

  const Work work_;
  const std::size_t sms_;
  const std::size_t shares_;            // of the SMs left a thread takes one
  std::atomic<std::uint32_t> quantum_;  // its number, from 1 on
  std::atomic<bool> ending_{false};
  // The quantum's number above the first SM that nobody has taken: a thread that wakes late takes
  // none of another quantum.
  std::atomic<std::uint64_t> next_{0};
  std::vector<std::atomic<std::uint32_t>> finished_;  // by SM: the last quantum
  std::mutex failing_;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;
};

}  // namespace heddle::simulator::timing
