// What the host side knows about memory: every range that device code can reach, with the place
// where the host can reach it. Calls look addresses up here without waiting for running kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace heddle::runtime {

enum class MemoryKind : std::uint8_t {
  device,      // plain device memory, or a module's variables
  pinned,      // allocated by cudaMallocHost, cudaHostAlloc
  registered,  // the program's own, by cudaHostRegister
  managed,
};

struct MemoryBlock {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::byte* data = nullptr;  // where the host side reads and writes its first byte
  MemoryKind kind = MemoryKind::device;
  unsigned flags = 0;  // as given to cudaHostAlloc or cudaHostRegister
  bool owned_by_module = false;
  bool shared = false;  // its pages may be those of other processes too
  unsigned gpu = 0;     // whose it is
  // Who else reaches plain device memory: GPUs that enabled access to its GPU, or those in this
  // set.
  bool by_peers = true;
  std::uint32_t reached_by = 0;  // a bit for each GPU
  void* made_in = nullptr;       // as programs call the context; null: none was current

  bool on_device() const { return kind == MemoryKind::device; }
};

class MemoryTable {
 public:
  // False when it would overlap a block that is there.
  bool insert(const MemoryBlock& block);
  std::optional<MemoryBlock> remove(std::uint64_t address);      // the block that starts there
  std::optional<MemoryBlock> find(std::uint64_t address) const;  // the block that contains it
  // The first block that shares bytes with a range.
  std::optional<MemoryBlock> overlapping(std::uint64_t address, std::uint64_t bytes) const;
  void mark_shared(std::uint64_t address);  // the block that starts there
  // Of a block that is there.
  MemoryBlock set_reached_by(std::uint64_t address, std::uint32_t gpus);
  std::vector<MemoryBlock> blocks() const;

 private:
  const MemoryBlock* first_in(std::uint64_t address, std::uint64_t bytes) const;  // with the lock

  mutable std::mutex mutex_;
  std::map<std::uint64_t, MemoryBlock> blocks_;
};

}  // namespace heddle::runtime
