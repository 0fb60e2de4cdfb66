// Bulk copies and reductions (PTX cp.async.bulk): the copy engine moves a run of bytes that one
// instruction names. Here they are finished when the instruction is, so who waits for them, at a
// barrier or for a group of them, finds them done.
#include <cstring>

#include "simulator/execute/bulk_copy.hpp"
#include "simulator/execute/l2_fetches.hpp"
#include "simulator/memory/atomic_operations.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;

constexpr unsigned kUnit = 16;  // bytes: what addresses and sizes are multiples of

std::uint32_t word(const Warp& warp, RowOffset row, unsigned number = 0) {
  return source_row(warp, row)[number * kWarpSize];
}

std::uint64_t pair(const Warp& warp, RowOffset row) {
  return word(warp, row) | std::uint64_t{word(warp, row, 1)} << 32;
}

// The third operand: how many times 16 bytes, and the blocks that get them.
struct Amount {
  explicit Amount(std::uint32_t value) : bytes((value & 0xffff) * kUnit), blocks(value >> 16) {}
  std::uint32_t bytes, blocks;
};

// Where a copy to shared memory goes, and the barrier that counts it: two registers.
struct Destination {
  std::uint32_t address, barrier;
  Destination of_block(unsigned rank) const {
    constexpr std::uint32_t kOffset = 0xff'ffff;
    return {(address & kOffset) | rank << 24, (barrier & kOffset) | rank << 24};
  }
};

Flow copy_to_shared(BulkAccess& access, const std::byte* source, std::uint32_t bytes,
                    const Destination& to) {
  std::byte* destination = access.shared(to.address, bytes);
  if (destination == nullptr) return Flow::stop;
  access.note_shared(AccessKind::store, to.address, bytes, kUnit);
  std::memmove(destination, source, bytes);
  return access.count_at_barrier(to.barrier, bytes);
}

// What an instruction reads of shared memory; null where it may not.
const std::byte* read_shared(BulkAccess& access, std::uint32_t from, std::uint32_t bytes) {
  const std::byte* source = access.shared(from, bytes);
  if (source != nullptr) access.note_shared(AccessKind::load, from, bytes, kUnit);
  return source;
}

// UBLKCP.S.G and .S.S
template <bool kFromGlobal>
Flow execute_load(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  if (!kFromGlobal && lacks_cluster(core, warp, step, on)) return Flow::stop;
  ++core.counts_of(step).shared;
  core.copied_row = 0;
  BulkAccess access(core, warp, step, on);
  const Amount amount(word(warp, step.c));
  const std::byte* source = nullptr;
  if constexpr (kFromGlobal) {
    const std::uint64_t from = pair(warp, step.a);
    source = access.global(from, amount.bytes);
    if (source == nullptr || !access.note_global(AccessKind::load, from, amount.bytes, kUnit))
      return Flow::stop;
  } else {
    source = read_shared(access, word(warp, step.a), amount.bytes);
    if (source == nullptr) return Flow::stop;
  }
  const Destination to{word(warp, step.b), word(warp, step.b, 1)};
  if (step.selector == 0) return copy_to_shared(access, source, amount.bytes, to);
  for (unsigned rank = 0; rank < 16; ++rank)
    if ((amount.blocks >> rank & 1) != 0 &&
        copy_to_shared(access, source, amount.bytes, to.of_block(rank)) == Flow::stop)
      return Flow::stop;
  return Flow::next;
}

// UBLKCP.G.S
Flow execute_store(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  ++core.counts_of(step).shared;
  core.copied_row = 0;
  BulkAccess access(core, warp, step, on);
  const Amount amount(word(warp, step.c));
  const std::uint64_t to = pair(warp, step.b);
  const std::byte* source = read_shared(access, word(warp, step.a), amount.bytes);
  if (source == nullptr) return Flow::stop;
  std::byte* destination = access.global(to, amount.bytes);
  if (destination == nullptr) return Flow::stop;
  if (!access.note_global(AccessKind::store, to, amount.bytes, kUnit)) return Flow::stop;
  std::memcpy(destination, source, amount.bytes);
  return Flow::next;
}

