// The words gpu/kernels/micro/timing/assembler.h makes are the instructions it says.
#include <gtest/gtest.h>

#include "gpu/kernels/micro/timing/assembler.h"
#include "isa/decoder.hpp"

namespace heddle::validation {
namespace {

using namespace timing;
using namespace timing::sass;

std::string text(timing::Word word, const timing::Control& control = {}) {
  const timing::Word all = with(word, control);
  isa::Word raw;
  raw.lo = all.lo;
  raw.hi = all.hi;
  const auto instruction = isa::decode(isa::Arch::sm_90, raw);
  return instruction ? isa::print(*instruction, 0) : "no instruction";
}

TEST(MicroAssembler, CallsAndBarriers) {
  EXPECT_EQ(text(bmov_clear(18, 6)), "BMOV.32.CLEAR R18, B6");
  EXPECT_EQ(text(bmov(6, 18)), "BMOV.32 B6, R18");
  EXPECT_EQ(text(ret(20, 0)), "RET.REL.NODEC R20 0x0");
}

TEST(MicroAssembler, Arithmetic) {
  EXPECT_EQ(text(iadd3(1, 2, 3, 4)), "IADD3 R1, R2, R3, R4");
  EXPECT_EQ(text(iadd_immediate(1, 2, 0xffffffff)), "IADD3 R1, R2, -0x1, RZ");
  EXPECT_EQ(text(viadd(1, 2, 3)), "VIADD R1, R2, 0x3");
  EXPECT_EQ(text(lop3(1, 2, 3, 4)), "LOP3.LUT R1, R2, R3, R4, 0x96, !PT");
  EXPECT_EQ(text(and_immediate(1, 2, 31)), "LOP3.LUT R1, R2, 0x1f, RZ, 0xc0, !PT");
  EXPECT_EQ(text(shf(1, 2, 3, 4)), "SHF.L.W.U32.HI R1, R2, R3, R4");
  EXPECT_EQ(text(prmt(1, 2, 3, 4)), "PRMT R1, R2, R3, R4");
  EXPECT_EQ(text(sel(1, 2, 3, 2)), "SEL R1, R2, R3, P2");
  EXPECT_EQ(text(imad(1, 2, 3, 4)), "IMAD R1, R2, R3, R4");
  EXPECT_EQ(text(imad_immediate(1, 2, 3, 4)), "IMAD R1, R2, 0x3, R4");
  EXPECT_EQ(text(imad_wide(2, 3, 4, 6)), "IMAD.WIDE.U32 R2, R3, R4, R6");
  EXPECT_EQ(text(imad_wide_immediate(2, 3, 4, 6)), "IMAD.WIDE.U32 R2, R3, 0x4, R6");
  EXPECT_EQ(text(imad_hi(1, 2, 3, 4)), "IMAD.HI.U32 R1, R2, R3, R4");
  EXPECT_EQ(text(fadd(1, 2, 3)), "FADD R1, R2, R3");
  EXPECT_EQ(text(fmul(1, 2, 3)), "FMUL R1, R2, R3");
  EXPECT_EQ(text(ffma(1, 2, 3, 4)), "FFMA R1, R2, R3, R4");
  EXPECT_EQ(text(hadd2(1, 2, 3)), "HADD2 R1, R2, R3");
  EXPECT_EQ(text(hfma2(1, 2, 3, 4)), "HFMA2 R1, R2, R3, R4");
  EXPECT_EQ(text(hfma2_mma(1, 2, 3, 4)), "HFMA2.MMA R1, R2, R3, R4");
  EXPECT_EQ(text(dfma(2, 4, 6, 8)), "DFMA R2, R4, R6, R8");
  EXPECT_EQ(text(mufu_ex2(1, 2)), "MUFU.EX2 R1, R2");
  EXPECT_EQ(text(popc(1, 2)), "POPC R1, R2");
  EXPECT_EQ(text(i2f_f64(2, 4)), "I2F.F64 R2, R4");
  EXPECT_EQ(text(f2i(1, 2)), "F2I.NTZ R1, R2");
}

TEST(MicroAssembler, MovesPredicatesAndSpecialRegisters) {
  EXPECT_EQ(text(mov(1, 2)), "MOV R1, R2");
  EXPECT_EQ(text(mov_immediate(1, 2)), "MOV R1, 0x2");
  EXPECT_EQ(text(mov_constant(1, 3, 0x40)), "MOV R1, c[0x3][0x40]");
  EXPECT_EQ(text(isetp_ne(3, 7, RZ)), "ISETP.NE.AND P3, PT, R7, RZ, PT");
  EXPECT_EQ(text(isetp_lt_immediate(0, 1, 16)), "ISETP.LT.AND P0, PT, R1, 0x10, PT");
  EXPECT_EQ(text(cs2r_clock(40)), "CS2R R40, SR_CLOCKLO");
  EXPECT_EQ(text(s2r(0, 0x21)), "S2R R0, SR_TID.X");
  EXPECT_EQ(text(s2ur(7, 0x21)), "S2UR UR7, SR_TID.X");
  EXPECT_EQ(text(r2ur(6, 14)), "R2UR UR6, R14");
  EXPECT_EQ(text(redux_sum(6, 14)), "REDUX.SUM UR6, R14");
  EXPECT_EQ(text(vote_any(20)), "VOTE.ANY R20, PT, PT");
  EXPECT_EQ(text(match_any(20, 21)), "MATCH.ANY R20, R21");
  EXPECT_EQ(text(shfl_bfly(20, 21)), "SHFL.BFLY PT, R20, R21, 0x1, 0x1f");
  EXPECT_EQ(text(uiadd3(8, 8, 1)), "UIADD3 UR8, UR8, 0x1, URZ");
  EXPECT_EQ(text(umov(8, 4)), "UMOV UR8, 0x4");
}

TEST(MicroAssembler, Memory) {
  EXPECT_EQ(text(uldc(6, 0x218)), "ULDC UR6, c[0x0][0x218]");
  EXPECT_EQ(text(uldc64(4, 0x208)), "ULDC.64 UR4, c[0x0][0x208]");
  EXPECT_EQ(text(ldc(2, RZ, 0, 0x210, Size::k64)), "LDC.64 R2, c[0x0][0x210]");
  EXPECT_EQ(text(ldc(2, 5, 3, 0x10)), "LDC R2, c[0x3][R5+0x10]");
  EXPECT_EQ(text(lds(20, 6, 0x10, Size::k128)), "LDS.128 R20, [R6+0x10]");
  EXPECT_EQ(text(sts(6, 0x10, 20, Size::k32)), "STS [R6+0x10], R20");
  EXPECT_EQ(text(sts(6, 0x10, 20, Size::k128)), "STS.128 [R6+0x10], R20");
  EXPECT_EQ(text(atoms_add(20, 6, 14)), "ATOMS.ADD R20, [R6], R14");
  EXPECT_EQ(text(ldg(20, 4, 0x40, Size::k32)), "LDG.E R20, desc[UR4][R4.64+0x40]");
  EXPECT_EQ(text(ldg(20, 4, 0, Size::k128)), "LDG.E.128 R20, desc[UR4][R4.64]");
  EXPECT_EQ(text(stg(2, 8, 40, Size::k64)), "STG.E.64 desc[UR4][R2.64+0x8], R40");
  EXPECT_EQ(text(membar_cta()), "MEMBAR.SC.CTA");
  EXPECT_EQ(text(membar_gpu()), "MEMBAR.SC.GPU");
  EXPECT_EQ(text(membar_sys()), "MEMBAR.SC.SYS");
  EXPECT_EQ(text(membar_vc()), "MEMBAR.SC.VC");
  EXPECT_EQ(text(errbar()), "ERRBAR");
  EXPECT_EQ(text(cgaerrbar()), "CGAERRBAR");
  EXPECT_EQ(text(cctl_ivall()), "CCTL.IVALL");
}

TEST(MicroAssembler, MatricesAndCopies) {
  EXPECT_EQ(text(ldsm(16, 10, 1)), "LDSM.16.M88 R16, [R10]");
  EXPECT_EQ(text(ldsm(16, 10, 2)), "LDSM.16.M88.2 R16, [R10]");
  EXPECT_EQ(text(ldsm(16, 10, 4, true)), "LDSM.16.MT88.4 R16, [R10]");
  EXPECT_EQ(text(movm(16, 14)), "MOVM.16.MT88 R16, R14");
  EXPECT_EQ(text(hmma(16, 32, 36, 16, 0x1800)), "HMMA.16816.F32 R16, R32, R36, R16");
  EXPECT_EQ(text(sparse(hmma(16, 32, 36, 16, 0x5a00), 14)),
            "HMMA.SP.16832.F32 R16, R32, R36, R16, R14, 0x0");
  EXPECT_EQ(text(imma(16, 32, 36, 16, 0x405c00)), "IMMA.16832.S8.S8 R16, R32.ROW, R36.COL, R16");
  EXPECT_EQ(text(bmma(16, 32, 36, 16, 0x15400)), "BMMA.168256.AND.POPC R16, R32.ROW, R36.COL, R16");
  EXPECT_EQ(text(dmma(16, 32, 36, 16, 0x1000)), "DMMA.16x8x4 R16, R32, R36, R16");
  EXPECT_EQ(text(ldgsts(6, 4, Size::k32)), "LDGSTS.E [R6], desc[UR4][R4.64]");
  EXPECT_EQ(text(ldgsts(10, 8, Size::k128, true)), "LDGSTS.E.BYPASS.128 [R10], desc[UR4][R8.64]");
  EXPECT_EQ(text(ldgdepbar()), "LDGDEPBAR");
  EXPECT_EQ(text(depbar(0, 3)), "DEPBAR.LE SB0, 0x3");
}

TEST(MicroAssembler, Flow) {
  EXPECT_EQ(text(nop()), "NOP");
  EXPECT_EQ(text(guarded(sass::exit(), 8)), "@!P0 EXIT");
  EXPECT_EQ(text(bar_sync()), "BAR.SYNC.DEFER_BLOCKING 0x0");
  EXPECT_EQ(text(bsync(3)), "BSYNC B3");
  EXPECT_EQ(text(warpsync_all()), "WARPSYNC.ALL");
  EXPECT_EQ(text(yield()), "YIELD");
  EXPECT_EQ(text(bra(-1)), "BRA 0x0");
  EXPECT_EQ(text(bra(300)), "BRA 0x12d0");
  EXPECT_EQ(text(guarded(bra(4), 1)), "@P1 BRA 0x50");
  EXPECT_EQ(text(bssy(2, 12)), "BSSY B2, 0xd0");
}

TEST(MicroAssembler, ControlBits) {
  const timing::Word word =
      with(nop(), {.stall = 11, .yield = true, .write = 2, .read = 5, .wait = 0x29, .reuse = 5});
  isa::Word raw;
  raw.lo = word.lo;
  raw.hi = word.hi;
  const auto instruction = isa::decode(isa::Arch::sm_90, raw);
  ASSERT_TRUE(instruction.has_value());
  EXPECT_EQ(instruction->control.stall, 11);
  EXPECT_FALSE(instruction->control.stay);
  EXPECT_EQ(instruction->control.write_barrier, 2);
  EXPECT_EQ(instruction->control.read_barrier, 5);
  EXPECT_EQ(instruction->control.wait_mask, 0x29);
  EXPECT_EQ(instruction->control.reuse, 5);
}

}  // namespace
}  // namespace heddle::validation
