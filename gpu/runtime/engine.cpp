#include "gpu/runtime/engine.hpp"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <utility>

#include "gpu/runtime/crash_report.hpp"
#include "gpu/runtime/own_thread.hpp"

namespace heddle::runtime {
namespace {

std::atomic<std::size_t> threads_of_engines{0};

struct Behalf {
  const Engine* engine = nullptr;
  Ticket ticket = 0;
};
thread_local Behalf on_behalf;

}  // namespace

Engine::~Engine() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  submitted_.notify_all();
  if (thread_.joinable()) thread_.join();
  for (Apart& each : apart_) each.thread.join();
}

// What an action submits is a part of it: carried out at once.
Ticket Engine::submit(Action action, Length length, Place place, std::atomic<Ticket>* newest) {
  if (inside_action()) return carry_out_within(action, newest);
  std::unique_lock lock(mutex_);
  if (!thread_.joinable()) {
    const simulator::HeldSignals inherited_by_the_thread;
    thread_ = std::thread([this] {
      all_is_ours();
      work();
    });
    ++threads_of_engines;
  }
  wait_completed(lock, [this] { return queue_.size() < kMostPending; });
  const Ticket ticket = append(std::move(action), length, std::move(place));
  if (newest != nullptr) raise_to(*newest, ticket);
  submitted_.notify_one();
  return ticket;
}

// A ticket is given only once the item is there: nobody would ever mark it done otherwise.
Ticket Engine::append(Action action, Length length, Place place) {
  queue_.push_back({std::move(action), length, std::move(place), last_submitted_ + 1});
  return ++last_submitted_;
}

Ticket Engine::carry_out_within(const Action& action, std::atomic<Ticket>* newest) {
  const Ticket ticket = on_behalf.engine == this ? on_behalf.ticket : acting_ticket_;
  if (newest != nullptr) raise_to(*newest, ticket);
  action(ticket);
  return ticket;
}

void Engine::wait(Ticket ticket) {
  if (inside_action()) return;  // what came before is done
  std::unique_lock lock(mutex_);
  const auto done_or_ours = [&] {
    return is_done(ticket) || (!busy_ && !queue_.empty() && queue_.front().length == Length::brief);
  };
  while (!is_done(ticket)) {
    if (!busy_ && queue_.front().length == Length::brief)
      carry_out_next(lock);
    else
      wait_completed(lock, std::cref(done_or_ours));
  }
}

void Engine::wait_completed(std::unique_lock<std::mutex>& lock,
                            const std::function<bool()>& there) {
  Awaited mine{there, awaited_};
  awaited_ = &mine;
  completed_.wait(lock, there);
  Awaited** link = &awaited_;
  while (*link != &mine) link = &(*link)->next;
  *link = mine.next;
}

void Engine::wake_waiting() {
  for (const Awaited* each = awaited_; each != nullptr; each = each->next)
    if (each->there()) return completed_.notify_all();
}

std::size_t Engine::waiting_threads() const {
  std::lock_guard lock(mutex_);
  std::size_t waiting = 0;
  for (const Awaited* each = awaited_; each != nullptr; each = each->next)
    if (!each->there()) ++waiting;
  return waiting;
}

std::size_t Engine::own_threads() { return threads_of_engines; }

Ticket Engine::run(Action action, Place place) {
  if (inside_action()) return carry_out_within(action);
  Ticket ticket;
  {
    std::lock_guard lock(mutex_);
    ticket = append(std::move(action), Length::brief, std::move(place));
  }
  wait(ticket);
  return ticket;
}

bool Engine::is_done(Ticket ticket) const {
  return last_completed_ >= ticket || early_.contains(ticket);
}

void Engine::mark_done(Tickets::node_type done) {
  early_.insert(std::move(done));
  while (!early_.empty() && *early_.begin() == last_completed_ + 1) {
    early_.erase(early_.begin());
    ++last_completed_;
  }
}

bool Engine::done(Ticket ticket) const {
  std::lock_guard lock(mutex_);
  return is_done(ticket);
}

Engine::Queue::iterator Engine::first_not_held_up(const Place& waiting, bool brief) {
  std::vector<Place> held_up{waiting};  // what each of them comes before
  for (const Waiting* each : waiting_) held_up.push_back(each->place);
  const auto is_held_up = [&](const Item& item) {
    return std::ranges::any_of(held_up,
                               [&](const Place& by) { return item.place.ordered_with(by); }) ||
           !std::ranges::all_of(item.place.after, [this](Ticket each) { return is_done(each); }) ||
           (brief && item.length != Length::brief);
  };
  auto next = queue_.begin();
  for (; next != queue_.end() && is_held_up(*next); ++next) held_up.push_back(next->place);
  return next;
}

