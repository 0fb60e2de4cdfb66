// Half precision and bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T, class T2>
__device__ void packed(T2* out, const T2* in, T2 s, T one) {
  const int i = threadIdx.x;
  const T2 a = in[i], b = in[i + 1], c = in[i + 2];
  T2 r = __hfma2(a, b, c);
  r = __hadd2(r, __hmul2(a, s));
  r = __hsub2(r, __hneg2(b));
  r = __hadd2(r, __habs2(c));
  r = __hadd2_sat(r, __hfma2_sat(a, b, c));
  r = __hadd2(r, __hmax2(a, b));
  r = __hadd2(r, __hmin2(a, c));
  r = __hadd2(r, __heq2(a, b));
  r = __hadd2(r, __hgtu2(a, b));
  if (__hbeq2(a, b) || __hblt2(b, c)) r = __hadd2(r, s);
  r = __hfma2_relu(r, a, b);
  r = __hadd2(r, h2exp(a));
  r = __hadd2(r, h2rcp(b));
  r = __hadd2(r, h2sqrt(c));
  r = __hadd2(r, h2log(c));
  r = __hadd2(r, h2rint(b));
  const T x = __low2half(reinterpret_cast<const __half2&>(a));
  (void)x;
  (void)one;
  out[i] = r;
}

extern "C" __global__ void half2_ops(__half2* out, const __half2* in, __half2 s) {
  packed<__half, __half2>(out, in, s, __half(1.0f));
}

extern "C" __global__ void half_ops(__half* out, const __half* in, float f) {
  const int i = threadIdx.x;
  const __half a = in[i], b = in[i + 1], c = in[i + 2];
  __half r = __hfma(a, b, c);
  r = r + a * b - c / a;
  r = __hmax(r, a) + __hmin(b, c) + __habs(c) + hsin(a) + hexp2(b) + htrunc(c) + hceil(a);
  if (a < b || __hisnan(c)) r = r + __float2half(f);
  r = r + __half(__half2float(a) * f) + __int2half_rn(__half2int_rz(b)) + __ushort2half_rn(__half2ushort_rn(c));
  r = r + __double2half(double(f)) + __ll2half_rn(__half2ll_rn(a)) + __float2half_rz(f) + __float2half_ru(f);
  float t = __half2float(r);
  asm("{.reg .b16 h; cvt.rn.f16.f32 h, %1; tanh.approx.f16 h, h; cvt.f32.f16 %0, h;}" : "=f"(t) : "f"(t));
  out[i] = __float2half(t);
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void bf16_ops(__nv_bfloat16* out, const __nv_bfloat16* in, float f) {
  const int i = threadIdx.x;
  const __nv_bfloat16 a = in[i], b = in[i + 1], c = in[i + 2];
  __nv_bfloat16 r = __hfma(a, b, c);
  r = r + a * b - c;
  r = __hmax(r, a) + __hmin(b, c) + __float2bfloat16(f);
  if (a < b) r = r + __int2bfloat16_rn(i);
  out[i] = r;
}

extern "C" __global__ void bf162_ops(__nv_bfloat162* out, const __nv_bfloat162* in, float f) {
  const int i = threadIdx.x;
  const __nv_bfloat162 a = in[i], b = in[i + 1], c = in[i + 2];
  __nv_bfloat162 r = __hfma2(a, b, c);
  r = __hadd2(r, __hmul2(a, b));
  r = __hmax2(r, __hmin2(b, c));
  r = __hadd2(r, __floats2bfloat162_rn(f, f + 1.0f));
  r = __hfma2_relu(r, a, b);
  out[i] = r;
}

#endif

extern "C" __global__ void pack(__half2* out, const float2* in) {
  out[threadIdx.x] = __float22half2_rn(in[threadIdx.x]);
}
