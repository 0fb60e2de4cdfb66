// The driver's interface to arrays, textures and virtual memory.
#include <cuda.h>

#include <cstdlib>
#include <vector>

#include "check.hpp"

#define DRIVER(call) EXPECT((call) == CUDA_SUCCESS)

__global__ void sample(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2D<float>(texture, (threadIdx.x + 0.5f) / 16, 0.1875f);
}

static void arrays() {
  CUDA_ARRAY_DESCRIPTOR plane = {16, 8, CU_AD_FORMAT_FLOAT, 1};
  CUarray array;
  DRIVER(cuArrayCreate(&array, &plane));
  CUDA_ARRAY_DESCRIPTOR told = {};
  DRIVER(cuArrayGetDescriptor(&told, array));
  EXPECT(told.Width == 16 && told.Height == 8 && told.Format == CU_AD_FORMAT_FLOAT);
  std::vector<float> host(128), back(32);
  for (int i = 0; i < 128; ++i) host[i] = static_cast<float>(i);
  CUDA_MEMCPY2D rows = {};
  rows.srcMemoryType = CU_MEMORYTYPE_HOST;
  rows.srcHost = host.data();
  rows.srcPitch = 64;
  rows.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  rows.dstArray = array;
  rows.WidthInBytes = 64;
  rows.Height = 8;
  DRIVER(cuMemcpy2D(&rows));
  CUDA_MEMCPY3D part = {};
  part.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  part.srcArray = array;
  part.srcXInBytes = 8;
  part.srcY = 3;
  part.dstMemoryType = CU_MEMORYTYPE_HOST;
  part.dstHost = back.data();
  part.dstPitch = 16;
  part.WidthInBytes = 16;
  part.Height = 2;
  part.Depth = 1;
  DRIVER(cuMemcpy3D(&part));
  EXPECT(back[0] == 50 && back[3] == 53 && back[4] == 66);

  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC sampling = {};
  sampling.flags = CU_TRSF_NORMALIZED_COORDINATES;
  for (auto& mode : sampling.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  CUtexObject texture;
  DRIVER(cuTexObjectCreate(&texture, &resource, &sampling, nullptr));
  float* out;
  OK(cudaMalloc(&out, 64));
  sample<<<1, 16>>>(texture, out);
  OK(cudaMemcpy(back.data(), out, 64, cudaMemcpyDeviceToHost));
  EXPECT(back[0] == 16 && back[15] == 31);
  DRIVER(cuTexObjectDestroy(texture));
  DRIVER(cuArrayDestroy(array));
}

__global__ void count_up(int* cells, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) cells[i] += i;
}

static void virtual_memory() {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  std::size_t size = 0;
  DRIVER(cuMemGetAllocationGranularity(&size, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUdeviceptr range;
  CUmemGenericAllocationHandle first, second;
  DRIVER(cuMemAddressReserve(&range, 2 * size, 0, 0, 0));
  EXPECT(range % size == 0);
  EXPECT(cuMemCreate(&first, 1000, &properties, 0) == CUDA_ERROR_INVALID_VALUE);
  DRIVER(cuMemCreate(&first, size, &properties, 0));
  DRIVER(cuMemCreate(&second, size, &properties, 0));
  DRIVER(cuMemMap(range, size, 0, first, 0));
  EXPECT(cuMemMap(range, size, 0, second, 0) == CUDA_ERROR_INVALID_VALUE);
  DRIVER(cuMemMap(range + size, size, 0, second, 0));
  CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  DRIVER(cuMemSetAccess(range, 2 * size, &access, 1));
  const int cells = static_cast<int>(2 * size / sizeof(int));
  DRIVER(cuMemsetD32(range, 1, cells));
  count_up<<<1, 1024>>>(reinterpret_cast<int*>(range), cells);
  OK(cudaDeviceSynchronize());
  int last = 0;
  DRIVER(cuMemcpyDtoH(&last, range + 2 * size - 4, 4));
  EXPECT(last == cells);
  // The second half keeps its contents and is seen at the first one's place.
  EXPECT(cuMemAddressFree(range, 2 * size) == CUDA_ERROR_INVALID_VALUE);
  DRIVER(cuMemUnmap(range, 2 * size));
  DRIVER(cuMemMap(range, size, 0, second, 0));
  DRIVER(cuMemSetAccess(range, size, &access, 1));
  DRIVER(cuMemcpyDtoH(&last, range + size - 4, 4));
  EXPECT(last == cells);
  DRIVER(cuMemUnmap(range, size));
  DRIVER(cuMemRelease(first));
  DRIVER(cuMemRelease(second));
  DRIVER(cuMemAddressFree(range, 2 * size));
}

int main() {
  DRIVER(cuInit(0));
  OK(cudaFree(nullptr));
  arrays();
  virtual_memory();
  std::puts("driver memory: ok");
}
