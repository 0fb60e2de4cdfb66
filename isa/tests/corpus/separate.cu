// For -rdc=true: calls that the linker resolves.
extern __device__ int elsewhere(int);
extern __device__ int other_table[8];
__device__ __noinline__ int here(int v) { return v * 3 + other_table[v & 7]; }
extern "C" __global__ void linked(int* out, const int* in) {
  out[threadIdx.x] = elsewhere(in[threadIdx.x]) + here(in[threadIdx.x]);
}
__device__ int other_table[8] = {1, 2, 3};
__device__ int elsewhere(int v) { return v > 3 ? here(v - 1) : v; }
