// One wrong use of a tensor copy, a bulk copy, a barrier or a warp group's product each, in one
// block of one warp group:
//
//   nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -cubin -o faults_kernels.cubin
//   faults_kernels.cu
#include "../../common/warp_groups.h"
#include "fault_cases.hpp"

namespace {

constexpr unsigned kShared = 32768;

__device__ void load(unsigned to, const void* map, unsigned barrier, int column, int row) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%3, %4}], [%2];" ::"r"(to),
      "l"(map), "r"(barrier), "r"(column), "r"(row)
      : "memory");
}
__device__ void load_im2col(unsigned to, const void* map, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%3, %3, %3}], [%2], {%4};" ::"r"(to),
      "l"(map), "r"(barrier), "r"(0), "h"(static_cast<unsigned short>(0))
      : "memory");
}
__device__ void load_3d(unsigned to, const void* map, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%3, %3, %3}], [%2];" ::"r"(to),
      "l"(map), "r"(barrier), "r"(0)
      : "memory");
}
__device__ void load_to(unsigned to, const void* map, unsigned barrier, unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %3}], [%2], %4;" ::"r"(to),
      "l"(map), "r"(barrier), "r"(0), "h"(blocks)
      : "memory");
}
__device__ void store(const void* map, unsigned from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %2}], [%1];" ::"l"(map),
      "r"(from), "r"(0)
      : "memory");
}
__device__ void bulk(unsigned to, const void* from, unsigned bytes, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}
__device__ void bulk_store(void* to, unsigned from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from),
               "r"(bytes)
               : "memory");
}
__device__ bool has_come(unsigned barrier) {
  unsigned done = 0;
  for (int i = 0; i < 200 && done == 0; ++i)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
        " selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(barrier)
        : "memory");
  return done != 0;
}
__device__ void product(std::uint64_t a, std::uint64_t b, unsigned* out) {
  float sums[32] = {};
  begin_products();
  multiply_narrow(sums, a, b, 1);
  commit_products();
  wait_for_products<0>();
  float sum = 0;
  for (const float each : sums) sum += each;
  if (threadIdx.x == 0) out[1] = __float_as_uint(sum);
}

}  // namespace

// `map`: of 64 x 256 bytes, boxes of 64 x 32, not swizzled. `other`: as the case needs it. `data`:
// 64 KiB of ones. out: whether the bytes came, then what the case leaves.
extern "C" __global__ void ask(const __grid_constant__ CUtensorMap map,
                               const __grid_constant__ CUtensorMap other, unsigned what,
                               unsigned char* data, unsigned* out) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ __align__(16) std::uint64_t barriers[2];
  for (unsigned i = threadIdx.x; i < kShared; i += blockDim.x) shared[i] = 0;
  const unsigned bytes = 64 * 32, at = shared_address(shared), bar = shared_address(barriers);
  if (threadIdx.x == 0) {
    make_barrier(&barriers[0], 1);
    publish_barriers();
    expect_bytes(&barriers[0], what == faults::kFewerBytes ? bytes / 2 : bytes);
  }
  show_to_copies();
  __syncthreads();
  const bool leads = threadIdx.x == 0;
  switch (what) {
    case faults::kProductOutside:  // beyond the block's shared memory, still an SM's
      return product(matrix(shared), std::uint64_t{200 * 1024 >> 4} | std::uint64_t{64} << 32, out);
    case faults::kProductFarOutside:  // the last 16 bytes that a descriptor can name
      return product(std::uint64_t{0x3fff} | std::uint64_t{64} << 32, matrix(shared), out);
    case faults::kProductEnd:  // begins inside, and ends outside the block's
      return product(matrix(shared), matrix(shared + kShared - 1024), out);
  }
  if (!leads) return;
  switch (what) {
    case faults::kNone:
    case faults::kFewerBytes:
      load(at, &map, bar, 0, 0);
      break;
    case faults::kShared64:
      load(at + 64, &map, bar, 0, 0);
      break;
    case faults::kShared16:
      load(at + 16, &map, bar, 0, 0);
      break;
    case faults::kShared8:
      load(at + 8, &map, bar, 0, 0);
      break;
    case faults::kSharedOutside:
      load(at + kShared, &map, bar, 0, 0);
      break;
    case faults::kSharedFarOutside:
      load(at + 220 * 1024, &map, bar, 0, 0);
      break;
    case faults::kBarrier4:
      load(at, &map, bar + 4, 0, 0);
      break;
    case faults::kBarrierOutside:
      load(at, &map, at + 220 * 1024, 0, 0);
      break;
    case faults::kMap32:
      load(at, reinterpret_cast<const char*>(&map) + 32, bar, 0, 0);
      break;
    case faults::kMapZeros:
    case faults::kMapGarbage:
    case faults::kMapOfIm2col:
    case faults::kMapOfLine:
    case faults::kMapOfNothing:
    case faults::kMapInterleaved:
      load(at, &other, bar, 0, 0);
      break;
    case faults::kMapNowhere:
      load(at, nullptr, bar, 0, 0);
      break;
    case faults::kMapOfTile:
      load_im2col(at, &map, bar);
      break;
    case faults::kMapOfPlane:
      load_3d(at, &map, bar);
      break;
    case faults::kColumn8:
      load(at, &map, bar, 8, 0);
      break;
    case faults::kFarColumn:
      load(at, &map, bar, 1 << 20, 1 << 30);
      break;
    case faults::kBlockMissing:
      load_to(at, &map, bar, 2);
      break;
    case faults::kNoBlock:
      load_to(at, &map, bar, 0);
      break;
    case faults::kStoreShared16:
      store(&map, at + 16);
      break;
    case faults::kStoreOutside:
      store(&map, at + kShared);
      break;
    case faults::kStoreNowhere:
      store(&other, at);
      break;
    case faults::kAddBytes:
      add_box(&map, shared, 0, 0);
      break;
    case faults::kBulkSize8:
      bulk(at, data, bytes + 8, bar);
      break;
    case faults::kBulkNothing:
      bulk(at, data, 0, bar);
      break;
    case faults::kBulkGlobal8:
      bulk(at, data + 8, bytes, bar);
      break;
    case faults::kBulkShared8:
      bulk(at + 8, data, bytes, bar);
      break;
    case faults::kBulkNowhere:
      bulk(at, nullptr, bytes, bar);
      break;
    case faults::kBulkOutside:
      bulk(at + kShared, data, bytes, bar);
      break;
    case faults::kBulkStoreNowhere:
      bulk_store(nullptr, at, bytes);
      break;
    case faults::kBulkStoreOutside:
      bulk_store(data, at + 220 * 1024, bytes);
      break;
    case faults::kPrefetchNowhere:
      asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %1}];" ::"l"(&other),
                   "r"(0)
                   : "memory");
      break;
    case faults::kBarrierArrive4:
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar + 4) : "memory");
      break;
    case faults::kBarrierTwice:  // twice the arrivals that it was made for
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
      break;
    case faults::kTooManyBytes:
      expect_bytes(&barriers[0], (1 << 20) - 1);
      expect_bytes(&barriers[0], (1 << 20) - 1);
      break;
  }
  commit_stores();
  wait_for_stores();
  out[0] = has_come(bar);
  if (what == faults::kFewerBytes || what == faults::kBarrierTwice ||
      what == faults::kTooManyBytes) {
    out[1] = unsigned(barriers[0]);
    out[2] = unsigned(barriers[0] >> 32);
  }
  unsigned sum = 0;
  for (unsigned i = 0; i < kShared; ++i) sum = sum * 31 + shared[i];
  out[3] = sum;
}
