#include "gpu/runtime/program_call.hpp"

#include <pthread.h>

#include <chrono>
#include <ctime>
#include <system_error>
#include <utility>

#include "gpu/runtime/crash_report.hpp"
#include "simulator/base/held_signals.hpp"

namespace heddle::runtime {
namespace {

using std::chrono::milliseconds;

// What the thread has used of processors; it is only compared.
std::pair<std::time_t, long> processor_time(std::thread& thread) {
  clockid_t clock;
  timespec used{};
  if (pthread_getcpuclockid(thread.native_handle(), &clock) == 0) clock_gettime(clock, &used);
  return {used.tv_sec, used.tv_nsec};
}

}  // namespace

ProgramCall::ProgramCall(const Engine& engine, const std::function<void()>& function) {
  try {
    const simulator::HeldSignals inherited_by_the_thread;
    const Ticket ticket = engine.acting_ticket();
    thread_ = std::thread([this, &engine, ticket, &function] {
      all_is_ours();
      const Engine::OnBehalf of_the_action(engine, ticket);
      execute(function);
    });
  } catch (const std::system_error&) {
    execute(function);
  }
}

ProgramCall::~ProgramCall() {
  if (thread_.joinable()) thread_.join();
}

void ProgramCall::execute(const std::function<void()>& function) {
  std::exception_ptr thrown;
  try {
    const ExecutingProgramCode of_the_program;
    function();
  } catch (...) {
    thrown = std::current_exception();
  }
  std::lock_guard lock(mutex_);
  thrown_ = std::move(thrown);
  ended_ = true;
  has_ended_.notify_all();
}

bool ProgramCall::ended_or_waits() {
  constexpr milliseconds kLook{10};
  constexpr int kLooks = 10;
  std::unique_lock lock(mutex_);
  if (ended_) return true;  // perhaps without a thread
  for (int quiet = 0; quiet < kLooks; ++quiet) {
    const auto before = processor_time(thread_);
    if (has_ended_.wait_for(lock, kLook, [this] { return ended_; })) return true;
    if (processor_time(thread_) != before) quiet = -1;
  }
  return false;
}

bool ProgramCall::ended() const {
  std::lock_guard lock(mutex_);
  return ended_;
}

void ProgramCall::rethrow() const {
  if (thrown_) std::rethrow_exception(thrown_);
}

}  // namespace heddle::runtime
