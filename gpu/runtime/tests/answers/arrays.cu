// Arrays with and without levels of detail, textures and surfaces over them.
#include "answers.hpp"

static void info(const char* what, cudaArray_t array) {
  cudaChannelFormatDesc format{};
  cudaExtent extent{};
  unsigned flags = 77;
  const cudaError_t error = cudaArrayGetInfo(&format, &extent, &flags, array);
  std::printf("%s: %s, %d %d %d %d %d, %zu %zu %zu, %u\n", what, cudaGetErrorName(error), format.x,
              format.y, format.z, format.w, format.f, extent.width, extent.height, extent.depth,
              flags);
}
static void make(const char* what, cudaChannelFormatDesc format, cudaExtent extent,
                 unsigned flags) {
  cudaArray_t array = nullptr;
  const cudaError_t error = cudaMalloc3DArray(&array, &format, extent, flags);
  std::printf("%s %zu %zu %zu, %u: %s\n", what, extent.width, extent.height, extent.depth, flags,
              cudaGetErrorName(error));
  cudaGetLastError();
  if (error != cudaSuccess) return;
  info(what, array);
  cudaArrayMemoryRequirements needs{};
  const cudaError_t asked = cudaArrayGetMemoryRequirements(&needs, array, 0);
  std::printf("  needs: %s %zu %zu\n", cudaGetErrorName(asked), needs.size, needs.alignment);
  cudaArraySparseProperties sparse{};
  CALL(cudaArrayGetSparseProperties(&sparse, array));
  cudaArray_t plane = nullptr;
  CALL(cudaArrayGetPlane(&plane, array, 0));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  CALL(cudaCreateSurfaceObject(&surface, &resource));
  cudaTextureDesc sampling{};
  cudaTextureObject_t texture = 0;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  CALL(cudaFreeArray(array));
}
SECTION(arrays) {
  const auto real = cudaCreateChannelDesc<float>();
  make("line", real, make_cudaExtent(64, 0, 0), 0);
  make("plane", real, make_cudaExtent(64, 32, 0), 0);
  make("volume", real, make_cudaExtent(64, 32, 16), 0);
  make("layered line", real, make_cudaExtent(64, 0, 5), cudaArrayLayered);
  make("layered plane", real, make_cudaExtent(64, 32, 5), cudaArrayLayered);
  make("cube", real, make_cudaExtent(64, 64, 6), cudaArrayCubemap);
  make("cube", real, make_cudaExtent(64, 32, 6), cudaArrayCubemap);
  make("cube", real, make_cudaExtent(64, 64, 5), cudaArrayCubemap);
  make("cube", real, make_cudaExtent(64, 64, 12), cudaArrayCubemap);
  make("cubes", real, make_cudaExtent(64, 64, 12), cudaArrayCubemap | cudaArrayLayered);
  make("cubes", real, make_cudaExtent(64, 64, 13), cudaArrayCubemap | cudaArrayLayered);
  make("surface", real, make_cudaExtent(64, 32, 0), cudaArraySurfaceLoadStore);
  make("gather", real, make_cudaExtent(64, 32, 0), cudaArrayTextureGather);
  make("gather", real, make_cudaExtent(64, 0, 0), cudaArrayTextureGather);
  make("gather", real, make_cudaExtent(64, 32, 4), cudaArrayTextureGather);
  make("color", real, make_cudaExtent(64, 32, 0), cudaArrayColorAttachment);
  make("sparse", real, make_cudaExtent(640, 320, 0), cudaArraySparse);
  make("deferred", real, make_cudaExtent(640, 320, 0), cudaArrayDeferredMapping);
  make("unknown flag", real, make_cudaExtent(64, 32, 0), 0x100);
  make("empty", real, make_cudaExtent(0, 0, 0), 0);
  make("no width", real, make_cudaExtent(0, 10, 0), 0);
  make("no height", real, make_cudaExtent(10, 0, 10), 0);
  make("wide line", real, make_cudaExtent(131072, 0, 0), 0);
  make("too wide a line", real, make_cudaExtent(131073, 0, 0), 0);
  make("too high", real, make_cudaExtent(64, 65537, 0), 0);
  make("too deep", real, make_cudaExtent(64, 64, 16385), 0);
  make("too wide a volume", real, make_cudaExtent(16385, 2, 2), 0);
  make("too many layers", real, make_cudaExtent(64, 0, 2049), cudaArrayLayered);
  make("wide cube", real, make_cudaExtent(32769, 32769, 6), cudaArrayCubemap);
  make("bytes", cudaCreateChannelDesc<uchar4>(), make_cudaExtent(64, 32, 0), 0);
  make("halves", cudaCreateChannelDescHalf2(), make_cudaExtent(64, 32, 0), 0);
  make("four", cudaCreateChannelDesc<float4>(), make_cudaExtent(64, 32, 0), 0);
  make("three channels", cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat),
       make_cudaExtent(64, 32, 0), 0);
  make("unequal channels", cudaCreateChannelDesc(32, 16, 0, 0, cudaChannelFormatKindFloat),
       make_cudaExtent(64, 32, 0), 0);
  make("64 bits", cudaCreateChannelDesc(64, 0, 0, 0, cudaChannelFormatKindUnsigned),
       make_cudaExtent(64, 32, 0), 0);
  make("no format", cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone),
       make_cudaExtent(64, 32, 0), 0);
  make("float of 8 bits", cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindFloat),
       make_cudaExtent(64, 32, 0), 0);
  make("normalized", cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsignedNormalized8X1),
       make_cudaExtent(64, 32, 0), 0);
  make("block compressed",
       cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsignedBlockCompressed1),
       make_cudaExtent(64, 32, 0), 0);
  cudaArray_t array = nullptr;
  CALL(cudaMallocArray(nullptr, &real, 10, 10));
  CALL(cudaMallocArray(&array, nullptr, 10, 10));
  CALL(cudaFreeArray(nullptr));
}

