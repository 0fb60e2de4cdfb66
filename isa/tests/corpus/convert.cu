// Conversions between all number formats.
#include <cstdint>

template <class To, class From>
__device__ void convert(To* out, const From* in) {
  out[threadIdx.x] = static_cast<To>(in[threadIdx.x]);
}
#define CONVERT(name, to, from) \
  extern "C" __global__ void name(to* out, const from* in) { convert<to, from>(out, in); }
#define FROM(name, from)              \
  CONVERT(name##_i8, int8_t, from)    \
  CONVERT(name##_u8, uint8_t, from)   \
  CONVERT(name##_i16, int16_t, from)  \
  CONVERT(name##_u16, uint16_t, from) \
  CONVERT(name##_i32, int32_t, from)  \
  CONVERT(name##_u32, uint32_t, from) \
  CONVERT(name##_i64, int64_t, from)  \
  CONVERT(name##_u64, uint64_t, from) \
  CONVERT(name##_f32, float, from)    \
  CONVERT(name##_f64, double, from)
FROM(i8, int8_t)
FROM(u8, uint8_t)
FROM(i16, int16_t)
FROM(u16, uint16_t)
FROM(i32, int32_t)
FROM(u32, uint32_t)
FROM(i64, int64_t)
FROM(u64, uint64_t)
FROM(f32, float)
FROM(f64, double)

extern "C" __global__ void rounding(int* out, const float* in, const double* din, const int* iin, const long long* lin) {
  const int i = threadIdx.x;
  const float f = in[i];
  const double d = din[i];
  int r = __float2int_rn(f) + __float2int_rd(f) + __float2int_ru(f) + __float2int_rz(-f);
  r += __float2uint_rn(fabsf(f)) + __float2uint_ru(f) + int(__float2ll_rn(f)) + int(__float2ull_rd(f));
  r += __double2int_rn(d) + __double2int_rd(d) + __double2uint_ru(d) + int(__double2ll_rz(d)) + int(__double2ull_rn(-d));
  r += __float_as_int(__int2float_rd(iin[i]) + __uint2float_ru(iin[i]) + __ll2float_rz(lin[i]) + __ull2float_rn(lin[i]));
  r += __double2hiint(__int2double_rn(iin[i]) + __uint2double_rn(iin[i]) + __ll2double_rd(lin[i]) + __ull2double_ru(lin[i]));
  r += __float_as_int(__double2float_rn(d) + __double2float_rd(d) + __double2float_ru(fabs(d)) + __double2float_rz(d));
  r += __double2loint(d) + int(__double_as_longlong(__hiloint2double(r, iin[i])));
  float g;
  asm("cvt.rni.ftz.f32.f32 %0, %1;" : "=f"(g) : "f"(f));
  int s;
  asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(s) : "f"(f));
  unsigned u;
  asm("cvt.rzi.ftz.u32.f32 %0, %1;" : "=r"(u) : "f"(f));
  int t;
  asm("cvt.sat.s16.s32 %0, %1;" : "=r"(t) : "r"(iin[i]));
  unsigned v;
  asm("cvt.sat.u8.s32 %0, %1;" : "=r"(v) : "r"(iin[i]));
  unsigned w;
  asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(w) : "r"(iin[i]), "r"(r), "r"(s));
  unsigned x;
  asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(x) : "r"(iin[i]), "r"(r));
  out[i] = r + __float_as_int(g) + s + u + t + v + w + x;
}
