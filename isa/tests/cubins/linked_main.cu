// Linked with linked_functions.cu: a kernel that calls into another file.
extern __device__ float outer(float);
extern __device__ int shift;

__global__ void linked(float* p) { p[threadIdx.x] = outer(p[threadIdx.x]) + shift; }
