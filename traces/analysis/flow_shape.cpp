#include "traces/analysis/flow_shape.hpp"

#include <algorithm>
#include <utility>

namespace heddle::traces {

using isa::kNoNode;
using Node = std::uint32_t;

FlowShape::FlowShape(const isa::Graph& graph)
    : dominators(graph, 0),
      after(graph.size()),
      inlined(graph.size()),
      innermost(graph.size(), kNoNode) {
  number(graph);
  find_loops(graph);
  if (crossing == kNoNode) place(graph);
}

void FlowShape::number(const isa::Graph& graph) {
  std::vector<bool> seen(graph.size());
  std::vector<std::pair<Node, std::size_t>> path{{0, 0}};
  seen[0] = true;
  while (!path.empty()) {
    auto& [node, next] = path.back();
    if (next == graph[node].size()) {
      order_.push_back(node);
      path.pop_back();
    } else if (const Node to = graph[node][next++]; !seen[to]) {
      seen[to] = true;
      path.emplace_back(to, 0);
    }
  }
  std::ranges::reverse(order_);
  rank_.assign(graph.size(), kNoNode);
  for (std::size_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = static_cast<Node>(i);
}

void FlowShape::find_loops(const isa::Graph& graph) {
  const isa::Graph before = isa::reversed(graph);
  for (const Node from : order_)
    for (const Node to : graph[from]) {
      if (rank_[to] > rank_[from]) continue;
      if (!dominators.dominates(to, from)) {
        crossing = to;
        return;
      }
      NaturalLoop& loop = loops[to];
      loop.latches.insert(from);
      loop.members.insert(to);
      std::vector<Node> work{from};
      while (!work.empty()) {
        const Node node = work.back();
        work.pop_back();
        if (!loop.members.insert(node).second) continue;
        for (const Node each : before[node])
          if (reachable(each)) work.push_back(each);
      }
    }
  // Outer headers come before inner ones.
  for (const Node header : order_)
    if (const auto loop = loops.find(header); loop != loops.end()) {
      loop->second.outer = innermost[header];
      for (const Node node : loop->second.members) innermost[node] = header;
    }
}

// Whether a node that one branch out of a loop leads to does something of that branch's own before
// it reaches where others come too, or ends: then it stands at the branch. Of a loop that is left
// to one place alone it stands behind the loop.
bool FlowShape::leads_to_a_meeting(const isa::Graph& graph, const std::vector<unsigned>& ways,
                                   Node node, Node loop) const {
  if (loops.contains(node) || graph[node].size() > 1) return false;
  if (!graph[node].empty() && ways[graph[node].front()] < 2) return false;
  std::set<Node> left_to;
  const std::set<Node>& members = loops.at(loop).members;
  for (const Node member : members)
    for (const Node to : graph[member])
      if (!members.contains(to)) left_to.insert(to);
  return left_to.size() > 1;
}

void FlowShape::place(const isa::Graph& graph) {
  std::vector<unsigned> ways(graph.size());  // to a node, but for those back to a loop's header
  for (const Node from : order_)
    for (const Node to : graph[from])
      if (rank_[to] > rank_[from]) ++ways[to];
  for (const Node node : order_) {
    if (node == 0) continue;
    const Node above = dominators.immediate(node);
    // The outermost loop that is left on the way from above.
    Node left = kNoNode;
    for (Node loop = innermost[above]; loop != kNoNode; loop = loops.at(loop).outer)
      if (!loops.at(loop).members.contains(node)) left = loop;
    if (left != kNoNode && !(ways[node] == 1 && leads_to_a_meeting(graph, ways, node, left)))
      loops.at(left).behind.push_back(node);
    else if (ways[node] == 1)
      inlined[node] = true;
    else
      after[above].push_back(node);
  }
}

}  // namespace heddle::traces
