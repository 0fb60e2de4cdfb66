// Threads of one warp that move an element each, from and to places that they are told: through
// global, shared and local memory. `places`: 32 of each of the six accesses. `on`: who takes part.
struct alignas(8) Pair {
  unsigned x, y;
};
struct alignas(16) Quad {
  unsigned x, y, z, w;
};

template <class T>
__device__ void move(const T* in, T* out, const int* places, unsigned on) {
  __shared__ T staged[64];
  T own[8];
  const unsigned lane = threadIdx.x;
  staged[lane] = in[lane];
  staged[lane + 32] = in[lane + 32];
  for (int i = 0; i < 8; ++i) own[i] = in[i];
  __syncwarp();
  if ((on >> lane & 1) == 0) return;
  staged[places[32 + lane]] = in[places[lane]];
  own[places[96 + lane]] = staged[places[64 + lane]];
  out[places[160 + lane]] = own[places[128 + lane]];
}

extern "C" __global__ void move_1(const unsigned char* in, unsigned char* out, const int* places,
                                  unsigned on) {
  move(in, out, places, on);
}
extern "C" __global__ void move_2(const short* in, short* out, const int* places, unsigned on) {
  move(in, out, places, on);
}
extern "C" __global__ void move_4(const unsigned* in, unsigned* out, const int* places,
                                  unsigned on) {
  move(in, out, places, on);
}
extern "C" __global__ void move_8(const Pair* in, Pair* out, const int* places, unsigned on) {
  move(in, out, places, on);
}
extern "C" __global__ void move_16(const Quad* in, Quad* out, const int* places, unsigned on) {
  move(in, out, places, on);
}

// Adds its number to the place it is told; `found`: what was there.
extern "C" __global__ void add(unsigned* sums, unsigned* found, const int* places, unsigned on) {
  const unsigned lane = threadIdx.x;
  if ((on >> lane & 1) != 0) found[lane] = atomicAdd(&sums[places[lane]], lane + 1);
}
