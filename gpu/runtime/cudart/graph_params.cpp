// What is told of nodes, and changed: in a graph, or in one that was made ready.
#include <algorithm>
#include <cstring>

#include "gpu/runtime/cudart/graph_calls.hpp"

namespace heddle::runtime {

namespace {

template <typename Body>
Error on_node(abi::Handle node, NodeType type, Body body) {
  return api([&] {
    const auto graph = graph_with(node);
    auto* const found = static_cast<GraphNode*>(node);
    if (!graph || found->type != type) return Error::invalid_value;
    if (!found->description) return not_supported("parameters of a node that was captured");
    return body(*found);
  });
}

template <typename Value, typename Get>
Error tell(abi::Handle node, NodeType type, Value* out, Get get) {
  return on_node(node, type, [&](const GraphNode& found) {
    if (out == nullptr) return Error::invalid_value;
    *out = get(found.description->params);
    return Error::success;
  });
}

Error change(abi::Handle node, const abi::GraphNodeParams& params) {
  return on_device([&](Context& context) {
    const auto graph = graph_with(node);
    auto* const found = static_cast<GraphNode*>(node);
    if (!graph || static_cast<int>(found->type) != params.type) return Error::invalid_value;
    return describe_node(context, params, *found);
  });
}

// Boxes of several rows keep their shape.
bool same_shape(const GraphNode& node, const abi::GraphNodeParams& params) {
  if (node.type != NodeType::fill || !node.description) return true;
  const abi::MemsetParams& before = node.description->params.memset;
  const abi::MemsetParams& after = params.memset;
  return (before.height <= 1 && after.height <= 1) ||
         (before.width == after.width && before.height == after.height &&
          before.elementSize == after.elementSize);
}

Error change_ready(abi::Handle handle, abi::Handle node, const abi::GraphNodeParams& params) {
  return on_device([&](Context& context) {
    const auto executable = find_executable(handle);
    if (!executable) return Error::invalid_value;
    auto* const found = made_from(*executable, node);
    if (found == nullptr || static_cast<int>(found->second.type) != params.type ||
        !same_shape(found->second, params))
      return Error::invalid_value;
    return describe_node(context, params, found->second);
  });
}

template <typename Params>
abi::GraphNodeParams of(NodeType type, abi::GraphNodeParams&& all, Params abi::GraphNodeParams::*at,
                        const Params& given) {
  all.type = static_cast<int>(type);
  all.*at = given;
  return all;
}

abi::GraphNodeParams of_kernel(const abi::KernelNodeParams& given) {
  return of(NodeType::kernel, {}, &abi::GraphNodeParams::kernel, given);
}
abi::GraphNodeParams of_fill(const abi::MemsetParams& given) {
  return of(NodeType::fill, {}, &abi::GraphNodeParams::memset, given);
}
abi::GraphNodeParams of_host(const abi::HostNodeParams& given) {
  return of(NodeType::host, {}, &abi::GraphNodeParams::host, given);
}
abi::GraphNodeParams of_event(NodeType type, abi::Handle event) {
  return of(type, {}, &abi::GraphNodeParams::event, event);
}
abi::GraphNodeParams of_copy(const abi::Memcpy3DParms& given) {
  abi::GraphNodeParams all = of_type(NodeType::copy);
  all.copy.copyParams = given;
  return all;
}

Error missing() {
  return api([] { return Error::invalid_value; });
}

}  // namespace

HEDDLE_API Error cudaGraphNodeSetParams(abi::Handle node, abi::GraphNodeParams* params) {
  return params == nullptr ? missing() : change(node, *params);
}
HEDDLE_API Error cudaGraphExecNodeSetParams(abi::Handle executable, abi::Handle node,
                                            abi::GraphNodeParams* params) {
  return params == nullptr ? missing() : change_ready(executable, node, *params);
}

HEDDLE_API Error cudaGraphKernelNodeGetParams(abi::Handle node, abi::KernelNodeParams* params) {
  return tell(node, NodeType::kernel, params, [](const auto& all) { return all.kernel; });
}
HEDDLE_API Error cudaGraphKernelNodeSetParams(abi::Handle node,
                                              const abi::KernelNodeParams* params) {
  return params == nullptr ? missing() : change(node, of_kernel(*params));
}
HEDDLE_API Error cudaGraphExecKernelNodeSetParams(abi::Handle executable, abi::Handle node,
                                                  const abi::KernelNodeParams* params) {
  return params == nullptr ? missing() : change_ready(executable, node, of_kernel(*params));
}

HEDDLE_API Error cudaGraphMemsetNodeGetParams(abi::Handle node, abi::MemsetParams* params) {
  return tell(node, NodeType::fill, params, [](const auto& all) { return all.memset; });
}
HEDDLE_API Error cudaGraphMemsetNodeSetParams(abi::Handle node, const abi::MemsetParams* params) {
  return params == nullptr ? missing() : change(node, of_fill(*params));
}
HEDDLE_API Error cudaGraphExecMemsetNodeSetParams(abi::Handle executable, abi::Handle node,
                                                  const abi::MemsetParams* params) {
  return params == nullptr ? missing() : change_ready(executable, node, of_fill(*params));
}

HEDDLE_API Error cudaGraphHostNodeGetParams(abi::Handle node, abi::HostNodeParams* params) {
  return tell(node, NodeType::host, params, [](const auto& all) { return all.host; });
}
HEDDLE_API Error cudaGraphHostNodeSetParams(abi::Handle node, const abi::HostNodeParams* params) {
  return params == nullptr ? missing() : change(node, of_host(*params));
}
HEDDLE_API Error cudaGraphExecHostNodeSetParams(abi::Handle executable, abi::Handle node,
                                                const abi::HostNodeParams* params) {
  return params == nullptr ? missing() : change_ready(executable, node, of_host(*params));
}

HEDDLE_API Error cudaGraphMemcpyNodeGetParams(abi::Handle node, abi::Memcpy3DParms* params) {
  return tell(node, NodeType::copy, params, [](const auto& all) { return all.copy.copyParams; });
}
HEDDLE_API Error cudaGraphMemcpyNodeSetParams(abi::Handle node, const abi::Memcpy3DParms* params) {
  return params == nullptr ? missing() : change(node, of_copy(*params));
}
HEDDLE_API Error cudaGraphMemcpyNodeSetParams1D(abi::Handle node, void* to, const void* from,
                                                std::size_t bytes, abi::MemcpyKind kind) {
  return change(node, of_copy(one_row(to, from, bytes, kind)));
}
HEDDLE_API Error cudaGraphMemcpyNodeSetParamsToSymbol(abi::Handle node, const void* symbol,
                                                      const void* from, std::size_t bytes,
                                                      std::size_t offset, abi::MemcpyKind kind) {
  return with_symbol(symbol, bytes, offset, [&](void* to) {
    return change(node, of_copy(one_row(to, from, bytes, kind)));
  });
}
HEDDLE_API Error cudaGraphMemcpyNodeSetParamsFromSymbol(abi::Handle node, void* to,
                                                        const void* symbol, std::size_t bytes,
                                                        std::size_t offset, abi::MemcpyKind kind) {
  return with_symbol(symbol, bytes, offset, [&](void* from) {
    return change(node, of_copy(one_row(to, from, bytes, kind)));
  });
}
HEDDLE_API Error cudaGraphExecMemcpyNodeSetParams(abi::Handle executable, abi::Handle node,
                                                  const abi::Memcpy3DParms* params) {
  return params == nullptr ? missing() : change_ready(executable, node, of_copy(*params));
}
HEDDLE_API Error cudaGraphExecMemcpyNodeSetParams1D(abi::Handle executable, abi::Handle node,
                                                    void* to, const void* from, std::size_t bytes,
                                                    abi::MemcpyKind kind) {
  return change_ready(executable, node, of_copy(one_row(to, from, bytes, kind)));
}
HEDDLE_API Error cudaGraphExecMemcpyNodeSetParamsToSymbol(abi::Handle executable, abi::Handle node,
                                                          const void* symbol, const void* from,
                                                          std::size_t bytes, std::size_t offset,
                                                          abi::MemcpyKind kind) {
  return with_symbol(symbol, bytes, offset, [&](void* to) {
    return change_ready(executable, node, of_copy(one_row(to, from, bytes, kind)));
  });
}
HEDDLE_API Error cudaGraphExecMemcpyNodeSetParamsFromSymbol(abi::Handle executable,
                                                            abi::Handle node, void* to,
                                                            const void* symbol, std::size_t bytes,
                                                            std::size_t offset,
                                                            abi::MemcpyKind kind) {
  return with_symbol(symbol, bytes, offset, [&](void* from) {
    return change_ready(executable, node, of_copy(one_row(to, from, bytes, kind)));
  });
}

HEDDLE_API Error cudaGraphEventRecordNodeGetEvent(abi::Handle node, abi::Handle* event) {
  return tell(node, NodeType::event_record, event, [](const auto& all) { return all.event; });
}
HEDDLE_API Error cudaGraphEventWaitNodeGetEvent(abi::Handle node, abi::Handle* event) {
  return tell(node, NodeType::event_wait, event, [](const auto& all) { return all.event; });
}
HEDDLE_API Error cudaGraphEventRecordNodeSetEvent(abi::Handle node, abi::Handle event) {
  return change(node, of_event(NodeType::event_record, event));
}
HEDDLE_API Error cudaGraphEventWaitNodeSetEvent(abi::Handle node, abi::Handle event) {
  return change(node, of_event(NodeType::event_wait, event));
}
HEDDLE_API Error cudaGraphExecEventRecordNodeSetEvent(abi::Handle executable, abi::Handle node,
                                                      abi::Handle event) {
  return change_ready(executable, node, of_event(NodeType::event_record, event));
}
HEDDLE_API Error cudaGraphExecEventWaitNodeSetEvent(abi::Handle executable, abi::Handle node,
                                                    abi::Handle event) {
  return change_ready(executable, node, of_event(NodeType::event_wait, event));
}

HEDDLE_API Error cudaGraphChildGraphNodeGetGraph(abi::Handle node, abi::Handle* graph) {
  return tell(node, NodeType::graph, graph, [](const auto& all) { return all.graph.graph; });
}
HEDDLE_API Error cudaGraphExecChildGraphNodeSetParams(abi::Handle executable, abi::Handle node,
                                                      abi::Handle child) {
  abi::GraphNodeParams params = of_type(NodeType::graph);
  params.graph.graph = child;
  const auto graph = find_graph(child);
  const auto before = graph_with(node);
  if (!graph || !before) return missing();
  const auto& description = static_cast<GraphNode*>(node)->description;
  if (!description || !description->child ||
      description->child->nodes().size() != graph->nodes().size())
    return missing();
  return change_ready(executable, node, params);
}

HEDDLE_API Error cudaGraphMemAllocNodeGetParams(abi::Handle node, abi::MemAllocNodeParams* params) {
  return tell(node, NodeType::allocate, params, [](const auto& all) { return all.alloc; });
}
HEDDLE_API Error cudaGraphMemFreeNodeGetParams(abi::Handle node, void** address) {
  return tell(node, NodeType::free, address, [](const auto& all) { return all.freed; });
}

// Kernels, fills and copies can be left out of an executable graph.
template <typename Body>
static Error on_ready_node(abi::Handle handle, abi::Handle node, Body body) {
  return api([&] {
    const auto executable = find_executable(handle);
    if (!executable) return Error::invalid_value;
    const auto* const found = made_from(*executable, node);
    return found != nullptr && found->second.type <= NodeType::fill
               ? body(*executable, found->first)
               : Error::invalid_value;
  });
}

HEDDLE_API Error cudaGraphNodeGetEnabled(abi::Handle handle, abi::Handle node, unsigned* enabled) {
  return on_ready_node(handle, node, [&](const ExecutableGraph& graph, const GraphNode* origin) {
    if (enabled == nullptr) return Error::invalid_value;
    *enabled = graph.disabled.contains(origin) ? 0 : 1;
    return Error::success;
  });
}

HEDDLE_API Error cudaGraphNodeSetEnabled(abi::Handle handle, abi::Handle node, unsigned enabled) {
  return on_ready_node(handle, node, [&](ExecutableGraph& graph, const GraphNode* origin) {
    if (enabled != 0)
      graph.disabled.erase(origin);
    else
      graph.disabled.insert(origin);
    return Error::success;
  });
}

// Attributes of kernel nodes are kept and told: hints, as for launches.
static bool is_kernel_attribute(int attribute) {
  return attribute >= 1 && attribute <= 10 && attribute != 3 && attribute != 6 && attribute != 7;
}

HEDDLE_API Error cudaGraphKernelNodeGetAttribute(abi::Handle node, int attribute, void* value) {
  return on_node(node, NodeType::kernel, [&](const GraphNode& found) {
    if (value == nullptr || !is_kernel_attribute(attribute)) return Error::invalid_value;
    constexpr int kDomains = 9;
    std::array<std::byte, 64> told{};
    const auto& attributes = found.description->attributes;
    if (const auto set = attributes.find(attribute); set != attributes.end())
      told = set->second;
    else if (attribute == kDomains)
      told[1] = std::byte{1};  // as themselves: 0 is 0, 1 is 1
    std::memcpy(value, told.data(), told.size());
    return Error::success;
  });
}

// The node with other attributes: with those that make its launch another one.
static Error use_attributes(GraphNode& node, const NodeDescription& description) {
  const auto context = Runtime::instance().context();
  if (!context) return Error::cudart_unloading;
  // Others may share the description: this node's becomes its own.
  const auto before = node.description;
  node.description = clone_description(description);
  const Error error = describe_node(*context, node.description->params, node);
  if (error != Error::success) node.description = before;
  return error;
}

HEDDLE_API Error cudaGraphKernelNodeSetAttribute(abi::Handle node, int attribute,
                                                 const void* value) {
  return on_node(node, NodeType::kernel, [&](GraphNode& found) {
    if (value == nullptr || !is_kernel_attribute(attribute)) return Error::invalid_value;
    NodeDescription changed = *found.description;
    std::memcpy(changed.attributes[attribute].data(), value, 64);
    return use_attributes(found, changed);
  });
}

HEDDLE_API Error cudaGraphKernelNodeCopyAttributes(abi::Handle to, abi::Handle from) {
  return on_node(from, NodeType::kernel, [&](const GraphNode& source) {
    return on_node(to, NodeType::kernel, [&](GraphNode& found) {
      NodeDescription changed = *found.description;
      changed.attributes = source.description->attributes;
      return use_attributes(found, changed);
    });
  });
}

}  // namespace heddle::runtime
