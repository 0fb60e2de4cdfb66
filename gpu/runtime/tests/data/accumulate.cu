// nvcc -arch=sm_90 -fatbin -o accumulate.fatbin accumulate.cu      (nvcc 13.0)
__device__ int launches = 5;
__constant__ int offset = 10;

extern "C" __global__ void accumulate(int* data, int factor) {
  data[threadIdx.x] = data[threadIdx.x] * factor + offset + launches;
  __syncthreads();
  if (threadIdx.x == 0) ++launches;
}
