// FP32 and FP64 arithmetic and the mathematical functions.
#include <cmath>

#define UNARY(name, type, expression)                               \
  extern "C" __global__ void name(type* out, const type* in) {      \
    const type x = in[threadIdx.x];                                 \
    out[threadIdx.x] = expression;                                  \
  }
UNARY(f_sqrt, float, sqrtf(x))
UNARY(f_rsqrt, float, rsqrtf(x))
UNARY(f_div, float, 1.0f / x)
UNARY(f_exp, float, expf(x) + exp2f(x) + exp10f(x) + expm1f(x))
UNARY(f_log, float, logf(x) + log2f(x) + log10f(x) + log1pf(x))
UNARY(f_sin, float, sinf(x) + cosf(x) + tanf(x))
UNARY(f_asin, float, asinf(x) + acosf(x) + atanf(x))
UNARY(f_sinh, float, sinhf(x) + coshf(x) + tanhf(x))
UNARY(f_round, float, roundf(x) + truncf(x) + floorf(x) + ceilf(x) + rintf(x))
UNARY(f_fast, float, __sinf(x) + __cosf(x) + __expf(x) + __logf(x) + __fdividef(x, 3.0f) + __tanf(x) + __powf(x, 2.5f))
UNARY(f_pow, float, powf(x, 1.7f) + cbrtf(x) + erff(x) + tgammaf(x) + lgammaf(x))
UNARY(f_class, float, isnan(x) ? 1.0f : isinf(x) ? -INFINITY : signbit(x) ? NAN : fabsf(x))
UNARY(d_div, double, 1.0 / x)
UNARY(d_sqrt, double, sqrt(x) + rsqrt(x))
UNARY(d_exp, double, exp(x) + log(x))
UNARY(d_sin, double, sin(x) + cos(x))
UNARY(d_round, double, round(x) + trunc(x) + floor(x) + ceil(x) + rint(x))
UNARY(d_pow, double, pow(x, 1.7) + tanh(x) + atan(x))

extern "C" __global__ void arithmetic(float* out, const float* in, float s) {
  const int i = threadIdx.x;
  const float a = in[i], b = in[i + 1], c = in[i + 2];
  float r = a + b * c;
  r += fmaf(-a, b, c) - fabsf(a) * -b + fminf(a, b) - fmaxf(fabsf(b), c);
  r += __fadd_rd(a, b) + __fadd_ru(a, s) + __fadd_rz(-a, 3.5f) + __fmul_rd(a, 0.3f) + __fmul_ru(a, b) + __fmul_rz(b, c);
  r += __fmaf_rd(a, b, c) + __fmaf_ru(a, b, 1.0f) + __fmaf_rz(a, 2.0f, c) + __saturatef(a * b) + __saturatef(a + b);
  r += __saturatef(fmaf(a, b, c)) + __frcp_rn(a) + __frcp_rd(b) + __fsqrt_ru(c) + __fdiv_rz(a, b) + a / b;
  r += copysignf(a, b) + fmodf(a, b) + remainderf(a, c) + hypotf(a, b) + fdimf(a, b) + nextafterf(a, b);
  r = a < b ? r : r * 0.5f;
  r = (a >= b && b != c) || a == s ? r : -r;
  r = !(a > c) ? r + 1.0e10f : r - 3.0e-39f;
  float t;
  asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(a));
  float u;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(u) : "f"(b));
  float v;
  asm("add.ftz.f32 %0, %1, %2;" : "=f"(v) : "f"(b), "f"(c));
  asm("fma.rn.ftz.sat.f32 %0, %1, %2, %0;" : "+f"(v) : "f"(b), "f"(c));
  asm("mul.rz.ftz.f32 %0, %1, %0;" : "+f"(v) : "f"(b));
  float w;
  asm("set.lt.ftz.f32.f32 %0, %1, %2;" : "=f"(w) : "f"(b), "f"(c));
  float m;
  asm("min.ftz.f32 %0, %1, %2;" : "=f"(m) : "f"(b), "f"(c));
  float q;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(q) : "f"(c));
  out[i] = r + t + u + v + w + m + q + 1.8446744e19f * a - 3.4028235e38f;
}

extern "C" __global__ void arithmetic64(double* out, const double* in, double s, float f) {
  const int i = threadIdx.x;
  const double a = in[i], b = in[i + 1], c = in[i + 2];
  double r = a + b * c - fma(-a, b, fabs(c));
  r += __dadd_rd(a, b) + __dmul_ru(a, 0.5) + __fma_rz(a, b, 1.0) + __dsqrt_rd(a) + __ddiv_ru(a, b) + __drcp_rn(c);
  r += fmin(a, b) + fmax(-a, c) + copysign(a, b) + fmod(a, b);
  r = a < b && b != s ? r : r * 1e-300;
  r += f;
  r = isnan(a) || !(b <= c) ? 2.5 : r;
  out[i] = r + 18014398509481984.0 * a;
}

extern "C" __global__ void nan_minmax(float* out, const float* in) {
#if __CUDA_ARCH__ >= 800
  float r, t;
  const float a = in[threadIdx.x], b = in[threadIdx.x + 1];
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  t = r;
#if __CUDA_ARCH__ >= 860
  asm("max.xorsign.abs.f32 %0, %1, %2;" : "=f"(t) : "f"(a), "f"(b));
#endif
  out[threadIdx.x] = r + t;
#endif
}
