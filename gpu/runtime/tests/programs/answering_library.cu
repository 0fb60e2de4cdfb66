// A library with kernels, and with the CUDA runtime inside it, as nvcc links it by default. Its
// answer is 0, or the error of what it tried.
__global__ void set(int* value) { *value = 0; }

extern "C" int answer() {
  int *device = nullptr, host = -1;
  if (const cudaError_t error = cudaMalloc(&device, sizeof *device)) return error;
  set<<<1, 1>>>(device);
  if (const cudaError_t error = cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost))
    return error;
  return host;
}
