// Compiled for 24 registers: one kernel whose values do not fit, and one with a stack frame that
// holds an array but no spilled value.
__global__ void spills(float* p) {
  float a[32];
  for (int i = 0; i < 32; ++i) a[i] = p[i * threadIdx.x];
  for (int i = 0; i < 32; ++i) a[i] = a[i] * a[(i * 7) & 31] + a[(i + 5) & 31];
  for (int i = 0; i < 32; ++i) p[i + threadIdx.x] = a[i];
}

__global__ void frame(float* p, int n) {
  float a[8];
  for (int i = 0; i < 8; ++i) a[i] = p[i * n];
  a[n & 7] = p[3];
  p[0] = a[p[1] > 2.0f ? 3 : n & 3];
}