SECTION(array_copies) {
  static float host[64 * 64];
  for (int i = 0; i < 64 * 64; ++i) host[i] = i;
  static float back[64 * 64];
  const auto real = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr, other = nullptr, bytes = nullptr;
  CALL(cudaMallocArray(&array, &real, 16, 8));
  CALL(cudaMallocArray(&other, &real, 16, 8));
  const auto byte = cudaCreateChannelDesc<unsigned char>();
  CALL(cudaMallocArray(&bytes, &byte, 64, 8));
  CALL(cudaMemcpy2DToArray(array, 0, 0, host, 64, 64, 8, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy2DToArray(array, 4, 1, host, 64, 60, 7, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy2DToArray(array, 8, 1, host, 64, 60, 7, cudaMemcpyHostToDevice));
  last_error();
  CALL(cudaMemcpy2DToArray(array, 0, 2, host, 64, 64, 7, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy2DToArray(array, 0, 0, host, 60, 64, 8, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy2DToArray(array, 1, 0, host, 64, 4, 1, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy2DToArray(array, 0, 0, host, 64, 3, 1, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy2DToArray(array, 0, 0, host, 64, 64, 8, cudaMemcpyDeviceToHost));
  CALL(cudaMemcpy2DToArray(array, 0, 0, host, 64, 64, 8, cudaMemcpyDefault));
  CALL(cudaMemcpyToArray(array, 0, 0, host, 64 * 8, cudaMemcpyHostToDevice));
  CALL(cudaMemcpyToArray(array, 0, 4, host, 64 * 8, cudaMemcpyHostToDevice));
  CALL(cudaMemcpyToArray(array, 32, 0, host, 64, cudaMemcpyHostToDevice));
  CALL(cudaMemcpy2DFromArray(back, 64, array, 0, 0, 64, 8, cudaMemcpyDeviceToHost));
  VALUE(back[0]), VALUE(back[8]), VALUE(back[9]), VALUE(back[24]), VALUE(back[127]);
  CALL(cudaMemcpyFromArray(back, array, 0, 0, 64 * 8, cudaMemcpyDeviceToHost));
  VALUE(back[127]);
  CALL(cudaMemcpyArrayToArray(other, 0, 0, array, 0, 0, 64 * 4));
  CALL(cudaMemcpy2DArrayToArray(other, 0, 4, array, 0, 0, 64, 4));
  CALL(cudaMemcpy2DArrayToArray(other, 0, 5, array, 0, 0, 64, 4));
  CALL(cudaMemcpy2DArrayToArray(bytes, 0, 0, array, 0, 0, 64, 4));
  CALL(cudaMemcpy2DFromArray(back, 64, other, 0, 0, 64, 8, cudaMemcpyDeviceToHost));
  VALUE(back[0]), VALUE(back[64]), VALUE(back[65]);
  cudaMemcpy3DParms box{};
  box.srcPtr = make_cudaPitchedPtr(host, 64, 16, 8);
  box.dstArray = array;
  box.extent = make_cudaExtent(16, 8, 1);
  box.kind = cudaMemcpyHostToDevice;
  CALL(cudaMemcpy3D(&box));
  box.extent = make_cudaExtent(16, 8, 0);
  CALL(cudaMemcpy3D(&box));
  box.extent = make_cudaExtent(17, 8, 1);
  CALL(cudaMemcpy3D(&box));
  box.extent = make_cudaExtent(16, 8, 1);
  box.dstPos.z = 1;
  CALL(cudaMemcpy3D(&box));
  box.dstPos = {};
  box.dstPtr = make_cudaPitchedPtr(host, 64, 16, 8);
  CALL(cudaMemcpy3D(&box));
  last_error();
}

__global__ void sample_2d(cudaTextureObject_t texture, float level, float* out) {
  const float x = (threadIdx.x + 0.5f) / blockDim.x;
  out[threadIdx.x] = tex2DLod<float>(texture, x, 0.3f, level);
}
__global__ void sample_plain(cudaTextureObject_t texture, float* out) {
  const float x = (threadIdx.x + 0.5f) / blockDim.x;
  out[threadIdx.x] = tex2D<float>(texture, x, 0.3f);
}
__global__ void sample_gradient(cudaTextureObject_t texture, float slope, float* out) {
  const float x = (threadIdx.x + 0.5f) / blockDim.x;
  out[threadIdx.x] =
      tex2DGrad<float>(texture, x, 0.3f, make_float2(slope, 0), make_float2(0, slope));
}
__global__ void sample_1d(cudaTextureObject_t texture, float level, float* out) {
  out[threadIdx.x] = tex1DLod<float>(texture, (threadIdx.x + 0.5f) / blockDim.x, level);
}
__global__ void sample_3d(cudaTextureObject_t texture, float level, float* out) {
  out[threadIdx.x] = tex3DLod<float>(texture, (threadIdx.x + 0.5f) / blockDim.x, 0.3f, 0.6f, level);
}
__global__ void sample_layer(cudaTextureObject_t texture, int layer, float level, float* out) {
  out[threadIdx.x] =
      tex2DLayeredLod<float>(texture, (threadIdx.x + 0.5f) / blockDim.x, 0.3f, layer, level);
}
__global__ void sample_cube(cudaTextureObject_t texture, float level, float* out) {
  out[threadIdx.x] =
      texCubemapLod<float>(texture, 1.0f, (threadIdx.x + 0.5f) / blockDim.x, 0.25f, level);
}
__global__ void write_surface(cudaSurfaceObject_t surface, float value) {
  surf2Dwrite(value + threadIdx.x, surface, threadIdx.x * 4, 1);
}

static float* out;
static void print_out() {
  float values[8];
  const cudaError_t error = cudaDeviceSynchronize();
  cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost);
  std::printf("  %s:", cudaGetErrorName(error));
  for (float value : values) std::printf(" %.9g", value);
  std::printf("\n");
}

// Levels of `of`, each filled with 1000 times its number, and the place in it.
static void fill(cudaMipmappedArray_t of, unsigned levels) {
  static float host[64 * 64 * 12];
  for (unsigned level = 0; level < levels; ++level) {
    cudaArray_t array = nullptr;
    CALL(cudaGetMipmappedArrayLevel(&array, of, level));
    info("level", array);
    cudaExtent extent{};
    cudaChannelFormatDesc format;
    unsigned flags;
    if (cudaArrayGetInfo(&format, &extent, &flags, array) != cudaSuccess) return;
    const std::size_t height = extent.height == 0 ? 1 : extent.height,
                      depth = extent.depth == 0 ? 1 : extent.depth;
    for (std::size_t i = 0; i < extent.width * height * depth; ++i) host[i] = 1000.0f * level + i;
    cudaMemcpy3DParms box{};
    box.srcPtr = make_cudaPitchedPtr(host, extent.width * 4, extent.width, height);
    box.dstArray = array;
    box.extent = make_cudaExtent(extent.width, height, depth);
    box.kind = cudaMemcpyHostToDevice;
    CALL(cudaMemcpy3D(&box));
  }
}

static cudaTextureObject_t texture_of(cudaMipmappedArray_t array, cudaTextureFilterMode between,
                                      cudaTextureFilterMode within, float lowest, float highest,
                                      float bias = 0) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = array;
  cudaTextureDesc sampling{};
  sampling.normalizedCoords = 1;
  sampling.filterMode = within;
  sampling.mipmapFilterMode = between;
  sampling.minMipmapLevelClamp = lowest;
  sampling.maxMipmapLevelClamp = highest;
  sampling.mipmapLevelBias = bias;
  for (auto& mode : sampling.addressMode) mode = cudaAddressModeClamp;
  cudaTextureObject_t texture = 0;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  return texture;
}

SECTION(levels) {
  cudaMalloc(&out, 1024);
  const auto real = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t array = nullptr;
  CALL(cudaMallocMipmappedArray(&array, &real, make_cudaExtent(16, 8, 0), 5));
  fill(array, 5);
  cudaArray_t beyond = nullptr;
  CALL(cudaGetMipmappedArrayLevel(&beyond, array, 5));
  last_error();
  cudaArrayMemoryRequirements needs{};
  CALL(cudaMipmappedArrayGetMemoryRequirements(&needs, array, 0));
  cudaArraySparseProperties sparse{};
  CALL(cudaMipmappedArrayGetSparseProperties(&sparse, array));
  for (auto within : {cudaFilterModePoint, cudaFilterModeLinear})
    for (auto between : {cudaFilterModePoint, cudaFilterModeLinear}) {
      const auto texture = texture_of(array, between, within, 0, 10);
      for (float level :
           {-1.0f, 0.0f, 0.25f, 0.49f, 0.5f, 0.51f, 1.0f, 1.3f, 2.5f, 3.9f, 4.0f, 9.0f}) {
        std::printf("within %d, between %d, level %g\n", within, between, level);
        sample_2d<<<1, 8>>>(texture, level, out);
        print_out();
      }
      sample_plain<<<1, 8>>>(texture, out);
      print_out();
      for (float slope : {0.01f, 0.0625f, 0.09f, 0.125f, 0.25f, 0.5f, 2.0f}) {
        std::printf("slope %g\n", slope);
        sample_gradient<<<1, 8>>>(texture, slope, out);
        print_out();
      }
      CALL(cudaDestroyTextureObject(texture));
    }
  auto texture = texture_of(array, cudaFilterModeLinear, cudaFilterModeLinear, 1, 2.5f, 0);
  for (float level : {0.0f, 1.5f, 2.4f, 4.0f}) {
    std::printf("from 1 to 2.5, level %g\n", level);
    sample_2d<<<1, 8>>>(texture, level, out);
    print_out();
  }
  texture = texture_of(array, cudaFilterModeLinear, cudaFilterModeLinear, 0, 10, 1.25f);
  for (float level : {0.0f, 1.5f}) {
    std::printf("with a bias of 1.25, level %g\n", level);
    sample_2d<<<1, 8>>>(texture, level, out);
    print_out();
  }
  sample_plain<<<1, 8>>>(texture, out);
  print_out();
  CALL(cudaFreeMipmappedArray(array));
}

SECTION(levels_of_other_shapes) {
  cudaMalloc(&out, 1024);
  const auto real = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t array = nullptr;
  CALL(cudaMallocMipmappedArray(&array, &real, make_cudaExtent(16, 0, 0), 3));
  fill(array, 3);
  auto texture = texture_of(array, cudaFilterModeLinear, cudaFilterModeLinear, 0, 10);
  for (float level : {0.0f, 0.7f, 2.0f}) sample_1d<<<1, 8>>>(texture, level, out), print_out();
  CALL(cudaMallocMipmappedArray(&array, &real, make_cudaExtent(16, 8, 4), 4));
  fill(array, 4);
  texture = texture_of(array, cudaFilterModePoint, cudaFilterModePoint, 0, 10);
  for (float level : {0.0f, 0.7f, 2.0f}) sample_3d<<<1, 8>>>(texture, level, out), print_out();
  CALL(cudaMallocMipmappedArray(&array, &real, make_cudaExtent(16, 8, 3), 3, cudaArrayLayered));
  fill(array, 3);
  texture = texture_of(array, cudaFilterModePoint, cudaFilterModePoint, 0, 10);
  for (float level : {0.0f, 0.7f, 2.0f})
    sample_layer<<<1, 8>>>(texture, 2, level, out), print_out();
  CALL(cudaMallocMipmappedArray(&array, &real, make_cudaExtent(16, 16, 6), 3, cudaArrayCubemap));
  fill(array, 3);
  texture = texture_of(array, cudaFilterModePoint, cudaFilterModePoint, 0, 10);
  for (float level : {0.0f, 0.7f, 2.0f}) sample_cube<<<1, 8>>>(texture, level, out), print_out();
  for (unsigned levels : {0u, 1u, 5u, 6u, 7u, 20u}) {
    cudaMipmappedArray_t made = nullptr;
    std::printf("%u levels: %s\n", levels,
                cudaGetErrorName(
                    cudaMallocMipmappedArray(&made, &real, make_cudaExtent(16, 8, 0), levels)));
    cudaArray_t array_of_level = nullptr;
    for (unsigned level : {0u, 4u, 5u, 6u})
      CALL(cudaGetMipmappedArrayLevel(&array_of_level, made, level));
    cudaGetLastError();
  }
}

SECTION(surfaces_of_levels) {
  cudaMalloc(&out, 1024);
  const auto real = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t array = nullptr;
  CALL(cudaMallocMipmappedArray(&array, &real, make_cudaExtent(16, 8, 0), 3,
                                cudaArraySurfaceLoadStore));
  for (unsigned level = 0; level < 3; ++level) {
    cudaArray_t of_level = nullptr;
    CALL(cudaGetMipmappedArrayLevel(&of_level, array, level));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = of_level;
    cudaSurfaceObject_t surface = 0;
    CALL(cudaCreateSurfaceObject(&surface, &resource));
    write_surface < <<1, 16>> level >>> (surface, 100.0f * level);
    CALL(cudaDeviceSynchronize());
    float row[16] = {};
    CALL(cudaMemcpy2DFromArray(row, 64, of_level, 0, 1, (16 >> level) * 4, 1,
                               cudaMemcpyDeviceToHost));
    VALUE(row[0]), VALUE(row[3]);
    CALL(cudaDestroySurfaceObject(surface));
  }
  CALL(cudaFreeMipmappedArray(array));
}

SECTION(views) {
  cudaMalloc(&out, 1024);
  const auto real = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t array = nullptr;
  CALL(cudaMallocMipmappedArray(&array, &real, make_cudaExtent(16, 8, 0), 4));
  fill(array, 4);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = array;
  cudaTextureDesc sampling{};
  sampling.normalizedCoords = 1;
  sampling.maxMipmapLevelClamp = 10;
  cudaResourceViewDesc view{};
  view.format = cudaResViewFormatFloat1;
  view.width = 16, view.height = 8, view.depth = 0;
  view.firstMipmapLevel = 1, view.lastMipmapLevel = 2;
  cudaTextureObject_t texture = 0;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, &view));
  for (float level : {0.0f, 1.0f, 2.0f}) sample_2d<<<1, 8>>>(texture, level, out), print_out();
  view.width = 8, view.height = 4;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, &view));
  sample_2d<<<1, 8>>>(texture, 0.0f, out), print_out();
  view = {};
  view.format = cudaResViewFormatUnsignedInt1;
  view.width = 16, view.height = 8;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, &view));
  sample_2d<<<1, 8>>>(texture, 0.0f, out), print_out();
  view.format = cudaResViewFormatFloat2;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, &view));
  view.format = cudaResViewFormatNone;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, &view));
  cudaResourceViewDesc told{};
  CALL(cudaGetTextureObjectResourceViewDesc(&told, texture));
  VALUE(told.format), VALUE(told.width), VALUE(told.height), VALUE(told.lastMipmapLevel);
  cudaArray_t layers = nullptr;
  CALL(cudaMalloc3DArray(&layers, &real, make_cudaExtent(16, 8, 4), cudaArrayLayered));
  static float host[16 * 8 * 4];
  for (int i = 0; i < 16 * 8 * 4; ++i) host[i] = i;
  cudaMemcpy3DParms box{};
  box.srcPtr = make_cudaPitchedPtr(host, 64, 16, 8);
  box.dstArray = layers;
  box.extent = make_cudaExtent(16, 8, 4);
  box.kind = cudaMemcpyHostToDevice;
  CALL(cudaMemcpy3D(&box));
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = layers;
  view = {};
  view.format = cudaResViewFormatFloat1;
  view.width = 16, view.height = 8, view.depth = 2;
  view.firstLayer = 1, view.lastLayer = 2;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, &view));
  for (int layer : {0, 1, 3}) sample_layer<<<1, 8>>>(texture, layer, 0.0f, out), print_out();
}

