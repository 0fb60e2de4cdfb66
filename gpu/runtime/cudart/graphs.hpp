// The graphs that programs have handles of.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gpu/runtime/abi.hpp"
#include "gpu/runtime/code_image.hpp"
#include "gpu/runtime/error.hpp"
#include "gpu/runtime/graph.hpp"

namespace heddle::runtime {

// A graph made ready: its nodes as they were then, with the node each came from; an earlier node is
// known by its place.
struct ExecutableGraph {
  std::vector<std::pair<const GraphNode*, GraphNode>> nodes;
  std::unordered_map<const GraphNode*, std::size_t> places;  // in `nodes`
  std::set<const GraphNode*> disabled;
  unsigned long long flags = 0;
  std::vector<std::shared_ptr<const void>> keeps;  // objects of the program
  // Addresses of what it allocates, and how much memory that takes.
  std::vector<std::uint64_t> allocated;
  std::uint64_t allocated_bytes = 0;
  std::vector<std::vector<std::size_t>> after;
  std::vector<Condition> conditions;
};
// What a program said of a node. A kernel's arguments are kept here.
struct NodeDescription {
  abi::GraphNodeParams params{};
  std::vector<std::vector<std::byte>> arguments;
  std::vector<void*> argument_pointers;
  std::map<int, std::array<std::byte, 64>> attributes;
  std::shared_ptr<Graph> child;
  std::vector<std::shared_ptr<Graph>> bodies;  // of a conditional node
  std::vector<abi::Handle> body_handles;
};
// What a node does from now on, by `params.type`; its edges stay. The parameters are looked at now.
Error describe_node(Context& context, const abi::GraphNodeParams& params, GraphNode& node);
// Of a kernel that a stream captures.
std::shared_ptr<const NodeDescription> describe_kernel(const Function& function,
                                                       const abi::KernelNodeParams& given);

// Null where the edges form a circle, there or in the body of a conditional node.
std::shared_ptr<ExecutableGraph> make_ready(const Graph& graph);

// Conditional nodes (graph_conditions.cpp). A node whose bodies are still empty; and what it does,
// with its bodies as they are now: nothing where one of them cannot be made ready.
Error conditional_node(const abi::ConditionalNodeParams& params, NodeDescription& description);
std::function<Error(Context&, Stream&)> ready_condition(const NodeDescription& description);

struct Graphs {
  std::mutex mutex;
  std::map<abi::Handle, std::shared_ptr<Graph>> graphs;         // the program's own
  std::map<abi::Handle, std::weak_ptr<Graph>> graphs_of_nodes;  // children and bodies
  std::map<abi::Handle, std::shared_ptr<ExecutableGraph>> executables;
};
Graphs& all_graphs();

// Null: no such graph.
std::shared_ptr<Graph> find_graph(abi::Handle handle);
std::shared_ptr<ExecutableGraph> find_executable(abi::Handle handle);
std::shared_ptr<Graph> graph_with(const void* node);
bool allocates(const Graph& graph);
Error launch(ExecutableGraph& graph, Context& context, Stream& stream);
abi::Handle keep(std::shared_ptr<Graph> graph);
// The program may name it as long as something has what this returns.
std::shared_ptr<Graph> lend(std::shared_ptr<Graph> graph);
// Forgets it, without waiting for anybody: what only the program had of it goes.
bool forget_graph(abi::Handle graph);
// The place in it of the node that `node` was made from; null: it has none of it.
std::pair<const GraphNode*, GraphNode>* made_from(ExecutableGraph& executable, const void* node);

}  // namespace heddle::runtime
