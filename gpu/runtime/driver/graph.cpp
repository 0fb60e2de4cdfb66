// Graphs: the runtime interface's, in the driver's layouts.
#include "gpu/runtime/driver/boxes.hpp"
#include "gpu/runtime/driver/parameters.hpp"
#include "gpu/runtime/graph_api.hpp"

namespace heddle::runtime::driver {
namespace {

// As CUDA_KERNEL_NODE_PARAMS lays it out.
struct KernelParams {
  abi::KernelNodeParams same;
  abi::Handle kernel;  // where there is no function
  void* context;
};

// As CUgraphNodeParams lays it out.
struct NodeParams {
  int type;
  int reserved[3];
  union {
    long long all[29];
    KernelParams kernel;
    struct {
      int flags, reserved;
      void* context;
      Copy3D copy;
    } copy;
    abi::MemsetParams fill;
    abi::HostNodeParams host;
    abi::ChildGraphNodeParams graph;
    abi::Handle event;
    abi::MemAllocNodeParams alloc;
    void* freed;
    abi::ConditionalNodeParams conditional;
  };
  long long reserved2;
};
static_assert(sizeof(NodeParams) == sizeof(abi::GraphNodeParams));

constexpr int kKernel = 0, kCopy = 1, kFill = 2, kHost = 3, kChild = 4, kEmpty = 5, kWait = 6,
              kRecord = 7, kAllocate = 10, kFree = 11;

abi::GraphNodeParams of_type(int type) {
  abi::GraphNodeParams params{};
  params.type = type;
  return params;
}

// A kernel's parameters, of which the runtime interface knows no packed ones.
class Kernel {
 public:
  explicit Kernel(const KernelParams& given)
      : packed_(given.same.func != nullptr ? given.same.func : given.kernel,
                given.same.kernelParams, given.same.extra) {
    params_ = of_type(kKernel);
    params_.kernel = given.same;
    if (params_.kernel.func == nullptr) params_.kernel.func = given.kernel;
    params_.kernel.kernelParams = packed_.pointers();
    params_.kernel.extra = nullptr;
  }
  bool fits() const { return packed_.fit(); }
  abi::GraphNodeParams* params() { return &params_; }