bool Engine::carry_out_another(const Place& waiting, const std::function<bool()>& come,
                               bool brief) {
  std::unique_lock lock(mutex_);
  const auto next = first_not_held_up(waiting, brief);
  waiting_.reserve(waiting_.size() + 1);  // what may throw is behind us when something begins
  const auto other = first_that_may_go_on();
  if (next == queue_.end() && other == waiting_.end()) return false;
  Waiting mine{waiting, come, acting_ticket_};
  if (next == queue_.end()) {
    pass_turn(other);
    waiting_.push_back(&mine);
  } else if (next->length == Length::unbounded) {
    start_apart(next);
    waiting_.push_back(&mine);
  } else {
    Item item = std::move(*next);
    queue_.erase(next);
    waiting_.push_back(&mine);
    carry_out(std::move(item), lock);
    pass_turn(std::ranges::find(waiting_, &mine));
  }
  mine.turn.wait(lock, [&] { return mine.has_turn; });
  return true;
}

// Throws std::system_error where this machine has no more threads; nothing has happened then.
void Engine::start_apart(Queue::iterator next) {
  for (Apart& each : apart_)
    if (each.ended) each.thread.join();
  apart_.remove_if([](const Apart& each) { return each.ended; });
  Apart& mine = apart_.emplace_back();
  try {
    const simulator::HeldSignals inherited_by_the_thread;
    mine.thread = std::thread([this, &mine] { work_apart(mine); });
  } catch (...) {
    apart_.pop_back();
    throw;
  }
  ++threads_of_engines;
  mine.item = std::move(*next);  // the thread waits for the lock
  queue_.erase(next);
}

void Engine::work_apart(Apart& mine) {
  all_is_ours();
  std::fesetenv(FE_DFL_ENV);
  std::unique_lock lock(mutex_);
  Item item = std::move(*mine.item);
  carry_out(std::move(item), lock);
  end_turn();
  --threads_of_engines;
  mine.ended = true;
}

std::vector<Engine::Waiting*>::iterator Engine::first_that_may_go_on() {
  return std::ranges::find_if(waiting_, [](const Waiting* each) { return each->come(); });
}

void Engine::pass_turn(std::vector<Waiting*>::iterator to) {
  Waiting& next = **to;
  waiting_.erase(to);
  acting_thread_ = next.thread;
  acting_ticket_ = next.ticket;
  next.has_turn = true;
  next.turn.notify_one();
}

// An action has ended. One that waits looks again, also where nothing has come: perhaps for the
// last time.
void Engine::end_turn() {
  if (!waiting_.empty()) {
    const auto next = first_that_may_go_on();
    pass_turn(next != waiting_.end() ? next : waiting_.begin());
    return;
  }
  busy_ = false;
  acting_thread_ = {};
  wake_waiting();
  if (stopping_ || !queue_.empty()) submitted_.notify_one();
}

Ticket Engine::last_submitted() const {
  std::lock_guard lock(mutex_);
  return last_submitted_;
}

Engine::OnBehalf::OnBehalf(const Engine& engine, Ticket ticket) { on_behalf = {&engine, ticket}; }

Engine::OnBehalf::~OnBehalf() { on_behalf = {}; }

bool Engine::inside_action() const {
  if (on_behalf.engine == this) return true;
  std::lock_guard lock(mutex_);
  return busy_ && acting_thread_ == std::this_thread::get_id();
}

void Engine::work() {
  std::fesetenv(FE_DFL_ENV);  // whatever the thread had that made this one
  work_off();
  --threads_of_engines;
}

void Engine::work_off() {
  std::unique_lock lock(mutex_);
  for (;;) {
    submitted_.wait(lock, [this] { return !busy_ && (stopping_ || !queue_.empty()); });
    if (queue_.empty()) return;
    carry_out_next(lock);
  }
}

void Engine::carry_out_next(std::unique_lock<std::mutex>& lock) noexcept {
  Item item = std::move(queue_.front());
  queue_.pop_front();
  carry_out(std::move(item), lock);
  end_turn();
}

void Engine::carry_out(Item item, std::unique_lock<std::mutex>& lock) noexcept {
  busy_ = true;
  acting_thread_ = std::this_thread::get_id();
  acting_ticket_ = item.ticket;
  lock.unlock();
  item.action(item.ticket);
  item.action = nullptr;  // what it holds is released before anyone is told
  lock.lock();
  mark_done(std::move(item.done));
  wake_waiting();
}

}  // namespace heddle::runtime
