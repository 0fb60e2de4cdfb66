// Atomics and reductions. Lanes of one instruction apply in lane order.
#include <atomic>
#include <bit>
#include <cmath>
#include <optional>

#include "isa/attributes.hpp"
#include "simulator/memory_access.hpp"
// Halves as the lane functions compute them, in a namespace of this file's.
#define HEDDLE_LANES_VARIANT atomics
#include "simulator/lanes/half.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;

enum class AtomicOp : std::uint8_t { add, min, max, inc, dec, and_, or_, xor_, exch };
// Of one element; a lane may work on several side by side.
enum class AtomicType : std::uint8_t { u32, s32, u64, s64, f32, f32_flushed, f64, f16, bf16, b128 };

// Step::selector of ATOM.CAS and its like; Step::sign_extend marks .CAST, which returns whether it
// swapped (ptxas compares its result with 1) instead of the old value.
constexpr std::uint8_t kCompareAndSwap = 0xff;
// Step::selector of ATOMS.POPC.INC, which ptxas makes of a shared atomicAdd(p, 1): every lane
// adds 1.
constexpr std::uint8_t kIncrement = 0xfe;

constexpr unsigned kMaxWords = 4;
using Words = std::array<std::uint32_t, kMaxWords>;  // what a lane works on, low word first

bool is_compare_and_swap(const isa::Instruction& in) {
  return in.op == Op::ATOM_CAS || in.op == Op::ATOMG_CAS || in.op == Op::ATOMS_CAS;
}

template <typename T>
T combine_integer(AtomicOp op, T old, T operand) {
  using U = std::make_unsigned_t<T>;
  switch (op) {
    case AtomicOp::add:
      return static_cast<T>(static_cast<U>(old) + static_cast<U>(operand));
    case AtomicOp::min:
      return std::min(old, operand);
    case AtomicOp::max:
      return std::max(old, operand);
    case AtomicOp::inc:
      return old >= operand ? T{0} : static_cast<T>(old + 1);
    case AtomicOp::dec:
      return old == 0 || old > operand ? operand : static_cast<T>(old - 1);
    case AtomicOp::and_:
      return old & operand;
    case AtomicOp::or_:
      return old | operand;
    case AtomicOp::xor_:
      return old ^ operand;
    case AtomicOp::exch:
      return operand;
  }
  return old;
}

float flush(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

// The memory system's FP32 add; as its name .FTZ says, it flushes subnormals.
template <bool kFlush>
std::uint32_t add_float(std::uint32_t old, std::uint32_t operand) {
  const auto value = [](std::uint32_t bits) {
    const auto number = std::bit_cast<float>(bits);
    return kFlush ? flush(number) : number;
  };
  const float sum = value(old) + value(operand);
  return std::isnan(sum) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(kFlush ? flush(sum) : sum);
}

// A NaN among the numbers comes through as it is (measured), the operand's before the memory's.
std::uint64_t add_double(std::uint64_t old, std::uint64_t operand) {
  const auto a = std::bit_cast<double>(old), b = std::bit_cast<double>(operand);
  if (std::isnan(b)) return operand;
  if (std::isnan(a)) return old;
  const double sum = a + b;
  return std::isnan(sum) ? 0xfff8000000000000u : std::bit_cast<std::uint64_t>(sum);
}

// Sum, minimum or maximum of halves. A sum of two is exact enough in a float for the one rounding.
template <lanes::atomics::Half kFormat>
std::uint32_t combine_half(AtomicOp op, std::uint32_t old, std::uint32_t operand) {
  using namespace lanes::atomics;
  constexpr std::uint32_t kInfinity = kExponentMask<kFormat>;
  const auto is_nan = [](std::uint32_t half) { return (half & 0x7fff) > kInfinity; };
  if (op == AtomicOp::add) {
    const float sum = as_float(widened<kFormat>(old)) + as_float(widened<kFormat>(operand));
    return narrowed<kFormat, kNearest>(bits_of(sum));
  }
  // As FMNMX: a number goes before a NaN, -0 before +0.
  if (is_nan(old)) return is_nan(operand) ? kNan16 : operand;
  if (is_nan(operand)) return old;
  const auto order = [](std::uint32_t half) {
    const auto value = static_cast<std::int16_t>(half);
    return value < 0 ? static_cast<std::int32_t>(0x8000) - static_cast<std::int32_t>(half)
                     : std::int32_t{value} + 1;
  };
  return (order(old) < order(operand)) == (op == AtomicOp::min) ? old : operand;
}

std::uint32_t combine_halves(AtomicOp op, AtomicType type, std::uint32_t old,
                             std::uint32_t operand) {
  using lanes::atomics::Half;
  std::uint32_t result = 0;
  for (unsigned shift = 0; shift < 32; shift += 16) {
    const std::uint32_t a = old >> shift & 0xffff, b = operand >> shift & 0xffff;
    result |= (type == AtomicType::f16 ? combine_half<Half::fp16>(op, a, b)
                                       : combine_half<Half::bf16>(op, a, b))
              << shift;
  }
  return result;
}

std::uint32_t combine32(AtomicOp op, AtomicType type, std::uint32_t old, std::uint32_t operand) {
  switch (type) {
    case AtomicType::s32:
      return static_cast<std::uint32_t>(
          combine_integer(op, static_cast<std::int32_t>(old), static_cast<std::int32_t>(operand)));
    case AtomicType::f32:
      return op == AtomicOp::exch ? operand : add_float<false>(old, operand);
    case AtomicType::f32_flushed:
      return add_float<true>(old, operand);
    case AtomicType::f16:
    case AtomicType::bf16:
      return combine_halves(op, type, old, operand);
    default:
      return combine_integer<std::uint32_t>(op, old, operand);
  }
}

std::uint64_t combine64(AtomicOp op, AtomicType type, std::uint64_t old, std::uint64_t operand) {
  switch (type) {
    case AtomicType::s64:
      return static_cast<std::uint64_t>(
          combine_integer(op, static_cast<std::int64_t>(old), static_cast<std::int64_t>(operand)));
    case AtomicType::f64:
      return add_double(old, operand);
    default:
      return combine_integer<std::uint64_t>(op, old, operand);
  }
}

bool is_wide(AtomicType type) {
  return type == AtomicType::u64 || type == AtomicType::s64 || type == AtomicType::f64;
}

Words read_words(const std::uint32_t* row, unsigned lane, unsigned width) {
  Words words{};
  for (unsigned i = 0; i < width / 4; ++i) words[i] = row[i * kWarpSize + lane];
  return words;
}

void write_words(std::uint32_t* row, unsigned lane, unsigned width, const Words& words) {
  for (unsigned i = 0; i < width / 4; ++i) row[i * kWarpSize + lane] = words[i];
}

// Replaces a value by a function of it, atomically towards other host threads; returns the old one.
template <typename T, typename F>
T update(std::byte* at, F&& function) {
  std::atomic_ref<T> shared(*reinterpret_cast<T*>(at));
  T old = shared.load(std::memory_order_relaxed);
  while (!shared.compare_exchange_weak(old, function(old), std::memory_order_relaxed)) {
  }
  return old;
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
  constexpr std::array<int, 9> kCommutative{0, 1, 2, -1, -1, 3, 4, 5, -1};
  constexpr int kIntegerTypes = 4;  // the first of AtomicType
  if (kind == AccessKind::reduction && step.selector < kCommutative.size() &&
      step.data_type < kIntegerTypes && kCommutative[step.selector] >= 0)
    return claim_lanes(
        core, warp, step, kind, address, lanes,
        static_cast<unsigned>(kCommutative[step.selector] * kIntegerTypes + step.data_type));
  return claim_lanes(core, warp, step, AccessKind::store, address, lanes);
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
                 space, address, lanes);
    const Mask served = spin ? first_of_each_bank(step.width, address, lanes) : lanes;
    for_each_lane(lanes & ~served,
                  [&](unsigned lane) { write_words(destination, lane, step.width, Words{}); });
    for_each_lane(served, [&](unsigned lane) {
      const Words operand = increment ? Words{1} : read_words(operands, lane, step.width);
      const Words old = compare_and_swap
                            ? compare_and_swap_at(pointers.of[lane], step, operand,
                                                  read_words(replacements, lane, step.width))
                            : combine_at(pointers.of[lane], step, op, type, operand);
      if constexpr (kKind == AccessKind::atomic) {
        write_words(destination, lane, step.width,
                    !step.sign_extend ? old
                    : old == operand  ? Words{1}
                                      : Words{});
      }
    });
    return Flow::next;
  });
}

