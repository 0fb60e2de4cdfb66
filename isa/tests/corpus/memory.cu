// Loads and stores of every width, space and cache policy; local arrays; constant memory.
#include <cstdint>
#include <cuda_pipeline.h>

__constant__ int table[64];
__constant__ double weights[16];
__device__ int variable = 5;
__device__ int4 vectors[32];
extern __shared__ char dynamic[];

template <class T>
__device__ void copy(T* out, const T* in, int stride) {
  __shared__ T tile[64];
  const int i = threadIdx.x;
  tile[i & 63] = in[i * stride];
  __syncthreads();
  out[i] = tile[(i * 7 + 1) & 63];
  out[i + 1000] = __ldg(in + i);
}
#define COPY(name, type) \
  extern "C" __global__ void name(type* out, const type* in, int stride) { copy<type>(out, in, stride); }
COPY(copy_i8, signed char)
COPY(copy_u8, unsigned char)
COPY(copy_i16, short)
COPY(copy_u16, unsigned short)
COPY(copy_i32, int)
COPY(copy_i64, long long)
COPY(copy_f4, float4)
COPY(copy_d2, double2)
COPY(copy_c4, uchar4)

extern "C" __global__ void policies(float* out, const float* in, const float* __restrict__ ro) {
  const int i = threadIdx.x;
  float r = __ldcg(in + i) + __ldca(in + i + 1) + __ldcs(in + i + 2) + __ldlu(in + i + 3) + __ldcv(in + i + 4) + ro[i];
  __stcg(out + i, r);
  __stcs(out + i + 100, r);
  __stwt(out + i + 200, r);
  __stwb(out + i + 300, r);
  float v;
  asm volatile("ld.global.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(in + 9));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in + 64));
  asm volatile("prefetch.global.L1 [%0];" ::"l"(in + 128));
  asm volatile("st.global.L1::no_allocate.f32 [%0], %1;" ::"l"(out + 9), "f"(v));
  float w;
  asm volatile("ld.global.L2::128B.f32 %0, [%1];" : "=f"(w) : "l"(in + 19));
  out[i + 5] = w;
#if __CUDA_ARCH__ >= 800
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(w) : "l"(in + 21), "l"(policy));
  asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(out + 21), "f"(w), "l"(policy));
#endif
}

extern "C" __global__ void spaces(int* out, int** pointers, int n) {
  int local[40];
  for (int i = 0; i < 40; ++i) local[i] = i * n;
  local[n] = 7;
  int* p = n == 1 ? local : n == 2 ? reinterpret_cast<int*>(dynamic) : n == 3 ? &variable : pointers[threadIdx.x];
  int r = *p + local[threadIdx.x % 40] + table[threadIdx.x & 63] + table[3] + int(weights[n & 15]) + vectors[n].y;
  *p = r;
  if (__isGlobal(p)) r += 1;
  if (__isShared(p)) r += 2;
  if (__isLocal(p)) r += 4;
  short* q = reinterpret_cast<short*>(p);
  q[5] = q[6] + 1;
  long long* l = reinterpret_cast<long long*>(p);
  l[3] += l[4];
  char* c = reinterpret_cast<char*>(p);
  c[1] = c[2];
  unsigned char* u = reinterpret_cast<unsigned char*>(p);
  r += u[9];
  int4* v = reinterpret_cast<int4*>(p);
  v[2] = v[1];
  variable = r;
  out[threadIdx.x] = r;
}

struct Big {
  int a[20];
  double d;
  char c;
};
extern "C" __global__ void parameters(Big big, int* out, short s, char c, unsigned char u, float4 v, int index) {
  out[threadIdx.x] = big.a[index] + big.c + int(big.d) + s + c + u + int(v.z);
}

extern "C" __global__ void shared_layouts(int* out, int n) {
  __shared__ int matrix[32][33];
  __shared__ double doubles[64];
  __shared__ short shorts[64];
  __shared__ char chars[64];
  const int x = threadIdx.x & 31, y = threadIdx.x >> 5;
  for (int k = 0; k < 32; k += 4) matrix[y + k][x] = out[(y + k) * 32 + x];
  doubles[x] = n;
  shorts[x] = short(n);
  chars[x] = char(n);
  int* dyn = reinterpret_cast<int*>(dynamic);
  dyn[x] = n;
  volatile int* w = dyn;
  __syncthreads();
  int r = matrix[x][y] + int(doubles[n]) + shorts[n] + chars[n] + dyn[n] + w[3];
  w[4] = r;
  out[threadIdx.x] = r + reinterpret_cast<int4*>(dynamic)[x].w;
}
