// The sum of two matrices on a grid of two dimensions: how the shape of the block changes occupancy
// and memory efficiency.
//
//   sum_matrix_2d [block x = 32] [block y = 32] [columns = 4096] [rows = 4096]
#include <vector>

#include "../common/common.h"

__global__ void sumMatrixOnGPU2D(float *A, float *B, float *C, int NX, int NY) {
  unsigned int ix = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int iy = blockIdx.y * blockDim.y + threadIdx.y;
  unsigned int idx = iy * NX + ix;
  if (ix < NX && iy < NY) {
    C[idx] = A[idx] + B[idx];
  }
}

int main(int argc, char **argv) {
  const int dimx = int(argument(argc, argv, 1, 32, 1, 1024));
  const int dimy = int(argument(argc, argv, 2, 32, 1, 1024));
  const int nx = int(argument(argc, argv, 3, 1 << 12, 1, 1 << 15));
  const int ny = int(argument(argc, argv, 4, 1 << 12, 1, 1 << 15));
  const size_t nxy = size_t(nx) * ny;
  const size_t nBytes = nxy * sizeof(float);

  std::vector<float> h_A(nxy), h_B(nxy), gpuRef(nxy);
  for (float &value : h_A) value = (rand() & 0xFF) / 10.0f;
  for (float &value : h_B) value = (rand() & 0xFF) / 10.0f;
  float *d_A, *d_B, *d_C;
  CHECK(cudaMalloc(&d_A, nBytes));
  CHECK(cudaMalloc(&d_B, nBytes));
  CHECK(cudaMalloc(&d_C, nBytes));
  CHECK(cudaMemcpy(d_A, h_A.data(), nBytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_B, h_B.data(), nBytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_C, 0xff, nBytes));

  dim3 block(dimx, dimy);
  dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
  const double iStart = seconds();
  sumMatrixOnGPU2D<<<grid, block>>>(d_A, d_B, d_C, nx, ny);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  fprintf(stderr, "elapsed %f sec\n", seconds() - iStart);
  printf("sumMatrixOnGPU2D <<<(%d,%d), (%d,%d)>>>\n", grid.x, grid.y, block.x, block.y);

  CHECK(cudaMemcpy(gpuRef.data(), d_C, nBytes, cudaMemcpyDeviceToHost));
  Verdict verdict;
  bool right = true;
  for (size_t i = 0; i < nxy; ++i) right = right && gpuRef[i] == h_A[i] + h_B[i];
  verdict.expect(right, "sum of the matrices");
  CHECK(cudaFree(d_A));
  CHECK(cudaFree(d_B));
  CHECK(cudaFree(d_C));
  CHECK(cudaDeviceReset());
  return verdict.finish();
}
