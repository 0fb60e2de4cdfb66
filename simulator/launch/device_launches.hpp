// Grids that device code launches (CUDA dynamic parallelism): asked for while a launch executes,
// and executed by the launching context, once it has ended.
//
// All that is known of them lies in an allocation of its own, so that a copy of the memory is a
// copy of this state, as with the heap (device_heap.hpp). It is emptied when the launches are
// taken.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/launch/launch.hpp"
#include "simulator/memory/memory.hpp"
#include "simulator/memory/memory_journal.hpp"

namespace heddle::simulator {

// Streams with a meaning of their own (cuda_device_runtime_api.h).
inline constexpr std::uint64_t kTailLaunchStream = 3, kFireAndForgetStream = 4;

struct DeviceLaunch {
  std::uint64_t kernel = 0;  // code address
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t parameter_bytes = 0;
};

// A grid to be launched for one that has ended.
struct ChildLaunch {
  LaunchRequest request;
  bool tail = false;  // begins when the grid that launched it, and what that launched, has ended
};

// The kernel whose code begins at this address, or null.
const isa::Kernel* kernel_at(const Module& module, std::uint64_t code_address);

class DeviceLaunches {
 public:
  // Makes the room for them, unless `memory` has it. Throws std::bad_alloc.
  static void create(DeviceMemory& memory);
  // Whether any were launched that nobody has taken.
  static bool any(const DeviceMemory& memory);

  // How many launches may be pending (cudaLimitDevRuntimePendingLaunchCount); makes the room.
  static void limit_pending(DeviceMemory& memory, std::uint64_t most);

  // How deep CUDA lets launches nest.
  static constexpr unsigned kMostNesting = 24;
  // Of the next grid to execute: those before it, each of which launched the one after it. Until
  // its launches are taken.
  static void set_nesting(DeviceMemory& memory, unsigned nesting);
  unsigned nesting() const;

  // `journal`: told of what is about to change, or null.
  explicit DeviceLaunches(DeviceMemory& memory, MemoryJournal* journal = nullptr);

  // A thread's last error, as cudaGetLastError on the device gives it; 0: none.
  struct Thread {
    std::uint64_t block = 0;   // linear
    std::uint64_t thread = 0;  // in the block, linear
  };

  // Where the parameters are to be written; 0 when too many launches are pending, or there is no
  // room. On a GPU children begin while their parent goes on, so that what a thread has launched
  // before counts as begun; tail launches are pending until the end.
  std::uint64_t prepare(const DeviceLaunch& launch, Thread thread);
  // The same with no more known than the bytes of the parameters. They are configured before they
  // are launched; false: not prepared, or prepared for fewer bytes.
  std::uint64_t prepare_bytes(std::uint32_t bytes, Thread thread);
  bool configure(std::uint64_t parameters, const DeviceLaunch& launch);
  // What was prepared there; nothing: `prepare` has not given this address, or it was launched.
  std::optional<DeviceLaunch> prepared(std::uint64_t parameters) const;
  bool launch(std::uint64_t parameters, std::uint64_t stream,
              Thread thread);  // false: not prepared
  // What the grid that has just ended has launched, in the order of launching. Forgets all else.
  std::vector<ChildLaunch> take(Module& module);
  // A handle that no other stream, or event, of the grid has.
  std::uint64_t new_handle();
  bool is_handle(std::uint64_t value) const;

  std::uint32_t last_error(Thread thread) const;
  void set_last_error(Thread thread, std::uint32_t error);

 private:
  enum State : std::uint64_t { kNothing, kPrepared, kLaunched };  // memory begins as 0
  // Offsets, and 0 for none. What was launched is a list, in the order of launching.
  struct Header {
    std::uint64_t most_pending, used, first, last, errors, handles;
    std::uint64_t threads, thread_count, tails;  // that have launched; launches for the end
    std::uint64_t nesting;
  };
  struct Entry {
    DeviceLaunch launch;
    std::uint64_t stream, state, next;
  };
  struct ThreadEntry {
    std::uint64_t next;  // offset of another one, or 0
    Thread thread;
    std::uint64_t error;
  };
  template <typename Value>
  Value read(std::uint64_t offset) const;
  template <typename Value>
  void write(std::uint64_t offset, const Value& value);
  std::uint64_t entry_of(std::uint64_t parameters) const;  // its offset, or 0
  // A thread's offset in the list that begins at `first`, or 0.
  std::uint64_t find(std::uint64_t first, Thread thread) const;
  std::uint64_t take_room(std::uint64_t bytes);  // an offset, or 0

  DeviceMemory& memory_;
  MemoryJournal* journal_;
  std::byte* data_ = nullptr;
  std::uint64_t start_ = 0, bytes_ = 0;
};

}  // namespace heddle::simulator
