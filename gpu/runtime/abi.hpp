// The types of CUDA 13's runtime interface that cross the boundary of libcudart.so.13, declared
// here so that the project builds where there is no CUDA Toolkit. Field names are CUDA's. Where the
// toolkit is installed, tests/abi_test.cpp compares every layout and number with its headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime::abi {

using Handle = void*;  // streams, events, functions, kernels, pools: opaque to the program

struct Dim3 {
  unsigned int x, y, z;
};

enum class MemcpyKind : int {
  host_to_host = 0,
  host_to_device = 1,
  device_to_host = 2,
  device_to_device = 3,
  by_address = 4,  // cudaMemcpyDefault
};

enum class MemoryType : int { unregistered = 0, host = 1, device = 2, managed = 3 };

enum class Limit : int {
  stack_size = 0,
  printf_fifo_size = 1,
  malloc_heap_size = 2,
  dev_runtime_sync_depth = 3,
  dev_runtime_pending_launch_count = 4,
  max_l2_fetch_granularity = 5,
  persisting_l2_cache_size = 6,
  shared_memory_size = 7,  // … of a block at most
  confidential = 8,
};

enum class FunctionAttribute : int {
  max_dynamic_shared_memory_size = 8,
  preferred_shared_memory_carveout = 9,
  cluster_dim_must_be_set = 10,
  required_cluster_width = 11,
  required_cluster_height = 12,
  required_cluster_depth = 13,
  non_portable_cluster_size_allowed = 14,
  cluster_scheduling_policy_preference = 15,
};

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventBlockingSync = 1, kEventDisableTiming = 2, kEventInterprocess = 4;
inline constexpr unsigned kHostAllocMask = 7, kHostRegisterMask = 15;
inline constexpr unsigned kManagedAttachGlobal = 1, kManagedAttachHost = 2;
inline constexpr int kCpuDeviceId = -1, kInvalidDeviceId = -2;

// Stream handles that name a stream instead of pointing to one.
inline constexpr std::uintptr_t kStreamLegacy = 1, kStreamPerThread = 2;

struct Pos {
  std::size_t x, y, z;
};
struct Extent {
  std::size_t width, height, depth;
};
struct PitchedPtr {
  void* ptr;
  std::size_t pitch, xsize, ysize;
};

struct Memcpy3DParms {
  Handle srcArray;
  Pos srcPos;
  PitchedPtr srcPtr;
  Handle dstArray;
  Pos dstPos;
  PitchedPtr dstPtr;
  Extent extent;
  MemcpyKind kind;
};

struct Memcpy3DPeerParms {
  Handle srcArray;
  Pos srcPos;
  PitchedPtr srcPtr;
  int srcDevice;
  Handle dstArray;
  Pos dstPos;
  PitchedPtr dstPtr;
  int dstDevice;
  Extent extent;
};

struct ChannelFormatDesc {
  int x, y, z, w, f;
};

inline constexpr int kChannelSigned = 0, kChannelUnsigned = 1, kChannelFloat = 2;
inline constexpr unsigned kArrayLayered = 1, kArraySurface = 2, kArrayCubemap = 4, kArrayGather = 8;

enum class ResourceType : int { array = 0, mipmapped_array = 1, linear = 2, pitched = 3 };

struct ResourceDesc {
  ResourceType resType;
  union {
    Handle array;  // or mipmapped array
    struct {
      void* devPtr;
      ChannelFormatDesc desc;
      std::size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      ChannelFormatDesc desc;
      std::size_t width, height, pitchInBytes;
    } pitch2D;
    int reserved[32];
  } res;
  unsigned int flags;
};

struct TextureDesc {
  int addressMode[3];
  int filterMode;  // 0: point, 1: linear
  int readMode;    // 0: as they are, 1: as fractions
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned int maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};

struct ResourceViewDesc {
  int format;
  std::size_t width, height, depth;
  unsigned int firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
  unsigned int reserved[16];
};

struct MemLocation {
  int type;  // 1: device, 2: host
  int id;
};

