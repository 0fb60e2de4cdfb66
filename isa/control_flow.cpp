#include "isa/control_flow.hpp"

#include <algorithm>
#include <unordered_map>

#include "isa/attributes.hpp"

namespace heddle::isa {
namespace {

constexpr std::uint64_t kWord = sizeof(Word);

// What an instruction does to the flow of control.
struct Flow {
  std::vector<std::uint64_t> targets;  // addresses
  Edge::Kind kind = Edge::Kind::taken;
  bool leaves = false;
  bool unresolved = false;
  bool continues = true;  // to the next instruction

  bool ends_block() const { return !targets.empty() || leaves || unresolved || !continues; }
};

class Reader {
 public:
  Reader(const Cubin& cubin, const Program& program, const CodeRange& range) : program_(program) {
    for (const IndirectBranch& branch : cubin.indirect_branches) {
      if (branch.section != range.section) continue;
      std::vector<std::uint64_t>& targets = indirect_[to_address(range, branch.offset)];
      for (const std::uint64_t offset : branch.targets)
        targets.push_back(to_address(range, offset));
    }
  }

  const Instruction* instruction(std::uint64_t address) const {
    const auto& decoded = program_.instructions[(address - kCodeBase) / kWord];
    return decoded ? &*decoded : nullptr;
  }

  Flow flow(std::uint64_t address) const {
    const Instruction* in = instruction(address);
    if (in == nullptr) return {.targets = {}, .unresolved = true};
    const bool conditional = is_conditional(*in);
    switch (effect(*in)) {
      case Effect::branch:
        return {.targets = {target(*in, address)},
                .continues = conditional || branches_on_mask(*in)};
      case Effect::indirect_branch:
        return indirect(address, conditional);
      case Effect::exit:
      case Effect::ret:
        return {.targets = {}, .leaves = true, .continues = conditional};
      default:
        return {};
    }
  }

  static std::uint64_t target(const Instruction& in, std::uint64_t address) {
    return address + kWord + static_cast<std::uint64_t>(in.offset);
  }

 private:
  static std::uint64_t to_address(const CodeRange& range, std::uint64_t section_offset) {
    return range.address - range.section_offset + section_offset;
  }

  Flow indirect(std::uint64_t address, bool conditional) const {
    const auto listed = indirect_.find(address);
    if (listed == indirect_.end())
      return {.targets = {}, .unresolved = true, .continues = conditional};
    return {.targets = listed->second, .kind = Edge::Kind::indirect, .continues = conditional};
  }

  const Program& program_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> indirect_;
};

// The addresses of the function's instructions, without functions nested in its range.
std::vector<std::uint64_t> own_code(const Program& program, const CodeRange& range) {
  const std::uint64_t end = range.address + range.size;
  std::vector<std::uint64_t> code;
  std::uint64_t next = range.address;
  const auto add_until = [&](std::uint64_t stop) {
    for (; next < stop; next += kWord) code.push_back(next);
  };
  auto other = std::ranges::lower_bound(program.ranges, range.address, {}, &CodeRange::address);
  for (; other != program.ranges.end() && other->address < end; ++other) {
    const bool nested = other->size != 0 && other->size < range.size &&
                        other->address - range.address <= range.size - other->size;
    if (!nested) continue;
    add_until(other->address);
    next = std::max(next, other->address + other->size);
  }
  add_until(end);
  return code;
}

class Builder {
 public:
  Builder(const Cubin& cubin, const Program& program, const CodeRange& range)
      : reader_(cubin, program, range), code_(own_code(program, range)) {}

  ControlFlow build() {
    find_leaders();
    cut_blocks();
    connect();
    find_dominators();
    return std::move(result_);
  }

 private:
  // Position of `address` in code_, or nothing.
  std::optional<std::size_t> position(std::uint64_t address) const {
    const auto found = std::ranges::lower_bound(code_, address);
    if (found == code_.end() || *found != address) return std::nullopt;
    return static_cast<std::size_t>(found - code_.begin());
  }

  void find_leaders() {
    leader_.assign(code_.size() + 1, false);
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (i == 0 || code_[i] != code_[i - 1] + kWord) leader_[i] = true;
      const Flow flow = reader_.flow(code_[i]);
      if (flow.ends_block()) leader_[i + 1] = true;
      for (const std::uint64_t target : flow.targets)
        if (const auto at = position(target)) leader_[*at] = true;
      note(code_[i]);
    }
  }

  void note(std::uint64_t address) {
    const Instruction* in = reader_.instruction(address);
    if (in == nullptr) return;
    if (effect(*in) == Effect::set_barrier) {
      result_.regions.push_back(
          {.address = address, .target = Reader::target(*in, address), .barrier = in->barrier});
    } else if (effect(*in) == Effect::call) {
      CallSite call{.address = address, .target = std::nullopt};
      if (in->a.kind == Source::Kind::none)
        call.target = in->mod(Mod::absolute) != 0 ? static_cast<std::uint64_t>(in->offset)
                                                  : Reader::target(*in, address);
      result_.calls.push_back(call);
    }
  }

  void cut_blocks() {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (leader_[i])
        result_.blocks.push_back({.address = code_[i], .successors = {}, .predecessors = {}});
      ++result_.blocks.back().instructions;
    }
  }

  void connect() {
    for (std::uint32_t i = 0; i < result_.blocks.size(); ++i) {
      BasicBlock& block = result_.blocks[i];
      const Flow flow = reader_.flow(block.end() - kWord);
      block.unresolved = flow.unresolved;
      block.leaves = flow.leaves || flow.unresolved;
      for (const std::uint64_t target : flow.targets) add_edge(block, target, flow.kind);
      if (flow.continues) add_edge(block, block.end(), Edge::Kind::next);
      for (const Edge& edge : block.successors)
        result_.blocks[edge.block].predecessors.push_back(i);
    }
  }

  void add_edge(BasicBlock& block, std::uint64_t target, Edge::Kind kind) {
    const std::uint32_t to = result_.block_at(target);
    if (to == kNoNode || result_.blocks[to].address != target)
      block.leaves = true;
    else if (std::ranges::find(block.successors, to, &Edge::block) == block.successors.end())
      block.successors.push_back({.block = to, .kind = kind});
  }

  void find_dominators() {
    if (result_.blocks.empty()) return;
    Graph graph(result_.blocks.size() + 1);
    for (std::size_t i = 0; i < result_.blocks.size(); ++i) {
      for (const Edge& edge : result_.blocks[i].successors) graph[i].push_back(edge.block);
      if (result_.blocks[i].leaves) graph[i].push_back(result_.exit());
    }
    result_.post_dominators = DominatorTree(reversed(graph), result_.exit());
    result_.dominators = DominatorTree(graph, 0);
  }

  Reader reader_;
  std::vector<std::uint64_t> code_;
  std::vector<bool> leader_;  // by position in code_
  ControlFlow result_;
};

}  // namespace

std::uint32_t ControlFlow::block_at(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(blocks, address, {}, &BasicBlock::address);
  if (after == blocks.begin() || address >= std::prev(after)->end()) return kNoNode;
  return static_cast<std::uint32_t>(after - blocks.begin() - 1);
}

ControlFlow control_flow(const Cubin& cubin, const Program& program, const CodeRange& range) {
  return Builder(cubin, program, range).build();
}

}  // namespace heddle::isa
