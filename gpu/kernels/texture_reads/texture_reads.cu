// Textures of every shape, read by every kind of instruction: lines, planes, boxes, layers, cubes,
// mip levels, four texels at once, places in memory. Points lie on texels or halfway between them,
// so that every answer is a whole number.
#include "../common/device_array.h"

constexpr int kWide = 32, kHigh = 16, kDeep = 4, kThreads = 256, kLevels = 4;

__host__ __device__ float texel(int x, int y, int z) { return float(x + 64 * y + 1024 * z); }

struct Place {
  int x, y, z;
};
__host__ __device__ Place place(int thread) {
  return {int(scramble(thread) % kWide), int(scramble(thread + 999) % kHigh), thread % kDeep};
}

// An array of cudaMalloc3DArray with texels (x, y, z), and a texture of it.
class Texture {
 public:
  Texture(int width, int height, int depth, unsigned flags, cudaTextureFilterMode filter,
          cudaTextureAddressMode outside = cudaAddressModeClamp) {
    std::vector<float> texels;
    for (int z = 0; z < (depth ? depth : 1); ++z)
      for (int y = 0; y < (height ? height : 1); ++y)
        for (int x = 0; x < width; ++x) texels.push_back(texel(x, y, z));
    const auto format = cudaCreateChannelDesc<float>();
    CHECK(cudaMalloc3DArray(&array_, &format, make_cudaExtent(width, height, depth), flags));
    cudaMemcpy3DParms copy{};
    copy.srcPtr =
        make_cudaPitchedPtr(texels.data(), width * sizeof(float), width, height ? height : 1);
    copy.dstArray = array_;
    copy.extent = make_cudaExtent(width, height ? height : 1, depth ? depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    cudaTextureDesc description{};
    for (auto& mode : description.addressMode) mode = outside;
    description.filterMode = filter;
    CHECK(cudaCreateTextureObject(&object_, &resource, &description, nullptr));
  }
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;
  ~Texture() {
    cudaDestroyTextureObject(object_);
    cudaFreeArray(array_);
  }
  cudaTextureObject_t object() const { return object_; }

 private:
  cudaArray_t array_ = nullptr;
  cudaTextureObject_t object_ = 0;
};

__device__ int thread_of_grid() { return int(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void lines(cudaTextureObject_t line, cudaTextureObject_t layered, float2* out) {
  const int t = thread_of_grid();
  const Place at = place(t);
  out[t].x = tex1D<float>(line, at.x + 0.5f);
  if (t % 3 != 0) out[t].y = tex1DLayered<float>(layered, at.x + 0.5f, at.z);
}

__global__ void planes(cudaTextureObject_t plane, cudaTextureObject_t layered, float2* out) {
  const int t = thread_of_grid();
  const Place at = place(t);
  out[t].x = tex2D<float>(plane, at.x + 0.5f - 4, at.y + 0.5f + 4);  // may lie outside
  if (t & 4) out[t].y = tex2DLayered<float>(layered, at.x + 0.5f, at.y + 0.5f, at.z);
}

__global__ void boxes(cudaTextureObject_t box, cudaTextureObject_t filtered, float2* out) {
  const int t = thread_of_grid();
  const Place at = place(t);
  out[t].x = tex3D<float>(box, at.x + 0.5f, at.y + 0.5f, at.z + 0.5f);
  out[t].y = tex2D<float>(filtered, at.x + 1.0f, at.y + 0.5f);
}

__global__ void cubes(cudaTextureObject_t cube, cudaTextureObject_t layered, float2* out) {
  const int t = thread_of_grid(), face = t % 6;
  const float main = face % 2 ? -1.0f : 1.0f, a = 1 / 64.0f, b = -1 / 64.0f;
  const float x = face < 2 ? main : a, y = face / 2 == 1 ? main : b, z = face >= 4 ? main : a;
  out[t].x = texCubemap<float>(cube, x, y, z);
  out[t].y = texCubemapLayered<float>(layered, x, y, z, t / 6 % 2);
}

__global__ void gathers(cudaTextureObject_t plane, float4* out) {
  const int t = thread_of_grid();
  const Place at = place(t);
  out[t] = tex2Dgather<float4>(plane, at.x % (kWide - 1) + 1.0f, at.y % (kHigh - 1) + 1.0f, 0);
}

__global__ void levels(cudaTextureObject_t pyramid, float2* out) {
  const int t = thread_of_grid(), level = t % kLevels;
  const float x = (place(t).x + 0.5f) / kWide, y = (place(t).y + 0.5f) / kHigh;
  out[t].x = tex2DLod<float>(pyramid, x, y, float(level));
  const float step = float(1 << level);
  out[t].y =
      tex2DGrad<float>(pyramid, x, y, make_float2(step / kWide, 0), make_float2(0, step / kHigh));
}

__global__ void fetches(cudaTextureObject_t bytes, cudaTextureObject_t pitched, float4* out) {
  const int t = thread_of_grid();
  const uchar4 four = tex1Dfetch<uchar4>(bytes, int(scramble(t) % kThreads));
  float4 result = make_float4(four.x, four.y, four.z, 0);
  if (t % 5 != 0) result.w = tex2D<float>(pitched, place(t).x + 0.5f, place(t).y + 0.5f);
  out[t] = result;
}

__global__ void sizes(cudaTextureObject_t box, int3* out) {
  int3 size;
  asm("txq.width.b32 %0, [%1];" : "=r"(size.x) : "l"(box));
  asm("txq.height.b32 %0, [%1];" : "=r"(size.y) : "l"(box));
  asm("txq.depth.b32 %0, [%1];" : "=r"(size.z) : "l"(box));
  out[thread_of_grid()] = size;
}

// Level l of a mipmap holds 1000 l + x of its own texels.
class Pyramid {
 public:
  Pyramid() {
    const auto format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocMipmappedArray(&array_, &format, make_cudaExtent(kWide, kHigh, 0), kLevels));
    for (int level = 0; level < kLevels; ++level) {
      const size_t width = kWide >> level, height = kHigh >> level;
      std::vector<float> texels(width * height);
      for (size_t i = 0; i < texels.size(); ++i) texels[i] = float(1000 * level + int(i % width));
      cudaArray_t part;
      CHECK(cudaGetMipmappedArrayLevel(&part, array_, level));
      CHECK(cudaMemcpy2DToArray(part, 0, 0, texels.data(), width * sizeof(float),
                                width * sizeof(float), height, cudaMemcpyHostToDevice));
    }
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = array_;
    cudaTextureDesc description{};
    description.normalizedCoords = 1;
    description.filterMode = description.mipmapFilterMode = cudaFilterModePoint;
    description.maxMipmapLevelClamp = kLevels - 1;
    CHECK(cudaCreateTextureObject(&object_, &resource, &description, nullptr));
  }
  Pyramid(const Pyramid&) = delete;
  Pyramid& operator=(const Pyramid&) = delete;
  ~Pyramid() {
    cudaDestroyTextureObject(object_);
    cudaFreeMipmappedArray(array_);
  }
  cudaTextureObject_t object() const { return object_; }

 private:
  cudaMipmappedArray_t array_ = nullptr;
  cudaTextureObject_t object_ = 0;
};

static cudaTextureObject_t texture_of_memory(const cudaResourceDesc& resource) {
  cudaTextureDesc description{};
  for (auto& mode : description.addressMode) mode = cudaAddressModeClamp;
  cudaTextureObject_t object = 0;
  CHECK(cudaCreateTextureObject(&object, &resource, &description, nullptr));
  return object;
}

template <typename T, typename Expected>
static void compare(Verdict& verdict, const char* what, const DeviceArray<T>& out,
                    Expected&& expected) {
  const auto values = out.host();
  bool equal = true;
  for (int t = 0; t < kThreads; ++t) equal = equal && expected(t, values[t]);
  verdict.expect(equal, what);
}

static int clamped(int i, int count) { return i < 0 ? 0 : i >= count ? count - 1 : i; }

static void check_shapes(Verdict& verdict) {
  const auto nearest = cudaFilterModePoint;
  const Texture line(kWide, 0, 0, 0, nearest), box(kWide, kHigh, kDeep, 0, nearest);
  const Texture rows(kWide, 0, kDeep, cudaArrayLayered, nearest);
  const Texture plane(kWide, kHigh, 0, cudaArrayTextureGather, nearest);
  const Texture sheets(kWide, kHigh, kDeep, cudaArrayLayered, nearest);
  const Texture filtered(kWide, kHigh, 0, 0, cudaFilterModeLinear);
  DeviceArray<float2> out(kThreads);
  lines<<<2, kThreads / 2>>>(line.object(), rows.object(), out.data());
  compare(verdict, "lines", out, [](int t, float2 got) {
    const Place at = place(t);
    return got.x == texel(at.x, 0, 0) && got.y == (t % 3 ? texel(at.x, 0, at.z) : 0);
  });
  DeviceArray<float2> of_planes(kThreads);
  planes<<<2, kThreads / 2>>>(plane.object(), sheets.object(), of_planes.data());
  compare(verdict, "planes", of_planes, [](int t, float2 got) {
    const Place at = place(t);
    return got.x == texel(clamped(at.x - 4, kWide), clamped(at.y + 4, kHigh), 0) &&
           got.y == (t & 4 ? texel(at.x, at.y, at.z) : 0);
  });
  boxes<<<2, kThreads / 2>>>(box.object(), filtered.object(), out.data());
  compare(verdict, "boxes", out, [](int t, float2 got) {
    const Place at = place(t);
    const float next = texel(clamped(at.x + 1, kWide), at.y, 0);
    return got.x == texel(at.x, at.y, at.z) && got.y == (texel(at.x, at.y, 0) + next) / 2;
  });
  DeviceArray<float4> four(kThreads);
  gathers<<<2, kThreads / 2>>>(plane.object(), four.data());
  compare(verdict, "gathers", four, [](int t, float4 got) {
    const int x = place(t).x % (kWide - 1), y = place(t).y % (kHigh - 1);
    return got.x == texel(x, y + 1, 0) && got.y == texel(x + 1, y + 1, 0) &&
           got.z == texel(x + 1, y, 0) && got.w == texel(x, y, 0);
  });
  DeviceArray<int3> size(kThreads);
  sizes<<<2, kThreads / 2>>>(box.object(), size.data());
  compare(verdict, "sizes", size,
          [](int, int3 got) { return got.x == kWide && got.y == kHigh && got.z == kDeep; });
}

static void check_cubes(Verdict& verdict) {
  const Texture cube(kHigh, kHigh, 6, cudaArrayCubemap, cudaFilterModePoint);
  const Texture layered(kHigh, kHigh, 12, cudaArrayCubemap | cudaArrayLayered, cudaFilterModePoint);
  DeviceArray<float2> out(kThreads);
  cubes<<<2, kThreads / 2>>>(cube.object(), layered.object(), out.data());
  compare(verdict, "cubes", out, [](int t, float2 got) {
    return int(got.x) / 1024 == t % 6 && int(got.y) / 1024 == t % 6 + 6 * (t / 6 % 2);
  });
}

static void check_levels(Verdict& verdict) {
  const Pyramid pyramid;
  DeviceArray<float2> out(kThreads);
  levels<<<2, kThreads / 2>>>(pyramid.object(), out.data());
  compare(verdict, "levels", out, [](int t, float2 got) {
    const int level = t % kLevels;
    const float expected = float(1000 * level + (place(t).x >> level));
    return got.x == expected && got.y == expected;
  });
}

static void check_memory(Verdict& verdict) {
  std::vector<uchar4> bytes(kThreads);
  for (int i = 0; i < kThreads; ++i)
    bytes[i] = uchar4{(unsigned char)i, (unsigned char)(i * 7), 3, 4};
  DeviceArray<uchar4> linear(bytes);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = linear.data();
  resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
  resource.res.linear.sizeInBytes = kThreads * sizeof(uchar4);
  const cudaTextureObject_t first = texture_of_memory(resource);
  constexpr int kRow = 64;
  std::vector<float> texels(kRow * kHigh);
  for (int i = 0; i < kRow * kHigh; ++i) texels[i] = texel(i % kRow, i / kRow, 0);
  DeviceArray<float> rows(texels);
  resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = rows.data();
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = kWide;
  resource.res.pitch2D.height = kHigh;
  resource.res.pitch2D.pitchInBytes = kRow * sizeof(float);
  const cudaTextureObject_t second = texture_of_memory(resource);
  DeviceArray<float4> out(kThreads);
  fetches<<<2, kThreads / 2>>>(first, second, out.data());
  compare(verdict, "fetches", out, [](int t, float4 got) {
    const int i = int(scramble(t) % kThreads);
    return got.x == float(i) && got.y == float(i * 7 % 256) && got.z == 3 &&
           got.w == (t % 5 ? texel(place(t).x, place(t).y, 0) : 0);
  });
  CHECK(cudaDestroyTextureObject(first));
  CHECK(cudaDestroyTextureObject(second));
}

int main() {
  Verdict verdict;
  check_shapes(verdict);
  check_cubes(verdict);
  check_levels(verdict);
  check_memory(verdict);
  return verdict.finish();
}
