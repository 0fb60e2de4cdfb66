// Mipmapped arrays: which can be made, what is told of their levels, what textures take of them.
#include "answers.hpp"

static void make(const char* what, cudaExtent extent, unsigned levels, unsigned flags,
                 cudaChannelFormatDesc format = cudaCreateChannelDesc<float>()) {
  cudaMipmappedArray_t array = nullptr;
  const cudaError_t made = cudaMallocMipmappedArray(&array, &format, extent, levels, flags);
  std::printf("%s %zu %zu %zu, %u levels, %u: %s\n", what, extent.width, extent.height,
              extent.depth, levels, flags, cudaGetErrorName(made));
  cudaGetLastError();
  if (made != cudaSuccess) return;
  for (unsigned level = 0; level < 20; ++level) {
    cudaArray_t at = nullptr;
    const cudaError_t got = cudaGetMipmappedArrayLevel(&at, array, level);
    cudaExtent e{};
    unsigned f = 77;
    if (got == cudaSuccess) cudaArrayGetInfo(nullptr, &e, &f, at);
    std::printf("  level %u: %s, %zu %zu %zu, %u\n", level, cudaGetErrorName(got), e.width,
                e.height, e.depth, f);
    if (got != cudaSuccess) break;
  }
  cudaGetLastError();
  CALL(cudaFreeMipmappedArray(array));
}

SECTION(making) {
  make("line", {64, 0, 0}, 7, 0);
  make("line", {64, 0, 0}, 8, 0);
  make("line", {64, 0, 0}, 0, 0);
  make("line", {13, 0, 0}, 4, 0);
  make("plane", {64, 16, 0}, 7, 0);
  make("plane", {64, 16, 0}, 8, 0);
  make("plane", {19, 12, 0}, 5, 0);
  make("plane", {19, 12, 0}, 1, 0);
  make("plane", {19, 12, 0}, 1, cudaArraySurfaceLoadStore);
  make("plane", {19, 12, 0}, 100, 0);
  make("plane", {0, 12, 0}, 1, 0);
  make("plane", {32769, 12, 0}, 2, 0);
  make("plane", {40000, 12, 0}, 2, 0);
  make("plane", {16, 16, 0}, 3, cudaArrayTextureGather);
  make("line", {20000, 0, 0}, 2, 0);
  make("line", {40000, 0, 0}, 2, 0);
  make("volume", {8, 9, 5}, 4, 0);
  make("volume", {8, 9, 5}, 5, 0);
  make("lines", {16, 0, 3}, 5, cudaArrayLayered);
  make("planes", {16, 8, 3}, 5, cudaArrayLayered);
  make("cube", {16, 16, 6}, 5, cudaArrayCubemap);
  make("cubes", {16, 16, 12}, 5, cudaArrayCubemap | cudaArrayLayered);
  make("three", {16, 16, 0}, 2, 0,
       cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned));
  CALL(cudaFreeMipmappedArray(nullptr));
  cudaMipmappedArray_t array;
  cudaArray_t level;
  const auto format = cudaCreateChannelDesc<float>();
  CALL(cudaMallocMipmappedArray(nullptr, &format, {8, 8, 0}, 2, 0));
  CALL(cudaMallocMipmappedArray(&array, nullptr, {8, 8, 0}, 2, 0));
  CALL(cudaMallocMipmappedArray(&array, &format, {8, 8, 0}, 2, 0));
  CALL(cudaGetMipmappedArrayLevel(nullptr, array, 0));
  CALL(cudaGetMipmappedArrayLevel(&level, nullptr, 0));
  CALL(cudaGetMipmappedArrayLevel(&level, array, 1));
  CALL(cudaFreeArray(level));
  cudaArraySparseProperties sparse;
  cudaArrayMemoryRequirements needs;
  CALL(cudaMipmappedArrayGetSparseProperties(&sparse, array));
  CALL(cudaMipmappedArrayGetMemoryRequirements(&needs, array, 0));
  cudaArray_t again;
  CALL(cudaGetMipmappedArrayLevel(&again, array, 1));
  VALUE(again == level);
  CALL(cudaFreeMipmappedArray(array));
  CALL(cudaFreeMipmappedArray(array));
  CALL(cudaFreeArray(reinterpret_cast<cudaArray_t>(array)));
}

SECTION(textures) {
  cudaMipmappedArray_t array;
  const auto format = cudaCreateChannelDesc<float>();
  CALL(cudaMallocMipmappedArray(&array, &format, {32, 32, 0}, 4, 0));
  cudaResourceDesc resource{}, told{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = array;
  cudaTextureDesc how{};
  cudaTextureObject_t texture;
  CALL(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  how.normalizedCoords = 1;
  CALL(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  CALL(cudaGetTextureObjectResourceDesc(&told, texture));
  VALUE(told.resType), VALUE(told.res.mipmap.mipmap == array);
  cudaResourceViewDesc view{};
  CALL(cudaGetTextureObjectResourceViewDesc(&view, texture));
  VALUE(view.format), VALUE(view.width), VALUE(view.height), VALUE(view.depth);
  VALUE(view.firstMipmapLevel), VALUE(view.lastMipmapLevel), VALUE(view.lastLayer);
  view = {};
  view.format = cudaResViewFormatFloat1;
  view.width = view.height = 32;
  view.firstMipmapLevel = 1;
  view.lastMipmapLevel = 2;
  CALL(cudaCreateTextureObject(&texture, &resource, &how, &view));
  view.width = view.height = 16;
  CALL(cudaCreateTextureObject(&texture, &resource, &how, &view));
  CALL(cudaGetTextureObjectResourceViewDesc(&view, texture));
  VALUE(view.width), VALUE(view.firstMipmapLevel), VALUE(view.lastMipmapLevel);
  view.lastMipmapLevel = 9;
  CALL(cudaCreateTextureObject(&texture, &resource, &how, &view));
  view.lastMipmapLevel = 0;
  CALL(cudaCreateTextureObject(&texture, &resource, &how, &view));
  view.firstMipmapLevel = 0;
  view.width = view.height = 32;
  view.format = cudaResViewFormatUnsignedInt1;
  CALL(cudaCreateTextureObject(&texture, &resource, &how, &view));
  view.format = cudaResViewFormatFloat2;
  CALL(cudaCreateTextureObject(&texture, &resource, &how, &view));
  how.minMipmapLevelClamp = 3;
  how.maxMipmapLevelClamp = 1;
  CALL(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  how.maxAnisotropy = 99;
  CALL(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  cudaSurfaceObject_t surface;
  CALL(cudaCreateSurfaceObject(&surface, &resource));
  resource.res.mipmap.mipmap = nullptr;
  CALL(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
}
