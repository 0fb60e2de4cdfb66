// Finds out, while several host threads run blocks of one launch, whether blocks on different
// threads touched the same memory in a way that makes the result depend on their order; and takes
// back what they wrote.
//
// Each thread notes for itself which 4 bytes of global memory it has used, and looks at the notes
// of those others that have used the same piece of 1 KiB. What a piece held is copied before the
// first write to it. A conflict ends the parallel run; the launch then runs again on one thread, so
// a result never depends on the number of host threads.
//
// That is when it comes to the piece. Its later uses there it only notes, without waiting for its
// notes to be seen: what conflicts then is found by conflicts(), before anything is kept.
//
// Most memory that a launch reads it never writes. So reads of an allocation are not noted until
// something writes to it. What comes first decides: after a write they are noted, and a write after
// reads that were not is a conflict, of which nobody knows whether it is one
// (ConflictTracker::lacks_reads): the blocks then run again with all reads noted.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "simulator/base/big_pages.hpp"
#include "simulator/base/row_storage.hpp"
#include "simulator/launch/access_log.hpp"
#include "simulator/memory/memory.hpp"
#include "simulator/memory/memory_before.hpp"

namespace heddle::simulator {

class ConflictTracker {
 public:
  static constexpr unsigned kMaxThreads = 64;
  static constexpr unsigned kOperations = 24;
  static constexpr unsigned kRowBytes = 1 << WordNotes::kRowShift,
                            kPieceBytes = 1 << WordNotes::kPieceShift;

  // `notes_reads`: all of them.
  ConflictTracker(const DeviceMemory& memory, bool notes_reads);

  // Whether a write was refused for want of notes of reads.
  bool lacks_reads() const { return lacks_reads_.load(std::memory_order_relaxed); }
  // Whether two threads' uses of a word conflict. While threads run, those of the last moment may
  // not be seen.
  bool conflicts();

  // What was done first to an allocation, and so how it goes on.
  enum class Use : std::uint8_t { none, unnoted_reads, noted };

 private:
  struct Shadow;
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  struct GiveBack {
    void operator()(void* memory) const { give_back_to_big_pages(memory); }
  };
  // In huge pages: what is read before it is written costs two faults of each small
  // page, and the second one stops all threads.
  template <typename T>
  using Notes = std::unique_ptr<T[], GiveBack>;

 public:
  // What each host thread did; only it may use its own.
  class alignas(kCacheLine) Log final : public AccessLog {
   public:
    Log(ConflictTracker& tracker, unsigned thread);
    // False on a conflict. Contents are seen before they are changed.
    bool read(std::uint64_t address, unsigned bytes) override;
    bool write(std::uint64_t address, unsigned bytes) override;
    bool read_all(std::uint64_t address, std::uint64_t bytes) override;
    bool may_read_within(std::uint64_t first, std::uint64_t end) override;
    WordNotes notes_of(std::uint64_t address) override;
    bool reduce(std::uint64_t address, unsigned bytes, unsigned operation) override;
    bool reduce_apart(std::uint64_t address, unsigned bytes, unsigned operation) override;
    // Where a word is reduced apart; null: nowhere.
    std::byte* apart(std::uint64_t address);
    // Combines memory with what was reduced apart; for all threads, one after the other, once none
    // runs.
    void merge();
    // Who speaks with the host must not begin anew.
    bool communicate(std::uint64_t address) override;
    // Puts back what was there before; for all threads, once none runs.
    void undo();
    // Whether it wrote to such memory.
    bool wrote_host_memory() const { return wrote_host_memory_; }
    // That what was there before takes.
    std::uint64_t bytes() const { return before_.bytes(); }

