#include "gpu/runtime/graph.hpp"

#include <algorithm>
#include <set>

namespace heddle::runtime {

GraphNode* Graph::add(NodeType type, std::function<Error(Context&, Stream&)> run,
                      std::vector<const GraphNode*> after) {
  nodes_.push_back(std::make_unique<GraphNode>(GraphNode{type, std::move(run), std::move(after)}));
  return nodes_.back().get();
}

std::vector<const GraphNode*> Graph::order() const {
  std::vector<const GraphNode*> order;
  std::set<const GraphNode*> done;
  while (order.size() < nodes_.size()) {
    const std::size_t before = order.size();
    for (const auto& node : nodes_) {
      const bool ready = std::ranges::all_of(
          node->after, [&](const GraphNode* other) { return done.contains(other); });
      if (!ready || !done.insert(node.get()).second) continue;
      order.push_back(node.get());
    }
    if (order.size() == before) return {};
  }
  return order;
}

}  // namespace heddle::runtime
