// The graphs that programs have handles of.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu/runtime/abi.hpp"
#include "gpu/runtime/graph.hpp"

namespace heddle::runtime {

// A graph made ready: its nodes as they were then, with the node each came from; an earlier node is
// known by its place.
struct ExecutableGraph {
  std::vector<std::pair<const GraphNode*, GraphNode>> nodes;
  std::vector<std::vector<std::size_t>> after;
};
// Null where the edges form a circle.
std::shared_ptr<ExecutableGraph> make_ready(const Graph& graph);

struct Graphs {
  std::mutex mutex;
  std::map<abi::Handle, std::shared_ptr<Graph>> graphs;
  std::map<abi::Handle, std::shared_ptr<ExecutableGraph>> executables;
};
Graphs& all_graphs();

// Null: no such graph.
std::shared_ptr<Graph> find_graph(abi::Handle handle);
std::shared_ptr<ExecutableGraph> find_executable(abi::Handle handle);
std::shared_ptr<Graph> graph_with(const void* node);
abi::Handle keep(std::shared_ptr<Graph> graph);

}  // namespace heddle::runtime
