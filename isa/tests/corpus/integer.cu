// Integer arithmetic in every width the compiler treats differently.
#include <cstdint>

template <class T>
__device__ T mix(T a, T b, T c) {
  T r = a + b * c;
  r ^= (a << (b & 7)) | (c >> (a & 7));
  r -= a / (b | 1);
  r += c % (a | 1);
  r = r > b ? r - c : r + c;
  return r & ~(a ^ b);
}

#define MIX(name, type)                                                                  \
  extern "C" __global__ void name(type* out, const type* a, const type* b, const type* c) { \
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                             \
    out[i] = mix<type>(a[i], b[i], c[i]);                                                 \
  }
MIX(mix_i8, signed char)
MIX(mix_u8, unsigned char)
MIX(mix_i16, short)
MIX(mix_u16, unsigned short)
MIX(mix_i32, int)
MIX(mix_u32, unsigned)
MIX(mix_i64, long long)
MIX(mix_u64, unsigned long long)
MIX(mix_i128, __int128)

extern "C" __global__ void intrinsics(unsigned* out, const unsigned* in, unsigned s) {
  const unsigned i = threadIdx.x;
  const unsigned a = in[i], b = in[i + 32], c = in[i + 64];
  const int sa = int(a), sb = int(b);
  unsigned r = 0;
  r += __popc(a) + __clz(a) + __ffs(sb) + __brev(c) + __clzll((static_cast<unsigned long long>(a) << 32) | b);
  r ^= __popcll((static_cast<unsigned long long>(a) << 32) | c) + __ffsll((static_cast<long long>(a) << 32) | c);
  r += __umulhi(a, b) + __mulhi(sa, sb) + __umul24(a, c) + __mul24(sa, sb);
  r ^= __byte_perm(a, b, c) + __byte_perm(a, b, 0x5410) + __byte_perm(a, b, s);
  r += __funnelshift_l(a, b, c) + __funnelshift_r(a, b, c) + __funnelshift_lc(a, b, c) + __funnelshift_rc(a, b, s);
  r ^= __sad(sa, sb, c) + __usad(a, b, c) + __hadd(sa, sb) + __rhadd(sa, sb) + __uhadd(a, b);
  r += __dp4a(sa, sb, int(c)) + __dp4a(a, b, c) + __dp2a_lo(sa, sb, int(c)) + __dp2a_hi(a, b, c);
  r ^= min(sa, sb) + max(a, b) + abs(sa) + min(max(sa, -5), 99) + max(min(a, b), c);
  r += __vadd4(a, b) ^ __vabsdiffu4(a, b) ^ __vsadu4(a, b) ^ __vmaxs2(a, b) ^ __vminu4(a, c) ^ __vcmpgts4(a, b);
  r += __vimax3_s32(sa, sb, int(c)) + __vimin3_u32(a, b, c) + __viaddmax_s32(sa, sb, int(c)) +
       __viaddmin_u32(a, b, c) + __vimax_s32_relu(sa, sb) + __viaddmin_s32_relu(sa, sb, int(c)) +
       __vimax3_s16x2_relu(a, b, c) + __viaddmax_u16x2(a, b, c) + __vimin_s16x2_relu(a, b) + __vimin3_s32_relu(sa, sb, int(c));
  unsigned field = a, insert = b;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(a), "r"(b), "r"(c));
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(insert) : "r"(a), "r"(b), "r"(c), "r"(s));
  r ^= field + insert;
  int sfield;
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(sfield) : "r"(a), "r"(b), "r"(c));
  unsigned carry;
  asm("{add.cc.u32 %0, %1, %2; addc.cc.u32 %0, %0, %3; addc.u32 %0, %0, 0;}" : "=r"(carry) : "r"(a), "r"(b), "r"(c));
  unsigned mad;
  asm("{mad.lo.cc.u32 %0, %1, %2, %3; madc.hi.u32 %0, %1, %2, %0;}" : "=r"(mad) : "r"(a), "r"(b), "r"(c));
  unsigned sub;
  asm("{sub.cc.u32 %0, %1, %2; subc.u32 %0, %0, %3;}" : "=r"(sub) : "r"(a), "r"(b), "r"(c));
  unsigned lut;
  asm("lop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(lut) : "r"(a), "r"(b), "r"(c));
  unsigned mask, sext;
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(mask) : "r"(a), "r"(b));
  asm("szext.wrap.s32 %0, %1, %2;" : "=r"(sext) : "r"(sa), "r"(b));
  unsigned fns;
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(fns) : "r"(a), "r"(b & 31), "r"(sa & 3));
  unsigned prmt;
  asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(prmt) : "r"(a), "r"(b), "r"(c));
  unsigned prmt2;
  asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(prmt2) : "r"(a), "r"(b), "r"(c));
  int find;
  asm("bfind.s32 %0, %1;" : "=r"(find) : "r"(sa));
  unsigned find2;
  asm("bfind.shiftamt.u32 %0, %1;" : "=r"(find2) : "r"(a));
  int sat;
  asm("add.sat.s32 %0, %1, %2;" : "=r"(sat) : "r"(sa), "r"(sb));
  out[i] = r + sfield + carry + mad + sub + lut + mask + sext + fns + prmt + prmt2 + find + find2 + sat;
}

extern "C" __global__ void wide(unsigned long long* out, const unsigned* in, long long k, int n) {
  const int i = threadIdx.x;
  unsigned long long r = static_cast<unsigned long long>(in[i]) * in[i + 1];
  r += static_cast<long long>(int(in[i + 2])) * int(in[i + 3]) - k;
  r += __umul64hi(r, k) + __mul64hi(r, k);
  r ^= (r << n) | (r >> (n + 3)) | (static_cast<long long>(r) >> 5);
  r = r > static_cast<unsigned long long>(k) ? r : ~r;
  if (static_cast<long long>(r) < k && (n & 1)) r += in[n];
  out[i] = r * 10000000019ull / 7u;
}

// Many conditions at once: predicate logic.
extern "C" __global__ void predicates(int* out, const int* in, int a, int b, unsigned n) {
  const int i = threadIdx.x;
  const int x = in[i], y = in[i + 1], z = in[i + 2];
  const bool p = x < a, q = y > b, r = z == x, s = (x ^ y) & 4, t = x * y > z;
  int v = 0;
  if ((p && q) || (r && !s)) v += 1;
  if ((p ^ q) != (r || t)) v += 2;
  if ((p || q || r) && (s || t)) v += 4;
  v += (p ? a : b) + (q ? x : 7) + (r == s ? y : z);
  for (unsigned k = 0; k < n; ++k)
    if (!((p && k > 3u) || (q && k < 9u) || (r ^ s ^ (k == 5u)))) v = v * 3 + k;
  unsigned bits = (p << 0) | (q << 1) | (r << 2) | (s << 3) | (t << 4);
  out[i] = v + bits;
}
