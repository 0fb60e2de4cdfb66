// A prefix sum in one pass: blocks take a ticket, publish their sum, and look back at the blocks
// before them.
#include "../common/device_array.h"

constexpr unsigned kThreads = 128;
constexpr unsigned long long kSum = 1ull << 62, kPrefix = 2ull << 62, kValue = (1ull << 62) - 1;

__device__ static unsigned scan_block(unsigned value, unsigned* warps) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int by = 1; by < 32; by *= 2) {
    const unsigned other = __shfl_up_sync(~0u, value, by);
    if (lane >= by) value += other;
  }
  if (lane == 31) warps[warp] = value;
  __syncthreads();
  for (unsigned i = 0; i < warp; ++i) value += warps[i];
  return value;
}

__global__ void lookback_scan(const unsigned* in, unsigned* out, unsigned* ticket,
                              volatile unsigned long long* states) {
  __shared__ unsigned warps[kThreads / 32], block, before;
  if (threadIdx.x == 0) block = atomicAdd(ticket, 1);
  __syncthreads();
  const unsigned at = block * kThreads + threadIdx.x;
  const unsigned value = scan_block(in[at], warps);
  if (threadIdx.x == kThreads - 1) {
    unsigned sum = 0;
    if (block != 0) {
      states[block] = kSum | value;
      for (unsigned look = block - 1;; --look) {
        unsigned long long state;
        while ((state = states[look]) == 0) {
        }
        sum += unsigned(state & kValue);
        if ((state & kPrefix) != 0) break;
      }
    }
    states[block] = kPrefix | (sum + value);
    before = sum;
  }
  __syncthreads();
  out[at] = before + value;
}

int main() {
  const unsigned blocks = 6, count = blocks * kThreads;
  std::vector<unsigned> in(count);
  for (unsigned i = 0; i < count; ++i) in[i] = scramble(i) % 100;
  DeviceArray<unsigned> d_in(in), out(count), ticket(1);
  DeviceArray<unsigned long long> states(blocks);
  lookback_scan<<<blocks, kThreads>>>(d_in.data(), out.data(), ticket.data(), states.data());
  const auto values = out.host();
  Verdict verdict;
  unsigned sum = 0;
  for (unsigned i = 0; i < count; ++i) verdict.expect(values[i] == (sum += in[i]), "lookback_scan");
  return verdict.finish();
}
