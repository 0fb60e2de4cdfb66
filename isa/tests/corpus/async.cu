// Asynchronous copies, mbarriers and matrix instructions.
#include <cuda_pipeline.h>
#include <cuda/barrier>
#include <mma.h>

extern "C" __global__ void pipeline(float* out, const float* in, int n) {
  __shared__ alignas(16) float tile[2][256];
  const int i = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][i * 4], in + i * 4, 16);
  __pipeline_commit();
  __pipeline_memcpy_async(&tile[1][i], in + i + 1024, 4);
  __pipeline_memcpy_async(&tile[1][i * 2 & 255], in + 2 * i + 4096, 8);
  __pipeline_memcpy_async(&tile[1][64], in + n, 16, 8);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  out[i] = tile[0][i ^ 1];
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i + 64] = tile[1][i ^ 1];
#if __CUDA_ARCH__ >= 800
  const unsigned s = static_cast<unsigned>(__cvta_generic_to_shared(&tile[0][i]));
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 4;" ::"r"(s), "l"(in + i));
  asm volatile("cp.async.wait_all;");
  out[i + 128] = tile[0][i];
#endif
}

extern "C" __global__ void mbarrier(float* out, const float* in) {
#if __CUDA_ARCH__ >= 800
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ float tile[256];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(tile + threadIdx.x, in + threadIdx.x, sizeof(float), bar);
  auto token = bar.arrive();
  bar.wait(std::move(token));
  out[threadIdx.x] = tile[threadIdx.x ^ 3];
  bar.arrive_and_wait();
#endif
}

extern "C" __global__ void wmma_half(half* d, const half* a, const half* b, float* f) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, half, col_major> fb;
  fragment<accumulator, 16, 16, 16, half> fc;
  fragment<accumulator, 16, 16, 16, float> ff;
  fill_fragment(fc, half(0.0f));
  fill_fragment(ff, 0.0f);
  load_matrix_sync(fa, a, 16);
  load_matrix_sync(fb, b, 16);
  mma_sync(fc, fa, fb, fc);
  mma_sync(ff, fa, fb, ff);
  store_matrix_sync(d, fc, 16, mem_row_major);
  store_matrix_sync(f, ff, 16, mem_row_major);
}

extern "C" __global__ void wmma_int(int* d, const signed char* a, const unsigned char* b, const signed char* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, signed char, row_major> fa;
  fragment<matrix_b, 16, 16, 16, signed char, col_major> fb;
  fragment<accumulator, 16, 16, 16, int> fc;
  fill_fragment(fc, 0);
  load_matrix_sync(fa, a, 16);
  load_matrix_sync(fb, c, 16);
  mma_sync(fc, fa, fb, fc);
  fragment<matrix_a, 16, 16, 16, unsigned char, row_major> ua;
  fragment<matrix_b, 16, 16, 16, unsigned char, col_major> ub;
  load_matrix_sync(ua, b, 16);
  load_matrix_sync(ub, b + 256, 16);
  mma_sync(fc, ua, ub, fc, true);
  store_matrix_sync(d, fc, 16, mem_row_major);
}

extern "C" __global__ void wmma_bits(int* d, const unsigned* a, const unsigned* b) {
  using namespace nvcuda::wmma;
  namespace bits = nvcuda::wmma::experimental;
  fragment<matrix_a, 8, 8, 128, bits::precision::b1, row_major> fa;
  fragment<matrix_b, 8, 8, 128, bits::precision::b1, col_major> fb;
  fragment<accumulator, 8, 8, 128, int> fc;
  fill_fragment(fc, 0);
  load_matrix_sync(fa, a, 128);
  load_matrix_sync(fb, b, 128);
  bmma_sync(fc, fa, fb, fc);
#if __CUDA_ARCH__ >= 800
  bmma_sync(fc, fa, fb, fc, bits::bmmaBitOpAND);
#endif
  store_matrix_sync(d, fc, 8, mem_row_major);
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void wmma_double(double* d, const double* a, const double* b) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 8, 8, 4, double, row_major> fa;
  fragment<matrix_b, 8, 8, 4, double, col_major> fb;
  fragment<accumulator, 8, 8, 4, double> fc;
  fill_fragment(fc, 0.0);
  load_matrix_sync(fa, a, 4);
  load_matrix_sync(fb, b, 4);
  mma_sync(fc, fa, fb, fc);
  store_matrix_sync(d, fc, 8, mem_row_major);
}
extern "C" __global__ void wmma_bf16_tf32(float* d, const __nv_bfloat16* a, const float* t) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> fa;
  fragment<matrix_b, 16, 16, 16, __nv_bfloat16, col_major> fb;
  fragment<accumulator, 16, 16, 16, float> fc;
  fill_fragment(fc, 0.0f);
  load_matrix_sync(fa, a, 16);
  load_matrix_sync(fb, a + 256, 16);
  mma_sync(fc, fa, fb, fc);
  store_matrix_sync(d, fc, 16, mem_row_major);
  fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> ta;
  fragment<matrix_b, 16, 16, 8, precision::tf32, col_major> tb;
  load_matrix_sync(ta, t, 16);
  load_matrix_sync(tb, t + 256, 16);
  fragment<accumulator, 16, 16, 8, float> tc;
  fill_fragment(tc, 0.0f);
  for (int i = 0; i < ta.num_elements; ++i) ta.x[i] = __float_to_tf32(ta.x[i]);
  mma_sync(tc, ta, tb, tc);
  store_matrix_sync(d + 256, tc, 16, mem_row_major);
}
#endif

extern "C" __global__ void ldmatrix(unsigned* out) {
  __shared__ alignas(16) unsigned short tile[8 * 64];
  const unsigned s = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x * 8]));
  unsigned a, b, c, d, e, f, g;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(s));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(e), "=r"(f) : "r"(s + 64));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(g) : "r"(s + 128));
  float acc[4] = {1, 2, 3, 4};
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3]) : "r"(a), "r"(b), "r"(e));
  int iacc[4] = {0, 0, 0, 0};
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3]) : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3]) : "r"(a), "r"(b), "r"(e));
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(iacc[0]), "+r"(iacc[1]), "+r"(iacc[2]), "+r"(iacc[3]) : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));
  asm volatile("mma.sync.aligned.m16n8k64.row.col.satfinite.s32.s4.s4.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(iacc[0]), "+r"(iacc[1]), "+r"(iacc[2]), "+r"(iacc[3]) : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));
  asm volatile("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;"
               : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3]) : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f), "r"(a), "r"(b), "r"(g));
#endif
  unsigned moved;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved) : "r"(a));
#if __CUDA_ARCH__ >= 900
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(s), "r"(a), "r"(b), "r"(c), "r"(d));
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" ::"r"(s), "r"(a), "r"(b));
#endif
  out[threadIdx.x] = a + b + c + d + e + f + g + moved + int(acc[0] + acc[1] + acc[2] + acc[3]) + iacc[0] + iacc[1] + iacc[2] + iacc[3];
}
