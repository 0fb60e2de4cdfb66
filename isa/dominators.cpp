#include "isa/dominators.hpp"

#include <algorithm>
#include <utility>

namespace heddle::isa {
namespace {

// A walk that visits the children of a node one after the other, without recursion.
struct Visit {
  std::uint32_t node = 0;
  std::size_t next = 0;  // child to look at
};

// Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph" (1979), the simple
// variant. Everything here is indexed by the order in which a depth-first walk finds the nodes.
class LengauerTarjan {
 public:
  LengauerTarjan(const Graph& graph, std::uint32_t root) : number_(graph.size(), kNoNode) {
    walk(graph, root);
    const std::size_t count = node_.size();
    semi_.resize(count);
    best_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) semi_[i] = best_[i] = i;
    ancestor_.assign(count, kNoNode);
    dominator_.assign(count, 0);
    link_predecessors(graph);
    solve();
  }

  // node -> immediate dominator
  std::vector<std::uint32_t> parents() const {
    std::vector<std::uint32_t> parents(number_.size(), kNoNode);
    for (std::uint32_t i = 1; i < node_.size(); ++i) parents[node_[i]] = node_[dominator_[i]];
    return parents;
  }

 private:
  void walk(const Graph& graph, std::uint32_t root) {
    std::vector<Visit> path;
    const auto find = [&](std::uint32_t node, std::uint32_t from) {
      number_[node] = static_cast<std::uint32_t>(node_.size());
      node_.push_back(node);
      tree_parent_.push_back(from);
      path.push_back({node, 0});
    };
    find(root, 0);
    while (!path.empty()) {
      Visit& top = path.back();
      if (top.next == graph[top.node].size()) {
        path.pop_back();
        continue;
      }
      const std::uint32_t child = graph[top.node][top.next++];
      if (number_[child] == kNoNode) find(child, number_[top.node]);
    }
  }

  void link_predecessors(const Graph& graph) {
    predecessors_.resize(node_.size());
    for (std::uint32_t i = 0; i < node_.size(); ++i)
      for (const std::uint32_t to : graph[node_[i]]) predecessors_[number_[to]].push_back(i);
  }

  void solve() {
    std::vector<std::vector<std::uint32_t>> bucket(node_.size());
    for (auto i = static_cast<std::uint32_t>(node_.size()); i-- > 1;) {
      for (const std::uint32_t from : predecessors_[i])
        semi_[i] = std::min(semi_[i], semi_[evaluate(from)]);
      bucket[semi_[i]].push_back(i);
      ancestor_[i] = tree_parent_[i];
      for (const std::uint32_t waiting : bucket[tree_parent_[i]]) {
        const std::uint32_t lowest = evaluate(waiting);
        dominator_[waiting] = semi_[lowest] < semi_[waiting] ? lowest : tree_parent_[i];
      }
      bucket[tree_parent_[i]].clear();
    }
    for (std::uint32_t i = 1; i < node_.size(); ++i)
      if (dominator_[i] != semi_[i]) dominator_[i] = dominator_[dominator_[i]];
  }

  // The node with the lowest semidominator on the linked path above `i`; shortens that path.
  std::uint32_t evaluate(std::uint32_t i) {
    if (ancestor_[i] == kNoNode) return i;
    std::vector<std::uint32_t>& path = scratch_;
    path.clear();
    for (std::uint32_t at = i; ancestor_[ancestor_[at]] != kNoNode; at = ancestor_[at])
      path.push_back(at);
    for (auto at = path.rbegin(); at != path.rend(); ++at) {
      const std::uint32_t above = ancestor_[*at];
      if (semi_[best_[above]] < semi_[best_[*at]]) best_[*at] = best_[above];
      ancestor_[*at] = ancestor_[above];
    }
    return best_[i];
  }

  std::vector<std::uint32_t> number_;       // node -> order
  std::vector<std::uint32_t> node_;         // order -> node
  std::vector<std::uint32_t> tree_parent_;  // in the depth-first tree
  std::vector<std::vector<std::uint32_t>> predecessors_;
  std::vector<std::uint32_t> semi_, best_, ancestor_, dominator_;
  std::vector<std::uint32_t> scratch_;
};

}  // namespace

DominatorTree::DominatorTree(const Graph& graph, std::uint32_t root)
    : parent_(LengauerTarjan(graph, root).parents()),
      entered_(graph.size(), 0),
      left_(graph.size(), 0) {
  number_tree(root);
}

void DominatorTree::number_tree(std::uint32_t root) {
  Graph children(parent_.size());
  for (std::uint32_t node = 0; node < parent_.size(); ++node)
    if (parent_[node] != kNoNode) children[parent_[node]].push_back(node);
  std::uint32_t clock = 0;
  std::vector<Visit> path{{root, 0}};
  entered_[root] = ++clock;
  while (!path.empty()) {
    Visit& top = path.back();
    if (top.next == children[top.node].size()) {
      left_[top.node] = ++clock;
      path.pop_back();
      continue;
    }
    const std::uint32_t child = children[top.node][top.next++];
    entered_[child] = ++clock;
    path.push_back({child, 0});
  }
}

Graph reversed(const Graph& graph) {
  Graph reversed(graph.size());
  for (std::uint32_t from = 0; from < graph.size(); ++from)
    for (const std::uint32_t to : graph[from]) reversed[to].push_back(from);
  return reversed;
}

}  // namespace heddle::isa
