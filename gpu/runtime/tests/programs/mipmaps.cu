// Mipmapped arrays: levels that are arrays, textures that blend them, kernels that make them.
#include <cmath>
#include <vector>

#include "check.hpp"

static cudaMipmappedArray_t make(cudaExtent extent, unsigned levels, unsigned flags = 0) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t made;
  OK(cudaMallocMipmappedArray(&made, &format, extent, levels, flags));
  return made;
}
static cudaArray_t level_of(cudaMipmappedArray_t levels, unsigned number) {
  cudaArray_t level;
  OK(cudaGetMipmappedArrayLevel(&level, levels, number));
  return level;
}
static void fill(cudaArray_t array, float value) {
  cudaExtent extent;
  OK(cudaArrayGetInfo(nullptr, &extent, nullptr, array));
  const size_t height = extent.height == 0 ? 1 : extent.height;
  const size_t depth = extent.depth == 0 ? 1 : extent.depth;
  std::vector<float> values(extent.width * height * depth, value);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(values.data(), 4 * extent.width, extent.width, height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&copy));
}
static cudaTextureObject_t texture_of(cudaMipmappedArray_t levels, cudaTextureFilterMode between,
                                      float bias = 0, float least = 0, float most = 100,
                                      const cudaResourceViewDesc* view = nullptr) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = levels;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  how.mipmapFilterMode = between;
  how.normalizedCoords = 1;
  how.mipmapLevelBias = bias;
  how.minMipmapLevelClamp = least;
  how.maxMipmapLevelClamp = most;
  cudaTextureObject_t texture;
  OK(cudaCreateTextureObject(&texture, &resource, &how, view));
  return texture;
}

__global__ void read(cudaTextureObject_t texture, const float* levels, float* to, int kind) {
  const int i = threadIdx.x;
  const float level = levels[i];
  to[i] = kind == 0   ? tex2DLod<float>(texture, 0.3f, 0.6f, level)
          : kind == 1 ? tex1DLod<float>(texture, 0.3f, level)
          : kind == 2 ? tex3DLod<float>(texture, 0.3f, 0.2f, 0.9f, level)
          : kind == 3 ? tex2DLayeredLod<float>(texture, 0.3f, 0.2f, 1, level)
          : kind == 4 ? texCubemapLod<float>(texture, 0.3f, 1, 0.2f, level)
                      : tex2DGrad<float>(texture, 0.5f, 0.5f, make_float2(exp2f(level) / 64, 0),
                                         make_float2(0, 0));
}

static std::vector<float> answers(cudaTextureObject_t texture, std::vector<float> levels,
                                  int kind = 0) {
  float *given, *got;
  const size_t bytes = 4 * levels.size();
  OK(cudaMalloc(&given, bytes));
  OK(cudaMalloc(&got, bytes));
  OK(cudaMemcpy(given, levels.data(), bytes, cudaMemcpyHostToDevice));
  read<<<1, unsigned(levels.size())>>>(texture, given, got, kind);
  OK(cudaMemcpy(levels.data(), got, bytes, cudaMemcpyDeviceToHost));
  OK(cudaFree(given));
  OK(cudaFree(got));
  return levels;
}

static void shapes() {
  const cudaMipmappedArray_t levels = make({19, 12, 0}, 100);
  const size_t widths[] = {19, 9, 4, 2, 1}, heights[] = {12, 6, 3, 1, 1};
  for (unsigned i = 0; i < 5; ++i) {
    cudaExtent extent;
    OK(cudaArrayGetInfo(nullptr, &extent, nullptr, level_of(levels, i)));
    EXPECT(extent.width == widths[i] && extent.height == heights[i] && extent.depth == 0);
  }
  cudaArray_t none;
  EXPECT_CALL(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&none, levels, 5));
  EXPECT(level_of(levels, 1) == level_of(levels, 1));
  OK(cudaFreeMipmappedArray(levels));
  OK(cudaFreeMipmappedArray(nullptr));
}

