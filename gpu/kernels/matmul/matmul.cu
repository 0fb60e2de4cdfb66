// Matrix product C = A * B, naive and through shared memory, in fp32 and fp64.
//
//   matmul [M = 96] [N = 80] [P = 64]
//
// A is M x N, B is N x P; `matmul 6000 4800 4000` is the size the times were published for. Threads
// run along rows with x, as in the original, which makes the accesses to A and C uncoalesced. The
// kernel with shared memory needs sizes that are multiples of 16: it loads whole tiles, and leaves
// only where both indices are outside.
#include <cmath>
#include <vector>

#include "../common/common.h"

constexpr int BLOCK_SIZE = 16;

template <typename T>
__global__ void matmul(const T *A, const T *B, T *C, int M, int N, int P) {
  int row = threadIdx.x + blockDim.x * blockIdx.x;
  int col = threadIdx.y + blockDim.y * blockIdx.y;
  if (row < M && col < P) {
    T tmp = 0;
    for (int k = 0; k < N; k++) tmp += A[row * N + k] * B[k * P + col];
    C[row * P + col] = tmp;
  }
}

// The tiles may be narrower than the matrices: the original keeps fp64 matrices in fp32 tiles.
template <typename T, typename Tile>
__global__ void matmul_shared_memory(const T *A, const T *B, T *C, int M, int N, int P) {
  __shared__ Tile sA[BLOCK_SIZE][BLOCK_SIZE];
  __shared__ Tile sB[BLOCK_SIZE][BLOCK_SIZE];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = threadIdx.x + blockDim.x * blockIdx.x;
  int col = threadIdx.y + blockDim.y * blockIdx.y;
  if (row >= M && col >= P) return;

  T tmp = 0;
  for (int m = 0; m < (N + BLOCK_SIZE - 1) / BLOCK_SIZE; m++) {
    sA[tx][ty] = A[row * N + (ty + m * BLOCK_SIZE)];
    sB[tx][ty] = B[(tx + m * BLOCK_SIZE) * P + col];
    __syncthreads();
    for (int n = 0; n < BLOCK_SIZE; n++) tmp += sA[tx][n] * sB[n][ty];
    __syncthreads();
  }
  C[row * P + col] = tmp;
}

struct Sizes {
  int M, N, P;
};

// Compares up to 64 rows and 64 columns, spread over the matrix, with a product in fp64.
template <typename T>
static double worst_error(const std::vector<T> &A, const std::vector<T> &B, const std::vector<T> &C,
                          Sizes s) {
  const int row_step = s.M > 64 ? s.M / 64 : 1, col_step = s.P > 64 ? s.P / 64 : 1;
  double worst = 0;
  for (int row = 0; row < s.M; row += row_step) {
    for (int col = 0; col < s.P; col += col_step) {
      double sum = 0;
      for (int k = 0; k < s.N; k++)
        sum += double(A[size_t(row) * s.N + k]) * double(B[size_t(k) * s.P + col]);
      const double error = std::fabs(double(C[size_t(row) * s.P + col]) - sum) / sum;
      if (!(error <= worst)) worst = error;  // a NaN stays
    }
  }
  return worst;
}

template <typename T>
struct Product {
  Sizes s;
  std::vector<T> A, B, C;
  T *d_A, *d_B, *d_C;

  explicit Product(Sizes sizes)
      : s(sizes), A(size_t(s.M) * s.N), B(size_t(s.N) * s.P), C(size_t(s.M) * s.P) {
    for (T &value : A) value = T(1 + rand() % 1000) / 1000;
    for (T &value : B) value = T(1 + rand() % 1000) / 1000;
    CHECK(cudaMalloc(&d_A, A.size() * sizeof(T)));
    CHECK(cudaMalloc(&d_B, B.size() * sizeof(T)));
    CHECK(cudaMalloc(&d_C, C.size() * sizeof(T)));
    CHECK(cudaMemcpy(d_A, A.data(), A.size() * sizeof(T), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_B, B.data(), B.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Product() {
    CHECK(cudaFree(d_A));
    CHECK(cudaFree(d_B));
    CHECK(cudaFree(d_C));
  }
  void run(const char *name, void (*kernel)(const T *, const T *, T *, int, int, int),
           double tolerance, Verdict &verdict) {
    CHECK(cudaMemset(d_C, 0xff, C.size() * sizeof(T)));
    const dim3 block(BLOCK_SIZE, BLOCK_SIZE);
    const dim3 grid((s.M + BLOCK_SIZE - 1) / BLOCK_SIZE, (s.P + BLOCK_SIZE - 1) / BLOCK_SIZE);
    const double start = seconds();
    kernel<<<grid, block>>>(d_A, d_B, d_C, s.M, s.N, s.P);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    fprintf(stderr, "%s time: %f\n", name, seconds() - start);
    CHECK(cudaMemcpy(C.data(), d_C, C.size() * sizeof(T), cudaMemcpyDeviceToHost));
    printf("%s\n", name);
    verdict.expect(worst_error(A, B, C, s) <= tolerance, name);
  }
};

int main(int argc, char **argv) {
  const Sizes sizes = {int(argument(argc, argv, 1, 96, 16, 1 << 14)),
                       int(argument(argc, argv, 2, 80, 16, 1 << 14)),
                       int(argument(argc, argv, 3, 64, 16, 1 << 14))};
  const bool whole_tiles = (sizes.M | sizes.N | sizes.P) % BLOCK_SIZE == 0;
  printf("(%d x %d) * (%d x %d)\n", sizes.M, sizes.N, sizes.N, sizes.P);
  Verdict verdict;
  {
    Product<float> product(sizes);
    product.run("matmul fp32", matmul<float>, 1e-4, verdict);
    if (whole_tiles)
      product.run("matmul with shared memory fp32", matmul_shared_memory<float, float>, 1e-4, verdict);
  }
  {
    Product<double> product(sizes);
    product.run("matmul fp64", matmul<double>, 1e-12, verdict);
    if (whole_tiles) {
      product.run("matmul with shared memory fp64", matmul_shared_memory<double, double>, 1e-12,
                  verdict);
      product.run("matmul with shared memory fp64, fp32 tiles", matmul_shared_memory<double, float>,
                  1e-4, verdict);
    }
  }
  if (!whole_tiles) printf("sizes are no multiples of %d: without shared memory\n", BLOCK_SIZE);
  return verdict.finish();
}
