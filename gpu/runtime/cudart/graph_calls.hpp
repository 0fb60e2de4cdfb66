// What the calls that make and change nodes share.
#pragma once

#include "gpu/runtime/cudart/copies.hpp"
#include "gpu/runtime/cudart/graphs.hpp"

namespace heddle::runtime {

inline abi::GraphNodeParams of_type(NodeType type) {
  abi::GraphNodeParams params{};
  params.type = static_cast<int>(type);
  return params;
}

inline abi::Memcpy3DParms one_row(void* to, const void* from, std::size_t bytes,
                                  abi::MemcpyKind kind) {
  abi::Memcpy3DParms copy{};
  copy.srcPtr.ptr = const_cast<void*>(from);
  copy.dstPtr.ptr = to;
  copy.extent = {bytes, 1, 1};
  copy.kind = kind;
  return copy;
}

// Calls `body(address)` with the address of a variable's bytes.
template <typename Body>
Error with_symbol(const void* symbol, std::size_t bytes, std::size_t offset, Body body) {
  return on_device([&](Context& context) {
    MemoryBlock block;
    const Error error = Runtime::instance().variable(symbol, context, block);
    if (error != Error::success) return error;
    if (offset > block.bytes || bytes > block.bytes - offset) return Error::invalid_value;
    return body(reinterpret_cast<void*>(block.address + offset));
  });
}

Error add_node(abi::Handle* node, abi::Handle graph, const abi::Handle* after, std::size_t count,
               const abi::GraphNodeParams& params);

// A copy whose pointers point to its own arguments.
std::shared_ptr<NodeDescription> clone_description(const NodeDescription& description);

// Stream-ordered memory in a stream that captures.
Error capture_allocation(Context& context, Stream& stream, std::uint64_t bytes, void** pointer);
Error capture_freeing(Context& context, Stream& stream, void* pointer);

extern "C" {
Error cudaGraphAddMemAllocNode(abi::Handle* node, abi::Handle graph, const abi::Handle* after,
                               std::size_t count, abi::MemAllocNodeParams* params);
Error cudaGraphAddMemFreeNode(abi::Handle* node, abi::Handle graph, const abi::Handle* after,
                              std::size_t count, void* address);
}

}  // namespace heddle::runtime
