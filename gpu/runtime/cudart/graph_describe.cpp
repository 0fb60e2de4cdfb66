// What nodes of graphs do: from the parameters that programs give, for each kind of node.
#include <algorithm>
#include <cstring>

#include "gpu/runtime/cudart/graph_calls.hpp"

namespace heddle::runtime {

namespace {

simulator::Dim3 dim(const abi::Dim3& given) { return {given.x, given.y, given.z}; }

using Attributes = std::map<int, std::array<std::byte, 64>>;

// Of attributes those that make a launch another one; the others are hints.
void apply(const Attributes& attributes, LaunchShape& shape) {
  if (const auto set = attributes.find(abi::kLaunchAttributeCooperative); set != attributes.end())
    shape.cooperative = set->second[0] != std::byte{0};
  if (const auto set = attributes.find(abi::kLaunchAttributeClusterDimension);
      set != attributes.end()) {
    abi::Dim3 cluster;
    std::memcpy(&cluster, set->second.data(), sizeof cluster);
    if (cluster.x != 0 && cluster.y != 0 && cluster.z != 0) {
      shape.cluster = dim(cluster);
      shape.explicit_cluster = true;
    }
  }
}

Error kernel_node(Context& context, const abi::KernelNodeParams& kernel,
                  const Attributes& attributes, GraphNode& node) {
  if (kernel.extra != nullptr) return not_supported("a kernel node with packed parameters");
  Function* function = nullptr;
  const Error error = Runtime::instance().function(kernel.func, context, function);
  if (error != Error::success) return error;
  if (kernel.kernelParams == nullptr && !function->kernel.parameters.empty())
    return Error::invalid_value;
  LaunchShape shape{
      dim(kernel.gridDim), dim(kernel.blockDim), {1, 1, 1}, kernel.sharedMemBytes, false};
  apply(attributes, shape);
  const Error refused = context.check_launch(*function, shape, kernel.kernelParams);
  if (refused != Error::success) return refused;
  node.run = launch_later(*function, shape, kernel.kernelParams);
  node.description = describe_kernel(*function, kernel);
  return Error::success;
}

Error fill_node(Context& context, const abi::MemsetParams& fill, GraphNode& node) {
  const std::size_t bytes = fill.elementSize;
  if ((bytes != 1 && bytes != 2 && bytes != 4) || fill.dst == nullptr || fill.width == 0 ||
      fill.height == 0)
    return Error::invalid_value;
  const Box box{fill.width * bytes, fill.height};
  const FillRequest request{
      {address_of(fill.dst), std::max(fill.pitch, box.width)}, box, fill.value, fill.elementSize};
  if (!context.can_fill(request)) return Error::invalid_value;
  node.run = [request](Context& here, Stream& stream) { return here.fill(request, stream, false); };
  return Error::success;
}

Error copy_node(Context& context, const abi::Memcpy3DParms& given, GraphNode& node) {
  abi::Memcpy3DParms whole = given;
  // Of copies of one row programs may leave out what goes from row to row.
  const auto complete = [&](abi::PitchedPtr& memory) {
    if (given.extent.height <= 1 && given.extent.depth <= 1 && memory.pitch == 0)
      memory.pitch = given.extent.width, memory.ysize = 1;
  };
  complete(whole.srcPtr);
  complete(whole.dstPtr);
  CopyRequest request;
  const Error error = describe_copy_3d(context, &whole, request);
  if (error != Error::success) return error;
  if (request.box.empty() || !context.can_copy(request)) return Error::invalid_value;
  node.run = [request](Context& here, Stream& stream) { return here.copy(request, stream, false); };
  return Error::success;
}

Error host_node(const abi::HostNodeParams& host, GraphNode& node) {
  if (host.fn == nullptr) return Error::invalid_value;
  node.run = [host](Context& context, Stream& stream) {
    context.call_program(stream,
                         [host] { execute_host_function([&] { host.fn(host.userData); }); });
    return Error::success;
  };
  return Error::success;
}

Error child_node(const abi::ChildGraphNodeParams& child, GraphNode& node,
                 std::shared_ptr<Graph>& kept) {
  const auto inner = find_graph(child.graph);
  if (!inner) return Error::invalid_value;
  if (allocates(*inner)) return Error::not_supported;
  kept = lend(inner->clone());
  const auto ready = make_ready(*kept);
  if (!ready) return Error::invalid_value;
  node.run = [ready](Context& context, Stream& stream) { return launch(*ready, context, stream); };
  return Error::success;
}

Error event_node(Context& context, abi::Handle handle, NodeType type, GraphNode& node) {
  const auto event = context.event(handle);
  if (!event) return Error::invalid_value;
  node.run = [event, type](Context& here, Stream& stream) {
    if (type == NodeType::event_record)
      here.record(*event, stream);
    else
      here.wait(stream, *event);
    return Error::success;
  };
  return Error::success;
}

}  // namespace

std::shared_ptr<const NodeDescription> describe_kernel(const Function& function,
                                                       const abi::KernelNodeParams& given) {
  auto made = std::make_shared<NodeDescription>();
  made->params.type = static_cast<int>(NodeType::kernel);
  made->params.kernel = given;
  made->params.kernel.extra = nullptr;
  made->arguments.resize(function.kernel.parameters.size());
  for (const isa::KernelParameter& parameter : function.kernel.parameters) {
    const auto* from = static_cast<const std::byte*>(given.kernelParams[parameter.ordinal]);
    made->arguments.at(parameter.ordinal).assign(from, from + parameter.size);
  }
  for (auto& argument : made->arguments) made->argument_pointers.push_back(argument.data());
  made->params.kernel.kernelParams = made->argument_pointers.data();
  return made;
}

namespace {

void describe_last(const Stream& stream, const abi::GraphNodeParams& params) {
  auto made = std::make_shared<NodeDescription>();
  made->params = params;
  const_cast<GraphNode*>(stream.captured_last.front())->description = std::move(made);
}

abi::PitchedPtr pitched(const Placed& at, const Box& box) {
  const std::uint64_t pitch = at.pitch == 0 ? box.width : at.pitch;
  return {reinterpret_cast<void*>(at.address), pitch, box.width,
          at.layer == 0 ? box.height : at.layer / pitch};
}

}  // namespace

void describe_captured(const Stream& stream, const CopyRequest& request) {
  const Box& box = request.box;
  abi::GraphNodeParams params = of_type(NodeType::copy);
  params.copy.copyParams = {nullptr,
                            {},
                            pitched(request.source, box),
                            nullptr,
                            {},
                            pitched(request.destination, box),
                            {box.width, box.height, box.depth},
                            request.kind};
  describe_last(stream, params);
}

void describe_captured(const Stream& stream, const FillRequest& request) {
  const Placed& to = request.destination;
  abi::GraphNodeParams params = of_type(NodeType::fill);
  params.memset = {reinterpret_cast<void*>(to.address),
                   to.pitch,
                   request.value,
                   request.element_bytes,
                   request.box.width / request.element_bytes,
                   request.box.height};
  describe_last(stream, params);
}

std::shared_ptr<NodeDescription> clone_description(const NodeDescription& description) {
  auto made = std::make_shared<NodeDescription>(description);
  for (std::size_t i = 0; i < made->arguments.size(); ++i)
    made->argument_pointers[i] = made->arguments[i].data();
  if (made->params.type == static_cast<int>(NodeType::kernel))
    made->params.kernel.kernelParams = made->argument_pointers.data();
  return made;
}

Error describe_node(Context& context, const abi::GraphNodeParams& params, GraphNode& node) {
  const auto type = static_cast<NodeType>(params.type);
  GraphNode made;
  made.type = type;
  auto description = std::make_shared<NodeDescription>();
  description->params = params;
  if (node.description) description->attributes = node.description->attributes;
  Error error = Error::success;
  switch (type) {
    case NodeType::kernel:
      error = kernel_node(context, params.kernel, description->attributes, made);
      break;
    case NodeType::copy:
      error = copy_node(context, params.copy.copyParams, made);
      break;
    case NodeType::fill:
      error = fill_node(context, params.memset, made);
      break;
    case NodeType::host:
      error = host_node(params.host, made);
      break;
    case NodeType::graph:
      error = child_node(params.graph, made, description->child);
      description->params.graph.graph = description->child.get();
      break;
    case NodeType::empty:
      break;
    case NodeType::event_wait:
    case NodeType::event_record:
      error = event_node(context, params.event, type, made);
      break;
    case NodeType::conditional:
      error = conditional_node(params.conditional, *description);
      break;
    default:
      return not_supported("cudaGraphAddNode with a node of this type");
  }
  if (error != Error::success) return error;
  node.type = type;
  node.run = std::move(made.run);
  if (made.description && !description->attributes.empty()) {
    auto own = clone_description(*made.description);
    own->attributes = description->attributes;
    made.description = std::move(own);
  }
  node.description = made.description ? made.description : description;
  return Error::success;
}

}  // namespace heddle::runtime
