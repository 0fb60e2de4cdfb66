// Launches of ordinary kernels that do little, with empty caches, to be measured by
// gpu/cupti/measure.sh (mode timing): a prologue, first loads of one line and of many, loads whose
// address comes from others, code that is jumped over, shared memory, by how many warps on how many
// SMs.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -cudart shared -o short_launches short_launches.cu
//   gpu/cupti/measure.sh -m timing -o short_launches.json -- ./short_launches
//
// One line on stdout for each launch: its name. `.place2`: kernels that differ in it alone lie
// elsewhere; `.b132.t256` at its end: 132 blocks of 256 threads. `./short_launches WORD`: those
// only whose name contains the word.
#include <utility>

#include "probe.h"

namespace {

using namespace timing;

constexpr int kMost = 132 * 1024;

struct Arrays {
  const float *a, *b;
  const int* places;  // each its own number
  float* out;
};

__device__ __forceinline__ int mine() { return int(blockIdx.x * blockDim.x + threadIdx.x); }

template <int place>
struct guard {
  static __device__ void run(Arrays x, int n) {
    const int i = mine();
    if (i < n) x.out[i] = float(place);
  }
};
template <int place>
struct store {
  static __device__ void run(Arrays x, int n) {
    const int i = mine();
    if (i >= n) x.out[i] = float(place);
  }
};
template <int place>
struct copy {
  static __device__ void run(Arrays x, int n) {
    const int i = mine();
    if (i >= n) x.out[i] = x.a[i] + float(place);
  }
};
template <int place>
struct sum {
  static __device__ void run(Arrays x, int n) {
    const int i = mine();
    if (i >= n) x.out[i] = x.a[i] + x.b[i] * float(place);
  }
};
template <int place>
struct gather {
  static __device__ void run(Arrays x, int n) {
    const int i = mine();
    if (i >= n) x.out[i] = x.a[x.places[i]] + float(place);
  }
};
template <int place>
struct gather_twice {
  static __device__ void run(Arrays x, int n) {
    const int i = mine();
    if (i >= n) x.out[i] = x.a[x.places[x.places[i] + kMost]] + float(place);
  }
};
template <int place>
struct one_word {
  static __device__ void run(Arrays x, int n) {
    const int i = mine();
    if (i >= n) x.out[i] = x.a[n] + float(place);
  }
};
template <int place>
struct column {  // a line for each lane
  static __device__ void run(Arrays x, int n) {
    const int i = mine();
    if (i >= n) x.out[i] = x.a[threadIdx.x % 32 * 32 + i / 32 % 32] + float(place);
  }
};
template <int place>
struct divide {
  static __device__ void run(Arrays x, int n) {
    const int i = mine();
    if (i >= n) x.out[i] = (x.a[i] + float(place)) / (x.b[i] + 3);
  }
};
template <int place>
struct functions {
  static __device__ void run(Arrays x, int n) {
    const int i = mine();
    if (i >= n) x.out[i] = expf(x.a[i]) + sqrtf(x.b[i]) + float(place);
  }
};
template <int place>
struct tile {
  static __device__ void run(Arrays x, int n) {
    __shared__ float words[1024];
    const int i = mine();
    words[threadIdx.x] = x.a[i];
    __syncthreads();
    if (i >= n) x.out[i] = words[threadIdx.x ^ 1] + float(place);
  }
};
template <int place>
struct loop {  // words a block apart
  static __device__ void run(Arrays x, int n) {
    float all = float(place);
    for (int k = 0; k < n + 8; ++k) all += x.a[k * 1024 + threadIdx.x];
    x.out[mine()] = all;
  }
};
template <int place>
struct add {
  static __device__ void run(Arrays x, int n) {
    const int i = mine();
    if (i >= n) atomicAdd(x.out + (i & 31) * 32 + place, 1.0F);
  }
};

template <class Body>
__global__ void launch(Arrays x, int n) {
  Body::run(x, n);
}

constexpr int kPlaces = 3;
std::string only;

template <class Body>
void ask(const std::string& what, Arrays x) {
  for (const auto& [blocks, threads] :
       {std::pair{1, 32}, {1, 256}, {1, 1024}, {16, 256}, {132, 256}}) {
    const std::string name = what + ".b" + std::to_string(blocks) + ".t" + std::to_string(threads);
    if (name.find(only) == std::string::npos) continue;
    launch<Body><<<blocks, threads>>>(x, 0);
    finish();
    std::printf("%s\n", name.c_str());
  }
}

template <template <int> class Body>
void ask_places(const std::string& what, const Arrays& x) {
  static_assert(kPlaces == 3);
  ask<Body<0>>(what + ".place0", x);
  ask<Body<1>>(what + ".place1", x);
  ask<Body<2>>(what + ".place2", x);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) only = argv[1];
  std::vector<int> numbers(2 * kMost);
  for (int i = 0; i < 2 * kMost; ++i) numbers[i] = i % kMost;
  const Buffer<float> a(kMost), b(kMost), out(kMost);
  Buffer<int> places(2 * kMost);
  places.write(numbers);
  const Arrays x{a.data(), b.data(), places.data(), out.data()};
  ask_places<guard>("guard", x);
  ask_places<store>("store", x);
  ask_places<copy>("copy", x);
  ask_places<sum>("sum", x);
  ask_places<gather>("gather", x);
  ask_places<gather_twice>("gather_twice", x);
  ask_places<one_word>("one_word", x);
  ask_places<column>("column", x);
  ask_places<divide>("divide", x);
  ask_places<functions>("functions", x);
  ask_places<tile>("tile", x);
  ask_places<loop>("loop", x);
  ask_places<add>("add", x);
}
