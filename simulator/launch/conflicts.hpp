// Finds out, while several host threads run blocks of one launch, whether blocks on different
// threads touched the same memory in a way that makes the result depend on their order; and takes
// back what they wrote.
//
// Every 4 bytes of global memory have a state; rows of 128 bytes that are only used as a whole have
// one together. A conflict ends the parallel run; the launch then
// runs again on one thread, so a result never depends on the number of host threads.
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
#include <set>
#include <utility>
#include <vector>

#include "simulator/base/big_pages.hpp"
#include "simulator/launch/access_log.hpp"
#include "simulator/memory/memory.hpp"

namespace heddle::simulator {

class ConflictTracker {
 public:
  static constexpr unsigned kMaxThreads = 64;
  static constexpr unsigned kOperations = 24;
  static constexpr unsigned kRowBytes = 128;

  // `notes_reads`: all of them. Throws std::bad_alloc.
  ConflictTracker(const DeviceMemory& memory, bool notes_reads);

  // Whether a write was refused for want of notes of reads.
  bool lacks_reads() const { return lacks_reads_.load(std::memory_order_relaxed); }

  // What was done first to an allocation, and so how it goes on.
  enum class Use : std::uint8_t { none, unnoted_reads, noted };

  // What each host thread did; only it may use its own.
  class Log final : public AccessLog {
   public:
    Log(ConflictTracker& tracker, unsigned thread);
    // False on a conflict. Contents are seen before they are changed.
    bool read(std::uint64_t address, unsigned bytes) override;
    bool write(std::uint64_t address, unsigned bytes) override;
    bool read_all(std::uint64_t address, std::uint64_t bytes) override;
    bool may_read_within(std::uint64_t first, std::uint64_t end) override;
    bool reduce(std::uint64_t address, unsigned bytes, unsigned operation) override;
    // Who speaks with the host must not begin anew.
    bool communicate(std::uint64_t address) override { return find(address) && !is_host_memory_; }
    void undo();  // puts back what was there before; for all threads, once none runs
    // Whether it wrote to such memory.
    bool wrote_host_memory() const { return wrote_host_memory_; }
    // That what was there before takes.
    std::uint64_t bytes() const { return rows_before_.size() * sizeof(BeforeRows); }

   private:
    // In pages that launches take one after the other: so much new memory takes long to come.
    struct BeforeRows {
      static constexpr std::size_t kRows = 1024;
      std::array<std::array<std::byte, kRowBytes>, kRows> contents;
      std::array<std::byte*, kRows> at;
      std::array<std::uint8_t, kRows> bytes;
      std::size_t count;
    };
    // Of one allocation: granules from the first to the last.
    struct Granules {
      std::uint64_t first, last;
    };
    std::uint8_t next_state(std::uint8_t seen, std::uint8_t wanted) const;
    bool claim(std::uint64_t address, unsigned bytes, std::uint8_t state, bool writes);
    bool claim_row(std::uint64_t row, const Granules& used, std::uint8_t state, bool writes);
    bool has_claimed(std::uint64_t granule, std::uint8_t state, bool writes);
    bool claim_granules(const Granules& used, std::uint8_t state);
    bool claim_together(std::uint64_t granule, std::uint8_t state);
    void save_row(std::uint64_t row);
    bool find(std::uint64_t address);
    bool reads_unnoted();
    bool begins_writing();
    ConflictTracker& tracker_;
    std::uint8_t read_state_, write_state_;
    std::vector<BigArray<BeforeRows>> rows_before_;               // one each
    std::uint64_t last_page_ = 0;                                 // in which one was saved
    std::set<std::pair<std::uint64_t, std::uint64_t>> all_read_;  // what read_all has claimed
    // The allocation last used.
    std::uint64_t start_ = 0, bytes_ = 0, granules_ = 0;
    std::byte* data_ = nullptr;
    std::uint8_t *states_ = nullptr, *row_states_ = nullptr;
    std::atomic<Use>* use_ = nullptr;
    bool is_host_memory_ = false;
    bool wrote_host_memory_ = false;
  };

 private:
  struct Shadow {
    std::uint64_t bytes = 0;
    std::byte* data = nullptr;
    // By granule and by row; zero, and without memory, until the first access.
    std::unique_ptr<std::uint8_t[], void (*)(void*)> states{nullptr, std::free};
    std::unique_ptr<std::uint8_t[], void (*)(void*)> row_states{nullptr, std::free};
    bool host_mapped = false;
    std::atomic<Use> use{Use::none};
  };
  std::map<std::uint64_t, Shadow> shadows_;  // by allocation address
  std::atomic<bool> lacks_reads_{false};
};

}  // namespace heddle::simulator
