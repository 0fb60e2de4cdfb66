// Pairs that differ in where data lies, and in how global memory is read and written.
#pragma once

#include "pair.h"

constexpr int kSide = 1024, kTile = 32;

__global__ void transpose_naive(const float* in, float* out, int n) {
  const int x = int(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = int(blockIdx.y * blockDim.y + threadIdx.y);
  if (x < n && y < n) out[x * n + y] = in[y * n + x];
}
__global__ void transpose_tiled(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile + 1];
  const int tx = int(threadIdx.x), ty = int(threadIdx.y);
  const int x = int(blockIdx.x) * kTile, y = int(blockIdx.y) * kTile;
  if (x + tx < n && y + ty < n) tile[ty][tx] = in[(y + ty) * n + x + tx];
  __syncthreads();
  if (x + ty < n && y + tx < n) out[(x + ty) * n + y + tx] = tile[tx][ty];
}
inline void transpose(Verdict& verdict) {
  const std::vector<float> in = random_floats(kSide * kSide);
  std::vector<float> want(in.size());
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x)
      want[std::size_t(x * kSide + y)] = in[std::size_t(y * kSide + x)];
  DeviceArray<float> matrix(in);
  const dim3 grid(kSide / kTile, kSide / kTile), block(kTile, kTile);
  check(verdict, "transpose_naive", want,
        [&](float* out) { transpose_naive<<<grid, block>>>(matrix.data(), out, kSide); });
  check(verdict, "transpose_tiled", want,
        [&](float* out) { transpose_tiled<<<grid, block>>>(matrix.data(), out, kSide); });
}

struct Particle {
  float x, y, z, vx, vy, vz, mass, charge;
};
__global__ void array_of_structures(Particle* particles, unsigned count, float dt) {
  const unsigned i = this_thread();
  if (i >= count) return;
  particles[i].x += particles[i].vx * dt;
  particles[i].y += particles[i].vy * dt;
  particles[i].z += particles[i].vz * dt;
}
struct Particles {
  float *x, *y, *z, *vx, *vy, *vz;
};
__global__ void structure_of_arrays(Particles p, unsigned count, float dt) {
  const unsigned i = this_thread();
  if (i >= count) return;
  p.x[i] += p.vx[i] * dt;
  p.y[i] += p.vy[i] * dt;
  p.z[i] += p.vz[i] * dt;
}
inline void structures(Verdict& verdict) {
  constexpr unsigned kCount = 1u << 19, kFields = 8;
  const std::vector<float> in = random_floats(kCount * kFields);
  std::vector<float> want = in, columns(in.size()), columns_want(in.size());
  for (unsigned i = 0; i < kCount; ++i) {
    for (unsigned f = 0; f < 3; ++f) want[i * kFields + f] += in[i * kFields + f + 3] * 0.5f;
    for (unsigned f = 0; f < kFields; ++f) {
      columns[f * kCount + i] = in[i * kFields + f];
      columns_want[f * kCount + i] = want[i * kFields + f];
    }
  }
  const auto copy = [](float* to, const std::vector<float>& from) {
    CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(float), cudaMemcpyHostToDevice));
  };
  check(verdict, "array_of_structures", want, [&](float* p) {
    copy(p, in);
    array_of_structures<<<kCount / kBlock, kBlock>>>(reinterpret_cast<Particle*>(p), kCount, 0.5f);
  });
  check(verdict, "structure_of_arrays", columns_want, [&](float* p) {
    copy(p, columns);
    const Particles particles{
        p, p + kCount, p + 2 * kCount, p + 3 * kCount, p + 4 * kCount, p + 5 * kCount};
    structure_of_arrays<<<kCount / kBlock, kBlock>>>(particles, kCount, 0.5f);
  });
}

__global__ void copy_by_words(const float* in, float* out, unsigned count) {
  for (unsigned i = this_thread(); i < count; i += all_threads()) out[i] = in[i];
}
__global__ void copy_by_fours(const float4* in, float4* out, unsigned count) {
  for (unsigned i = this_thread(); i < count; i += all_threads()) out[i] = in[i];
}
inline void wide_loads(Verdict& verdict) {
  constexpr unsigned kCount = 1u << 21;
  const std::vector<float> in = random_floats(kCount);
  DeviceArray<float> from(in);
  check(verdict, "copy_by_words", in,
        [&](float* out) { copy_by_words<<<kSms * 4, kBlock>>>(from.data(), out, kCount); });
  check(verdict, "copy_by_fours", in, [&](float* out) {
    copy_by_fours<<<kSms * 4, kBlock>>>(reinterpret_cast<const float4*>(from.data()),
                                        reinterpret_cast<float4*>(out), kCount / 4);
  });
}

__global__ void saxpy_element(float a, const float* x, const float* y, float* out, unsigned n) {
  const unsigned i = this_thread();
  if (i < n) out[i] = a * x[i] + y[i];
}
__global__ void saxpy_grid_stride(float a, const float* x, const float* y, float* out, unsigned n) {
  for (unsigned i = this_thread(); i < n; i += all_threads()) out[i] = a * x[i] + y[i];
}
inline void grid_stride(Verdict& verdict) {
  constexpr unsigned kCount = 1u << 21;
  const std::vector<float> x = random_floats(kCount);
  std::vector<float> want(kCount);
  for (unsigned i = 0; i < kCount; ++i) want[i] = 2 * x[i] + x[i];
  DeviceArray<float> dx(x), dy(x);
  check(verdict, "saxpy_element", want, [&](float* out) {
    saxpy_element<<<kCount / kBlock, kBlock>>>(2, dx.data(), dy.data(), out, kCount);
  });
  check(verdict, "saxpy_grid_stride", want, [&](float* out) {
    saxpy_grid_stride<<<kSms * 2, kBlock>>>(2, dx.data(), dy.data(), out, kCount);
  });
}

