// Single instructions of PTX as expressions, for the programs that generated/generate_wide.py
// makes. Lambdas, because the operation must be a literal; nvcc's front end fails on statement
// expressions inside one another.
#pragma once

#define PTX_1(result, r, first, f, operation, x)        \
  ([](first x_) {                                       \
    result result_;                                     \
    asm(operation " %0, %1;" : "=" r(result_) : f(x_)); \
    return result_;                                     \
  }(first(x)))
#define PTX_2(result, r, first, f, second, s, operation, x, y)     \
  ([](first x_, second y_) {                                       \
    result result_;                                                \
    asm(operation " %0, %1, %2;" : "=" r(result_) : f(x_), s(y_)); \
    return result_;                                                \
  }(first(x), second(y)))
#define PTX_3(result, r, first, f, second, s, third, t, operation, x, y, z)   \
  ([](first x_, second y_, third z_) {                                        \
    result result_;                                                           \
    asm(operation " %0, %1, %2, %3;" : "=" r(result_) : f(x_), s(y_), t(z_)); \
    return result_;                                                           \
  }(first(x), second(y), third(z)))
#define PTX_FOUR(text, x, y, z, w)                                  \
  ([](unsigned x_, unsigned y_, unsigned z_, unsigned w_) {         \
    unsigned result_;                                               \
    asm(text : "=r"(result_) : "r"(x_), "r"(y_), "r"(z_), "r"(w_)); \
    return result_;                                                 \
  }(unsigned(x), unsigned(y), unsigned(z), unsigned(w)))

using ptx_wide = unsigned long long;
#define PTX_U1(operation, x) PTX_1(unsigned, "r", unsigned, "r", operation, x)
#define PTX_U2(operation, x, y) PTX_2(unsigned, "r", unsigned, "r", unsigned, "r", operation, x, y)
#define PTX_U3(operation, x, y, z) \
  PTX_3(unsigned, "r", unsigned, "r", unsigned, "r", unsigned, "r", operation, x, y, z)
#define PTX_W2(operation, x, y) PTX_2(ptx_wide, "l", ptx_wide, "l", unsigned, "r", operation, x, y)
#define PTX_W3(operation, x, y, z) \
  PTX_3(ptx_wide, "l", ptx_wide, "l", unsigned, "r", unsigned, "r", operation, x, y, z)
#define PTX_F1(operation, x) PTX_1(float, "f", float, "f", operation, x)
#define PTX_F(operation, x, y) PTX_2(float, "f", float, "f", float, "f", operation, x, y)
#define PTX_F3(operation, x, y, z) \
  PTX_3(float, "f", float, "f", float, "f", float, "f", operation, x, y, z)
#define PTX_FS(x, y, z) PTX_3(float, "f", float, "f", float, "f", int, "r", "slct.f32.s32", x, y, z)
// A float as an integer of 8 or 16 bits, which registers of 32 bits hold.
#define PTX_UF(operation, x) PTX_1(unsigned, "r", float, "f", operation, x)
#define PTX_CMP(condition, x, y) \
  PTX_2(unsigned, "r", float, "f", float, "f", "set." condition ".u32.f32", x, y)
#define PTX_TEST(kind, x)                                                 \
  ([](float x_) {                                                         \
    unsigned result_;                                                     \
    asm("{.reg .pred p; testp." kind ".f32 p, %1; selp.u32 %0, 1, 0, p;}" \
        : "=r"(result_)                                                   \
        : "f"(x_));                                                       \
    return result_;                                                       \
  }(float(x)))
#define PTX_BFI(x, y, position, length) \
  PTX_FOUR("bfi.b32 %0, %1, %2, %3, %4;", x, y, position, length)
// Sums, differences and products of two words each, the upper word with what the lower carried.
#define PTX_CARRY(x, y, z, w)                                                                    \
  PTX_FOUR("{.reg .u32 low; add.cc.u32 low, %1, %3; addc.u32 %0, %2, %4; xor.b32 %0, %0, low;}", \
           x, y, z, w)
#define PTX_BORROW(x, y, z, w)                                                                   \
  PTX_FOUR("{.reg .u32 low; sub.cc.u32 low, %1, %3; subc.u32 %0, %2, %4; xor.b32 %0, %0, low;}", \
           x, y, z, w)
#define PTX_MAD_CARRY(x, y, z, w)                                                             \
  PTX_FOUR(                                                                                   \
      "{.reg .u32 low, high; mad.lo.cc.u32 low, %1, %2, %3; madc.hi.cc.u32 high, %1, %2, %4;" \
      " addc.u32 low, low, 5; xor.b32 %0, high, low;}",                                       \
      x, y, z, w)
#define PTX_SELECT(x, y, z, w)                                                                    \
  PTX_FOUR(                                                                                       \
      "{.reg .pred p, q; setp.lt.s32 p, %1, %2; setp.ne.or.u32 p|q, %3, %4, p; selp.b32 %0, %1, " \
      "%4, q;"                                                                                    \
      " @p add.u32 %0, %0, 3;}",                                                                  \
      x, y, z, w)
#define PTX_SLCT(x, y, z) PTX_U3("slct.u32.s32", x, y, z)
#define PTX_SET(x, y, z)                                                                    \
  PTX_FOUR(                                                                                 \
      "{.reg .pred p; .reg .u32 s; setp.hi.u32 p, %2, %3; set.le.and.u32.s32 s, %1, %2, p;" \
      " xor.b32 %0, s, %4;}",                                                               \
      x, y, z, 77u)
#define PTX_PACK(x, y, z) PTX_U3("cvt.pack.sat.u8.s32.b32", x, y, z)
#define PTX_SAT8(x) PTX_U1("cvt.sat.s8.s32", x)

template <int kTable>
__device__ inline unsigned ptx_lop3(unsigned x, unsigned y, unsigned z) {
  unsigned result;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(x), "r"(y), "r"(z), "n"(kTable));
  return result;
}
