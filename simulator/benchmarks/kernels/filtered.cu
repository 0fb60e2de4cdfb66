// Samples of a texture, where each is decides where the next one is. Compiled by make_cubin.sh.
extern "C" __global__ void filtered(cudaTextureObject_t image, float* out, int trips) {
  const float x = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0, u = x + 0.25f, v = blockIdx.y + 0.75f;
  for (int t = 0; t < trips; ++t) {
    sum += tex2D<float>(image, u, v);
    u += 0.375f;
    v += sum * 0.125f - 0.0625f;
  }
  out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}
