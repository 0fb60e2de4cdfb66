// What all bodies do to each: from global memory, from tiles in shared memory, in fp32 and in fp64,
// and only those that are near, by a branch.
//
//   n_bodies [bodies = 1024] [block size = 64]
#include <cmath>

#include "../common/device_array.h"

constexpr unsigned kMostThreads = 256;

template <typename T>
__host__ __device__ static T pull(T here, T there) {
  const T distance = there - here;
  return distance / (distance * distance + T(1));
}

__global__ void from_global(const float* places, float* pulls, unsigned count) {
  const unsigned body = blockIdx.x * blockDim.x + threadIdx.x;
  const float here = places[body];
  float sum = 0;
  for (unsigned i = 0; i < count; ++i) sum += pull(here, places[i]);
  pulls[body] = sum;
}

template <typename T>
__global__ void from_tiles(const T* places, T* pulls, unsigned count) {
  __shared__ T tile[kMostThreads];
  const unsigned body = blockIdx.x * blockDim.x + threadIdx.x;
  const T here = places[body];
  T sum = 0;
  for (unsigned first = 0; first < count; first += blockDim.x) {
    __syncthreads();
    tile[threadIdx.x] = places[first + threadIdx.x];
    __syncthreads();
    for (unsigned i = 0; i < blockDim.x; ++i) sum += pull(here, tile[i]);
  }
  pulls[body] = sum;
}

__global__ void near_alone(const float* places, float* pulls, unsigned count) {
  const unsigned body = blockIdx.x * blockDim.x + threadIdx.x;
  const float here = places[body];
  float sum = 0;
  for (unsigned i = 0; i < count; ++i) {
    const float distance = places[i] - here;
    if (fabsf(distance) < 20) sum += sqrtf(fabsf(distance)) / (distance * distance + 1);
  }
  pulls[body] = sum;
}

template <typename T>
static void check(const std::vector<T>& values, const std::vector<double>& want, double tolerance,
                  const char* name, Verdict& verdict) {
  bool right = true;
  for (std::size_t i = 0; i < want.size(); ++i)
    right = right && std::fabs(values[i] - want[i]) <= tolerance * (1 + std::fabs(want[i]));
  verdict.expect(right, name);
}

int main(int argc, char** argv) {
  const unsigned count = unsigned(argument(argc, argv, 1, 1024, 256, 65536)) / 256 * 256;
  const unsigned block = unsigned(argument(argc, argv, 2, 64, 32, kMostThreads)) / 32 * 32;
  if (count % block != 0) return 2;
  std::vector<float> places(count);
  std::vector<double> exact(count), want(count), near(count);
  for (unsigned i = 0; i < count; ++i) exact[i] = places[i] = float(scramble(i) % 100000) / 256;
  for (unsigned i = 0; i < count; ++i)
    for (unsigned j = 0; j < count; ++j) {
      const double distance = std::fabs(exact[j] - exact[i]);
      want[i] += pull(exact[i], exact[j]);
      if (distance < 20) near[i] += std::sqrt(distance) / (distance * distance + 1);
    }
  DeviceArray<float> d_places(places), a(count), b(count), c(count);
  DeviceArray<double> d_exact(exact), d(count);
  const unsigned blocks = count / block;
  from_global<<<blocks, block>>>(d_places.data(), a.data(), count);
  from_tiles<float><<<blocks, block>>>(d_places.data(), b.data(), count);
  near_alone<<<blocks, block>>>(d_places.data(), c.data(), count);
  from_tiles<double><<<blocks, block>>>(d_exact.data(), d.data(), count);
  Verdict verdict;
  check(a.host(), want, 1e-3, "from_global", verdict);
  check(b.host(), want, 1e-3, "from_tiles, fp32", verdict);
  check(c.host(), near, 1e-3, "near_alone", verdict);
  check(d.host(), want, 1e-11, "from_tiles, fp64", verdict);
  return verdict.finish();
}
