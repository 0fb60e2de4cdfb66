// One copy or reduction of a box of a tensor each, in one block of one warp (two blocks where it is
// for several):
//
//   nvcc -std=c++20 -arch=sm_90a -cubin -o tensor_kernels.cubin tensor_kernels.cu
#include <cuda.h>

#include <cstdint>

struct Request {
  int rank, at[5], corner[3];
  unsigned bytes, shared, dump;
};

namespace {

constexpr unsigned kShared = 1 << 14;

__device__ unsigned address_of(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void begin(std::uint64_t* barrier, unsigned bytes) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address_of(barrier)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(barrier)),
               "r"(bytes)
               : "memory");
}

// Whether the bytes came.
__device__ bool wait(std::uint64_t* barrier) {
  for (int i = 0; i < 1000; ++i) {
    unsigned done;
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
        " selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(address_of(barrier))
        : "memory");
    if (done) return true;
  }
  return false;
}

__device__ void dump(const unsigned char* shared, bool came, unsigned* out) {
  __syncthreads();
  for (unsigned i = threadIdx.x; i < kShared / 4; i += blockDim.x)
    out[i] = reinterpret_cast<const unsigned*>(shared)[i];
  if (threadIdx.x == 0) out[kShared / 4] = came;
}

}  // namespace

