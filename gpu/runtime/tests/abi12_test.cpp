// The layouts of CUDA 12's types, against what a compiler makes of the headers of CUDA 12.9.79 (in
// PyPI's nvidia-cuda-runtime-cu12): sizes, and where each field lies.
#include <gtest/gtest.h>

#include "gpu/runtime/cudart12/abi.hpp"

namespace heddle::runtime::abi12 {
namespace {

#define SIZE(type, bytes) static_assert(sizeof(type) == (bytes))
#define FIELD(type, field, offset, bytes)            \
  static_assert(offsetof(type, field) == (offset) && \
                sizeof(static_cast<type*>(nullptr)->field) == (bytes))

SIZE(PointerAttributes, 24);
FIELD(PointerAttributes, type, 0, 4);
FIELD(PointerAttributes, device, 4, 4);
FIELD(PointerAttributes, devicePointer, 8, 8);
FIELD(PointerAttributes, hostPointer, 16, 8);
SIZE(ResourceDesc, 64);
FIELD(ResourceDesc, resType, 0, 4);
FIELD(ResourceDesc, res, 8, 56);
SIZE(ResourceViewDesc, 48);
FIELD(ResourceViewDesc, format, 0, 4);
FIELD(ResourceViewDesc, width, 8, 8);
FIELD(ResourceViewDesc, lastLayer, 44, 4);
SIZE(DeviceProp, 1032);
FIELD(DeviceProp, name, 0, 256);
FIELD(DeviceProp, uuid, 256, 16);
FIELD(DeviceProp, luid, 272, 8);
FIELD(DeviceProp, luidDeviceNodeMask, 280, 4);
FIELD(DeviceProp, totalGlobalMem, 288, 8);
FIELD(DeviceProp, sharedMemPerBlock, 296, 8);
FIELD(DeviceProp, regsPerBlock, 304, 4);
FIELD(DeviceProp, warpSize, 308, 4);
FIELD(DeviceProp, memPitch, 312, 8);
FIELD(DeviceProp, maxThreadsPerBlock, 320, 4);
FIELD(DeviceProp, maxThreadsDim, 324, 12);
FIELD(DeviceProp, maxGridSize, 336, 12);
FIELD(DeviceProp, totalConstMem, 352, 8);
FIELD(DeviceProp, major, 360, 4);
FIELD(DeviceProp, minor, 364, 4);
FIELD(DeviceProp, textureAlignment, 368, 8);
FIELD(DeviceProp, texturePitchAlignment, 376, 8);
FIELD(DeviceProp, multiProcessorCount, 388, 4);
FIELD(DeviceProp, integrated, 396, 4);
FIELD(DeviceProp, canMapHostMemory, 400, 4);
FIELD(DeviceProp, maxTexture1D, 408, 4);
FIELD(DeviceProp, maxTexture1DMipmap, 412, 4);
FIELD(DeviceProp, maxTexture2D, 420, 8);
FIELD(DeviceProp, maxTexture2DMipmap, 428, 8);
FIELD(DeviceProp, maxTexture2DLinear, 436, 12);
FIELD(DeviceProp, maxTexture2DGather, 448, 8);
FIELD(DeviceProp, maxTexture3D, 456, 12);
FIELD(DeviceProp, maxTexture3DAlt, 468, 12);
FIELD(DeviceProp, maxTextureCubemap, 480, 4);
FIELD(DeviceProp, maxTexture1DLayered, 484, 8);
FIELD(DeviceProp, maxTexture2DLayered, 492, 12);
FIELD(DeviceProp, maxTextureCubemapLayered, 504, 8);
FIELD(DeviceProp, maxSurface1D, 512, 4);
FIELD(DeviceProp, maxSurface2D, 516, 8);
FIELD(DeviceProp, maxSurface3D, 524, 12);
FIELD(DeviceProp, maxSurface1DLayered, 536, 8);
FIELD(DeviceProp, maxSurface2DLayered, 544, 12);
FIELD(DeviceProp, maxSurfaceCubemap, 556, 4);
FIELD(DeviceProp, maxSurfaceCubemapLayered, 560, 8);
FIELD(DeviceProp, surfaceAlignment, 568, 8);
FIELD(DeviceProp, concurrentKernels, 576, 4);
FIELD(DeviceProp, ECCEnabled, 580, 4);
FIELD(DeviceProp, pciBusID, 584, 4);
FIELD(DeviceProp, pciDeviceID, 588, 4);
FIELD(DeviceProp, pciDomainID, 592, 4);
FIELD(DeviceProp, tccDriver, 596, 4);
FIELD(DeviceProp, asyncEngineCount, 600, 4);
FIELD(DeviceProp, unifiedAddressing, 604, 4);
FIELD(DeviceProp, memoryBusWidth, 612, 4);
FIELD(DeviceProp, l2CacheSize, 616, 4);
FIELD(DeviceProp, persistingL2CacheMaxSize, 620, 4);
FIELD(DeviceProp, maxThreadsPerMultiProcessor, 624, 4);
FIELD(DeviceProp, streamPrioritiesSupported, 628, 4);
FIELD(DeviceProp, globalL1CacheSupported, 632, 4);
FIELD(DeviceProp, localL1CacheSupported, 636, 4);
FIELD(DeviceProp, sharedMemPerMultiprocessor, 640, 8);
FIELD(DeviceProp, regsPerMultiprocessor, 648, 4);
FIELD(DeviceProp, managedMemory, 652, 4);
FIELD(DeviceProp, isMultiGpuBoard, 656, 4);
FIELD(DeviceProp, multiGpuBoardGroupID, 660, 4);
FIELD(DeviceProp, hostNativeAtomicSupported, 664, 4);
FIELD(DeviceProp, pageableMemoryAccess, 672, 4);
FIELD(DeviceProp, concurrentManagedAccess, 676, 4);
FIELD(DeviceProp, computePreemptionSupported, 680, 4);
FIELD(DeviceProp, canUseHostPointerForRegisteredMem, 684, 4);
FIELD(DeviceProp, cooperativeLaunch, 688, 4);
FIELD(DeviceProp, sharedMemPerBlockOptin, 696, 8);
FIELD(DeviceProp, pageableMemoryAccessUsesHostPageTables, 704, 4);
FIELD(DeviceProp, directManagedMemAccessFromHost, 708, 4);
FIELD(DeviceProp, maxBlocksPerMultiProcessor, 712, 4);
FIELD(DeviceProp, accessPolicyMaxWindowSize, 716, 4);
FIELD(DeviceProp, reservedSharedMemPerBlock, 720, 8);
FIELD(DeviceProp, hostRegisterSupported, 728, 4);
FIELD(DeviceProp, sparseCudaArraySupported, 732, 4);
FIELD(DeviceProp, hostRegisterReadOnlySupported, 736, 4);
FIELD(DeviceProp, timelineSemaphoreInteropSupported, 740, 4);
FIELD(DeviceProp, memoryPoolsSupported, 744, 4);
FIELD(DeviceProp, gpuDirectRDMASupported, 748, 4);
FIELD(DeviceProp, gpuDirectRDMAFlushWritesOptions, 752, 4);
FIELD(DeviceProp, gpuDirectRDMAWritesOrdering, 756, 4);
FIELD(DeviceProp, memoryPoolSupportedHandleTypes, 760, 4);
FIELD(DeviceProp, deferredMappingCudaArraySupported, 764, 4);
FIELD(DeviceProp, ipcEventSupported, 768, 4);
FIELD(DeviceProp, clusterLaunch, 772, 4);
FIELD(DeviceProp, unifiedFunctionPointers, 776, 4);
FIELD(DeviceProp, clockRate, 348, 4);
FIELD(DeviceProp, computeMode, 404, 4);
FIELD(DeviceProp, memoryClockRate, 608, 4);

// cudaGetDeviceProperties of CUDA 11, which libcudart.so.12 still has, fills this much.
TEST(Abi12, Cuda11sPropertiesEndWhereThoseOfCuda12GoOn) { EXPECT_EQ(kDevicePropBytesOf11, 728u); }

}  // namespace
}  // namespace heddle::runtime::abi12
