// Sums by kernels that launch themselves on half of what is left.
//
//   nested_reduce [threads of a block = 128] [blocks = 16]
//
// The first two launch without waiting for the other threads of their block, or for the other blocks: what
// they sum up is right only where those happen to be early. They are run, not checked. The last two wait.
#include <vector>

#include "../common/device_array.h"

// Thread 0 launches when its own warp has added, whatever the others have done.
__global__ void recursive_reduce_nosync(int* g_idata, int* g_odata, unsigned isize) {
  const unsigned tid = threadIdx.x;
  int* idata = g_idata + blockIdx.x * blockDim.x;
  int* odata = &g_odata[blockIdx.x];
  if (isize == 2 && tid == 0) {
    g_odata[blockIdx.x] = idata[0] + idata[1];
    return;
  }
  const int istride = isize >> 1;
  if (istride > 1 && tid < istride) {
    idata[tid] += idata[tid + istride];
    if (tid == 0) recursive_reduce_nosync<<<1, istride>>>(idata, odata, istride);
  }
}

// One launch for all blocks, by the first of them.
__global__ void recursive_reduce_grids(int* g_idata, int* g_odata, int iStride, const int iDim) {
  int* idata = g_idata + blockIdx.x * iDim;
  if (iStride == 1 && threadIdx.x == 0) {
    g_odata[blockIdx.x] = idata[0] + idata[1];
    return;
  }
  idata[threadIdx.x] += idata[threadIdx.x + iStride];
  if (threadIdx.x == 0 && blockIdx.x == 0)
    recursive_reduce_grids<<<gridDim.x, iStride / 2>>>(g_idata, g_odata, iStride / 2, iDim);
}

// As the first, behind a barrier.
__global__ void recursive_reduce_barrier(int* g_idata, int* g_odata, unsigned isize) {
  const unsigned tid = threadIdx.x;
  int* idata = g_idata + blockIdx.x * blockDim.x;
  if (isize == 2) {
    if (tid == 0) g_odata[blockIdx.x] = idata[0] + idata[1];
    return;
  }
  const unsigned istride = isize >> 1;
  if (tid < istride) idata[tid] += idata[tid + istride];
  __syncthreads();
  if (tid == 0)
    recursive_reduce_barrier<<<1, istride>>>(idata, &g_odata[blockIdx.x], istride);
}

// As the second, launched to begin when the whole grid has ended.
__global__ void recursive_reduce_tail(int* g_idata, int* g_odata, int iStride, const int iDim) {
  int* idata = g_idata + blockIdx.x * iDim;
  if (iStride == 1) {
    if (threadIdx.x == 0) g_odata[blockIdx.x] = idata[0] + idata[1];
    return;
  }
  idata[threadIdx.x] += idata[threadIdx.x + iStride];
  if (threadIdx.x == 0 && blockIdx.x == 0)
    recursive_reduce_tail<<<gridDim.x, iStride / 2, 0, cudaStreamTailLaunch>>>(
        g_idata, g_odata, iStride / 2, iDim);
}

int main(int argc, char** argv) {
  const int threads = int(argument(argc, argv, 1, 128, 2, 1024));
  const int blocks = int(argument(argc, argv, 2, 16, 1, 2048));
  std::vector<int> values(std::size_t(threads) * blocks);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = int(scramble(unsigned(i)) & 0xff);
  std::vector<int> sums(blocks, 0);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i / threads] += values[i];

  Verdict verdict;
  const auto run = [&](const char* name, auto launch, bool check) {
    DeviceArray<int> in(values), out(blocks);
    launch(in.data(), out.data());
    CHECK(cudaDeviceSynchronize());
    if (check) verdict.expect(out.host() == sums, name);
    printf("%s ended\n", name);
  };
  run("recursive_reduce_nosync",
      [&](int* in, int* out) { recursive_reduce_nosync<<<blocks, threads>>>(in, out, threads); }, false);
  run("recursive_reduce_grids",
      [&](int* in, int* out) {
        recursive_reduce_grids<<<blocks, threads / 2>>>(in, out, threads / 2, threads);
      },
      false);
  run("recursive_reduce_barrier",
      [&](int* in, int* out) { recursive_reduce_barrier<<<blocks, threads>>>(in, out, threads); }, true);
  run("recursive_reduce_tail",
      [&](int* in, int* out) {
        recursive_reduce_tail<<<blocks, threads / 2>>>(in, out, threads / 2, threads);
      },
      true);
  return verdict.finish();
}
