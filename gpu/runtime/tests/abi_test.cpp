// Our declarations against the toolkit's headers: compiled only where the toolkit is installed.
// Most of it is checked by the compiler.
#include "gpu/runtime/abi.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "gpu/runtime/error.hpp"

namespace heddle::runtime {
namespace {

#define SAME_SIZE(ours, theirs) \
  static_assert(sizeof(ours) == sizeof(theirs) && alignof(ours) == alignof(theirs))
#define SAME_FIELD(ours, theirs, field)                             \
  static_assert(offsetof(ours, field) == offsetof(theirs, field) && \
                sizeof(std::declval<ours>().field) == sizeof(std::declval<theirs>().field))
#define SAME_NUMBER(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs))

#define HEDDLE_CUDA_ERROR(number, name, enumerator, text) SAME_NUMBER(Error::enumerator, ::name);
#include "gpu/runtime/errors.inc"
#undef HEDDLE_CUDA_ERROR

#define HEDDLE_ATTRIBUTE(number, name, value) SAME_NUMBER(number, ::cudaDevAttr##name);
#include "gpu/runtime/device_attributes.inc"
#undef HEDDLE_ATTRIBUTE

SAME_SIZE(abi::Dim3, ::dim3);
SAME_SIZE(abi::Pos, ::cudaPos);
SAME_SIZE(abi::Extent, ::cudaExtent);
SAME_SIZE(abi::PitchedPtr, ::cudaPitchedPtr);
SAME_FIELD(abi::PitchedPtr, ::cudaPitchedPtr, pitch);
SAME_FIELD(abi::PitchedPtr, ::cudaPitchedPtr, ysize);
SAME_SIZE(abi::ChannelFormatDesc, ::cudaChannelFormatDesc);
SAME_SIZE(abi::MemLocation, ::cudaMemLocation);
SAME_SIZE(abi::Uuid, ::cudaUUID_t);

SAME_SIZE(abi::Memcpy3DParms, ::cudaMemcpy3DParms);
SAME_FIELD(abi::Memcpy3DParms, ::cudaMemcpy3DParms, srcPtr);
SAME_FIELD(abi::Memcpy3DParms, ::cudaMemcpy3DParms, dstArray);
SAME_FIELD(abi::Memcpy3DParms, ::cudaMemcpy3DParms, dstPos);
SAME_FIELD(abi::Memcpy3DParms, ::cudaMemcpy3DParms, extent);
SAME_FIELD(abi::Memcpy3DParms, ::cudaMemcpy3DParms, kind);

SAME_SIZE(abi::ResourceDesc, ::cudaResourceDesc);
SAME_FIELD(abi::ResourceDesc, ::cudaResourceDesc, res);
SAME_FIELD(abi::ResourceDesc, ::cudaResourceDesc, res.linear.sizeInBytes);
SAME_FIELD(abi::ResourceDesc, ::cudaResourceDesc, res.pitch2D.width);
SAME_FIELD(abi::ResourceDesc, ::cudaResourceDesc, res.pitch2D.pitchInBytes);
SAME_FIELD(abi::ResourceDesc, ::cudaResourceDesc, flags);
SAME_NUMBER(abi::ResourceType::array, ::cudaResourceTypeArray);
SAME_NUMBER(abi::ResourceType::pitched, ::cudaResourceTypePitch2D);
SAME_SIZE(abi::TextureDesc, ::cudaTextureDesc);
SAME_FIELD(abi::TextureDesc, ::cudaTextureDesc, readMode);
SAME_FIELD(abi::TextureDesc, ::cudaTextureDesc, borderColor);
SAME_FIELD(abi::TextureDesc, ::cudaTextureDesc, normalizedCoords);
SAME_FIELD(abi::TextureDesc, ::cudaTextureDesc, seamlessCubemap);
SAME_SIZE(abi::ResourceViewDesc, ::cudaResourceViewDesc);
SAME_FIELD(abi::ResourceViewDesc, ::cudaResourceViewDesc, lastLayer);
SAME_NUMBER(abi::kChannelFloat, ::cudaChannelFormatKindFloat);
SAME_NUMBER(abi::kArraySurface, cudaArraySurfaceLoadStore);
SAME_NUMBER(abi::kArrayCubemap, cudaArrayCubemap);
SAME_SIZE(abi::MemPoolProps, ::cudaMemPoolProps);
SAME_FIELD(abi::MemPoolProps, ::cudaMemPoolProps, location);
SAME_FIELD(abi::MemPoolProps, ::cudaMemPoolProps, maxSize);
SAME_SIZE(abi::MemAccessDesc, ::cudaMemAccessDesc);
SAME_FIELD(abi::MemAccessDesc, ::cudaMemAccessDesc, flags);
SAME_SIZE(abi::IpcHandle, ::cudaIpcMemHandle_t);
SAME_SIZE(abi::IpcHandle, ::cudaIpcEventHandle_t);

SAME_SIZE(abi::PointerAttributes, ::cudaPointerAttributes);
SAME_FIELD(abi::PointerAttributes, ::cudaPointerAttributes, device);
SAME_FIELD(abi::PointerAttributes, ::cudaPointerAttributes, devicePointer);
SAME_FIELD(abi::PointerAttributes, ::cudaPointerAttributes, hostPointer);

SAME_SIZE(abi::FuncAttributes, ::cudaFuncAttributes);
SAME_FIELD(abi::FuncAttributes, ::cudaFuncAttributes, localSizeBytes);
SAME_FIELD(abi::FuncAttributes, ::cudaFuncAttributes, numRegs);
SAME_FIELD(abi::FuncAttributes, ::cudaFuncAttributes, maxDynamicSharedSizeBytes);
SAME_FIELD(abi::FuncAttributes, ::cudaFuncAttributes, nonPortableClusterSizeAllowed);

SAME_SIZE(abi::LaunchAttribute, ::cudaLaunchAttribute);
static_assert(offsetof(abi::LaunchAttribute, value) == offsetof(::cudaLaunchAttribute, val));
SAME_SIZE(abi::LaunchConfig, ::cudaLaunchConfig_t);
SAME_FIELD(abi::LaunchConfig, ::cudaLaunchConfig_t, dynamicSmemBytes);
SAME_FIELD(abi::LaunchConfig, ::cudaLaunchConfig_t, stream);
SAME_FIELD(abi::LaunchConfig, ::cudaLaunchConfig_t, attrs);
SAME_FIELD(abi::LaunchConfig, ::cudaLaunchConfig_t, numAttrs);
SAME_NUMBER(abi::kLaunchAttributeCooperative, ::cudaLaunchAttributeCooperative);
SAME_NUMBER(abi::kLaunchAttributeClusterDimension, ::cudaLaunchAttributeClusterDimension);

SAME_NUMBER(abi::MemcpyKind::host_to_host, ::cudaMemcpyHostToHost);
SAME_NUMBER(abi::MemcpyKind::host_to_device, ::cudaMemcpyHostToDevice);
SAME_NUMBER(abi::MemcpyKind::device_to_host, ::cudaMemcpyDeviceToHost);
SAME_NUMBER(abi::MemcpyKind::device_to_device, ::cudaMemcpyDeviceToDevice);
SAME_NUMBER(abi::MemcpyKind::by_address, ::cudaMemcpyDefault);
SAME_NUMBER(abi::MemoryType::unregistered, ::cudaMemoryTypeUnregistered);
SAME_NUMBER(abi::MemoryType::host, ::cudaMemoryTypeHost);
SAME_NUMBER(abi::MemoryType::device, ::cudaMemoryTypeDevice);
SAME_NUMBER(abi::MemoryType::managed, ::cudaMemoryTypeManaged);
SAME_NUMBER(abi::Limit::stack_size, ::cudaLimitStackSize);
SAME_NUMBER(abi::Limit::persisting_l2_cache_size, ::cudaLimitPersistingL2CacheSize);
SAME_NUMBER(abi::FunctionAttribute::max_dynamic_shared_memory_size,
            ::cudaFuncAttributeMaxDynamicSharedMemorySize);
SAME_NUMBER(abi::FunctionAttribute::cluster_scheduling_policy_preference,
            ::cudaFuncAttributeClusterSchedulingPolicyPreference);
SAME_NUMBER(abi::kStreamNonBlocking, cudaStreamNonBlocking);
SAME_NUMBER(abi::kEventDisableTiming, cudaEventDisableTiming);
SAME_NUMBER(abi::kManagedAttachHost, cudaMemAttachHost);
SAME_NUMBER(abi::kInvalidDeviceId, cudaInvalidDeviceId);

SAME_SIZE(abi::DeviceProp, ::cudaDeviceProp);
#define SAME_PROPERTY(field) SAME_FIELD(abi::DeviceProp, ::cudaDeviceProp, field);
#define SAME_PROPERTIES(a, b, c, d, e) \
  SAME_PROPERTY(a) SAME_PROPERTY(b) SAME_PROPERTY(c) SAME_PROPERTY(d) SAME_PROPERTY(e)
SAME_PROPERTIES(name, uuid, luid, luidDeviceNodeMask, totalGlobalMem)
SAME_PROPERTIES(sharedMemPerBlock, regsPerBlock, warpSize, memPitch, maxThreadsPerBlock)
SAME_PROPERTIES(maxThreadsDim, maxGridSize, totalConstMem, major, minor)
SAME_PROPERTIES(textureAlignment, texturePitchAlignment, multiProcessorCount, integrated,
                canMapHostMemory)
SAME_PROPERTIES(maxTexture1D, maxTexture1DMipmap, maxTexture2D, maxTexture2DMipmap,
                maxTexture2DLinear)
SAME_PROPERTIES(maxTexture2DGather, maxTexture3D, maxTexture3DAlt, maxTextureCubemap,
                maxTexture1DLayered)
SAME_PROPERTIES(maxTexture2DLayered, maxTextureCubemapLayered, maxSurface1D, maxSurface2D,
                maxSurface3D)
SAME_PROPERTIES(maxSurface1DLayered, maxSurface2DLayered, maxSurfaceCubemap,
                maxSurfaceCubemapLayered, surfaceAlignment)
SAME_PROPERTIES(concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID)
SAME_PROPERTIES(tccDriver, asyncEngineCount, unifiedAddressing, memoryBusWidth, l2CacheSize)
SAME_PROPERTIES(persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported,
                globalL1CacheSupported, localL1CacheSupported)
SAME_PROPERTIES(sharedMemPerMultiprocessor, regsPerMultiprocessor, managedMemory, isMultiGpuBoard,
                multiGpuBoardGroupID)
SAME_PROPERTIES(hostNativeAtomicSupported, pageableMemoryAccess, concurrentManagedAccess,
                computePreemptionSupported, canUseHostPointerForRegisteredMem)
SAME_PROPERTIES(cooperativeLaunch, sharedMemPerBlockOptin, pageableMemoryAccessUsesHostPageTables,
                directManagedMemAccessFromHost, maxBlocksPerMultiProcessor)
SAME_PROPERTIES(accessPolicyMaxWindowSize, reservedSharedMemPerBlock, hostRegisterSupported,
                sparseCudaArraySupported, hostRegisterReadOnlySupported)
SAME_PROPERTIES(timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported,
                gpuDirectRDMAFlushWritesOptions, gpuDirectRDMAWritesOrdering)
SAME_PROPERTIES(memoryPoolSupportedHandleTypes, deferredMappingCudaArraySupported,
                ipcEventSupported, clusterLaunch, unifiedFunctionPointers)
SAME_PROPERTIES(deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId, gpuPciDeviceID)
SAME_PROPERTIES(gpuPciSubsystemID, hostNumaMultinodeIpcSupported, reserved, minor, major)

// Names and texts need the toolkit's library, not its headers; it answers without a GPU.
TEST(Abi, ErrorNamesAndTextsAreTheToolkitLibrarys) {
  void* library = dlopen(HEDDLE_TOOLKIT_CUDART, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) GTEST_SKIP() << "no " HEDDLE_TOOLKIT_CUDART;
  using Text = const char* (*)(int);
  const auto name = reinterpret_cast<Text>(dlsym(library, "cudaGetErrorName"));
  const auto text = reinterpret_cast<Text>(dlsym(library, "cudaGetErrorString"));
  ASSERT_NE(name, nullptr);
  for (int number = 0; number < 1100; ++number) {
    EXPECT_STREQ(error_name(static_cast<Error>(number)), name(number)) << number;
    EXPECT_STREQ(error_text(static_cast<Error>(number)), text(number)) << number;
  }
}

}  // namespace
}  // namespace heddle::runtime
