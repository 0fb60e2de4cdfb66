// FP16 and bfloat16, one value and two at a time: arithmetic, fused multiply-adds with relu,
// comparisons, minimum and maximum, conversions. Sums and products are exact in FP32 and rounded
// once.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

#include "../common/device_array.h"

template <typename T, typename T2>
struct Values {
  T sum, product, fused, least, greatest, quotient;
  T2 pair_sum, pair_fused, pair_product, pair_least;
  float back;
  int compared;
};

__device__ static float to_float(__half x) { return __half2float(x); }
__device__ static float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ static __half2 pair(__half a, __half b) { return __halves2half2(a, b); }
__device__ static __nv_bfloat162 pair(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __halves2bfloat162(a, b);
}

template <typename T, typename T2>
__global__ void arithmetic(const T* in, Values<T, T2>* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const T a = in[thread], b = in[thread + 1], c = in[thread + 2];
  const T2 ab = pair(a, b), bc = pair(b, c), ca = pair(c, a);
  Values<T, T2> v;
  v.sum = __hadd(a, b);
  v.product = __hmul(a, b);
  v.fused = __hfma(a, b, c);
  v.least = __hmin(a, b);
  v.greatest = __hmax(a, __hneg(c));
  v.quotient = __hdiv(a, b);
  v.pair_sum = __hsub2(ab, bc);
  v.pair_fused = __hfma2_relu(ab, bc, ca);
  v.pair_product = __hmul2(ab, __habs2(ca));
  v.pair_least = __hmin2(ab, bc);
  v.back = to_float(__hfma_sat(a, b, c));
  v.compared = __hlt(a, b) + 2 * __heq(a, a) + 4 * __hbge2(ab, bc) + 8 * __hisnan(c);
  out[thread] = v;
}

static float number(unsigned i) {
  const unsigned bits = scramble(i);
  if (bits % 16 == 0) return 0;
  if (bits % 16 == 1) return bits & 256 ? INFINITY : -INFINITY;
  return ldexpf(float(int(scramble(i + 9999))) / 2147483648.0f, int(bits >> 8) % 12);
}

template <typename T, typename T2>
static bool check(unsigned threads, T (*round)(float), float (*widen)(T)) {
  std::vector<T> in(threads + 2);
  for (unsigned i = 0; i < threads + 2; ++i) in[i] = round(number(i));
  DeviceArray<T> d_in(in);
  DeviceArray<Values<T, T2>> out(threads);
  arithmetic<T, T2><<<2, threads / 2>>>(d_in.data(), out.data());
  const auto values = out.host();
  bool ok = true;
  for (unsigned i = 0; i < threads; ++i) {
    const float a = widen(in[i]), b = widen(in[i + 1]);
    const float sum = widen(round(a + b)), product = widen(round(a * b));
    ok = ok && (std::isnan(sum) || sum == widen(values[i].sum)) &&
         (std::isnan(product) || product == widen(values[i].product)) &&
         values[i].compared % 2 == (a < b);
  }
  return ok;
}

static __half round_half(float x) { return __float2half(x); }
static float widen_half(__half x) { return __half2float(x); }
static __nv_bfloat16 round_bfloat(float x) { return __float2bfloat16(x); }
static float widen_bfloat(__nv_bfloat16 x) { return __bfloat162float(x); }

int main() {
  Verdict verdict;
  verdict.expect(check<__half, __half2>(128, round_half, widen_half), "half");
  verdict.expect(check<__nv_bfloat16, __nv_bfloat162>(128, round_bfloat, widen_bfloat), "bfloat16");
  return verdict.finish();
}
