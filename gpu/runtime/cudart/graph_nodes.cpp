// Graphs as a whole: kept by handle, made ready, copied, compared; what nodes and edges they have.
#include <algorithm>
#include <iterator>

#include "gpu/runtime/cudart/api.hpp"
#include "gpu/runtime/cudart/graphs.hpp"

namespace heddle::runtime {

Graphs& all_graphs() {
  static Graphs& graphs = *new Graphs;  // programs may use them while they end
  return graphs;
}

std::shared_ptr<Graph> find_graph(abi::Handle handle) {
  std::lock_guard lock(all_graphs().mutex);
  const auto found = all_graphs().graphs.find(handle);
  if (found != all_graphs().graphs.end()) return found->second;
  const auto of_node = all_graphs().graphs_of_nodes.find(handle);
  return of_node == all_graphs().graphs_of_nodes.end() ? nullptr : of_node->second.lock();
}

std::shared_ptr<ExecutableGraph> find_executable(abi::Handle handle) {
  std::lock_guard lock(all_graphs().mutex);
  const auto found = all_graphs().executables.find(handle);
  return found == all_graphs().executables.end() ? nullptr : found->second;
}

std::shared_ptr<Graph> graph_with(const void* node) {
  const auto graph = graph_of(node);
  return graph && find_graph(graph.get()) ? graph : nullptr;
}

std::shared_ptr<Graph> lend(std::shared_ptr<Graph> graph) {
  Graph* const same = graph.get();
  std::shared_ptr<Graph> lent(same, [graph = std::move(graph)](Graph* gone) mutable {
    {
      std::lock_guard lock(all_graphs().mutex);
      all_graphs().graphs_of_nodes.erase(gone);
    }
    graph.reset();
  });
  std::lock_guard lock(all_graphs().mutex);
  all_graphs().graphs_of_nodes[same] = lent;
  return lent;
}

// What graphs hold goes outside of the lock: it may be the program's, or memory that waits.
bool forget_graph(abi::Handle handle) {
  std::shared_ptr<Graph> doomed;
  std::lock_guard lock(all_graphs().mutex);
  const auto found = all_graphs().graphs.find(handle);
  if (found == all_graphs().graphs.end()) return false;
  doomed = std::move(found->second);
  all_graphs().graphs.erase(found);
  return true;
}

// A handle of a node that is no more names the one it was; one that another node has by now does
// not.
std::pair<const GraphNode*, GraphNode>* made_from(ExecutableGraph& executable, const void* node) {
  const auto found = executable.places.find(static_cast<const GraphNode*>(node));
  if (found == executable.places.end()) return nullptr;
  auto& made = executable.nodes[found->second];
  const bool is_another = graph_of(node) && found->first->number != made.second.number;
  return is_another ? nullptr : &made;
}

abi::Handle keep(std::shared_ptr<Graph> graph) {
  std::lock_guard lock(all_graphs().mutex);
  const abi::Handle handle = graph.get();
  all_graphs().graphs[handle] = std::move(graph);
  return handle;
}

std::shared_ptr<ExecutableGraph> make_ready(const Graph& graph) {
  const auto order = graph.order();
  if (order.size() != graph.nodes().size()) return nullptr;
  auto made = std::make_shared<ExecutableGraph>();
  auto& place = made->places;
  for (const GraphNode* node : order) {
    place[node] = made->nodes.size();
    made->nodes.emplace_back(node, *node);
    if (node->type == NodeType::conditional) {
      auto run = ready_condition(*node->description);
      if (!run) return nullptr;
      made->nodes.back().second.run = std::move(run);
    }
    std::vector<std::size_t>& after = made->after.emplace_back();
    for (const GraphNode* before : node->after) after.push_back(place.at(before));
    std::ranges::sort(after);
  }
  made->conditions = graph.conditions;
  return made;
}

namespace {

using Nodes = std::vector<const GraphNode*>;

// As CUDA gives lists: as many as there is room for, or their number where there is none.
Error give(const Nodes& found, abi::Handle* nodes, std::size_t* count) {
  if (count == nullptr) return Error::invalid_value;
  const std::size_t given = nodes == nullptr ? found.size() : std::min(found.size(), *count);
  if (nodes != nullptr)
    for (std::size_t i = 0; i < given; ++i) nodes[i] = const_cast<GraphNode*>(found[i]);
  *count = given;
  return Error::success;
}

template <typename Body>
Error on_node(abi::Handle node, Body body) {
  return api([&] {
    const auto graph = graph_with(node);
    return graph ? body(*graph, *static_cast<GraphNode*>(node)) : Error::invalid_value;
  });
}

// The first node whose kind or edges are others; success: none.
GraphUpdateResult compare(const ExecutableGraph& ours, const ExecutableGraph& theirs) {
  constexpr int kTopologyChanged = 2, kTypeChanged = 3;
  if (ours.nodes.size() != theirs.nodes.size()) return {kTopologyChanged, nullptr, nullptr};
  for (std::size_t i = 0; i < ours.nodes.size(); ++i) {
    auto* const node = const_cast<GraphNode*>(theirs.nodes[i].first);
    if (ours.nodes[i].second.type != theirs.nodes[i].second.type)
      return {kTypeChanged, node, nullptr};
    if (ours.after[i] != theirs.after[i]) return {kTopologyChanged, node, nullptr};
  }
  return {0, nullptr, nullptr};
}

}  // namespace

HEDDLE_API Error cudaGraphClone(abi::Handle* clone, abi::Handle handle) {
  return api([&] {
    const auto graph = find_graph(handle);
    if (!graph || clone == nullptr) return Error::invalid_value;
    if (allocates(*graph)) return Error::not_supported;  // an address is of one node
    *clone = keep(graph->clone());
    return Error::success;
  });
}

HEDDLE_API Error cudaGraphNodeFindInClone(abi::Handle* node, abi::Handle original,
                                          abi::Handle clone) {
  return api([&] {
    const auto graph = find_graph(clone);
    if (!graph || node == nullptr) return Error::invalid_value;
    if (!graph_of(original)) return Error::invalid_value;
    const auto* const found = graph->clone_of(static_cast<const GraphNode*>(original)->number);
    if (found == nullptr) return Error::invalid_value;
    *node = const_cast<GraphNode*>(found);
    return Error::success;
  });
}

HEDDLE_API Error cudaGraphNodeGetType(abi::Handle node, int* type) {
  return on_node(node, [&](Graph&, const GraphNode& found) {
    if (type == nullptr) return Error::invalid_value;
    *type = static_cast<int>(found.type);
    return Error::success;
  });
}

HEDDLE_API Error cudaGraphNodeGetDependencies(abi::Handle node, abi::Handle* nodes, void*,
                                              std::size_t* count) {
  return on_node(node,
                 [&](Graph&, const GraphNode& found) { return give(found.after, nodes, count); });
}

HEDDLE_API Error cudaGraphNodeGetDependentNodes(abi::Handle node, abi::Handle* nodes, void*,
                                                std::size_t* count) {
  return on_node(node, [&](Graph& graph, const GraphNode& found) {
    Nodes behind;
    for (const auto& each : graph.nodes())
      if (std::ranges::find(each->after, &found) != each->after.end()) behind.push_back(each.get());
    return give(behind, nodes, count);
  });
}

HEDDLE_API Error cudaGraphGetEdges(abi::Handle handle, abi::Handle* from, abi::Handle* to, void*,
                                   std::size_t* count) {
  return api([&] {
    const auto graph = find_graph(handle);
    if (!graph || count == nullptr || (from == nullptr) != (to == nullptr))
      return Error::invalid_value;
    Nodes first, second;
    for (const auto& node : graph->nodes())
      for (const GraphNode* before : node->after) {
        first.push_back(before);
        second.push_back(node.get());
      }
    std::size_t same = *count;
    give(first, from, count);
    return give(second, to, &same);
  });
}

HEDDLE_API Error cudaGraphRemoveDependencies(abi::Handle handle, const abi::Handle* from,
                                             const abi::Handle* to, const void*,
                                             std::size_t count) {
  return api([&] {
    const auto graph = find_graph(handle);
    if (!graph) return Error::invalid_value;
    for (std::size_t i = 0; i < count; ++i) {
      if (!graph->contains(from[i]) || !graph->contains(to[i])) return Error::invalid_value;
      auto& after = static_cast<GraphNode*>(to[i])->after;
      if (std::erase(after, static_cast<const GraphNode*>(from[i])) == 0)
        return Error::invalid_value;
    }
    return Error::success;
  });
}

HEDDLE_API Error cudaGraphDestroyNode(abi::Handle node) {
  return on_node(node, [](Graph& graph, const GraphNode& found) {
    if (found.type == NodeType::allocate || found.type == NodeType::free)
      return Error::not_supported;
    graph.remove(&found);
    return Error::success;
  });
}

// The executable graph takes over what the nodes of a graph of the same shape do.
HEDDLE_API Error cudaGraphExecUpdate(abi::Handle handle, abi::Handle graph,
                                     GraphUpdateResult* result) {
  return api([&] {
    const auto executable = find_executable(handle);
    const auto from = find_graph(graph);
    const auto made = from ? make_ready(*from) : nullptr;
    if (!executable || !made) return Error::invalid_value;
    const GraphUpdateResult difference = compare(*executable, *made);
    if (result != nullptr) *result = difference;
    if (difference.result != 0) return Error::graph_exec_update_failure;
    for (std::size_t i = 0; i < made->nodes.size(); ++i)
      executable->nodes[i].second.run = made->nodes[i].second.run;
    return Error::success;
  });
}

}  // namespace heddle::runtime
