// What formatted stores (sust.p) and reductions (sured.p) leave in surfaces of every format, and
// what txq says of textures and surfaces of every shape, level by level. One line of text for each.
#include <cstdint>

#include "answers.hpp"

namespace {

#define OK(call)                                                \
  do {                                                          \
    if (const cudaError_t error = (call)) answer(#call, error); \
  } while (0)

constexpr int kValues = 32, kLevels = 8;
// Edges of integers of 8, 16 and 32 bits, and floats: 1, -1, 1/2, infinity, a NaN, the largest half
// and halfway to the next, the smallest halves, pi, 255, -128.
constexpr unsigned kInputs[kValues] = {
    0,          1,          2,          127,        128,        129,        255,        256,
    257,        32767,      32768,      65535,      65536,      0x7fffffff, 0x80000000, 0xffffffff,
    0xffffff80, 0xffffff7f, 0xffff8000, 0xffff7fff, 0x3f800000, 0xbf800000, 0x3f000000, 0x7f800000,
    0x7fc00000, 0x477fe000, 0x477ff000, 0x33800000, 0x38800000, 0x40490fdb, 0x437f0000, 0xc3000000};

__global__ void store(cudaSurfaceObject_t s, const unsigned* in, int components) {
  const int x = threadIdx.x;
  const unsigned a = in[x], b = in[(x + 1) % kValues], c = in[(x + 2) % kValues],
                 d = in[(x + 3) % kValues];
  if (components == 1) asm volatile("sust.p.1d.b32.trap [%0, {%1}], %2;" ::"l"(s), "r"(x), "r"(a));
  if (components == 2)
    asm volatile("sust.p.1d.v2.b32.trap [%0, {%1}], {%2,%3};" ::"l"(s), "r"(x), "r"(a), "r"(b));
  if (components == 4)
    asm volatile("sust.p.1d.v4.b32.trap [%0, {%1}], {%2,%3,%4,%5};" ::"l"(s), "r"(x), "r"(a),
                 "r"(b), "r"(c), "r"(d));
}

enum class Operation { add, min, max, and_, or_ };

__global__ void reduce(cudaSurfaceObject_t s, const unsigned* in, Operation operation) {
  const int x = threadIdx.x % 8;
  const unsigned a = in[threadIdx.x];
  if (operation == Operation::add)
    asm volatile("sured.p.add.1d.b32.trap [%0, {%1}], %2;" ::"l"(s), "r"(x), "r"(a));
  if (operation == Operation::min)
    asm volatile("sured.p.min.1d.b32.trap [%0, {%1}], %2;" ::"l"(s), "r"(x), "r"(a));
  if (operation == Operation::max)
    asm volatile("sured.p.max.1d.b32.trap [%0, {%1}], %2;" ::"l"(s), "r"(x), "r"(a));
  if (operation == Operation::and_)
    asm volatile("sured.p.and.1d.b32.trap [%0, {%1}], %2;" ::"l"(s), "r"(x), "r"(a));
  if (operation == Operation::or_)
    asm volatile("sured.p.or.1d.b32.trap [%0, {%1}], %2;" ::"l"(s), "r"(x), "r"(a));
}

__global__ void ask_size(unsigned long long object, int3* out) {
  const int level = threadIdx.x;
  int3 size;
  asm volatile("txq.level.width.b32 %0, [%1], %2;" : "=r"(size.x) : "l"(object), "r"(level));
  asm volatile("txq.level.height.b32 %0, [%1], %2;" : "=r"(size.y) : "l"(object), "r"(level));
  asm volatile("txq.level.depth.b32 %0, [%1], %2;" : "=r"(size.z) : "l"(object), "r"(level));
  out[level] = size;
}

void show_size(const char* what, unsigned long long object) {
  int3 *out, sizes[kLevels];
  OK(cudaMalloc(&out, sizeof sizes));
  ask_size<<<1, kLevels>>>(object, out);
  OK(cudaMemcpy(sizes, out, sizeof sizes, cudaMemcpyDeviceToHost));
  OK(cudaFree(out));
  std::printf("size %s:", what);
  for (const int3& size : sizes) std::printf(" %d,%d,%d", size.x, size.y, size.z);
  std::printf("\n");
}

void show_array(const char* what, cudaExtent extent, unsigned flags) {
  const auto format = cudaCreateChannelDesc<float>();
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  OK(cudaMalloc3DArray(&resource.res.array.array, &format, extent,
                       flags | cudaArraySurfaceLoadStore));
  const cudaTextureDesc description{};
  cudaTextureObject_t texture;
  OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  show_size(what, texture);
  cudaSurfaceObject_t surface;
  OK(cudaCreateSurfaceObject(&surface, &resource));
  char name[64];
  std::snprintf(name, sizeof name, "surface %s", what);
  show_size(name, surface);
}

// first <= last: a view of these levels.
void show_levels(const char* what, cudaExtent extent, unsigned flags, int count, float least,
                 float most, unsigned first = 1, unsigned last = 0) {
  const auto format = cudaCreateChannelDesc<float>();
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  OK(cudaMallocMipmappedArray(&resource.res.mipmap.mipmap, &format, extent, count, flags));
  cudaTextureDesc description{};
  description.normalizedCoords = 1;
  description.minMipmapLevelClamp = least;
  description.maxMipmapLevelClamp = most;
  cudaResourceViewDesc view{};
  view.format = cudaResViewFormatFloat1;
  view.width = extent.width;
  view.height = extent.height;
  view.firstMipmapLevel = first;
  view.lastMipmapLevel = last;
  cudaTextureObject_t texture;
  OK(cudaCreateTextureObject(&texture, &resource, &description, first <= last ? &view : nullptr));
  show_size(what, texture);
}

void show_sizes() {
  show_array("1d", {32, 0, 0}, 0);
  show_array("2d", {32, 16, 0}, 0);
  show_array("3d", {32, 16, 4}, 0);
  show_array("1d layered", {32, 0, 5}, cudaArrayLayered);
  show_array("2d layered", {32, 16, 5}, cudaArrayLayered);
  show_array("cube", {16, 16, 6}, cudaArrayCubemap);
  show_array("cubes", {16, 16, 12}, cudaArrayCubemap | cudaArrayLayered);
  show_levels("mip", {33, 17, 0}, 0, 5, 0, 99);
  show_levels("mip clamped", {33, 17, 0}, 0, 5, 1, 2);
  show_levels("mip view", {33, 17, 0}, 0, 5, 0, 99, 1, 3);
  show_levels("mip 3d", {32, 16, 8}, 0, 4, 0, 99);
  show_levels("mip layered", {32, 16, 3}, cudaArrayLayered, 4, 0, 99);
}

void show_bytes(const std::vector<unsigned char>& bytes) {
  for (const unsigned char byte : bytes) std::printf("%02x", byte);
  std::printf("\n");
}

void show_format(const cudaChannelFormatDesc& format, const unsigned* in) {
  const int channels = 1 + (format.y != 0) + 2 * (format.z != 0);
  const size_t bytes = size_t(kValues) * channels * format.x / 8;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  OK(cudaMallocArray(&resource.res.array.array, &format, kValues, 0, cudaArraySurfaceLoadStore));
  cudaSurfaceObject_t surface;
  OK(cudaCreateSurfaceObject(&surface, &resource));
  const auto array = resource.res.array.array;
  const auto run = [&](auto&& launch) {
    std::vector<unsigned char> data(bytes, 0x11);
    OK(cudaMemcpy2DToArray(array, 0, 0, data.data(), bytes, bytes, 1, cudaMemcpyHostToDevice));
    launch();
    OK(cudaMemcpy2DFromArray(data.data(), bytes, array, 0, 0, bytes, 1, cudaMemcpyDeviceToHost));
    show_bytes(data);
  };
  for (const int components : {1, 2, 4}) {
    std::printf("store %d %d %d %d ", format.f, format.x, channels, components);
    run([&] { store<<<1, kValues>>>(surface, in, components); });
  }
  if (bytes != kValues * sizeof(unsigned) || format.x != 32) return;
  for (const Operation operation :
       {Operation::add, Operation::min, Operation::max, Operation::and_, Operation::or_}) {
    std::printf("reduce %d %d ", format.f, int(operation));
    run([&] { reduce<<<1, kValues>>>(surface, in, operation); });
  }
}

}  // namespace

SECTION(sizes) { show_sizes(); }

SECTION(formats) {
  unsigned* in;
  OK(cudaMalloc(&in, sizeof kInputs));
  OK(cudaMemcpy(in, kInputs, sizeof kInputs, cudaMemcpyHostToDevice));
  for (const auto kind :
       {cudaChannelFormatKindUnsigned, cudaChannelFormatKindSigned, cudaChannelFormatKindFloat})
    for (const int bits : {8, 16, 32})
      for (const int channels : {1, 2, 4}) {
        if (kind == cudaChannelFormatKindFloat && bits == 8) continue;
        show_format(
            {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0, kind},
            in);
      }
}
