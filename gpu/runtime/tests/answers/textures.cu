// Textures over linear memory that reach beyond the allocation, and objects that are not there.
#include <cstdint>

#include "answers.hpp"

namespace {

constexpr std::size_t kKiB = 1 << 10, kMiB = 1 << 20;

cudaError_t make_linear(void* memory, std::size_t bytes, cudaTextureObject_t& texture,
                        cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>()) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = texel;
  resource.res.linear.sizeInBytes = bytes;
  const cudaTextureDesc sampling{};
  const cudaError_t error = cudaCreateTextureObject(&texture, &resource, &sampling, nullptr);
  cudaGetLastError();
  return error;
}

cudaError_t make_pitched(void* memory, std::size_t width, std::size_t height, std::size_t pitch) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  const cudaTextureDesc sampling{};
  cudaTextureObject_t texture = 0;
  const cudaError_t error = cudaCreateTextureObject(&texture, &resource, &sampling, nullptr);
  cudaGetLastError();
  return error;
}

__global__ void fetch(cudaTextureObject_t texture, int first, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(texture, first + threadIdx.x);
}

// The sizes of a texture over `memory` of `bytes`, from its start.
void ask_beyond(const char* kind, void* memory, std::size_t bytes) {
  for (std::size_t more : {std::size_t{0}, std::size_t{4}, std::size_t{508}, std::size_t{512},
                           4 * kKiB, 64 * kKiB, 256 * kKiB, 2 * kMiB, 64 * kMiB}) {
    cudaTextureObject_t texture = 0;
    const cudaError_t error = make_linear(memory, bytes + more, texture);
    std::printf("%s of %zu bytes, texture of %zu more: %s\n", kind, bytes, more,
                cudaGetErrorName(error));
    if (error == cudaSuccess) cudaDestroyTextureObject(texture);
  }
}

}  // namespace

SECTION(beyond_alone) {
  for (std::size_t bytes : {std::size_t{4}, std::size_t{512}, 4 * kKiB, 64 * kKiB, kMiB, 2 * kMiB,
                            2 * kMiB + 4, 16 * kMiB, 17 * kMiB}) {
    void* memory = nullptr;
    cudaMalloc(&memory, bytes);
    ask_beyond("cudaMalloc", memory, bytes);
    cudaFree(memory);
  }
}

SECTION(beyond_beside_another) {
  for (std::size_t bytes : {64 * kKiB, 2 * kMiB, 16 * kMiB}) {
    void *memory = nullptr, *others[4]{};
    cudaMalloc(&memory, bytes);
    for (auto& other : others) cudaMalloc(&other, bytes);
    std::printf("the next one is at +%lld\n",
                static_cast<long long>(static_cast<char*>(others[0]) - static_cast<char*>(memory)));
    ask_beyond("the first of five", memory, bytes);
    ask_beyond("the second of five", others[0], bytes);
    for (auto& other : others) cudaFree(other);
    cudaFree(memory);
  }
}

SECTION(beyond_of_other_kinds) {
  void* memory = nullptr;
  cudaMallocManaged(&memory, 64 * kKiB);
  ask_beyond("cudaMallocManaged", memory, 64 * kKiB);
  cudaMallocHost(&memory, 64 * kKiB);
  ask_beyond("cudaMallocHost", memory, 64 * kKiB);
  cudaMallocAsync(&memory, 64 * kKiB, nullptr);
  cudaDeviceSynchronize();
  ask_beyond("cudaMallocAsync", memory, 64 * kKiB);
  static char host[64 * kKiB];
  ask_beyond("a host array", host, 64 * kKiB);
  cudaMalloc(&memory, 64 * kKiB);
  cudaFree(memory);
  ask_beyond("freed", memory, 64 * kKiB);
  cudaTextureObject_t texture = 0;
  void* at = nullptr;
  cudaMalloc(&at, 64 * kKiB);
  std::printf(
      "from 32 KiB inside, 64 KiB: %s\n",
      cudaGetErrorName(make_linear(static_cast<char*>(at) + 32 * kKiB, 64 * kKiB, texture)));
  std::printf("no memory at all: %s\n",
              cudaGetErrorName(make_linear(reinterpret_cast<void*>(0x1000), 4096, texture)));
  std::printf("a texel of 16 bytes, 100 bytes: %s\n",
              cudaGetErrorName(make_linear(at, 100, texture, cudaCreateChannelDesc<float4>())));
  std::printf("all that a line can have: %s\n",
              cudaGetErrorName(make_linear(at, std::size_t{1} << 30, texture)));
  std::printf("more than a line can have: %s\n",
              cudaGetErrorName(make_linear(at, std::size_t{1} << 36, texture)));
  for (std::size_t rows : {16, 128, 129, 256, 8192, 60000})
    std::printf("pitched, %zu rows of 512 bytes over 64 KiB: %s\n", rows,
                cudaGetErrorName(make_pitched(at, 128, rows, 512)));
}

