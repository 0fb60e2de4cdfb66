// What one core can do at most: a bare switch interpreter over 32-lane rows, without counting,
// predicates, memory or control flow. The machine benchmark is measured against it.
#include "simulator/benchmarks/ceiling.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace heddle::simulator::ceiling {
namespace {

enum Operation : std::uint8_t {
  kAdd,
  kSub,
  kMul,
  kMad,
  kAnd,
  kOr,
  kXor,
  kShl,
  kMov,
  kMovImmediate,
  kFadd,
  kFmul,
  kFfma,
  kEnd
};

float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t as_bits(float value) { return std::bit_cast<std::uint32_t>(value); }

}  // namespace

Interpreter::Interpreter(unsigned instructions) : rows_(64 * 32, 0x3f800000u) {
  std::uint32_t state = 12345;
  const auto random = [&] {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  };
  for (unsigned i = 0; i < instructions; ++i)
    program_.push_back({static_cast<std::uint8_t>(random() % kEnd),
                        static_cast<std::uint8_t>(random() % 64),
                        static_cast<std::uint8_t>(random() % 64),
                        static_cast<std::uint8_t>(random() % 64), random()});
  program_.push_back({kEnd, 0, 0, 0, 0});
}

std::uint64_t Interpreter::run(std::uint32_t active, std::uint64_t loops) {
  alignas(64) std::uint32_t keep[32];
  for (int lane = 0; lane < 32; ++lane) keep[lane] = (active >> lane & 1) != 0 ? ~0u : 0u;
  const bool full = active == ~0u;
  std::uint64_t executed = 0;
  for (std::uint64_t loop = 0; loop < loops; ++loop) {
    for (const Instruction* at = program_.data();; ++at) {
      const Instruction in = *at;
      std::uint32_t* d = rows_.data() + in.d * 32;
      const std::uint32_t* a = rows_.data() + in.a * 32;
      const std::uint32_t* b = rows_.data() + in.b * 32;
      const auto lift = [&](auto&& function) {
        alignas(64) std::uint32_t result[32];
        if (full) {
          for (int lane = 0; lane < 32; ++lane) result[lane] = function(a[lane], b[lane], d[lane]);
        } else {
          for (int lane = 0; lane < 32; ++lane)
            result[lane] = keep[lane] != 0 ? function(a[lane], b[lane], d[lane]) : d[lane];
        }
        std::memcpy(d, result, sizeof result);
      };
      using U = std::uint32_t;
      if (in.operation == kEnd) break;
      ++executed;
      switch (in.operation) {
        case kAdd:
          lift([](U x, U y, U) { return x + y; });
          break;
        case kSub:
          lift([](U x, U y, U) { return x - y; });
          break;
        case kMul:
          lift([](U x, U y, U) { return x * y; });
          break;
        case kMad:
          lift([](U x, U y, U z) { return x * y + z; });
          break;
        case kAnd:
          lift([](U x, U y, U) { return x & y; });
          break;
        case kOr:
          lift([](U x, U y, U) { return x | y; });
          break;
        case kXor:
          lift([](U x, U y, U) { return x ^ y; });
          break;
        case kShl:
          lift([](U x, U y, U) { return x << (y & 31); });
          break;
        case kMov:
          lift([](U x, U, U) { return x; });
          break;
        case kMovImmediate:
          lift([&](U, U, U) { return in.immediate; });
          break;
        case kFadd:
          lift([](U x, U y, U) { return as_bits(as_float(x) + as_float(y)); });
          break;
        case kFmul:
          lift([](U x, U y, U) { return as_bits(as_float(x) * as_float(y)); });
          break;
        case kFfma:
          lift([](U x, U y, U z) {
            return as_bits(std::fma(as_float(x), as_float(y), as_float(z)));
          });
          break;
        default:
          std::abort();
      }
    }
    // Keeps values away from NaN and subnormals, whose arithmetic may be slower.
    if ((loop & 1023) == 0) std::fill(rows_.begin(), rows_.end(), 0x3f800000u);
  }
  return executed;
}

}  // namespace heddle::simulator::ceiling
