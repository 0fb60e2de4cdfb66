// The kernels every course on warp divergence starts with, and reductions.
extern "C" __global__ void math_kernel_1(float* c) {
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  float a = 0.0f, b = 0.0f;
  if (tid % 2 == 0) {
    a = 100.0f;
  } else {
    b = 200.0f;
  }
  c[tid] = a + b;
}
extern "C" __global__ void math_kernel_3(float* c) {
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  float a = 0.0f, b = 0.0f;
  const bool even = tid % 2 == 0;
  if (even) a = 100.0f;
  if (!even) b = 200.0f;
  c[tid] = a + b;
}
extern "C" __global__ void reduce_neighbored(int* in, int* out, unsigned n) {
  const unsigned tid = threadIdx.x;
  int* data = in + blockIdx.x * blockDim.x;
  if (blockIdx.x * blockDim.x + tid >= n) return;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0) data[tid] += data[tid + stride];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = data[0];
}
template <unsigned kBlock>
__device__ void reduce_complete(int* in, int* out, unsigned n) {
  const unsigned tid = threadIdx.x;
  const unsigned index = blockIdx.x * blockDim.x * 8 + threadIdx.x;
  int* data = in + blockIdx.x * blockDim.x * 8;
  if (index + 7 * blockDim.x < n) {
    int sum = 0;
    for (int k = 0; k < 8; ++k) sum += in[index + k * blockDim.x];
    in[index] = sum;
  }
  __syncthreads();
  if (kBlock >= 1024 && tid < 512) data[tid] += data[tid + 512];
  __syncthreads();
  if (kBlock >= 256 && tid < 128) data[tid] += data[tid + 128];
  __syncthreads();
  if (tid < 32) {
    volatile int* v = data;
    v[tid] += v[tid + 32];
    v[tid] += v[tid + 16];
    v[tid] += v[tid + 8];
  }
  if (tid == 0) out[blockIdx.x] = data[0];
}
extern "C" __global__ void reduce_512(int* in, int* out, unsigned n) { reduce_complete<512>(in, out, n); }
extern "C" __global__ void transpose(double* out, const double* in, int nx, int ny) {
  __shared__ double tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < nx && y < ny) tile[threadIdx.y][threadIdx.x] = in[y * nx + x];
  __syncthreads();
  if (x < nx && y < ny) out[x * ny + y] = tile[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void matmul(float* c, const float* a, const float* b, int n) {
  __shared__ float ta[16][16], tb[16][16];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    ta[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
    __syncthreads();
    for (int j = 0; j < 16; ++j) sum += ta[threadIdx.y][j] * tb[j][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
