// Textures and surfaces.
#include <cuda_runtime.h>

extern "C" __global__ void fetches(float4* out, cudaTextureObject_t t, int i, float x, float y, float z) {
  float4 r = tex1Dfetch<float4>(t, i);
  r.x += tex1D<float>(t, x) + tex2D<float>(t, x, y) + tex3D<float>(t, x, y, z);
  r.y += tex1DLayered<float>(t, x, i) + tex2DLayered<float>(t, x, y, i) + texCubemap<float>(t, x, y, z);
  r.z += tex2DLod<float>(t, x, y, 2.0f) + texCubemapLayered<float>(t, x, y, z, i);
  const float2 g = tex2D<float2>(t, y, x);
  const float4 h = tex2Dgather<float4>(t, x, y, 1);
  const float4 k = tex3D<float4>(t, z, y, x);
  r.w += g.x + g.y + h.x + h.w + k.y + tex1Dfetch<int>(t, i + 3) + tex2D<unsigned char>(t, x, z);
  out[threadIdx.x] = r;
}

extern "C" __global__ void one_texture(float* out, cudaTextureObject_t t) {
  out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0.5f);
}

extern "C" __global__ void gradients(float* out, cudaTextureObject_t t, float2 dx, float2 dy) {
  out[threadIdx.x] = tex2DGrad<float>(t, threadIdx.x, 0.5f, dx, dy);
}

extern "C" __global__ void surfaces(int4* out, cudaSurfaceObject_t s, int x, int y, int z) {
  int4 r = surf1Dread<int4>(s, x * 16);
  r.x += surf2Dread<int>(s, x * 4, y) + surf3Dread<short>(s, x * 2, y, z) + surf2DLayeredread<unsigned char>(s, x, y, z);
  r.y += surf2Dread<int>(s, x * 4, y, cudaBoundaryModeZero) + surf1DLayeredread<int2>(s, x * 8, y, cudaBoundaryModeTrap).x;
  surf1Dwrite(r, s, x * 16);
  surf2Dwrite(r.x, s, x * 4, y);
  surf2Dwrite(short(r.y), s, x * 2, y, cudaBoundaryModeZero);
  surf3Dwrite(r.x, s, x * 4, y, z, cudaBoundaryModeClamp);
  surf2DLayeredwrite(make_int2(r.x, r.y), s, x * 8, y, z);
  out[threadIdx.x] = r;
}
