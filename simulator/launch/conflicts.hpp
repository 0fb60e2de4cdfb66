// Finds out, while several host threads run blocks of one launch, whether blocks on different
// threads touched the same memory in a way that makes the result depend on their order; and takes
// back what they wrote.
//
// Every 4 bytes of global memory have a state. A conflict ends the parallel run; the launch then
// runs again on one thread, so a result never depends on the number of host threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "simulator/launch/access_log.hpp"
#include "simulator/memory/memory.hpp"

namespace heddle::simulator {

class ConflictTracker {
 public:
  static constexpr unsigned kMaxThreads = 64;
  static constexpr unsigned kOperations = 24;

  explicit ConflictTracker(const DeviceMemory& memory);

  // What each host thread did; only it may use its own.
  class Log final : public AccessLog {
   public:
    Log(ConflictTracker& tracker, unsigned thread);
    // False on a conflict. Contents are seen before they are changed.
    bool read(std::uint64_t address, unsigned bytes) override;
    bool write(std::uint64_t address, unsigned bytes) override;
    bool read_all(std::uint64_t address, std::uint64_t bytes) override;
    bool reduce(std::uint64_t address, unsigned bytes, unsigned operation) override;
    // Who speaks with the host must not begin anew.
    bool communicate(std::uint64_t address) override { return find(address) && !is_host_memory_; }
    void undo();  // puts back what was there before; for all threads, once none runs
    // Whether it wrote to such memory.
    bool wrote_host_memory() const { return wrote_host_memory_; }
    // That what was there before takes.
    std::uint64_t bytes() const {
      return before_.size() * sizeof(Before) + rows_before_.size() * sizeof(BeforeRow);
    }

   private:
    struct Before {
      std::byte* at;
      std::uint32_t value;
      std::uint8_t bytes;
    };
    static constexpr unsigned kTogether = 8;  // granules whose states are looked at together
    struct BeforeRow {
      std::byte* at;
      std::array<std::uint32_t, kTogether> values;
    };
    std::uint8_t next_state(std::uint8_t seen, std::uint8_t wanted) const;
    bool claim(std::uint64_t address, unsigned bytes, std::uint8_t state, bool writes);
    bool claim_together(std::uint64_t granule, std::uint8_t state, bool writes);
    bool find(std::uint64_t address);
    ConflictTracker& tracker_;
    std::uint8_t read_state_, write_state_;
    std::vector<Before> before_;
    std::vector<BeforeRow> rows_before_;
    std::set<std::pair<std::uint64_t, std::uint64_t>> all_read_;  // what read_all has claimed
    // The allocation last used.
    std::uint64_t start_ = 0, bytes_ = 0;
    std::byte* data_ = nullptr;
    std::uint8_t* states_ = nullptr;
    bool is_host_memory_ = false;
    bool wrote_host_memory_ = false;
  };

 private:
  struct Shadow {
    std::uint64_t bytes = 0;
    std::byte* data = nullptr;
    // By granule; zero, and without memory, until the first access.
    std::unique_ptr<std::uint8_t[], void (*)(void*)> states{nullptr, std::free};
    bool host_mapped = false;
  };
  std::map<std::uint64_t, Shadow> shadows_;  // by allocation address
};

}  // namespace heddle::simulator
