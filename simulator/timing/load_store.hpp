// The memory unit of an SM: the queues of its sub-cores, address calculation, the unit they share,
// L1 and shared memory. What L1 lacks becomes requests to L2, answered between two quanta of time.
#pragma once

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "simulator/launch/observer.hpp"
#include "simulator/launch/timing_result.hpp"
#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/big_page_vector.hpp"
#include "simulator/timing/clusters.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/data_banks.hpp"
#include "simulator/timing/l1_lines.hpp"
#include "simulator/timing/memory_pipe.hpp"
#include "simulator/timing/memory_system.hpp"
#include "simulator/timing/program.hpp"
#include "simulator/timing/texture_unit.hpp"

namespace heddle::simulator::timing {

// An instruction whose results are not known yet: answers of L2 are outstanding, or it waits for
// the unit.
struct Outstanding {
  std::uint32_t slot = 0;      // of its warp
  std::uint32_t instance = 0;  // of the warp in that slot
  std::uint64_t number = 0;    // counts the warp's instructions
  std::uint8_t scoreboard = kNoScoreboard, read_scoreboard = kNoScoreboard;
  bool is_store = false, is_async = false;
  Cycle done = 0;  // once the answers are there
  Cycle left = 0;  // of a store, when it has left the SM
};

inline bool is_atomic(AccessKind kind) {
  return kind != AccessKind::load && kind != AccessKind::store;
}

// When an instruction's result is there and its sources have been read.
struct Completion {
  Cycle sources_read = 0;
  Cycle done = 0;            // of the parts that are known
  bool outstanding = false;  // more depends on L2
  bool queued = false;       // nothing is known before the unit has taken it up
};

// An instruction that had been queued.
struct Served {
  Outstanding who;
  Completion completion;
};

class LoadStoreUnit {
 public:
  // Its lines are linked by numbers of 16 bits (L1Lines).
  static constexpr std::uint64_t kMostL1Bytes = 4 << 20;
  LoadStoreUnit(const Constants& constants, std::uint32_t sm);
  // Before a launch: `l1_bytes` of cache.
  void start(std::uint64_t l1_bytes);

  // Whether the sub-core's queue has room; otherwise `until` is when it will, kNever if that is not
  // known.
  bool has_room(unsigned sub_core, Cycle now, Cycle& until) const {
    return pipe_.has_room(sub_core, now, until);
  }
  bool queue_holds_only_global(unsigned sub_core) const {
    return pipe_.holds_only_global(sub_core);
  }
  // Takes an instruction that touched `accesses`. `waiting` says who will want to know.
  Completion issue(unsigned sub_core, Cycle now, const Timed& instruction,
                   std::span<const Access> accesses, const Origin& origin,
                   const Outstanding& waiting);
  // SHFL and S2R pass through the queue and the shared unit alone.
  Completion pass(unsigned sub_core, Cycle now, const Timed& instruction,
                  const Outstanding& waiting);
  // When the sub-core's queue for textures has room.
  Cycle texture_room(unsigned sub_core) const { return textures_.room(sub_core); }
  // Takes a texture instruction of the lanes `on`, which read texels of `header` at `accesses`, one
  // for each texel that goes into a lane's result.
  Completion sample(unsigned sub_core, Cycle now, const Timed& instruction,
                    const TextureHeader& header, std::span<const Access> accesses, Mask on,
                    const Outstanding& waiting);
  // When `advance` next has something to do.
  Cycle next_event() const { return pipe_.next_event(); }
  // Those queued that the unit has taken up by `now`.
  std::span<const Served> advance(Cycle now);
  // Those of which the call of `advance` before tells when their sources have been read, which is
  // `done`.
  std::span<const Outstanding> read() const { return read_; }
  // Bit i: the call of `advance` before has made room in the queue of sub-core i.
  std::uint64_t made_room() const { return pipe_.made_room(); }

  // The unit will be used soon, up to then.
  void prefetch_unit(Cycle until) const;
  // The line will be accessed soon.
  void prefetch(LineNumber line) const { l1_.prefetch(line); }

  BigPageVector<Request>& requests() { return requests_; }
  // Of the copy engine, for whom no instruction waits: the request's place among them.
  std::uint32_t ask(Request::Kind kind, LineNumber line, SectorMask sectors, SectorMask brings,
                    Cycle time);
  // Whether any of those who wait for L2 is one that `is_awaited` holds for.
  template <typename IsAwaited>
  bool any_waiting(IsAwaited&& is_awaited) const {
    return std::ranges::any_of(pending_, is_awaited, &Pending::who);
  }
  template <typename Visit>
  void for_each_waiting(Visit&& visit) const {
    for (const Pending& pending : pending_) visit(pending.who);
  }
  // Whether stores wait to leave the SM, as far as L2 has answered.
  bool is_way_full(Cycle now) const {
    return last_sent_.taken_before(LastSent::Tail::leaving) > now;
  }
  // Nothing is in L1 any more.
  void empty_l1() { l1_.clear(); }
  // After L2 has answered: who waited, with `done`. Forgets the requests.
  std::span<const Outstanding> collect();
  Traffic& traffic() { return traffic_; }

