// What one thread of Blackwell asks for and does not wait for (PTX ISA): the next cluster that has
// not begun (clusterlaunchcontrol), zeros in shared memory (st.bulk), a store and an addition to
// global memory (st.async, red.async). As bulk copies they are finished when the instruction is.
#include <cstring>

#include "isa/attributes.hpp"
#include "simulator/execute/bulk_copy.hpp"
#include "simulator/execute/cluster.hpp"
#include "simulator/memory/atomic_operations.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;

std::uint64_t pair(const Warp& warp, RowOffset row) {
  const std::uint32_t* const low = source_row(warp, row);
  return low[0] | std::uint64_t{low[kWarpSize]} << 32;
}

// Clusterlaunchcontrol ---------------------------------------------------------------------------

constexpr std::uint32_t kAnswerBytes = 16;

// The answer, whose bits PTX leaves open: as ptxas 13.0 takes it apart (query_cancel), x, then y
// and z of 16 bits each, then whether a cluster was cancelled.
std::array<std::uint32_t, 4> answer_to_request(const Core& core) {
  const auto cancelled = core.waiting == nullptr ? std::nullopt : core.waiting->cancel_next();
  if (!cancelled) return {};
  const LaunchRequest& request = *core.launch.request;
  const std::uint64_t linear =
      block_in_cluster(request.grid, cluster_shape(request), *cancelled, 0);
  const Dim3& grid = request.grid;
  const auto x = static_cast<std::uint32_t>(linear % grid.x),
             y = static_cast<std::uint32_t>(linear / grid.x % grid.y),
             z = static_cast<std::uint32_t>(linear / grid.x / grid.y);
  return {x, y | z << 16, 1, 0};
}

Flow put_answer(BulkAccess& access, const std::array<std::uint32_t, 4>& answer, std::uint32_t at,
                std::uint32_t barrier) {
  std::byte* const destination = access.shared(at, kAnswerBytes);
  if (destination == nullptr) return Flow::stop;
  access.note_shared(AccessKind::store, at, kAnswerBytes, kAnswerBytes);
  std::memcpy(destination, answer.data(), kAnswerBytes);
  return access.count_at_barrier(barrier, kAnswerBytes);
}

// Step::selector: each block of the cluster gets the answer, at the same places.
Flow execute_request(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  if (core.log != nullptr) return core.stop_for_conflict();  // one thread alone begins blocks
  constexpr std::uint32_t kOffset = 0xff'ffff;
  BulkAccess access(core, warp, step, on);
  const std::uint32_t* const places = &warp.rows[step.address.uniform_row];
  const std::uint32_t at = places[0], barrier = places[kWarpSize];
  const auto answer = answer_to_request(core);
  if (step.selector == 0) return put_answer(access, answer, at, barrier);
  const std::size_t blocks = warp.block->cluster ? warp.block->cluster->blocks.size() : 1;
  for (std::uint32_t rank = 0; rank < blocks; ++rank)
    if (put_answer(access, answer, (at & kOffset) | rank << 24, (barrier & kOffset) | rank << 24) ==
        Flow::stop)
      return Flow::stop;
  return Flow::next;
}

// Zeros ------------------------------------------------------------------------------------------

// The third operand: how many times eight bytes.
Flow execute_zeros(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  constexpr unsigned kUnit = 8;
  if (on.empty()) return Flow::next;
  BulkAccess access(core, warp, step, on);
  const auto at = static_cast<std::uint32_t>(*source_row(warp, step.a) +
                                             static_cast<std::uint64_t>(step.address.offset));
  const std::uint64_t bytes = std::uint64_t{*source_row(warp, step.c)} * kUnit;
  std::byte* const destination = access.shared(at, bytes, kUnit);
  if (destination == nullptr) return Flow::stop;
  access.note_shared(AccessKind::store, at, bytes, kUnit);
  std::memset(destination, 0, bytes);
  return Flow::next;
}

// Stores and additions ---------------------------------------------------------------------------

// Where the instruction changes global memory; null: it does not, and the launch stops.
std::byte* place_in_global(Core& core, Warp& warp, const Step& step, Mask on, AccessKind kind,
                           unsigned operation) {
  BulkAccess access(core, warp, step, on);
  const std::uint64_t at = pair(warp, step.a) + static_cast<std::uint64_t>(step.address.offset);
  std::byte* const place = access.global(at, step.width, step.width);
  if (place == nullptr || !access.note_global(kind, at, step.width, step.width, operation))
    return nullptr;
  return place;
}

Flow execute_store(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  std::byte* const place = place_in_global(core, warp, step, on, AccessKind::store, 0);
  if (place == nullptr) return Flow::stop;
  const std::uint32_t* const value = source_row(warp, step.b);
  const std::array<std::uint32_t, 2> words{value[0], step.width > 4 ? value[kWarpSize] : 0};
  std::memcpy(place, words.data(), step.width);
  return Flow::next;
}

Flow execute_addition(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  const auto type = static_cast<AtomicType>(step.data_type);
  std::byte* const place = place_in_global(core, warp, step, on, AccessKind::reduction,
                                           commutative(AtomicOp::add, type).value_or(0));
  if (place == nullptr) return Flow::stop;
  if (is_wide(type))
    update<std::uint64_t>(place, [&](std::uint64_t old) {
      return combine64(AtomicOp::add, type, old, pair(warp, step.b));
    });
  else
    update<std::uint32_t>(place, [&](std::uint32_t old) {
      return combine32(AtomicOp::add, type, old, *source_row(warp, step.b));
    });
  return Flow::next;
}

}  // namespace

Execute lower_request(const isa::Instruction& in, Step& step) {
  switch (in.op) {
    case Op::UGETNEXTWORKID:
      step.address.uniform_row = static_cast<RowOffset>((kUniformRow + in.ur) * kWarpSize);
      step.selector = static_cast<std::uint8_t>(in.mod(Mod::multicast));
      return execute_request;
    case Op::UMEMSETS:  // PTX has no other value than zero
      return in.b.index == isa::kURZ ? execute_zeros : nullptr;
    case Op::USTGR:
      step.width = static_cast<std::uint8_t>(isa::data_type(in).bytes());
      return step.width <= 8 ? execute_store : nullptr;
    case Op::UREDGR: {
      const AtomicType type = atomic_type(isa::data_type(in));
      if (!has_operation(AtomicOp::add, type)) return nullptr;
      step.width = static_cast<std::uint8_t>(isa::data_type(in).bytes());
      step.data_type = static_cast<std::uint8_t>(type);
      return execute_addition;
    }
    default:
      return nullptr;
  }
}

}  // namespace heddle::simulator
