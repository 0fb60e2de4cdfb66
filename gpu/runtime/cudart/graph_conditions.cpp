// Conditional nodes: bodies that run or not, as 32 bits in device memory say when the node's turn
// comes. Kernels set them (cudaGraphSetConditional): a handle is their address.
#include <algorithm>
#include <cstring>

#include "gpu/runtime/cudart/graph_calls.hpp"

namespace heddle::runtime {

namespace {

enum Kind : int { kIf = 0, kWhile = 1, kSwitch = 2 };

// Whether a node of this kind may have `bodies` bodies.
bool fits(int kind, unsigned bodies) {
  switch (kind) {
    case kIf:
      return bodies == 1 || bodies == 2;
    case kWhile:
      return bodies == 1;
    case kSwitch:
      return bodies >= 1;
    default:
      return false;
  }
}

// Memory of the context that gives it back when the last graph that has it goes.
std::shared_ptr<const void> kept(std::uint64_t address) {
  const std::weak_ptr<Context> owner = Runtime::instance().context();
  return {reinterpret_cast<const void*>(address), [owner, address](const void*) {
            if (const auto context = owner.lock()) context->free(address);
          }};
}

std::uint32_t value_of(const Context& context, std::uint64_t address) {
  std::uint32_t value = 0;
  if (const auto block = context.find_memory(address))
    std::memcpy(&value, block->data + (address - block->address), sizeof value);
  return value;
}

using Bodies = std::vector<std::shared_ptr<ExecutableGraph>>;

// In the node's turn; what bodies submit is carried out at once.
void carry_out(const abi::ConditionalNodeParams& node, const Bodies& bodies, Context& context,
               Stream& stream) {
  const auto value = [&] { return value_of(context, node.handle); };
  const auto run = [&](std::size_t index) {
    if (index < bodies.size()) launch(*bodies[index], context, stream);
  };
  if (node.type == kSwitch)
    run(value());
  else if (node.type == kIf)
    run(value() != 0 ? 0 : 1);
  else
    while (value() != 0 && !context.has_failed()) run(0);
}

bool allowed_in_body(NodeType type) {
  switch (type) {
    case NodeType::kernel:
    case NodeType::copy:
    case NodeType::fill:
    case NodeType::graph:
    case NodeType::empty:
    case NodeType::conditional:
      return true;
    default:
      return false;
  }
}

}  // namespace

Error conditional_node(const abi::ConditionalNodeParams& params, NodeDescription& description) {
  if (!fits(params.type, params.size)) return Error::invalid_value;
  for (unsigned i = 0; i < params.size; ++i) {
    description.bodies.push_back(lend(std::make_shared<Graph>()));
    description.body_handles.push_back(description.bodies.back().get());
  }
  description.params.conditional.phGraph_out = description.body_handles.data();
  return Error::success;
}

std::function<Error(Context&, Stream&)> ready_condition(const NodeDescription& description) {
  Bodies bodies;
  const auto is_allowed = [](const auto& node) { return allowed_in_body(node->type); };
  for (const auto& body : description.bodies) {
    if (!std::ranges::all_of(body->nodes(), is_allowed)) return {};
    bodies.push_back(make_ready(*body));
    if (!bodies.back()) return {};
  }
  return [node = description.params.conditional, bodies](Context& context, Stream& stream) {
    context.in_turn(stream, [node, bodies](Context& here, Stream& in) {
      if (!here.has_failed()) carry_out(node, bodies, here, in);
    });
    return Error::success;
  };
}

HEDDLE_API Error cudaGraphConditionalHandleCreate(std::uint64_t* handle, abi::Handle graph,
                                                  unsigned first, unsigned flags) {
  return on_device([&](Context& context) {
    constexpr unsigned kAssignDefault = 1;
    const auto of = find_graph(graph);
    if (handle == nullptr || !of || flags > kAssignDefault) return Error::invalid_value;
    std::uint64_t address = 0;
    const Error error = context.allocate(sizeof(std::uint32_t), ".nv.graph_condition", address,
                                         simulator::DeviceMemory::Pool::apart);
    if (error != Error::success) return error;
    of->keeps.push_back(kept(address));
    of->conditions.push_back({address, first, flags == kAssignDefault});
    *handle = address;
    return Error::success;
  });
}

}  // namespace heddle::runtime
