__device__ int shift = 5;
__device__ __noinline__ float inner(float x) { return x * x + shift; }
__device__ float outer(float x) { return inner(x) * x + shift; }