 private:
  using StoredBytes = std::array<std::uint32_t, kSectorsPerLine>;  // of each sector, as bits
  // What is stored of a line and sent together.
  struct Stored {
    LineNumber line = 0;
    SectorMask sectors = 0;
    StoredBytes bytes{};
    std::uint64_t batch = 0;    // of requests, that it is sent with,
    std::uint32_t request = 0;  // and its place among them
  };
  // Sectors of one line that an instruction touches.
  struct Piece {
    LineNumber line = 0;
    SectorMask sectors = 0;
    StoredBytes bytes{};  // which; none where texels are read
    Outgoing outgoing{};
    bool merges = false;       // a store that others may be sent with, and
    bool merged = false;       // which is sent with one before it; else
    Stored* stored = nullptr;  // with which others are
  };
  // In its owner as far as most instructions need, so that one follows from where the owner is.
  template <typename T, std::size_t kMostly>
  using Few = boost::container::small_vector<T, kMostly, BigPageAllocator<T, Fresh::anything>>;
  using Pieces = Few<Piece, 8>;
  struct Fill {
    Cycle done = 0;
    std::uint32_t request = 0;  // while done is kNever: who will bring it
    StoredBytes stored{};       // bytes that stores have left
  };
  class NamedLines;
  class AtomicRounds;
  using L1 = L1Lines<Fill>;
  // What one access of an instruction asks for.
  struct Part {
    AccessKind kind = AccessKind::load;
    Window space = Window::global;
    Cycle extra = 0;              // of shared memory its latency, else what is beyond a hit's
    std::uint32_t pieces = 0;     // of the entry's, after those of the parts before
    Calendar* port = nullptr;     // to the shared memory of another block; null: it is the own
    std::uint64_t port_time = 0;  // that it needs on the way, in hundredths of a cycle
    std::uint64_t far_pieces = 0;
    bool is_atomic() const { return simulator::timing::is_atomic(kind); }
  };
  // Cycles that an access to global or local memory takes in L1: to look its lines up, for its
  // data, and for lanes that meet in a bank.
  struct L1Passes {
    Cycle tags = 0, data = 0, conflicts = 0;
  };
  // An instruction on its way to the unit.
  struct alignas(64) Entry {
    const Timed* instruction = nullptr;
    Outstanding who;
    Cycle further = 0;    // passes beyond the first
    Cycle looked_up = 0;  // those in which a load's lines are looked up
    Few<Part, 1> parts;
    Pieces pieces;
  };
  // An instruction and the requests it waits for.
  struct Pending {
    Outstanding who;
    Cycle known = 0;
    std::uint32_t first = 0, count = 0;  // in waits_
    Cycle passes = 0;                    // of a load, over what L2 brings
  };

  void split_texels(std::span<const Access> accesses);
  void make_room();
  std::uint32_t new_entry(const Timed& instruction);
  PipeWork at_address_unit(const Timed& instruction, bool unmade) const;
  void hurry_copy(const Timed& instruction, Cycle passes, PipeWork& work) const;
  PipeWork passing(const Timed& instruction) const;
  Completion enter(unsigned sub_core, const PipeWork& work, const Outstanding& waiting);
  void serve(std::uint32_t token, Cycle begin, Completion& completion);
  void read_sources(const MemoryPipe::Taken& addressed);
  Cycle reach_data(Cycle begin);
  void await_room(std::vector<Cycle>& at_data, std::size_t& next, Cycle begin, Cycle there);
  Cycle bring_data(Cycle arrival, Cycle passes);
  void wait_for_banks(const Entry& entry, Cycle begin, Completion& completion);
  static void find_outgoing(SectorMask sectors, const StoredBytes& stored, Outgoing& out);
  void join_stored(Piece& piece);
  Cycle enter_store_buffer(std::span<Piece> pieces, Cycle begin, Cycle passes);
  Cycle passes(const Timed& instruction, const Access& access, std::span<const Piece> pieces,
               const L1Passes& needed) const;
  L1Passes l1_passes(const Access& access, std::span<const Piece> pieces) const;
  Cycle hit_delay(const L1Passes& passes) const;
  Cycle conflicts(const Access& access, Cycle passes) const;
  static void split_row(const Access& access, Pieces& pieces);
  static void split(const Access& access, LineNumber local_line, Pieces& pieces);
  static SectorMask find_sectors(const L1::Line& line, const Piece& piece);
  static void count_outgoing(const Access& access, bool adds_floats, std::span<Piece> pieces);
  static void count_rounds(const Access& access, bool adds_floats, std::span<Piece> pieces);
  void prepare(const Timed& instruction, const Access& access, const Origin& origin, Part& part,
               Pieces& pieces) const;
  void prepare_other_block(const Access& access, const Origin& origin, Part& part) const;
  Cycle access_other_block(const Part& part, Cycle begin);
  void access_memory(const Timed& instruction, const Part& part, std::span<const Piece> pieces,
                     Cycle base, Cycle hit, Completion& completion);
  Cycle await_line(const L1::Line& line, Cycle hit);
  void load(const Piece& piece, const Timed& instruction, Lookups& lookups, Cycle base, Cycle hit,
            Completion& completion);
  void store(const Piece& piece, Lookups& lookups, Cycle base);
  Cycle miss_time(Cycle base);
  void wait_behind_sent(Request& request) const;
  void hold_back_stores();
  Request& send(Request::Kind kind, LineNumber line, SectorMask sectors, Cycle base);

