// Keys put into a table by compare-and-swap, counted by atomic additions, and taken from a queue
// whose end every thread advances.
//
//   hash_tables [keys = 1048576]
#include "../../../gpu/kernels/common/device_array.h"

constexpr unsigned kEmpty = ~0u;

__global__ void insert(unsigned* keys, unsigned* counts, unsigned mask, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const unsigned key = scramble(i) % (count / 3 + 1);
    for (unsigned slot = scramble(key ^ 77) & mask;; slot = (slot + 1) & mask) {
      const unsigned held = atomicCAS(&keys[slot], kEmpty, key);
      if (held == kEmpty || held == key) {
        atomicAdd(&counts[slot], 1u);
        break;
      }
    }
  }
}

__global__ void gather(const unsigned* keys, const unsigned* counts, unsigned slots, uint2* queue,
                       unsigned* end) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < slots; i += gridDim.x * blockDim.x)
    if (keys[i] != kEmpty) queue[atomicAdd(end, 1u)] = make_uint2(keys[i], counts[i]);
}

int main(int argc, char** argv) {
  const auto count = unsigned(argument(argc, argv, 1, 1 << 20, 256, 1 << 26));
  unsigned slots = 256;
  while (slots < count) slots *= 2;
  DeviceArray<unsigned> keys(slots), counts(slots), end(1);
  DeviceArray<uint2> queue(slots);
  CHECK(cudaMemset(keys.data(), 0xff, slots * sizeof(unsigned)));
  insert<<<264, 256>>>(keys.data(), counts.data(), slots - 1, count);
  gather<<<264, 256>>>(keys.data(), counts.data(), slots, queue.data(), end.data());
  std::vector<unsigned> wanted(count / 3 + 1);
  for (unsigned i = 0; i < count; ++i) ++wanted[scramble(i) % wanted.size()];
  const unsigned found = end.host()[0];
  const auto pairs = queue.host();
  Verdict verdict;
  for (unsigned i = 0; i < found; ++i) {
    if (!verdict.expect(wanted[pairs[i].x] == pairs[i].y, "count")) break;
    wanted[pairs[i].x] = 0;
  }
  for (const unsigned left : wanted)
    if (!verdict.expect(left == 0, "missing key")) break;
  return verdict.finish();
}