constexpr int kGathers = 8;
// The compiler must expect `out` to overlap `values`: each load waits for the store before it.
__global__ void gather_plain(float* values, unsigned* index, float* out) {
#pragma unroll
  for (int k = 0; k < kGathers; ++k) {
    const unsigned i = this_thread() + unsigned(k) * all_threads();
    out[i] = values[index[i]] * 2;
  }
}
__global__ void gather_read_only(const float* values, const unsigned* index, float* out) {
#pragma unroll
  for (int k = 0; k < kGathers; ++k) {
    const unsigned i = this_thread() + unsigned(k) * all_threads();
    out[i] = __ldg(&values[__ldg(&index[i])]) * 2;
  }
}
inline void read_only(Verdict& verdict) {
  constexpr unsigned kValues = 1u << 18, kThreads = kSms * 2 * kBlock, kCount = kThreads * kGathers;
  const std::vector<float> values = random_floats(kValues);
  std::vector<unsigned> index = random_words(kCount);
  std::vector<float> want(kCount);
  for (unsigned i = 0; i < kCount; ++i) {
    index[i] %= kValues;
    want[i] = values[index[i]] * 2;
  }
  DeviceArray<float> from(values);
  DeviceArray<unsigned> places(index);
  check(verdict, "gather_plain", want, [&](float* out) {
    gather_plain<<<kThreads / kBlock, kBlock>>>(from.data(), places.data(), out);
  });
  check(verdict, "gather_read_only", want, [&](float* out) {
    gather_read_only<<<kThreads / kBlock, kBlock>>>(from.data(), places.data(), out);
  });
}

// How many of `table` are smaller.
__device__ __forceinline__ void search(const unsigned* table, unsigned count, const unsigned* keys,
                                       unsigned* places) {
  const unsigned key = keys[this_thread()];
  unsigned low = 0, high = count;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (table[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  places[this_thread()] = low;
}
__global__ void search_unsorted(const unsigned* t, unsigned n, const unsigned* k, unsigned* p) {
  search(t, n, k, p);
}
__global__ void search_sorted(const unsigned* t, unsigned n, const unsigned* k, unsigned* p) {
  search(t, n, k, p);
}
inline void sorted_input(Verdict& verdict) {
  constexpr unsigned kTable = 1u << 15, kKeys = 1u << 18, kStep = 1u << 17;
  std::vector<unsigned> table(kTable), keys = random_words(kKeys), sorted(kKeys);
  for (unsigned i = 0; i < kTable; ++i) table[i] = i * kStep;
  for (unsigned i = 0; i < kKeys; ++i) sorted[i] = i * (1u << 14) + keys[i] % (1u << 14);
  const auto places = [&](const std::vector<unsigned>& of) {
    std::vector<unsigned> want(kKeys);
    for (unsigned i = 0; i < kKeys; ++i) want[i] = of[i] == 0 ? 0 : (of[i] - 1) / kStep + 1;
    return want;
  };
  DeviceArray<unsigned> searched(table), unsorted_keys(keys), sorted_keys(sorted);
  check(verdict, "search_unsorted", places(keys), [&](unsigned* out) {
    search_unsorted<<<kKeys / kBlock, kBlock>>>(searched.data(), kTable, unsorted_keys.data(), out);
  });
  check(verdict, "search_sorted", places(sorted), [&](unsigned* out) {
    search_sorted<<<kKeys / kBlock, kBlock>>>(searched.data(), kTable, sorted_keys.data(), out);
  });
}

__global__ void scale_first(const float* in, float* scaled, unsigned count) {
  const unsigned i = this_thread();
  if (i < count) scaled[i] = in[i] * 3 + 1;
}
__global__ void root_second(const float* scaled, float* out, unsigned count) {
  const unsigned i = this_thread();
  if (i < count) out[i] = sqrtf(scaled[i]);
}
__global__ void scale_and_root(const float* in, float* out, unsigned count) {
  const unsigned i = this_thread();
  if (i < count) out[i] = sqrtf(in[i] * 3 + 1);
}
inline void fusion(Verdict& verdict) {
  constexpr unsigned kCount = 1u << 21;
  const std::vector<float> in = random_floats(kCount);
  std::vector<float> want(kCount);
  for (unsigned i = 0; i < kCount; ++i) want[i] = std::sqrt(in[i] * 3 + 1);
  DeviceArray<float> from(in), scaled(kCount);
  check(verdict, "scale_first, root_second", want, [&](float* out) {
    scale_first<<<kCount / kBlock, kBlock>>>(from.data(), scaled.data(), kCount);
    root_second<<<kCount / kBlock, kBlock>>>(scaled.data(), out, kCount);
  });
  check(verdict, "scale_and_root", want,
        [&](float* out) { scale_and_root<<<kCount / kBlock, kBlock>>>(from.data(), out, kCount); });
}
