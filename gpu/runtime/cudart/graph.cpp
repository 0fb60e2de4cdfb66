// Graphs: building, capturing, launching.
#include "gpu/runtime/graph.hpp"

#include <algorithm>
#include <cstring>

#include "gpu/runtime/cudart/copies.hpp"
#include "gpu/runtime/cudart/graph_calls.hpp"

namespace heddle::runtime {

namespace {

using Handles = abi::Handle*;

}  // namespace

// Adds a node behind others.
Error add_node(abi::Handle* node, abi::Handle handle, const abi::Handle* after, std::size_t count,
               const abi::GraphNodeParams& params) {
  return on_device([&](Context& context) {
    const auto graph = find_graph(handle);
    if (node == nullptr || !graph || (after == nullptr && count != 0)) return Error::invalid_value;
    std::vector<const GraphNode*> before;
    for (std::size_t i = 0; i < count; ++i) {
      const auto* const each = static_cast<const GraphNode*>(after[i]);
      if (!graph->contains(each) || std::ranges::find(before, each) != before.end())
        return Error::invalid_value;
      before.push_back(each);
    }
    if (params.type == static_cast<int>(NodeType::graph) && params.graph.graph == handle)
      return Error::invalid_value;
    GraphNode made;
    const Error error = describe_node(context, params, made);
    if (error != Error::success) return error;
    GraphNode* const added = graph->add(made.type, std::move(made.run), std::move(before));
    added->description = std::move(made.description);
    *node = added;
    return Error::success;
  });
}

static Error assign(const Condition& condition, Context& context, Stream& stream) {
  const CopyRequest request{{condition.address},
                            {address_of(&condition.first)},
                            {sizeof condition.first},
                            abi::MemcpyKind::by_address};
  return context.copy(request, stream, false);
}

Error launch(ExecutableGraph& graph, Context& context, Stream& stream) {
  // What the last launch has allocated and nobody has freed: CUDA refuses, or frees it when asked
  // to.
  for (const std::uint64_t address : graph.allocated)
    if (context.graph_memory().in_use(address)) {
      if ((graph.flags & 1) == 0) return Error::invalid_value;
      context.graph_memory().give(address);
    }
  for (const Condition& condition : graph.conditions) {
    if (!condition.assign) continue;
    const Error error = assign(condition, context, stream);
    if (error != Error::success) return error;
  }
  const bool has_memory = !graph.allocated.empty();
  const auto pieces =
      has_memory ? context.reserve_for_graph(graph.allocated_bytes, stream) : GraphMemory::Pieces{};
  Error error = Error::success;
  for (const auto& [origin, node] : graph.nodes) {
    if (!node.run || graph.disabled.contains(origin)) continue;
    error = node.run(context, stream);
    if (error != Error::success) break;
  }
  if (has_memory) context.graph_memory().launched(pieces, stream.last, graph.allocated);
  return error;
}

bool allocates(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(),
                             [](const auto& node) { return node->type == NodeType::allocate; });
}