std::optional<AtomicType> type_of(const isa::Instruction& in, const isa::AtomicData& data) {
  using Kind = isa::AtomicData::Kind;
  if (data.bits == 128) return AtomicType::b128;
  switch (data.kind) {
    case Kind::unsigned_integer:
      return data.bits == 64 ? AtomicType::u64 : AtomicType::u32;
    case Kind::signed_integer:
      return data.bits == 64 ? AtomicType::s64 : AtomicType::s32;
    case Kind::bfloat:
      return AtomicType::bf16;
    case Kind::floating:
      break;
  }
  if (data.bits == 16) return AtomicType::f16;
  if (data.bits == 64) return AtomicType::f64;
  const bool flushes = isa::modifier_text(in, Mod::type).find(".FTZ") != std::string_view::npos;
  return flushes ? AtomicType::f32_flushed : AtomicType::f32;
}

bool has_operation(AtomicOp op, AtomicType type) {
  switch (type) {
    case AtomicType::f32:
    case AtomicType::f32_flushed:
    case AtomicType::f64:
      return op == AtomicOp::add;
    case AtomicType::f16:
    case AtomicType::bf16:
      return op == AtomicOp::add || op == AtomicOp::min || op == AtomicOp::max;
    case AtomicType::b128:
      return op == AtomicOp::exch;
    default:
      return op <= AtomicOp::exch;
  }
}

bool fill_type(const isa::Instruction& in, Step& step) {
  const isa::AtomicData data = isa::atomic_data(in);
  const auto type = type_of(in, data);
  if (!type) return false;
  step.data_type = static_cast<std::uint8_t>(*type);
  step.width = static_cast<std::uint8_t>(data.bits * data.count / 8);
  if (is_compare_and_swap(in)) {
    step.selector = kCompareAndSwap;
    step.sign_extend = in.word.bit(87);  // .CAST
    return step.width <= 8 || !step.sign_extend;
  }
  step.selector = static_cast<std::uint8_t>(in.mod(Mod::atom_op));
  return has_operation(static_cast<AtomicOp>(step.selector), *type);
}

}  // namespace

Execute lower_atomic(const isa::Instruction& in, Step& step) {
  // Numbered 10 up to sm_89 and 11 on sm_90, in what nvcc makes of the same program.
  const std::uint32_t popc_inc = in.arch == isa::Arch::sm_90 ? 11 : 10;
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