 private:
  Parameters packed_;
  abi::GraphNodeParams params_;
};

// Calls `body` with parameters as the runtime interface has them.
template <typename Body>
Error with_kernel(const KernelParams* given, Body body) {
  if (given == nullptr) return Error::invalid_value;
  Kernel kernel(*given);
  return kernel.fits() ? body(kernel.params()) : Error::invalid_value;
}
template <typename Body>
Error with_copy(const Copy3D* given, Body body) {
  if (given == nullptr) return Error::invalid_value;
  abi::GraphNodeParams params = of_type(kCopy);
  const Error error = to_runtime(*given, params.copy.copyParams);
  return error == Error::success ? body(&params) : error;
}
template <typename Given, typename Body>
Error with(int type, Given abi::GraphNodeParams::*at, const Given* given, Body body) {
  if (given == nullptr) return Error::invalid_value;
  abi::GraphNodeParams params = of_type(type);
  params.*at = *given;
  return body(&params);
}
template <typename Body>
Error with_any(NodeParams* given, Body body) {
  if (given == nullptr) return Error::invalid_value;
  if (given->type == kKernel) return with_kernel(&given->kernel, body);
  if (given->type == kCopy) return with_copy(&given->copy.copy, body);
  return body(reinterpret_cast<abi::GraphNodeParams*>(given));  // the others are laid out alike
}

// Where a node is added.
struct Place {
  abi::Handle* node;
  abi::Handle graph;
  const abi::Handle* after;
  std::size_t count;
  Error operator()(abi::GraphNodeParams* params) const {
    return cudaGraphAddNode(node, graph, after, nullptr, count, params);
  }
};
struct InNode {
  abi::Handle node;
  Error operator()(abi::GraphNodeParams* params) const {
    return cudaGraphNodeSetParams(node, params);
  }
};
struct InReadyNode {
  abi::Handle executable, node;
  Error operator()(abi::GraphNodeParams* params) const {
    return cudaGraphExecNodeSetParams(executable, node, params);
  }
};

using Handle = abi::Handle;
constexpr auto kFillParams = &abi::GraphNodeParams::memset;
constexpr auto kHostParams = &abi::GraphNodeParams::host;
constexpr auto kEvent = &abi::GraphNodeParams::event;

}  // namespace

HEDDLE_DRIVER_API Result cuGraphAddNode_v2(Handle* node, Handle graph, const Handle* after,
                                           const void*, std::size_t count, NodeParams* params) {
  return forward([&] { return with_any(params, Place{node, graph, after, count}); });
}
HEDDLE_DRIVER_API Result cuGraphAddNode(Handle* node, Handle graph, const Handle* after,
                                        std::size_t count, NodeParams* params) {
  return cuGraphAddNode_v2(node, graph, after, nullptr, count, params);
}
HEDDLE_DRIVER_API Result cuGraphNodeSetParams(Handle node, NodeParams* params) {
  return forward([&] { return with_any(params, InNode{node}); });
}
HEDDLE_DRIVER_API Result cuGraphExecNodeSetParams(Handle executable, Handle node,
                                                  NodeParams* params) {
  return forward([&] { return with_any(params, InReadyNode{executable, node}); });
}

HEDDLE_DRIVER_API Result cuGraphAddKernelNode_v2(Handle* node, Handle graph, const Handle* after,
                                                 std::size_t count, const KernelParams* params) {
  return forward([&] { return with_kernel(params, Place{node, graph, after, count}); });
}
HEDDLE_DRIVER_API Result cuGraphKernelNodeGetParams_v2(Handle node, KernelParams* params) {
  if (params == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  params->kernel = params->context = nullptr;
  return forward([&] { return cudaGraphKernelNodeGetParams(node, &params->same); });
}
HEDDLE_DRIVER_API Result cuGraphKernelNodeSetParams_v2(Handle node, const KernelParams* params) {
  return forward([&] { return with_kernel(params, InNode{node}); });
}
HEDDLE_DRIVER_API Result cuGraphExecKernelNodeSetParams_v2(Handle executable, Handle node,
                                                           const KernelParams* params) {
  return forward([&] { return with_kernel(params, InReadyNode{executable, node}); });
}

HEDDLE_DRIVER_API Result cuGraphAddMemcpyNode(Handle* node, Handle graph, const Handle* after,
                                              std::size_t count, const Copy3D* copy, void*) {
  return forward([&] { return with_copy(copy, Place{node, graph, after, count}); });
}
HEDDLE_DRIVER_API Result cuGraphMemcpyNodeGetParams(Handle node, Copy3D* copy) {
  if (copy == nullptr) return Result::CUDA_ERROR_INVALID_VALUE;
  return forward([&] {
    abi::Memcpy3DParms told;
    const Error error = cudaGraphMemcpyNodeGetParams(node, &told);
    if (error == Error::success) *copy = to_driver(told);
    return error;
  });
}
HEDDLE_DRIVER_API Result cuGraphMemcpyNodeSetParams(Handle node, const Copy3D* copy) {
  return forward([&] { return with_copy(copy, InNode{node}); });
}
HEDDLE_DRIVER_API Result cuGraphExecMemcpyNodeSetParams(Handle executable, Handle node,
                                                        const Copy3D* copy, void*) {
  return forward([&] { return with_copy(copy, InReadyNode{executable, node}); });
}

HEDDLE_DRIVER_API Result cuGraphAddMemsetNode(Handle* node, Handle graph, const Handle* after,
                                              std::size_t count, const abi::MemsetParams* fill,
                                              void*) {
  return forward([&] { return with(kFill, kFillParams, fill, Place{node, graph, after, count}); });
}
HEDDLE_DRIVER_API Result cuGraphMemsetNodeGetParams(Handle node, abi::MemsetParams* fill) {
  return forward([&] { return cudaGraphMemsetNodeGetParams(node, fill); });
}
HEDDLE_DRIVER_API Result cuGraphMemsetNodeSetParams(Handle node, const abi::MemsetParams* fill) {
  return forward([&] { return with(kFill, kFillParams, fill, InNode{node}); });
}
HEDDLE_DRIVER_API Result cuGraphExecMemsetNodeSetParams(Handle executable, Handle node,
                                                        const abi::MemsetParams* fill, void*) {
  return forward([&] { return with(kFill, kFillParams, fill, InReadyNode{executable, node}); });
}

HEDDLE_DRIVER_API Result cuGraphAddHostNode(Handle* node, Handle graph, const Handle* after,
                                            std::size_t count, const abi::HostNodeParams* host) {
  return forward([&] { return with(kHost, kHostParams, host, Place{node, graph, after, count}); });
}
HEDDLE_DRIVER_API Result cuGraphHostNodeGetParams(Handle node, abi::HostNodeParams* host) {
  return forward([&] { return cudaGraphHostNodeGetParams(node, host); });
}
HEDDLE_DRIVER_API Result cuGraphHostNodeSetParams(Handle node, const abi::HostNodeParams* host) {
  return forward([&] { return with(kHost, kHostParams, host, InNode{node}); });
}
HEDDLE_DRIVER_API Result cuGraphExecHostNodeSetParams(Handle executable, Handle node,
                                                      const abi::HostNodeParams* host) {
  return forward([&] { return with(kHost, kHostParams, host, InReadyNode{executable, node}); });
}

HEDDLE_DRIVER_API Result cuGraphAddEmptyNode(Handle* node, Handle graph, const Handle* after,
                                             std::size_t count) {
  abi::GraphNodeParams params = of_type(kEmpty);
  return forward([&] { return Place{node, graph, after, count}(&params); });
}
HEDDLE_DRIVER_API Result cuGraphAddChildGraphNode(Handle* node, Handle graph, const Handle* after,
                                                  std::size_t count, Handle child) {
  abi::GraphNodeParams params = of_type(kChild);
  params.graph.graph = child;
  return forward([&] { return Place{node, graph, after, count}(&params); });
}
HEDDLE_DRIVER_API Result cuGraphChildGraphNodeGetGraph(Handle node, Handle* graph) {
  return forward([&] { return cudaGraphChildGraphNodeGetGraph(node, graph); });
}
HEDDLE_DRIVER_API Result cuGraphExecChildGraphNodeSetParams(Handle executable, Handle node,
                                                            Handle child) {
  return forward([&] { return cudaGraphExecChildGraphNodeSetParams(executable, node, child); });
}

// Events: recorded, and waited for.
#define HEDDLE_EVENT_NODES(kind, type)                                                            \
  HEDDLE_DRIVER_API Result cuGraphAddEvent##kind##Node(                                           \
      Handle* node, Handle graph, const Handle* after, std::size_t count, Handle event) {         \
    return forward([&] { return with(type, kEvent, &event, Place{node, graph, after, count}); }); \
  }                                                                                               \
  HEDDLE_DRIVER_API Result cuGraphEvent##kind##NodeGetEvent(Handle node, Handle* event) {         \
    return forward([&] { return cudaGraphEvent##kind##NodeGetEvent(node, event); });              \
  }                                                                                               \
  HEDDLE_DRIVER_API Result cuGraphEvent##kind##NodeSetEvent(Handle node, Handle event) {          \
    return forward([&] { return with(type, kEvent, &event, InNode{node}); });                     \
  }                                                                                               \
  HEDDLE_DRIVER_API Result cuGraphExecEvent##kind##NodeSetEvent(Handle executable, Handle node,   \
                                                                Handle event) {                   \
    return forward([&] { return with(type, kEvent, &event, InReadyNode{executable, node}); });    \
  }
