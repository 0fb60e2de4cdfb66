// Graphs: building, capturing, launching.
#include "gpu/runtime/graph.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/runtime/cudart/copies.hpp"
#include "gpu/runtime/cudart/graphs.hpp"

namespace heddle::runtime {

namespace {

using Handles = abi::Handle*;

struct KernelNodeParams {
  void* func;
  abi::Dim3 gridDim, blockDim;
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

using Run = std::function<Error(Context&, Stream&)>;

// `make(context, run)` says what the node does.
template <typename Make>
Error add(abi::Handle* node, abi::Handle handle, const abi::Handle* after, std::size_t count,
          NodeType type, Make make) {
  return on_device([&](Context& context) {
    const auto graph = find_graph(handle);
    if (node == nullptr || !graph || (after == nullptr && count != 0)) return Error::invalid_value;
    std::vector<const GraphNode*> before;
    for (std::size_t i = 0; i < count; ++i) {
      if (!graph->contains(after[i])) return Error::invalid_value;
      before.push_back(static_cast<const GraphNode*>(after[i]));
    }
    Run run;
    const Error error = make(context, run);
    if (error == Error::success) *node = graph->add(type, std::move(run), std::move(before));
    return error;
  });
}

Error describe_kernel(Context& context, const KernelNodeParams* kernel, Run& run) {
  if (kernel == nullptr) return Error::invalid_value;
  if (kernel->extra != nullptr) return not_supported("a kernel node with packed parameters");
  Function* function = nullptr;
  const Error error = Runtime::instance().function(kernel->func, context, function);
  if (error != Error::success) return error;
  if (kernel->kernelParams == nullptr && !function->kernel.parameters.empty())
    return Error::invalid_value;
  const auto dim = [](const abi::Dim3& d) { return simulator::Dim3{d.x, d.y, d.z}; };
  const LaunchShape shape{
      dim(kernel->gridDim), dim(kernel->blockDim), {1, 1, 1}, kernel->sharedMemBytes, false};
  run = launch_later(*function, shape, kernel->kernelParams);
  return Error::success;
}

// Elements of more than a byte are copied from rows made here.
Error describe_fill(const MemsetParams* fill, Run& run) {
  if (fill == nullptr) return Error::invalid_value;
  const std::size_t bytes = fill->elementSize;
  if (bytes != 1 && bytes != 2 && bytes != 4) return Error::invalid_value;
  auto rows = std::make_shared<std::vector<std::byte>>(fill->width * fill->height * bytes);
  for (std::size_t at = 0; at < rows->size(); at += bytes)
    std::memcpy(rows->data() + at, &fill->value, bytes);
  const Box box{fill->width * bytes, fill->height};
  const Placed to{address_of(fill->dst), std::max(fill->pitch, box.width)};
  run = [rows, box, to](Context& context, Stream& stream) {
    const Placed from{address_of(rows->data()), box.width};
    return context.copy({to, from, box, abi::MemcpyKind::by_address}, stream, false);
  };
  return Error::success;
}

Error describe_copy(void* to, const void* from, std::size_t bytes, abi::MemcpyKind kind, Run& run) {
  const CopyRequest request{{address_of(to)}, {address_of(from)}, {bytes}, kind};
  run = [request](Context& context, Stream& stream) {
    return context.copy(request, stream, false);
  };
  return Error::success;
}

Error describe_host(const HostNodeParams* host, Run& run) {
  if (host == nullptr || host->fn == nullptr) return Error::invalid_value;
  run = [host = *host](Context& context, Stream& stream) {
    context.call_host(stream, [host](Error error) {
      if (error == Error::success) host.fn(host.userData);
    });
    return Error::success;
  };
  return Error::success;
}

// What a node of an executable graph does from now on.
template <typename Make>
Error set(abi::Handle handle, abi::Handle node, NodeType type, Make make) {
  return on_device([&](Context& context) {
    const auto executable = find_executable(handle);
    if (!executable) return Error::invalid_value;
    for (auto& [origin, made] : executable->nodes)
      if (origin == node && made.type == type) return make(context, made.run);
    return Error::invalid_value;
  });
}

Error launch(const ExecutableGraph& graph, Context& context, Stream& stream) {
  for (const auto& [origin, node] : graph.nodes) {
    if (!node.run) continue;
    const Error error = node.run(context, stream);
    if (error != Error::success) return error;
  }
  return Error::success;
}

Error instantiate(abi::Handle* executable, abi::Handle handle) {
  return api([&] {
    const auto graph = find_graph(handle);
    if (executable == nullptr || !graph) return Error::invalid_value;
    auto made = make_ready(*graph);
    if (!made) return Error::invalid_value;
    std::lock_guard lock(all_graphs().mutex);
    *executable = made.get();
    all_graphs().executables[made.get()] = std::move(made);
    return Error::success;
  });
}

Error list(abi::Handle handle, Handles nodes, std::size_t* count, bool only_roots) {
  return api([&] {
    const auto graph = find_graph(handle);
    if (!graph || count == nullptr) return Error::invalid_value;
    std::vector<abi::Handle> found;
    for (const auto& node : graph->nodes())
      if (!only_roots || node->after.empty()) found.push_back(node.get());
    if (nodes != nullptr) std::copy_n(found.begin(), std::min(found.size(), *count), nodes);
    *count = nodes != nullptr ? std::min(found.size(), *count) : found.size();
    return Error::success;
  });
}

}  // namespace

HEDDLE_API Error cudaGraphCreate(abi::Handle* graph, unsigned flags) {
  return api([&] {
    if (graph == nullptr || flags != 0) return Error::invalid_value;
    *graph = keep(std::make_shared<Graph>());
    return Error::success;
  });
}

HEDDLE_API Error cudaGraphDestroy(abi::Handle graph) {
  return api([&] {
    std::lock_guard lock(all_graphs().mutex);
    return all_graphs().graphs.erase(graph) != 0 ? Error::success : Error::invalid_value;
  });
}

HEDDLE_API Error cudaGraphAddKernelNode(abi::Handle* node, abi::Handle graph,
                                        const abi::Handle* after, std::size_t count,
                                        const KernelNodeParams* kernel) {
  return add(node, graph, after, count, NodeType::kernel,
             [&](Context& context, Run& run) { return describe_kernel(context, kernel, run); });
}

HEDDLE_API Error cudaGraphAddMemcpyNode1D(abi::Handle* node, abi::Handle graph,
                                          const abi::Handle* after, std::size_t count, void* to,
                                          const void* from, std::size_t bytes,
                                          abi::MemcpyKind kind) {
  return add(node, graph, after, count, NodeType::copy,
             [&](Context&, Run& run) { return describe_copy(to, from, bytes, kind, run); });
}

HEDDLE_API Error cudaGraphAddMemcpyNode(abi::Handle* node, abi::Handle graph,
                                        const abi::Handle* after, std::size_t count,
                                        const abi::Memcpy3DParms* parameters) {
  return add(node, graph, after, count, NodeType::copy, [&](Context& here, Run& run) {
    CopyRequest request;
    const Error error = describe_copy_3d(here, parameters, request);
    run = [request](Context& context, Stream& stream) {
      return context.copy(request, stream, false);
    };
    return error;
  });
}

HEDDLE_API Error cudaGraphAddMemsetNode(abi::Handle* node, abi::Handle graph,
                                        const abi::Handle* after, std::size_t count,
                                        const MemsetParams* fill) {
  return add(node, graph, after, count, NodeType::fill,
             [&](Context&, Run& run) { return describe_fill(fill, run); });
}

HEDDLE_API Error cudaGraphAddHostNode(abi::Handle* node, abi::Handle graph,
                                      const abi::Handle* after, std::size_t count,
                                      const HostNodeParams* host) {
  return add(node, graph, after, count, NodeType::host,
             [&](Context&, Run& run) { return describe_host(host, run); });
}

HEDDLE_API Error cudaGraphAddEmptyNode(abi::Handle* node, abi::Handle graph,
                                       const abi::Handle* after, std::size_t count) {
  return add(node, graph, after, count, NodeType::empty,
             [](Context&, Run&) { return Error::success; });
}

HEDDLE_API Error cudaGraphAddChildGraphNode(abi::Handle* node, abi::Handle graph,
                                            const abi::Handle* after, std::size_t count,
                                            abi::Handle child) {
  return add(node, graph, after, count, NodeType::graph, [&](Context&, Run& run) {
    const auto inner = find_graph(child);
    if (!inner || child == graph) return Error::invalid_value;
    const auto copy = make_ready(*inner);
    if (!copy) return Error::invalid_value;
    run = [copy](Context& context, Stream& stream) { return launch(*copy, context, stream); };
    return Error::success;
  });
}

HEDDLE_API Error cudaGraphAddDependencies(abi::Handle handle, const abi::Handle* from,
                                          const abi::Handle* to, const void*, std::size_t count) {
  return api([&] {
    const auto graph = find_graph(handle);
    if (!graph) return Error::invalid_value;
    for (std::size_t i = 0; i < count; ++i) {
      if (!graph->contains(from[i]) || !graph->contains(to[i])) return Error::invalid_value;
      static_cast<GraphNode*>(to[i])->after.push_back(static_cast<const GraphNode*>(from[i]));
    }
    return Error::success;
  });
}

HEDDLE_API Error cudaGraphGetNodes(abi::Handle graph, Handles nodes, std::size_t* count) {
  return list(graph, nodes, count, false);
}

HEDDLE_API Error cudaGraphGetRootNodes(abi::Handle graph, Handles nodes, std::size_t* count) {
  return list(graph, nodes, count, true);
}

HEDDLE_API Error cudaGraphInstantiate(abi::Handle* executable, abi::Handle graph,
                                      unsigned long long) {
  return instantiate(executable, graph);
}

HEDDLE_API Error cudaGraphInstantiateWithFlags(abi::Handle* executable, abi::Handle graph,
                                               unsigned long long) {
  return instantiate(executable, graph);
}

HEDDLE_API Error cudaGraphExecDestroy(abi::Handle executable) {
  return api([&] {
    std::lock_guard lock(all_graphs().mutex);
    return all_graphs().executables.erase(executable) != 0 ? Error::success : Error::invalid_value;
  });
}

HEDDLE_API Error cudaGraphExecKernelNodeSetParams(abi::Handle executable, abi::Handle node,
                                                  const KernelNodeParams* kernel) {
  return set(executable, node, NodeType::kernel,
             [&](Context& context, Run& run) { return describe_kernel(context, kernel, run); });
}

HEDDLE_API Error cudaGraphExecMemcpyNodeSetParams1D(abi::Handle executable, abi::Handle node,
                                                    void* to, const void* from, std::size_t bytes,
                                                    abi::MemcpyKind kind) {
  return set(executable, node, NodeType::copy,
             [&](Context&, Run& run) { return describe_copy(to, from, bytes, kind, run); });
}

HEDDLE_API Error cudaGraphExecMemsetNodeSetParams(abi::Handle executable, abi::Handle node,
                                                  const MemsetParams* fill) {
  return set(executable, node, NodeType::fill,
             [&](Context&, Run& run) { return describe_fill(fill, run); });
}

HEDDLE_API Error cudaGraphExecHostNodeSetParams(abi::Handle executable, abi::Handle node,
                                                const HostNodeParams* host) {
  return set(executable, node, NodeType::host,
             [&](Context&, Run& run) { return describe_host(host, run); });
}

HEDDLE_STREAM_API(cudaGraphLaunch, _ptsz, (abi::Handle handle, abi::Handle stream),
                  (handle, stream)) {
  return on_stream(stream, kStreamZero, [&](Context& context, Stream& in) {
    const auto executable = find_executable(handle);
    return executable ? launch(*executable, context, in) : Error::invalid_value;
  });
}

HEDDLE_STREAM_API(cudaGraphUpload, _ptsz, (abi::Handle handle, abi::Handle stream),
                  (handle, stream)) {
  return on_stream(stream, kStreamZero, [&](Context&, Stream&) {
    return find_executable(handle) ? Error::success : Error::invalid_value;
  });
}

HEDDLE_STREAM_API(cudaStreamEndCapture, _ptsz, (abi::Handle stream, abi::Handle* graph),
                  (stream, graph)) {
  return on_stream(stream, kStreamZero, [&](Context& context, Stream& in) {
    if (graph == nullptr || !in.capture) return Error::invalid_value;
    const std::shared_ptr<Graph> captured = in.capture;
    context.end_capture(captured);
    *graph = nullptr;
    if (captured->invalidated) return Error::stream_capture_invalidated;
    *graph = keep(captured);
    return Error::success;
  });
}

}  // namespace heddle::runtime
