// Every atomic operation on global, shared and generic addresses, with and without its result used.
#include <cuda_fp16.h>
#include <cuda_bf16.h>

template <class T>
__device__ T arithmetic(T* p, T v) {
  T r = atomicAdd(p, v);
  r += atomicMin(p, v);
  r += atomicMax(p, r);
  r += atomicExch(p, v);
  r += atomicCAS(p, v, r);
  r += atomicAnd(p, v);
  r += atomicOr(p, r);
  r += atomicXor(p, v);
  return r;
}
template <class T>
__device__ void unused(T* p, T v) {
  atomicAdd(p, v);
  atomicMin(p + 1, v);
  atomicMax(p + 2, v);
  atomicExch(p + 3, v);
  atomicCAS(p + 4, v, T(v + 1));
  atomicAnd(p + 5, v);
  atomicOr(p + 6, v);
  atomicXor(p + 7, v);
}

#define TYPE(name, type)                                                               \
  extern "C" __global__ void name##_global(type* out, type* p, type v) {               \
    out[threadIdx.x] = arithmetic(p + threadIdx.x, v);                                 \
    unused(p + 100, v);                                                                \
  }                                                                                    \
  extern "C" __global__ void name##_shared(type* out, type v) {                        \
    __shared__ type s[256];                                                            \
    s[threadIdx.x] = v;                                                                \
    __syncthreads();                                                                   \
    out[threadIdx.x] = arithmetic(s + (threadIdx.x ^ 3), v);                           \
    unused(s + 100, v);                                                                \
    __syncthreads();                                                                   \
    out[threadIdx.x] += s[threadIdx.x];                                                \
  }                                                                                    \
  extern "C" __global__ void name##_generic(type* out, type** p, type v) {             \
    __shared__ type s[256];                                                            \
    type* q = v == 3 ? s + threadIdx.x : p[threadIdx.x];                               \
    out[threadIdx.x] = arithmetic(q, v);                                               \
    unused(q + 8, v);                                                                  \
  }
TYPE(i32, int)
TYPE(u32, unsigned)
TYPE(u64, unsigned long long)

extern "C" __global__ void incdec(unsigned* out, unsigned* p, unsigned v) {
  __shared__ unsigned s;
  s = v;
  __syncthreads();
  out[threadIdx.x] = atomicInc(p, v) + atomicDec(p + 1, v) + atomicInc(&s, v) + atomicDec(&s, v);
  atomicInc(p + 2, v);
  atomicDec(p + 3, v);
}

extern "C" __global__ void floats(float* out, float* p, double* d, __half2* h, __half* h1, __nv_bfloat162* b, float v) {
  __shared__ float s;
  __shared__ double sd;
  s = v;
  sd = v;
  __syncthreads();
  out[threadIdx.x] = atomicAdd(p, v) + atomicAdd(&s, v) + float(atomicAdd(d, double(v))) + float(atomicAdd(&sd, double(v))) + atomicExch(p + 9, v);
  atomicAdd(p + 1, v);
  atomicAdd(d + 1, double(v));
  atomicAdd(h, __float2half2_rn(v));
  atomicAdd(h1, __float2half(v));
  atomicAdd(b, __float2bfloat162_rn(v));
  const __half2 old = atomicAdd(h + 5, __float2half2_rn(v));
  out[threadIdx.x + 1] = __low2float(old);
}

extern "C" __global__ void scopes(int* out, int* p, unsigned long long* q, int v) {
  const int i = threadIdx.x;
  out[i] = atomicAdd_block(p, v) + atomicAdd_system(p, v) + atomicCAS_block(p, v, i) + atomicCAS_system(p, i, v);
  out[i + 1] = int(atomicMax_system(q, 3ull) + atomicExch_block(q, 4ull));
  atomicAdd_block(p + 1, v);
  atomicAdd_system(p + 2, v);
  int r;
  asm volatile("atom.acquire.gpu.global.add.s32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(v) : "memory");
  out[i + 2] = r;
  asm volatile("red.release.gpu.global.add.s32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
  asm volatile("atom.acq_rel.sys.global.cas.b32 %0, [%1], %2, %3;" : "=r"(r) : "l"(p), "r"(v), "r"(i) : "memory");
  out[i + 3] = r;
  long long s;
  asm volatile("atom.global.min.s64 %0, [%1], %2;" : "=l"(s) : "l"(q), "l"(-5ll) : "memory");
  asm volatile("red.global.max.s64 [%0], %1;" ::"l"(q), "l"(s) : "memory");
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(r) : "l"(p) : "memory");
  asm volatile("st.release.sys.global.s32 [%0], %1;" ::"l"(p), "r"(r) : "memory");
  asm volatile("ld.relaxed.cta.global.s32 %0, [%1];" : "=r"(r) : "l"(p) : "memory");
  asm volatile("ld.relaxed.sys.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  asm volatile("st.relaxed.gpu.s32 [%0], %1;" ::"l"(p), "r"(r + v) : "memory");
  volatile int* w = p;
  w[5] = w[6];
}

// Threads that add the same constant: the compiler aggregates in the warp.
extern "C" __global__ void aggregated(unsigned* counter, unsigned* out, const int* in) {
  if (in[threadIdx.x] > 0) out[threadIdx.x] = atomicAdd(counter, 1u);
  if (in[threadIdx.x] > 5) atomicAdd(counter + 1, 1u);
}

extern "C" __global__ void histogram(unsigned* out, const unsigned char* in, int n) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&bins[in[i]], 1u);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

// Global accesses the compiler can prove uniform.
__device__ int global_counter;
__device__ float global_sum;
extern "C" __global__ void uniform_address(int* out, int* p) {
  out[threadIdx.x] = atomicAdd(&global_counter, 3) + atomicCAS(p, 1, 2);
  atomicAdd(&global_sum, 1.5f);
  atomicMax(p + 1, int(threadIdx.x));
}
