// Mistakes with what sm_90a does while threads go on: copies of tensors' boxes, products of warp
// groups, registers that change hands; each beside its repair, which waits.
#include "warp_groups.h"  // gpu/kernels/common

#define KERNEL extern "C" __global__ void

__device__ void begin(std::uint64_t* barrier, unsigned bytes) {
  make_barrier(barrier, 1);
  publish_barriers();
  expect_bytes(barrier, bytes);
}

// A box of 64 rows, each read by one thread.
template <bool waits>
__device__ void tensor_load_by(const CUtensorMap* map, int* out) {
  extern __shared__ __align__(1024) unsigned char box[];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    begin(&barrier, 64 * kBoxWidth);
    copy_box(box, map, &barrier, 0, 0);
  }
  __syncthreads();
  if constexpr (waits) wait(&barrier, 0);
  if (threadIdx.x < 64) out[threadIdx.x] = *reinterpret_cast<int*>(box + threadIdx.x * kBoxWidth);
}
KERNEL tensor_load(const __grid_constant__ CUtensorMap map, int* out) {
  tensor_load_by<false>(&map, out);
}
KERNEL tensor_load_repaired(const __grid_constant__ CUtensorMap map, int* out) {
  tensor_load_by<true>(&map, out);
}

// The box's place is used again.
template <bool waits>
__device__ void tensor_store_by(const CUtensorMap* map) {
  extern __shared__ __align__(1024) unsigned char box[];
  int* const words = reinterpret_cast<int*>(box);
  for (int i = int(threadIdx.x); i < 64 * kBoxWidth / 4; i += int(blockDim.x)) words[i] = i;
  show_to_copies();
  __syncthreads();
  if (threadIdx.x != 0) return;
  store_box(map, box, 0, 0);
  commit_stores();
  if constexpr (waits) wait_for_reads();
  words[5] = 1;
  wait_for_stores();
}
KERNEL tensor_store(const __grid_constant__ CUtensorMap map) { tensor_store_by<false>(&map); }
KERNEL tensor_store_repaired(const __grid_constant__ CUtensorMap map) {
  tensor_store_by<true>(&map);
}

// A factor is overwritten behind the product.
template <bool waits>
__device__ void product_source_by(float* out) {
  extern __shared__ __align__(1024) unsigned char boxes[];
  int* const words = reinterpret_cast<int*>(boxes);
  for (int i = int(threadIdx.x); i < 2 * 64 * kBoxWidth / 4; i += int(blockDim.x)) words[i] = 0;
  show_to_copies();
  __syncthreads();
  float sums[32] = {};
  begin_products();
  multiply_narrow(sums, matrix(boxes), matrix(boxes + 64 * kBoxWidth), 0);
  commit_products();
  if constexpr (waits) wait_for_products<0>();
  if (threadIdx.x % 32 == 0) words[64 * kBoxWidth / 4 + 1] = 7;
  wait_for_products<0>();
  for (float each : sums) out[threadIdx.x] += each;
}
KERNEL product_source(float* out) { product_source_by<false>(out); }
KERNEL product_source_repaired(float* out) { product_source_by<true>(out); }

// A ring of one stage: the warp group hands it back once it has multiplied, or too early.
template <bool waits>
__device__ void product_ring_by(const CUtensorMap* map, float* out) {
  extern __shared__ __align__(1024) unsigned char box[];
  __shared__ std::uint64_t full, empty;
  if (threadIdx.x == 0) {
    make_barrier(&full, 1);
    make_barrier(&empty, 1);
    publish_barriers();
  }
  __syncthreads();
  constexpr int kRounds = 4;
  if (threadIdx.x >= kGroup) {
    if (threadIdx.x == kGroup)
      for (int round = 0; round < kRounds; ++round) {
        wait(&empty, (round + 1) % 2);
        expect_bytes(&full, 64 * kBoxWidth);
        copy_box(box, map, &full, 0, round);
      }
    return;
  }
  float sums[32] = {};
  for (int round = 0; round < kRounds; ++round) {
    wait(&full, round % 2);
    begin_products();
    multiply_narrow(sums, matrix(box), matrix(box), 1);
    commit_products();
    if constexpr (waits) wait_for_products<0>();
    if (threadIdx.x == 0) arrive(&empty);
    wait_for_products<0>();
  }
  for (float each : sums) out[threadIdx.x] += each;
}
KERNEL product_ring(const __grid_constant__ CUtensorMap map, float* out) {
  product_ring_by<false>(&map, out);
}
KERNEL product_ring_repaired(const __grid_constant__ CUtensorMap map, float* out) {
  product_ring_by<true>(&map, out);
}

// Nobody copies the bytes that are expected.
KERNEL never_comes(int* out) {
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) begin(&barrier, 64);
  __syncthreads();
  wait(&barrier, 0);
  out[threadIdx.x] = 1;
}

// Who wants registers before anybody gives some away waits for ever. `gives`: the other group does.
KERNEL __launch_bounds__(512, 1) registers(float* out, int gives) {
  if (threadIdx.x < kGroup) {
    if (gives) give_registers_up<24>();
    return;
  }
  if (threadIdx.x >= 2 * kGroup) return;
  take_registers<216>();
  out[threadIdx.x] = 1;
}
