// Device memory: 64-bit addresses, bounds known per allocation.
//
// Device addresses are not host pointers: plain device memory lies in a view only the simulator
// has. Host memory that a program pinned or asked to be managed is mapped at its own address.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::simulator {

class MemoryWatcher;  // simulator/memory/memory_watcher.hpp

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;    // as asked for
  std::byte* data = nullptr;  // the simulator's view of its first byte
  std::uint32_t ordinal = 0;  // 0, 1, … in order of allocation; never reused
  // Pinned or managed, where `data` is the program's own pointer; or another GPU's memory.
  bool host_mapped = false;
  // The program's own pages, which it may unmap or protect at any time; to be read alone.
  bool registered = false, read_only = false;
  std::string label;  // "cudaMalloc", "__device__ name" …; for reports
  bool contains(std::uint64_t at, std::uint64_t count) const {
    return at >= address && count <= bytes && at - address <= bytes - count;
  }
};

// Which of several GPUs that share one space of addresses.
struct GpuPlace {
  unsigned ordinal = 0, gpus = 1;
};

class DeviceMemory {
 public:
  // `capacity` bytes at most in plain allocations. No two GPUs have an address in common.
  explicit DeviceMemory(std::uint64_t capacity, GpuPlace place = {});
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Which of the driver's pools memory comes from: what was taken from it before decides what the
  // address is modulo 2 MiB (simulator/memory/driver_places.hpp). `plain`: as cudaMalloc;
  // `ordered`: as cudaMallocAsync; `module`: variables; `apart`: all else, at multiples of 2 MiB.
  enum class Pool : std::uint8_t { plain, ordered, module, apart };
  // Nothing if the capacity or the space of addresses does not allow it. Contents are zero.
  // Addresses depend only on the sequence of calls, and are multiples of `alignment` (a power of
  // two); no two allocations lie within the same 2 MiB, nor closer than 512 bytes.
  std::optional<std::uint64_t> allocate(std::uint64_t bytes, std::string label,
                                        Pool pool = Pool::plain, std::uint64_t alignment = 1);
  // The same at `address`, a multiple of 2 MiB; nothing where it or what is near it is taken.
  std::optional<std::uint64_t> allocate_at(std::uint64_t address, std::uint64_t bytes,
                                           std::string label);
  // Makes `host` visible to kernels at its own address. `registered`: cudaHostRegister's.
  enum class Registered : std::uint8_t { no, yes, for_reading };
  std::uint64_t map_host(std::byte* host, std::uint64_t bytes, std::string label,
                         Registered registered = Registered::no);
  // Makes memory of another GPU visible that it has as `there`, at the address that it has there.
  void map_peer(const Allocation& there, std::string label);
  // Zeroed memory that the host program uses too, at the same address (managed variables and
  // allocations, pinned memory): `data` is that address.
  std::optional<std::uint64_t> allocate_host_visible(std::uint64_t bytes, std::string label);
  bool free(std::uint64_t address);  // false: no allocation starts there

  // For replaying a launch as it was: the next allocations, in order, get these addresses and
  // ordinals (and views of their own, host-visible or not). An allocation that would overlap
  // another one there is refused.
  struct Place {
    std::uint64_t address;
    std::uint32_t ordinal;
  };
  void place_next(std::vector<Place> places);

  // The watcher is told of allocations and of host writes; null: none. While there is one, plain
  // memory that is freed is not reused, so that late uses of it are found.
  void watch(MemoryWatcher* watcher);
  // To be called after each write to plain memory for the host program.
  void host_wrote(std::uint64_t address, std::uint64_t bytes);
  // Gives huge pages of the host to what is used densely. To be called now and then.
  void settle_pages();

  const Allocation* find(std::uint64_t address) const;     // the one that contains it, or null
  const Allocation* nearest(std::uint64_t address) const;  // for reports
  // The first one, by address, of a name that begins with ".nv."; null: none. Those are not what
  // the program has asked for: modules' variables, the device's heap, tables.
  const Allocation* find_named(std::string_view label) const;
  // What lies around an allocation in the frames that it has; kernels reach it, as on a GPU, where
  // the driver maps whole frames. Zeroed, and made when it is first asked for, by any thread.
  struct Stretch {
    std::uint64_t address = 0, bytes = 0;
    std::byte* data = nullptr;
  };
  std::optional<Stretch> around(std::uint64_t address) const;
  // Accesses of kernels outside of allocations; the launch may reset the count.
  std::atomic<std::uint64_t>& accesses_outside() const;
  // From the first byte that is registered to the last; no bytes: none is.
  Stretch registered() const;
  // Around an address of a registered allocation, what of it kernels may read, or write; no bytes:
  // not even that address. The system is asked at the first call behind forget_rights.
  Stretch allowed(const Allocation& registered, std::uint64_t address, bool writing) const;
  void forget_rights();  // the program may have changed them
  // Bytes behind the allocation's first one that its own pages hold, its own included.
  static std::uint64_t bytes_of_pages(const Allocation& allocation);
  // A view of [address, address + bytes), or null when not wholly inside one allocation.
  std::byte* view(std::uint64_t address, std::uint64_t bytes) const;

  std::uint64_t used() const;
  std::uint64_t capacity() const;
  const std::map<std::uint64_t, Allocation>& allocations() const;  // by address

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::simulator
