// A library that a test session loads with ctypes.
__global__ void twice(int* values) {
  values[threadIdx.x] *= 2;
#ifdef PLANT_FAULT
  if (threadIdx.x == 5) values[1 << 28] = 1;
#endif
#ifdef PLANT_RACE
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  values[threadIdx.x] += tile[63 - threadIdx.x];
#endif
}

extern "C" int twice_of(int* values) {
  int* memory;
  if (cudaMalloc(&memory, 64 * sizeof *memory) != cudaSuccess) return 1;
  cudaMemcpy(memory, values, 64 * sizeof *memory, cudaMemcpyHostToDevice);
  twice<<<1, 64>>>(memory);
  cudaDeviceSynchronize();
  cudaMemcpy(values, memory, 64 * sizeof *memory, cudaMemcpyDeviceToHost);
  return 0;
}
