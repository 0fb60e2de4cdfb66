// Atomics and reductions. Lanes of one instruction apply in lane order.
#include <atomic>
#include <bit>
#include <optional>

#include "isa/attributes.hpp"
#include "simulator/execute/cache_policy.hpp"
#include "simulator/execute/memory_access.hpp"
#include "simulator/memory/atomic_operations.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;

// Step::selector of ATOM.CAS and its like; Step::sign_extend marks .CAST, which returns whether it
// swapped (ptxas compares its result with 1) instead of the old value.
constexpr std::uint8_t kCompareAndSwap = 0xff;
// Step::selector of ATOMS.POPC.INC, which ptxas makes of a shared atomicAdd(p, 1): every lane
// adds 1.
constexpr std::uint8_t kIncrement = 0xfe;

constexpr unsigned kMaxWords = 4;
using Words = std::array<std::uint32_t, kMaxWords>;  // what a lane works on, low word first

bool is_compare_and_swap(const isa::Instruction& in) {
  return isa::memory_access(in).of == isa::MemoryAccess::Of::swap;
}

Words read_words(const std::uint32_t* row, unsigned lane, unsigned width) {
  Words words{};
  for (unsigned i = 0; i < width / 4; ++i) words[i] = row[i * kWarpSize + lane];
  return words;
}

void write_words(std::uint32_t* row, unsigned lane, unsigned width, const Words& words) {
  for (unsigned i = 0; i < width / 4; ++i) row[i * kWarpSize + lane] = words[i];
}

std::uint64_t pair_at(const Words& words, unsigned i) {
  return words[i] | std::uint64_t{words[i + 1]} << 32;
}

void put_pair(Words& words, unsigned i, std::uint64_t value) {
  words[i] = static_cast<std::uint32_t>(value);
  words[i + 1] = static_cast<std::uint32_t>(value >> 32);
}

// Every element by itself, as PTX has it of vectors.
Words combine_at(std::byte* at, const Step& step, AtomicOp op, AtomicType type,
                 const Words& operand) {
  Words old{};
  if (type == AtomicType::b128) {  // an exchange; a launch that has one runs on one host thread
    std::memcpy(old.data(), at, sizeof old);
    std::memcpy(at, operand.data(), sizeof operand);
  } else if (is_wide(type)) {
    for (unsigned i = 0; i < step.width / 4; i += 2)
      put_pair(old, i, update<std::uint64_t>(at + 4 * i, [&](std::uint64_t value) {
                 return combine64(op, type, value, pair_at(operand, i));
               }));
  } else {
    for (unsigned i = 0; i < step.width / 4; ++i)
      old[i] = update<std::uint32_t>(
          at + 4 * i, [&](std::uint32_t value) { return combine32(op, type, value, operand[i]); });
  }
  return old;
}

Words compare_and_swap_at(std::byte* at, const Step& step, const Words& expected,
                          const Words& replacement) {
  Words old{};
  if (step.width == 16) {  // a launch that has one runs on one host thread
    std::memcpy(old.data(), at, sizeof old);
    if (old == expected) std::memcpy(at, replacement.data(), sizeof replacement);
  } else if (step.width == 8) {
    put_pair(old, 0, update<std::uint64_t>(at, [&](std::uint64_t value) {
               return value == pair_at(expected, 0) ? pair_at(replacement, 0) : value;
             }));
  } else {
    old[0] = update<std::uint32_t>(
        at, [&](std::uint32_t value) { return value == expected[0] ? replacement[0] : value; });
  }
  return old;
}

// Integer reductions of one kind commute, so threads may mix them; anything else is a plain write.
bool claim(Core& core, const Warp& warp, const Step& step, AccessKind kind,
           const Addresses& address, Mask lanes) {
  const std::optional<unsigned> operation =
      kind == AccessKind::reduction ? commutative(static_cast<AtomicOp>(step.selector),
                                                  static_cast<AtomicType>(step.data_type))
                                    : std::nullopt;
  return claim_lanes(core, warp, step, operation ? kind : AccessKind::store, address, lanes, false,
                     operation.value_or(0));
}

// ATOMS.CAST.SPIN swaps for one lane of each bank, the lowest, and fails for the others: the loop
// around it tries again (docs/experiments/l1-counting.md). 8 bytes wide, it does so for each half
// of the warp.
Mask first_of_each_bank(unsigned width, const Addresses& address, Mask lanes) {
  const Mask half = width == 8 ? Mask{0xffff} : kFullMask;
  Mask firsts = 0;
  for (const Mask part : {lanes & half, lanes & ~half}) {
    Mask taken = 0;
    for_each_lane(part, [&](unsigned lane) {
      const Mask bank = Mask{1} << address[lane] / width % (128 / width);
      if ((taken & bank) == 0) firsts |= Mask{1} << lane;
      taken |= bank;
    });
  }
  return firsts;
}

