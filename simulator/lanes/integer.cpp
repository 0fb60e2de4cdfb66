#include "simulator/lanes/integer.hpp"

#include "simulator/lanes/choose.hpp"
#include "simulator/lanes/families.hpp"
#include "simulator/lanes/minimum_of_halves.hpp"
#include "simulator/lanes/wide_products.hpp"

namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT {
namespace {

LaneFunction select_iadd3(const Request& request, MicroOp& op) {
  const bool extended = request.mod(Mod::x) != 0;
  op.param[0] = u32{op.a_negate} + u32{op.b_negate} + u32{op.c_negate};
  if (writes_predicates(op)) return extended ? lift<Iadd3Carry<true>> : lift<Iadd3Carry<false>>;
  return extended ? lift_sources<Iadd3<true>>(op) : lift_sources<Iadd3<false>>(op);
}

LaneFunction select_iadd3_64(const Request& request, MicroOp& op) {
  op.param[0] = u32{op.a_negate} + u32{op.b_negate} + u32{op.c_negate};
  return request.mod(Mod::x) != 0 ? lift<Iadd3Wide<true>> : lift<Iadd3Wide<false>>;
}

LaneFunction select_iadd_64(const Request& request, MicroOp& op) {
  op.param[0] = u32{op.a_negate} + u32{op.b_negate};
  return request.mod(Mod::x) != 0 ? lift<Iadd64<true>> : lift<Iadd64<false>>;
}

bool reads_zero(const isa::Source& source) {
  return (source.kind == isa::Source::Kind::reg && source.index == isa::kRZ) ||
         (source.kind == isa::Source::Kind::ureg && source.index == isa::kURZ);
}

bool reads_one(const isa::Source& source) {
  return source.kind == isa::Source::Kind::imm && source.value == 1;
}

// What is left of A * B + C where a factor is zero or one: compilers move and add so (IMAD.MOV,
// IMAD.IADD).
template <bool kAdds>
struct ImadRest {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x) { return kAdds ? x.a + x.c : x.c; }
};

LaneFunction select_imad(const Request& request, MicroOp& op) {
  op.param[0] = op.c_negate;
  if (request.mod(Mod::x) != 0) return lift_sources<Imad<true>>(op);
  const isa::Instruction& instruction = *request.instruction;
  if (!op.a_negate && !op.b_negate && !op.c_negate) {
    if (reads_zero(instruction.a) || reads_zero(instruction.b)) return lift<ImadRest<false>>;
    if (reads_one(instruction.b)) return lift<ImadRest<true>>;
  }
  return lift_sources<Imad<false>>(op);
}

LaneFunction select_imad_wide(const Request& request, MicroOp& op) {
  op.param[0] = op.c_negate;
  const u32 form = (request.mod(Mod::is_signed) & 1) | (request.mod(Mod::x) & 1) << 1;
  return choose<4>(form, [&]<u32 kForm>() -> LaneFunction {
    constexpr bool kSigned = (kForm & 1) != 0, kExtended = (kForm & 2) != 0;
    if (writes_predicates(op)) return lift<ImadWideCarry<kSigned, kExtended>>;
    if (!kExtended && !is_modified(op)) return multiply_wide<kSigned>;
    return lift_sources<ImadWide<kSigned, kExtended>>(op);
  });
}

LaneFunction select_imad_hi(const Request& request, MicroOp& op) {
  op.param[0] = op.c_negate;
  const u32 form = (request.mod(Mod::is_signed) & 1) | (request.mod(Mod::x) & 1) << 1;
  return choose<4>(form, [&]<u32 kForm>() -> LaneFunction {
    constexpr bool kSigned = (kForm & 1) != 0, kExtended = (kForm & 2) != 0;
    if (writes_predicates(op)) return lift<ImadHighCarry<kSigned, kExtended>>;
    if (!kExtended && !is_modified(op)) return multiply_high<kSigned>;
    return lift<ImadHigh<kSigned, kExtended>>;
  });
}

template <LeaPart kPart>
LaneFunction select_lea_part(const Request& request, MicroOp& op) {
  if (request.mod(Mod::x) != 0 && op.a_negate && op.b_negate) return nullptr;  // an H200 refuses it
  op.param[0] = op.a_negate ? ~0u : 0;
  op.param[1] = op.b_negate ? ~0u : 0;
  op.param[2] = u32{op.a_negate} + u32{op.b_negate};
  op.param[3] = request.mod(Mod::shift) & 31;
  return request.mod(Mod::x) != 0 ? lift<Lea<kPart, true>> : lift<Lea<kPart, false>>;
}

LaneFunction select_lea(const Request& request, MicroOp& op) {
  return select_lea_part<LeaPart::low>(request, op);
}

LaneFunction select_lea_hi(const Request& request, MicroOp& op) {
  return request.mod(Mod::sx32) != 0 ? select_lea_part<LeaPart::high_sign_extended>(request, op)
                                     : select_lea_part<LeaPart::high>(request, op);
}

LaneFunction select_isetp(const Request& request, MicroOp& op) {
  op.param[0] = request.mod(Mod::bop);
  if (op.param[0] > 2) return nullptr;
  const bool is_signed = request.mod(Mod::is_signed) != 0;
  const bool extended = request.mod(Mod::ex) != 0;
  return choose<8>(request.mod(Mod::cmp), [&]<u32 kCompare>() -> LaneFunction {
    if (extended)
      return is_signed ? lift<Isetp<kCompare, i32, true>> : lift<Isetp<kCompare, u32, true>>;
    return is_signed ? lift<Isetp<kCompare, i32, false>> : lift<Isetp<kCompare, u32, false>>;
  });
}

LaneFunction select_isetp_64(const Request& request, MicroOp& op) {
  op.param[0] = request.mod(Mod::bop);
  if (op.param[0] > 2) return nullptr;
  const bool is_signed = request.mod(Mod::is_signed) != 0;
  return choose<8>(request.mod(Mod::cmp), [&]<u32 kCompare>() -> LaneFunction {
    return is_signed ? lift<Isetp64<kCompare, i64>> : lift<Isetp64<kCompare, u64>>;
  });
}

// The predicate outputs and the second predicate are not known; compiled code does not use them.
LaneFunction select_imnmx_64(const Request& request, MicroOp& op) {
  const isa::Predicate& second = request.instruction->pq;
  if (writes_predicates(op) || second.index != isa::kPT || !second.negated) return nullptr;
  return request.mod(Mod::is_signed) != 0 ? lift<Imnmx64<i64>> : lift<Imnmx64<u64>>;
}

LaneFunction select_imnmx(const Request& request, MicroOp&) {
  return request.mod(Mod::is_signed) != 0 ? lift<Imnmx<i32>> : lift<Imnmx<u32>>;
}

// VIMNMX of words and VIMNMX3 have predicate outputs whose meaning is unknown; compiled code
// discards them.
LaneFunction select_vimnmx(const Request& request, MicroOp& op) {
  const bool relu = request.mod(Mod::relu) != 0;
  if (writes_predicates(op)) {
    if (relu) return nullptr;
    if (request.mod(Mod::type) == 2) return lift<VimnmxWhich<2, u16>>;
    return request.mod(Mod::type) == 3 ? lift<VimnmxWhich<3, i16>> : nullptr;
  }
  const u32 type = request.mod(Mod::type);
  if (type >= 4) return relu ? nullptr : type == 4 ? lift<Vimnmx8x4<u8>> : lift<Vimnmx8x4<i8>>;
  return choose<4>(type, [&]<u32 kType>() -> LaneFunction {
    return relu ? lift<Vimnmx<kType, true>> : lift<Vimnmx<kType, false>>;
  });
}

LaneFunction select_vimnmx3(const Request& request, MicroOp& op) {
  if (writes_predicates(op)) return nullptr;
  const bool relu = request.mod(Mod::relu) != 0;
  return choose<4>(request.mod(Mod::type), [&]<u32 kType>() -> LaneFunction {
    return relu ? lift<Vimnmx3<kType, true>> : lift<Vimnmx3<kType, false>>;
  });
}

// What a negated B of VIADD and VIADDMNMX needs.
void set_negated_b(MicroOp& op, bool halves) {
  op.param[0] = op.b_negate ? ~0u : 0;
  op.param[1] = !op.b_negate ? 0 : halves ? 0x00010001u : 1;
}

LaneFunction select_viaddmnmx(const Request& request, MicroOp& op) {
  if (writes_predicates(op)) return nullptr;
  set_negated_b(op, request.mod(Mod::type) >= 2);
  const bool relu = request.mod(Mod::relu) != 0;
  return choose<4>(request.mod(Mod::type), [&]<u32 kType>() -> LaneFunction {
    return relu ? lift<Viaddmnmx<kType, true>> : lift<Viaddmnmx<kType, false>>;
  });
}

LaneFunction select_viadd(const Request& request, MicroOp& op) {
  const u32 type = request.mod(Mod::type);  // a word, .16x2, .S32.ISAT, 4 and 5: four bytes
  if (type >= 4) {
    op.param[0] = op.b_negate ? 1 : 0;
    return lift<Viadd8x4>;
  }
  if (type == 2 && request.mod(Mod::sat) != 0) {
    op.param[0] = op.b_negate ? 1 : 0;
    return lift<ViaddSaturated>;
  }
  if (type > 1) return nullptr;
  const bool halves = type != 0;
  set_negated_b(op, halves);
  return halves ? lift<Viadd<true>> : lift<Viadd<false>>;
}

// Of types of 32 bits the halves that rotations want, in words: no more than 32 bits of the other
// source come in.
template <bool kRight>
struct Funnel {
  using Sources = sources::Plain;
  static u32 eval(const Lane& x, const Params& k) {
    const u32 masked = x.b & k[0], count = masked & 31;
    const u32 kept = kRight ? x.a >> count : x.c << count;
    const u32 in = kRight ? x.c << 1 << (31 - count) : x.a >> 1 >> (31 - count);
    return pick(masked > 31, kRight ? x.c : x.a, kept | in);
  }
};

LaneFunction select_shf(const Request& request, MicroOp& op) {
  const bool right = request.mod(Mod::dir) != 0;
  const bool high = request.mod(Mod::hi) != 0;
  const u32 type = request.mod(Mod::type);  // S64 U64 S32 U32
  const bool is_signed = type == 0 || type == 2;
  const u32 bits = type < 2 ? 64 : 32;
  op.param[0] = request.mod(Mod::wrap) != 0 ? bits - 1 : ~0u;
  op.param[1] = bits;
  const isa::Instruction& instruction = *request.instruction;
  if (!right && !high && bits == 32) return lift<ShiftLeft>;
  if (right && high && bits == 32 && reads_zero(instruction.a))
    return is_signed ? lift<ShiftRight<i32>> : lift<ShiftRight<u32>>;
  if (right != high && bits == 32) return right ? lift<Funnel<true>> : lift<Funnel<false>>;
  const u32 form = u32{right} | u32{is_signed && right} << 1 | u32{high} << 2;
  return choose<8>(form, []<u32 kForm>() -> LaneFunction {
    return lift<Shf<(kForm & 1) != 0, (kForm & 2) != 0, (kForm & 4) != 0>>;
  });
}

LaneFunction select_prmt(const Request& request, MicroOp& op) {
  const isa::Source& selector = request.instruction->b;
  if (request.mod(Mod::prmt_mode) == 0 && selector.kind == isa::Source::Kind::imm &&
      (selector.value & 0x8888) == 0) {
    for (u32 n = 0; n < 4; ++n) op.param[n] = selector.value >> 4 * n & 7;
    return lift<PrmtOfOneSelector>;
  }
  return choose<7>(request.mod(Mod::prmt_mode),
                   []<u32 kMode>() -> LaneFunction { return lift<Prmt<kMode>>; });
}

LaneFunction select_sgxt(const Request& request, MicroOp&) {
  const u32 form = (request.mod(Mod::is_signed) & 1) | (request.mod(Mod::wrap) & 1) << 1;
  return choose<4>(form, []<u32 kForm>() -> LaneFunction {
    return lift<Sgxt<(kForm & 1) != 0, (kForm & 2) != 0>>;
  });
}

LaneFunction select_bmsk(const Request& request, MicroOp&) {
  return request.mod(Mod::wrap) != 0 ? lift<Bmsk<true>> : lift<Bmsk<false>>;
}

LaneFunction select_sel(const Request&, MicroOp&) { return lift<Sel>; }

// A mask names the threads of each quad that write (measured). Compilers write 0xf, which has no
// field of its own.
void move_in_quads(WarpState& warp, const MicroOp& op, Mask on) {
  lane_loop<Mov, false>(warp, op, on & Mask(op.param[0]));
}

LaneFunction select_mov(const Request& request, MicroOp& op) {
  constexpr u32 kAll = 0xf;
  const isa::Instruction& in = *request.instruction;
  const bool has_mask = in.op == Op::MOV && in.encoding != nullptr;
  const u32 quads = has_mask ? static_cast<u32>(in.word.bits(72, 4)) : kAll;
  op.param[0] = quads * 0x11111111u;
  return quads == kAll ? lift<Mov> : move_in_quads;
}

LaneFunction select_sel_64(const Request&, MicroOp&) { return lift<Sel64>; }
LaneFunction select_mov_64(const Request&, MicroOp&) { return lift<Mov64>; }
LaneFunction select_iabs(const Request&, MicroOp&) { return lift<Iabs>; }
LaneFunction select_popc(const Request&, MicroOp&) { return lift<Popc>; }
LaneFunction select_brev(const Request&, MicroOp&) { return lift<Brev>; }

LaneFunction select_flo(const Request& request, MicroOp&) {
  const u32 form = (request.mod(Mod::is_signed) & 1) | (request.mod(Mod::sh) & 1) << 1;
  return choose<4>(form, []<u32 kForm>() -> LaneFunction {
    return lift<Flo<(kForm & 1) != 0, (kForm & 2) != 0>>;
  });
}

// idp_mode: 0 4A, 1 2A.LO, 3 2A.HI.
LaneFunction select_idp(const Request& request, MicroOp& op) {
  op.param[0] = op.c_negate;
  const u32 mode = request.mod(Mod::idp_mode);
  if (mode == 2) return nullptr;
  const u32 form = (request.mod(Mod::signed_a) & 1) | (request.mod(Mod::signed_b) & 1) << 1;
  return choose<4>(form, [&]<u32 kForm>() -> LaneFunction {
    constexpr bool kA = (kForm & 1) != 0, kB = (kForm & 2) != 0;
    if (mode == 0) return lift<Idp4<kA, kB>>;
    return mode == 1 ? lift<Idp2<kA, kB, 0>> : lift<Idp2<kA, kB, 2>>;
  });
}

LaneFunction select_vabsdiff(const Request& request, MicroOp&) {
  return request.mod(Mod::is_signed) != 0 ? lift<Vabsdiff<i32>> : lift<Vabsdiff<u32>>;
}

LaneFunction select_vabsdiff4(const Request& request, MicroOp&) {
  const u32 accumulate = request.mod(Mod::accumulate) & 1;
  const u32 form = (request.mod(Mod::is_signed) & 1) | accumulate << 1;
  return choose<4>(form, []<u32 kForm>() -> LaneFunction {
    return lift<Vabsdiff4<(kForm & 1) != 0, (kForm & 2) != 0>>;
  });
}

LaneFunction select_i2i(const Request& request, MicroOp&) {
  return choose<4>(request.mod(Mod::dst_fmt),
                   []<u32 kType>() -> LaneFunction { return lift<I2i<kType>>; });
}

// dst_fmt: 0 U8, 1 S8, 2 U16, 3 S16, 4 U2, 5 S2, 6 U4, 7 S4. Only .SAT is known.
LaneFunction select_i2ip(const Request& request, MicroOp& op) {
  op.param[0] = request.mod(Mod::half_sel) != 0 ? 16 : 0;
  const bool says_saturation =
      isa::traits(request.instruction->arch).narrowing_says_saturation.value;
  if (says_saturation && request.mod(Mod::sat) != 1) return nullptr;
  return choose<8>(request.mod(Mod::dst_fmt), []<u32 kType>() -> LaneFunction {
    constexpr u32 kBits[] = {8, 16, 2, 4};
    return lift<I2ip<kBits[kType / 2], kType % 2 == 1>>;
  });
}

constexpr Row kRows[] = {
    {Op::IADD3, select_iadd3},
    {Op::UIADD3, select_iadd3},
    {Op::UIADD3_64, select_iadd3_64},
    {Op::IADD_64, select_iadd_64},
    {Op::IMAD, select_imad},
    {Op::UIMAD, select_imad},
    {Op::IMAD_WIDE, select_imad_wide},
    {Op::UIMAD_WIDE, select_imad_wide},
    {Op::IMAD_HI, select_imad_hi},
    {Op::LEA, select_lea},
    {Op::ULEA, select_lea},
    {Op::LEA_HI, select_lea_hi},
    {Op::ULEA_HI, select_lea_hi},
    {Op::ISETP, select_isetp},
    {Op::UISETP, select_isetp},
    {Op::ISETP_64, select_isetp_64},
    {Op::UISETP_64, select_isetp_64},
    {Op::IMNMX_64, select_imnmx_64},
    {Op::UIMNMX_64, select_imnmx_64},
    {Op::IMNMX, select_imnmx},
    {Op::VIMNMX, select_vimnmx},
    {Op::UVIMNMX, select_vimnmx},
    {Op::VIMNMX3, select_vimnmx3},
    {Op::VIADDMNMX, select_viaddmnmx},
    {Op::VIADD, select_viadd},
    {Op::SHF, select_shf},
    {Op::USHF, select_shf},
    {Op::PRMT, select_prmt},
    {Op::UPRMT, select_prmt},
    {Op::SGXT, select_sgxt},
    {Op::USGXT, select_sgxt},
    {Op::BMSK, select_bmsk},
    {Op::UBMSK, select_bmsk},
    {Op::SEL, select_sel},
    {Op::USEL, select_sel},
    {Op::MOV, select_mov},
    {Op::UMOV, select_mov},
    {Op::SEL_64, select_sel_64},
    {Op::MOV_64, select_mov_64},
    {Op::UMOV_64, select_mov_64},
    {Op::IABS, select_iabs},
    {Op::POPC, select_popc},
    {Op::UPOPC, select_popc},
    {Op::BREV, select_brev},
    {Op::UBREV, select_brev},
    {Op::FLO, select_flo},
    {Op::UFLO, select_flo},
    {Op::IDP, select_idp},
    {Op::VABSDIFF, select_vabsdiff},
    {Op::VABSDIFF4, select_vabsdiff4},
    {Op::I2I, select_i2i},
    {Op::I2IP, select_i2ip},
};

}  // namespace

Rows integer_rows() { return {kRows, sizeof kRows / sizeof kRows[0]}; }

}  // namespace heddle::simulator::lanes::HEDDLE_LANES_VARIANT
