// Pairs about branches, loops, the work of a thread and the width of its numbers.
#pragma once

#include "pair.h"

constexpr int kSteps = 64;

// Two recurrences by the element's lowest bit: as branches, and as one with selected factors.
__global__ void steps_branching(const unsigned* in, unsigned* out) {
  unsigned x = in[this_thread()];
  for (int i = 0; i < kSteps; ++i)
    if (x & 1)
      x = x * 1664525u + 1013904223u + (x >> 7) * (x >> 11) + (x >> 3) * (x >> 17);
    else
      x = x * 22695477u + 1u + (x >> 5) * (x >> 13) + (x >> 9) * (x >> 15);
  out[this_thread()] = x;
}
__global__ void steps_selecting(const unsigned* in, unsigned* out) {
  unsigned x = in[this_thread()];
  for (int i = 0; i < kSteps; ++i) {
    const bool odd = x & 1;
    x = x * (odd ? 1664525u : 22695477u) + (odd ? 1013904223u : 1u) +
        (x >> (odd ? 7 : 5)) * (x >> (odd ? 11 : 13)) +
        (x >> (odd ? 3 : 9)) * (x >> (odd ? 17 : 15));
  }
  out[this_thread()] = x;
}
inline void branches(Verdict& verdict) {
  constexpr unsigned kCount = 1u << 18;
  const std::vector<unsigned> in = random_words(kCount);
  std::vector<unsigned> want = in;
  for (unsigned& x : want)
    for (int i = 0; i < kSteps; ++i)
      x = x & 1 ? x * 1664525u + 1013904223u + (x >> 7) * (x >> 11) + (x >> 3) * (x >> 17)
                : x * 22695477u + 1u + (x >> 5) * (x >> 13) + (x >> 9) * (x >> 15);
  DeviceArray<unsigned> from(in);
  check(verdict, "steps_branching", want,
        [&](unsigned* out) { steps_branching<<<kCount / kBlock, kBlock>>>(from.data(), out); });
  check(verdict, "steps_selecting", want,
        [&](unsigned* out) { steps_selecting<<<kCount / kBlock, kBlock>>>(from.data(), out); });
}

__global__ void sum_rolled(const float* in, float* out, unsigned each) {
  float sum = 0;
#pragma unroll 1
  for (unsigned i = 0; i < each; ++i) sum += in[this_thread() + i * all_threads()];
  out[this_thread()] = sum;
}
__global__ void sum_unrolled(const float* in, float* out, unsigned each) {
  float sum = 0;
#pragma unroll 8
  for (unsigned i = 0; i < each; ++i) sum += in[this_thread() + i * all_threads()];
  out[this_thread()] = sum;
}
inline void unrolling(Verdict& verdict) {
  constexpr unsigned kThreads = kSms * 2 * kBlock, kEach = 32;
  const std::vector<float> in = random_floats(kThreads * kEach);
  std::vector<float> want(kThreads);
  for (unsigned i = 0; i < in.size(); ++i) want[i % kThreads] += in[i];
  DeviceArray<float> from(in);
  check(verdict, "sum_rolled", want,
        [&](float* out) { sum_rolled<<<kThreads / kBlock, kBlock>>>(from.data(), out, kEach); });
  check(verdict, "sum_unrolled", want,
        [&](float* out) { sum_unrolled<<<kThreads / kBlock, kBlock>>>(from.data(), out, kEach); });
}

// Means of nine neighbours, one a thread, and eight below one another a thread.
constexpr int kImage = 1024, kCoarse = 8;
__device__ __forceinline__ float sum_of_three(const float* row) { return row[0] + row[1] + row[2]; }
__global__ void blur_one(const float* in, float* out) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y);
  if (x >= kImage - 2) return;
  const float* const at = in + y * kImage + x;
  out[y * kImage + x] =
      (sum_of_three(at) + sum_of_three(at + kImage) + sum_of_three(at + 2 * kImage)) / 9;
}
__global__ void blur_eight(const float* in, float* out) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x), y = int(blockIdx.y) * kCoarse;
  if (x >= kImage - 2) return;
  const float* at = in + y * kImage + x;
  float first = sum_of_three(at), second = sum_of_three(at + kImage);
  for (int i = 0; i < kCoarse && y + i < kImage - 2; ++i) {
    const float third = sum_of_three(at + (i + 2) * kImage);
    out[(y + i) * kImage + x] = (first + second + third) / 9;
    first = second;
    second = third;
  }
}
inline void coarsening(Verdict& verdict) {
  const std::vector<float> in = random_floats(kImage * kImage);
  std::vector<float> want(in.size());
  for (int y = 0; y < kImage - 2; ++y)
    for (int x = 0; x < kImage - 2; ++x) {
      float sum = 0;
      for (int i = 0; i < 9; ++i) sum += in[std::size_t((y + i / 3) * kImage + x + i % 3)];
      want[std::size_t(y * kImage + x)] = sum / 9;
    }
  DeviceArray<float> from(in);
  check(verdict, "blur_one", want, [&](float* out) {
    blur_one<<<dim3(kImage / kBlock, kImage - 2), kBlock>>>(from.data(), out);
  });
  check(verdict, "blur_eight", want, [&](float* out) {
    blur_eight<<<dim3(kImage / kBlock, kImage / kCoarse), kBlock>>>(from.data(), out);
  });
}

