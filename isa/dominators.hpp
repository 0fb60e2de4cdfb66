// Dominators of a directed graph.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace heddle::isa {

inline constexpr std::uint32_t kNoNode = std::numeric_limits<std::uint32_t>::max();

// node -> the nodes its edges lead to
using Graph = std::vector<std::vector<std::uint32_t>>;

class DominatorTree {
 public:
  DominatorTree() = default;
  // Of the nodes that `root` reaches. Time in proportion to the edges (times a logarithm).
  DominatorTree(const Graph& graph, std::uint32_t root);

  bool reachable(std::uint32_t node) const { return entered_[node] != 0; }
  // The closest node other than `node` on every path from the root to it; kNoNode for the root and
  // for what it does not reach.
  std::uint32_t immediate(std::uint32_t node) const { return parent_[node]; }
  // Whether every path from the root to `node` goes through `over` (itself included); false where
  // the root reaches one of them not.
  bool dominates(std::uint32_t over, std::uint32_t node) const {
    return entered_[over] != 0 && entered_[over] <= entered_[node] && left_[node] <= left_[over];
  }

 private:
  void number_tree(std::uint32_t root);

  std::vector<std::uint32_t> parent_;
  std::vector<std::uint32_t> entered_, left_;  // when a walk of the tree enters and leaves; from 1
};

Graph reversed(const Graph& graph);

}  // namespace heddle::isa
