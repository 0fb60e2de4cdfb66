// What sm_100a does with tensor memory (PTX tcgen05). simulator/tests/tensor_memory_test.cpp knows
// what each kernel leaves. Blocks of 128 threads; cells: 128 lanes of 256 columns.
#include <cstdint>

constexpr unsigned kColumns = 256;

__device__ std::uint32_t shared_address(const void* place) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(place));
}

// The address of all columns; only of the first warp's lanes.
__device__ std::uint32_t take_columns(std::uint32_t* place) {
  if (threadIdx.x < 32)
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 512;" ::"r"(shared_address(place))
                 : "memory");
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  return *place;
}

__device__ void give_back_columns(std::uint32_t address) {
  __syncthreads();
  if (threadIdx.x >= 32) return;
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 512;" ::"r"(address));
}

__device__ std::uint32_t own_lanes(std::uint32_t address) { return address + (threadIdx.x / 32 << 21); }

// Each thread has a lane.
__device__ void put_cells(std::uint32_t address, const std::uint32_t* cells) {
  const std::uint32_t* row = cells + threadIdx.x * kColumns;
#pragma unroll 1
  for (unsigned i = 0; i < kColumns; i += 4)
    asm volatile("tcgen05.st.sync.aligned.32x32b.x4.b32 [%0], {%1, %2, %3, %4};" ::"r"(own_lanes(address) + i), "r"(row[i]),
                 "r"(row[i + 1]), "r"(row[i + 2]), "r"(row[i + 3])
                 : "memory");
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}

__device__ void get_cells(std::uint32_t address, std::uint32_t* cells) {
  std::uint32_t* row = cells + threadIdx.x * kColumns;
#pragma unroll 1
  for (unsigned i = 0; i < kColumns; i += 4)
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(row[i]), "=r"(row[i + 1]), "=r"(row[i + 2]), "=r"(row[i + 3])
                 : "r"(own_lanes(address) + i)
                 : "memory");
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

__device__ void make_barrier(std::uint64_t* barrier) {
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(
                     shared_address(barrier))
                 : "memory");
}

__device__ void await(const std::uint64_t* barrier) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra again;\n}" ::"r"(
          shared_address(barrier))
      : "memory");
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

__device__ void commit(const std::uint64_t* barrier) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

// A and B lie in `image`, 16 KB of shared memory, where the descriptors say; where a is all ones, A
// lies in the cells of the columns from 256 on instead. Sums are in the first columns of `cells`.
#define PRODUCT(name, kind)                                                                                            \
  extern "C" __global__ void name(const std::uint32_t* image, std::uint64_t a, std::uint64_t b, std::uint32_t about,   \
                                  std::uint32_t adds, const std::uint32_t* cells_of_a, std::uint32_t* cells) {         \
    __shared__ alignas(1024) std::uint32_t memory[4096];                                                               \
    __shared__ std::uint32_t place;                                                                                    \
    __shared__ std::uint64_t barrier;                                                                                  \
    const std::uint32_t sums = take_columns(&place);                                                                   \
    make_barrier(&barrier);                                                                                            \
    for (unsigned i = threadIdx.x; i < 4096; i += 128) memory[i] = image[i];                                           \
    put_cells(sums, cells);                                                                                            \
    put_cells(sums + 256, cells_of_a);                                                                                 \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                                       \
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");                                                   \
    __syncthreads();                                                                                                   \
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");                                                    \
    const std::uint64_t at = shared_address(memory) >> 4;                                                              \
    if (threadIdx.x == 0) {                                                                                            \
      if (a == ~0ull)                                                                                                  \
        asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %4, 0;\n"                                                       \
                     "tcgen05.mma.cta_group::1.kind::" kind " [%0], [%1], %2, %3, p;\n}" ::"r"(sums),                  \
                     "r"(sums + 256), "l"(b + at), "r"(about), "r"(adds)                                               \
                     : "memory");                                                                                      \
      else                                                                                                             \
        asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %4, 0;\n"                                                       \
                     "tcgen05.mma.cta_group::1.kind::" kind " [%0], %1, %2, %3, p;\n}" ::"r"(sums),                    \
                     "l"(a + at), "l"(b + at), "r"(about), "r"(adds)                                                   \
                     : "memory");                                                                                      \
      commit(&barrier);                                                                                                \
    }                                                                                                                  \
    await(&barrier);                                                                                                   \
    get_cells(sums, cells);                                                                                            \
    give_back_columns(sums);                                                                                           \
  }
PRODUCT(product_f16, "f16")
PRODUCT(product_tf32, "tf32")
PRODUCT(product_f8f6f4, "f8f6f4")
PRODUCT(product_i8, "i8")