extern "C" __global__ void tensor_load(const __grid_constant__ CUtensorMap map, Request request,
                                       unsigned* out) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barrier;
  for (unsigned i = threadIdx.x; i < kShared; i += blockDim.x) shared[i] = 0xcd;
  if (threadIdx.x == 0) begin(&barrier, request.bytes);
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  bool came = true;
  if (threadIdx.x == 0) {
    const unsigned to = address_of(shared) + request.shared, at = address_of(&barrier);
    const int* c = request.at;
    switch (request.rank) {
#define LOAD(N, COORDINATES, ...)                                                            \
  case N:                                                                                    \
    asm volatile(                                                                            \
        "cp.async.bulk.tensor." #N                                                           \
        "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " COORDINATES \
        "], [%2];" ::"r"(to),                                                                \
        "l"(&map), "r"(at), __VA_ARGS__                                                      \
        : "memory");                                                                         \
    break;
      LOAD(1, "{%3}", "r"(c[0]))
      LOAD(2, "{%3, %4}", "r"(c[0]), "r"(c[1]))
      LOAD(3, "{%3, %4, %5}", "r"(c[0]), "r"(c[1]), "r"(c[2]))
      LOAD(4, "{%3, %4, %5, %6}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))
      LOAD(5, "{%3, %4, %5, %6, %7}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]))
    }
    came = wait(&barrier);
  }
  dump(shared, came, out);
}

extern "C" __global__ void tensor_load_im2col(const __grid_constant__ CUtensorMap map,
                                              Request request, unsigned* out) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barrier;
  for (unsigned i = threadIdx.x; i < kShared; i += blockDim.x) shared[i] = 0xcd;
  if (threadIdx.x == 0) begin(&barrier, request.bytes);
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  bool came = true;
  if (threadIdx.x == 0) {
    const unsigned to = address_of(shared) + request.shared, at = address_of(&barrier);
    const int* c = request.at;
    const unsigned short o[3] = {static_cast<unsigned short>(request.corner[0]),
                                 static_cast<unsigned short>(request.corner[1]),
                                 static_cast<unsigned short>(request.corner[2])};
    switch (request.rank) {
#define LOAD_IM2COL(N, COORDINATES, OFFSETS, ...)                                              \
  case N:                                                                                      \
    asm volatile(                                                                              \
        "cp.async.bulk.tensor." #N                                                             \
        "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, " COORDINATES \
        "], [%2], " OFFSETS ";" ::"r"(to),                                                     \
        "l"(&map), "r"(at), __VA_ARGS__                                                        \
        : "memory");                                                                           \
    break;
      LOAD_IM2COL(3, "{%3, %4, %5}", "{%6}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "h"(o[0]))
      LOAD_IM2COL(4, "{%3, %4, %5, %6}", "{%7, %8}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]),
                  "h"(o[0]), "h"(o[1]))
      LOAD_IM2COL(5, "{%3, %4, %5, %6, %7}", "{%8, %9, %10}", "r"(c[0]), "r"(c[1]), "r"(c[2]),
                  "r"(c[3]), "r"(c[4]), "h"(o[0]), "h"(o[1]), "h"(o[2]))
    }
    came = wait(&barrier);
  }
  dump(shared, came, out);
}

// The first block loads for both.
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    tensor_multicast(const __grid_constant__ CUtensorMap map, Request request, unsigned* out) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ std::uint64_t barrier;
  for (unsigned i = threadIdx.x; i < kShared; i += blockDim.x) shared[i] = 0xcd;
  if (threadIdx.x == 0) begin(&barrier, request.bytes);
  asm volatile("fence.proxy.async;" ::: "memory");
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    const unsigned to = address_of(shared) + request.shared, at = address_of(&barrier);
    const unsigned short blocks = 3;
    const int* c = request.at;
    switch (request.rank) {
#define MULTICAST(N, COORDINATES, ...)                                                            \
  case N:                                                                                         \
    asm volatile("cp.async.bulk.tensor." #N                                                       \
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster " \
                 "[%0], [%1, " COORDINATES "], [%2], %3;" ::"r"(to),                              \
                 "l"(&map), "r"(at), "h"(blocks), __VA_ARGS__                                     \
                 : "memory");                                                                     \
    break;
      MULTICAST(1, "{%4}", "r"(c[0]))
      MULTICAST(2, "{%4, %5}", "r"(c[0]), "r"(c[1]))
      MULTICAST(3, "{%4, %5, %6}", "r"(c[0]), "r"(c[1]), "r"(c[2]))
      MULTICAST(4, "{%4, %5, %6, %7}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))
      MULTICAST(5, "{%4, %5, %6, %7, %8}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]))
    }
  }
  bool came = true;
  if (threadIdx.x == 0) came = wait(&barrier);
  dump(shared, came, out + blockIdx.x * (kShared / 4 + 2));
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

namespace {

__device__ void take(unsigned char* shared, const unsigned* in) {
  for (unsigned i = threadIdx.x; i < kShared / 4; i += blockDim.x)
    reinterpret_cast<unsigned*>(shared)[i] = in[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
}

__device__ void finish() {
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

}  // namespace

#define ALL_RANKS(OPCODE, KIND)                                                                \
  switch (request.rank) {                                                                      \
    STORE(1, OPCODE, KIND, "{%2}", "r"(c[0]))                                                  \
    STORE(2, OPCODE, KIND, "{%2, %3}", "r"(c[0]), "r"(c[1]))                                   \
    STORE(3, OPCODE, KIND, "{%2, %3, %4}", "r"(c[0]), "r"(c[1]), "r"(c[2]))                    \
    STORE(4, OPCODE, KIND, "{%2, %3, %4, %5}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))     \
    STORE(5, OPCODE, KIND, "{%2, %3, %4, %5, %6}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), \
          "r"(c[4]))                                                                           \
  }
#define STORE(N, OPCODE, KIND, COORDINATES, ...)                                                   \
  case N:                                                                                          \
    asm volatile(OPCODE #N "d.global.shared::cta" KIND "[%0, " COORDINATES "], [%1];" ::"l"(&map), \
                 "r"(from), __VA_ARGS__                                                            \
                 : "memory");                                                                      \
    break;

extern "C" __global__ void tensor_store(const __grid_constant__ CUtensorMap map, Request request,
                                        const unsigned* in) {
  extern __shared__ __align__(1024) unsigned char shared[];
  take(shared, in);
  if (threadIdx.x != 0) return;
  const unsigned from = address_of(shared) + request.shared;
  const int* c = request.at;
  ALL_RANKS("cp.async.bulk.tensor.", ".tile.bulk_group ")
  finish();
}

extern "C" __global__ void tensor_store_im2col(const __grid_constant__ CUtensorMap map,
                                               Request request, const unsigned* in) {
  extern __shared__ __align__(1024) unsigned char shared[];
  take(shared, in);
  if (threadIdx.x != 0) return;
  const unsigned from = address_of(shared) + request.shared;
  const int* c = request.at;
  switch (request.rank) {
    STORE(3, "cp.async.bulk.tensor.", ".im2col_no_offs.bulk_group ", "{%2, %3, %4}", "r"(c[0]),
          "r"(c[1]), "r"(c[2]))
    STORE(4, "cp.async.bulk.tensor.", ".im2col_no_offs.bulk_group ", "{%2, %3, %4, %5}", "r"(c[0]),
          "r"(c[1]), "r"(c[2]), "r"(c[3]))
    STORE(5, "cp.async.bulk.tensor.", ".im2col_no_offs.bulk_group ", "{%2, %3, %4, %5, %6}",
          "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]))
  }
  finish();
}

#define REDUCTION(NAME)                                                                    \
  extern "C" __global__ void tensor_reduce_##NAME(const __grid_constant__ CUtensorMap map, \
                                                  Request request, const unsigned* in) {   \
    extern __shared__ __align__(1024) unsigned char shared[];                              \
    take(shared, in);                                                                      \
    if (threadIdx.x != 0) return;                                                          \
    const unsigned from = address_of(shared) + request.shared;                             \
    const int* c = request.at;                                                             \
    ALL_RANKS("cp.reduce.async.bulk.tensor.", "." #NAME ".tile.bulk_group ")               \
    finish();                                                                              \
  }
REDUCTION(add)
REDUCTION(min)
REDUCTION(max)
REDUCTION(inc)
REDUCTION(dec)
REDUCTION(and)
REDUCTION(or)
REDUCTION(xor)
