// Modifier fields of an instruction, by meaning. Values are the machine's own field values
// (SASS-FACTS appendix B); where an architecture numbers them otherwise, the row says so.
#pragma once

#include <cstdint>

namespace heddle::isa {

// clang-format off
enum class Mod : std::uint8_t {
  rnd,          // 0 RN 1 RM 2 RP 3 RZ (F2I, FRND: 0 nearest even 1 FLOOR 2 CEIL 3 TRUNC)
  ftz,          // 1: flush subnormals
  fmz,          // 0 none 1 FMZ 2 FTZ
  sat,          // saturate to [0,1] (FP) 
  scale,        // FMUL D8…M8
  cmp,          // comparison number
  bop,          // 0 AND 1 OR 2 XOR
  is_signed,    // 1: S32
  x,            // carry-in form
  ex,           // ISETP.EX
  hi,           // SHF.HI
  shift,        // LEA scale
  sx32,         // LEA.HI.SX32
  lut,          // LOP3, first PLOP3 table
  lut2,         // second PLOP3 table
  pop,          // LOP3 predicate combination 0 POR 1 PAND
  dir,          // SHF 0 left 1 right
  wrap,         // SHF, SGXT, BMSK .W
  type,         // SHF, VIMNMX, ATOM, RED, ATOMS … data type
  size,         // memory access size code
  sem,          // memory order field(s), raw
  scope,
  cop,          // cache policy
  address64,    // 1: Ra is a 64-bit pair (.E / .64)
  ra_u32,       // 1: Ra of a UR form is a zero-extended 32-bit register
  descriptor,   // 1: ur is a descriptor, not an address
  stride,       // LDS/STS/ATOMS X1 X4 X8 X16
  atom_op,
  vote_op,
  shfl_mode,    // 0 IDX 1 UP 2 DOWN 3 BFLY
  match_op,     // 0 ALL 1 ANY
  redux_op,
  mufu_op,
  width,        // MUFU.F16, MATCH/CS2R 64
  dst_fmt,
  src_fmt,
  ntz,
  half_sel,     // 0 H0 1 H1
  byte_sel,
  swz_a, swz_b, swz_c,
  out_fmt,      // HADD2 .F32 and so on
  h_and,
  bf,           // HSET2/FSET .BF
  nan,          // FMNMX.NAN
  xorsign,
  relu,
  bf16,
  prmt_mode,
  special_reg,
  bar_mode,     // 0 SYNC 1 ARV 2 RED 3 SCAN 4 SYNCALL
  bar_op,       // 0 POPC 1 AND 2 OR
  bar_id,
  bar_count,
  bar_b_reg,    // 1: barrier id comes from a register
  bar_c_reg,    // 1: thread count comes from a register
  defer_blocking,
  cond,         // BRA 0 none 1 U 2 DIV 3 CONV
  cond_invert,  // ~UR
  depth,        // CALL.NOINC, RET.NODEC …
  absolute,     // 1: .ABS
  warpsync_mode,  // 0 mask 1 EXCLUSIVE 2 COLLECTIVE
  warpsync_all,
  exit_mode,
  no_atexit,
  cbu_state,    // BMOV source/destination
  clear,
  bmov_width,
  b2r_mode,
  sb_index, sb_count, sb_list, le,   // DEPBAR
  insert,       // P2R/R2P byte
  qmode,        // PixMask and other masks
  ldsm_num, ldsm_trans, ldsm_size,
  mma_shape, mma_dst, mma_src, mma_src_b, mma_row, mma_col, mma_neg,
  merge,
  idp_mode, signed_a, signed_b,
  sh,           // FLO.SH
  ldc_mode,
  space,        // QSPC
  spin,
  other0, other1, other2, other3,    // rare fields that one row prints and nobody else reads
  count_
};
// clang-format on

}  // namespace heddle::isa
