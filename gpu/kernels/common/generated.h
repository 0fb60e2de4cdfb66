// What the programs that generated/generate_wide.py makes share: every value becomes 32 bits on the
// device, every array a digest on the host.
//
// A program includes <cuda_fp16.h> and <cuda_bf16.h> before this file where it has such values.
#pragma once

#include <alloca.h>

#include <cstring>
#include <type_traits>

#include "device_array.h"

// Which NaN an operation gives is left to the compiler, so all of them are one here.
template <typename T>
__device__ inline typename std::enable_if<std::is_integral<T>::value, unsigned>::type fold(
    T value) {
  return sizeof(T) <= 4
             ? unsigned(value)
             : unsigned(value) ^ unsigned(static_cast<unsigned long long>(value) >> 32) * 31u;
}
__device__ inline unsigned fold(float value) {
  return isnan(value) ? 0x7fc00000u : __float_as_uint(value);
}
__device__ inline unsigned fold(double value) {
  return isnan(value) ? 0x7ff80000u
                      : fold(static_cast<unsigned long long>(__double_as_longlong(value)));
}
// Keeps numbers small enough that the next operations have something to do.
__device__ inline float tame(float value) { return fabsf(value) < 1.0e5f ? value : 1.25f; }
__device__ inline double tame(double value) { return fabs(value) < 1.0e9 ? value : -2.5; }

#ifdef __CUDA_FP16_H__
__device__ inline unsigned fold(__half value) {
  return __hisnan(value) ? 0x7e00u : unsigned(__half_as_ushort(value));
}
__device__ inline unsigned fold(__half2 value) {
  return fold(__low2half(value)) | fold(__high2half(value)) << 16;
}
__device__ inline __half tame(__half value) {
  return fabsf(__half2float(value)) < 1000.0f ? value : __ushort_as_half(0x3d00);
}
__device__ inline __half2 tame(__half2 value) {
  return __halves2half2(tame(__low2half(value)), tame(__high2half(value)));
}
#endif
#ifdef __CUDA_BF16_H__
__device__ inline unsigned fold(__nv_bfloat16 value) {
  return __hisnan(value) ? 0x7fc0u : unsigned(__bfloat16_as_ushort(value));
}
__device__ inline unsigned fold(__nv_bfloat162 value) {
  return fold(__low2bfloat16(value)) | fold(__high2bfloat16(value)) << 16;
}
__device__ inline __nv_bfloat16 tame(__nv_bfloat16 value) {
  return fabsf(__bfloat162float(value)) < 1000.0f ? value : __ushort_as_bfloat16(0x3fa0);
}
__device__ inline __nv_bfloat162 tame(__nv_bfloat162 value) {
  return __halves2bfloat162(tame(__low2bfloat16(value)), tame(__high2bfloat16(value)));
}
#endif

// REDUX is there from sm_80 on; below, the same by shuffles. `live` are the lanes that call.
template <typename Combine>
__device__ inline unsigned reduce_by_shuffles(unsigned live, unsigned value, Combine combine) {
  unsigned result = 0;
  bool first = true;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((live >> lane & 1u) == 0) continue;
    const unsigned other = __shfl_sync(live, value, int(lane));
    result = first ? other : combine(result, other);
    first = false;
  }
  return result;
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define HEDDLE_REDUCE(name, type, combine)                                  \
  __device__ inline unsigned reduce_##name(unsigned live, unsigned value) { \
    return unsigned(__reduce_##name##_sync(live, type(value)));             \
  }
#else
#define HEDDLE_REDUCE(name, type, combine)                                               \
  __device__ inline unsigned reduce_##name(unsigned live, unsigned value) {              \
    return reduce_by_shuffles(live, value,                                               \
                              [](unsigned x, unsigned y) { return unsigned(combine); }); \
  }
#endif
HEDDLE_REDUCE(add, unsigned, x + y)
HEDDLE_REDUCE(min, int, min(int(x), int(y)))
HEDDLE_REDUCE(max, unsigned, max(x, y))
HEDDLE_REDUCE(and, unsigned, x& y)
HEDDLE_REDUCE(or, unsigned, x | y)
HEDDLE_REDUCE(xor, unsigned, x ^ y)
#undef HEDDLE_REDUCE

// The bytes of an array as one number (FNV-1a).
inline unsigned digest(const void* bytes, std::size_t count) {
  unsigned hash = 2166136261u;
  for (std::size_t i = 0; i < count; ++i)
    hash = (hash ^ static_cast<const unsigned char*>(bytes)[i]) * 16777619u;
  return hash;
}
template <typename T>
unsigned digest(const DeviceArray<T>& array) {
  const std::vector<T> values = array.host();
  return digest(values.data(), values.size() * sizeof(T));
}
