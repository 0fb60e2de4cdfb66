// The same of graphs and pools (runtime_api.hpp).
#pragma once

#include "gpu/runtime/runtime_api.hpp"

namespace heddle::runtime {

// As cudaGraphInstantiateParams lays it out.
struct GraphInstantiateParams {
  unsigned long long flags;
  abi::Handle uploadStream, errNode_out;
  int result_out;
};
// As cudaGraphExecUpdateResultInfo does.
struct GraphUpdateResult {
  int result;
  abi::Handle node, from;
};

extern "C" {
Error cudaGraphAddNode(abi::Handle* node, abi::Handle graph, const abi::Handle* after,
                       const void* edges, std::size_t count, abi::GraphNodeParams* params);
Error cudaGraphNodeSetParams(abi::Handle node, abi::GraphNodeParams* params);
Error cudaGraphExecNodeSetParams(abi::Handle executable, abi::Handle node,
                                 abi::GraphNodeParams* params);
Error cudaGraphKernelNodeGetParams(abi::Handle node, abi::KernelNodeParams* params);
Error cudaGraphMemcpyNodeGetParams(abi::Handle node, abi::Memcpy3DParms* params);
Error cudaGraphMemsetNodeGetParams(abi::Handle node, abi::MemsetParams* params);
Error cudaGraphHostNodeGetParams(abi::Handle node, abi::HostNodeParams* params);
Error cudaGraphMemAllocNodeGetParams(abi::Handle node, abi::MemAllocNodeParams* params);
Error cudaGraphMemFreeNodeGetParams(abi::Handle node, void** address);
Error cudaGraphChildGraphNodeGetGraph(abi::Handle node, abi::Handle* graph);
Error cudaGraphEventRecordNodeGetEvent(abi::Handle node, abi::Handle* event);
Error cudaGraphEventWaitNodeGetEvent(abi::Handle node, abi::Handle* event);
Error cudaGraphExecChildGraphNodeSetParams(abi::Handle executable, abi::Handle node,
                                           abi::Handle child);
Error cudaGraphExecUpdate(abi::Handle executable, abi::Handle graph, GraphUpdateResult* result);
Error cudaGraphInstantiateWithParams(abi::Handle* executable, abi::Handle graph,
                                     GraphInstantiateParams* how);
Error cudaGraphExecGetFlags(abi::Handle executable, unsigned long long* flags);
Error cudaGraphConditionalHandleCreate(std::uint64_t* handle, abi::Handle graph, unsigned first,
                                       unsigned flags);
Error cudaGraphNodeFindInClone(abi::Handle* node, abi::Handle original, abi::Handle clone);
Error cudaGraphNodeGetType(abi::Handle node, int* type);
Error cudaGraphNodeGetDependencies(abi::Handle node, abi::Handle* nodes, void* edges,
                                   std::size_t* count);
Error cudaGraphNodeGetDependentNodes(abi::Handle node, abi::Handle* nodes, void* edges,
                                     std::size_t* count);
Error cudaGraphGetRootNodes(abi::Handle graph, abi::Handle* nodes, std::size_t* count);
Error cudaGraphGetEdges(abi::Handle graph, abi::Handle* from, abi::Handle* to, void* edges,
                        std::size_t* count);
Error cudaGraphAddDependencies(abi::Handle graph, const abi::Handle* from, const abi::Handle* to,
                               const void* edges, std::size_t count);
Error cudaGraphRemoveDependencies(abi::Handle graph, const abi::Handle* from, const abi::Handle* to,
                                  const void* edges, std::size_t count);
Error cudaGraphDestroyNode(abi::Handle node);
Error cudaGraphNodeGetEnabled(abi::Handle executable, abi::Handle node, unsigned* enabled);
Error cudaGraphNodeSetEnabled(abi::Handle executable, abi::Handle node, unsigned enabled);
Error cudaGraphKernelNodeGetAttribute(abi::Handle node, int attribute, void* value);
Error cudaGraphKernelNodeSetAttribute(abi::Handle node, int attribute, const void* value);
Error cudaGraphKernelNodeCopyAttributes(abi::Handle to, abi::Handle from);
Error cudaGraphDebugDotPrint(abi::Handle graph, const char* path, unsigned flags);
Error cudaUserObjectCreate(abi::Handle* object, void* what, void (*destroy)(void*),
                           unsigned references, unsigned flags);
Error cudaUserObjectRetain(abi::Handle object, unsigned count);
Error cudaUserObjectRelease(abi::Handle object, unsigned count);
Error cudaGraphRetainUserObject(abi::Handle graph, abi::Handle object, unsigned count,
                                unsigned flags);
Error cudaGraphReleaseUserObject(abi::Handle graph, abi::Handle object, unsigned count);
Error cudaDeviceGetGraphMemAttribute(int device, int attribute, void* value);
Error cudaDeviceSetGraphMemAttribute(int device, int attribute, void* value);
Error cudaDeviceGraphMemTrim(int device);

Error cudaDeviceGetDefaultMemPool(abi::Handle* pool, int device);
Error cudaDeviceGetMemPool(abi::Handle* pool, int device);
Error cudaDeviceSetMemPool(int device, abi::Handle pool);
Error cudaMemGetDefaultMemPool(abi::Handle* pool, abi::MemLocation* location, int type);
Error cudaMemGetMemPool(abi::Handle* pool, abi::MemLocation* location, int type);
Error cudaMemSetMemPool(abi::MemLocation* location, int type, abi::Handle pool);
Error cudaMemPoolCreate(abi::Handle* pool, const abi::MemPoolProps* properties);
Error cudaMemPoolDestroy(abi::Handle pool);
Error cudaMemPoolTrimTo(abi::Handle pool, std::size_t keep);
Error cudaMemPoolGetAttribute(abi::Handle pool, int attribute, void* value);
Error cudaMemPoolSetAttribute(abi::Handle pool, int attribute, void* value);
Error cudaMemPoolGetAccess(int* flags, abi::Handle pool, abi::MemLocation* location);
Error cudaMemPoolSetAccess(abi::Handle pool, const abi::MemAccessDesc* accesses, std::size_t count);
Error cudaMemPoolExportToShareableHandle(void* handle, abi::Handle pool, int type, unsigned flags);
Error cudaMemPoolImportFromShareableHandle(abi::Handle* pool, void* handle, int type,
                                           unsigned flags);
Error cudaMemPoolExportPointer(abi::IpcHandle* data, void* pointer);
Error cudaMemPoolImportPointer(void** pointer, abi::Handle pool, const abi::IpcHandle* data);
Error cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, abi::Handle pool,
                              abi::Handle stream);
}

}  // namespace heddle::runtime
