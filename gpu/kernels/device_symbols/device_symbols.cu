// Constant tables read with an index that differs between lanes, device variables, and copies to
// and from both by name; shared memory whose size the launch gives.
#include <cstring>

#include "../common/device_array.h"

struct Setting {
  short weight;
  signed char sign;
  double scale;
};

__constant__ unsigned primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
__constant__ Setting settings[8];
__device__ unsigned total = 100;
__device__ int table[3][5];
__device__ int* where = &table[1][2];

__global__ void read_constants(double* out) {
  const unsigned thread = threadIdx.x, bits = scramble(thread);
  const Setting& setting = settings[bits % 8];
  out[thread] = primes[bits / 8 % 16] * setting.scale + setting.weight * setting.sign + primes[3] +
                primes[blockIdx.x] + settings[blockDim.x % 8].weight;
}

__global__ void write_variables() {
  if (threadIdx.x < 15) table[threadIdx.x / 5][threadIdx.x % 5] = int(threadIdx.x * threadIdx.x);
  atomicAdd(&total, primes[threadIdx.x % 16]);
  __syncthreads();
  if (threadIdx.x == 0) *where += 1000;
}

// Two arrays in one piece of dynamic shared memory.
__global__ void reverse(const double* in, double* out, int count) {
  extern __shared__ double values[];
  int* order = reinterpret_cast<int*>(values + count);
  order[threadIdx.x] = count - 1 - int(threadIdx.x);
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = values[order[threadIdx.x]];
}

int main() {
  constexpr int kThreads = 64;
  static const unsigned kPrimes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
  Setting host[8];
  memset(static_cast<void*>(host), 0, sizeof host);
  for (int i = 0; i < 8; ++i) {
    host[i].weight = short(i * 100 - 350);
    host[i].sign = i % 2 ? -1 : 1;
    host[i].scale = i * 0.25;
  }
  CHECK(cudaMemcpyToSymbol(settings, host, sizeof host));
  const unsigned first = 7;
  CHECK(cudaMemcpyToSymbol(total, &first, sizeof first));
  DeviceArray<double> read(kThreads), reversed(kThreads);
  read_constants<<<1, kThreads>>>(read.data());
  write_variables<<<1, kThreads>>>();
  reverse<<<1, kThreads, kThreads*(sizeof(double) + sizeof(int))>>>(read.data(), reversed.data(),
                                                                    kThreads);
  const auto a = read.host(), b = reversed.host();
  unsigned sum = 0;
  int row[5];
  CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
  CHECK(cudaMemcpyFromSymbol(row, table, sizeof row, sizeof row));
  Verdict verdict;
  unsigned expected = first;
  for (unsigned i = 0; i < kThreads; ++i) {
    const unsigned bits = scramble(i);
    const Setting& setting = host[bits % 8];
    expected += kPrimes[i % 16];
    verdict.expect(a[i] == kPrimes[bits / 8 % 16] * setting.scale + setting.weight * setting.sign +
                               7 + 2 + host[0].weight,
                   "read_constants");
    verdict.expect(b[i] == a[kThreads - 1 - i], "reverse");
  }
  verdict.expect(sum == expected, "atomicAdd on a variable");
  for (int i = 0; i < 5; ++i)
    verdict.expect(row[i] == (5 + i) * (5 + i) + (i == 2 ? 1000 : 0), "write_variables");
  return verdict.finish();
}
