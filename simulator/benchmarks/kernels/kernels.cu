// What the machine benchmark runs. Compiled by make_cubin.sh; the cubin is committed.

// Full masks, arithmetic only: 16 independent chains of integer and floating-point operations.
extern "C" __global__ void alu_loop(unsigned* out, int trips) {
  unsigned a[8];
  float f[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    a[i] = threadIdx.x + i;
    f[i] = 1.0f + i;
  }
  for (int t = 0; t < trips; ++t) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      a[i] = (a[i] ^ (a[(i + 1) & 7] << 3)) + t;
      f[i] = f[i] * 0.5f + f[(i + 1) & 7];
      a[i] = a[i] * 5 + a[(i + 3) & 7];
    }
  }
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += a[i] + __float_as_uint(f[i]);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The two halves of every warp take different ways round a loop, with bodies too long to predicate.
extern "C" __global__ void divergent_loop(unsigned* out, int trips) {
  unsigned a = threadIdx.x, b = blockIdx.x;
  for (int t = 0; t < trips; ++t) {
    if ((threadIdx.x + t) & 1) {
#pragma unroll
      for (int i = 0; i < 12; ++i) a = (a ^ (b << 3)) * 5 + i + t;
    } else {
#pragma unroll
      for (int i = 0; i < 12; ++i) b = (b ^ (a << 5)) * 3 + i - t;
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b;
}

// c[i] = a[i] + b[i], a grid-stride loop.
extern "C" __global__ void stream(const float* a, const float* b, float* c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = a[i] + b[i];
}
