#include "simulator/lanes/convert.hpp"

#include "simulator/lanes/choose.hpp"
#include "simulator/lanes/families.hpp"
#include "simulator/lanes/one_loop.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

// Bits to shift a source down by, so that the selected half is at the bottom.
u32 half_shift(const Request& request) { return 16 * (request.mod(Mod::half_sel) & 1); }

template <u32 kSource, Integers kTo>
LaneFunction select_f2i_to(const Request& request) {
  const bool flush = request.mod(Mod::ftz) != 0;
  return choose<4>(request.mod(Mod::rnd), [&]<u32 kMode>() -> LaneFunction {
    return flush ? lift_as_one<F2i<kSource, kTo, kMode, true>>
                 : lift_as_one<F2i<kSource, kTo, kMode, false>>;
  });
}

template <u32 kSource>
LaneFunction select_f2i_from(const Request& request) {
  const u32 format = request.mod(Mod::dst_fmt);
  if (format > 7) return nullptr;
  switch (integers_of(format)) {
    case Integers::unsigned_64:
      return select_f2i_to<kSource, Integers::unsigned_64>(request);
    case Integers::signed_64:
      return select_f2i_to<kSource, Integers::signed_64>(request);
    default:
      return select_f2i_to<kSource, Integers::unsigned_32>(request);
  }
}

LaneFunction select_f2i(const Request& request, MicroOp& op) {
  op.param[0] = half_shift(request);
  // .NTZ: a NaN becomes 0; otherwise the top bit alone (measured).
  const u32 bits = 8u << (request.mod(Mod::dst_fmt) & 7) / 2;
  const u64 nan = request.mod(Mod::ntz) != 0 ? 0 : u64{1} << (bits - 1);
  op.param[1] = static_cast<u32>(nan);
  op.param[2] = static_cast<u32>(nan >> 32);
  if (bits <= 32) {
    const bool is_signed = request.mod(Mod::dst_fmt) % 2 != 0;
    op.param[2] = ~0u >> (32 - bits + (is_signed ? 1 : 0));
    op.param[3] = is_signed ? 1u << (bits - 1) : 0;
  }
  switch (request.mod(Mod::src_fmt)) {
    case kF16:
      return select_f2i_from<kF16>(request);
    case kF32:
      return select_f2i_from<kF32>(request);
    case kF64:
      return select_f2i_from<kF64>(request);
    case kBf16:
      return select_f2i_from<kBf16>(request);
    default:
      return nullptr;
  }
}

template <u32 kTarget>
LaneFunction select_i2f_to(const Request& request, MicroOp& op) {
  const u32 source = request.mod(Mod::src_fmt), rounding = request.mod(Mod::rnd);
  op.param[0] = source < 2   ? 8 * (request.mod(Mod::byte_sel) & 3)
                : source < 4 ? half_shift(request)
                             : 0;
  if (source > 7) return nullptr;
  op.param[1] = source < 6 ? 32 - (8u << source / 2) : 0;
  return choose<4>(static_cast<u32>(integers_of(source)), [&]<u32 kInteger>() -> LaneFunction {
    constexpr auto kFrom = static_cast<Integers>(kInteger);
    if constexpr (kTarget == kF16 || kTarget == kBf16) {
      return choose<4>(rounding, []<u32 kRounding>() -> LaneFunction {
        return lift_as_one<I2f<kFrom, kTarget, kRounding, true>>;
      });
    } else {
      return source < 4 ? lift_with<I2f<kFrom, kTarget, kNearest, true>>(rounding, op)
                        : lift_with<I2f<kFrom, kTarget, kNearest, false>>(rounding, op);
    }
  });
}

LaneFunction select_i2f(const Request& request, MicroOp& op) {
  switch (request.mod(Mod::dst_fmt)) {
    case kF16:
      return select_i2f_to<kF16>(request, op);
    case kF32:
      return select_i2f_to<kF32>(request, op);
    case kBf16:
      return select_i2f_to<kBf16>(request, op);
    case kF64:
      return select_i2f_to<kF64>(request, op);
    default:
      return nullptr;
  }
}

