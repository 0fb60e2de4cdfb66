// Asks for conversions to and from floats of eight, six and four bits and exponents alone, and compares them with what the
// functions of CUDA's headers compute on the host. Prints how many differ, conversion by conversion.
//
//   nvcc -std=c++17 -arch=sm_100a -o narrow_floats narrow_floats.cu    # or sm_120a
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <cstdio>
#include <cstring>
#include <vector>

constexpr int kInputs = 1 << 17, kConversions = 14;

__host__ __device__ unsigned bits_of(float x) {
  unsigned bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
__host__ __device__ unsigned pair(__half2_raw h) { return h.x | unsigned{h.y} << 16; }
__host__ __device__ unsigned pair(__nv_bfloat162_raw b) { return b.x | unsigned{b.y} << 16; }

__host__ __device__ void convert(float x, float y, unsigned* to) {
  const float2 two{x, y};
  const unsigned bits = bits_of(x);
  __nv_bfloat162_raw halves;
  halves.x = static_cast<unsigned short>(bits);
  halves.y = static_cast<unsigned short>(bits >> 16);
  to[0] = __nv_cvt_float2_to_fp4x2(two, __NV_E2M1, cudaRoundNearest);
  to[1] = __nv_cvt_float2_to_fp6x2(two, __NV_E2M3, cudaRoundNearest);
  to[2] = __nv_cvt_float2_to_fp6x2(two, __NV_E3M2, cudaRoundNearest);
  to[3] = __nv_cvt_float2_to_fp8x2(two, __NV_SATFINITE, __NV_E4M3);
  to[4] = __nv_cvt_float2_to_e8m0x2(two, __NV_SATFINITE, cudaRoundPosInf);
  to[5] = __nv_cvt_float2_to_e8m0x2(two, __NV_NOSAT, cudaRoundPosInf);
  to[6] = __nv_cvt_float2_to_e8m0x2(two, __NV_SATFINITE, cudaRoundZero);
  to[7] = __nv_cvt_float2_to_e8m0x2(two, __NV_NOSAT, cudaRoundZero);
  to[8] = __nv_cvt_bfloat162raw_to_e8m0x2(halves, __NV_SATFINITE, cudaRoundPosInf);
  to[9] = __nv_cvt_bfloat162raw_to_e8m0x2(halves, __NV_NOSAT, cudaRoundZero);
  to[10] = pair(__nv_cvt_fp4x2_to_halfraw2(static_cast<__nv_fp4x2_storage_t>(bits), __NV_E2M1));
  to[11] = pair(__nv_cvt_fp6x2_to_halfraw2(static_cast<__nv_fp6x2_storage_t>(bits & 0x3f3f), __NV_E2M3));
  to[12] = pair(__nv_cvt_fp6x2_to_halfraw2(static_cast<__nv_fp6x2_storage_t>(bits & 0x3f3f), __NV_E3M2));
  to[13] = pair(__nv_cvt_e8m0x2_to_bf162raw(static_cast<__nv_fp8x2_storage_t>(bits)));
}

__host__ __device__ int partner(int i) { return static_cast<int>((i * 7ll + 3) % kInputs); }

__global__ void ask(const float* x, unsigned* to) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  convert(x[i], x[partner(i)], to + kConversions * i);
}

// Any bits; numbers near those of the formats, with few bits and with many; special and very small ones.
std::vector<float> inputs() {
  std::vector<float> numbers(kInputs);
  unsigned state = 1;
  for (int i = 0; i < kInputs; ++i) {
    state = state * 1664525u + 1013904223u;
    unsigned bits = state ^ state >> 13;
    const unsigned sign = state & 0x80000000u;
    if (i % 2 != 0) bits = sign | (120u + bits % 14) << 23 | (bits >> 3 & (i % 4 == 1 ? 0x780000u : 0x7fffffu));
    if (i % 64 == 0) bits = sign | (i % 128 != 0 ? 0x7f800000u : 0x7fc00000u);
    if (i % 64 == 2) bits = state & 0x807fffffu;
    memcpy(&numbers[i], &bits, sizeof bits);
  }
  return numbers;
}

int main() {
  const std::vector<float> x = inputs();
  std::vector<unsigned> got(static_cast<size_t>(kInputs) * kConversions);
  float* device_x;
  unsigned* device_to;
  cudaMalloc(&device_x, kInputs * sizeof(float));
  cudaMalloc(&device_to, got.size() * sizeof(unsigned));
  cudaMemcpy(device_x, x.data(), kInputs * sizeof(float), cudaMemcpyHostToDevice);
  ask<<<kInputs / 256, 256>>>(device_x, device_to);
  const cudaError_t error = cudaMemcpy(got.data(), device_to, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) return printf("%s\n", cudaGetErrorString(error)), 1;
  int different[kConversions] = {};
  for (int i = 0; i < kInputs; ++i) {
    unsigned expected[kConversions];
    convert(x[i], x[partner(i)], expected);
    for (int k = 0; k < kConversions; ++k) different[k] += expected[k] != got[kConversions * i + k] ? 1 : 0;
  }
  int sum = 0;
  for (int count : different) printf("%d ", count), sum += count;
  printf("of %d pairs differ\n", kInputs);
  return sum == 0 ? 0 : 1;
}
