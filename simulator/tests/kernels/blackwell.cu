// What sm_100a has for memory besides tensor memory: accesses of 32 bytes, matrices of bytes and of
// narrower numbers. simulator/tests/blackwell_test.cpp knows what each leaves.
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
