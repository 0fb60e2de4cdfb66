// Atomics and reductions. Lanes of one instruction apply in lane order.
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "simulator/memory_access.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;

enum class AtomicOp : std::uint8_t { add, min, max, inc, dec, and_, or_, xor_, exch };
enum class AtomicType : std::uint8_t { u32, s32, u64, f32, f16x2, s64, f64, bf16x2 };

// Step::selector of ATOM.CAS and its like; Step::sign_extend marks .CAST, which returns whether it
// swapped (ptxas compares its result with 1) instead of the old value.
constexpr std::uint8_t kCompareAndSwap = 0xff;
// Step::selector of ATOMS.POPC.INC, which ptxas makes of a shared atomicAdd(p, 1): every lane
// adds 1.
constexpr std::uint8_t kIncrement = 0xfe;

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

// The memory system's FP32 add flushes subnormals, as its name (.FTZ.RN) says.
float flush(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

std::uint64_t combine(AtomicOp op, AtomicType type, std::uint64_t old, std::uint64_t operand) {
  const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  switch (type) {
    case AtomicType::u32:
      return combine_integer<std::uint32_t>(op, low(old), low(operand));
    case AtomicType::s32:
      return low(static_cast<std::uint32_t>(combine_integer<std::int32_t>(
          op, static_cast<std::int32_t>(low(old)), static_cast<std::int32_t>(low(operand)))));
    case AtomicType::u64:
      return combine_integer<std::uint64_t>(op, old, operand);
    case AtomicType::s64:
      return static_cast<std::uint64_t>(combine_integer<std::int64_t>(
          op, static_cast<std::int64_t>(old), static_cast<std::int64_t>(operand)));
    case AtomicType::f32: {
      const float sum =
          flush(flush(std::bit_cast<float>(low(old))) + flush(std::bit_cast<float>(low(operand))));
      return std::isnan(sum) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(sum);
    }
    case AtomicType::f64:
      return std::bit_cast<std::uint64_t>(std::bit_cast<double>(old) +
                                          std::bit_cast<double>(operand));
    case AtomicType::f16x2:
    case AtomicType::bf16x2:
      break;  // not lowered
  }
  return old;
}

std::uint64_t read_pair(const std::uint32_t* row, unsigned lane, unsigned width) {
  std::uint64_t value = row[lane];
  if (width == 8) value |= std::uint64_t{row[kWarpSize + lane]} << 32;
  return value;
}

void write_pair(std::uint32_t* row, unsigned lane, unsigned width, std::uint64_t value) {
  row[lane] = static_cast<std::uint32_t>(value);
  if (width == 8) row[kWarpSize + lane] = static_cast<std::uint32_t>(value >> 32);
}

// Replaces a value by a function of it, atomically towards other host threads; returns the old one.
template <typename F>
std::uint64_t update(std::byte* at, unsigned width, F&& function) {
  const auto exchange = [&]<typename T>(T& cell) -> std::uint64_t {
    std::atomic_ref<T> shared(cell);
    T old = shared.load(std::memory_order_relaxed);
    while (!shared.compare_exchange_weak(old, static_cast<T>(function(old)),
                                         std::memory_order_relaxed)) {
    }
    return old;
  };
  if (width == 8) return exchange(*reinterpret_cast<std::uint64_t*>(at));
  return exchange(*reinterpret_cast<std::uint32_t*>(at));
}

// Integer reductions of one kind commute, so threads may mix them; anything else is a plain write.
bool claim(Core& core, const Step& step, AccessKind kind, const Addresses& address, Mask lanes) {
  constexpr std::array<int, 9> kCommutative{0, 1, 2, -1, -1, 3, 4, 5, -1};
  constexpr std::array<int, 7> kInteger{0, 1, 2, -1, -1, 3, -1};
  constexpr int kIntegerTypes = 4;
  if (kind == AccessKind::reduction && step.selector < kCommutative.size()) {
    const int operation = kCommutative[step.selector];
    const int type = kInteger[step.data_type];
    if (operation >= 0 && type >= 0)
      return claim_lanes(core, step, kind, address, lanes,
                         static_cast<unsigned>(operation * kIntegerTypes + type));
  }
  return claim_lanes(core, step, AccessKind::store, address, lanes);
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
  Addresses address;
  compute_addresses(warp, step, address);
  const std::uint32_t* operands = source_row(warp, step.b);
  const std::uint32_t* replacements = source_row(warp, step.c);
  std::uint32_t* destination = destination_row(warp, step.d);
  const bool increment = step.selector == kIncrement;
  const AtomicOp op = increment ? AtomicOp::add : static_cast<AtomicOp>(step.selector);
  const auto type = static_cast<AtomicType>(step.data_type);
  const bool compare_and_swap = step.selector == kCompareAndSwap;
  return for_each_space<kSpace>(address, on, [&](Window space, Mask lanes) {
    LanePointers pointers;
    if (!resolve_lanes(core, warp, step, space, address, lanes, pointers)) return Flow::stop;
    if (space == Window::global && core.log != nullptr && !claim(core, step, kKind, address, lanes))
      return Flow::stop;
    const bool spin = compare_and_swap && step.sign_extend && space == Window::shared;
    count_access(core, step,
                 spin               ? AccessKind::cast_spin
                 : compare_and_swap ? AccessKind::compare_and_swap
                                    : kKind,
                 space, address, lanes);
    const Mask served = spin ? first_of_each_bank(step.width, address, lanes) : lanes;
    for_each_lane(lanes & ~served,
                  [&](unsigned lane) { write_pair(destination, lane, step.width, 0); });
    for_each_lane(served, [&](unsigned lane) {
      const std::uint64_t operand = increment ? 1 : read_pair(operands, lane, step.width);
      const std::uint64_t old = update(pointers.of[lane], step.width, [&](std::uint64_t value) {
        return !compare_and_swap  ? combine(op, type, value, operand)
               : value == operand ? read_pair(replacements, lane, step.width)
                                  : value;
      });
      if constexpr (kKind == AccessKind::atomic)
        write_pair(destination, lane, step.width, step.sign_extend ? old == operand : old);
    });
    return Flow::next;
  });
}

// sm_90 moved the floating-point types to opcodes of their own (SASS-FACTS 3.6).
bool is_float_opcode(const isa::Instruction& in) {
  const std::uint64_t opcode = in.word.bits(0, 9);
  return in.arch == isa::Arch::sm_90 && (opcode == 0x1a2 || opcode == 0x1a3 || opcode == 0x1a6);
}

bool is_shared(const isa::Instruction& in) { return in.op == Op::ATOMS || in.op == Op::ATOMS_CAS; }

bool fill_type(const isa::Instruction& in, Step& step) {
  const std::uint32_t code = in.mod(Mod::type);
  AtomicType type;
  if (is_float_opcode(in)) {
    if (code == 9)
      type = AtomicType::f32;
    else if (code == 15)
      type = AtomicType::f64;
    else
      return false;
  } else if (in.arch == isa::Arch::sm_90 && !is_shared(in)) {
    constexpr std::array kTypes{AtomicType::u32, AtomicType::s32, AtomicType::u64, AtomicType::s64};
    if (code >= kTypes.size()) return false;
    type = kTypes[code];
  } else {
    if (code > 6 || code == 4) return false;
    type = static_cast<AtomicType>(code);
  }
  step.data_type = static_cast<std::uint8_t>(type);
  const bool wide = type == AtomicType::u64 || type == AtomicType::s64 || type == AtomicType::f64;
  step.width = wide ? 8 : 4;
  if (is_compare_and_swap(in)) {
    step.selector = kCompareAndSwap;
    step.sign_extend = in.word.bit(87);  // .CAST
    return true;
  }
  step.selector = static_cast<std::uint8_t>(is_float_opcode(in) ? 0 : in.mod(Mod::atom_op));
  const bool is_float = type == AtomicType::f32 || type == AtomicType::f64;
  return step.selector <= static_cast<std::uint8_t>(AtomicOp::exch) &&
         (!is_float || step.selector == 0);
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
