// Modifier fields of an instruction, by meaning. Values are the machine's own field values
// (docs/hardware/machine-code.md); where an architecture numbers them otherwise, the row says so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::isa {

// clang-format off
#define HEDDLE_MODS(X) \
  X(rnd) /* 0 RN 1 RM 2 RP 3 RZ (F2I, FRND: 0 nearest even 1 FLOOR 2 CEIL 3 TRUNC) */ \
  X(ftz) /* 1: flush subnormals */ \
  X(fmz) /* 0 none 1 FMZ 2 FTZ */ \
  X(sat) /* saturate to [0,1] (FP) */ \
  X(scale) /* FMUL D8…M8 */ \
  X(cmp) /* comparison number */ \
  X(bop) /* 0 AND 1 OR 2 XOR */ \
  X(is_signed) /* 1: S32 */ \
  X(x) /* carry-in form */ \
  X(ex) /* ISETP.EX */ \
  X(hi) /* SHF.HI */ \
  X(shift) /* LEA scale */ \
  X(sx32) /* LEA.HI.SX32 */ \
  X(lut) /* LOP3, first PLOP3 table */ \
  X(lut2) /* second PLOP3 table */ \
  X(pop) /* LOP3 predicate combination 0 POR 1 PAND */ \
  X(dir) /* SHF 0 left 1 right */ \
  X(wrap) /* SHF, SGXT, BMSK .W */ \
  X(type) /* SHF, VIMNMX, VIADD, ATOM, RED, ATOMS … data type; atomics: see data_type() */ \
  X(size) /* memory access size code; see access_bytes() */ \
  X(sem) /* memory order and scope, raw: sm_80 numbers them otherwise than sm_75 */ \
  X(scope) \
  X(cop) X(l2_cop) /* cache policy; L2's of an access of 32 bytes */ \
  X(address64) /* 1: Ra is a 64-bit pair (.E / .64) */ \
  X(ra_u32) /* Ra beside a uniform register or descriptor: 0 zero-extended 32 bits (.U32), 1 a pair (.64) */ \
  X(descriptor) /* 1: ur is a descriptor, not an address */ \
  X(stride) /* LDS/STS/ATOMS X1 X4 X8 X16 */ \
  X(atom_op) \
  X(vote_op) \
  X(shfl_mode) /* 0 IDX 1 UP 2 DOWN 3 BFLY */ \
  X(match_op) /* 0 ALL 1 ANY */ \
  X(redux_op) \
  X(mufu_op) \
  X(width) /* MUFU.F16, MATCH/CS2R 64 */ \
  X(dst_fmt) \
  X(src_fmt) \
  X(ntz) \
  X(half_sel) /* 0 H0 1 H1 */ \
  X(byte_sel) \
  X(swz_a) X(swz_b) X(swz_c) \
  X(out_fmt) /* HADD2 .F32 and so on */ \
  X(h_and) \
  X(bf) /* HSET2/FSET .BF */ \
  X(nan) /* FMNMX.NAN */ \
  X(xorsign) \
  X(relu) \
  X(bf16) \
  X(prmt_mode) \
  X(special_reg) \
  X(bar_mode) /* 0 SYNC 1 ARV 2 RED 3 SCAN 4 SYNCALL */ \
  X(bar_op) /* 0 POPC 1 AND 2 OR */ \
  X(bar_id) \
  X(bar_count) \
  X(defer_blocking) \
  X(cond) /* BRA 0 none 1 U 2 DIV 3 CONV */ \
  X(cond_invert) /* ~UR */ \
  X(depth) /* CALL.NOINC, RET.NODEC … */ \
  X(absolute) /* 1: .ABS */ \
  X(warpsync_mode) /* 0 mask 1 EXCLUSIVE 2 COLLECTIVE */ \
  X(warpsync_all) \
  X(exit_mode) \
  X(no_atexit) \
  X(cbu_state) /* BMOV source/destination */ \
  X(clear) \
  X(bmov_width) \
  X(b2r_mode) \
  X(sb_index) X(sb_count) X(sb_list) X(le) /* DEPBAR */ \
  X(insert) /* P2R/R2P byte */ \
  X(qmode) /* PixMask and other masks */ \
  X(ldsm_num) X(ldsm_trans) X(ldsm_size) \
  X(mma_shape) X(mma_dst) X(mma_src) X(mma_src_b) X(mma_scale) X(mma_row) X(mma_col) X(mma_neg) \
  X(merge) /* F2FP.MERGE_C */ \
  X(pack) /* F2FP: 0 PACK_AB, MERGE_C 1 PACK_B 2 UNPACK_B 3 UNPACK_B_MERGE_C 4 PACK_AB_MERGE_C 5 UNPACK_B of less than eight bits */ \
  X(idp_mode) X(signed_a) X(signed_b) \
  X(sh) /* FLO.SH */ \
  X(ldc_mode) \
  X(space) /* QSPC */ \
  X(prefetch) /* of a load into L2 */ \
  X(word_mask) /* of an access of 32 bytes: the words that are loaded or stored */ \
  X(through_l1) X(zero_fill) /* LDGSTS; 0 of the first is .BYPASS */ \
  X(cache_op) X(cache_kind) /* CCTL: 4 IVALL 6 IVALLP … */ \
  X(any) /* BRA: jumps with all lanes where the guard of any holds */ \
  X(random) X(whole_warp) X(syncs) /* NANOSLEEP */ \
  X(pquad) /* BMOV */ \
  X(high_half) /* RPCMOV */ \
  X(trap) X(trap_number) /* BPT */ \
  X(fenced) /* FENCE: 0 shared 1 global memory */ \
  X(trigger) /* PMTRIG */ \
  X(combine) /* R2UR.OR */ \
  X(accumulate) /* VABSDIFF4 */ \
  X(exchanged) /* HFMA2: halves of the second source */ \
  X(non_divergent) /* FSWZADD */ \
  X(mma_step) X(mma_op) X(mma_selector) /* BMMA: 0 XOR 1 AND; of the metadata of a sparse A */ \
  X(negate_a) X(negate_b) X(transpose_a) X(transpose_b) /* of the descriptors of HGMMA and its kin */ \
  X(group_barrier) /* 0 gsb0 7 none */ X(register_pool) /* USETMAXREG: 1 DEALLOC 2 TRY_ALLOC */ X(register_count) \
  X(arrives_for) /* ARRIVES: 0 none 1 arrivals 2 bytes */ \
  X(syncs_op) X(arrive_lanes) X(opt_out) X(arrive_effect) X(try_wait) /* SYNCS: 0 ARRIVE 1 PHASECHK */ \
  X(to_shared) X(from_shared) X(multicast) X(byte_mask) /* bulk copies */ \
  X(pair) /* of two blocks: .2CTA */ X(stationary) /* UTCHMMA.WS and its kin */ \
  X(tensor_shape) X(tensor_repeats) /* LDTM, STTM: 0 … 7 for 1 … 128 times */ \
  X(dimension) X(im2col) X(gathers) /* tensor copies, textures, surfaces; im2col: 2 W128 3 W */ \
  X(scr) X(lod) X(component) X(components) /* textures */ \
  X(byte_address) X(outside) /* surfaces; outside: 0 IGN 1 clamp 2 TRAP */
// clang-format on

enum class Mod : std::uint8_t {
#define HEDDLE_MOD(name) name,
  HEDDLE_MODS(HEDDLE_MOD)
#undef HEDDLE_MOD
      count_
};

// The raw field values of an instruction's modifiers, 0 for those it lacks.
using ModifierValues = std::array<std::uint32_t, static_cast<std::size_t>(Mod::count_)>;

// The modifier of that name, or Mod::count_.
constexpr Mod mod_named(std::string_view text) {
#define HEDDLE_MOD(name) \
  if (text == #name) return Mod::name;
  HEDDLE_MODS(HEDDLE_MOD)
#undef HEDDLE_MOD
  return Mod::count_;
}

}  // namespace heddle::isa
