#include "simulator/memory/atomic_operations.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#define HEDDLE_LANES_VARIANT atomics
#include "simulator/lanes/half.hpp"

namespace heddle::simulator {
namespace {

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

}  // namespace

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

AtomicType atomic_type(const isa::DataType& data) {
  using Kind = isa::DataType::Kind;
  if (data.bits == 128) return AtomicType::b128;
  if (data.kind == Kind::signed_integer) return data.bits == 64 ? AtomicType::s64 : AtomicType::s32;
  if (data.kind == Kind::bfloat) return AtomicType::bf16;
  if (data.kind != Kind::floating) return data.bits == 64 ? AtomicType::u64 : AtomicType::u32;
  if (data.bits == 16) return AtomicType::f16;
  if (data.bits == 64) return AtomicType::f64;
  return data.flushes ? AtomicType::f32_flushed : AtomicType::f32;
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

namespace {

// Those of `commutative`, in the order of their numbers.
constexpr std::array kCommutative{AtomicOp::add,  AtomicOp::min, AtomicOp::max,
                                  AtomicOp::and_, AtomicOp::or_, AtomicOp::xor_};
constexpr unsigned kIntegerTypes = 4;  // the first of AtomicType

AtomicOp operation_of(unsigned commutative) { return kCommutative[commutative / kIntegerTypes]; }
AtomicType type_of(unsigned commutative) {
  return static_cast<AtomicType>(commutative % kIntegerTypes);
}

// Calls f with a value of the elements' type.
template <typename F>
auto with_type(unsigned commutative, F&& f) {
  switch (type_of(commutative)) {
    case AtomicType::s32:
      return f(std::int32_t{});
    case AtomicType::u64:
      return f(std::uint64_t{});
    case AtomicType::s64:
      return f(std::int64_t{});
    default:
      return f(std::uint32_t{});
  }
}

}  // namespace

std::optional<unsigned> commutative(AtomicOp op, AtomicType type) {
  const auto* const found = std::ranges::find(kCommutative, op);
  if (static_cast<unsigned>(type) >= kIntegerTypes || found == kCommutative.end())
    return std::nullopt;
  return static_cast<unsigned>(found - kCommutative.begin()) * kIntegerTypes +
         static_cast<unsigned>(type);
}

unsigned element_bytes(unsigned commutative) { return is_wide(type_of(commutative)) ? 8 : 4; }

std::uint64_t neutral_element(unsigned commutative) {
  return with_type(commutative, [&]<typename T>(T) -> std::uint64_t {
    using Limits = std::numeric_limits<T>;
    switch (operation_of(commutative)) {
      case AtomicOp::min:
        return static_cast<std::make_unsigned_t<T>>(Limits::max());
      case AtomicOp::max:
        return static_cast<std::make_unsigned_t<T>>(Limits::min());
      case AtomicOp::and_:
        return ~std::make_unsigned_t<T>{0};
      default:
        return 0;
    }
  });
}

void combine_elements(unsigned commutative, std::byte* memory, const std::byte* other) {
  with_type(commutative, [&]<typename T>(T) {
    T one, two;
    std::memcpy(&one, memory, sizeof one);
    std::memcpy(&two, other, sizeof two);
    one = combine_integer<T>(operation_of(commutative), one, two);
    std::memcpy(memory, &one, sizeof one);
  });
}

}  // namespace heddle::simulator