  const Constants& constants_;
  const std::uint32_t sm_;
  MemoryPipe pipe_;
  TextureUnit textures_;
  std::vector<Access> texels_;  // of the texture instruction that issues
  Pieces texel_pieces_;
  Server to_cluster_;  // the way to other blocks' shared memory
  L1 l1_;
  BigPageVector<Entry> entries_;  // by token
  std::vector<std::uint32_t> free_entries_;
  std::vector<Served> served_;
  std::vector<Outstanding> read_;
  BigPageVector<Request> requests_;
  std::vector<Stored> stored_;  // a ring of the lines that were stored to last
  std::size_t next_stored_ = 0;
  std::uint64_t stored_bits_ = 0;  // of those lines, and perhaps of some that are gone
  Cycle stores_end_ = 0;           // when the unit is done with the last one
  std::vector<Cycle> buffered_;    // a ring of the lines stored last: when they leave for L2
  std::vector<Cycle> at_data_;     // a ring of the last instructions: when they are at the data
  std::uint64_t batch_ = 1;        // of requests
  std::size_t next_buffered_ = 0, next_at_data_ = 0, next_late_ = 0;
  DataBanks banks_;
  Cycle banks_free_ = 0;             // when what has waited for them last has been there
  std::vector<Cycle> late_at_data_;  // as at_data_, of those that waited for banks
  Cycle data_free_ = 0;              // when the store before has entered the buffer
  std::uint64_t sent_ = 0;           // when all of them have left, in ticks of a server
  std::vector<std::uint32_t> waits_;
  std::vector<Pending> pending_;
  std::vector<Outstanding> collected_;
  // What L2 has not taken yet: when it will have, and in the lowest bits how many bytes that is; so
  // one comparison orders them.
  static constexpr unsigned kSizeBits = 16;
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> outgoing_;
  std::uint64_t outgoing_bytes_ = 0;
  // What was sent last, in order, in a ring. Of it the last pieces that fit within a limit are at
  // one of the tails; when L2 has taken all that was sent before them.
  class LastSent {
   public:
    enum class Tail : std::uint8_t { passing, leaving, count_ };
    // `passing`, `leaving`: limits.
    void start(std::uint64_t passing, std::uint64_t leaving);
    void add(Cycle taken, std::uint32_t size);
    Cycle taken_before(Tail tail) const { return at(tail).taken_before; }

   private:
    struct Piece {
      Cycle taken = 0;  // by L2
      std::uint32_t size = 0;
    };
    struct Rest {
      std::uint64_t most = 0, size = 0;
      std::size_t first = 0;
      Cycle taken_before = 0;
    };
    const Rest& at(Tail tail) const { return tails_[static_cast<std::size_t>(tail)]; }
    void grow();
    std::vector<Piece> ring_;
    std::size_t places_ = 0, end_ = 0;  // its size, a power of two; behind the last
    std::array<Rest, static_cast<std::size_t>(Tail::count_)> tails_{};
  };
  // What follows need not wait for those at the tail `passing`; those at `leaving` have left the
  // SM.
  LastSent last_sent_;
  std::vector<Cycle> left_;  // by request: when it has left
  Cycle misses_free_ = 0;    // when L1 can ask L2 for another line
  Cycle served_at_ = 0;      // when what was served last would have issued on an idle unit
  struct AwaitedLine {
    LineNumber number = 0;
    std::size_t place = 0;  // in l1_, when it was asked for
  };
  std::vector<AwaitedLine> awaited_lines_;
  Traffic traffic_;
};

}  // namespace heddle::simulator::timing
