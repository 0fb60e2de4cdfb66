#include "simulator/lanes/half2.hpp"

#include "simulator/lanes/choose.hpp"
#include "simulator/lanes/families.hpp"
#include "simulator/lanes/one_loop.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

constexpr u32 kUnsupportedSwizzle = ~0u;

// Element shifts of a swizzle: 0 H1_H0, 2 H0_H0, 3 H1_H1. 1 is one FP32.
constexpr u32 kSwizzleF32 = 1;
u32 element_shifts(u32 swizzle) {
  switch (swizzle) {
    case 0:
      return 0u | 16u << 8;
    case 2:
      return 0;
    case 3:
      return 16u | 16u << 8;
    default:
      return kUnsupportedSwizzle;
  }
}

bool set_elements(const Request& request, MicroOp& op, bool third) {
  op.param[0] = element_shifts(request.mod(Mod::swz_a));
  op.param[1] = element_shifts(request.mod(Mod::swz_b));
  if (third) op.param[2] = element_shifts(request.mod(Mod::swz_c));
  return op.param[0] != kUnsupportedSwizzle && op.param[1] != kUnsupportedSwizzle &&
         (!third || op.param[2] != kUnsupportedSwizzle);
}

// .H0_NH1: the second source's halves change places, and the one that becomes the low one its
// sign, as a product of complex numbers wants them.
void exchange(MicroOp& op) {
  op.param[1] = 16u | 0u << 8;
  op.param[3] = 0x80000000u;
}

// HADD2's one flush bit as a mode of the others.
u32 flush_mode(const Request& request) {
  return request.mod(Mod::ftz) != 0 ? 2 : request.mod(Mod::fmz);
}

LaneFunction select_half_plus_float(const Request& request, MicroOp& op) {
  op.param[0] = element_shifts(request.mod(Mod::swz_a));
  if (op.param[0] == kUnsupportedSwizzle || request.mod(Mod::out_fmt) != 0) return nullptr;
  const u32 form = u32{request.mod(Mod::ftz) != 0} | u32{request.mod(Mod::sat) != 0} << 1;
  return choose<4>(form, []<u32 kForm>() -> LaneFunction {
    return lift_as_one<HalfPlusFloat<(kForm & 1) != 0, (kForm & 2) != 0>>;
  });
}

template <HalfOperation kOperation>
LaneFunction select_half2(const Request& request, MicroOp& op) {
  if (kOperation == HalfOperation::add && request.mod(Mod::swz_b) == kSwizzleF32)
    return select_half_plus_float(request, op);
  if (!set_elements(request, op, kOperation == HalfOperation::fused)) return nullptr;
  if (kOperation == HalfOperation::fused && request.mod(Mod::exchanged) != 0) exchange(op);
  const bool saturate = request.mod(Mod::sat) != 0, relu = request.mod(Mod::relu) != 0;
  const bool bf16 = request.mod(Mod::bf16) != 0, to_float = request.mod(Mod::out_fmt) != 0;
  // The GPU has no such instructions.
  if (to_float && (bf16 || relu)) return nullptr;
  const u32 mode = flush_mode(request);
  if (bf16 && (saturate || (mode != 0 && mode != kOutOfBounds))) return nullptr;
  if (saturate && relu) return nullptr;
  if (mode == kOutOfBounds && (to_float || saturate)) return nullptr;
  if (to_float)
    return choose<3>(mode, [&]<u32 kMode>() -> LaneFunction {
      return saturate ? lift_as_one<HalfToFloat<kOperation, kMode, true>>
                      : lift_as_one<HalfToFloat<kOperation, kMode, false>>;
    });
  const u32 form = u32{bf16} | u32{saturate} << 1 | u32{relu} << 2;
  return choose<4>(mode, [&]<u32 kMode>() -> LaneFunction {
    return choose<8>(form, []<u32 kForm>() -> LaneFunction {
      constexpr bool kBf16 = (kForm & 1) != 0, kSaturate = (kForm & 2) != 0,
                     kRelu = (kForm & 4) != 0;
      constexpr bool kIsOneOfThem = !(kSaturate && (kBf16 || kRelu || kMode == kOutOfBounds)) &&
                                    !(kBf16 && kMode != 0 && kMode != kOutOfBounds);
      if constexpr (kIsOneOfThem)
        return lift_as_one<
            Half2<kOperation, kBf16 ? Half::bf16 : Half::fp16, kMode, kSaturate, kRelu>>;
      return nullptr;
    });
  });
}

