// Vector addition on the default stream, then in five parts on five streams.
//
//   vector_add [n = 20000000]
//
// n should be a multiple of 5. The five streams share one output buffer: this is safe, since a copy
// from the device to pageable memory returns when it is done.
#include <vector>

#include "../common/common.h"

__global__ void gpu_add(const int *a, const int *b, double *result, int n) {
  int idx = threadIdx.x + blockDim.x * blockIdx.x;
  if (idx < n) {
    result[idx] = a[idx] + b[idx];
  }
}

static bool all_right(const std::vector<double> &result, size_t n) {
  for (size_t i = 0; i < n; ++i)
    if (result[i] != 3.0 * double(i)) return false;
  return true;
}

int main(int argc, char **argv) {
  const int n = int(argument(argc, argv, 1, 20000000, 5, 700000000));
  std::vector<int> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = i;
    y[i] = 2 * i;
  }
  Verdict verdict;
  const int threads_per_block = 1024;

  double start = seconds();
  int *x_device, *y_device;
  double *out_device;
  CHECK(cudaMalloc(&x_device, n * sizeof(int)));
  CHECK(cudaMalloc(&y_device, n * sizeof(int)));
  CHECK(cudaMalloc(&out_device, n * sizeof(double)));
  CHECK(cudaMemcpy(x_device, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(y_device, y.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  int blocks_per_grid = (n + threads_per_block - 1) / threads_per_block;
  gpu_add<<<blocks_per_grid, threads_per_block>>>(x_device, y_device, out_device, n);
  CHECK(cudaGetLastError());
  std::vector<double> gpu_result(n);
  CHECK(cudaMemcpy(gpu_result.data(), out_device, n * sizeof(double), cudaMemcpyDeviceToHost));
  CHECK(cudaDeviceSynchronize());
  fprintf(stderr, "gpu vector add time %f\n", seconds() - start);
  verdict.expect(all_right(gpu_result, n), "one stream");
  printf("one stream: %d numbers\n", n);

  start = seconds();
  const int number_of_streams = 5;
  const int segment_size = n / number_of_streams;
  std::vector<cudaStream_t> streams(number_of_streams);
  for (cudaStream_t &stream : streams) CHECK(cudaStreamCreate(&stream));
  blocks_per_grid = (segment_size + threads_per_block - 1) / threads_per_block;
  const size_t segment_bytes = segment_size * sizeof(int);
  double *streams_out_device;
  CHECK(cudaMalloc(&streams_out_device, segment_size * sizeof(double)));
  std::vector<double> streams_gpu_result(n);
  std::vector<int *> parts;
  for (int i = 0; i < number_of_streams; ++i) {
    int *x_i_device, *y_i_device;
    CHECK(cudaMalloc(&x_i_device, segment_bytes));
    CHECK(cudaMalloc(&y_i_device, segment_bytes));
    parts.insert(parts.end(), {x_i_device, y_i_device});
    CHECK(cudaMemcpyAsync(x_i_device, &x[i * segment_size], segment_bytes, cudaMemcpyHostToDevice,
                          streams[i]));
    CHECK(cudaMemcpyAsync(y_i_device, &y[i * segment_size], segment_bytes, cudaMemcpyHostToDevice,
                          streams[i]));
    gpu_add<<<blocks_per_grid, threads_per_block, 0, streams[i]>>>(x_i_device, y_i_device,
                                                                  streams_out_device, segment_size);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(&streams_gpu_result[i * segment_size], streams_out_device,
                          segment_size * sizeof(double), cudaMemcpyDeviceToHost, streams[i]));
  }
  CHECK(cudaDeviceSynchronize());
  fprintf(stderr, "gpu streams vector add time %f\n", seconds() - start);
  verdict.expect(all_right(streams_gpu_result, size_t(segment_size) * number_of_streams),
                 "five streams");
  printf("five streams: %d numbers each\n", segment_size);

  for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
  for (int *part : parts) CHECK(cudaFree(part));
  CHECK(cudaFree(streams_out_device));
  CHECK(cudaFree(out_device));
  CHECK(cudaFree(y_device));
  CHECK(cudaFree(x_device));
  return verdict.finish();
}