struct MemPoolProps {
  int allocType;    // 1: pinned
  int handleTypes;  // 0: none that other processes could use
  MemLocation location;
  void* win32SecurityAttributes;
  std::size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};

struct MemAccessDesc {
  MemLocation location;
  int flags;  // 0: none, 1: read, 3: read and write
};

// Parameters of a node of a graph, as cudaGraphAddNode takes them; those of one kind alone have the
// same layout.
struct KernelNodeParams {
  void* func;
  Dim3 gridDim, blockDim;
  unsigned int sharedMemBytes;
  void** kernelParams;
  void** extra;
};
struct MemsetParams {
  void* dst;
  std::size_t pitch;
  unsigned int value, elementSize;
  std::size_t width, height;
};
struct HostNodeParams {
  void (*fn)(void*);
  void* userData;
};
struct CopyNodeParams {
  int flags, reserved[3];
  Memcpy3DParms copyParams;
};
struct ChildGraphNodeParams {
  Handle graph;
  int ownership;
};
struct MemAllocNodeParams {
  MemPoolProps poolProps;
  const MemAccessDesc* accessDescs;
  std::size_t accessDescCount, bytesize;
  void* dptr;
};
struct ConditionalNodeParams {
  std::uint64_t handle;
  int type;  // 0: if, 1: while, 2: switch
  unsigned int size;
  Handle* phGraph_out;
};
struct GraphNodeParams {
  int type;
  int reserved0[3];
  union {
    long long reserved1[29];
    KernelNodeParams kernel;
    CopyNodeParams copy;
    MemsetParams memset;
    HostNodeParams host;
    ChildGraphNodeParams graph;
    Handle event;
    MemAllocNodeParams alloc;
    void* freed;
    ConditionalNodeParams conditional;
  };
  long long reserved2;
};

struct IpcHandle {
  char reserved[64];
};

struct PointerAttributes {
  MemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
  long reserved[8];
};

struct FuncAttributes {
  std::size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
  int maxDynamicSharedSizeBytes, preferredShmemCarveout;
  int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
  int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
  int reserved[16];
};

struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int cooperative;
    unsigned carveout;
    Dim3 clusterDim;
    void* pointer;
  } value;
};
inline constexpr int kLaunchAttributeCooperative = 2, kLaunchAttributeClusterDimension = 4,
                     kLaunchAttributeCarveout = 14;

struct LaunchConfig {
  Dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  Handle stream;
  LaunchAttribute* attrs;
  unsigned int numAttrs;
};

struct Uuid {
  char bytes[16];
};

struct DeviceProp {
  char name[256];
  Uuid uuid;
  char luid[8];
  unsigned int luidDeviceNodeMask;
  std::size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  std::size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  std::size_t totalConstMem;
  int major, minor;
  std::size_t textureAlignment, texturePitchAlignment;
  int multiProcessorCount, integrated, canMapHostMemory;
  int maxTexture1D, maxTexture1DMipmap, maxTexture2D[2], maxTexture2DMipmap[2];
  int maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3];
  int maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
  int maxTextureCubemapLayered[2];
  int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2];
  int maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  std::size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
  int asyncEngineCount, unifiedAddressing, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor, streamPrioritiesSupported;
  int globalL1CacheSupported, localL1CacheSupported;
  std::size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
  int hostNativeAtomicSupported, pageableMemoryAccess, concurrentManagedAccess;
  int computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
  std::size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  std::size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned int gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned int memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch;
  int unifiedFunctionPointers, deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
  unsigned int gpuPciDeviceID, gpuPciSubsystemID;
  int hostNumaMultinodeIpcSupported;
  int reserved[56];
};

// What host code hands to __cudaRegisterFatBinary (fatbinary_section.h names the layout).
struct FatBinaryWrapper {
  std::uint32_t magic;    // kFatBinaryWrapperMagic
  std::uint32_t version;  // 1; 2 with prelinked fat binaries
  const std::byte* data;  // a fat binary
  void* prelinked;
};
inline constexpr std::uint32_t kFatBinaryWrapperMagic = 0x466243b1;

}  // namespace heddle::runtime::abi
