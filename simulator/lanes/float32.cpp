#include "simulator/lanes/float32.hpp"

#include "simulator/lanes/choose.hpp"
#include "simulator/lanes/families.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

LaneFunction select_fadd(const Request& request, MicroOp& op) {
  const u32 form = (request.mod(Mod::ftz) & 1) | (request.mod(Mod::sat) & 1) << 1;
  return choose<4>(form, [&]<u32 kForm>() -> LaneFunction {
    return lift_with<Fadd<(kForm & 1) != 0, (kForm & 2) != 0>>(request.mod(Mod::rnd), op);
  });
}

template <bool kFlush>
void add_in_quads(WarpState& warp, const MicroOp& op, Mask on) {
  const u32* const a = source_row(warp, op.a);
  const u32* const b = source_row(warp, op.b);
  u32* const d = destination_row(warp, op.d);
  for (const unsigned lane : on)
    d[lane] = Fswzadd<kFlush>::eval(a[lane], b[lane], op.param[0] >> (6 - 2 * (lane % 4)) & 3);
}

LaneFunction select_fswzadd(const Request& request, MicroOp& op) {
  op.param[0] = static_cast<u32>(request.instruction->word.bits(32, 8));
  return request.mod(Mod::ftz) != 0 ? add_in_quads<true> : add_in_quads<false>;
}

// Scale numbers of FMUL: 1 D8, 2 D4, 3 D2, 4 none, 5 M2, 6 M4, 7 M8.
LaneFunction select_fmul(const Request& request, MicroOp& op) {
  const u32 scale = request.mod(Mod::scale);
  const bool scaled = scale != 0 && scale != 4;
  const u64 power = u64{1023 - 4 + scale} << 52;
  op.param[0] = static_cast<u32>(power);
  op.param[1] = static_cast<u32>(power >> 32);
  return choose<3>(request.mod(Mod::fmz), [&]<u32 kMode>() -> LaneFunction {
    return choose<2>(request.mod(Mod::sat), [&]<u32 kSaturate>() -> LaneFunction {
      const u32 rounding = request.mod(Mod::rnd);
      if (scaled) return lift_with<FmulScaled<kMode, kSaturate != 0>>(rounding, op);
      return lift_with<Fmul<kMode, kSaturate != 0>>(rounding, op);
    });
  });
}

LaneFunction select_ffma(const Request& request, MicroOp& op) {
  return choose<3>(request.mod(Mod::fmz), [&]<u32 kMode>() -> LaneFunction {
    return choose<2>(request.mod(Mod::sat), [&]<u32 kSaturate>() -> LaneFunction {
      return lift_with<Ffma<kMode, kSaturate != 0>>(request.mod(Mod::rnd), op);
    });
  });
}

// An immediate is both numbers.
void take_orders(const Request& request, MicroOp& op) {
  const isa::Instruction& in = *request.instruction;
  const auto order = [&](const isa::Source& source, Mod which) {
    return source.kind == isa::Source::Kind::imm ? u32{kLowTwice} : request.mod(which);
  };
  op.param[0] =
      order(in.a, Mod::swz_a) | order(in.b, Mod::swz_b) << 2 | order(in.c, Mod::swz_c) << 4;
}

LaneFunction select_fadd2(const Request& request, MicroOp& op) {
  take_orders(request, op);
  return choose<2>(request.mod(Mod::ftz), [&]<u32 kFlush>() -> LaneFunction {
    return lift_with<TwoFloats<Fadd<kFlush != 0, false>>>(request.mod(Mod::rnd), op);
  });
}

LaneFunction select_fmul2(const Request& request, MicroOp& op) {
  take_orders(request, op);
  return choose<2>(request.mod(Mod::ftz), [&]<u32 kFlush>() -> LaneFunction {
    return lift_with<TwoFloats<Fmul<2 * kFlush, false>>>(request.mod(Mod::rnd), op);
  });
}

LaneFunction select_ffma2(const Request& request, MicroOp& op) {
  take_orders(request, op);
  return choose<2>(request.mod(Mod::ftz), [&]<u32 kFlush>() -> LaneFunction {
    return lift_with<TwoFloats<Ffma<2 * kFlush, false>>>(request.mod(Mod::rnd), op);
  });
}

