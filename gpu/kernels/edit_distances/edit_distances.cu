// How many letters must change to make one word of another: a thread for each pair with a row of
// the table in local memory, and a warp for each pair with the row across its lanes.
//
//   edit_distances [block size = 128] [blocks = 132]
#include <algorithm>

#include "../common/device_array.h"

constexpr unsigned kWord = 16;  // letters at most

__host__ __device__ static unsigned length_of(unsigned word) {
  return 4 + scramble(word) % (kWord - 3);
}

__host__ __device__ static unsigned distance(const unsigned char* a, unsigned a_length,
                                             const unsigned char* b, unsigned b_length) {
  unsigned row[kWord + 1];
  for (unsigned i = 0; i <= b_length; ++i) row[i] = i;
  for (unsigned y = 0; y < a_length; ++y) {
    unsigned diagonal = row[0];
    row[0] = y + 1;
    for (unsigned x = 0; x < b_length; ++x) {
      const unsigned above = row[x + 1];
      unsigned least = diagonal + (a[y] != b[x]);
      if (above + 1 < least) least = above + 1;
      if (row[x] + 1 < least) least = row[x] + 1;
      row[x + 1] = least;
      diagonal = above;
    }
  }
  return row[b_length];
}

__global__ void by_thread(const unsigned char* letters, unsigned* out) {
  const unsigned pair = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned char* const a = letters + pair * kWord;
  out[pair] = distance(a, length_of(pair), a + kWord, length_of(pair + 1));
}

// Along the table's diagonals: lane x holds column x.
__global__ void by_warp(const unsigned char* letters, unsigned* out) {
  const unsigned pair = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const unsigned char* const a = letters + pair * kWord;
  const unsigned a_length = length_of(pair), b_length = length_of(pair + 1);
  const unsigned letter = lane >= 1 && lane <= b_length ? a[kWord + lane - 1] : 256;
  unsigned here = lane, left_before = lane - 1;
  for (unsigned step = 1; step <= a_length + b_length; ++step) {
    const unsigned left = __shfl_up_sync(~0u, here, 1);
    const unsigned y = step - lane;
    if (step >= lane && y >= 1 && y <= a_length && lane <= b_length) {
      if (lane == 0)
        here = y;
      else
        here = min(min(here, left) + 1, left_before + (a[y - 1] != letter));
    }
    left_before = left;
  }
  if (lane == b_length) out[pair] = here;
}

int main(int argc, char** argv) {
  const unsigned block = unsigned(argument(argc, argv, 1, 128, 32, 1024)) / 32 * 32;
  const unsigned blocks = unsigned(argument(argc, argv, 2, 132, 1, 4096));
  const unsigned pairs = block * blocks;
  std::vector<unsigned char> letters((pairs + 1) * kWord);
  for (unsigned i = 0; i < letters.size(); ++i) letters[i] = scramble(i) % 3;
  std::vector<unsigned> want(pairs);
  for (unsigned pair = 0; pair < pairs; ++pair)
    want[pair] = distance(&letters[pair * kWord], length_of(pair), &letters[(pair + 1) * kWord],
                          length_of(pair + 1));
  DeviceArray<unsigned char> d_letters(letters);
  DeviceArray<unsigned> a(pairs), b(pairs / 32 * 8);
  by_thread<<<blocks, block>>>(d_letters.data(), a.data());
  by_warp<<<blocks * 8, block>>>(d_letters.data(), b.data());
  Verdict verdict;
  verdict.expect(a.host() == want, "by_thread");
  const auto of_warps = b.host();
  verdict.expect(std::equal(of_warps.begin(), of_warps.end(), want.begin()), "by_warp");
  return verdict.finish();
}
