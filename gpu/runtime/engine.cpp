#include "gpu/runtime/engine.hpp"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace heddle::runtime {
namespace {

// Signals belong to the program: a thread it does not know of must not take them.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

Engine::~Engine() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  submitted_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// What an action submits is a part of it: carried out at once.
Ticket Engine::submit(Action action, Length length) {
  if (inside_action()) return carry_out_within(action);
  std::unique_lock lock(mutex_);
  if (!thread_.joinable()) {
    const AllSignalsBlocked inherited_by_the_thread;
    thread_ = std::thread([this] { work(); });
  }
  completed_.wait(lock, [this] { return queue_.size() < kMostPending; });
  queue_.push_back({std::move(action), length});
  submitted_.notify_one();
  return ++last_submitted_;
}

Ticket Engine::carry_out_within(const Action& action) {
  const Ticket ticket = acting_ticket_;
  action(ticket);
  return ticket;
}

void Engine::wait(Ticket ticket) {
  if (inside_action()) return;  // what came before is done
  std::unique_lock lock(mutex_);
  while (last_completed_ < ticket) {
    if (!busy_ && queue_.front().length == Length::brief)
      carry_out_next(lock);
    else
      completed_.wait(lock);
  }
}

Ticket Engine::run(Action action) {
  if (inside_action()) return carry_out_within(action);
  Ticket ticket;
  {
    std::lock_guard lock(mutex_);
    queue_.push_back({std::move(action), Length::brief});
    ticket = ++last_submitted_;
  }
  wait(ticket);
  return ticket;
}

bool Engine::done(Ticket ticket) const {
  std::lock_guard lock(mutex_);
  return last_completed_ >= ticket;
}

Ticket Engine::last_submitted() const {
  std::lock_guard lock(mutex_);
  return last_submitted_;
}

bool Engine::inside_action() const {
  std::lock_guard lock(mutex_);
  return busy_ && acting_thread_ == std::this_thread::get_id();
}

void Engine::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    submitted_.wait(lock, [this] { return stopping_ || (!busy_ && !queue_.empty()); });
    if (queue_.empty()) return;
    if (busy_)
      completed_.wait(lock);
    else
      carry_out_next(lock);
  }
}

void Engine::carry_out_next(std::unique_lock<std::mutex>& lock) noexcept {
  Item item = std::move(queue_.front());
  queue_.pop_front();
  busy_ = true;
  acting_thread_ = std::this_thread::get_id();
  const Ticket ticket = acting_ticket_ = last_completed_ + 1;
  lock.unlock();
  item.action(ticket);
  item.action = nullptr;  // what it holds is released before anyone is told
  lock.lock();
  busy_ = false;
  acting_thread_ = {};
  last_completed_ = ticket;
  completed_.notify_all();
  if (!queue_.empty()) submitted_.notify_one();
}

}  // namespace heddle::runtime
