// The nesting of a function's code: which blocks lie in a loop or behind one side of a branch, and
// which are where several ways meet again. Of the ways that were gone alone.
//
// After Ramsey, Beyond Relooper (2022): a block stands behind its immediate dominator; one that is
// reached from several places stands after it, under a label that the others go to; what a loop is
// left to stands behind the loop.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "isa/dominators.hpp"

namespace heddle::traces {

struct NaturalLoop {
  std::set<std::uint32_t> members;
  std::set<std::uint32_t> latches;
  std::uint32_t outer = isa::kNoNode;  // the header of the loop around it
  std::vector<std::uint32_t> behind;   // what stands behind it, in order
};

struct FlowShape {
  // Nodes are the graph's, from node 0.
  explicit FlowShape(const isa::Graph& graph);

  bool reachable(std::uint32_t node) const { return dominators.reachable(node); }
  // Whether the node stands where the branch to it is.
  bool is_inline(std::uint32_t node) const { return inlined[node]; }
  // The header of the innermost loop that a node is in; kNoNode.
  std::uint32_t loop_of(std::uint32_t node) const { return innermost[node]; }

  isa::DominatorTree dominators;
  std::map<std::uint32_t, NaturalLoop> loops;     // by header
  std::vector<std::vector<std::uint32_t>> after;  // by node: what stands after it, in order
  std::vector<bool> inlined;
  std::vector<std::uint32_t> innermost;
  // A node that a loop is entered at beside its header: then there is no such nesting.
  std::uint32_t crossing = isa::kNoNode;

 private:
  void number(const isa::Graph& graph);
  void find_loops(const isa::Graph& graph);
  void place(const isa::Graph& graph);
  bool leads_to_a_meeting(const isa::Graph& graph, const std::vector<unsigned>& ways,
                          std::uint32_t node, std::uint32_t loop) const;
  std::vector<std::uint32_t> order_;  // reverse postorder of reachable nodes
  std::vector<std::uint32_t> rank_;   // of each node in it
};

}  // namespace heddle::traces