// The cosine's series, whose coefficients are the same in both: four angles a thread.
template <typename T>
__device__ __forceinline__ void series(const float* in, float* out) {
  T sum = 0;
  for (int i = 0; i < 4; ++i) {
    const T x = T(in[this_thread()]) + T(i) / 4, square = x * x;
    T term = 1;
#pragma unroll 4
    for (int k = 1; k <= 24; ++k) {
      sum += term;
      term *= square * (T(-1) / T(k + 3));
    }
  }
  out[this_thread()] = float(sum);
}
__global__ void series_double(const float* in, float* out) { series<double>(in, out); }
__global__ void series_float(const float* in, float* out) { series<float>(in, out); }
inline void precision(Verdict& verdict) {
  constexpr unsigned kCount = 1u << 18;
  const std::vector<float> in = random_floats(kCount);
  std::vector<float> want(kCount);
  for (unsigned n = 0; n < kCount; ++n) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
      const double x = in[n] + i / 4.0;
      double term = 1;
      for (int k = 1; k <= 24; ++k) {
        sum += term;
        term *= x * x * (-1.0 / (k + 3));
      }
    }
    want[n] = float(sum);
  }
  DeviceArray<float> from(in);
  check(verdict, "series_double", want,
        [&](float* out) { series_double<<<kCount / kBlock, kBlock>>>(from.data(), out); });
  check(verdict, "series_float", want,
        [&](float* out) { series_float<<<kCount / kBlock, kBlock>>>(from.data(), out); });
}

// Each thread counts its values by their lowest three bits: in an array it indexes, and in
// registers, as all indices are known when it is compiled.
constexpr unsigned kKinds = 8;
template <bool kIndexed>
__device__ __forceinline__ void count_kinds(const unsigned* in, unsigned each, unsigned* out) {
  unsigned counts[kKinds] = {};
  for (unsigned i = 0; i < each; ++i) {
    const unsigned kind = in[this_thread() + i * all_threads()] % kKinds;
    if (kIndexed) ++counts[kind];
#pragma unroll
    for (unsigned k = 0; k < kKinds; ++k)
      if (!kIndexed && kind == k) ++counts[k];
  }
  unsigned mixed = 0;
#pragma unroll
  for (unsigned k = 0; k < kKinds; ++k) mixed = mixed * 31 + counts[k];
  out[this_thread()] = mixed;
}
__global__ void kinds_in_array(const unsigned* in, unsigned each, unsigned* out) {
  count_kinds<true>(in, each, out);
}
__global__ void kinds_in_registers(const unsigned* in, unsigned each, unsigned* out) {
  count_kinds<false>(in, each, out);
}
inline void small_arrays(Verdict& verdict) {
  constexpr unsigned kThreads = kSms * 2 * kBlock, kEach = 32;
  const std::vector<unsigned> in = random_words(kThreads * kEach);
  std::vector<unsigned> want(kThreads);
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    unsigned counts[kKinds] = {};
    for (unsigned i = 0; i < kEach; ++i) ++counts[in[thread + i * kThreads] % kKinds];
    for (const unsigned count : counts) want[thread] = want[thread] * 31 + count;
  }
  DeviceArray<unsigned> from(in);
  check(verdict, "kinds_in_array", want, [&](unsigned* out) {
    kinds_in_array<<<kThreads / kBlock, kBlock>>>(from.data(), kEach, out);
  });
  check(verdict, "kinds_in_registers", want, [&](unsigned* out) {
    kinds_in_registers<<<kThreads / kBlock, kBlock>>>(from.data(), kEach, out);
  });
}