template <typename T, typename Combine>
void reduce(std::byte* to, const std::byte* from, std::uint32_t bytes, Combine&& combine) {
  for (std::uint32_t at = 0; at < bytes; at += sizeof(T)) {
    T operand;
    std::memcpy(&operand, from + at, sizeof operand);
    update<T>(to + at, [&](T old) { return combine(old, operand); });
  }
}

void reduce_elements(std::byte* to, const std::byte* from, std::uint32_t bytes, AtomicOp op,
                     AtomicType type) {
  if (is_wide(type))
    reduce<std::uint64_t>(to, from, bytes, [&](std::uint64_t old, std::uint64_t operand) {
      return combine64(op, type, old, operand);
    });
  else
    reduce<std::uint32_t>(to, from, bytes, [&](std::uint32_t old, std::uint32_t operand) {
      return combine32(op, type, old, operand);
    });
}

// UBLKRED: every element by itself.
template <bool kToGlobal>
Flow execute_reduction(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  if (!kToGlobal && lacks_cluster(core, warp, step, on)) return Flow::stop;
  ++core.counts_of(step).shared;
  core.copied_row = 0;
  BulkAccess access(core, warp, step, on);
  const Amount amount(word(warp, step.c));
  const auto op = static_cast<AtomicOp>(step.selector);
  const auto type = static_cast<AtomicType>(step.data_type);
  const std::byte* source = read_shared(access, word(warp, step.a), amount.bytes);
  if (source == nullptr) return Flow::stop;
  if constexpr (kToGlobal) {
    const std::uint64_t to = pair(warp, step.b);
    std::byte* destination = access.global(to, amount.bytes);
    const std::optional<unsigned> operation = commutative(op, type);
    if (destination == nullptr ||
        !access.note_global(operation ? AccessKind::reduction : AccessKind::store, to, amount.bytes,
                            kUnit, operation.value_or(0)))
      return Flow::stop;
    reduce_elements(destination, source, amount.bytes, op, type);
    return Flow::next;
  } else {
    const Destination to{word(warp, step.b), word(warp, step.b, 1)};
    std::byte* destination = access.shared(to.address, amount.bytes);
    if (destination == nullptr) return Flow::stop;
    access.note_shared(AccessKind::atomic, to.address, amount.bytes, kUnit);
    reduce_elements(destination, source, amount.bytes, op, type);
    return access.count_at_barrier(to.barrier, amount.bytes);
  }
}

// Prefetches, and the end of a group of copies.
Flow execute_nothing(Core&, Warp&, const Step&, Mask, Mask) { return Flow::next; }

Execute lower_reduction(const isa::Instruction& in, Step& step, bool to_global) {
  const auto op = static_cast<AtomicOp>(in.mod(Mod::atom_op));
  const AtomicType type = atomic_type(isa::data_type(in));
  if (!has_operation(op, type)) return nullptr;
  step.selector = static_cast<std::uint8_t>(op);
  step.data_type = static_cast<std::uint8_t>(type);
  return to_global ? execute_reduction<true> : execute_reduction<false>;
}

}  // namespace

MemoryRun prefetched_run(const Warp& warp, const Step& step) {
  return {pair(warp, step.a), Amount(word(warp, step.c)).bytes};
}

Execute lower_bulk(const isa::Instruction& in, Step& step) {
  const bool to_shared = in.mod(Mod::to_shared) != 0, from_shared = in.mod(Mod::from_shared) != 0;
  switch (in.op) {
    case Op::UBLKCP:
      if (in.mod(Mod::byte_mask) != 0) return nullptr;
      step.selector = static_cast<std::uint8_t>(in.mod(Mod::multicast));
      if (to_shared) return from_shared ? execute_load<false> : execute_load<true>;
      return from_shared ? execute_store : nullptr;
    case Op::UBLKRED:
      return lower_reduction(in, step, !to_shared);
    case Op::UBLKPF:
    case Op::UTMACCTL:
    case Op::UTMACMDFLUSH:
      return execute_nothing;
    default:
      return nullptr;
  }
}

}  // namespace heddle::simulator
