// What sm_100a has for memory besides tensor memory: accesses of 32 bytes, matrices of bytes and of
// narrower numbers, and what one thread asks for without waiting. What each leaves is known to
// simulator/tests/blackwell_test.cpp.
#include <cstdint>

__device__ std::uint32_t shared_address(const void* place) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(place));
}

// Words 0, 1, 2 and 5 of each thread's eight go to their own places, and all to another buffer.
extern "C" __global__ void wide_words(const std::uint32_t* in, std::uint32_t* some, std::uint32_t* all) {
  std::uint32_t v[8];
  const std::uint32_t* from = in + 8 * threadIdx.x;
  asm volatile("ld.global.v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
               : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]), "=r"(v[7])
               : "l"(from));
  asm volatile("st.global.v8.b32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8};" ::"l"(all + 8 * threadIdx.x), "r"(v[7]),
               "r"(v[6]), "r"(v[5]), "r"(v[4]), "r"(v[3]), "r"(v[2]), "r"(v[1]), "r"(v[0])
               : "memory");
  asm volatile("{\n.reg .b32 a, b, c, d;\nld.global.v8.b32 {a, b, c, _, _, d, _, _}, [%1];\n"
               "st.global.v8.b32 [%0], {a, b, c, _, _, d, _, _};\n}" ::"l"(some + 8 * threadIdx.x),
               "l"(from)
               : "memory");
}

// Rows of 16 bytes, in shared memory as they are in `in`; out: registers, a warp's words each.
extern "C" __global__ void load_matrices(const std::uint32_t* in, std::uint32_t* out) {
  __shared__ alignas(16) std::uint32_t rows[128];
  for (unsigned i = threadIdx.x; i < 128; i += 32) rows[i] = in[i];
  __syncthreads();
  const std::uint32_t at = shared_address(rows + 4 * threadIdx.x);
  std::uint32_t v[14];
  asm volatile("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%0, %1, %2, %3}, [%4];"
               : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
               : "r"(at));
  asm volatile("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b4x16_p64 {%0, %1, %2, %3}, [%4];"
               : "=r"(v[4]), "=r"(v[5]), "=r"(v[6]), "=r"(v[7])
               : "r"(at));
  asm volatile("ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b6x16_p32 {%0, %1}, [%2];"
               : "=r"(v[8]), "=r"(v[9])
               : "r"(at));
  asm volatile("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8x16.b6x16_p32 {%0, %1}, [%2];"
               : "=r"(v[10]), "=r"(v[11])
               : "r"(at));
  asm volatile("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8x16.b4x16_p64 {%0, %1}, [%2];"
               : "=r"(v[12]), "=r"(v[13])
               : "r"(at));
  for (int i = 0; i < 14; ++i) out[32 * i + threadIdx.x] = v[i];
}

extern "C" __global__ void store_matrices(const std::uint32_t* in, std::uint32_t* out) {
  __shared__ alignas(16) std::uint32_t rows[64];
  const std::uint32_t at = shared_address(rows + 4 * (threadIdx.x % 16));
  asm volatile("stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%0], {%1, %2};" ::"r"(at), "r"(in[threadIdx.x]),
               "r"(in[32 + threadIdx.x])
               : "memory");
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 64; i += 32) out[i] = rows[i];
}

// Zeros from byte `at` on, in words that were all sevens.
extern "C" __global__ void zeros(std::uint32_t* out, std::uint32_t at, std::uint64_t bytes) {
  __shared__ alignas(16) std::uint32_t words[256];
  for (unsigned i = threadIdx.x; i < 256; i += 32) words[i] = 7;
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("st.bulk.weak.shared::cta [%0], %1, 0;" ::"r"(shared_address(words) + at), "l"(bytes) : "memory");
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 256; i += 32) out[i] = words[i];
}

