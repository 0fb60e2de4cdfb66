#include <algorithm>
#include <cstring>

#include "simulator/execute/bulk_copy.hpp"
#include "simulator/execute/cluster.hpp"
#include "simulator/execute/memory_access.hpp"
#include "simulator/memory/mbarrier.hpp"
#include "simulator/memory/memory_journal.hpp"

namespace heddle::simulator {

bool lacks_cluster(Core& core, const Warp& warp, const Step& step, Mask active) {
  if (comes_in_clusters(*core.launch.request)) return false;
  core.raise(Fault::Kind::illegal_instruction, warp, step, active, 0, "the launch has no clusters");
  return true;
}

std::byte* BulkAccess::found(std::byte* data, std::uint64_t address, unsigned alignment,
                             const char* missing) {
  const bool misaligned = address % alignment != 0;
  if (data != nullptr && !misaligned) return data;
  core_.raise(
      misaligned ? Fault::Kind::misaligned_address : Fault::Kind::illegal_address, warp_, step_,
      lanes_, address,
      misaligned ? "the address must be a multiple of " + std::to_string(alignment) : missing);
  return nullptr;
}

std::byte* BulkAccess::global(std::uint64_t address, std::uint64_t bytes, unsigned alignment) {
  return found(core_.resolve(address, bytes), address, alignment,
               "not all of the bytes lie in one allocation");
}

std::byte* BulkAccess::shared(std::uint32_t address, std::uint64_t bytes, unsigned alignment) {
  return found(shared_view(core_, *warp_.block, kSharedWindow | address, bytes), address, alignment,
               "not all of the bytes lie in the shared memory of a block of the cluster");
}

void BulkAccess::observe(AccessKind kind, Window space, std::uint64_t address, std::uint64_t bytes,
                         unsigned width) {
  Access access;
  access.kind = kind;
  access.space = space;
  access.width = width;
  access.lanes = lanes_;
  for (std::uint64_t done = 0; done < bytes; done += width) {
    access.address[lanes_.first()] = address + done;
    core_.accesses.push_back(access);
  }
}

void BulkAccess::save(std::uint64_t address, std::uint64_t bytes) {
  constexpr std::uint64_t kSaved = 128;
  Addresses at;
  at.fill(address);
  for (std::uint64_t done = 0; done < bytes; done += kSaved) {
    at[0] = address + done;
    core_.journal->before_write(at, Mask::of(0),
                                static_cast<std::uint32_t>(std::min(kSaved, bytes - done)));
  }
}

bool BulkAccess::note_global(AccessKind kind, std::uint64_t address, std::uint64_t bytes,
                             unsigned width, unsigned operation) {
  if (kind != AccessKind::load && !core_.may_write(address, bytes)) {
    core_.raise(Fault::Kind::illegal_address, warp_, step_, lanes_, address,
                describe_bad_global(core_, address, bytes));
    return false;
  }
  const auto size = static_cast<unsigned>(bytes);
  if (UnorderedReads* reads = core_.unordered_reads.get(); reads != nullptr && size != 0) {
    const UnorderedReads::Who who{warp_.block->linear, warp_.block->barriers_completed,
                                  warp_.index};
    if (kind == AccessKind::load)
      reads->read(address, size, who, false);
    else
      reads->write(address, size, who, kind == AccessKind::reduction);
  }
  if (core_.log != nullptr && size != 0) {
    const bool allowed = kind == AccessKind::load ? core_.log->read(address, size)
                         : kind == AccessKind::reduction
                             ? core_.log->reduce(address, size, operation)
                             : core_.log->write(address, size);
    if (!allowed) {
      core_.stop_for_conflict();
      return false;
    }
  }
  if (core_.journal != nullptr && kind != AccessKind::load) save(address, bytes);
  if (core_.observed) observe(kind, Window::global, address, bytes, width);
  return true;
}

void BulkAccess::note_shared(AccessKind kind, std::uint32_t address, std::uint64_t bytes,
                             unsigned width) {
  if (core_.observed) observe(kind, Window::shared, kSharedWindow | address, bytes, width);
}

Flow BulkAccess::count_at_barrier(std::uint32_t address, std::uint32_t bytes) {
  return update_barrier(address, Arrival::bytes_done, bytes);
}

Flow BulkAccess::arrive_at_barrier(std::uint32_t address) {
  return update_barrier(address, Arrival::one, 1);
}

Flow BulkAccess::update_barrier(std::uint32_t address, Arrival effect, std::uint32_t bytes) {
  std::uint64_t word;
  std::byte* at = shared(address, sizeof word, sizeof word);
  if (at == nullptr) return Flow::stop;
  note_shared(AccessKind::atomic, address, sizeof word, sizeof word);
  if (core_.cycle != nullptr) {
    update_later(core_, *warp_.block, address, effect, bytes);
    return Flow::next;
  }
  std::memcpy(&word, at, sizeof word);
  word = effect == Arrival::one ? barrier_after_arrival(word) : barrier_after_bytes(word, bytes);
  std::memcpy(at, &word, sizeof word);
  return Flow::next;
}

}  // namespace heddle::simulator
