// What the pairs share: input, and the check that both variants leave the expected result.
#pragma once

#include <cmath>

#include "../common/device_array.h"

constexpr unsigned kBlock = 256, kSms = 132;

__device__ __forceinline__ unsigned this_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ unsigned all_threads() { return gridDim.x * blockDim.x; }

inline std::vector<unsigned> random_words(std::size_t count) {
  std::vector<unsigned> words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = scramble(unsigned(i));
  return words;
}

// From 0 to 15/16, so that sums of a thousand of them are exact in any order.
inline std::vector<float> random_floats(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = float(scramble(unsigned(i)) % 16) / 16;
  return values;
}

// `launch(out)` fills an array as long as `want`.
template <typename T, typename Launch>
void check(Verdict& verdict, const char* name, const std::vector<T>& want, Launch&& launch) {
  DeviceArray<T> out(want.size());
  launch(out.data());
  const std::vector<T> got = out.host();
  for (std::size_t i = 0; i < want.size(); ++i)
    if (!(std::abs(double(got[i]) - double(want[i])) <= 1e-5 * std::abs(double(want[i])))) {
      verdict.expect(false, name);
      return;
    }
}