// Odd threads store to places of their own, and all add to the same three.
extern "C" __global__ void stores_without_waiting(std::uint64_t* places, std::uint64_t* sums) {
  const std::uint64_t value = 0x1111'1111'1111'1111ull * (threadIdx.x + 1) / 8;
  if (threadIdx.x % 2 != 0) {
    std::uint64_t* own = places + 4 * threadIdx.x;
    asm volatile("st.async.release.gpu.global.b16 [%0], %1;" ::"l"(own), "h"((std::uint16_t)value) : "memory");
    asm volatile("st.async.release.sys.global.b32 [%0+8], %1;" ::"l"(own), "r"((std::uint32_t)value) : "memory");
    asm volatile("st.async.mmio.release.sys.global.b64 [%0+16], %1;" ::"l"(own), "l"(value) : "memory");
  }
  const std::uint32_t word = threadIdx.x * 0x1234'5678;
  asm volatile("red.async.mmio.release.sys.global.add.u32 [%0], %1;" ::"l"(sums), "r"(word) : "memory");
  asm volatile("red.async.mmio.release.sys.global.add.s32 [%0], %1;" ::"l"(sums + 1), "r"(word) : "memory");
  asm volatile("red.async.mmio.release.sys.global.add.u64 [%0], %1;" ::"l"(sums + 2), "l"(value) : "memory");
}

struct Answer {
  bool cancelled;
  std::uint32_t x, y, z;
};

__device__ Answer read_answer(const void* answer) {
  std::uint32_t yes, x, y, z;
  asm volatile(
      "{\n.reg .b128 a;\n.reg .pred p;\nld.shared.b128 a, [%4];\n"
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, a;\nselp.u32 %0, 1, 0, p;\n"
      "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, a;\n"
      "clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %2, a;\n"
      "clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %3, a;\n}"
      : "=r"(yes), "=r"(x), "=r"(y), "=r"(z)
      : "r"(shared_address(answer))
      : "memory");
  return {yes != 0, x, y, z};
}

__device__ void await(const std::uint64_t* barrier, unsigned phase) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%0], %1;\n"
      "@!p bra again;\n}" ::"r"(shared_address(barrier)),
      "r"(phase)
      : "memory");
}

// A block of a grid of 10 by 12 by 10 or less goes on with the work of blocks that have not begun.
// done: how often the work of each was done. begun: of each block, whether it began by itself.
extern "C" __global__ void take_over(std::uint32_t* done, std::uint32_t* begun) {
  __shared__ alignas(16) std::uint32_t answer[4];
  __shared__ std::uint64_t barrier;
  __shared__ char room[40960];  // so that not all blocks fit
  asm volatile("" ::"r"(shared_address(room)));
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(
                     shared_address(&barrier))
                 : "memory");
  __syncthreads();
  std::uint32_t x = blockIdx.x, y = blockIdx.y, z = blockIdx.z;
  if (threadIdx.x == 0) begun[x + gridDim.x * (y + gridDim.y * z)] = 1;
  for (unsigned phase = 0;; phase ^= 1) {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" ::"r"(shared_address(&barrier)) : "memory");
      asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(
                       shared_address(answer)),
                   "r"(shared_address(&barrier))
                   : "memory");
      atomicAdd(&done[x + gridDim.x * (y + gridDim.y * z)], 1);
    }
    await(&barrier, phase);
    const Answer next = read_answer(answer);
    __syncthreads();
    if (!next.cancelled) return;
    x = next.x;
    y = next.y;
    z = next.z;
  }
}

// The same with clusters of two, each of which gets the answer to what the first of them asks.
extern "C" __global__ void __cluster_dims__(2, 1, 1) take_over_clusters(std::uint32_t* done) {
  __shared__ alignas(16) std::uint32_t answer[4];
  __shared__ std::uint64_t barrier;
  __shared__ char room[40960];
  asm volatile("" ::"r"(shared_address(room)));
  std::uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(
                     shared_address(&barrier))
                 : "memory");
  std::uint32_t first = blockIdx.x - rank;
  for (unsigned phase = 0;; phase ^= 1) {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" ::"r"(shared_address(&barrier)) : "memory");
      atomicAdd(&done[first + rank], 1);
    }
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    if (threadIdx.x == 0 && rank == 0)
      asm volatile(
          "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 "
          "[%0], [%1];" ::"r"(shared_address(answer)),
          "r"(shared_address(&barrier))
          : "memory");
    await(&barrier, phase);
    const Answer next = read_answer(answer);
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    if (!next.cancelled) return;
    first = next.x;
  }
}
