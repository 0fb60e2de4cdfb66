// What atomics and reductions make of two values: those of instructions and of the copy engine.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "isa/attributes.hpp"

namespace heddle::simulator {

enum class AtomicOp : std::uint8_t { add, min, max, inc, dec, and_, or_, xor_, exch };
// Of one element; a lane may work on several side by side.
enum class AtomicType : std::uint8_t { u32, s32, u64, s64, f32, f32_flushed, f64, f16, bf16, b128 };

bool is_wide(AtomicType type);  // 64 bits
AtomicType atomic_type(const isa::DataType& data);
bool has_operation(AtomicOp op, AtomicType type);
// The number that ConflictTracker knows a reduction by, where its results do not depend on the
// order: those of integers. Nothing for the others, and for Step::selector's other values.
std::optional<unsigned> commutative(AtomicOp op, AtomicType type);

// Of a reduction that `commutative` numbers: the bytes of an element, what changes no element it is
// combined with, and an element in memory combined with another.
unsigned element_bytes(unsigned commutative);
std::uint64_t neutral_element(unsigned commutative);
void combine_elements(unsigned commutative, std::byte* memory, const std::byte* other);

// Of integers, signed or not.
template <typename T>
constexpr T combine_integer(AtomicOp op, T old, T operand) {
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

// 32 bits of elements, two of them where they are halves; one of 64 bits.
std::uint32_t combine32(AtomicOp op, AtomicType type, std::uint32_t old, std::uint32_t operand);
std::uint64_t combine64(AtomicOp op, AtomicType type, std::uint64_t old, std::uint64_t operand);

// Replaces a value by a function of it, atomically towards other host threads; returns the old one.
template <typename T, typename F>
T update(std::byte* at, F&& function) {
  std::atomic_ref<T> shared(*reinterpret_cast<T*>(at));
  T old = shared.load(std::memory_order_relaxed);
  while (!shared.compare_exchange_weak(old, function(old), std::memory_order_relaxed)) {
  }
  return old;
}

}  // namespace heddle::simulator
