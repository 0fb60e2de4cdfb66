// The functions of libcudart.so.13 that our other libraries call, as programs do. cudart includes
// this too, so that each definition is checked against its declaration.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/runtime/abi.hpp"
#include "gpu/runtime/error.hpp"

namespace heddle::runtime {

using StreamCallback = void (*)(abi::Handle stream, Error status, void* data);

extern "C" {
Error cudaGetLastError();
Error cudaPeekAtLastError();
const char* cudaGetErrorString(Error error);
Error cudaGetDeviceProperties(abi::DeviceProp* properties, int device);
Error cudaDeviceGetAttribute(int* value, int attribute, int device);
Error cudaDeviceGetPCIBusId(char* text, int length, int device);
Error cudaDeviceGetByPCIBusId(int* device, const char* text);
Error cudaDeviceCanAccessPeer(int* can, int device, int peer);
Error cudaDeviceEnablePeerAccess(int peer, unsigned flags);
Error cudaDeviceDisablePeerAccess(int peer);
Error cudaGetDeviceCount(int* count);
Error cudaDeviceReset();
Error cudaDeviceSynchronize();
Error cudaDeviceSetLimit(abi::Limit limit, std::size_t value);
Error cudaDeviceGetLimit(std::size_t* value, abi::Limit limit);
Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
Error cudaMalloc(void** pointer, std::size_t bytes);
Error cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height);
Error cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags);
Error cudaMallocAsync(void** pointer, std::size_t bytes, abi::Handle stream);
Error cudaFree(void* pointer);
Error cudaFreeAsync(void* pointer, abi::Handle stream);
Error cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags);
Error cudaFreeHost(void* pointer);
Error cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags);
Error cudaHostUnregister(void* pointer);
Error cudaHostGetDevicePointer(void** device_pointer, void* host, unsigned flags);
Error cudaHostGetFlags(unsigned* flags, void* host);
Error cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);
Error cudaPointerGetAttributes(abi::PointerAttributes* attributes, const void* pointer);
Error cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, abi::MemcpyKind kind,
                      abi::Handle stream);
Error cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                        std::size_t width, std::size_t height, abi::MemcpyKind kind,
                        abi::Handle stream);
Error cudaMalloc3DArray(abi::Handle* array, const abi::ChannelFormatDesc* format,
                        abi::Extent extent, unsigned flags);
Error cudaFreeArray(abi::Handle array);
Error cudaMallocMipmappedArray(abi::Handle* array, const abi::ChannelFormatDesc* format,
                               abi::Extent extent, unsigned levels, unsigned flags);
Error cudaGetMipmappedArrayLevel(abi::Handle* level, abi::Handle array, unsigned number);
Error cudaFreeMipmappedArray(abi::Handle array);
Error cudaGetTextureObjectResourceViewDesc(abi::ResourceViewDesc* view, std::uint64_t object);
Error cudaArrayGetInfo(abi::ChannelFormatDesc* format, abi::Extent* extent, unsigned* flags,
                       abi::Handle array);
Error cudaMemcpy(void* to, const void* from, std::size_t bytes, abi::MemcpyKind kind);
Error cudaMemcpy_ptds(void* to, const void* from, std::size_t bytes, abi::MemcpyKind kind);
Error cudaMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* bytes,
                           std::size_t count, void* attributes, std::size_t* attribute_of,
                           std::size_t attribute_count, abi::Handle stream);
Error cudaMemcpy3D(const abi::Memcpy3DParms* parameters);
Error cudaMemcpy3D_ptds(const abi::Memcpy3DParms* parameters);
Error cudaMemcpy3DAsync(const abi::Memcpy3DParms* parameters, abi::Handle stream);
Error cudaCreateTextureObject(std::uint64_t* object, const abi::ResourceDesc* resource,
                              const abi::TextureDesc* description,
                              const abi::ResourceViewDesc* view);
