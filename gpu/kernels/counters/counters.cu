// Atomics on few and on many words: one counter for all, one for each warp, the greatest of random
// numbers, and only by threads that have something to say.
//
//   counters [block size = 128] [blocks = 264] [rounds = 16]
#include <algorithm>

#include "../common/device_array.h"

__global__ void one_counter(unsigned* counters, unsigned rounds) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; i < rounds; ++i) atomicAdd(counters, (thread + i) & 3);
}

__global__ void one_for_each_lane(unsigned* counters, unsigned rounds) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; i < rounds; ++i) atomicAdd(&counters[(thread + i * 32) % 1024], thread & 7);
}

__global__ void greatest(unsigned* counters, unsigned rounds) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; i < rounds; ++i) {
    const unsigned random = scramble(thread * 64 + i);
    atomicMax(&counters[random % 1024], random >> 10);
  }
}

// A thread in eight or so, each at its own time.
__global__ void now_and_then(unsigned* counters, unsigned rounds) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; i < rounds; ++i) {
    const unsigned random = scramble(thread * 64 + i);
    if (random % 8 == 0) {
      unsigned value = random;
      for (unsigned j = 0; j < (random >> 8) % 6; ++j) value = scramble(value);
      atomicXor(&counters[(random >> 4) % 1024], value);
    }
  }
}

int main(int argc, char** argv) {
  const unsigned block = unsigned(argument(argc, argv, 1, 128, 1, 1024));
  const unsigned blocks = unsigned(argument(argc, argv, 2, 264, 1, 4096));
  const unsigned rounds = unsigned(argument(argc, argv, 3, 16, 1, 64));
  std::vector<unsigned> want[4];
  for (auto& each : want) each.resize(1024);
  for (unsigned thread = 0; thread < block * blocks; ++thread)
    for (unsigned i = 0; i < rounds; ++i) {
      const unsigned random = scramble(thread * 64 + i);
      want[0][0] += (thread + i) & 3;
      want[1][(thread + i * 32) % 1024] += thread & 7;
      want[2][random % 1024] = std::max(want[2][random % 1024], random >> 10);
      if (random % 8 != 0) continue;
      unsigned value = random;
      for (unsigned j = 0; j < (random >> 8) % 6; ++j) value = scramble(value);
      want[3][(random >> 4) % 1024] ^= value;
    }
  const struct {
    const char* name;
    void (*kernel)(unsigned*, unsigned);
  } runs[] = {{"one_counter", one_counter},
              {"one_for_each_lane", one_for_each_lane},
              {"greatest", greatest},
              {"now_and_then", now_and_then}};
  Verdict verdict;
  for (unsigned i = 0; i < 4; ++i) {
    DeviceArray<unsigned> counters(1024);
    runs[i].kernel<<<blocks, block>>>(counters.data(), rounds);
    verdict.expect(counters.host() == want[i], runs[i].name);
  }
  return verdict.finish();
}