   private:
    using Apart = ReducedApart;
    using Aparts = std::vector<std::unique_ptr<Apart>>;  // by piece of an allocation
    // An allocation that was used lately, and the notes of it.
    struct Known {
      std::uint64_t start = 0, bytes = 0;
      Shadow* shadow = nullptr;
      WordNotes notes;           // the thread's own; null until it notes something
      Aparts* aparts = nullptr;  // null until it reduces something
    };
    enum class Kind : std::uint8_t { read, write, reduction, reduction_apart };

    Known* find(std::uint64_t address);
    Known* find_slowly(std::uint64_t address);
    bool begin_notes(Known& in);
    static bool reads_unnoted(const Known& in);
    bool begins_writing(const Known& in);
    template <Kind kKind>
    bool claim(std::uint64_t address, unsigned bytes, unsigned operation = 0);
    template <Kind kKind>
    bool claim_words(Known& in, std::uint64_t row, std::uint32_t words, unsigned operation);
    static std::uint32_t reduced_otherwise(const Known& in, std::uint64_t row, std::uint32_t words,
                                           unsigned operation);
    std::uint32_t take_apart(Known& in, std::uint64_t row, std::uint32_t words, unsigned operation);
    void put_together(const Shadow& shadow, std::uint64_t row, Apart& from, std::uint32_t words);
    static Apart* apart_at(const Known& in, std::uint64_t piece) {
      return in.aparts == nullptr ? nullptr : (*in.aparts)[piece].get();
    }
    static void clear_notes(const Known& in, std::uint64_t piece);
    void save(Shadow& shadow, std::uint64_t piece);
    bool is_fresh(Shadow& shadow, std::uint64_t frame);
    void look_at(Shadow& shadow, std::uint64_t frame);

    ConflictTracker& tracker_;
    const unsigned thread_;
    bool wrote_host_memory_ = false;
    bool refused_ = false;  // a use, which has been noted: who asks again is refused again
    std::size_t last_ = 0, next_ = 0;  // of `known_`: used last, and to be replaced next
    std::array<Known, 4> known_;
    MemoryBefore<kPieceBytes> before_;
    std::vector<std::span<std::byte>> fresh_;  // what held zeros
    std::map<Shadow*, Aparts> aparts_;
    std::size_t apart_count_ = 0;
    std::set<std::pair<std::uint64_t, std::uint64_t>> all_read_;  // what read_all has claimed
  };

 private:
  struct Shadow {
    std::uint64_t bytes = 0;
    std::byte* data = nullptr;
    bool host_mapped = false;
    std::atomic<Use> use{Use::none};
    // None of these is there until a thread notes something.
    Notes<std::uint64_t> users;  // by piece: a bit for each thread that has used it
    static constexpr std::uint8_t kUnsaved = 0, kBeingSaved = 1, kSaved = 2;
    Notes<std::uint8_t> saved;   // by piece
    Notes<std::uint8_t> frames;  // of the host's memory: whether it was fresh
    // By word: the operation of its reductions, and 1. Without memory of the host until then.
    std::unique_ptr<std::uint8_t[], Free> operations;
    struct OfThread {
      Notes<std::uint64_t> uses;  // by row: of pieces that it has used, others hold anything
      Notes<std::uint8_t> ready;  // by piece
    };
    std::array<OfThread, kMaxThreads> threads;

    std::uint64_t rows() const { return (bytes + kRowBytes - 1) / kRowBytes; }
    std::uint64_t pieces() const { return (bytes + kPieceBytes - 1) / kPieceBytes; }
    std::uint64_t frame_of(std::uint64_t byte) const;
    std::uint64_t frame_count() const { return frame_of(bytes - 1) + 1; }
    std::span<std::byte> frame(std::uint64_t number) const;
    bool conflicts_in(std::uint64_t piece) const;
    bool conflicts_with(std::uint64_t others, std::uint64_t row, std::uint64_t own) const;
  };
  std::map<std::uint64_t, Shadow> shadows_;  // by allocation address
  std::mutex beginning_notes_;
  std::atomic<bool> lacks_reads_{false};
};

}  // namespace heddle::simulator
