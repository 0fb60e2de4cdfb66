// Threads of Heddle's own in the program's process.
#pragma once

#include <future>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "gpu/runtime/crash_report.hpp"
#include "simulator/base/held_signals.hpp"

namespace heddle::runtime {

// What `body` returns or throws. It has a stack of the usual size, where the calling thread of the
// program may have a small one; but where this machine has no more threads.
template <typename Body>
std::invoke_result_t<Body> on_own_thread(Body body) {
  std::packaged_task<std::invoke_result_t<Body>()> task(std::move(body));
  try {
    std::thread thread;
    {
      const simulator::HeldSignals inherited_by_the_thread;
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
