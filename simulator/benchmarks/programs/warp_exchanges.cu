// What the lanes of a warp tell each other: sums by butterflies, scans by shuffles, votes, lanes
// that hold the same key, and a bitonic sort in registers.
//
//   warp_exchanges [blocks = 528] [rounds = 32]
#include "../../../gpu/kernels/common/device_array.h"

__device__ unsigned warp_sum(unsigned value) {
  for (unsigned offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  return value;
}

__device__ unsigned warp_scan(unsigned value, unsigned lane) {
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    const unsigned before = __shfl_up_sync(~0u, value, offset);
    if (lane >= offset) value += before;
  }
  return value;
}

__device__ unsigned warp_sort(unsigned value, unsigned lane) {
  for (unsigned width = 2; width <= 32; width *= 2)
    for (unsigned offset = width / 2; offset > 0; offset /= 2) {
      const unsigned other = __shfl_xor_sync(~0u, value, offset);
      const bool up = (lane & width) == 0, low = (lane & offset) == 0;
      value = up == low ? min(value, other) : max(value, other);
    }
  return value;
}

__global__ void exchange(unsigned* out, unsigned rounds) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned value = scramble(thread), sum = 0;
  for (unsigned i = 0; i < rounds; ++i) {
    sum += warp_sum(value & 0xff);
    sum += warp_scan(value & 1, lane);
    sum += __popc(__ballot_sync(~0u, value % 3 == 0));
    sum += __popc(__match_any_sync(~0u, value % 7));
    if (__any_sync(~0u, value % 61 == 0)) value += warp_sort(value, lane);
    __syncwarp();
    value = scramble(value + sum);
  }
  out[thread] = sum;
}

// The sums that a warp of the host finds, one round.
static unsigned expected(const unsigned* values, unsigned lane) {
  unsigned sum = 0, scan = 0, thirds = 0, same = 0;
  for (unsigned i = 0; i < 32; ++i) {
    sum += values[i] & 0xff;
    if (i <= lane) scan += values[i] & 1;
    thirds += values[i] % 3 == 0;
    same += values[i] % 7 == values[lane] % 7;
  }
  return sum + scan + thirds + same;
}

int main(int argc, char** argv) {
  const auto blocks = unsigned(argument(argc, argv, 1, 528, 1, 65535));
  const auto rounds = unsigned(argument(argc, argv, 2, 32, 1, 4096));
  DeviceArray<unsigned> out(blocks * 256);
  Verdict verdict;
  exchange<<<blocks, 256>>>(out.data(), 1);
  const auto sums = out.host();
  std::vector<unsigned> values(blocks * 256);
  for (unsigned i = 0; i < values.size(); ++i) values[i] = scramble(i);
  for (unsigned i = 0; i < values.size(); ++i)
    if (!verdict.expect(sums[i] == expected(&values[i / 32 * 32], i % 32), "one round")) break;
  exchange<<<blocks, 256>>>(out.data(), rounds);
  out.host();
  return verdict.finish();
}
