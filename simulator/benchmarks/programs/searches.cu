// Depth-first searches, each thread with a stack in its local memory: subsets of numbers with a
// given sum.
//
//   searches [blocks = 132] [numbers = 14]
#include "../../../gpu/kernels/common/device_array.h"

constexpr unsigned kMost = 20;

__host__ __device__ static unsigned subsets(unsigned thread, unsigned numbers) {
  unsigned chosen[kMost], depth = 0, at = 0, sum = 0, found = 0;
  const unsigned wanted = 40 + thread % 32;
  for (;;) {
    const unsigned next = at < numbers ? 1 + scramble(thread % 64 * 32 + at) % 15 : 0;
    if (at < numbers && sum + next <= wanted) {
      chosen[depth++] = at++;
      sum += next;
      found += sum == wanted;
    } else if (at < numbers) {
      ++at;
    } else if (depth == 0) {
      return found;
    } else {
      at = chosen[--depth];
      sum -= 1 + scramble(thread % 64 * 32 + at) % 15;
      ++at;
    }
  }
}

__global__ void search(unsigned* out, unsigned numbers) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = subsets(thread, numbers);
}

int main(int argc, char** argv) {
  const auto blocks = unsigned(argument(argc, argv, 1, 132, 1, 4096));
  const auto numbers = unsigned(argument(argc, argv, 2, 14, 2, kMost));
  DeviceArray<unsigned> out(blocks * 64);
  search<<<blocks, 64>>>(out.data(), numbers);
  const auto found = out.host();
  Verdict verdict;
  for (unsigned i = 0; i < found.size(); i += 331)
    if (!verdict.expect(found[i] == subsets(i, numbers), "subsets")) break;
  return verdict.finish();
}
