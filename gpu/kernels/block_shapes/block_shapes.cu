// Grids and blocks of two and three dimensions, with sizes that are no multiples of a warp.
#include "../common/device_array.h"

__global__ void write_place(uint4* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  out[block * threads + thread] =
      make_uint4(threadIdx.x | threadIdx.y << 10 | threadIdx.z << 20,
                 blockIdx.x | blockIdx.y << 10 | blockIdx.z << 20, lane, gridDim.y * blockDim.z);
}

// A branch on each coordinate.
__global__ void branch_on_place(unsigned* out) {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned value = 1;
  if (threadIdx.x > 2) value += thread;
  if (threadIdx.y % 2) value *= 5;
  if (threadIdx.z == 1) value ^= 0xff;
  out[blockIdx.y * blockDim.x * blockDim.y * blockDim.z + thread] = value;
}

static bool check(dim3 grid, dim3 block) {
  const unsigned threads = block.x * block.y * block.z, blocks = grid.x * grid.y * grid.z;
  DeviceArray<uint4> out(blocks * threads);
  write_place<<<grid, block>>>(out.data());
  const auto values = out.host();
  bool ok = true;
  for (unsigned b = 0; b < blocks; ++b)
    for (unsigned t = 0; t < threads; ++t) {
      const uint4 value = values[b * threads + t];
      ok = ok &&
           value.x == (t % block.x | t / block.x % block.y << 10 | t / block.x / block.y << 20) &&
           value.y == (b % grid.x | b / grid.x % grid.y << 10 | b / grid.x / grid.y << 20) &&
           value.z == t % 32 && value.w == grid.y * block.z;
    }
  return ok;
}

int main() {
  Verdict verdict;
  verdict.expect(check(dim3(3, 2), dim3(7, 5)), "two dimensions");
  verdict.expect(check(dim3(2, 3, 2), dim3(5, 3, 4)), "three dimensions");
  verdict.expect(check(dim3(1, 1, 3), dim3(1, 1, 33)), "depth alone");
  const dim3 block(5, 4, 3);
  DeviceArray<unsigned> out(2 * 60);
  branch_on_place<<<dim3(1, 2), block>>>(out.data());
  const auto values = out.host();
  for (unsigned i = 0; i < 120; ++i) {
    const unsigned t = i % 60;
    unsigned value = 1;
    if (t % 5 > 2) value += t;
    if (t / 5 % 4 % 2) value *= 5;
    if (t / 20 == 1) value ^= 0xff;
    verdict.expect(values[i] == value, "branch_on_place");
  }
  return verdict.finish();
}
