// A barrier over the grid as programs write it by hand, one warp that prints, and one that waits long.
#include <cstdint>
#include <cstdio>

extern "C" __global__ void wait_for_last_block(int* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (*static_cast<volatile int*>(arrived) != gridDim.x) {
    }
  }
  __syncthreads();
}

extern "C" __global__ void print_lines(int lines) {
  for (int i = 0; i < lines; ++i) printf("%d\n", i);
}

// Warp 1 waits at an mbarrier until warp 0 has computed.
extern "C" __global__ void wait_for_slow_warp(int rounds, float* out) {
  __shared__ alignas(8) std::uint64_t barrier;
  const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(at) : "memory");
  __syncthreads();
  if (threadIdx.x < 32) {
    float sum = 1;
    for (int i = 0; i < rounds; ++i) sum = sum * 0.5f + out[threadIdx.x];
    out[threadIdx.x] = sum;
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
  } else {
    asm volatile(
        "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
        "@!p bra again;\n}" ::"r"(at)
        : "memory");
    out[threadIdx.x] = out[threadIdx.x - 32];
  }
}
