// What the device offers to blocks and warps.
//
//   device_query [device = 0]
#include "../common/common.h"

int main(int argc, char **argv) {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  const int dev = int(argument(argc, argv, 1, 0, 0, count > 0 ? count - 1 : 0));
  cudaDeviceProp deviceProp;
  CHECK(cudaGetDeviceProperties(&deviceProp, dev));

  printf("Device %d: %s\n", dev, deviceProp.name);
  printf("Compute capability: %d.%d\n", deviceProp.major, deviceProp.minor);
  printf("Number of SMs: %d\n", deviceProp.multiProcessorCount);
  printf("Total amount of constant memory: %4.2f KB\n", deviceProp.totalConstMem / 1024.0);
  printf("Total amount of shared memory per block: %4.2f KB\n",
         deviceProp.sharedMemPerBlock / 1024.0);
  printf("Total number of registers available per block: %d\n", deviceProp.regsPerBlock);
  printf("Warp size: %d\n", deviceProp.warpSize);
  printf("Maximum number of threads per block: %d\n", deviceProp.maxThreadsPerBlock);
  printf("Maximum number of threads per multiprocessor: %d\n",
         deviceProp.maxThreadsPerMultiProcessor);
  printf("Maximum number of warps per multiprocessor: %d\n",
         deviceProp.maxThreadsPerMultiProcessor / 32);

  Verdict verdict;
  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, dev));
  verdict.expect(value == deviceProp.multiProcessorCount && value > 0, "number of SMs");
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, dev));
  verdict.expect(value == deviceProp.warpSize && value == 32, "warp size");
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, dev));
  verdict.expect(value == deviceProp.maxThreadsPerBlock && value == 1024, "threads per block");
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerMultiProcessor, dev));
  verdict.expect(value == deviceProp.maxThreadsPerMultiProcessor, "threads per multiprocessor");
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, dev));
  verdict.expect(value == deviceProp.major, "compute capability");
  return verdict.finish();
}