Error cudaDestroyTextureObject(std::uint64_t object);
Error cudaGetTextureObjectResourceDesc(abi::ResourceDesc* resource, std::uint64_t object);
Error cudaGetTextureObjectTextureDesc(abi::TextureDesc* description, std::uint64_t object);
Error cudaCreateSurfaceObject(std::uint64_t* object, const abi::ResourceDesc* resource);
Error cudaDestroySurfaceObject(std::uint64_t object);
Error cudaGetSurfaceObjectResourceDesc(abi::ResourceDesc* resource, std::uint64_t object);
Error cudaMemsetAsync(void* to, int value, std::size_t bytes, abi::Handle stream);
Error cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                        std::size_t height, abi::Handle stream);
Error cudaStreamCreateWithPriority(abi::Handle* stream, unsigned flags, int priority);
Error cudaStreamDestroy(abi::Handle stream);
Error cudaStreamSynchronize(abi::Handle stream);
Error cudaStreamQuery(abi::Handle stream);
Error cudaStreamWaitEvent(abi::Handle stream, abi::Handle event, unsigned flags);
Error cudaStreamGetFlags(abi::Handle stream, unsigned* flags);
Error cudaStreamGetPriority(abi::Handle stream, int* priority);
Error cudaStreamAddCallback(abi::Handle stream, StreamCallback callback, void* data,
                            unsigned flags);
Error cudaStreamAttachMemAsync(abi::Handle stream, void* pointer, std::size_t bytes,
                               unsigned flags);
Error cudaStreamGetAttribute(abi::Handle stream, int attribute, void* value);
Error cudaStreamSetAttribute(abi::Handle stream, int attribute, const void* value);
Error cudaStreamCopyAttributes(abi::Handle to, abi::Handle from);
Error cudaStreamBeginCaptureToGraph(abi::Handle stream, abi::Handle graph, const abi::Handle* after,
                                    const void* edges, std::size_t count, int mode);
Error cudaStreamGetCaptureInfo(abi::Handle stream, int* status, unsigned long long* id,
                               abi::Handle* graph, const abi::Handle** after, const void** edges,
                               std::size_t* count);
Error cudaStreamUpdateCaptureDependencies(abi::Handle stream, abi::Handle* nodes, const void* edges,
                                          std::size_t count, unsigned flags);
Error cudaThreadExchangeStreamCaptureMode(int* mode);
Error cudaEventRecordWithFlags(abi::Handle event, abi::Handle stream, unsigned flags);
Error cudaGetExportTable(const void** table, const abi::Uuid* id);
Error cudaMemAdvise(const void* pointer, std::size_t bytes, int what, abi::MemLocation location);
Error cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, abi::MemLocation location,
                           unsigned flags, abi::Handle stream);
Error cudaMemPrefetchBatchAsync(void** pointers, std::size_t* bytes, std::size_t count,
                                abi::MemLocation* locations, std::size_t* first_of,
                                std::size_t location_count, unsigned long long flags,
                                abi::Handle stream);
Error cudaMemDiscardBatchAsync(void** pointers, std::size_t* bytes, std::size_t count,
                               unsigned long long flags, abi::Handle stream);
Error cudaMemDiscardAndPrefetchBatchAsync(void** pointers, std::size_t* bytes, std::size_t count,
                                          abi::MemLocation* locations, std::size_t* first_of,
                                          std::size_t location_count, unsigned long long flags,
                                          abi::Handle stream);
Error cudaMemRangeGetAttribute(void* data, std::size_t data_bytes, int attribute,
                               const void* pointer, std::size_t bytes);
Error cudaMemRangeGetAttributes(void** data, std::size_t* data_bytes, int* attributes,
                                std::size_t count, const void* pointer, std::size_t bytes);
Error cudaIpcGetMemHandle(abi::IpcHandle* handle, void* pointer);
Error cudaIpcOpenMemHandle(void** pointer, abi::IpcHandle handle, unsigned flags);
Error cudaIpcCloseMemHandle(void* pointer);
Error cudaIpcGetEventHandle(abi::IpcHandle* handle, abi::Handle event);
Error cudaIpcOpenEventHandle(abi::Handle* event, abi::IpcHandle handle);
Error cudaDeviceGetP2PAttribute(int* value, int attribute, int from, int to);
Error cudaDeviceGetHostAtomicCapabilities(unsigned* capabilities, const int* operations,
                                          unsigned count, int device);
