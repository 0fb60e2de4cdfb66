// Memory that graphs allocate and free.
#include <algorithm>
#include <cstring>

#include "gpu/runtime/cudart/graph_calls.hpp"

namespace heddle::runtime {

namespace {

constexpr std::uint64_t kUnit = 512;  // granularity of a graph's memory

// Addresses for a node that comes after others: those that one of them has freed, else new ones.
Error find_addresses(Context& context, Graph& graph, std::uint64_t bytes,
                     const std::vector<const GraphNode*>& after, GraphBlock& found) {
  const std::uint64_t size = (bytes + kUnit - 1) / kUnit * kUnit;
  const auto before = all_before(after);
  const auto fits = [&](const GraphBlock& block) {
    return block.bytes >= size && block.freed_by != nullptr && before.contains(block.freed_by);
  };
  const auto again = std::ranges::find_if(graph.memory, fits);
  if (again != graph.memory.end()) {
    found = *again;
    const GraphBlock rest{again->address + size, again->bytes - size, again->freed_by,
                          again->whole};
    *again = found = {found.address, size, nullptr, found.whole};
    if (rest.bytes != 0) graph.memory.insert(again + 1, rest);  // lower addresses come first
    return Error::success;
  }
  std::shared_ptr<const void> block;
  const Error error =
      context.allocate_for_graph(size, Runtime::instance().context(context.gpu()), block);
  if (error != Error::success) return error;
  found = {reinterpret_cast<std::uint64_t>(block.get()), size, nullptr, block};
  graph.memory.push_back(found);
  graph.memory_bytes += size;
  graph.keeps.push_back(block);
  return Error::success;
}

// The node that takes memory whenever its graph is launched.
Error allocation(Context& context, Graph& graph, std::uint64_t bytes,
                 const std::vector<const GraphNode*>& after, abi::MemAllocNodeParams params,
                 GraphNode& node) {
  GraphBlock block;
  const Error error = find_addresses(context, graph, bytes, after, block);
  if (error != Error::success) return error;
  const std::uint64_t address = block.address;
  context.graph_memory().add_node(address);
  params.bytesize = bytes;
  params.dptr = reinterpret_cast<void*>(address);
  auto description = std::make_shared<NodeDescription>();
  description->params = of_type(NodeType::allocate);
  description->params.alloc = params;
  node.type = NodeType::allocate;
  node.description = description;
  node.run = [address, bytes, whole = block.whole](Context& here, Stream&) {
    here.graph_memory().take(address, bytes, whole);
    return Error::success;
  };
  return Error::success;
}

// From then on nodes behind `node` may have the addresses.
void note_freeing(Graph& graph, std::uint64_t address, const GraphNode* node) {
  const auto block = std::ranges::find(graph.memory, address, &GraphBlock::address);
  if (block != graph.memory.end()) block->freed_by = node;
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

GraphNode* capture(Stream& stream, GraphNode made) {
  GraphNode* const added = stream.add_to_capture(made.type, std::move(made.run));
  added->description = std::move(made.description);
  return added;
}

enum Attribute : int { kUsed = 0, kUsedHigh = 1, kReserved = 2, kReservedHigh = 3 };

Error on_attribute(int device, int attribute, void* value, bool set) {
  return on_gpu(device, [&](Context& context) {
    if (value == nullptr || attribute < kUsed || attribute > kReservedHigh)
      return Error::invalid_value;
    const bool high = attribute == kUsedHigh || attribute == kReservedHigh;
    std::uint64_t number = 0;
    if (set) {
      std::memcpy(&number, value, sizeof number);
      if (!high || number != 0) return Error::invalid_value;
      context.graph_memory().forget_most(attribute == kReservedHigh);
      return Error::success;
    }
    number = high ? context.graph_memory().most_bytes(attribute == kReservedHigh)
                  : context.graph_memory().bytes();
    std::memcpy(value, &number, sizeof number);
    return Error::success;
  });
}

}  // namespace

Error capture_allocation(Context& context, Stream& stream, std::uint64_t bytes, void** pointer) {
  GraphNode made;
  const Error error = allocation(context, *stream.capture, bytes, stream.captured_last, {}, made);
  if (error != Error::success) return error;
  *pointer = made.description->params.alloc.dptr;
  capture(stream, std::move(made));
  return Error::success;
}

Error capture_freeing(Context& context, Stream& stream, void* pointer) {
  const std::uint64_t address = address_of(pointer);
  if (context.graph_memory().contains(address) && !context.graph_memory().add_free_node(address))
    return Error::invalid_value;
  const GraphNode* const added = capture(stream, freeing(address));
  note_freeing(*stream.capture, address, added);
  return Error::success;
}

HEDDLE_API Error cudaGraphAddMemAllocNode(abi::Handle* node, abi::Handle graph,
                                          const abi::Handle* after, std::size_t count,
                                          abi::MemAllocNodeParams* params) {
  return on_device([&](Context& context) {
    constexpr int kPinned = 1, kOnDevice = 1;
    if (params == nullptr || params->bytesize == 0 || params->poolProps.allocType != kPinned ||
        params->poolProps.location.type != kOnDevice ||
        params->poolProps.location.id != static_cast<int>(context.gpu()))
      return Error::invalid_value;
    const auto in = find_graph(graph);
    if (!in || (after == nullptr && count != 0)) return Error::invalid_value;
    std::vector<const GraphNode*> before;
    for (std::size_t i = 0; i < count; ++i) {
      if (!in->contains(after[i])) return Error::invalid_value;
      before.push_back(static_cast<const GraphNode*>(after[i]));
    }
    GraphNode made;
    const Error error = allocation(context, *in, params->bytesize, before, *params, made);
    if (error != Error::success) return error;
    params->dptr = made.description->params.alloc.dptr;
    return add_made(node, graph, after, count, std::move(made));
  });
}

HEDDLE_API Error cudaGraphAddMemFreeNode(abi::Handle* node, abi::Handle graph,
                                         const abi::Handle* after, std::size_t count,
                                         void* address) {
  return on_device([&](Context& context) {
    const auto in = find_graph(graph);
    if (!in || !context.graph_memory().add_free_node(address_of(address)))
      return Error::invalid_value;
    const Error error = add_made(node, graph, after, count, freeing(address_of(address)));
    if (error == Error::success)
      note_freeing(*in, address_of(address), static_cast<const GraphNode*>(*node));
    return error;
  });
}

HEDDLE_API Error cudaDeviceGetGraphMemAttribute(int device, int attribute, void* value) {
  return on_attribute(device, attribute, value, false);
}
HEDDLE_API Error cudaDeviceSetGraphMemAttribute(int device, int attribute, void* value) {
  return on_attribute(device, attribute, value, true);
}
HEDDLE_API Error cudaDeviceGraphMemTrim(int device) {
  return on_gpu(device, [&](Context& context) {
    context.trim_graph_memory();
    return Error::success;
  });
}

}  // namespace heddle::runtime
