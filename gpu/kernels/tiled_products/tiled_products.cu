// A product of matrices as sm_90 is meant to make it, in its simplest form: one warp group to a
// block; one of its threads copies boxes of A and B while the group multiplies those before.
//
//   tiled_products [M N K]          multiples of 64, 128 and 128; default 128 256 512
#include "../common/whole_products.h"

constexpr int kColumns = 128;
constexpr int kBytesOfA = kGroupRows * kBoxWidth, kBytesOfB = kColumns * kBoxWidth;
constexpr int kShared = 2 * (kBytesOfA + kBytesOfB);

template <typename T>
__global__ void __launch_bounds__(kGroup)
    tiled(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
          float* c, int columns, int k) {
  extern __shared__ __align__(1024) unsigned char boxes[];
  __shared__ std::uint64_t full[2];
  constexpr int kDepth = kBoxWidth / int(sizeof(T));
  unsigned char* const of_a = boxes;
  unsigned char* const of_b = boxes + 2 * kBytesOfA;
  const int row = int(blockIdx.y) * kGroupRows, column = int(blockIdx.x) * kColumns;
  if (threadIdx.x == 0) {
    for (std::uint64_t& each : full) make_barrier(&each, 1);
    publish_barriers();
  }
  __syncthreads();
  const auto fetch = [&](int step) {
    const int stage = step % 2;
    expect_bytes(&full[stage], kBytesOfA + kBytesOfB);
    copy_box(of_a + stage * kBytesOfA, &map_a, &full[stage], step * kDepth, row);
    copy_box(of_b + stage * kBytesOfB, &map_b, &full[stage], step * kDepth, column);
  };
  if (threadIdx.x == 0) fetch(0);
  float sums[64];
  const int steps = k / kDepth;
  for (int step = 0; step < steps; ++step) {
    const int stage = step % 2;
    if (threadIdx.x == 0 && step + 1 < steps) fetch(step + 1);
    wait(&full[stage], step / 2 % 2);
    begin_products();
    multiply_boxes<T>(sums, of_a + stage * kBytesOfA, of_b + stage * kBytesOfB, step > 0);
    commit_products();
    wait_for_products<0>();
    __syncthreads();  // before the boxes are overwritten
  }
  store_sums(sums, c, columns, row, column);
}

template <typename T>
void multiply_matrices(int m, int n, int k, const char* what, Verdict& verdict) {
  Matrices<T> matrices(m, n, k);
  CHECK(cudaFuncSetAttribute(tiled<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  tiled<T><<<dim3(unsigned(n / kColumns), unsigned(m / kGroupRows)), kGroup, kShared>>>(
      matrices.map_a(kGroupRows), matrices.map_b(kColumns), matrices.c.data(), n, k);
  verdict.expect(matrices.wrong_sums() == 0, what);
}

int main(int argc, char** argv) {
  const int m = int(argument(argc, argv, 1, 128, 64, 4096)) / 64 * 64;
  const int n = int(argument(argc, argv, 2, 256, 128, 4096)) / 128 * 128;
  const int k = int(argument(argc, argv, 3, 512, 128, 8192)) / 128 * 128;
  Verdict verdict;
  multiply_matrices<__nv_bfloat16>(m, n, k, "products of bf16", verdict);
  multiply_matrices<__nv_fp8_e4m3>(m, n, k, "products of e4m3", verdict);
  return verdict.finish();
}
