// sm_90's copy engine: runs of bytes to shared memory that a barrier there counts, back to global memory in
// groups, added to it element by element, and to the shared memory of another block of the cluster; and single
// stores and additions that such a barrier counts. Other architectures make loops of them.
#include "../common/device_array.h"

constexpr unsigned kThreads = 64, kWords = 256, kBlocks = 4, kRounds = 3;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define HAS_ENGINE 1
#define CLUSTER_OF_TWO __cluster_dims__(2, 1, 1)
#else
#define HAS_ENGINE 0
#define CLUSTER_OF_TWO
#endif

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

#if HAS_ENGINE
__device__ void begin_barrier(std::uint64_t* barrier, unsigned bytes) {
  const unsigned at = shared_address(barrier);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  if (bytes != 0)
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
}

__device__ void wait_for(std::uint64_t* barrier, unsigned phase) {
  asm volatile(
      "{ .reg .pred over; again_%=: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1; @!over bra again_%=; }"
      ::"r"(shared_address(barrier)), "r"(phase) : "memory");
}

__device__ unsigned long long keep_out() {
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(policy));
  return policy;
}

__device__ void finish_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// What the engine reads was written by ordinary stores.
__device__ void show_to_engine() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ unsigned in_block(const void* pointer, unsigned rank) {
  unsigned address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(pointer)), "r"(rank));
  return address;
}

__device__ unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
#endif

__global__ void there_and_back(const unsigned* in, unsigned* out) {
  __shared__ alignas(128) unsigned tile[kWords];
#if HAS_ENGINE
  __shared__ std::uint64_t barrier;
  const unsigned bytes = sizeof tile;
  if (threadIdx.x == 0) begin_barrier(&barrier, 0);
  __syncthreads();
#endif
  for (unsigned round = 0; round < kRounds; ++round) {
    const unsigned first = (blockIdx.x * kRounds + round) * kWords;
#if HAS_ENGINE
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes)
                   : "memory");
      if (round == 1)
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;"
            ::"r"(shared_address(tile)), "l"(in + first), "r"(bytes), "r"(shared_address(&barrier)), "l"(keep_out())
            : "memory");
      else
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                shared_address(tile)), "l"(in + first), "r"(bytes), "r"(shared_address(&barrier)) : "memory");
    }
    wait_for(&barrier, round % 2);
#else
    for (unsigned i = threadIdx.x; i < kWords; i += kThreads) tile[i] = in[first + i];
#endif
    for (unsigned i = threadIdx.x; i < kWords; i += kThreads) tile[i] = tile[i] * 3 + round;
#if HAS_ENGINE
    show_to_engine();
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + first),
                   "r"(shared_address(tile)), "r"(bytes) : "memory");
      finish_group();
    }
    __syncthreads();
#else
    for (unsigned i = threadIdx.x; i < kWords; i += kThreads) out[first + i] = tile[i];
#endif
  }
}

// Every block adds its values, takes their maximum, and flips their bits.
__global__ void reduce(const unsigned* in, unsigned* sums, int* largest, unsigned* flipped) {
  __shared__ alignas(128) unsigned tile[kWords];
  for (unsigned i = threadIdx.x; i < kWords; i += kThreads) tile[i] = in[blockIdx.x * kWords + i];
#if HAS_ENGINE
  const unsigned bytes = sizeof tile, from = shared_address(tile);
  show_to_engine();
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(sums), "r"(from),
               "r"(bytes) : "memory");
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%0], [%1], %2;" ::"l"(largest), "r"(from),
               "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(flipped), "r"(bytes) : "memory");
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.xor.b32 [%0], [%1], %2, %3;" ::"l"(
                   flipped), "r"(from), "r"(bytes), "l"(keep_out()) : "memory");
  finish_group();
#else
  for (unsigned i = threadIdx.x; i < kWords; i += kThreads) {
    atomicAdd(&sums[i], tile[i]);
    atomicMax(&largest[i], int(tile[i]));
    atomicXor(&flipped[i], tile[i]);
  }
#endif
}

