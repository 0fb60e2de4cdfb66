// How much copies and kernels of several streams overlap: vector addition in one stream and in five,
// from pinned and from pageable memory, and dependent small kernels in four streams.
//
//   stream_overlap [n = 4000000] [repetitions = 5]
//
// Prints the median time by events, in microseconds: what, streams, time. With
// CUDA_DEVICE_MAX_CONNECTIONS=1 all streams share one hardware queue, as on GPUs before Kepler.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#define CHECK(call)                                                              \
  do {                                                                           \
    const cudaError_t error = (call);                                            \
    if (error != cudaSuccess) {                                                  \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

__global__ void add(const int *a, const int *b, double *sum, int n) {
  const int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

__global__ void spin(float *out, int rounds) {
  float x = threadIdx.x;
  for (int i = 0; i < rounds; ++i) x = x * 0.5f + 1.0f;
  out[threadIdx.x] = x;
}

constexpr int kMostStreams = 5;

struct Buffers {
  int *a, *b;
  double *sum;
};

static cudaStream_t streams[kMostStreams];

static void report(const char *what, int count, int repetitions, const std::function<void()> &work) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < repetitions; ++i) {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begin, 0));
    work();
    CHECK(cudaEventRecord(end, 0));
    CHECK(cudaDeviceSynchronize());
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    times.push_back(milliseconds);
  }
  std::sort(times.begin(), times.end());
  printf("%s %d %.1f\n", what, count, 1000 * times[times.size() / 2]);
}

// Copies, the kernel and the copy back of each part in a stream of its own.
static void add_in_parts(const Buffers &host, const Buffers &device, int n, int count) {
  const int part = n / count, threads = 256;
  for (int i = 0; i < count; ++i) {
    const int at = i * part;
    CHECK(cudaMemcpyAsync(device.a + at, host.a + at, part * sizeof(int), cudaMemcpyHostToDevice,
                          streams[i]));
    CHECK(cudaMemcpyAsync(device.b + at, host.b + at, part * sizeof(int), cudaMemcpyHostToDevice,
                          streams[i]));
    add<<<(part + threads - 1) / threads, threads, 0, streams[i]>>>(device.a + at, device.b + at,
                                                                   device.sum + at, part);
    CHECK(cudaMemcpyAsync(host.sum + at, device.sum + at, part * sizeof(double),
                          cudaMemcpyDeviceToHost, streams[i]));
  }
}

// Kernels of one block each, in order in their stream, submitted stream by stream.
static void dependent_kernels(float *out, int count) {
  constexpr int kKernels = 4, kRounds = 20000;
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < kKernels; ++k) spin<<<1, 32, 0, streams[i]>>>(out, kRounds);
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 4000000;
  const int repetitions = argc > 2 ? atoi(argv[2]) : 5;
  for (cudaStream_t &stream : streams) CHECK(cudaStreamCreate(&stream));
  Buffers device, pinned;
  CHECK(cudaMalloc(&device.a, n * sizeof(int)));
  CHECK(cudaMalloc(&device.b, n * sizeof(int)));
  CHECK(cudaMalloc(&device.sum, n * sizeof(double)));
  CHECK(cudaMallocHost(&pinned.a, n * sizeof(int)));
  CHECK(cudaMallocHost(&pinned.b, n * sizeof(int)));
  CHECK(cudaMallocHost(&pinned.sum, n * sizeof(double)));
  std::vector<int> a(n, 1), b(n, 2);
  std::vector<double> sum(n);
  const Buffers pageable{a.data(), b.data(), sum.data()};
  for (int i = 0; i < n; ++i) pinned.a[i] = pinned.b[i] = i;
  for (const int count : {1, 5}) {
    report("pinned", count, repetitions, [&] { add_in_parts(pinned, device, n, count); });
    report("pageable", count, repetitions, [&] { add_in_parts(pageable, device, n, count); });
  }
  for (const int count : {1, 4})
    report("dependent_kernels", count, repetitions,
           [&] { dependent_kernels(reinterpret_cast<float *>(device.sum), count); });
  return 0;
}