// Level L holds 10 L everywhere: what is read says which levels were taken.
static void levels_of(cudaExtent extent, unsigned flags, int kind) {
  const cudaMipmappedArray_t levels = make(extent, 4, flags);
  for (unsigned i = 0; i < 4; ++i) fill(level_of(levels, i), 10.0f * i);
  auto got =
      answers(texture_of(levels, cudaFilterModePoint), {-1, 0, 0.49f, 0.5f, 1, 2.6f, 9}, kind);
  const float nearest[] = {0, 0, 0, 10, 10, 30, 30};
  for (int i = 0; i < 7; ++i) EXPECT(got[i] == nearest[i]);
  got = answers(texture_of(levels, cudaFilterModeLinear), {-1, 0, 0.25f, 0.7f, 2.5f, 9}, kind);
  const float between[] = {0, 0, 2.5f, 10 * 179 / 256.0f, 25, 30};
  for (int i = 0; i < 6; ++i) EXPECT(got[i] == between[i]);
  got = answers(texture_of(levels, cudaFilterModeLinear, 0.5f, 0.25f, 2), {0, 1, 1.4f, 3}, kind);
  const float moved[] = {5, 15, 10 * 486 / 256.0f, 20};
  for (int i = 0; i < 4; ++i) EXPECT(got[i] == moved[i]);
  OK(cudaFreeMipmappedArray(levels));
}

static void slopes() {
  const cudaMipmappedArray_t levels = make({64, 64, 0}, 7);
  for (unsigned i = 0; i < 7; ++i) fill(level_of(levels, i), float(i));
  const auto got = answers(texture_of(levels, cudaFilterModeLinear), {-2, 0, 1, 2.5f, 4}, 5);
  const float expected[] = {0, 0, 1, 2.5f, 4};
  for (int i = 0; i < 5; ++i) EXPECT(std::fabs(got[i] - expected[i]) < 0.02f);
  OK(cudaFreeMipmappedArray(levels));
}

static void views() {
  const cudaMipmappedArray_t levels = make({32, 32, 0}, 4);
  for (unsigned i = 0; i < 4; ++i) fill(level_of(levels, i), 10.0f * i);
  cudaResourceViewDesc view{};
  view.format = cudaResViewFormatFloat1;
  view.width = view.height = 32;
  view.firstMipmapLevel = 1;
  view.lastMipmapLevel = 2;
  const auto got =
      answers(texture_of(levels, cudaFilterModeLinear, 0, 0, 100, &view), {0, 0.5f, 9});
  EXPECT(got[0] == 10 && got[1] == 15 && got[2] == 20);
  OK(cudaFreeMipmappedArray(levels));
}

// Each level from the one before: through a texture of its own, and a surface.
__global__ void halve(cudaTextureObject_t from, cudaSurfaceObject_t to, int size) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x >= size || y >= size) return;
  const float value = tex2D<float>(from, (x + 0.5f) / size, (y + 0.5f) / size);
  surf2Dwrite(value, to, 4 * x, y);
}
static void made_by_kernels() {
  const cudaMipmappedArray_t levels = make({16, 16, 0}, 5, cudaArraySurfaceLoadStore);
  std::vector<float> values(256);
  float sum = 0;
  for (int i = 0; i < 256; ++i) sum += values[i] = float(i % 7);
  OK(cudaMemcpy2DToArray(level_of(levels, 0), 0, 0, values.data(), 64, 64, 16,
                         cudaMemcpyHostToDevice));
  for (unsigned i = 1; i < 5; ++i) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = level_of(levels, i - 1);
    cudaTextureDesc how{};
    how.filterMode = cudaFilterModeLinear;
    how.normalizedCoords = 1;
    cudaTextureObject_t from;
    cudaSurfaceObject_t to;
    OK(cudaCreateTextureObject(&from, &resource, &how, nullptr));
    resource.res.array.array = level_of(levels, i);
    OK(cudaCreateSurfaceObject(&to, &resource));
    halve<<<1, dim3(16, 16)>>>(from, to, 16 >> i);
    OK(cudaDeviceSynchronize());
    OK(cudaDestroyTextureObject(from));
    OK(cudaDestroySurfaceObject(to));
  }
  const auto got = answers(texture_of(levels, cudaFilterModePoint), {4});
  EXPECT(std::fabs(got[0] - sum / 256) < 1e-5f);
  OK(cudaFreeMipmappedArray(levels));
}

int main() {
  shapes();
  levels_of({16, 16, 0}, 0, 0);
  levels_of({16, 0, 0}, 0, 1);
  levels_of({8, 9, 12}, 0, 2);
  levels_of({16, 8, 3}, cudaArrayLayered, 3);
  levels_of({16, 16, 6}, cudaArrayCubemap, 4);
  slopes();
  views();
  made_by_kernels();
  std::puts("mipmaps: ok");
}
