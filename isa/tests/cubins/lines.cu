__device__ float square(float x) { return x * x; }
__device__ float squares(float x) { return square(x) + square(x + 1.0f); }
__global__ void first(float* p) { p[0] = 1.0f; }
__global__ void second(float* p) {
  float q = p[1];
  p[0] = squares(q);
  p[1] = square(q) + 3.0f;
}