// I2FP.F32: S32 (5) or U32 (4) only, to nearest or to zero.
LaneFunction select_i2fp(const Request& request, MicroOp& op) {
  const u32 rounding = request.mod(Mod::rnd);
  if (rounding != kNearest && rounding != kZero) return nullptr;
  switch (request.mod(Mod::src_fmt)) {
    case 4:
      return lift_with<I2f<Integers::unsigned_32, kF32, kNearest, false>>(rounding, op);
    case 5:
      return lift_with<I2f<Integers::signed_32, kF32, kNearest, false>>(rounding, op);
    default:
      return nullptr;
  }
}

template <u32 kSource, u32 kTarget>
LaneFunction select_f2f_pair(const Request& request, MicroOp& op) {
  const u32 rounding = request.mod(Mod::rnd);
  const bool flush = request.mod(Mod::ftz) != 0;
  if constexpr (kTarget == kF16 || kTarget == kBf16) {
    return choose<4>(rounding, [&]<u32 kRounding>() -> LaneFunction {
      return flush ? lift<F2f<kSource, kTarget, kRounding, true>>
                   : lift<F2f<kSource, kTarget, kRounding, false>>;
    });
  } else {
    return flush ? lift_with<F2f<kSource, kTarget, kNearest, true>>(rounding, op)
                 : lift_with<F2f<kSource, kTarget, kNearest, false>>(rounding, op);
  }
}

// The pair of formats is one field, {[86:84],[77:75]}.
LaneFunction select_f2f(const Request& request, MicroOp& op) {
  op.param[0] = half_shift(request);
  switch (request.mod(Mod::dst_fmt)) {
    case 10:
      return select_f2f_pair<kF16, kF32>(request, op);
    case 11:
      return select_f2f_pair<kF16, kF64>(request, op);
    case 12:
      return select_f2f_pair<kF16, kBf16>(request, op);
    case 17:
      return select_f2f_pair<kF32, kF16>(request, op);
    case 19:
      return select_f2f_pair<kF32, kF64>(request, op);
    case 20:
      return select_f2f_pair<kF32, kBf16>(request, op);
    case 25:
      return select_f2f_pair<kF64, kF16>(request, op);
    case 26:
      return select_f2f_pair<kF64, kF32>(request, op);
    case 28:
      return select_f2f_pair<kF64, kBf16>(request, op);
    case 33:
      return select_f2f_pair<kBf16, kF16>(request, op);
    case 35:
      return select_f2f_pair<kBf16, kF64>(request, op);
    default:
      return nullptr;
  }
}

template <u32 kFormat>
LaneFunction select_frnd_of(const Request& request) {
  const bool flush = request.mod(Mod::ftz) != 0;
  return choose<4>(request.mod(Mod::rnd), [&]<u32 kMode>() -> LaneFunction {
    return flush ? lift_as_one<Frnd<kFormat, kMode, true>>
                 : lift_as_one<Frnd<kFormat, kMode, false>>;
  });
}

// The format is one field: {[85:84],[76:75]}, for BF16 {[86:84],[77:75]}.
LaneFunction select_frnd(const Request& request, MicroOp& op) {
  op.param[0] = half_shift(request);
  switch (request.mod(Mod::dst_fmt)) {
    case 5:
      return select_frnd_of<kF16>(request);
    case 10:
      return select_frnd_of<kF32>(request);
    case 15:
      return select_frnd_of<kF64>(request);
    case 36:
      return select_frnd_of<kBf16>(request);
    default:
      return nullptr;
  }
}

bool is_zero_register(const isa::Source& source) {
  return source.kind == isa::Source::Kind::reg && source.index == isa::kRZ;
}

