// Keys looked up in tables: one that tries place after place until it finds the key or a gap, and
// lists of a few entries behind each place.
//
//   hash_lookups [keys = 32768] [block size = 128] [blocks = 264]
#include "../common/device_array.h"

constexpr unsigned kEmpty = ~0u;

__global__ void open_table(const uint2* table, unsigned mask, unsigned keys, unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned key = scramble(thread * 8 + i) % (keys * 2);
    for (unsigned at = scramble(key) & mask; table[at].x != kEmpty; at = (at + 1) & mask)
      if (table[at].x == key) {
        sum += table[at].y;
        break;
      }
  }
  out[thread] = sum;
}

__global__ void lists(const int* heads, const int* next, const unsigned* names, unsigned mask,
                      unsigned keys, unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned key = scramble(thread * 8 + i) % (keys * 2);
    int entry = heads[scramble(key) & mask];
    while (entry >= 0 && names[entry] != key) entry = next[entry];
    if (entry >= 0) sum += key * 3;
  }
  out[thread] = sum;
}

int main(int argc, char** argv) {
  const unsigned keys = unsigned(argument(argc, argv, 1, 32768, 16, 1 << 22));
  const unsigned block = unsigned(argument(argc, argv, 2, 128, 1, 1024));
  const unsigned blocks = unsigned(argument(argc, argv, 3, 264, 1, 4096));
  unsigned places = 1;
  while (places * 3 < keys * 4) places *= 2;
  const unsigned mask = places - 1, threads = block * blocks;
  // Every other number below twice the number of keys is a key.
  std::vector<uint2> table(places, make_uint2(kEmpty, 0));
  std::vector<int> heads(places, -1), next(keys);
  std::vector<unsigned> names(keys);
  for (unsigned i = 0; i < keys; ++i) {
    const unsigned key = names[i] = i * 2;
    unsigned at = scramble(key) & mask;
    while (table[at].x != kEmpty) at = (at + 1) & mask;
    table[at] = make_uint2(key, key * 3);
    next[i] = heads[scramble(key) & mask];
    heads[scramble(key) & mask] = int(i);
  }
  DeviceArray<uint2> d_table(table);
  DeviceArray<int> d_heads(heads), d_next(next);
  DeviceArray<unsigned> d_names(names), a(threads), b(threads);
  open_table<<<blocks, block>>>(d_table.data(), mask, keys, a.data());
  lists<<<blocks, block>>>(d_heads.data(), d_next.data(), d_names.data(), mask, keys, b.data());
  std::vector<unsigned> want(threads);
  for (unsigned thread = 0; thread < threads; ++thread)
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned key = scramble(thread * 8 + i) % (keys * 2);
      if (key % 2 == 0) want[thread] += key * 3;
    }
  Verdict verdict;
  verdict.expect(a.host() == want, "open_table");
  verdict.expect(b.host() == want, "lists");
  return verdict.finish();
}
