// Carries out the work of all streams of all GPUs, one item at a time, in the order of submission.
//
// Every order that CUDA demands (within a stream, behind an event, around the legacy default
// stream) points from an earlier call to a later one, so the order of submission is one of the
// orders CUDA allows. Taking exactly that one makes runs repeatable. Submitting returns at once: a
// kernel may spin on a flag that the program sets afterwards. An action that waits for something in
// memory lets later submissions proceed that need not wait for it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace heddle::runtime {

// Position in the order of submission; 0 is before everything.
using Ticket = std::uint64_t;

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
    unsigned gpu = 0;             // whose stream it is

    bool ordered_with(const Place& other) const {
      if (stream == 0 || other.stream == 0) return true;
      if (gpu != other.gpu) return false;
      return stream == other.stream || (legacy && other.blocking) || (other.legacy && blocking);
    }
  };

  Ticket submit(Action action, Length length) { return submit(std::move(action), length, Place{}); }
  Ticket submit(Action action, Length length, Place place);
  void wait(Ticket ticket);
  // Submits and waits. Everything submitted before is done afterwards too, but for actions that let
  // it through.
  Ticket run(Action action) { return run(std::move(action), Place{}); }
  Ticket run(Action action, Place place);
  // Inside an action of `waiting` that waits for what others do: carries out the first submission
  // that neither it nor what it holds up comes before. False: there is none now.
  // `brief`: short actions alone.
  bool carry_out_another(const Place& waiting, bool brief = false);
  // Threads of the program that wait for what is not done: inside here, for as long as that lasts.
  std::size_t waiting_threads() const;
  // Threads of engines, in all of the process.
  static std::size_t own_threads();
  bool done(Ticket ticket) const;
  Ticket last_submitted() const;
  // Whether the caller is inside an action: the program's CUDA calls are not permitted there. What
  // the action itself submits is carried out at once.
  bool inside_action() const;

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
  void work();
  void work_off();
  bool is_done(Ticket ticket) const;  // these three: with the lock
  void mark_done(Tickets::node_type done);
  void carry_out(Item item, std::unique_lock<std::mutex>& lock) noexcept;
  Ticket carry_out_within(const Action& action);
  Ticket append(Action action, Length length, Place place);  // with the lock
  void carry_out_next(std::unique_lock<std::mutex>& lock) noexcept;

  // Waits on completed_, and is counted meanwhile. Does not allocate: what is waited for may hold
  // references to what its submitter has on its stack, and so must not go on after a throw.
  void wait_completed(std::unique_lock<std::mutex>& lock, const std::function<bool()>& there);

  mutable std::mutex mutex_;
  std::condition_variable submitted_, completed_;
  std::deque<Item> queue_;
  Ticket last_submitted_ = 0, last_completed_ = 0;
  Tickets early_;  // completed, of those after last_completed_
  // What threads wait for that are in wait_completed; each is on its thread's stack.
  struct Awaited {
    const std::function<bool()>& there;
    Awaited* next;
  };
  Awaited* awaited_ = nullptr;
  std::vector<Place> waiting_;  // actions that let others through, the innermost last
  bool busy_ = false;           // an action is running, on whichever thread
  bool stopping_ = false;
  std::thread::id acting_thread_;
  Ticket acting_ticket_ = 0;  // of the action that is running
  std::thread thread_;  // started by the first action that is submitted without waiting for it
};

}  // namespace heddle::runtime
