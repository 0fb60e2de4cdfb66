// Every opcode the decoder knows, by NVIDIA's mnemonic. Where one mnemonic covers operations that
// compute differently (IMAD, IMAD.WIDE, IMAD.HI; ATOM, ATOM.CAS) each has its own enumerator.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::isa {

// clang-format off
#define HEDDLE_OPS(X) \
  /* integer */ \
  X(IADD3) X(IMAD) X(IMAD_WIDE) X(IMAD_HI) X(LEA) X(LEA_HI) X(ISETP) X(IMNMX) X(LOP3) X(PLOP3) \
  X(SHF) X(PRMT) X(SGXT) X(BMSK) X(SEL) X(MOV) X(IABS) X(POPC) X(BREV) X(FLO) X(IDP) X(VABSDIFF) \
  X(VABSDIFF4) X(VIADD) X(VIMNMX) X(VIMNMX3) X(VIADDMNMX) \
  X(IADD_64) X(ISETP_64) X(IMNMX_64) X(SEL_64) X(MOV_64) X(P2R) X(R2P) X(I2I) X(I2IP) \
  /* float */ \
  X(FADD) X(FMUL) X(FFMA) X(FMNMX) X(FSETP) X(FSET) X(FSEL) X(FCHK) X(FSWZADD) X(MUFU) \
  X(FMNMX3) X(FADD2) X(FMUL2) X(FFMA2) \
  X(DADD) X(DMUL) X(DFMA) X(DSETP) \
  X(HADD2) X(HMUL2) X(HFMA2) X(HFMA2_MMA) X(HSET2) X(HSETP2) X(HMNMX2) X(VHMNMX) \
  X(F2F) X(F2I) X(I2F) X(FRND) X(F2FP) X(F2IP) X(I2FP) \
  /* warp */ \
  X(SHFL) X(VOTE) X(VOTEU) X(MATCH) X(REDUX) X(CREDUX) X(R2UR) X(S2R) X(S2UR) X(CS2R) X(CS2UR) X(ELECT) \
  /* uniform datapath */ \
  X(UIADD3) X(UIADD3_64) X(UIMAD) X(UIMAD_WIDE) X(ULEA) X(ULEA_HI) X(UISETP) X(ULOP3) X(UPLOP3) \
  X(USHF) X(UPRMT) X(USGXT) X(UBMSK) X(USEL) X(UMOV) X(UPOPC) X(UBREV) X(UFLO) X(ULDC) X(UP2UR) \
  X(UR2UP) X(UISETP_64) X(UIMNMX_64) X(UMOV_64) X(UVIMNMX) X(UFMUL) X(UFFMA) X(UFSETP) X(UF2F) \
  X(UF2I) X(UI2F) X(UI2FP) X(LDCU) \
  /* memory */ \
  X(LDG) X(STG) X(LD) X(ST) X(LDS) X(STS) X(LDL) X(STL) X(LDC) X(LDSM) X(STSM) X(LDGSTS) \
  X(LDGDEPBAR) X(ATOM) X(ATOM_CAS) X(ATOMG) X(ATOMG_CAS) X(ATOMS) X(ATOMS_CAS) X(RED) X(QSPC) \
  X(MEMBAR) X(ERRBAR) X(CGAERRBAR) X(CCTL) X(CCTLL) X(ATOMS_ARRIVE) X(ATOM_ARRIVE) X(ARRIVES) X(SYNCS) X(STAS) X(REDAS) \
  X(UBLKCP) X(UBLKRED) X(UBLKPF) X(UTMALDG) X(UTMASTG) X(UTMAREDG) X(UTMAPF) X(UTMACCTL) X(UTMACMDFLUSH) X(LDGMC) X(TXQ) X(SURED) \
  X(TEX) X(TLD) X(SULD) X(SUST) \
  /* control */ \
  X(BRA) X(BRX) X(BRXU) X(CALL) X(RET) X(BSSY) X(BSYNC) X(BREAK) X(WARPSYNC) X(YIELD) \
  X(NANOSLEEP) X(EXIT) X(BMOV) X(BPT) X(KILL) X(NOP) X(DEPBAR) X(BAR) X(B2R) X(LEPC) \
  X(ENDCOLLECTIVE) X(PMTRIG) X(RPCMOV) X(ACQBULK) X(PREEXIT) X(UCGABAR_ARV) X(UCGABAR_WAIT) X(FENCE) X(TLD4) X(TXD) \
  /* matrix */ \
  X(HMMA) X(IMMA) X(DMMA) X(BMMA) X(QMMA) X(OMMA) X(MOVM) \
  X(HGMMA) X(IGMMA) X(QGMMA) X(BGMMA) X(WARPGROUP) X(USETMAXREG)
// clang-format on

enum class Op : std::uint16_t {
#define HEDDLE_OP(name) name,
  HEDDLE_OPS(HEDDLE_OP)
#undef HEDDLE_OP
      count_
};

std::string_view name(Op op);  // "IMAD_WIDE"; the text of an instruction comes from its encoding

}  // namespace heddle::isa
