// Three kernels that race, each as programs do that nobody has told. The last two end right where the
// warps of a block advance side by side.
#include "../common/device_array.h"

constexpr unsigned kThreads = 256, kBlocks = 16, kParticles = kThreads * kBlocks;

__host__ __device__ unsigned weight_of(unsigned particle) { return 1 + particle * 2654435761u % 7; }

// Each thread weighs a particle; the first one of each block then walks along the weights, up to its
// share of what they would be on average. Other blocks may be writing them: that needs two launches.
extern "C" __global__ void walk_growing_weights(unsigned* weights, unsigned* walked) {
  const unsigned particle = blockIdx.x * blockDim.x + threadIdx.x;
  weights[particle] = weight_of(particle);
  if (threadIdx.x != 0) return;
  const unsigned share = 2 * kThreads * (blockIdx.x + 1);
  unsigned sum = 0, steps = 0;
  while (steps < kParticles && sum < share) sum += weights[steps++];
  walked[blockIdx.x] = steps;
}

// A tree of sums that lacks the barrier of the block after each level.
extern "C" __global__ void sum_without_barriers(const unsigned* values, unsigned* sums) {
  __shared__ volatile unsigned partial[kThreads];
  const unsigned thread = threadIdx.x;
  partial[thread] = values[blockIdx.x * kThreads + thread];
  for (unsigned apart = kThreads / 2; apart > 0; apart /= 2)
    if (thread < apart) partial[thread] = partial[thread] + partial[thread + apart];
  if (thread == 0) sums[blockIdx.x] = partial[0];
}

// Every value moves one place on. Each warp loads before its neighbour stores, because loads of
// global memory take long; nothing else orders them.
extern "C" __global__ void shift_in_place(unsigned* values) {
  unsigned* const own = values + blockIdx.x * (kThreads + 1) + threadIdx.x;
  const unsigned value = own[0];
  own[1] = value + 1;
}

bool walks_are_possible(const std::vector<unsigned>& walked) {
  bool possible = true;
  for (unsigned block = 0; block < kBlocks; ++block) {
    unsigned sum = 0, fewest = 0;
    while (sum < 2 * kThreads * (block + 1)) sum += weight_of(fewest++);
    possible &= walked[block] >= fewest && walked[block] <= kParticles;
  }
  return possible;
}

bool sums_are_right(const std::vector<unsigned>& sums) {
  bool right = true;
  for (unsigned block = 0; block < kBlocks; ++block)
    right &= sums[block] == kThreads * (2 * block * kThreads + kThreads - 1) / 2;
  return right;
}

bool is_shifted(const std::vector<unsigned>& values) {
  bool right = true;
  for (unsigned i = 0; i < values.size(); ++i)
    right &= values[i] == (i % (kThreads + 1) == 0 ? 2 * i : 2 * i - 1);
  return right;
}

int main() {
  std::vector<unsigned> counting(kParticles), even(kBlocks * (kThreads + 1));
  for (unsigned i = 0; i < counting.size(); ++i) counting[i] = i;
  for (unsigned i = 0; i < even.size(); ++i) even[i] = 2 * i;
  DeviceArray<unsigned> weights(kParticles), walked(kBlocks);
  DeviceArray<unsigned> values(counting), sums(kBlocks), shifted(even);
  walk_growing_weights<<<kBlocks, kThreads>>>(weights.data(), walked.data());
  sum_without_barriers<<<kBlocks, kThreads>>>(values.data(), sums.data());
  shift_in_place<<<kBlocks, kThreads>>>(shifted.data());
  Verdict verdict;
  verdict.expect(walks_are_possible(walked.host()), "walk_growing_weights");
  verdict.expect(sums_are_right(sums.host()), "sum_without_barriers");
  verdict.expect(is_shifted(shifted.host()), "shift_in_place");
  return verdict.finish();
}
