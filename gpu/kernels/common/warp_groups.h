// What is new in sm_90, as functions for the programs here: barriers in shared memory that count
// bytes, copies of a tensor's boxes, products of a group of four warps, registers that one group
// hands to another.
//
// Boxes are 128 bytes wide and swizzled as a whole, so that eight rows take 1,024 bytes.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <cstdint>

constexpr int kGroup = 128;     // threads of a warp group
constexpr int kBoxWidth = 128;  // bytes
constexpr int kGroupRows = 64;  // of a product of a warp group

__device__ inline unsigned shared_address(const void* pointer) {
  return unsigned(__cvta_generic_to_shared(pointer));
}

// ---- barriers

__device__ inline void make_barrier(std::uint64_t* barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}

// Behind make_barrier, before another thread, another block or a copy uses the barrier.
__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ inline void expect_bytes(std::uint64_t* barrier, unsigned bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

__device__ inline void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

// At the same barrier of another block of the cluster.
__device__ inline void arrive_at_block(std::uint64_t* barrier, unsigned rank) {
  asm volatile(
      "{\n .reg .b32 there;\n mapa.shared::cluster.u32 there, %0, %1;\n"
      " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(
          shared_address(barrier)),
      "r"(rank)
      : "memory");
}

// Until the phase with this parity is over.
__device__ inline void wait(std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{\n .reg .pred done;\n"
      "AGAIN:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      " @!done bra AGAIN;\n}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

// Also for what threads of other blocks have arrived with.
__device__ inline void wait_for_cluster(std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{\n .reg .pred done;\n"
      "AGAIN:\n mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
      " @!done bra AGAIN;\n}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

// All threads of the cluster, wherever their warps have diverged.
__device__ inline void meet_cluster() {
  asm volatile("barrier.cluster.arrive.release;\n barrier.cluster.wait.acquire;" ::: "memory");
}

__device__ inline unsigned rank_in_cluster() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// The threads of one warp group, at block barrier `number` (not 0).
__device__ inline void meet_group(int number) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "n"(kGroup) : "memory");
}

// ---- boxes of tensors; columns and rows are counted in elements

__device__ inline void copy_box(void* to, const CUtensorMap* map, std::uint64_t* barrier,
                                int column, int row) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%3, %4}], [%2];" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(column), "r"(row)
      : "memory");
}

// To the same place in all blocks of the cluster whose bits are in `blocks`.
__device__ inline void copy_box_to_all(void* to, const CUtensorMap* map, std::uint64_t* barrier,
                                       int column, int row, unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(column), "r"(row), "h"(blocks)
      : "memory");
}

__device__ inline void store_box(const CUtensorMap* map, const void* from, int column, int row) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
      "r"(shared_address(from)), "r"(column), "r"(row)
      : "memory");
}

__device__ inline void add_box(const CUtensorMap* map, const void* from, int column, int row) {
  asm volatile(
      "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%2, %3}], "
      "[%1];" ::"l"(map),
      "r"(shared_address(from)), "r"(column), "r"(row)
      : "memory");
}

__device__ inline void commit_stores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// Until all have read shared memory.
__device__ inline void wait_for_reads() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
__device__ inline void wait_for_stores() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
// What the thread has written to shared memory is seen by copies and products behind it.
__device__ inline void show_to_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// ---- products of a warp group

__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int kLeft>
__device__ inline void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kLeft) : "memory");
}

// A matrix in boxes: eights of rows, or of k, 1,024 bytes apart.
__device__ inline std::uint64_t matrix(const void* box) {
  return std::uint64_t{(shared_address(box) & 0x3ffff) >> 4} | std::uint64_t{1} << 16 |
         std::uint64_t{1024 >> 4} << 32 | std::uint64_t{1} << 62;
}

#define WG_8(d, i)                                                                            \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define WG_32(d, i) WG_8(d, i), WG_8(d, i + 8), WG_8(d, i + 16), WG_8(d, i + 24)
#define WG_TEXT_32                                                                   \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, " \
  "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WG_TEXT_64                                                                          \
  WG_TEXT_32                                                                                \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, " \
  "%49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"

// sums = a * b (+ sums, where `adds`): 64 x 128, 32 bytes of k.
__device__ inline void multiply(float (&sums)[64], std::uint64_t a, std::uint64_t b, int adds,
                                __nv_bfloat16) {
  asm volatile(
      "{\n .reg .pred adds;\n setp.ne.s32 adds, %66, 0;\n"
      " wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" WG_TEXT_64
      "}, %64, %65, adds, 1, 1, 0, 0;\n}"
      : WG_32(sums, 0), WG_32(sums, 32)
      : "l"(a), "l"(b), "r"(adds));
}
__device__ inline void multiply(float (&sums)[64], std::uint64_t a, std::uint64_t b, int adds,
                                __nv_fp8_e4m3) {
  asm volatile(
      "{\n .reg .pred adds;\n setp.ne.s32 adds, %66, 0;\n"
      " wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {" WG_TEXT_64
      "}, %64, %65, adds, 1, 1;\n}"
      : WG_32(sums, 0), WG_32(sums, 32)
      : "l"(a), "l"(b), "r"(adds));
}

// A box of A, 64 rows, times one of B, 128 columns: 128 bytes of k.
template <typename T>
__device__ inline void multiply_boxes(float (&sums)[64], const void* a, const void* b, bool adds) {
  for (int k = 0; k < kBoxWidth / 32; ++k)  // descriptors count 16 bytes
    multiply(sums, matrix(a) + 2 * k, matrix(b) + 2 * k, adds || k > 0, T{});
}

// 64 x 64, k of 16: A from shared memory, or from registers and B lying k by k.
__device__ inline void multiply_narrow(float (&sums)[32], std::uint64_t a, std::uint64_t b,
                                       int adds) {
  asm volatile(
      "{\n .reg .pred adds;\n setp.ne.s32 adds, %34, 0;\n"
      " wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" WG_TEXT_32
      "}, %32, %33, adds, 1, 1, 0, 0;\n}"
      : WG_32(sums, 0)
      : "l"(a), "l"(b), "r"(adds));
}
__device__ inline void multiply_registers(float (&sums)[32], const std::uint32_t (&a)[4],
                                          std::uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" WG_TEXT_32
               "}, {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
               : WG_32(sums, 0)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// Row and column of sum number i of the thread.
__device__ inline int row_of_sum(int i) {
  return 16 * int(threadIdx.x % kGroup / 32) + int(threadIdx.x % 32 / 4) + 8 * (i / 2 % 2);
}
__device__ inline int column_of_sum(int i) {
  return 8 * (i / 4) + 2 * int(threadIdx.x % 4) + i % 2;
}

__device__ inline void store_sums(const float (&sums)[64], float* c, int columns, int row,
                                  int column) {
  for (int i = 0; i < 64; i += 2)
    *reinterpret_cast<float2*>(c + std::size_t(row + row_of_sum(i)) * columns + column +
                               column_of_sum(i)) = make_float2(sums[i], sums[i + 1]);
}

// ---- registers

template <int kRegisters>
__device__ inline void give_registers_up() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
