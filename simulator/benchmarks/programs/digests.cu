// A digest of 64-byte messages by rotations, additions and choices, as SHA-256 computes it: a long
// straight line of integer instructions.
//
//   digests [blocks = 528] [rounds = 4]
#include "../../../gpu/kernels/common/device_array.h"

__host__ __device__ static unsigned turned(unsigned x, unsigned by) {
  return x >> by | x << (32 - by);
}

// The constants and the first state are ours: nobody is to compare digests.
__host__ __device__ static void compress(unsigned* state, const unsigned* message) {
  unsigned w[16], s[8];
  for (int i = 0; i < 16; ++i) w[i] = message[i];
  for (int i = 0; i < 8; ++i) s[i] = state[i];
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    if (i >= 16) {
      const unsigned a = w[(i + 1) % 16], b = w[(i + 14) % 16];
      w[i % 16] += (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[(i + 9) % 16] +
                   (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    const unsigned e = s[4], a = s[0];
    const unsigned first = s[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
                           ((e & s[5]) ^ (~e & s[6])) + 0x9e3779b9u * unsigned(i + 1) + w[i % 16];
    const unsigned second =
        (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    for (int j = 7; j > 0; --j) s[j] = s[j - 1];
    s[4] += first;
    s[0] = first + second;
  }
  for (int i = 0; i < 8; ++i) state[i] += s[i];
}

__host__ __device__ static unsigned digest(unsigned thread, unsigned rounds) {
  unsigned state[8], message[16];
  for (unsigned i = 0; i < 8; ++i) state[i] = 0x6a09e667u * (i + 1);
  for (unsigned i = 0; i < 16; ++i) message[i] = scramble(thread * 16 + i);
  for (unsigned i = 0; i < rounds; ++i) compress(state, message);
  return state[0] ^ state[7];
}

__global__ void digest_all(unsigned* out, unsigned rounds) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = digest(thread, rounds);
}

int main(int argc, char** argv) {
  const auto blocks = unsigned(argument(argc, argv, 1, 528, 1, 65535));
  const auto rounds = unsigned(argument(argc, argv, 2, 4, 1, 1024));
  DeviceArray<unsigned> out(blocks * 256);
  digest_all<<<blocks, 256>>>(out.data(), rounds);
  const auto values = out.host();
  Verdict verdict;
  for (unsigned i = 0; i < values.size(); i += 997)
    if (!verdict.expect(values[i] == digest(i, rounds), "digest")) break;
  return verdict.finish();
}
