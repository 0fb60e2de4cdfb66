// Reads from tables: a chain of dependent reads for each thread, words far apart, rows of a table
// by a random index, and text compared byte by byte until it differs.
//
//   gathers [table = 262144] [block size = 128] [blocks = 264]
#include "../common/device_array.h"

constexpr unsigned kHops = 24, kPattern = 12;

__global__ void chain(const unsigned* table, unsigned mask, unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned at = scramble(thread) & mask;
  for (unsigned i = 0; i < kHops; ++i) at = table[at];
  out[thread] = at;
}

__global__ void far_words(const unsigned* table, unsigned mask, unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (unsigned i = 0; i < kHops; ++i) sum += table[(thread * 17 + i * 4099) & mask];
  out[thread] = sum;
}

__global__ void rows(const uint4* table, unsigned mask, unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (unsigned i = 0; i < kHops; ++i) {
    const uint4 row = table[scramble(thread + i * 65536) & (mask >> 2)];
    sum += row.x ^ row.y ^ row.z ^ row.w;
  }
  out[thread] = sum;
}

// Where the pattern begins first, from each thread's place on.
__global__ void match(const unsigned char* text, unsigned mask, unsigned* out) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned found = 0;
  for (unsigned from = 0; from < kHops; ++from) {
    const unsigned char* at = text + ((thread * 16 + from) & (mask >> 1));
    unsigned length = 0;
    while (length < kPattern && at[length] == length % 2) ++length;
    found = found * 3 + length;
  }
  out[thread] = found;
}

int main(int argc, char** argv) {
  const unsigned size = unsigned(argument(argc, argv, 1, 262144, 1024, 1 << 26));
  const unsigned block = unsigned(argument(argc, argv, 2, 128, 1, 1024));
  const unsigned blocks = unsigned(argument(argc, argv, 3, 264, 1, 4096));
  if ((size & (size - 1)) != 0) {
    fprintf(stderr, "the table's size must be a power of two\n");
    return 2;
  }
  const unsigned mask = size - 1, threads = block * blocks;
  std::vector<unsigned> table(size);
  std::vector<unsigned char> text(size);
  for (unsigned i = 0; i < size; ++i) {
    table[i] = scramble(i + 3) & mask;
    text[i] = (scramble(i) & 3) != 0 ? i % 2 : 2;
  }
  DeviceArray<unsigned> d_table(table), a(threads), b(threads), c(threads), d(threads);
  DeviceArray<unsigned char> d_text(text);
  chain<<<blocks, block>>>(d_table.data(), mask, a.data());
  far_words<<<blocks, block>>>(d_table.data(), mask, b.data());
  rows<<<blocks, block>>>(reinterpret_cast<uint4*>(d_table.data()), mask, c.data());
  match<<<blocks, block>>>(d_text.data(), mask, d.data());
  const auto chains = a.host(), words = b.host(), sums = c.host(), matches = d.host();
  bool right[4] = {true, true, true, true};
  for (unsigned thread = 0; thread < threads; ++thread) {
    unsigned at = scramble(thread) & mask, word = 0, sum = 0, found = 0;
    for (unsigned i = 0; i < kHops; ++i) {
      at = table[at];
      word += table[(thread * 17 + i * 4099) & mask];
      const unsigned* row = &table[(scramble(thread + i * 65536) & (mask >> 2)) * 4];
      sum += row[0] ^ row[1] ^ row[2] ^ row[3];
      const unsigned char* place = &text[(thread * 16 + i) & (mask >> 1)];
      unsigned length = 0;
      while (length < kPattern && place[length] == length % 2) ++length;
      found = found * 3 + length;
    }
    right[0] = right[0] && chains[thread] == at;
    right[1] = right[1] && words[thread] == word;
    right[2] = right[2] && sums[thread] == sum;
    right[3] = right[3] && matches[thread] == found;
  }
  Verdict verdict;
  verdict.expect(right[0], "chain");
  verdict.expect(right[1], "far_words");
  verdict.expect(right[2], "rows");
  verdict.expect(right[3], "match");
  return verdict.finish();
}
