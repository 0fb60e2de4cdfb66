// What is asked of graphs and done with them as a whole; the program's own objects in them.
#include "gpu/runtime/driver/api.hpp"
#include "gpu/runtime/graph_api.hpp"

namespace heddle::runtime::driver {

using Handle = abi::Handle;

// A function that is the runtime interface's in all but its name.
#define HEDDLE_SAME(name, parameters, call)  \
  HEDDLE_DRIVER_API Result name parameters { \
    return forward([&] { return call; });    \
  }

HEDDLE_SAME(cuGraphNodeFindInClone, (Handle * node, Handle original, Handle clone),
            cudaGraphNodeFindInClone(node, original, clone))
HEDDLE_SAME(cuGraphNodeGetType, (Handle node, int* type), cudaGraphNodeGetType(node, type))
HEDDLE_SAME(cuGraphNodeGetDependencies_v2,
            (Handle node, Handle* nodes, void* edges, std::size_t* count),
            cudaGraphNodeGetDependencies(node, nodes, edges, count))
HEDDLE_SAME(cuGraphNodeGetDependencies, (Handle node, Handle* nodes, std::size_t* count),
            cudaGraphNodeGetDependencies(node, nodes, nullptr, count))
HEDDLE_SAME(cuGraphNodeGetDependentNodes_v2,
            (Handle node, Handle* nodes, void* edges, std::size_t* count),
            cudaGraphNodeGetDependentNodes(node, nodes, edges, count))
HEDDLE_SAME(cuGraphNodeGetDependentNodes, (Handle node, Handle* nodes, std::size_t* count),
            cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count))
HEDDLE_SAME(cuGraphGetRootNodes, (Handle graph, Handle* nodes, std::size_t* count),
            cudaGraphGetRootNodes(graph, nodes, count))
HEDDLE_SAME(cuGraphGetEdges_v2,
            (Handle graph, Handle* from, Handle* to, void* edges, std::size_t* count),
            cudaGraphGetEdges(graph, from, to, edges, count))
HEDDLE_SAME(cuGraphGetEdges, (Handle graph, Handle* from, Handle* to, std::size_t* count),
            cudaGraphGetEdges(graph, from, to, nullptr, count))
HEDDLE_SAME(cuGraphAddDependencies_v2,
            (Handle graph, const Handle* from, const Handle* to, const void* edges,
             std::size_t count),
            cudaGraphAddDependencies(graph, from, to, edges, count))
HEDDLE_SAME(cuGraphAddDependencies,
            (Handle graph, const Handle* from, const Handle* to, std::size_t count),
            cudaGraphAddDependencies(graph, from, to, nullptr, count))
HEDDLE_SAME(cuGraphRemoveDependencies_v2,
            (Handle graph, const Handle* from, const Handle* to, const void* edges,
             std::size_t count),
            cudaGraphRemoveDependencies(graph, from, to, edges, count))
HEDDLE_SAME(cuGraphRemoveDependencies,
            (Handle graph, const Handle* from, const Handle* to, std::size_t count),
            cudaGraphRemoveDependencies(graph, from, to, nullptr, count))
HEDDLE_SAME(cuGraphDestroyNode, (Handle node), cudaGraphDestroyNode(node))
HEDDLE_SAME(cuGraphExecUpdate_v2, (Handle executable, Handle graph, GraphUpdateResult* result),
            cudaGraphExecUpdate(executable, graph, result))
HEDDLE_SAME(cuGraphExecGetFlags, (Handle executable, unsigned long long* flags),
            cudaGraphExecGetFlags(executable, flags))
HEDDLE_SAME(cuGraphInstantiateWithParams,
            (Handle * executable, Handle graph, GraphInstantiateParams* how),
            cudaGraphInstantiateWithParams(executable, graph, how))
HEDDLE_SAME(cuGraphInstantiateWithParams_ptsz,
            (Handle * executable, Handle graph, GraphInstantiateParams* how),
            cudaGraphInstantiateWithParams(executable, graph, how))
HEDDLE_SAME(cuGraphNodeGetEnabled, (Handle executable, Handle node, unsigned* enabled),
            cudaGraphNodeGetEnabled(executable, node, enabled))
HEDDLE_SAME(cuGraphNodeSetEnabled, (Handle executable, Handle node, unsigned enabled),
            cudaGraphNodeSetEnabled(executable, node, enabled))
HEDDLE_SAME(cuGraphKernelNodeGetAttribute, (Handle node, int attribute, void* value),
            cudaGraphKernelNodeGetAttribute(node, attribute, value))
HEDDLE_SAME(cuGraphKernelNodeSetAttribute, (Handle node, int attribute, const void* value),
            cudaGraphKernelNodeSetAttribute(node, attribute, value))
HEDDLE_SAME(cuGraphKernelNodeCopyAttributes, (Handle to, Handle from),
            cudaGraphKernelNodeCopyAttributes(to, from))
