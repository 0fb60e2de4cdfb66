// What the driver front calls of libcudart.so.13: the runtime interface's functions, as programs
// do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/runtime/abi.hpp"
#include "gpu/runtime/error.hpp"

namespace heddle::runtime {

extern "C" {
Error cudaGetLastError();
Error cudaPeekAtLastError();
const char* cudaGetErrorString(Error error);
Error cudaGetDeviceProperties(abi::DeviceProp* properties, int device);
Error cudaDeviceGetAttribute(int* value, int attribute, int device);
Error cudaDeviceGetPCIBusId(char* text, int length, int device);
Error cudaDeviceGetByPCIBusId(int* device, const char* text);
Error cudaDeviceCanAccessPeer(int* can, int device, int peer);
Error cudaDeviceReset();
Error cudaDeviceSynchronize();
Error cudaDeviceSetLimit(int limit, std::size_t value);
Error cudaDeviceGetLimit(std::size_t* value, int limit);
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
Error cudaArrayGetInfo(abi::ChannelFormatDesc* format, abi::Extent* extent, unsigned* flags,
                       abi::Handle array);
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
Error cudaStreamAddCallback(abi::Handle stream, void (*callback)(abi::Handle, int, void*),
                            void* data, unsigned flags);
Error cudaStreamAttachMemAsync(abi::Handle stream, void* pointer, std::size_t bytes,
                               unsigned flags);
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
Error cudaLibraryLoadData(abi::Handle* library, const void* code, void*, void*, unsigned, void*,
                          void*, unsigned);
Error cudaLibraryLoadFromFile(abi::Handle* library, const char* file, void*, void*, unsigned, void*,
                              void*, unsigned);
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
Error cudaFuncSetAttribute(const void* kernel, int attribute, int value);
Error cudaFuncGetName(const char** name, const void* kernel);
Error cudaFuncGetParamInfo(const void* kernel, std::size_t index, std::size_t* offset,
                           std::size_t* size);
Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* kernel,
                                                             int threads, std::size_t shared_bytes,
                                                             unsigned flags);
}

}  // namespace heddle::runtime