template <template <Half, u32, bool, bool> class Op>
LaneFunction select_packed_half(const Request& request, u32 rounding) {
  const u32 form = u32{rounding == kZero} | (request.mod(Mod::bf16) & 1) << 1 |
                   (request.mod(Mod::relu) & 1) << 2 | (request.mod(Mod::sat) & 1) << 3;
  return choose<16>(form, []<u32 kForm>() -> LaneFunction {
    return lift_as_one<Op<(kForm & 2) != 0 ? Half::bf16 : Half::fp16,
                          (kForm & 1) != 0 ? kZero : kNearest, (kForm & 4) != 0, (kForm & 8) != 0>>;
  });
}

// Mod::pack and, of formats, what the rows give besides (isa/opcodes/convert.hpp).
enum Pack : u32 { kPackAB, kPackB, kUnpackB, kUnpackBMergeC, kPackABMergeC, kUnpackNarrow };
inline constexpr u32 kExponentsAlone = 8;  // E8
inline constexpr u32 kRandomly = 4;        // Mod::rnd: RS

// E2M1, E2M3, E3M2 by their numbers as a destination, 3, 6 and 7, and as a source, 1, 2 and 3.
template <class F>
LaneFunction choose_narrow(u32 format, const Request& request, F&& f) {
  const u32 relu = request.mod(Mod::relu) != 0 ? 1 : 0;
  return choose<6>(2 * format + relu, [&]<u32 kForm>() -> LaneFunction {
    return f.template operator()<typename NarrowFormat<kForm / 2>::type, kForm % 2 != 0>();
  });
}

LaneFunction select_to_narrow(const Request& request, u32 pack) {
  const u32 number = request.mod(Mod::dst_fmt);
  return choose_narrow(
      number == 3 ? 0 : number - 5, request, [&]<class Format, bool kRelu>() -> LaneFunction {
        return pack == kPackABMergeC ? lift_as_one<F2fpNarrow<Format, kRelu>>
                                     : lift_as_one<F2fpNarrowOfHalves<Format, kRelu>>;
      });
}

LaneFunction select_from_narrow(const Request& request, MicroOp& op) {
  const u32 format = request.mod(Mod::src_fmt);
  op.param[0] = format == 1 ? 8 * (request.mod(Mod::byte_sel) & 3) : half_shift(request);
  if (format == kExponentsAlone) return lift_as_one<F2fpHalvesOfExponents>;
  return choose_narrow(format - 1, request, []<class Format, bool kRelu>() -> LaneFunction {
    return lift_as_one<F2fpHalvesOfNarrow<Format, kRelu>>;
  });
}

LaneFunction select_to_exponents(const Request& request, u32 pack) {
  const u32 form = (request.mod(Mod::rnd) == kUp ? 1u : 0u) | (request.mod(Mod::sat) & 1) << 1;
  return choose<4>(form, [&]<u32 kForm>() -> LaneFunction {
    constexpr bool kRises = (kForm & 1) != 0, kFinite = (kForm & 2) != 0;
    return pack == kPackABMergeC ? lift_as_one<F2fpExponents<kRises, kFinite>>
                                 : lift_as_one<F2fpExponentsOfHalves<kRises, kFinite>>;
  });
}

LaneFunction select_to_tf32(const Request& request) {
  const u32 form = (request.mod(Mod::rnd) == kZero ? 1u : 0u) | (request.mod(Mod::relu) & 1) << 1 |
                   (request.mod(Mod::sat) & 1) << 2;
  return choose<8>(form, []<u32 kForm>() -> LaneFunction {
    return lift_as_one<F2fpTf32<(kForm & 1) != 0, (kForm & 2) != 0, (kForm & 4) != 0>>;
  });
}

// To BF16 alone: which of the bits round other formats' numbers that are cut off elsewhere, PTX ISA
// shows in pictures that were not at hand.
LaneFunction select_rounded_randomly(const Request& request, u32 pack) {
  if (pack != kPackAB || request.mod(Mod::bf16) == 0) return nullptr;
  const u32 form = (request.mod(Mod::relu) & 1) | (request.mod(Mod::sat) & 1) << 1;
  return choose<4>(form, []<u32 kForm>() -> LaneFunction {
    return lift_as_one<F2fpRandom<(kForm & 1) != 0, (kForm & 2) != 0>>;
  });
}

