// Carries out the work of all streams of all GPUs, one item at a time, in the order of submission.
//
// Every order that CUDA demands (within a stream, behind an event, around the legacy default
// stream) points from an earlier call to a later one, so the order of submission is one of the
// orders CUDA allows. Taking exactly that one makes runs repeatable. Submitting returns at once: a
// kernel may spin on a flag that the program sets afterwards. An action that waits for something in
// memory lets later submissions proceed that need not wait for it. Those may wait for it in turn:
// each has a thread of its own then, of which one at a time goes on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace heddle::runtime {

// Position in the order of submission; 0 is before everything.
using Ticket = std::uint64_t;

inline void raise_to(std::atomic<std::uint64_t>& count, std::uint64_t number) {
  std::uint64_t before = count;
  while (before < number && !count.compare_exchange_weak(before, number)) {
  }
}

class Engine {
 public:
  // Called with its own ticket; must not throw.
  using Action = std::function<void(Ticket)>;
  // Short actions (copies, bookkeeping) may run on a thread that waits for them; the others
  // (kernels and the program's own host functions) run on the engine's thread, whose stack is known
  // to be deep.
  enum class Length { brief, unbounded };

  Engine() = default;
  ~Engine();  // carries out what was submitted
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Submissions that may wait to be carried out; a thread that submits more waits, as with CUDA.
  static constexpr std::size_t kMostPending = 1024;

  // Where a submission stands among those of streams.
  struct Place {
    std::uint64_t stream = 0;     // 0: of none; its submitter waits
    bool legacy = false;          // of the legacy default stream
    bool blocking = true;         // of a stream that waits for that one, and it for this
    std::vector<Ticket> after{};  // what the stream waits for by events
    static constexpr unsigned kEveryGpu = ~0u;
    unsigned gpu = kEveryGpu;  // whose stream it is, or which GPU alone it concerns

    bool ordered_with(const Place& other) const {
      if (gpu != other.gpu && gpu != kEveryGpu && other.gpu != kEveryGpu) return false;
      if (stream == 0 || other.stream == 0) return true;
      return stream == other.stream || (legacy && other.blocking) || (other.legacy && blocking);
    }
  };

  Ticket submit(Action action, Length length) { return submit(std::move(action), length, Place{}); }
  // `newest` is raised to the ticket before the action begins.
  Ticket submit(Action action, Length length, Place place, std::atomic<Ticket>* newest = nullptr);
  void wait(Ticket ticket);
  // Submits and waits. Everything submitted before is done afterwards too, but for actions that let
  // it through.
  Ticket run(Action action) { return run(std::move(action), Place{}); }
  Ticket run(Action action, Place place);
  // Inside an action of `waiting` that waits for what others do: carries out the first submission
  // that neither it nor what it holds up comes before, as far as that gets without waiting itself.
  // Where there is none, another action goes on that waits, and for which something has come.
  // False: there is neither now. `come`: whether something has for this one; it is asked by others,
  // with the engine's lock. `brief`: of submissions, short actions alone.
  bool carry_out_another(const Place& waiting, const std::function<bool()>& come,
                         bool brief = false);
  // Threads of the program that wait for what is not done: inside here, for as long as that lasts.
  std::size_t waiting_threads() const;
  // Threads of engines, in all of the process.
  static std::size_t own_threads();
  bool done(Ticket ticket) const;
  Ticket last_submitted() const;
  // Whether the caller is inside an action: the program's CUDA calls are not permitted there. What
  // the action itself submits is carried out at once.
  bool inside_action() const;
  Ticket acting_ticket() const { return acting_ticket_; }  // for who is inside an action
  // While one lives, the calling thread is inside that action too.
  class OnBehalf {
   public:
    OnBehalf(const Engine& engine, Ticket ticket);
    ~OnBehalf();
    OnBehalf(const OnBehalf&) = delete;
    OnBehalf& operator=(const OnBehalf&) = delete;
  };

 private:
  // Completed tickets. That one is done must be said when memory is full too, so each item brings
  // the node by which it is listed.
  using Tickets = std::set<Ticket>;
  struct Item {
    Action action;
    Length length;
    Place place;
    Ticket ticket;
    Tickets::node_type done = Tickets{ticket}.extract(ticket);
  };
  // An action that waits for others, on its thread's stack. One thread at a time has the turn.
  struct Waiting {
    const Place& place;
    const std::function<bool()>& come;
    Ticket ticket;
    std::thread::id thread = std::this_thread::get_id();
    bool has_turn = false;
    std::condition_variable turn{};
  };
  // An action apart from the one that let it through: each can wait while the other goes on.
  struct Apart {
    std::optional<Item> item{};
    std::thread thread{};
    bool ended = false;
  };
  using Queue = std::deque<Item>;
  void work();
  void work_off();
  Queue::iterator first_not_held_up(const Place& waiting, bool brief);  // these six: with the lock
  void start_apart(Queue::iterator next);
  void work_apart(Apart& mine);
  std::vector<Waiting*>::iterator first_that_may_go_on();
  void pass_turn(std::vector<Waiting*>::iterator to);
  void end_turn();
  bool is_done(Ticket ticket) const;  // these three: with the lock
  void mark_done(Tickets::node_type done);
  void carry_out(Item item, std::unique_lock<std::mutex>& lock) noexcept;
  Ticket carry_out_within(const Action& action, std::atomic<Ticket>* newest = nullptr);
  Ticket append(Action action, Length length, Place place);  // with the lock
  void carry_out_next(std::unique_lock<std::mutex>& lock) noexcept;

  // Waits on completed_, and is counted meanwhile. Does not allocate: what is waited for may hold
  // references to what its submitter has on its stack, and so must not go on after a throw.
  void wait_completed(std::unique_lock<std::mutex>& lock, const std::function<bool()>& there);
  void wake_waiting();  // if what one of them waits for is there; with the lock

  mutable std::mutex mutex_;
  std::condition_variable submitted_, completed_;
  Queue queue_;
  Ticket last_submitted_ = 0, last_completed_ = 0;
  Tickets early_;  // completed, of those after last_completed_
  // What threads wait for that are in wait_completed; each is on its thread's stack.
  struct Awaited {
    const std::function<bool()>& there;
    Awaited* next;
  };
  Awaited* awaited_ = nullptr;
  std::vector<Waiting*> waiting_;  // the one that has waited longest first
  std::list<Apart> apart_;
  bool busy_ = false;  // an action is running, on whichever thread
  bool stopping_ = false;
  std::thread::id acting_thread_;
  Ticket acting_ticket_ = 0;  // of the action that is running
  std::thread thread_;  // started by the first action that is submitted without waiting for it
};

}  // namespace heddle::runtime
