#include "gpu/runtime/graph.hpp"

#include <algorithm>
#include <map>
#include <mutex>

namespace heddle::runtime {
namespace {

// All nodes there are, by their addresses: programs name a node without its graph.
struct NodeIndex {
  std::mutex mutex;
  std::unordered_map<const void*, Graph*> graph_of;
  std::uint64_t last_number = 0;
};
NodeIndex& node_index() {
  static auto& only = *new NodeIndex;  // programs may use graphs while they end
  return only;
}

}  // namespace

std::shared_ptr<Graph> graph_of(const void* node) {
  std::lock_guard lock(node_index().mutex);
  const auto found = node_index().graph_of.find(node);
  return found == node_index().graph_of.end() ? nullptr : found->second->weak_from_this().lock();
}

std::set<const GraphNode*> all_before(std::vector<const GraphNode*> last) {
  std::set<const GraphNode*> before;
  while (!last.empty()) {
    const GraphNode* const node = last.back();
    last.pop_back();
    if (before.insert(node).second) last.insert(last.end(), node->after.begin(), node->after.end());
  }
  return before;
}

Graph::~Graph() {
  std::lock_guard lock(node_index().mutex);
  for (const auto& node : nodes_) node_index().graph_of.erase(node.get());
}

GraphNode* Graph::add(NodeType type, std::function<Error(Context&, Stream&)> run,
                      std::vector<const GraphNode*> after) {
  GraphNode& node = *nodes_.emplace_back(std::make_unique<GraphNode>());
  node.type = type;
  node.run = std::move(run);
  node.after = std::move(after);
  std::lock_guard lock(node_index().mutex);
  node.number = ++node_index().last_number;
  node_index().graph_of[&node] = this;
  return &node;
}

bool Graph::contains(const void* node) const {
  std::lock_guard lock(node_index().mutex);
  const auto found = node_index().graph_of.find(node);
  return found != node_index().graph_of.end() && found->second == this;
}

const GraphNode* Graph::clone_of(std::uint64_t number) const {
  const auto found = clones_.find(number);
  return found == clones_.end() ? nullptr : found->second;
}

void Graph::remove(const GraphNode* node) {
  {
    std::lock_guard lock(node_index().mutex);
    node_index().graph_of.erase(node);
  }
  clones_.erase(node->cloned_from);
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
    made->cloned_from = node->number;
    made->description = node->description;
    copy_of[node.get()] = made;
    copy->clones_[node->number] = made;
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for (const GraphNode* before : nodes_[i]->after)
      copy->nodes_[i]->after.push_back(copy_of.at(before));
  return copy;
}

// In which round of looking at all nodes each is ready: later than a node before it that was added
// behind it, else with it.
std::vector<const GraphNode*> Graph::order() const {
  const std::size_t count = nodes_.size();
  std::unordered_map<const GraphNode*, std::size_t> place;
  for (std::size_t i = 0; i < count; ++i) place[nodes_[i].get()] = i;
  std::vector<std::size_t> round(count, 0), waits_for(count, 0), ready;
  std::vector<std::vector<std::size_t>> behind(count);
  for (std::size_t i = 0; i < count; ++i) {
    waits_for[i] = nodes_[i]->after.size();
    for (const GraphNode* before : nodes_[i]->after) behind[place.at(before)].push_back(i);
    if (waits_for[i] == 0) ready.push_back(i);
  }
  for (std::size_t next = 0; next < ready.size(); ++next)
    for (const std::size_t each : behind[ready[next]]) {
      round[each] = std::max(round[each], round[ready[next]] + (ready[next] > each ? 1 : 0));
      if (--waits_for[each] == 0) ready.push_back(each);
    }
  if (ready.size() != count) return {};
  std::ranges::sort(ready, {}, [&](std::size_t i) { return std::pair(round[i], i); });
  std::vector<const GraphNode*> order;
  for (const std::size_t i : ready) order.push_back(nodes_[i].get());
  return order;
}

}  // namespace heddle::runtime
