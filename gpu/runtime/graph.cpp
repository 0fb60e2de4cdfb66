#include "gpu/runtime/graph.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::runtime {

GraphNode* Graph::add(NodeType type, std::function<Error(Context&, Stream&)> run,
                      std::vector<const GraphNode*> after) {
  nodes_.push_back(std::make_unique<GraphNode>());
  *nodes_.back() = GraphNode{type, std::move(run), std::move(after), nullptr, nullptr};
  return nodes_.back().get();
}

bool Graph::contains(const void* node) const {
  return std::ranges::any_of(nodes_, [node](const auto& one) { return one.get() == node; });
}

void Graph::remove(const GraphNode* node) {
  for (const auto& other : nodes_) std::erase(other->after, node);
  std::erase_if(nodes_, [node](const auto& one) { return one.get() == node; });
}

std::shared_ptr<Graph> Graph::clone() const {
  auto copy = std::make_shared<Graph>();
  copy->keeps = keeps;
  copy->conditions = conditions;
  std::map<const GraphNode*, const GraphNode*> copy_of;
  for (const auto& node : nodes_) {
    GraphNode* const made = copy->add(node->type, node->run);
    made->cloned_from = node.get();
    made->description = node->description;
    copy_of[node.get()] = made;
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for (const GraphNode* before : nodes_[i]->after)
      copy->nodes_[i]->after.push_back(copy_of.at(before));
  return copy;
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