Error cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* elements,
                                           const abi::ChannelFormatDesc* format, int device);
Error cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope);
Error cudaFuncSetCacheConfig(const void* kernel, int config);
Error cudaDeviceGetCacheConfig(int* config);
Error cudaDeviceSetCacheConfig(int config);
Error cudaStreamGetId(abi::Handle stream, unsigned long long* id);
Error cudaStreamGetDevice(abi::Handle stream, int* device);
Error cudaStreamBeginCapture(abi::Handle stream, int mode);
Error cudaStreamEndCapture(abi::Handle stream, abi::Handle* graph);
Error cudaStreamIsCapturing(abi::Handle stream, int* status);
Error cudaGraphCreate(abi::Handle* graph, unsigned flags);
Error cudaGraphDestroy(abi::Handle graph);
Error cudaGraphClone(abi::Handle* clone, abi::Handle graph);
Error cudaGraphGetNodes(abi::Handle graph, abi::Handle* nodes, std::size_t* count);
Error cudaGraphInstantiateWithFlags(abi::Handle* executable, abi::Handle graph,
                                    unsigned long long flags);
Error cudaGraphExecDestroy(abi::Handle executable);
Error cudaGraphLaunch(abi::Handle executable, abi::Handle stream);
Error cudaGraphUpload(abi::Handle executable, abi::Handle stream);
Error cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* kernel, int blocks,
                                                int threads);
Error cudaOccupancyMaxActiveClusters(int* clusters, const void* kernel,
                                     const abi::LaunchConfig* config);
Error cudaOccupancyMaxPotentialClusterSize(int* size, const void* kernel,
                                           const abi::LaunchConfig* config);
Error cudaLaunchHostFunc(abi::Handle stream, void (*function)(void*), void* data);
Error cudaEventCreateWithFlags(abi::Handle* event, unsigned flags);
Error cudaEventDestroy(abi::Handle event);
Error cudaEventRecord(abi::Handle event, abi::Handle stream);
Error cudaEventQuery(abi::Handle event);
Error cudaEventSynchronize(abi::Handle event);
Error cudaEventElapsedTime(float* milliseconds, abi::Handle start, abi::Handle end);
Error cudaLibraryLoadData(abi::Handle* library, const void* code, const int* options, void** values,
                          unsigned count, void*, void*, unsigned);
Error cudaLibraryLoadFromFile(abi::Handle* library, const char* file, const int* options,
                              void** values, unsigned count, void*, void*, unsigned);
Error cudaLibraryGetManaged(void** pointer, std::size_t* bytes, abi::Handle library,
                            const char* name);
Error cudaLibraryUnload(abi::Handle library);
Error cudaLibraryGetKernel(abi::Handle* kernel, abi::Handle library, const char* name);
Error cudaLibraryGetGlobal(void** pointer, std::size_t* bytes, abi::Handle library,
                           const char* name);
Error cudaLibraryGetKernelCount(unsigned* count, abi::Handle library);
Error cudaLibraryEnumerateKernels(abi::Handle* kernels, unsigned count, abi::Handle library);
Error cudaLaunchKernelExC(const abi::LaunchConfig* config, const void* kernel, void** arguments);
Error cudaLaunchCooperativeKernel(const void* kernel, abi::Dim3 grid, abi::Dim3 block,
                                  void** arguments, std::size_t shared_bytes, abi::Handle stream);
Error cudaFuncGetAttributes(abi::FuncAttributes* attributes, const void* kernel);
Error cudaFuncSetAttribute(const void* kernel, abi::FunctionAttribute attribute, int value);
Error cudaFuncGetName(const char** name, const void* kernel);
Error cudaFuncGetParamInfo(const void* kernel, std::size_t index, std::size_t* offset,
                           std::size_t* size);
Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel,
                                                             int threads, std::size_t shared_bytes,
                                                             unsigned flags);
}

}  // namespace heddle::runtime
