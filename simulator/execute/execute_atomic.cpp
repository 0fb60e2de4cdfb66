// Atomics and reductions. Lanes of one instruction apply in lane order.
#include <algorithm>
#include <array>
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
  if (type == AtomicType::b128) {  // an exchange; no other host thread uses its memory
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
  if (step.width == 16) {  // no other host thread uses its memory
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

// What execute_atomic does of memory that no other host thread touches meanwhile: lane by lane, but
// with the operation chosen once.
struct AloneRows {
  const LanePointers& memory;
  Mask lanes;
  const std::uint32_t *operands, *replacements;
  std::uint32_t* destination;  // null: nobody wants what was there
};

template <typename T>
T element_at(const std::uint32_t* row, unsigned lane) {
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(row[lane] | std::uint64_t{row[kWarpSize + lane]} << 32);
  return static_cast<T>(row[lane]);
}

// One update of memory that other host threads use, by an operation that commutes.
template <typename T>
void reduce_at(std::byte* at, AtomicOp op, T operand) {
  std::atomic_ref<T> shared(*reinterpret_cast<T*>(at));
  constexpr auto kOrder = std::memory_order_relaxed;
  switch (op) {
    case AtomicOp::add:
      shared.fetch_add(operand, kOrder);
      return;
    case AtomicOp::and_:
      shared.fetch_and(operand, kOrder);
      return;
    case AtomicOp::or_:
      shared.fetch_or(operand, kOrder);
      return;
    case AtomicOp::xor_:
      shared.fetch_xor(operand, kOrder);
      return;
    default:
      break;
  }
  T old = shared.load(kOrder);
  for (T next = combine_integer(op, old, operand); next != old;
       next = combine_integer(op, old, operand))
    if (shared.compare_exchange_weak(old, next, kOrder)) return;
}

// Host threads that update one place wait for one another each time: what a warp's lanes reduce in
// one comes to it together, but for places that meet in `places`.
template <typename T>
void reduce_beside_threads(const LanePointers& memory, AtomicOp op, const std::uint32_t* operands,
                           Mask lanes) {
  constexpr unsigned kPlaces = 2 * kWarpSize;
  std::array<std::byte*, kPlaces> places{};
  std::array<T, kPlaces> sums{};
  std::uint64_t used = 0;
  for (const unsigned lane : lanes) {
    std::byte* const at = memory.of[lane];
    const std::size_t i = reinterpret_cast<std::uintptr_t>(at) / sizeof(T) % kPlaces;
    const T operand = element_at<T>(operands, lane);
    if (places[i] == at) {
      sums[i] = combine_integer(op, sums[i], operand);
      continue;
    }
    if (places[i] != nullptr) reduce_at(places[i], op, sums[i]);
    places[i] = at;
    sums[i] = operand;
    used |= std::uint64_t{1} << i;
  }
  for (; used != 0; used &= used - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(used));
    reduce_at(places[i], op, sums[i]);
  }
}

// False: one lane's after the other's, in their order.
bool reduce_beside_threads(const LanePointers& memory, const Step& step, AtomicOp op,
                           AtomicType type, const std::uint32_t* operands, Mask lanes) {
  if (!commutative(op, type) || step.width != (is_wide(type) ? 8u : 4u)) return false;
  switch (type) {
    case AtomicType::s32:
      reduce_beside_threads<std::int32_t>(memory, op, operands, lanes);
      return true;
    case AtomicType::u64:
      reduce_beside_threads<std::uint64_t>(memory, op, operands, lanes);
      return true;
    case AtomicType::s64:
      reduce_beside_threads<std::int64_t>(memory, op, operands, lanes);
      return true;
    default:
      reduce_beside_threads<std::uint32_t>(memory, op, operands, lanes);
      return true;
  }
}

// `f(old, operand, lane)`: the new value; `result(old, operand)`: what the lane gets. Returns
// whether any memory is another than before.
template <typename T, typename F, typename Result>
bool update_alone(const AloneRows& rows, F&& f, Result&& result) {
  bool changed = false;
  for (const unsigned lane : rows.lanes) {
    T old;
    std::memcpy(&old, rows.memory.of[lane], sizeof old);
    const T operand = element_at<T>(rows.operands, lane);
    const T now = f(old, operand, lane);
    std::memcpy(rows.memory.of[lane], &now, sizeof now);
    changed |= now != old;
    if (rows.destination == nullptr) continue;
    const auto bits = static_cast<std::uint64_t>(result(old, operand));
    rows.destination[lane] = static_cast<std::uint32_t>(bits);
    if constexpr (sizeof(T) == 8)
      rows.destination[kWarpSize + lane] = static_cast<std::uint32_t>(bits >> 32);
  }
  return changed;
}

template <typename T, typename F>
bool combine_alone(const AloneRows& rows, F&& f) {
  return update_alone<T>(
      rows, [&](T old, T operand, unsigned) { return f(old, operand); },
      [](T old, T) { return old; });
}

template <typename T>
bool combine_integers_alone(AtomicOp op, const AloneRows& rows) {
  const auto by = [&]<AtomicOp kOp>() {
    return combine_alone<T>(rows,
                            [](T old, T operand) { return combine_integer<T>(kOp, old, operand); });
  };
  switch (op) {
    case AtomicOp::add:
      return by.template operator()<AtomicOp::add>();
    case AtomicOp::min:
      return by.template operator()<AtomicOp::min>();
    case AtomicOp::max:
      return by.template operator()<AtomicOp::max>();
    case AtomicOp::or_:
      return by.template operator()<AtomicOp::or_>();
    case AtomicOp::exch:
      return by.template operator()<AtomicOp::exch>();
    default:
      return combine_alone<T>(
          rows, [&](T old, T operand) { return combine_integer<T>(op, old, operand); });
  }
}

// Of one element a lane. Nothing where lanes have several.
std::optional<bool> combine_alone(AtomicOp op, AtomicType type, unsigned width,
                                  const AloneRows& rows) {
  if (type == AtomicType::b128 || width != (is_wide(type) ? 8 : 4)) return std::nullopt;
  switch (type) {
    case AtomicType::u32:
      return combine_integers_alone<std::uint32_t>(op, rows);
    case AtomicType::s32:
      return combine_integers_alone<std::int32_t>(op, rows);
    case AtomicType::u64:
      return combine_integers_alone<std::uint64_t>(op, rows);
    case AtomicType::s64:
      return combine_integers_alone<std::int64_t>(op, rows);
    case AtomicType::f64:
      return combine_alone<std::uint64_t>(rows, [&](std::uint64_t old, std::uint64_t operand) {
        return combine64(op, type, old, operand);
      });
    default:
      return combine_alone<std::uint32_t>(rows, [&](std::uint32_t old, std::uint32_t operand) {
        return combine32(op, type, old, operand);
      });
  }
}

// `cast`: a lane gets whether it swapped.
template <typename T>
bool swap_alone(const AloneRows& rows, bool cast) {
  return update_alone<T>(
      rows,
      [&](T old, T expected, unsigned lane) {
        return old == expected ? element_at<T>(rows.replacements, lane) : old;
      },
      [&](T old, T expected) { return cast ? T{old == expected} : old; });
}

// Nothing where it has to be done otherwise; else whether memory changed.
std::optional<bool> atomic_alone(const Step& step, AtomicOp op, AtomicType type,
                                 const AloneRows& rows) {
  if (step.selector != kCompareAndSwap) return combine_alone(op, type, step.width, rows);
  if (step.width == 4) return swap_alone<std::uint32_t>(rows, step.sign_extend);
  if (step.width == 8) return swap_alone<std::uint64_t>(rows, step.sign_extend);
  return std::nullopt;
}

// Whether some of the memory is the host program's, which lies at its own address.
bool of_host(const LanePointers& pointers, const Addresses& address, Mask lanes) {
  bool any = false;
  for (const unsigned lane : lanes) {
    any |= reinterpret_cast<std::uintptr_t>(pointers.of[lane]) == address[lane];
  }
  return any;
}

// The notes of what lies at an address: of an allocation that was found lately, else as the log has
// them, if it is to be asked.
Core::Known find_notes(const Core& core, std::uint64_t address, unsigned width, bool asks_log) {
  for (const Core::Known& each : core.known)
    if (each.notes.uses != nullptr && each.contains(address, width)) return each;
  const Allocation* const in = asks_log ? core.launch.memory->find(address) : nullptr;
  if (in == nullptr) return {};
  Core::Known found{in->address, in->bytes, in->data};
  found.notes = core.log->notes_of(in->address);
  return found;
}

// Where this core reduces by an operation what lanes name: `of` becomes that of those that it
// reduces in memory of its own. Whether all are.
bool find_apart(const Core& core, unsigned width, unsigned operation, bool asks_log,
                const Addresses& address, Mask lanes, std::array<std::byte*, kWarpSize>& of) {
  bool all = true;
  Core::Known in;
  for (const unsigned lane : lanes) {
    const std::uint64_t at = address[lane];
    if (!in.contains(at, width)) in = find_notes(core, at, width, asks_log);
    std::byte* const place = width == 4 ? in.notes.apart_word(at - in.start, operation)
                                        : in.notes.apart(at - in.start, width, operation);
    all &= place != nullptr;
    if (place != nullptr) of[lane] = place;
  }
  return all;
}

// Integer reductions of one kind commute, so threads may mix them; anything else is a plain write.
// `apart`: whether nobody else uses the memory that `pointers` then lead to.
bool claim(Core& core, const Warp& warp, const Step& step, AccessKind kind,
           const Addresses& address, Mask lanes, LanePointers& pointers, bool& apart) {
  const std::optional<unsigned> operation =
      kind == AccessKind::reduction ? commutative(static_cast<AtomicOp>(step.selector),
                                                  static_cast<AtomicType>(step.data_type))
                                    : std::nullopt;
  if (core.contended != nullptr && kind == AccessKind::atomic)
    for (const unsigned lane : lanes) core.contended->use(address[lane], warp.block->linear);
  apart = core.log == nullptr;
  if (apart || !operation)
    return claim_lanes(core, warp, step, operation ? kind : AccessKind::atomic, address, lanes,
                       pointers, operation.value_or(0));
  std::array<std::byte*, kWarpSize> of = pointers.of;
  const Mask places = pointers.same != nullptr ? Mask::of(lanes.first()) : lanes;
  apart = find_apart(core, step.width, *operation, false, address, places, of);
  if (!claim_lanes(core, warp, step, kind, address, lanes, pointers, *operation, apart))
    return false;
  if (!apart) {  // what was may no longer be
    of = pointers.of;
    apart = find_apart(core, step.width, *operation, true, address, places, of);
  }
  if (pointers.same != nullptr) of.fill(pointers.same = of[places.first()]);
  pointers.of = of;
  return true;
}

// ATOMS.CAST.SPIN swaps for one lane of each bank, the lowest, and fails for the others: the loop
// around it tries again (docs/experiments/l1-counting.md). 8 bytes wide, it does so for each half
// of the warp.
Mask first_of_each_bank(unsigned width, const Addresses& address, Mask lanes) {
  const Mask half = width == 8 ? Mask::below(kWarpSize / 2) : kFullMask;
  Mask firsts;
  for (const Mask part : {lanes & half, lanes & ~half}) {
    std::uint32_t taken = 0;
    for (const unsigned lane : part) {
      const std::uint32_t bank = 1u << address[lane] / width % (128 / width);
      if ((taken & bank) == 0) firsts |= Mask::of(lane);
      taken |= bank;
    }
  }
  return firsts;
}

Mask lanes_that_are_not_zero(const std::uint32_t* row) {
  Mask lanes;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    if (row[lane] != 0) lanes |= Mask::of(lane);
  return lanes;
}

constexpr auto kOnes = [] {
  std::array<std::uint32_t, kWarpSize> ones{};
  ones.fill(1);
  return ones;
}();

template <AddressSpace kSpace, AccessKind kKind>
Flow execute_atomic(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  count_policy(core, warp, step);
  if (on.empty()) return Flow::next;
  alignas(kCacheLine) Addresses address;
  AddressPattern of_all = compute_addresses(core, warp, step, address, on);
  of_all.is_row = false;  // lanes that adjoin go one by one as well
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
    if (on.empty()) return Flow::next;
  }
  const auto access = [&](Window space, Mask lanes, const AddressPattern& pattern) {
    LanePointers pointers;
    if (!resolve_lanes(core, warp, step, space, kKind, address, lanes, pattern, pointers))
      return Flow::stop;
    bool apart = true;
    if (space == Window::global && !claim(core, warp, step, kKind, address, lanes, pointers, apart))
      return Flow::stop;
    // Scattered memory comes while the access is counted, not for one lane after the other.
    if (space == Window::global && pointers.same == nullptr)
      for (const unsigned lane : lanes) __builtin_prefetch(pointers.of[lane], 1);
    const bool spin = compare_and_swap && step.sign_extend && space == Window::shared;
    count_access(core, step,
                 spin               ? AccessKind::cast_spin
                 : compare_and_swap ? AccessKind::compare_and_swap
                 : increment        ? AccessKind::increment
                                    : kKind,
                 space, address, lanes, pattern, warp.block);
    const Mask served = spin ? first_of_each_bank(step.width, address, lanes) : lanes;
    for (const unsigned lane : lanes & ~served) write_words(destination, lane, step.width, Words{});
    bool changed = kKind == AccessKind::reduction;
    const bool alone = apart && !of_host(pointers, address, served);
    const AloneRows rows{pointers, served, increment ? kOnes.data() : operands, replacements,
                         kKind == AccessKind::atomic ? destination : nullptr};
    std::optional<bool> done = alone ? atomic_alone(step, op, type, rows) : std::nullopt;
    if (done) changed |= *done;
    if constexpr (kKind == AccessKind::reduction)
      if (!done && reduce_beside_threads(pointers, step, op, type, operands, served)) done = true;
    for (const unsigned lane : done ? Mask() : served) {
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
    }
    // From sm_100 on a predicate takes what the register of a .CAST did.
    if (spin && step.pu != kDiscardedPredicate)
      warp.set_predicate(step.pu, lanes_that_are_not_zero(destination), lanes);
    if (changed)
      core.polling.change(core.issued);
    else
      core.look_at_others();
    return Flow::next;
  };
  return for_each_space<kSpace>(address, on, of_all, access);
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
