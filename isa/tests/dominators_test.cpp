// Dominators against their definition.
#include "isa/dominators.hpp"

#include <gmock/gmock.h>

#include <random>

namespace heddle::isa {
namespace {

// The nodes that `root` reaches without going through `without`.
std::vector<bool> reached(const Graph& graph, std::uint32_t root, std::uint32_t without) {
  std::vector<bool> seen(graph.size(), false);
  std::vector<std::uint32_t> left;
  if (root != without) left.push_back(root);
  while (!left.empty()) {
    const std::uint32_t node = left.back();
    left.pop_back();
    if (seen[node]) continue;
    seen[node] = true;
    for (const std::uint32_t to : graph[node])
      if (to != without) left.push_back(to);
  }
  return seen;
}

void expect_dominators_by_definition(const Graph& graph) {
  const DominatorTree tree(graph, 0);
  const std::vector<bool> reachable = reached(graph, 0, kNoNode);
  for (std::uint32_t over = 0; over < graph.size(); ++over) {
    const std::vector<bool> without = reached(graph, 0, over);
    for (std::uint32_t node = 0; node < graph.size(); ++node) {
      EXPECT_EQ(tree.reachable(node), reachable[node]);
      const bool dominates = reachable[over] && reachable[node] && (over == node || !without[node]);
      EXPECT_EQ(tree.dominates(over, node), dominates) << over << " over " << node;
      // The immediate one is a strict dominator that every other strict dominator dominates.
      const std::uint32_t immediate = tree.immediate(node);
      if (dominates && over != node) {
        ASSERT_NE(immediate, kNoNode);
        EXPECT_TRUE(tree.dominates(over, immediate)) << over << " over the parent of " << node;
        EXPECT_NE(immediate, node);
      }
    }
  }
}

TEST(Dominators, OfADiamondMeetAtTheFork) {
  const DominatorTree tree({{1, 2}, {3}, {3}, {}}, 0);
  EXPECT_EQ(tree.immediate(0), kNoNode);
  EXPECT_EQ(tree.immediate(1), 0u);
  EXPECT_EQ(tree.immediate(2), 0u);
  EXPECT_EQ(tree.immediate(3), 0u);
  EXPECT_FALSE(tree.dominates(1, 3));
}

TEST(Dominators, OfWhatIsNotReachedAreNone) {
  const DominatorTree tree({{1}, {}, {1}}, 0);
  EXPECT_FALSE(tree.reachable(2));
  EXPECT_EQ(tree.immediate(2), kNoNode);
  EXPECT_EQ(tree.immediate(1), 0u);
  EXPECT_FALSE(tree.dominates(2, 1));
  EXPECT_FALSE(tree.dominates(2, 2));
}

TEST(Dominators, AgreeWithTheirDefinitionOnRandomGraphs) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    Graph graph(2 + random() % 14);
    for (std::size_t edges = graph.size() + random() % (2 * graph.size()); edges > 0; --edges)
      graph[random() % graph.size()].push_back(static_cast<std::uint32_t>(random() % graph.size()));
    expect_dominators_by_definition(graph);
  }
}

TEST(Dominators, OfALongChainNeedNoRecursion) {
  constexpr std::uint32_t kLength = 300000;
  Graph graph(kLength);
  for (std::uint32_t i = 0; i + 1 < kLength; ++i) graph[i].push_back(i + 1);
  const DominatorTree tree(graph, 0);
  EXPECT_EQ(tree.immediate(kLength - 1), kLength - 2);
  EXPECT_TRUE(tree.dominates(0, kLength - 1));
}

}  // namespace
}  // namespace heddle::isa