template <AddressSpace kSpace, AccessKind kKind>
Flow execute_atomic(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  count_policy(core, warp, step);
  if (on == 0) return Flow::next;
  alignas(kCacheLine) Addresses address;
  const bool adjoining = compute_addresses(core, warp, step, address);
  const std::uint32_t* operands = source_row(warp, step.b);
  const std::uint32_t* replacements = source_row(warp, step.c);
  std::uint32_t* destination = destination_row(warp, step.d);
  const bool increment = step.selector == kIncrement;
  const AtomicOp op = increment ? AtomicOp::add : static_cast<AtomicOp>(step.selector);
  const auto type = static_cast<AtomicType>(step.data_type);
  const bool compare_and_swap = step.selector == kCompareAndSwap;
  if (kSpace == AddressSpace::generic && step.pu != kDiscardedPredicate) {
    // Pu says whether it was done; code around it does the rest. Of the operations that have a Pu,
    // shared memory has the swaps alone, local memory none (the H200's record of atomic_types, -G).
    Mask done = lanes_in(Window::global, address, on);
    if (compare_and_swap || op == AtomicOp::exch) done |= lanes_in(Window::shared, address, on);
    warp.set_predicate(step.pu, done, on);
    on = done;
    if (on == 0) return Flow::next;
  }
  return for_each_space<kSpace>(address, on, adjoining, [&](Window space, Mask lanes) {
    LanePointers pointers;
    if (!resolve_lanes(core, warp, step, space, address, lanes, pointers)) return Flow::stop;
    if (space == Window::global && !claim(core, warp, step, kKind, address, lanes))
      return Flow::stop;
    const bool spin = compare_and_swap && step.sign_extend && space == Window::shared;
    count_access(core, step,
                 spin               ? AccessKind::cast_spin
                 : compare_and_swap ? AccessKind::compare_and_swap
                 : increment        ? AccessKind::increment
                                    : kKind,
                 space, address, lanes, false, warp.block);
    const Mask served = spin ? first_of_each_bank(step.width, address, lanes) : lanes;
    for_each_lane(lanes & ~served,
                  [&](unsigned lane) { write_words(destination, lane, step.width, Words{}); });
    bool changed = kKind == AccessKind::reduction;
    for_each_lane(served, [&](unsigned lane) {
      const Words operand = increment ? Words{1} : read_words(operands, lane, step.width);
      const Words old = compare_and_swap
                            ? compare_and_swap_at(pointers.of[lane], step, operand,
                                                  read_words(replacements, lane, step.width))
                            : combine_at(pointers.of[lane], step, op, type, operand);
      if constexpr (kKind == AccessKind::atomic) {
        changed = changed || std::memcmp(pointers.of[lane], old.data(), step.width) != 0;
        write_words(destination, lane, step.width,
                    !step.sign_extend ? old
                    : old == operand  ? Words{1}
                                      : Words{});
      }
    });
    if (changed)
      core.polling.change(core.issued);
    else
      core.look_at_others();
    return Flow::next;
  });
}

bool fill_type(const isa::Instruction& in, Step& step) {
  const isa::DataType data = isa::data_type(in);
  step.data_type = static_cast<std::uint8_t>(atomic_type(data));
  step.width = static_cast<std::uint8_t>(data.bytes());
  if (is_compare_and_swap(in)) {
    step.selector = kCompareAndSwap;
    step.sign_extend = in.word.bit(87);  // .CAST
    return step.width <= 8 || !step.sign_extend;
  }
  step.selector = static_cast<std::uint8_t>(in.mod(Mod::atom_op));
  return has_operation(static_cast<AtomicOp>(step.selector), atomic_type(data));
}

}  // namespace

Execute lower_atomic(const isa::Instruction& in, Step& step) {
  const std::uint32_t popc_inc = isa::traits(in.arch).popc_inc;
  if (in.op == Op::ATOMS_ARRIVE && in.mod(Mod::atom_op) == popc_inc && in.rd == isa::kRZ) {
    step.selector = kIncrement;
    step.data_type = static_cast<std::uint8_t>(AtomicType::u32);
    step.width = 4;
    return execute_atomic<AddressSpace::shared, AccessKind::atomic>;
  }
  switch (in.op) {
    case Op::ATOM:
    case Op::ATOM_CAS:
    case Op::ATOMG:
    case Op::ATOMG_CAS:
    case Op::ATOMS:
    case Op::ATOMS_CAS:
    case Op::RED:
      break;
    default:
      return nullptr;
  }
  if (!fill_type(in, step)) return nullptr;
  switch (in.op) {
    case Op::ATOM:
    case Op::ATOM_CAS:
      return execute_atomic<AddressSpace::generic, AccessKind::atomic>;
    case Op::ATOMG:
    case Op::ATOMG_CAS:
      return execute_atomic<AddressSpace::global, AccessKind::atomic>;
    case Op::RED:
      return execute_atomic<AddressSpace::global, AccessKind::reduction>;
    default:
      return execute_atomic<AddressSpace::shared, AccessKind::atomic>;
  }
}

}  // namespace heddle::simulator
