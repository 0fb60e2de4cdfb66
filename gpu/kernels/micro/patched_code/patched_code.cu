// Do groups that wait at one instruction meet while another group of their warp works, and does it
// matter what the work is? Twelve lanes of a warp leave for a side of a branch, six of them for a
// loop; the other six and the twenty wait at the same BSYNC. One launch for each kind of work and
// number of rounds; what differs is how often BSYNC executes.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o patched_code patched_code.cu
//   ncu --metrics smsp__inst_executed.sum ./patched_code                  # the code as it is
//   gpu/cupti/measure.sh -m sass -o RECORD -- ./patched_code              # patched, by instruction
//
// docs/experiments/divergence-order.md, "Code that counts itself", says what was seen.
#include "../../common/common.h"

enum class Work {
  arithmetic,
  load,
  atomic,
  reduction,
  fence,
  vote,
  active_mask,
  store,
  shuffle,
  match,
  shared_load,
  shared_store,
  shared_atomic
};

template <Work kWork>
__device__ void work(unsigned rounds, unsigned* data, unsigned shared, unsigned& x) {
#pragma unroll 1
  for (unsigned i = 0; i < rounds; ++i) {
    unsigned value = 0;
    if (kWork == Work::arithmetic) asm volatile("mad.lo.u32 %0, %0, %0, 7;" : "+r"(x));
    if (kWork == Work::load)
      asm volatile("ld.global.cv.u32 %0, [%1];" : "=r"(value) : "l"(data + (x & 1023)) : "memory");
    if (kWork == Work::atomic)
      asm volatile("atom.global.add.u32 %0, [%1], 1;"
                   : "=r"(value)
                   : "l"(data + threadIdx.x)
                   : "memory");
    if (kWork == Work::reduction)
      asm volatile("red.global.add.u32 [%0], 1;" ::"l"(data + threadIdx.x) : "memory");
    if (kWork == Work::fence) asm volatile("membar.gl;" ::: "memory");
    if (kWork == Work::vote)
      asm volatile("{ .reg .pred p; vote.sync.ballot.b32 %0, 1, %1; }" : "=r"(value) : "r"(0x3fu));
    if (kWork == Work::active_mask) asm volatile("activemask.b32 %0;" : "=r"(value));
    if (kWork == Work::store)
      asm volatile("st.global.u32 [%0], %1;" ::"l"(data + threadIdx.x), "r"(x) : "memory");
    if (kWork == Work::shuffle)
      asm volatile("shfl.sync.idx.b32 %0, %1, 0, 0x1f, 0x3f;" : "=r"(value) : "r"(x));
    if (kWork == Work::match)
      asm volatile("match.any.sync.b32 %0, %1, 0x3f;" : "=r"(value) : "r"(x));
    if (kWork == Work::shared_load)
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(shared) : "memory");
    if (kWork == Work::shared_store)
      asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared), "r"(x) : "memory");
    if (kWork == Work::shared_atomic)
      asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(value) : "r"(shared) : "memory");
    x += value;
  }
}

template <Work kWork>
__global__ void meet(unsigned rounds, unsigned* data, unsigned* out, unsigned aside,
                     unsigned busy) {
  __shared__ unsigned words[32];
  const unsigned lane = threadIdx.x & 31;
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(words + lane));
  unsigned x = data[lane];
  if (kWork >= Work::shared_load) words[lane] = x;
  if (lane < aside) {
    x = x * 3 + 1;
    out[threadIdx.x] = x;
    if (lane < busy) work<kWork>(rounds, data, shared, x);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

template <Work kWork>
void launch(unsigned* data, unsigned* out) {
  for (unsigned rounds = 1; rounds <= 100000; rounds *= 10)
    meet<kWork><<<132, 32>>>(rounds, data, out, 12, 6);
}

int main() {
  constexpr unsigned kBytes = 1 << 20;
  unsigned *data, *out;
  CHECK(cudaMalloc(&data, kBytes));
  CHECK(cudaMemset(data, 0, kBytes));
  CHECK(cudaMalloc(&out, kBytes));
  launch<Work::arithmetic>(data, out);
  launch<Work::load>(data, out);
  launch<Work::atomic>(data, out);
  launch<Work::reduction>(data, out);
  launch<Work::fence>(data, out);
  launch<Work::vote>(data, out);
  launch<Work::active_mask>(data, out);
  launch<Work::store>(data, out);
  launch<Work::shuffle>(data, out);
  launch<Work::match>(data, out);
  launch<Work::shared_load>(data, out);
  launch<Work::shared_store>(data, out);
  launch<Work::shared_atomic>(data, out);
  CHECK(cudaDeviceSynchronize());
}