// Of FHADD and FHFMA, the halves' signs and places.
template <template <Half, bool> class Op>
LaneFunction select_with_halves(const Request& request, MicroOp& op) {
  const bool multiplies = request.instruction->c.kind != isa::Source::Kind::none;
  op.param[0] = 16 * (request.mod(Mod::swz_a) & 1);
  op.param[1] = op.a_negate != (multiplies && op.b_negate) ? 0x8000u : 0;
  op.param[2] = 16 * (request.mod(Mod::swz_b) & 1);
  const u32 form = (request.mod(Mod::bf16) & 1) | (request.mod(Mod::sat) & 1) << 1;
  return choose<4>(form, [&]<u32 kForm>() -> LaneFunction {
    constexpr Half kFormat = (kForm & 1) != 0 ? Half::bf16 : Half::fp16;
    return lift_with<Op<kFormat, (kForm & 2) != 0>>(request.mod(Mod::rnd), op);
  });
}

LaneFunction select_fmnmx(const Request& request, MicroOp&) {
  const u32 form = (request.mod(Mod::ftz) & 1) | (request.mod(Mod::nan) & 1) << 1 |
                   (request.mod(Mod::xorsign) & 1) << 2;
  return choose<8>(form, []<u32 kForm>() -> LaneFunction {
    return lift<Fmnmx<(kForm & 1) != 0, (kForm & 2) != 0, (kForm & 4) != 0>>;
  });
}

LaneFunction select_fmnmx3(const Request& request, MicroOp&) {
  const u32 form = (request.mod(Mod::ftz) & 1) | (request.mod(Mod::nan) & 1) << 1;
  return choose<4>(form, []<u32 kForm>() -> LaneFunction {
    return lift<Fmnmx3<(kForm & 1) != 0, (kForm & 2) != 0>>;
  });
}

LaneFunction select_fsetp(const Request& request, MicroOp& op) {
  op.param[0] = request.mod(Mod::bop);
  if (op.param[0] > 2) return nullptr;
  const bool flush = request.mod(Mod::ftz) != 0;
  return choose<16>(request.mod(Mod::cmp), [&]<u32 kCompare>() -> LaneFunction {
    return flush ? lift<Fsetp<kCompare, true>> : lift<Fsetp<kCompare, false>>;
  });
}

LaneFunction select_fset(const Request& request, MicroOp& op) {
  op.param[0] = request.mod(Mod::bop);
  if (op.param[0] > 2) return nullptr;
  op.param[1] = request.mod(Mod::cmp);
  return request.mod(Mod::ftz) != 0 ? lift<Fset<true>> : lift<Fset<false>>;
}

LaneFunction select_fsel(const Request& request, MicroOp&) {
  return request.mod(Mod::ftz) != 0 ? lift<Fsel<true>> : lift<Fsel<false>>;
}

LaneFunction select_fchk(const Request&, MicroOp&) { return lift<Fchk>; }

constexpr Row kRows[] = {
    {Op::FADD, select_fadd},
    {Op::FMUL, select_fmul},
    {Op::FFMA, select_ffma},
    {Op::FMNMX, select_fmnmx},
    {Op::FSETP, select_fsetp},
    {Op::FSET, select_fset},
    {Op::FSEL, select_fsel},
    {Op::FCHK, select_fchk},
    {Op::FMNMX3, select_fmnmx3},
    {Op::FADD2, select_fadd2},
    {Op::FMUL2, select_fmul2},
    {Op::FFMA2, select_ffma2},
    {Op::UFMUL, select_fmul},
    {Op::UFFMA, select_ffma},
    {Op::UFSETP, select_fsetp},
    {Op::FSWZADD, select_fswzadd},
    {Op::FHADD, select_with_halves<Fhadd>},
    {Op::FHFMA, select_with_halves<Fhfma>},
};

}  // namespace

Rows float32_rows() { return {kRows, sizeof kRows / sizeof kRows[0]}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