SECTION(fetching_beyond) {
  float *memory = nullptr, *behind = nullptr, *out = nullptr;
  cudaMalloc(&memory, 16 * kMiB);
  cudaMalloc(&behind, 16 * kMiB);
  cudaMallocManaged(&out, 4096);
  cudaMemset(memory, 0x3f, 16 * kMiB);
  cudaMemset(behind, 0x40, 16 * kMiB);
  cudaTextureObject_t texture = 0;
  std::printf("18 MiB over 16: %s\n", cudaGetErrorName(make_linear(memory, 18 * kMiB, texture)));
  for (int first : {0, 4194304 - 2, 4194304, 4194304 + 524288 - 2, 4194304 + 524288}) {
    fetch<<<1, 4>>>(texture, first, out);
    std::printf("from %d: %s", first, cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 4; ++i) std::printf(" %g", static_cast<double>(out[i]));
    std::printf("\n");
  }
}

SECTION(objects_that_are_not_there) {
  CALL(cudaDestroyTextureObject(0));
  CALL(cudaDestroySurfaceObject(0));
  CALL(cudaFree(nullptr));
  CALL(cudaDestroyTextureObject(0));
  CALL(cudaDestroySurfaceObject(0));
  CALL(cudaDestroyTextureObject(77));
  CALL(cudaDestroySurfaceObject(77));
  CALL(cudaDestroySurfaceObject(1ull << 40));
  CALL(cudaDestroySurfaceObject(0x7f0012345678));
  cudaArray_t array = nullptr;
  const auto texel = cudaCreateChannelDesc<float>();
  CALL(cudaMallocArray(&array, &texel, 64, 64, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  cudaTextureObject_t texture = 0;
  const cudaTextureDesc sampling{};
  CALL(cudaCreateSurfaceObject(&surface, &resource));
  CALL(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
  CALL(cudaDestroySurfaceObject(0));
  CALL(cudaDestroySurfaceObject(texture));
  CALL(cudaDestroyTextureObject(surface));
  CALL(cudaDestroySurfaceObject(surface));
  CALL(cudaDestroySurfaceObject(surface));
  CALL(cudaDestroyTextureObject(texture));
  CALL(cudaDestroyTextureObject(texture));
  CALL(cudaGetSurfaceObjectResourceDesc(&resource, 0));
  CALL(cudaGetTextureObjectResourceDesc(&resource, 0));
  last_error();
  CUresult result = cuSurfObjectDestroy(0);
  answer("cuSurfObjectDestroy(0)", result);
  result = cuTexObjectDestroy(0);
  answer("cuTexObjectDestroy(0)", result);
}

// What two processes may do with a pool: in one process, what is wrong at once.
SECTION(shared_pools) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  cudaMemPool_t first = nullptr, second = nullptr, imported = nullptr, again = nullptr;
  CALL(cudaMemPoolCreate(&first, &properties));
  CALL(cudaMemPoolCreate(&second, &properties));
  int one = -1, two = -1;
  CALL(cudaMemPoolExportToShareableHandle(&one, first, cudaMemHandleTypePosixFileDescriptor, 0));
  CALL(cudaMemPoolExportToShareableHandle(&two, second, cudaMemHandleTypePosixFileDescriptor, 0));
  CALL(cudaMemPoolExportToShareableHandle(&two, second, cudaMemHandleTypePosixFileDescriptor, 1));
  CALL(
      cudaMemPoolExportToShareableHandle(nullptr, second, cudaMemHandleTypePosixFileDescriptor, 0));
  const auto handle = [](int descriptor) {
    return reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor));
  };
  const auto kFile = cudaMemHandleTypePosixFileDescriptor;
  CALL(cudaMemPoolImportFromShareableHandle(&imported, handle(one), kFile, 0));
  CALL(cudaMemPoolImportFromShareableHandle(&again, handle(one), kFile, 0));
  CALL(cudaMemPoolImportFromShareableHandle(&again, handle(0), kFile, 0));
  CALL(cudaMemPoolImportFromShareableHandle(&again, handle(-1), kFile, 0));
  void *memory = nullptr, *other = nullptr, *opened = nullptr;
  CALL(cudaMallocFromPoolAsync(&memory, 4096, first, nullptr));
  CALL(cudaMallocFromPoolAsync(&other, 4096, second, nullptr));
  cudaMemPoolPtrExportData data{}, of_other{}, nothing{};
  CALL(cudaMemPoolExportPointer(&data, memory));
  CALL(cudaMemPoolExportPointer(&of_other, other));
  CALL(cudaMemPoolExportPointer(&nothing, nullptr));
  CALL(cudaMemPoolImportPointer(&opened, imported, &data));
  CALL(cudaMemPoolImportPointer(&opened, imported, &of_other));
  CALL(cudaMemPoolImportPointer(&opened, first, &data));
  CALL(cudaMemPoolImportPointer(&opened, imported, &nothing));
  CALL(cudaMallocFromPoolAsync(&opened, 4096, imported, nullptr));
  CALL(cudaMemPoolDestroy(imported));
  last_error();
  void* plain = nullptr;
  CALL(cudaMalloc(&plain, 4096));
  CALL(cudaMemPoolExportPointer(&data, plain));
  CALL(cudaMallocAsync(&plain, 4096, nullptr));
  CALL(cudaMemPoolExportPointer(&data, plain));
  last_error();
}