// The old sums count half, and the sums of lanes 1, 33 and 127 stay as they were.
extern "C" __global__ void product_of_some_lanes(const std::uint32_t* image, std::uint64_t a, std::uint64_t b,
                                                 std::uint32_t about, std::uint32_t* cells) {
  __shared__ alignas(1024) std::uint32_t memory[4096];
  __shared__ std::uint32_t place;
  __shared__ std::uint64_t barrier;
  const std::uint32_t sums = take_columns(&place);
  make_barrier(&barrier);
  for (unsigned i = threadIdx.x; i < 4096; i += 128) memory[i] = image[i];
  put_cells(sums, cells);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const std::uint64_t at = shared_address(memory) >> 4;
  if (threadIdx.x == 0) {
    asm volatile("{\n.reg .pred p;\nsetp.eq.u32 p, 0, 0;\n"
                 "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, {%4, %5, %6, %7}, p, 1;\n}" ::"r"(sums),
                 "l"(a + at), "l"(b + at), "r"(about), "r"(2), "r"(2), "r"(0), "r"(0x80000000u)
                 : "memory");
    commit(&barrier);
  }
  await(&barrier);
  get_cells(sums, cells);
  give_back_columns(sums);
}

// Loads in each shape, of columns 8 and on; out: registers, a warp's words each.
extern "C" __global__ void load_shapes(const std::uint32_t* cells, std::uint32_t* out) {
  __shared__ std::uint32_t place;
  const std::uint32_t columns = take_columns(&place);
  put_cells(columns, cells);
  const std::uint32_t at = own_lanes(columns) + 8;
  std::uint32_t v[20];
  asm volatile("tcgen05.ld.sync.aligned.16x64b.x2.b32 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "r"(at));
  asm volatile("tcgen05.ld.sync.aligned.16x128b.x2.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5])
               : "r"(at + (16 << 16)));
  asm volatile("tcgen05.ld.sync.aligned.16x256b.x2.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
               : "=r"(v[6]), "=r"(v[7]), "=r"(v[8]), "=r"(v[9]), "=r"(v[10]), "=r"(v[11]), "=r"(v[12]), "=r"(v[13])
               : "r"(at));
  asm volatile("tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {%0, %1}, [%2], 5;" : "=r"(v[14]), "=r"(v[15]) : "r"(at));
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x2.pack::16b.b32 {%0, %1}, [%2];" : "=r"(v[16]), "=r"(v[17]) : "r"(at));
  asm volatile("tcgen05.ld.sync.aligned.16x128b.x1.pack::16b.b32 {%0, %1}, [%2];" : "=r"(v[18]), "=r"(v[19]) : "r"(at));
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
  for (int i = 0; i < 20; ++i) out[128 * i + threadIdx.x] = v[i];
  give_back_columns(columns);
}

// Stores in three of them, of words numbered by register and thread.
extern "C" __global__ void store_shapes(std::uint32_t* cells) {
  __shared__ std::uint32_t place;
  const std::uint32_t columns = take_columns(&place);
  put_cells(columns, cells);
  const std::uint32_t at = own_lanes(columns), word = threadIdx.x << 16;
  asm volatile("tcgen05.st.sync.aligned.16x64b.x2.b32 [%0], {%1, %2};" ::"r"(at), "r"(word), "r"(word + 1) : "memory");
  asm volatile("tcgen05.st.sync.aligned.16x256b.x1.b32 [%0], {%1, %2, %3, %4};" ::"r"(at + 8), "r"(word), "r"(word + 1),
               "r"(word + 2), "r"(word + 3)
               : "memory");
  asm volatile("tcgen05.st.sync.aligned.32x32b.x1.unpack::16b.b32 [%0], {%1};" ::"r"(at + 32), "r"(word + 7) : "memory");
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
  get_cells(columns, cells);
  give_back_columns(columns);
}

// Rows of 32 bytes, then of 16 bytes, from shared memory.
extern "C" __global__ void copies(const std::uint32_t* image, std::uint64_t from, std::uint32_t* cells) {
  __shared__ alignas(1024) std::uint32_t memory[4096];
  __shared__ std::uint32_t place;
  __shared__ std::uint64_t barrier;
  const std::uint32_t columns = take_columns(&place);
  make_barrier(&barrier);
  for (unsigned i = threadIdx.x; i < 4096; i += 128) memory[i] = image[i];
  put_cells(columns, cells);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const std::uint64_t at = from + (shared_address(memory) >> 4);
  if (threadIdx.x == 0) {
    asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(columns), "l"(at) : "memory");
    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(columns + 8), "l"(at) : "memory");
    asm volatile("tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [%0], %1;" ::"r"(columns + 12), "l"(at) : "memory");
    asm volatile("tcgen05.cp.cta_group::1.64x128b.warpx2::01_23 [%0], %1;" ::"r"(columns + 16), "l"(at) : "memory");
    asm volatile("tcgen05.cp.cta_group::1.128x128b [%0], %1;" ::"r"(columns + 20), "l"(at) : "memory");
    commit(&barrier);
  }
  await(&barrier);
  get_cells(columns, cells);
  give_back_columns(columns);
}

// Takes 128 columns and then 64, and gives them back; loads a column that is not taken if asked to.
extern "C" __global__ void take_twice(std::uint32_t* addresses, std::uint32_t beyond) {
  __shared__ std::uint32_t place[2];
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 128;" ::"r"(shared_address(place)) : "memory");
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(shared_address(place + 1)) : "memory");
  addresses[0] = place[0];
  addresses[1] = place[1];
  std::uint32_t v;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(v) : "r"(place[1] + 63 + beyond));
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
  addresses[2] = v;
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 128;" ::"r"(place[0]));
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(place[1]));
}
