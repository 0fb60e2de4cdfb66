// A function of the program that a stream calls. It executes on a thread of its own: it may wait
// for what other threads of the program do, whose work the engine then carries out.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "gpu/runtime/engine.hpp"

namespace heddle::runtime {

class ProgramCall {
 public:
  // Begins `function`, which outlives this, within an action of `engine`. Where this machine has no
  // more threads, the calling one executes it.
  ProgramCall(const Engine& engine, const std::function<void()>& function);
  ~ProgramCall();  // waits until it has ended
  ProgramCall(const ProgramCall&) = delete;
  ProgramCall& operator=(const ProgramCall&) = delete;

  // Waits until it has ended, or has used no processor for a tenth of a second. Whether it has.
  bool ended_or_waits();
  bool ended() const;
  void rethrow() const;  // what it threw, once it has ended

 private:
  void execute(const std::function<void()>& function);

  mutable std::mutex mutex_;
  std::condition_variable has_ended_;
  bool ended_ = false;
  std::exception_ptr thrown_;
  std::thread thread_;
};

}  // namespace heddle::runtime