LaneFunction select_eight_bits(const Request& request, MicroOp& op, u32 pack) {
  const bool relu = request.mod(Mod::relu) != 0;
  op.param[0] = half_shift(request);
  const u32 e4m3 = pack == kUnpackB ? request.mod(Mod::src_fmt) : request.mod(Mod::dst_fmt);
  return choose<4>(u32{relu} | (e4m3 & 1) << 1, [&]<u32 kForm>() -> LaneFunction {
    constexpr bool kE4m3 = (kForm & 2) != 0, kRelu = (kForm & 1) != 0;
    return pack == kUnpackB         ? lift_as_one<F2fpHalvesOfEight<kE4m3, kRelu>>
           : pack == kUnpackBMergeC ? lift_as_one<F2fpEightOfHalves<kE4m3, kRelu>>
                                    : lift_as_one<F2fpEight<kE4m3, kRelu>>;
  });
}

// The forms by Mod::pack. Where a source would be negated or absolute the GPU does something else,
// or refuses (measured). What merges with C is known for RZ, and of pairs of narrow floats.
LaneFunction select_f2fp(const Request& request, MicroOp& op) {
  if (op.a_negate || op.a_absolute || op.b_negate || op.b_absolute) return nullptr;
  const u32 rounding = request.mod(Mod::rnd), pack = request.mod(Mod::pack);
  const u32 format = request.mod(Mod::dst_fmt);
  const bool merges =
      request.mod(Mod::merge) != 0 || pack == kUnpackBMergeC || pack == kPackABMergeC;
  if (merges && pack != kPackABMergeC && !is_zero_register(request.instruction->c)) return nullptr;
  if (rounding == kRandomly) return select_rounded_randomly(request, pack);
  if (pack == kUnpackNarrow) return select_from_narrow(request, op);
  if (format == kExponentsAlone) return select_to_exponents(request, pack);
  if (rounding != kNearest && rounding != kZero) return nullptr;
  if (pack == kPackAB)
    return request.mod(Mod::merge) != 0 ? select_packed_half<F2fpSingle>(request, rounding)
                                        : select_packed_half<F2fp>(request, rounding);
  if (pack == kPackB) return select_to_tf32(request);
  if (format > 1) return select_to_narrow(request, pack);
  return select_eight_bits(request, op, pack);
}

// Only the form that compilers use is known: .NTZ, one number, nothing to merge with.
LaneFunction select_f2ip(const Request& request, MicroOp& op) {
  const isa::Instruction& in = *request.instruction;
  if (!is_zero_register(in.a) || !is_zero_register(in.c) || request.mod(Mod::ntz) == 0 ||
      request.mod(Mod::relu) != 0 || op.b_negate || op.b_absolute)
    return nullptr;
  const bool is_signed = request.mod(Mod::dst_fmt) != 0;
  return choose<4>(request.mod(Mod::rnd), [&]<u32 kMode>() -> LaneFunction {
    return is_signed ? lift_as_one<F2ip<true, kMode>> : lift_as_one<F2ip<false, kMode>>;
  });
}

constexpr Row kRows[] = {
    {Op::F2I, select_f2i},    {Op::I2F, select_i2f},   {Op::I2FP, select_i2fp},
    {Op::F2F, select_f2f},    {Op::FRND, select_frnd}, {Op::F2FP, select_f2fp},
    {Op::F2IP, select_f2ip},  {Op::UF2I, select_f2i},  {Op::UI2F, select_i2f},
    {Op::UI2FP, select_i2fp}, {Op::UF2F, select_f2f},
};

}  // namespace

Rows convert_rows() { return {kRows, sizeof kRows / sizeof kRows[0]}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
