// Bits counted, found, reversed, shifted out of pairs of words, permuted by bytes; dot products and
// absolute differences of bytes.
#include "../common/device_array.h"

constexpr int kResults = 14;

__global__ void bit_tricks(const unsigned* in, unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = in[thread], b = in[thread + 1], c = in[thread + 2];
  const unsigned long long wide = (unsigned long long)(a) << 32 | b;
  unsigned* mine = out + thread * kResults;
  mine[0] = unsigned(__popc(a) + __popcll(wide) * 100);
  mine[1] = unsigned(__clz(int(a)) + __clzll((long long)(wide)) * 100);
  mine[2] = unsigned(__ffs(int(a)) + __ffsll((long long)(wide)) * 100);
  mine[3] = __brev(a);
  mine[4] = __funnelshift_l(a, b, c);
  mine[5] = __funnelshift_rc(a, b, c);
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(mine[6]) : "r"(a), "r"(b), "r"(c));
  mine[7] = unsigned(__dp4a(int(a), int(b), int(c)));
  mine[8] = __dp4a(a, b, c) + __dp2a_lo(a, b, c);
  mine[9] = __vabsdiffu4(a, b);
  mine[10] = unsigned(__sad(int(a), int(b), c));
  mine[11] = unsigned(__brevll(wide) >> 16);
  mine[12] = unsigned(__mulhi(int(a), int(b))) + __umul24(a, c) + __byte_perm(a, b, c);
  mine[13] = __vadd2(a, b) ^ __vmaxs2(a, c) ^ __vcmpgtu4(b, c);
}

static unsigned popc(unsigned long long x) {
  unsigned count = 0;
  for (; x != 0; x &= x - 1) ++count;
  return count;
}
static unsigned permute(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long bytes = (unsigned long long)(b) << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned select = selector >> 4 * i & 15;
    unsigned byte = unsigned(bytes >> 8 * (select & 7)) & 255;
    if (select & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << 8 * i;
  }
  return result;
}
static unsigned dot(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i)
    c += unsigned(int((signed char)(a >> 8 * i)) * int((signed char)(b >> 8 * i)));
  return c;
}

int main() {
  const unsigned threads = 128;
  std::vector<unsigned> in(threads + 2);
  for (unsigned i = 0; i < threads + 2; ++i) in[i] = scramble(i) >> (i % 3 ? 0 : i % 32);
  in[5] = 0;
  in[6] = 0;
  in[40] = ~0u;
  DeviceArray<unsigned> d_in(in), out(threads * kResults);
  bit_tricks<<<2, threads / 2>>>(d_in.data(), out.data());
  const auto values = out.host();
  Verdict verdict;
  for (unsigned i = 0; i < threads; ++i) {
    const unsigned *got = &values[i * kResults], a = in[i], b = in[i + 1], c = in[i + 2];
    const unsigned long long wide = (unsigned long long)(a) << 32 | b;
    verdict.expect(got[0] == popc(a) + popc(wide) * 100, "popc");
    verdict.expect(got[1] == (a ? unsigned(__builtin_clz(a)) : 32) +
                                 (wide ? unsigned(__builtin_clzll(wide)) : 64) * 100,
                   "clz");
    verdict.expect(got[2] == unsigned(__builtin_ffs(int(a))) +
                                 unsigned(__builtin_ffsll((long long)(wide))) * 100,
                   "ffs");
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; ++bit) reversed |= (a >> bit & 1) << (31 - bit);
    verdict.expect(got[3] == reversed, "brev");
    const unsigned long long low_first = (unsigned long long)(b) << 32 | a;
    verdict.expect(got[4] == unsigned(low_first << (c & 31) >> 32), "funnelshift_l");
    verdict.expect(got[5] == unsigned(low_first >> (c < 32 ? c : 32)), "funnelshift_rc");
    verdict.expect(got[6] == permute(a, b, c), "prmt");
    verdict.expect(got[7] == dot(a, b, c), "dp4a");
    unsigned differences = 0;
    for (int byte = 0; byte < 32; byte += 8) {
      const int d = int(a >> byte & 255) - int(b >> byte & 255);
      differences |= unsigned(d < 0 ? -d : d) << byte;
    }
    verdict.expect(got[9] == differences, "vabsdiffu4");
    const long long far = (long long)(int(a)) - int(b);
    verdict.expect(got[10] == unsigned(far < 0 ? -far : far) + c, "sad");
  }
  return verdict.finish();
}
