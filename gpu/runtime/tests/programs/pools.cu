// Stream-ordered allocation, pools, and what one device says of peers and other processes.
#include <cstdint>

#include "check.hpp"

__global__ void set(int* to, int value) { to[threadIdx.x] = value; }

static std::uint64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr which) {
  std::uint64_t value = 0;
  OK(cudaMemPoolGetAttribute(pool, which, &value));
  return value;
}

int main() {
  cudaMemPool_t usual, current, own;
  OK(cudaDeviceGetDefaultMemPool(&usual, 0));
  OK(cudaDeviceGetMemPool(&current, 0));
  EXPECT(usual == current);
  EXPECT_CALL(cudaErrorInvalidDevice, cudaDeviceGetDefaultMemPool(&usual, 1));
  std::uint64_t threshold = UINT64_MAX;
  OK(cudaMemPoolSetAttribute(usual, cudaMemPoolAttrReleaseThreshold, &threshold));
  EXPECT(attribute(usual, cudaMemPoolAttrReleaseThreshold) == UINT64_MAX);

  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  OK(cudaMemPoolCreate(&own, &properties));
  OK(cudaDeviceSetMemPool(0, own));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  int *a, *b, host[32];
  OK(cudaMallocAsync(&a, sizeof host, stream));
  OK(cudaMallocFromPoolAsync(&b, sizeof host, usual, stream));
  EXPECT(attribute(own, cudaMemPoolAttrUsedMemCurrent) == sizeof host);
  EXPECT(attribute(usual, cudaMemPoolAttrUsedMemCurrent) == sizeof host);
  set<<<1, 32, 0, stream>>>(a, 3);
  OK(cudaMemcpyAsync(b, a, sizeof host, cudaMemcpyDefault, stream));
  OK(cudaMemcpyAsync(host, b, sizeof host, cudaMemcpyDefault, stream));
  OK(cudaFreeAsync(a, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(host[31] == 3);
  OK(cudaFreeAsync(b, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(attribute(own, cudaMemPoolAttrUsedMemCurrent) == 0);
  EXPECT(attribute(own, cudaMemPoolAttrUsedMemHigh) == sizeof host);
  EXPECT(attribute(usual, cudaMemPoolAttrUsedMemCurrent) == 0);
  cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  cudaMemAccessFlags flags;
  OK(cudaMemPoolGetAccess(&flags, own, &here));
  EXPECT(flags == cudaMemAccessFlagsProtReadWrite);
  OK(cudaMemPoolTrimTo(own, 0));
  OK(cudaMemPoolDestroy(own));
  OK(cudaDeviceGetMemPool(&current, 0));
  EXPECT(usual == current);

  int can = 1;
  OK(cudaDeviceCanAccessPeer(&can, 0, 0));
  EXPECT(can == 0);
  EXPECT_CALL(cudaErrorInvalidDevice,
              cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 1));
  cudaIpcMemHandle_t handle;
  OK(cudaMalloc(&a, 64));
  OK(cudaIpcGetMemHandle(&handle, a));
  void* opened;
  EXPECT(cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess);
  void* function = &can;
  cudaDriverEntryPointQueryResult found;
  OK(cudaGetDriverEntryPointByVersion("cuNothing", &function, 13000, cudaEnableDefault, &found));
  EXPECT(function == nullptr && found == cudaDriverEntryPointSymbolNotFound);
  std::puts("ok");
}