HEDDLE_SAME(cuGraphDebugDotPrint, (Handle graph, const char* path, unsigned flags),
            cudaGraphDebugDotPrint(graph, path, flags))
HEDDLE_SAME(cuUserObjectCreate,
            (Handle * object, void* what, void (*destroy)(void*), unsigned references,
             unsigned flags),
            cudaUserObjectCreate(object, what, destroy, references, flags))
HEDDLE_SAME(cuUserObjectRetain, (Handle object, unsigned count),
            cudaUserObjectRetain(object, count))
HEDDLE_SAME(cuUserObjectRelease, (Handle object, unsigned count),
            cudaUserObjectRelease(object, count))
HEDDLE_SAME(cuGraphRetainUserObject, (Handle graph, Handle object, unsigned count, unsigned flags),
            cudaGraphRetainUserObject(graph, object, count, flags))
HEDDLE_SAME(cuGraphReleaseUserObject, (Handle graph, Handle object, unsigned count),
            cudaGraphReleaseUserObject(graph, object, count))
HEDDLE_SAME(cuDeviceGetGraphMemAttribute, (int device, int attribute, void* value),
            cudaDeviceGetGraphMemAttribute(device, attribute, value))
HEDDLE_SAME(cuDeviceSetGraphMemAttribute, (int device, int attribute, void* value),
            cudaDeviceSetGraphMemAttribute(device, attribute, value))
HEDDLE_SAME(cuDeviceGraphMemTrim, (int device), cudaDeviceGraphMemTrim(device))

// Memory pools.
HEDDLE_SAME(cuDeviceGetDefaultMemPool, (Handle * pool, int device),
            cudaDeviceGetDefaultMemPool(pool, device))
HEDDLE_SAME(cuDeviceGetMemPool, (Handle * pool, int device), cudaDeviceGetMemPool(pool, device))
HEDDLE_SAME(cuDeviceSetMemPool, (int device, Handle pool), cudaDeviceSetMemPool(device, pool))
HEDDLE_SAME(cuMemGetDefaultMemPool, (Handle * pool, abi::MemLocation* location, int type),
            cudaMemGetDefaultMemPool(pool, location, type))
HEDDLE_SAME(cuMemGetMemPool, (Handle * pool, abi::MemLocation* location, int type),
            cudaMemGetMemPool(pool, location, type))
HEDDLE_SAME(cuMemSetMemPool, (abi::MemLocation * location, int type, Handle pool),
            cudaMemSetMemPool(location, type, pool))
HEDDLE_SAME(cuMemPoolCreate, (Handle * pool, const abi::MemPoolProps* properties),
            cudaMemPoolCreate(pool, properties))
HEDDLE_SAME(cuMemPoolDestroy, (Handle pool), cudaMemPoolDestroy(pool))
HEDDLE_SAME(cuMemPoolTrimTo, (Handle pool, std::size_t keep), cudaMemPoolTrimTo(pool, keep))
HEDDLE_SAME(cuMemPoolGetAttribute, (Handle pool, int attribute, void* value),
            cudaMemPoolGetAttribute(pool, attribute, value))
HEDDLE_SAME(cuMemPoolSetAttribute, (Handle pool, int attribute, void* value),
            cudaMemPoolSetAttribute(pool, attribute, value))
HEDDLE_SAME(cuMemPoolGetAccess, (int* flags, Handle pool, abi::MemLocation* location),
            cudaMemPoolGetAccess(flags, pool, location))
HEDDLE_SAME(cuMemPoolSetAccess,
            (Handle pool, const abi::MemAccessDesc* accesses, std::size_t count),
            cudaMemPoolSetAccess(pool, accesses, count))
HEDDLE_SAME(cuMemPoolExportToShareableHandle,
            (void* handle, Handle pool, int type, unsigned long long flags),
            cudaMemPoolExportToShareableHandle(handle, pool, type, static_cast<unsigned>(flags)))
HEDDLE_SAME(cuMemPoolImportFromShareableHandle,
            (Handle * pool, void* handle, int type, unsigned long long flags),
            cudaMemPoolImportFromShareableHandle(pool, handle, type, static_cast<unsigned>(flags)))
HEDDLE_SAME(cuMemPoolExportPointer, (abi::IpcHandle * data, DevicePointer address),
            cudaMemPoolExportPointer(data, at(address)))
HEDDLE_SAME(cuMemPoolImportPointer,
            (DevicePointer * address, Handle pool, const abi::IpcHandle* data),
            cudaMemPoolImportPointer(reinterpret_cast<void**>(address), pool, data))
#undef HEDDLE_SAME

HEDDLE_DRIVER_STREAM_API(cuMemAllocFromPoolAsync, _ptsz,
                         (DevicePointer * address, std::size_t bytes, Handle pool, Handle stream),
                         (address, bytes, pool, stream)) {
  return forward([&] {
    return cudaMallocFromPoolAsync(reinterpret_cast<void**>(address), bytes, pool,
                                   in_stream<kPerThread>(stream));
  });
}

}  // namespace heddle::runtime::driver