// Elements, comparison and how it is combined, of HSET2 and HSETP2; false: the GPU has no such
// instruction.
bool set_comparison(const Request& request, MicroOp& op) {
  if (!set_elements(request, op, false) || request.mod(Mod::bop) > 2) return false;
  op.param[2] = request.mod(Mod::bop) | request.mod(Mod::cmp) << 8;
  return request.mod(Mod::bf16) == 0 || request.mod(Mod::ftz) == 0;
}

LaneFunction select_hset2(const Request& request, MicroOp& op) {
  if (!set_comparison(request, op)) return nullptr;
  const bool bf16 = request.mod(Mod::bf16) != 0;
  op.param[3] = request.mod(Mod::bf) == 0 ? 0xffff : bf16 ? 0x3f80 : 0x3c00;
  return bf16                         ? lift_as_one<Hset2<Half::bf16, false>>
         : request.mod(Mod::ftz) != 0 ? lift_as_one<Hset2<Half::fp16, true>>
                                      : lift_as_one<Hset2<Half::fp16, false>>;
}

LaneFunction select_hsetp2(const Request& request, MicroOp& op) {
  if (!set_comparison(request, op)) return nullptr;
  const bool bf16 = request.mod(Mod::bf16) != 0, flush = request.mod(Mod::ftz) != 0;
  return choose<2>(request.mod(Mod::h_and), [&]<u32 kBoth>() -> LaneFunction {
    return bf16    ? lift_as_one<Hsetp2<Half::bf16, false, kBoth != 0>>
           : flush ? lift_as_one<Hsetp2<Half::fp16, true, kBoth != 0>>
                   : lift_as_one<Hsetp2<Half::fp16, false, kBoth != 0>>;
  });
}

LaneFunction select_hmnmx2(const Request& request, MicroOp& op) {
  if (!set_elements(request, op, false)) return nullptr;
  const bool bf16 = request.mod(Mod::bf16) != 0, flush = request.mod(Mod::ftz) != 0;
  if (bf16 && flush) return nullptr;
  const u32 form = u32{request.mod(Mod::nan) != 0} | u32{request.mod(Mod::xorsign) != 0} << 1;
  return choose<4>(form, [&]<u32 kForm>() -> LaneFunction {
    constexpr bool kNan = (kForm & 1) != 0, kXor = (kForm & 2) != 0;
    return bf16    ? lift_as_one<Hmnmx2<Half::bf16, false, kNan, kXor>>
           : flush ? lift_as_one<Hmnmx2<Half::fp16, true, kNan, kXor>>
                   : lift_as_one<Hmnmx2<Half::fp16, false, kNan, kXor>>;
  });
}

// .XORSIGN of three is not known: no compiler has been seen to make it.
LaneFunction select_vhmnmx(const Request& request, MicroOp& op) {
  if (!set_elements(request, op, true) || request.mod(Mod::xorsign) != 0) return nullptr;
  const bool bf16 = request.mod(Mod::bf16) != 0, flush = request.mod(Mod::ftz) != 0;
  if (bf16 && flush) return nullptr;
  return choose<2>(request.mod(Mod::nan), [&]<u32 kNan>() -> LaneFunction {
    return bf16    ? lift_as_one<Vhmnmx<Half::bf16, false, kNan != 0>>
           : flush ? lift_as_one<Vhmnmx<Half::fp16, true, kNan != 0>>
                   : lift_as_one<Vhmnmx<Half::fp16, false, kNan != 0>>;
  });
}

constexpr Row kRows[] = {
    {Op::HADD2, select_half2<HalfOperation::add>},
    {Op::HMUL2, select_half2<HalfOperation::multiply>},
    {Op::HFMA2, select_half2<HalfOperation::fused>},
    {Op::HFMA2_MMA, select_half2<HalfOperation::fused>},
    {Op::HSET2, select_hset2},
    {Op::HSETP2, select_hsetp2},
    {Op::HMNMX2, select_hmnmx2},
    {Op::VHMNMX, select_vhmnmx},
};

}  // namespace

Rows half2_rows() { return {kRows, sizeof kRows / sizeof kRows[0]}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
