#include "simulator/warp/reconvergence_points.hpp"

#include <algorithm>
#include <optional>

#include "isa/attributes.hpp"
#include "simulator/base/code_address.hpp"

namespace heddle::simulator {
namespace {

using isa::kNoNode;

// The leaving blocks that can be reached from a block, itself included.
struct Reached {
  std::vector<std::uint32_t> ends;
  bool comes_back = false;  // to the block asked about
};

Reached reached_from(const isa::ControlFlow& flow, std::uint32_t start, std::uint32_t back_to) {
  Reached result;
  std::vector<bool> seen(flow.blocks.size());
  std::vector<std::uint32_t> open{start};
  seen[start] = true;
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    if (at == back_to) result.comes_back = true;
    if (flow.blocks[at].leaves) result.ends.push_back(at);
    for (const isa::Edge& edge : flow.blocks[at].successors)
      if (!seen[edge.block]) {
        seen[edge.block] = true;
        open.push_back(edge.block);
      }
  }
  std::ranges::sort(result.ends);
  return result;
}

// Post-dominators where paths end at `ends` alone. Where `cut` is a block, paths end before it.
isa::DominatorTree tree_of(const isa::ControlFlow& flow, const std::vector<std::uint32_t>& ends,
                           std::optional<std::uint32_t> cut) {
  isa::Graph graph(flow.blocks.size() + 1);
  for (std::uint32_t i = 0; i < flow.blocks.size(); ++i) {
    if (cut == i) continue;
    for (const isa::Edge& edge : flow.blocks[i].successors) graph[i].push_back(edge.block);
  }
  for (const std::uint32_t end : ends) graph[end].push_back(flow.exit());
  return {isa::reversed(graph), flow.exit()};
}

// The closest block that is on every path from every one of the ways.
std::uint32_t closest_common(const isa::DominatorTree& tree,
                             const std::vector<std::uint32_t>& ways) {
  std::uint32_t common = kNoNode;
  for (const std::uint32_t way : ways) {
    if (!tree.reachable(way)) continue;
    if (common == kNoNode) common = way;
    while (common != kNoNode && !tree.dominates(common, way)) common = tree.immediate(common);
  }
  return common;
}

// Whether an instruction does nothing that others could see: debug builds restore registers before
// they end.
bool is_private(const isa::Instruction& in) {
  using Kind = isa::MemoryAccess::Kind;
  const Kind access = isa::memory_access(in).kind;
  const isa::Effect effect = isa::effect(in);
  if (effect == isa::Effect::sync || effect == isa::Effect::no_operation) return true;
  if (effect == isa::Effect::block_barrier || effect == isa::Effect::warp_sync ||
      in.op == isa::Op::SHFL)
    return false;
  return (access == Kind::none || access == Kind::load) && isa::unit(in) != isa::Unit::cbu;
}

}  // namespace

ReconvergencePoints::Function& ReconvergencePoints::function_at(const isa::CodeRange& range) {
  std::unique_ptr<Function>& function = functions_[&range];
  if (function == nullptr)
    function = std::make_unique<Function>(Function{isa::control_flow(cubin_, program_, range), {}});
  return *function;
}

std::uint32_t ReconvergencePoints::after(std::uint32_t index) {
  const auto [found, is_new] = found_.try_emplace(index, kNone);
  if (is_new) found->second = find(code_address_of_index(index));
  return found->second;
}

std::uint32_t ReconvergencePoints::find(std::uint64_t address) {
  const isa::CodeRange* range = program_.range_at(address);
  if (range == nullptr) return kNone;
  Function& function = function_at(*range);
  const isa::ControlFlow& flow = function.flow;
  const std::uint32_t block = flow.block_at(address);
  if (block == kNoNode) return kNone;
  std::vector<std::uint32_t> ways;
  for (const isa::Edge& edge : flow.blocks[block].successors) ways.push_back(edge.block);
  if (ways.empty()) return kNone;
  Reached all = reached_from(flow, ways.front(), block);
  for (const std::uint32_t way : ways) {
    const Reached reached = reached_from(flow, way, block);
    std::vector<std::uint32_t> common;
    std::ranges::set_intersection(all.ends, reached.ends, std::back_inserter(common));
    all.ends = std::move(common);
    all.comes_back = all.comes_back && reached.comes_back;
  }
  std::uint32_t meets = kNoNode;
  if (!all.ends.empty()) {
    const auto [tree, is_new] = function.trees.try_emplace(all.ends);
    if (is_new) tree->second = tree_of(flow, all.ends, std::nullopt);
    meets = closest_common(tree->second, ways);
  } else if (all.comes_back) {
    meets = closest_common(tree_of(flow, {block}, block), ways);
  }
  if (meets == kNoNode || meets == flow.exit() || only_ends(flow.blocks[meets])) return kNone;
  return index_of_code_address(flow.blocks[meets].address);
}

// Lanes need not wait for one another to end: they would hold up those that wait for the others to
// end.
bool ReconvergencePoints::only_ends(const isa::BasicBlock& block) const {
  const auto& code = program_.instructions;
  for (std::uint64_t at = block.address; at < block.end(); at += sizeof(isa::Word)) {
    const auto& in = code[index_of_code_address(at)];
    if (!in) return false;
    const bool always = in->guard.index == isa::kPT && !in->guard.negated &&
                        in->pp.index == isa::kPT && !in->pp.negated;
    if (isa::effect(*in) == isa::Effect::exit && always) return true;
    if (!is_private(*in)) return false;
  }
  return false;
}

}  // namespace heddle::simulator
