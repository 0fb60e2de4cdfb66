#include <cstring>

#include "simulator/async_store.hpp"
#include "simulator/mbarrier.hpp"
#include "simulator/memory_access.hpp"

namespace heddle::simulator {

std::byte* ClusterAccess::view(std::uint32_t address, std::uint32_t bytes) {
  std::byte* data = shared_view(core_, *warp_.block, kSharedWindow | address, bytes);
  const bool misaligned = address % bytes != 0;
  if (data != nullptr && !misaligned) return data;
  core_.raise(misaligned ? Fault::Kind::misaligned_address : Fault::Kind::illegal_address, warp_,
              step_, Mask{1} << lane_, address,
              misaligned
                  ? "the address must be a multiple of " + std::to_string(bytes)
                  : "not all of the bytes lie in the shared memory of a block of the cluster");
  return nullptr;
}

void ClusterAccess::note(AccessKind kind, std::uint32_t address, std::uint32_t bytes) {
  if (!core_.observed) return;
  Access access;
  access.kind = kind;
  access.space = Window::shared;
  access.width = bytes;
  access.lanes = Mask{1} << lane_;
  access.address[lane_] = kSharedWindow | address;
  core_.accesses.push_back(access);
}

Flow ClusterAccess::count_at_barrier(std::uint32_t address, std::uint32_t bytes) {
  std::uint64_t word;
  std::byte* at = view(address, sizeof word);
  if (at == nullptr) return Flow::stop;
  note(AccessKind::atomic, address, sizeof word);
  std::memcpy(&word, at, sizeof word);
  word = barrier_after_bytes(word, bytes);
  std::memcpy(at, &word, sizeof word);
  return Flow::next;
}

}  // namespace heddle::simulator
