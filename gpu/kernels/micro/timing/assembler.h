// Machine words of sm_90 for the probes that the compiler cannot be made to write: each maker
// returns one instruction, with the control bits as given. Nothing is checked here; the project's
// own decoder checks every maker in tests/assembler_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace timing {

struct Word {
  std::uint64_t lo = 0, hi = 0;
};

// What the issue logic is told. Counters: 0–5, 7 for none.
struct Control {
  unsigned stall = 1;
  bool yield = false;
  unsigned write = 7,
           read = 7;  // counters set until the result is there, until the sources are read
  unsigned wait = 0;  // mask of counters that must be zero
  unsigned reuse = 0;
};

inline Word with(Word word, const Control& control) {
  const std::uint64_t bits = control.stall | std::uint64_t{!control.yield} << 4 |
                             std::uint64_t{control.write} << 5 | std::uint64_t{control.read} << 8 |
                             std::uint64_t{control.wait} << 11 | std::uint64_t{control.reuse} << 17;
  word.hi |= bits << 41;
  return word;
}

// Guards: a predicate's number, 8 more for its negation; 7 always.
inline Word guarded(Word word, unsigned guard) {
  word.lo = (word.lo & ~std::uint64_t{0xf000}) | std::uint64_t{guard} << 12;
  return word;
}