namespace {

constexpr unsigned long long kFreeOnLaunch = 1, kUpload = 2, kPriorities = 8;

// A graph that allocates has one executable graph at a time. No graph is launched by device code.
Error instantiate(abi::Handle* executable, abi::Handle handle, unsigned long long flags,
                  unsigned long long allowed) {
  return api([&] {
    const auto graph = find_graph(handle);
    if (executable == nullptr || !graph || (flags & ~allowed) != 0) return Error::invalid_value;
    if (allocates(*graph) && !graph->executable.expired()) return Error::not_supported;
    auto made = make_ready(*graph);
    if (!made) return Error::invalid_value;
    made->flags = flags;
    graph->executable = made;
    made->keeps = graph->keeps;
    made->allocated_bytes = graph->memory_bytes;
    for (const auto& [origin, node] : made->nodes)
      if (node.type == NodeType::allocate && node.description)
        made->allocated.push_back(
            reinterpret_cast<std::uint64_t>(node.description->params.alloc.dptr));
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
  return api([&] { return forget_graph(graph) ? Error::success : Error::invalid_value; });
}

HEDDLE_API Error cudaGraphAddNode(abi::Handle* node, abi::Handle graph, const abi::Handle* after,
                                  const void*, std::size_t count, abi::GraphNodeParams* params) {
  if (params == nullptr) return api([] { return Error::invalid_value; });
  if (params->type == static_cast<int>(NodeType::allocate))
    return cudaGraphAddMemAllocNode(node, graph, after, count, &params->alloc);
  if (params->type == static_cast<int>(NodeType::free))
    return cudaGraphAddMemFreeNode(node, graph, after, count, params->freed);
  const Error error = add_node(node, graph, after, count, *params);
  if (error == Error::success && params->type == static_cast<int>(NodeType::conditional))
    params->conditional.phGraph_out =
        static_cast<const GraphNode*>(*node)->description->params.conditional.phGraph_out;
  return error;
}

HEDDLE_API Error cudaGraphAddKernelNode(abi::Handle* node, abi::Handle graph,
                                        const abi::Handle* after, std::size_t count,
                                        const abi::KernelNodeParams* kernel) {
  if (kernel == nullptr) return api([] { return Error::invalid_value; });
  abi::GraphNodeParams params = of_type(NodeType::kernel);
  params.kernel = *kernel;
  return add_node(node, graph, after, count, params);
}

HEDDLE_API Error cudaGraphAddMemcpyNode(abi::Handle* node, abi::Handle graph,
                                        const abi::Handle* after, std::size_t count,
                                        const abi::Memcpy3DParms* copy) {
  if (copy == nullptr) return api([] { return Error::invalid_value; });
  abi::GraphNodeParams params = of_type(NodeType::copy);
  params.copy.copyParams = *copy;
  return add_node(node, graph, after, count, params);
}

HEDDLE_API Error cudaGraphAddMemcpyNode1D(abi::Handle* node, abi::Handle graph,
                                          const abi::Handle* after, std::size_t count, void* to,
                                          const void* from, std::size_t bytes,
                                          abi::MemcpyKind kind) {
  const abi::Memcpy3DParms copy = one_row(to, from, bytes, kind);
  return cudaGraphAddMemcpyNode(node, graph, after, count, &copy);
}

HEDDLE_API Error cudaGraphAddMemcpyNodeToSymbol(abi::Handle* node, abi::Handle graph,
                                                const abi::Handle* after, std::size_t count,
                                                const void* symbol, const void* from,
                                                std::size_t bytes, std::size_t offset,
                                                abi::MemcpyKind kind) {
  return with_symbol(symbol, bytes, offset, [&](void* to) {
    return cudaGraphAddMemcpyNode1D(node, graph, after, count, to, from, bytes, kind);
  });
}

HEDDLE_API Error cudaGraphAddMemcpyNodeFromSymbol(abi::Handle* node, abi::Handle graph,
                                                  const abi::Handle* after, std::size_t count,
                                                  void* to, const void* symbol, std::size_t bytes,
                                                  std::size_t offset, abi::MemcpyKind kind) {
  return with_symbol(symbol, bytes, offset, [&](void* from) {
    return cudaGraphAddMemcpyNode1D(node, graph, after, count, to, from, bytes, kind);
  });
}

HEDDLE_API Error cudaGraphAddMemsetNode(abi::Handle* node, abi::Handle graph,
                                        const abi::Handle* after, std::size_t count,
                                        const abi::MemsetParams* fill) {
  if (fill == nullptr) return api([] { return Error::invalid_value; });
  abi::GraphNodeParams params = of_type(NodeType::fill);
  params.memset = *fill;
  return add_node(node, graph, after, count, params);
}

HEDDLE_API Error cudaGraphAddHostNode(abi::Handle* node, abi::Handle graph,
                                      const abi::Handle* after, std::size_t count,
                                      const abi::HostNodeParams* host) {
  if (host == nullptr) return api([] { return Error::invalid_value; });
  abi::GraphNodeParams params = of_type(NodeType::host);
  params.host = *host;
  return add_node(node, graph, after, count, params);
}

HEDDLE_API Error cudaGraphAddEmptyNode(abi::Handle* node, abi::Handle graph,
                                       const abi::Handle* after, std::size_t count) {
  return add_node(node, graph, after, count, of_type(NodeType::empty));
}

HEDDLE_API Error cudaGraphAddChildGraphNode(abi::Handle* node, abi::Handle graph,
                                            const abi::Handle* after, std::size_t count,
                                            abi::Handle child) {
  abi::GraphNodeParams params = of_type(NodeType::graph);
  params.graph.graph = child;
  return add_node(node, graph, after, count, params);
}

HEDDLE_API Error cudaGraphAddEventRecordNode(abi::Handle* node, abi::Handle graph,
                                             const abi::Handle* after, std::size_t count,
                                             abi::Handle event) {
  abi::GraphNodeParams params = of_type(NodeType::event_record);
  params.event = event;
  return add_node(node, graph, after, count, params);
}

HEDDLE_API Error cudaGraphAddEventWaitNode(abi::Handle* node, abi::Handle graph,
                                           const abi::Handle* after, std::size_t count,
                                           abi::Handle event) {
  abi::GraphNodeParams params = of_type(NodeType::event_wait);
  params.event = event;
  return add_node(node, graph, after, count, params);
}

HEDDLE_API Error cudaGraphAddDependencies(abi::Handle handle, const abi::Handle* from,
                                          const abi::Handle* to, const void*, std::size_t count) {
  return api([&] {
    const auto graph = find_graph(handle);
    if (!graph) return Error::invalid_value;
    for (std::size_t i = 0; i < count; ++i) {
      if (!graph->contains(from[i]) || !graph->contains(to[i]) || from[i] == to[i])
        return Error::invalid_value;
      auto& behind = static_cast<GraphNode*>(to[i])->after;
      if (std::ranges::find(behind, from[i]) != behind.end()) return Error::invalid_value;
      behind.push_back(static_cast<const GraphNode*>(from[i]));
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
                                      unsigned long long flags) {
  return instantiate(executable, graph, flags, kFreeOnLaunch | kPriorities);
}

HEDDLE_API Error cudaGraphInstantiateWithFlags(abi::Handle* executable, abi::Handle graph,
                                               unsigned long long flags) {
  return instantiate(executable, graph, flags, kFreeOnLaunch | kPriorities);
}

HEDDLE_STREAM_API(cudaGraphInstantiateWithParams, _ptsz,
                  (abi::Handle * executable, abi::Handle graph, GraphInstantiateParams* how),
                  (executable, graph, how)) {
  if (how == nullptr) return api([] { return Error::invalid_value; });
  const Error error =
      instantiate(executable, graph, how->flags, kFreeOnLaunch | kUpload | kPriorities);
  how->errNode_out = nullptr;
  how->result_out = error == Error::success ? 0 : 1;
  return error;
}

HEDDLE_API Error cudaGraphExecGetFlags(abi::Handle handle, unsigned long long* flags) {
  return api([&] {
    const auto executable = find_executable(handle);
    if (!executable || flags == nullptr) return Error::invalid_value;
    *flags = executable->flags;
    return Error::success;
  });
}

HEDDLE_API Error cudaGraphExecDestroy(abi::Handle executable) {
  return api([&] {
    std::shared_ptr<ExecutableGraph> doomed;  // goes when the lock has gone
    std::lock_guard lock(all_graphs().mutex);
    const auto found = all_graphs().executables.find(executable);
    if (found == all_graphs().executables.end()) return Error::invalid_value;
    doomed = std::move(found->second);
    all_graphs().executables.erase(found);
    return Error::success;
  });
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
  return on_stream(stream, kStreamZero, [&](Context& context, Stream& in) {
    const auto executable = find_executable(handle);
    if (!executable) return Error::invalid_value;
    if (!executable->allocated.empty()) context.reserve_for_graph(executable->allocated_bytes, in);
    return Error::success;
  });
}

HEDDLE_STREAM_API(cudaStreamEndCapture, _ptsz, (abi::Handle stream, abi::Handle* graph),
                  (stream, graph)) {
  return on_stream(stream, kStreamZero, [&](Context& context, Stream& in) {
    // As an H200 answers (gpu/runtime/tests/answers/ends_of_captures.cu): nobody needs to want the
    // graph, and one whose capture has failed is no more, also where the program made it.
    if (graph != nullptr) *graph = nullptr;
    if (!in.capture) return Error::illegal_state;
    const std::shared_ptr<Graph> under_way = in.capture;
    std::shared_ptr<Graph> captured;
    const Error error = context.end_capture(in, captured);
    if (!captured && !in.capture) forget_graph(under_way.get());
    if (graph != nullptr && captured) *graph = keep(captured);
    return error;
  });
}

}  // namespace heddle::runtime
