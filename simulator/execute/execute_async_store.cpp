// Stores and reductions to the shared memory of a cluster's block that count their bytes at a
// barrier there (PTX st.async, red.async): STAS and REDAS.
#include <cstring>

#include "simulator/execute/bulk_copy.hpp"
#include "simulator/execute/memory_access.hpp"
#include "simulator/memory/atomic_operations.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;

// Lanes go one after another; `change(lane, pointer)` does what is to be done at the address.
template <typename Change>
Flow for_each_place(Core& core, Warp& warp, const Step& step, AccessKind kind, Mask on,
                    Change&& change) {
  if (on.any() && lacks_cluster(core, warp, step, on)) return Flow::stop;
  Addresses address;
  compute_addresses(core, warp, step, address);
  const std::uint32_t* barrier = source_row(warp, step.a) + kWarpSize;
  for (const unsigned lane : on) {
    BulkAccess access(core, warp, step, Mask::of(lane));
    const auto at = static_cast<std::uint32_t>(address[lane]);
    std::byte* data = access.shared(at, step.width, step.width);
    if (data == nullptr) return Flow::stop;
    access.note_shared(kind, at, step.width, step.width);
    change(lane, data);
    if (access.count_at_barrier(barrier[lane], step.width) == Flow::stop) return Flow::stop;
  }
  return Flow::next;
}

Flow execute_store(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  const std::uint32_t* values = source_row(warp, step.b);
  return for_each_place(core, warp, step, AccessKind::store, on, [&](unsigned lane, std::byte* at) {
    for (unsigned i = 0; i < step.width / 4u; ++i)
      std::memcpy(at + 4 * i, values + i * kWarpSize + lane, 4);
  });
}

Flow execute_reduction(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  const std::uint32_t* values = source_row(warp, step.b);
  const auto op = static_cast<AtomicOp>(step.selector);
  const auto type = static_cast<AtomicType>(step.data_type);
  return for_each_place(
      core, warp, step, AccessKind::atomic, on, [&](unsigned lane, std::byte* at) {
        if (is_wide(type))
          update<std::uint64_t>(at, [&](std::uint64_t old) {
            return combine64(op, type, old,
                             values[lane] | std::uint64_t{values[kWarpSize + lane]} << 32);
          });
        else
          update<std::uint32_t>(
              at, [&](std::uint32_t old) { return combine32(op, type, old, values[lane]); });
      });
}

}  // namespace

Execute lower_async_store(const isa::Instruction& in, Step& step) {
  const isa::MemoryAccess kind = isa::memory_access(in);
  if (kind.of != isa::MemoryAccess::Of::counted) return nullptr;
  // The pair is an address and a barrier's, not one of 64 bits.
  if (step.address.base != AddressForm::Base::pair64) return nullptr;
  step.address.base = AddressForm::Base::low32;
  const isa::DataType data = isa::data_type(in);
  step.width = static_cast<std::uint8_t>(data.bytes());
  if (kind.kind == isa::MemoryAccess::Kind::store) return execute_store;
  const auto op = static_cast<AtomicOp>(in.mod(Mod::atom_op));
  const AtomicType type = atomic_type(data);
  if (!has_operation(op, type)) return nullptr;
  step.selector = static_cast<std::uint8_t>(op);
  step.data_type = static_cast<std::uint8_t>(type);
  return execute_reduction;
}

}  // namespace heddle::simulator