SECTION(texture_calls) {
  float* memory = nullptr;
  cudaMalloc(&memory, 65536);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 4096;
  cudaTextureDesc sampling{};
  cudaTextureObject_t texture = 0;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  cudaResourceDesc told{};
  CALL(cudaGetTextureObjectResourceDesc(&told, texture));
  VALUE(told.resType), VALUE(told.res.linear.sizeInBytes), VALUE(told.res.linear.devPtr == memory);
  cudaTextureDesc told_sampling{};
  CALL(cudaGetTextureObjectTextureDesc(&told_sampling, texture));
  VALUE(told_sampling.addressMode[0]), VALUE(told_sampling.filterMode),
      VALUE(told_sampling.maxAnisotropy);
  CALL(cudaDestroyTextureObject(texture));
  resource.res.linear.devPtr = memory + 1;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  resource.res.linear.devPtr = memory + 4;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  resource.res.linear.devPtr = memory;
  resource.res.linear.sizeInBytes = 1 << 20;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  resource.res.linear.sizeInBytes = 0;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  resource.res.linear.devPtr = nullptr;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  resource.res.linear.devPtr = memory;
  resource.res.linear.sizeInBytes = 4096;
  resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
  for (int read : {0, 1})
    for (int filter : {0, 1})
      for (int normalized : {0, 1})
        for (int address = 0; address < 5; ++address) {
          sampling = {};
          sampling.readMode = static_cast<cudaTextureReadMode>(read);
          sampling.filterMode = static_cast<cudaTextureFilterMode>(filter);
          sampling.normalizedCoords = normalized;
          for (auto& mode : sampling.addressMode)
            mode = static_cast<cudaTextureAddressMode>(address);
          const cudaError_t error =
              cudaCreateTextureObject(&texture, &resource, &sampling, nullptr);
          std::printf("linear, read %d, filter %d, normalized %d, address %d: %s\n", read, filter,
                      normalized, address, cudaGetErrorName(error));
        }
  resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = 16;
  resource.res.pitch2D.height = 16;
  sampling = {};
  for (std::size_t pitch : {0, 32, 60, 64, 96, 100, 512}) {
    resource.res.pitch2D.pitchInBytes = pitch;
    std::printf("pitch %zu: %s\n", pitch,
                cudaGetErrorName(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr)));
  }
  resource.res.pitch2D.devPtr = memory + 8;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<int>();
  sampling.filterMode = cudaFilterModeLinear;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  sampling.readMode = cudaReadModeNormalizedFloat;
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  CALL(cudaCreateTextureObject(nullptr, &resource, &sampling, nullptr));
  CALL(cudaCreateTextureObject(&texture, nullptr, &sampling, nullptr));
  CALL(cudaCreateTextureObject(&texture, &resource, nullptr, nullptr));
  cudaSurfaceObject_t surface = 0;
  CALL(cudaCreateSurfaceObject(&surface, &resource));
  CALL(cudaDestroyTextureObject(0));
  CALL(cudaDestroySurfaceObject(0));
  std::size_t width = 0;
  const auto real = cudaCreateChannelDesc<float>();
  const auto four = cudaCreateChannelDesc<float4>();
  CALL(cudaDeviceGetTexture1DLinearMaxWidth(&width, &real, 0));
  VALUE(width);
  CALL(cudaDeviceGetTexture1DLinearMaxWidth(&width, &four, 0));
  VALUE(width);
}