// Each block of a pair writes to the other: a run of bytes, one that is added, a store and an addition a thread.
__global__ void CLUSTER_OF_TWO to_the_other(const unsigned* in, unsigned* out) {
#if HAS_ENGINE
  __shared__ alignas(128) unsigned mine[kThreads], copied[kThreads], added[kThreads], stored[kThreads], counted[2];
  __shared__ alignas(16) unsigned four[kThreads][4];
  __shared__ unsigned long long wide[kThreads], total;
  __shared__ std::uint64_t barrier;
  const unsigned t = threadIdx.x, other = cluster_rank() ^ 1, bytes = sizeof mine;
  if (t == 0) begin_barrier(&barrier, 2 * bytes + (4 + 4 + 16 + 8 + 8) * kThreads);
  mine[t] = in[blockIdx.x * kThreads + t];
  added[t] = t;
  if (t < 2) counted[t] = 0;
  if (t == 0) total = 0;
  show_to_engine();
  cluster_barrier();
  const unsigned at = in_block(&barrier, other);
  if (t == 0) {
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            in_block(copied, other)), "r"(shared_address(mine)), "r"(bytes), "r"(at) : "memory");
    asm volatile(
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], %2, [%3];"
        ::"r"(in_block(added, other)), "r"(shared_address(mine)), "r"(bytes), "r"(at) : "memory");
  }
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                   in_block(&stored[t], other)), "r"(mine[t] + 1), "r"(at) : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(
                   in_block(&counted[t % 2], other)), "r"(t), "r"(at) : "memory");
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %2, %1}, [%3];" ::"r"(
                   in_block(four[t], other)), "r"(t), "r"(mine[t]), "r"(at) : "memory");
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(
                   in_block(&wide[t], other)), "l"(mine[t] * 3ull), "r"(at) : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" ::"r"(
                   in_block(&total, other)), "l"(0x100000000ull + t), "r"(at) : "memory");
  wait_for(&barrier, 0);
  const unsigned wrong = (four[t][0] ^ t) | (four[t][3] ^ t) | (four[t][1] ^ copied[t]) | (four[t][2] ^ copied[t]);
  const unsigned more = unsigned(wide[t] >> 32) + wrong;
  const unsigned sum = unsigned(total >> 32) * 1000 + unsigned(total);
  out[blockIdx.x * kThreads + t] =
      copied[t] + 3 * added[t] + 5 * stored[t] + 7 * counted[t % 2] + 11 * more + 13 * sum;
  cluster_barrier();
#else
  const unsigned t = threadIdx.x, value = in[(blockIdx.x ^ 1) * kThreads + t];
  out[blockIdx.x * kThreads + t] =
      value + 3 * (value + t) + 5 * (value + 1) + 7 * (kThreads / 2 * (kThreads / 2 - 1 + t % 2)) +
      11 * unsigned(value * 3ull >> 32) + 13 * (kThreads * 1000 + kThreads * (kThreads - 1) / 2);
#endif
}

int main() {
  const unsigned count = kWords * kBlocks * kRounds;
  std::vector<unsigned> in(count);
  for (unsigned i = 0; i < count; ++i) in[i] = scramble(i);
  DeviceArray<unsigned> d_in(in), out(count), sums(kWords), flipped(kWords), exchanged(kThreads * kBlocks);
  DeviceArray<int> largest(kWords);
  there_and_back<<<kBlocks, kThreads>>>(d_in.data(), out.data());
  reduce<<<kBlocks, kThreads>>>(d_in.data(), sums.data(), largest.data(), flipped.data());
  to_the_other<<<kBlocks, kThreads>>>(d_in.data(), exchanged.data());
  Verdict verdict;
  const auto a = out.host();
  for (unsigned i = 0; i < count; ++i)
    verdict.expect(a[i] == in[i] * 3 + i / kWords % kRounds, "there_and_back");
  const auto b = sums.host(), d = flipped.host(), e = exchanged.host();
  const auto c = largest.host();
  for (unsigned i = 0; i < kWords; ++i) {
    unsigned sum = 0, bits = 0;
    int most = 0;
    for (unsigned block = 0; block < kBlocks; ++block) {
      const unsigned value = in[block * kWords + i];
      sum += value;
      bits ^= value;
      if (int(value) > most) most = int(value);
    }
    verdict.expect(b[i] == sum && c[i] == most && d[i] == bits, "reduce");
  }
  for (unsigned i = 0; i < kThreads * kBlocks; ++i) {
    const unsigned t = i % kThreads, value = in[i ^ kThreads];
    verdict.expect(e[i] == value + 3 * (value + t) + 5 * (value + 1) +
                               7 * (kThreads / 2 * (kThreads / 2 - 1 + t % 2)) + 11 * unsigned(value * 3ull >> 32) +
                               13 * (kThreads * 1000 + kThreads * (kThreads - 1) / 2),
                   "to_the_other");
  }
  return verdict.finish();
}