HEDDLE_EVENT_NODES(Record, kRecord)
HEDDLE_EVENT_NODES(Wait, kWait)
#undef HEDDLE_EVENT_NODES

HEDDLE_DRIVER_API Result cuGraphAddMemAllocNode(Handle* node, Handle graph, const Handle* after,
                                                std::size_t count,
                                                abi::MemAllocNodeParams* allocation) {
  return forward([&] {
    if (allocation == nullptr) return Error::invalid_value;
    abi::GraphNodeParams params = of_type(kAllocate);
    params.alloc = *allocation;
    const Error error = Place{node, graph, after, count}(&params);
    if (error == Error::success) allocation->dptr = params.alloc.dptr;
    return error;
  });
}
HEDDLE_DRIVER_API Result cuGraphMemAllocNodeGetParams(Handle node,
                                                      abi::MemAllocNodeParams* params) {
  return forward([&] { return cudaGraphMemAllocNodeGetParams(node, params); });
}
HEDDLE_DRIVER_API Result cuGraphAddMemFreeNode(Handle* node, Handle graph, const Handle* after,
                                               std::size_t count, DevicePointer address) {
  abi::GraphNodeParams params = of_type(kFree);
  params.freed = at(address);
  return forward([&] { return Place{node, graph, after, count}(&params); });
}
HEDDLE_DRIVER_API Result cuGraphMemFreeNodeGetParams(Handle node, DevicePointer* address) {
  return forward(
      [&] { return cudaGraphMemFreeNodeGetParams(node, reinterpret_cast<void**>(address)); });
}
HEDDLE_DRIVER_API Result cuGraphConditionalHandleCreate(std::uint64_t* handle, Handle graph,
                                                        const void* context, unsigned first,
                                                        unsigned flags) {
  if (handle != nullptr && graph != nullptr && context == nullptr)
    return Result::CUDA_ERROR_INVALID_CONTEXT;  // an H200 takes no current one in its place
  return forward([&] { return cudaGraphConditionalHandleCreate(handle, graph, first, flags); });
}

}  // namespace heddle::runtime::driver
