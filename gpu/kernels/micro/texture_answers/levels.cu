// What the texture unit answers of mipmapped arrays, as raw bits: one file per case with records of
// (x, y, z, layer, level or slopes, answer), and one with its texels, level after level.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#define OK(call)                                                           \
  do {                                                                     \
    const cudaError_t e_ = (call);                                         \
    if (e_ != cudaSuccess) {                                               \
      std::printf("%d %s: %s\n", __LINE__, #call, cudaGetErrorString(e_)); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

// Where is read; `slope`: the level, or what x and y (and z) change by along both directions.
struct Point {
  float x, y, z;
  int layer;
  float slope[6];
  float answer;
};
enum Way {
  line,
  plane,
  volume,
  lines,
  planes,
  cube,
  cubes,
  line_slopes,
  plane_slopes,
  volume_slopes,
  planes_slopes,
  cube_slopes,
  plane_without
};

__global__ void sample(cudaTextureObject_t t, Way way, Point* points, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Point& p = points[i];
  const float* s = p.slope;
  switch (way) {
    case line:
      p.answer = tex1DLod<float>(t, p.x, s[0]);
      break;
    case plane:
      p.answer = tex2DLod<float>(t, p.x, p.y, s[0]);
      break;
    case volume:
      p.answer = tex3DLod<float>(t, p.x, p.y, p.z, s[0]);
      break;
    case lines:
      p.answer = tex1DLayeredLod<float>(t, p.x, p.layer, s[0]);
      break;
    case planes:
      p.answer = tex2DLayeredLod<float>(t, p.x, p.y, p.layer, s[0]);
      break;
    case cube:
      p.answer = texCubemapLod<float>(t, p.x, p.y, p.z, s[0]);
      break;
    case cubes:
      p.answer = texCubemapLayeredLod<float>(t, p.x, p.y, p.z, p.layer, s[0]);
      break;
    case line_slopes:
      p.answer = tex1DGrad<float>(t, p.x, s[0], s[1]);
      break;
    case plane_slopes:
      p.answer = tex2DGrad<float>(t, p.x, p.y, make_float2(s[0], s[1]), make_float2(s[2], s[3]));
      break;
    case planes_slopes:
      p.answer = tex2DLayeredGrad<float>(t, p.x, p.y, p.layer, make_float2(s[0], s[1]),
                                         make_float2(s[2], s[3]));
      break;
    case volume_slopes:
      p.answer = tex3DGrad<float>(t, p.x, p.y, p.z, make_float4(s[0], s[1], s[2], 0),
                                  make_float4(s[3], s[4], s[5], 0));
      break;
    case cube_slopes:
      p.answer = texCubemapGrad<float>(t, p.x, p.y, p.z, make_float4(s[0], s[1], s[2], 0),
                                       make_float4(s[3], s[4], s[5], 0));
      break;
    case plane_without:
      p.answer = tex2D<float>(t, p.x, p.y);
      break;
  }
}

static std::mt19937 rng(7);
static float uniform(float a, float b) { return a + (b - a) * (rng() * (1.0f / 4294967296.0f)); }

enum Contents { by_level, alternating, at_random };
struct Setup {
  std::string name;
  Way way;
  cudaExtent extent;
  unsigned flags;
  unsigned levels;
  Contents contents;
  cudaTextureFilterMode filter = cudaFilterModePoint, between = cudaFilterModeLinear;
  bool bytes = false;  // 8-bit integers as fractions
  float bias = 0, least = 0, most = 100;
  unsigned anisotropy = 0;
};

static void run(const Setup& s, std::vector<Point> points) {
  const cudaChannelFormatDesc format =
      s.bytes ? cudaCreateChannelDesc<unsigned char>() : cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t levels;
  OK(cudaMallocMipmappedArray(&levels, &format, s.extent, s.levels, s.flags));
  std::FILE* const texels = std::fopen((s.name + ".texels").c_str(), "wb");
  for (unsigned level = 0; level < s.levels; ++level) {
    cudaArray_t array;
    OK(cudaGetMipmappedArrayLevel(&array, levels, level));
    cudaExtent extent;
    OK(cudaArrayGetInfo(nullptr, &extent, nullptr, array));
    const size_t height = extent.height == 0 ? 1 : extent.height;
    const size_t depth = extent.depth == 0 ? 1 : extent.depth;
    const size_t size = s.bytes ? 1 : 4;
    std::vector<unsigned char> data(extent.width * height * depth * size);
    for (size_t i = 0; i < data.size() / size; ++i) {
      const float value = s.contents == by_level      ? float(level)
                          : s.contents == alternating ? float(level % 2)
                                                      : uniform(-2, 5);
      if (s.bytes)
        data[i] = static_cast<unsigned char>(rng() >> 13);
      else
        std::memcpy(&data[4 * i], &value, 4);
    }
    std::fwrite(data.data(), 1, data.size(), texels);
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(data.data(), extent.width * size, extent.width, height);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(extent.width, height, depth);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
  }
  std::fclose(texels);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = levels;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
  how.filterMode = s.filter;
  how.mipmapFilterMode = s.between;
  how.normalizedCoords = 1;
  how.readMode = s.bytes ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  how.mipmapLevelBias = s.bias;
  how.minMipmapLevelClamp = s.least;
  how.maxMipmapLevelClamp = s.most;
  how.maxAnisotropy = s.anisotropy;
  cudaTextureObject_t texture;
  OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  Point* there;
  OK(cudaMalloc(&there, points.size() * sizeof(Point)));
  OK(cudaMemcpy(there, points.data(), points.size() * sizeof(Point), cudaMemcpyHostToDevice));
  sample<<<(int(points.size()) + 127) / 128, 128>>>(texture, s.way, there, int(points.size()));
  OK(cudaMemcpy(points.data(), there, points.size() * sizeof(Point), cudaMemcpyDeviceToHost));
  OK(cudaFree(there));
  OK(cudaDestroyTextureObject(texture));
  OK(cudaFreeMipmappedArray(levels));
  std::FILE* file = std::fopen((s.name + ".bin").c_str(), "wb");
  std::fwrite(points.data(), sizeof(Point), points.size(), file);
  std::fclose(file);
  std::printf("%s: %zu, first %g, last %g\n", s.name.c_str(), points.size(), points[0].answer,
              points.back().answer);
}

// Levels from `from` on, in equal steps.
static std::vector<Point> sweep(float from, float step, int count) {
  std::vector<Point> points(count);
  for (int i = 0; i < count; ++i) {
    points[i].x = points[i].y = points[i].z = 0.5f;
    points[i].slope[0] = from + step * i;
  }
  return points;
}
static std::vector<Point> scattered(int count, float least, float most, int layers, bool cube) {
  std::vector<Point> points(count);
  for (Point& p : points) {
    p.x = uniform(cube ? -1 : -0.2f, cube ? 1 : 1.2f);
    p.y = uniform(cube ? -1 : -0.2f, cube ? 1 : 1.2f);
    p.z = uniform(cube ? -1 : -0.2f, cube ? 1 : 1.2f);
    p.layer = layers > 0 ? int(rng() % layers) : 0;
    p.slope[0] = uniform(least, most);
  }
  return points;
}
// Slopes of all sizes between 2^-12 and 2; `of`: how many of the six are not zero.
static std::vector<Point> slopes(int count, int of) {
  std::vector<Point> points(count);
  for (Point& p : points) {
    p.x = uniform(0.1f, 0.9f), p.y = uniform(0.1f, 0.9f), p.z = uniform(0.1f, 0.9f);
    p.layer = int(rng() % 3);
    for (int i = 0; i < of; ++i)
      p.slope[i] = std::exp2(uniform(-9, 0.5f)) * (rng() % 2 == 0 ? 1 : -1);
  }
  return points;
}

int main() {
  const auto none = make_cudaExtent(256, 256, 0);
  for (auto between : {cudaFilterModePoint, cudaFilterModeLinear}) {
    const std::string tail = between == cudaFilterModePoint ? "_point" : "_linear";
    run({"sweep" + tail, plane, none, 0, 6, alternating, cudaFilterModePoint, between},
        sweep(-0.5f, 1.0f / 2048, 12 * 2048 / 2));
    run({"bias" + tail, plane, none, 0, 6, by_level, cudaFilterModePoint, between, false, 0.3f,
         0.7f, 3.6f},
        sweep(-1, 1.0f / 256, 6 * 256));
    run({"bias_below" + tail, plane, none, 0, 6, by_level, cudaFilterModePoint, between, false,
         -1.37f, -3, 2.1f},
        sweep(-1, 1.0f / 256, 6 * 256));
    for (auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
      const std::string both = (filter == cudaFilterModePoint ? "_texel" : "_filter") + tail;
      run({"plane" + both, plane, make_cudaExtent(19, 12, 0), 0, 5, at_random, filter, between},
          scattered(3000, -1, 6, 0, false));
      run({"line" + both, line, make_cudaExtent(13, 0, 0), 0, 4, at_random, filter, between},
          scattered(1500, -1, 6, 0, false));
      run({"bytes" + both, plane, make_cudaExtent(16, 16, 0), 0, 5, at_random, filter, between,
           true},
          scattered(2000, -1, 6, 0, false));
      run({"volume" + both, volume, make_cudaExtent(8, 9, 5), 0, 4, at_random, filter, between},
          scattered(1500, -1, 6, 0, false));
      run({"lines" + both, lines, make_cudaExtent(16, 0, 3), cudaArrayLayered, 5, at_random, filter,
           between},
          scattered(1000, -1, 6, 4, false));
      run({"planes" + both, planes, make_cudaExtent(16, 8, 3), cudaArrayLayered, 5, at_random,
           filter, between},
          scattered(1500, -1, 6, 4, false));
      run({"cube" + both, cube, make_cudaExtent(16, 16, 6), cudaArrayCubemap, 5, at_random, filter,
           between},
          scattered(1500, -1, 6, 0, true));
      run({"cubes" + both, cubes, make_cudaExtent(8, 8, 12), cudaArrayCubemap | cudaArrayLayered, 4,
           at_random, filter, between},
          scattered(1000, -1, 6, 3, true));
    }
  }
  // Level L holds L everywhere: the answer is the level that the slopes gave.
  const auto wide = make_cudaExtent(512, 128, 0);
  run({"slope_line", line_slopes, make_cudaExtent(512, 0, 0), 0, 10, by_level}, slopes(3000, 2));
  run({"slope_one", plane_slopes, wide, 0, 10, by_level}, slopes(3000, 1));
  run({"slope_two", plane_slopes, wide, 0, 10, by_level}, slopes(3000, 2));
  run({"slope_four", plane_slopes, wide, 0, 10, by_level}, slopes(4000, 4));
  run({"slope_layered", planes_slopes, make_cudaExtent(512, 128, 3), cudaArrayLayered, 10,
       by_level},
      slopes(1000, 4));
  run({"slope_aniso", plane_slopes, wide, 0, 10, by_level, cudaFilterModePoint,
       cudaFilterModeLinear, false, 0, 0, 100, 8},
      slopes(2000, 4));
  run({"slope_volume", volume_slopes, make_cudaExtent(64, 32, 128), 0, 8, by_level},
      slopes(3000, 6));
  run({"slope_cube", cube_slopes, make_cudaExtent(256, 256, 6), cudaArrayCubemap, 9, by_level},
      slopes(2000, 6));
  run({"without", plane_without, none, 0, 6, by_level}, scattered(1024, 0, 1, 0, false));
}