namespace sass {

using R = unsigned;
inline constexpr R RZ = 255;
enum class Size : unsigned { k32 = 4, k64 = 5, k128 = 6 };

constexpr Word make(unsigned opcode, R rd, R ra, R rb, std::uint64_t hi) {
  return {
      std::uint64_t{rb} << 32 | std::uint64_t{ra} << 24 | std::uint64_t{rd} << 16 | 0x7000 | opcode,
      hi};
}
constexpr Word with_immediate(unsigned opcode, R rd, R ra, std::uint32_t value, std::uint64_t hi) {
  return {std::uint64_t{value} << 32 | std::uint64_t{ra} << 24 | std::uint64_t{rd} << 16 | 0x7000 |
              opcode,
          hi};
}

constexpr Word nop() { return {0x7918, 0}; }
constexpr Word exit() { return {0x794d, 0x03800000}; }
constexpr Word iadd3(R d, R a, R b, R c) { return make(0x210, d, a, b, 0x07ffe000 | c); }
constexpr Word iadd_immediate(R d, R a, std::uint32_t b) {
  return with_immediate(0x810, d, a, b, 0x07ffe0ff);
}
constexpr Word viadd(R d, R a, std::uint32_t b) { return with_immediate(0x836, d, a, b, 0); }
constexpr Word lop3(R d, R a, R b, R c) { return make(0x212, d, a, b, 0x078e9600 | c); }
constexpr Word and_immediate(R d, R a, std::uint32_t b) {
  return with_immediate(0x812, d, a, b, 0x078ec0ff);
}
constexpr Word shf(R d, R a, R b, R c) { return make(0x219, d, a, b, 0x00010e00 | c); }
constexpr Word prmt(R d, R a, R b, R c) { return make(0x216, d, a, b, c); }
constexpr Word sel(R d, R a, R b, unsigned predicate) {
  return make(0x207, d, a, b, std::uint64_t{predicate} << 23);
}
constexpr Word mov(R d, R b) { return make(0x202, d, 0, b, 0xf00); }
constexpr Word mov_immediate(R d, std::uint32_t value) {
  return with_immediate(0x802, d, 0, value, 0xf00);
}
constexpr Word mov_constant(R d, unsigned bank, unsigned byte) {
  return {
      std::uint64_t{bank} << 54 | std::uint64_t{byte / 4} << 40 | std::uint64_t{d} << 16 | 0x7a02,
      0xf00};
}
constexpr Word imad(R d, R a, R b, R c) { return make(0x224, d, a, b, 0x078e0200 | c); }
constexpr Word imad_immediate(R d, R a, std::uint32_t b, R c) {
  return with_immediate(0x824, d, a, b, 0x078e0200 | c);
}
constexpr Word imad_wide(R d, R a, R b, R c) { return make(0x225, d, a, b, 0x078e0000 | c); }
constexpr Word imad_wide_immediate(R d, R a, std::uint32_t b, R c) {
  return with_immediate(0x825, d, a, b, 0x078e0000 | c);
}
constexpr Word imad_hi(R d, R a, R b, R c) { return make(0x227, d, a, b, 0x078e0000 | c); }
constexpr Word fadd(R d, R a, R b) { return make(0x221, d, a, b, 0); }
constexpr Word fmul(R d, R a, R b) { return make(0x220, d, a, b, 0x00400000); }
constexpr Word ffma(R d, R a, R b, R c) { return make(0x223, d, a, b, c); }
constexpr Word hadd2(R d, R a, R b) { return make(0x230, d, a, b, 0); }
constexpr Word hfma2(R d, R a, R b, R c) { return make(0x231, d, a, b, c); }
constexpr Word hfma2_mma(R d, R a, R b, R c) { return make(0x235, d, a, b, c); }
constexpr Word dfma(R d, R a, R b, R c) { return make(0x22b, d, a, b, c); }
constexpr Word mufu_ex2(R d, R b) { return make(0x308, d, 0, b, 0x800); }
constexpr Word popc(R d, R b) { return make(0x309, d, 0, b, 0); }
constexpr Word i2f_f64(R d, R b) { return make(0x312, d, 0, b, 0x201c00); }
constexpr Word f2i(R d, R b) { return make(0x305, d, 0, b, 0x203100); }
constexpr Word isetp_ne(unsigned p, R a, R b) {
  return make(0x20c, 0, a, b, 0x03f05270 | std::uint64_t{p} << 17);
}
constexpr Word isetp_lt_immediate(unsigned p, R a, std::uint32_t b) {
  return with_immediate(0x80c, 0, a, b, 0x03f01270 | std::uint64_t{p} << 17);
}
constexpr Word cs2r_clock(R d) { return {std::uint64_t{d} << 16 | 0x7805, 0x15000}; }
constexpr Word s2r(R d, unsigned which) {
  return {std::uint64_t{d} << 16 | 0x7919, std::uint64_t{which} << 8};
}
constexpr Word s2ur(R d, unsigned which) {
  return {std::uint64_t{d} << 16 | 0x79c3, std::uint64_t{which} << 8};
}
constexpr Word r2ur(R ud, R a) { return make(0x2ca, ud, a, 0, 0xe0000); }
constexpr Word redux_sum(R ud, R a) { return make(0x3c4, ud, a, 0, 0xc000); }
constexpr Word vote_any(R d) { return {std::uint64_t{d} << 16 | 0x7806, 0x038e0100}; }
constexpr Word match_any(R d, R a) { return make(0x3a1, d, a, 0, 0xe8000); }
constexpr Word shfl_bfly(R d, R a) {
  return {0x0c201f0000007f89 | std::uint64_t{a} << 24 | std::uint64_t{d} << 16, 0xe0000};
}
constexpr Word uiadd3(R ud, R ua, std::uint32_t b) {
  return with_immediate(0x890, ud, ua, b, 0x0fffe03f);
}
constexpr Word umov(R ud, std::uint32_t b) { return with_immediate(0x882, ud, 0, b, 0); }
constexpr Word uldc(R ud, unsigned byte) {
  return {std::uint64_t{byte / 4} << 40 | std::uint64_t{ud} << 16 | 0x7ab9, 0x800};
}
constexpr Word uldc64(R ud, unsigned byte) {
  return {std::uint64_t{byte / 4} << 40 | std::uint64_t{ud} << 16 | 0x7ab9, 0xa00};
}
constexpr Word ldc(R d, R a, unsigned bank, unsigned byte, Size size = Size::k32) {
  return {std::uint64_t{bank} << 54 | std::uint64_t{byte / 4} << 40 | std::uint64_t{a} << 24 |
              std::uint64_t{d} << 16 | 0x7b82,
          static_cast<std::uint64_t>(size) << 9};
}
// [Ra + byte] of shared memory.
constexpr Word lds(R d, R a, unsigned byte, Size size) {
  return {std::uint64_t{byte} << 40 | std::uint64_t{a} << 24 | std::uint64_t{d} << 16 | 0x7984,
          static_cast<std::uint64_t>(size) << 9};
}
constexpr Word sts(R a, unsigned byte, R data, Size size) {
  return {std::uint64_t{byte} << 40 | std::uint64_t{data} << 32 | std::uint64_t{a} << 24 | 0x7388,
          static_cast<std::uint64_t>(size) << 9};
}
constexpr Word atoms_add(R d, R a, R data) { return make(0x38c, d, a, data, 0); }
// [Ra.64 + byte] of global memory; the descriptor is in UR4.
constexpr Word ldg(R d, R a, unsigned byte, Size size) {
  return {std::uint64_t{byte} << 40 | std::uint64_t{4} << 32 | std::uint64_t{a} << 24 |
              std::uint64_t{d} << 16 | 0x7981,
          0x0c1e1100 | static_cast<std::uint64_t>(size) << 9};
}
constexpr Word stg(R a, unsigned byte, R data, Size size) {
  return {std::uint64_t{byte} << 40 | std::uint64_t{data} << 32 | std::uint64_t{a} << 24 | 0x7986,
          0x0c101104 | static_cast<std::uint64_t>(size) << 9};
}
// Four rows of a matrix of 16-bit elements from each of `matrices` (1, 2 or 4) eighths of the
// lanes' addresses.
constexpr Word ldsm(R d, R a, unsigned matrices, bool transposed = false) {
  return {std::uint64_t{a} << 24 | std::uint64_t{d} << 16 | 0x783b,
          std::uint64_t{matrices / 2} << 8 | std::uint64_t{transposed} << 14};
}
constexpr Word movm(R d, R a) { return make(0x23a, d, a, 0, 0); }
// [Ra.64] of global memory to [Rd] of shared memory, past L1 if `bypass`; the descriptor is in UR4.
constexpr Word ldgsts(R d, R a, Size size, bool bypass = false) {
  return {std::uint64_t{a} << 24 | std::uint64_t{d} << 16 | 0x7fae,
          0x0b901044 | std::uint64_t{!bypass} << 17 | static_cast<std::uint64_t>(size) << 9};
}
constexpr Word ldgdepbar() { return {0x79af, 0}; }
// Until at most `count` of what the counter guards is outstanding.
constexpr Word depbar(unsigned counter, unsigned count) {
  return {
      0x791a | std::uint64_t{count} << 38 | std::uint64_t{counter} << 44 | std::uint64_t{1} << 47,
      0};
}
// Products of matrices; `form` says shape and types.
constexpr Word hmma(R d, R a, R b, R c, unsigned form) { return make(0x23c, d, a, b, form | c); }
constexpr Word imma(R d, R a, R b, R c, unsigned form) { return make(0x237, d, a, b, form | c); }
constexpr Word bmma(R d, R a, R b, R c, unsigned form) { return make(0x23d, d, a, b, form | c); }
constexpr Word dmma(R d, R a, R b, R c, unsigned form) { return make(0x23f, d, a, b, form | c); }
// Half of the elements of A are zero; the register `which` says which.
constexpr Word sparse(Word word, R which) {
  word.lo |= std::uint64_t{which} << 40;
  return word;
}
constexpr Word bar_sync() { return {0x7b1d, 0x10000}; }
constexpr Word membar_cta() { return {0x7992, 0}; }
constexpr Word membar_gpu() { return {0x7992, 0x2000}; }
constexpr Word membar_sys() { return {0x7992, 0x3000}; }
constexpr Word membar_vc() { return {0x7992, 0x5000}; }
constexpr Word errbar() { return {0x79ab, 0}; }
constexpr Word cgaerrbar() { return {0x75ab, 0}; }
constexpr Word cctl_ivall() { return {0xff00798f, 0x2000000}; }
constexpr Word bsync(unsigned b) { return {std::uint64_t{b} << 16 | 0x7941, 0x03800000}; }
constexpr Word yield() { return {0x7946, 0x03800000}; }
constexpr Word warpsync_all() { return {0x7948, 0x03800000}; }
// Distances are in instructions from the one after.
constexpr Word bra(int distance) {
  const auto quarter = static_cast<std::uint64_t>(std::int64_t{distance} * 4), upper = quarter >> 8;
  return {(quarter & 0xff) << 16 | (upper & 0x3fffffff) << 34 | 0x7947,
          0x03800000 | ((upper >> 30) & 0x3ffff)};
}
constexpr Word call(int distance) {
  Word word = bra(distance);
  word.lo -= 3;
  word.hi |= 0x00400000;
  return word;
}
// To the kernel's beginning and the bytes in `a`; `at`: which instruction of the kernel this is.
constexpr Word indirect(unsigned opcode, std::uint64_t hi, R a, int at) {
  const auto quarter = static_cast<std::uint64_t>(-(std::int64_t{at} + 1) * 4),
             upper = quarter >> 8;
  return {(quarter & 0xff) << 16 | std::uint64_t{a} << 24 | (upper & 0x3fffffff) << 34 | opcode,
          hi | ((upper >> 30) & 0x3ffff)};
}
constexpr Word ret(R a, int at) { return indirect(0x7950, 0x03c00000, a, at); }
constexpr Word call_indirect(R a, int at) { return indirect(0x7344, 0x03c00000, a, at); }
constexpr Word brx(R a, int at) { return indirect(0x7949, 0x03800000, a, at); }
constexpr Word bmov_clear(R d, unsigned b) {
  return {std::uint64_t{b} << 24 | std::uint64_t{d} << 16 | 0x7355, 0x100000};
}
constexpr Word bmov(unsigned b, R a) {
  return {std::uint64_t{a} << 32 | std::uint64_t{b} << 24 | 0x7356, 0};
}
constexpr Word bssy(unsigned b, int distance) {
  return {std::uint64_t{b} << 16 | static_cast<std::uint64_t>(distance) * 4 << 34 | 0x7945,
          0x03800000};
}

}  // namespace sass
}  // namespace timing
