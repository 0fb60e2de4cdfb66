// Memory that graphs allocate and free.
#include <cstring>

#include "gpu/runtime/cudart/graph_calls.hpp"

namespace heddle::runtime {

namespace {

// Memory for a node, and the node that takes it whenever the graph is launched.
Error allocation(Context& context, std::uint64_t bytes, abi::MemAllocNodeParams params,
                 GraphNode& node) {
  std::uint64_t address = 0;
  const Error error = context.allocate(bytes, "cudaGraphAddMemAllocNode", address,
                                       simulator::DeviceMemory::Pool::apart);
  if (error != Error::success) return error;
  context.graph_memory().add(address, bytes);
  params.bytesize = bytes;
  params.dptr = reinterpret_cast<void*>(address);
  auto description = std::make_shared<NodeDescription>();
  description->params = of_type(NodeType::allocate);
  description->params.alloc = params;
  node.type = NodeType::allocate;
  node.description = description;
  node.run = [address](Context& here, Stream&) {
    here.graph_memory().take(address);
    return Error::success;
  };
  return Error::success;
}

GraphNode freeing(std::uint64_t address) {
  GraphNode node;
  auto description = std::make_shared<NodeDescription>();
  description->params = of_type(NodeType::free);
  description->params.freed = reinterpret_cast<void*>(address);
  node.type = NodeType::free;
  node.description = description;
  node.run = [address](Context& here, Stream&) {
    here.graph_memory().give(address);
    return Error::success;
  };
  return node;
}

Error add_made(abi::Handle* node, abi::Handle graph, const abi::Handle* after, std::size_t count,
               GraphNode made) {
  const Error error = add_node(node, graph, after, count, of_type(NodeType::empty));
  if (error != Error::success) return error;
  auto* const added = static_cast<GraphNode*>(*node);
  added->type = made.type;
  added->run = std::move(made.run);
  added->description = std::move(made.description);
  return Error::success;
}

void capture(Stream& stream, GraphNode made) {
  GraphNode* const added = stream.add_to_capture(made.type, std::move(made.run));
  added->description = std::move(made.description);
}

enum Attribute : int { kUsed = 0, kUsedHigh = 1, kReserved = 2, kReservedHigh = 3 };

Error on_attribute(int device, int attribute, void* value, bool set) {
  return on_device([&](Context& context) {
    if (device != 0) return Error::invalid_device;
    if (value == nullptr || attribute < kUsed || attribute > kReservedHigh)
      return Error::invalid_value;
    const bool high = attribute == kUsedHigh || attribute == kReservedHigh;
    std::uint64_t number = 0;
    if (set) {
      std::memcpy(&number, value, sizeof number);
      if (!high || number != 0) return Error::invalid_value;
      context.graph_memory().forget_most();
      return Error::success;
    }
    number = high ? context.graph_memory().most_bytes() : context.graph_memory().bytes();
    std::memcpy(value, &number, sizeof number);
    return Error::success;
  });
}

}  // namespace

Error capture_allocation(Context& context, Stream& stream, std::uint64_t bytes, void** pointer) {
  GraphNode made;
  const Error error = allocation(context, bytes, {}, made);
  if (error != Error::success) return error;
  *pointer = made.description->params.alloc.dptr;
  capture(stream, std::move(made));
  return Error::success;
}

void capture_freeing(Stream& stream, void* pointer) {
  capture(stream, freeing(address_of(pointer)));
}

HEDDLE_API Error cudaGraphAddMemAllocNode(abi::Handle* node, abi::Handle graph,
                                          const abi::Handle* after, std::size_t count,
                                          abi::MemAllocNodeParams* params) {
  return on_device([&](Context& context) {
    constexpr int kPinned = 1, kOnDevice = 1;
    if (params == nullptr || params->bytesize == 0 || params->poolProps.allocType != kPinned ||
        params->poolProps.location.type != kOnDevice || params->poolProps.location.id != 0)
      return Error::invalid_value;
    GraphNode made;
    const Error error = allocation(context, params->bytesize, *params, made);
    if (error != Error::success) return error;
    params->dptr = made.description->params.alloc.dptr;
    return add_made(node, graph, after, count, std::move(made));
  });
}

HEDDLE_API Error cudaGraphAddMemFreeNode(abi::Handle* node, abi::Handle graph,
                                         const abi::Handle* after, std::size_t count,
                                         void* address) {
  return on_device([&](Context& context) {
    if (!context.graph_memory().contains(address_of(address))) return Error::invalid_value;
    return add_made(node, graph, after, count, freeing(address_of(address)));
  });
}

HEDDLE_API Error cudaDeviceGetGraphMemAttribute(int device, int attribute, void* value) {
  return on_attribute(device, attribute, value, false);
}
HEDDLE_API Error cudaDeviceSetGraphMemAttribute(int device, int attribute, void* value) {
  return on_attribute(device, attribute, value, true);
}
HEDDLE_API Error cudaDeviceGraphMemTrim(int device) {
  return on_device([&](Context&) { return device == 0 ? Error::success : Error::invalid_device; });
}

}  // namespace heddle::runtime
