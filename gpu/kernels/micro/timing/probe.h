// What the timing programs share: the clock, launching a probe several times, and one line per
// answer on stdout:
//
//   NAME <tab> MEDIAN <tab> UNIT <tab> LEAST <tab> GREATEST <tab> SAMPLES
//
// Lines that begin with # say where they were measured.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace timing {

inline void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
  std::exit(2);
}
#define CUDA(call) ::timing::check((call), #call)

// The SM's cycle counter. Volatile, so that it stays between the volatile statements around it; of
// 64 bits, so that it is read by CS2R (the lower half of a warp-uniform reading becomes a slow
// S2UR).
__device__ __forceinline__ long long clock_now() {
  long long t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}

__device__ __forceinline__ unsigned long long nanoseconds_now() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

__device__ __forceinline__ unsigned sm_id() {
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

// For one thread of each warp of a block: two readings of the clock, in the warp's places.
__device__ __forceinline__ void leave_times(long long* times, long long begin, long long end) {
  times[2 * (threadIdx.x / 32)] = begin;
  times[2 * (threadIdx.x / 32) + 1] = end;
}

// From when the first of the warps began to when the last one ended, of such readings.
inline double first_to_last(const std::vector<long long>& times, int warps, int every = 1) {
  long long begin = times[0], end = times[1];
  for (int warp = 0; warp < warps; warp += every) {
    begin = std::min(begin, times[2 * warp]);
    end = std::max(end, times[2 * warp + 1]);
  }
  return double(end - begin);
}

inline void print(const std::string& name, std::vector<double> samples, const char* unit) {
  std::sort(samples.begin(), samples.end());
  std::printf("%s\t%.6g\t%s\t%.6g\t%.6g\t%zu\n", name.c_str(), samples[samples.size() / 2], unit,
              samples.front(), samples.back(), samples.size());
  std::fflush(stdout);
}

inline void print_header(const char* program) {
  cudaDeviceProp properties{};
  CUDA(cudaGetDeviceProperties(&properties, 0));
  int driver = 0, runtime = 0;
  CUDA(cudaDriverGetVersion(&driver));
  CUDA(cudaRuntimeGetVersion(&runtime));
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  std::printf("# program %s\n# device %s\n# arch sm_%d%d\n# driver API %d\n# runtime %d\n", program,
              properties.name, properties.major, properties.minor, driver, runtime);
  std::printf("# compiler %d.%d.%d\n# date %s\n", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__,
              __CUDACC_VER_BUILD__, date);
}

// Device memory that frees itself.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t count) : count_(count) {
    CUDA(cudaMalloc(&data_, count * sizeof(T)));
    CUDA(cudaMemset(data_, 0, count * sizeof(T)));
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(data_); }
  T* data() const { return data_; }
  std::vector<T> read() const {
    std::vector<T> out(count_);
    CUDA(cudaMemcpy(out.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return out;
  }
  void write(const std::vector<T>& values) {
    CUDA(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

inline void finish() {
  CUDA(cudaGetLastError());
  CUDA(cudaDeviceSynchronize());
}

}  // namespace timing
