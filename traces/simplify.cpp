#include "traces/simplify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "isa/attributes.hpp"
#include "simulator/names.hpp"
#include "traces/outcome_rule.hpp"

namespace heddle::traces {
namespace {

using Block = std::uint32_t;
using isa::Op;
constexpr Block kNone = isa::kNoNode;

constexpr std::size_t kMostLines = 3000, kMostDepth = 40;
constexpr unsigned kMostWork = 1000;  // of one work()

struct NaturalLoop {
  std::set<Block> members;
  std::set<Block> latches;
  Block follow = kNone;  // where all its exits lead
};

bool is_conditional(const isa::Instruction& in) {
  return in.guard.index != isa::kPT || in.pp.index != isa::kPT;
}

std::string pattern_of(const AccessProfile* profile) {
  if (profile == nullptr || profile->executions == 0) return "coalesced";
  const auto usual = std::ranges::max_element(profile->strides, {},
                                              [](const auto& entry) { return entry.second; });
  const bool even = usual != profile->strides.end() && usual->second * 2 > profile->executions;
  if (profile->shared)
    return even && usual->first > 1 ? fmt::format("shared({})", usual->first) : "shared";
  if (profile->same * 2 > profile->executions && profile->lanes > profile->executions)
    return "broadcast";
  const bool beside = even && usual->first == 1;  // each lane the word after its neighbour's
  if (beside || profile->sectors * 4 <= profile->ideal * 5) return "coalesced";
  if (even && usual->first > 1) return fmt::format("strided({})", usual->first);
  return "random";
}

class Simplifier {
 public:
  Simplifier(const simulator::LaunchRequest& request, const BranchProfile& profile)
      : request_(request),
        profile_(profile),
        module_(*request.module),
        program_(module_.program()),
        flow_(isa::control_flow(module_.cubin(), program_,
                                *program_.range_at(program_.entry(*request.kernel)))) {
    if (!flow_.calls.empty()) throw NotSimplified("it calls functions, which is not built yet");
    for (const isa::BasicBlock& block : flow_.blocks)
      if (block.unresolved || std::ranges::any_of(block.successors, [](const isa::Edge& edge) {
            return edge.kind == isa::Edge::Kind::indirect;
          }))
        throw NotSimplified("it has indirect branches, which is not built yet");
    find_loops();
  }

  std::string run(const std::string& name, const std::string& described) {
    region(0, kNone, kNone, true, true);
    std::string text = fmt::format("// Derived from {}.\n", simulator::visible(described));
    if (!profile_.complete())
      text += "// The launch is a long one: what its first blocks did speaks for all.\n";
    text += fmt::format("__global__ void {}() {{\n", name);
    if (uses_t_)
      text +=
          "  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n";
    if (uses_x_) text += "  const int x = blockIdx.x * blockDim.x + threadIdx.x;\n";
    if (uses_y_) text += "  const int y = blockIdx.y * blockDim.y + threadIdx.y;\n";
    for (const unsigned counter : counters_) text += fmt::format("  int k{} = 0;\n", counter);
    for (const std::string& line : lines_) text += line + "\n";
    const auto& [grid, block] = std::pair(request_.grid, request_.block);
    return text + fmt::format("}}\n\n{}<<<dim3({}, {}, {}), dim3({}, {}, {})>>>();\n", name, grid.x,
                              grid.y, grid.z, block.x, block.y, block.z);
  }

 private:
  const isa::BasicBlock& at(Block block) const { return flow_.blocks[block]; }
  const isa::Instruction& last(Block block) const {
    return *program_.instructions[simulator::index_of_code_address(at(block).end() - 16)];
  }

  // --- loops ---

  void find_loops() {
    for (Block from = 0; from < flow_.blocks.size(); ++from)
      for (const isa::Edge& edge : at(from).successors)
        if (flow_.dominators.dominates(edge.block, from)) add_loop(edge.block, from);
    for (auto& [header, loop] : loops_) {
      Block follow = header;
      while (follow != kNone && follow != flow_.exit() && loop.members.contains(follow))
        follow = flow_.post_dominators.immediate(follow);
      loop.follow = follow == flow_.exit() ? kNone : follow;
    }
  }

  void add_loop(Block header, Block latch) {
    NaturalLoop& loop = loops_[header];
    loop.latches.insert(latch);
    loop.members.insert(header);
    std::vector<Block> work{latch};
    while (!work.empty()) {
      const Block block = work.back();
      work.pop_back();
      if (!loop.members.insert(block).second) continue;
      for (const Block before : at(block).predecessors) work.push_back(before);
    }
  }

  // The header of the next loop around one.
  Block outer(Block header) const {
    Block found = kNone;
    for (const auto& [other, loop] : loops_)
      if (other != header && loop.members.contains(header) &&
          (found == kNone || loop.members.size() < loops_.at(found).members.size()))
        found = other;
    return found;
  }

  // The one block that leaves the loop by a branch; nothing where there are several, or an EXIT.
  std::optional<Block> only_exit(const NaturalLoop& loop) const {
    std::optional<Block> found;
    for (const Block block : loop.members) {
      if (at(block).leaves) return std::nullopt;
      for (const isa::Edge& edge : at(block).successors) {
        if (loop.members.contains(edge.block)) continue;
        if (found && *found != block) return std::nullopt;
        found = block;
      }
    }
    return found;
  }

  // --- lines ---

  void line(const std::string& text) {
    if (lines_.size() > kMostLines)
      throw NotSimplified("its paths cross so that no ifs and loops describe them");
    pending_work_ = 0;
    lines_.push_back(std::string(2 * depth_, ' ') + text);
  }

  // Neighbouring stretches of arithmetic become one.
  void work_line(unsigned count) {
    const unsigned before = pending_work_;
    if (before != 0 && before + count <= kMostWork) {
      lines_.pop_back();
      count += before;
    }
    line(fmt::format("work({});", count));
    pending_work_ = count;
  }

  std::string where(Block block, const std::string& comment) const {
    const auto position = module_.position(at(block).end() - 16);
    if (!position || position->line == 0) return fmt::format("  // {}", comment);
    return fmt::format("  // line {}: {}", position->line, comment);
  }

  // What the branch at the end of a block did.
  OutcomeRule rule_at(Block block) const {
    return taken_rule(profile_.events(at(block).end() - 16), request_.grid, request_.block,
                      fmt::format("k{}", block));
  }

  // The condition under which threads go one way, as it may stand in an if: counted before where it
  // has to be.
  std::string condition(Block block, const OutcomeRule& rule, bool taken) {
    uses_t_ = uses_t_ || rule.speaks_of_t;
    uses_x_ = uses_x_ || rule.speaks_of_x;
    uses_y_ = uses_y_ || rule.speaks_of_y;
    const std::string& text = taken ? rule.condition : rule.opposite;
    if (!rule.counts) return text;
    counters_.insert(block);
    line(fmt::format("const bool b{} = {};", block, text));
    line(fmt::format("++k{};", block));
    return fmt::format("b{}", block);
  }

  void content(Block block) {
    unsigned work = 0;
    std::string pattern;
    unsigned accesses = 0;
    const auto flush_work = [&] {
      if (work != 0) work_line(work);
      work = 0;
    };
    const auto flush_memory = [&] {
      if (accesses != 0) line(fmt::format("memory({}, {});", accesses, pattern));
      accesses = 0;
    };
    for (std::uint64_t address = at(block).address; address < at(block).end(); address += 16) {
      const auto& in = program_.instructions[simulator::index_of_code_address(address)];
      if (!in) continue;
      const isa::MemoryAccess access = isa::memory_access(*in);
      const bool memory =
          access.kind != isa::MemoryAccess::Kind::none && access.space != isa::Space::constant;
      if (memory) {
        flush_work();
        const std::string mine = pattern_of(profile_.accesses(address));
        if (mine != pattern) flush_memory();
        pattern = mine;
        ++accesses;
      } else if (in->op == Op::BAR || in->op == Op::WARPSYNC) {
        flush_work();
        flush_memory();
        line(in->op == Op::BAR ? "__syncthreads();" : "__syncwarp();");
      } else if (isa::unit(*in) != isa::Unit::cbu && isa::unit(*in) != isa::Unit::none) {
        flush_memory();
        if (++work == kMostWork) flush_work();
      }
    }
    flush_work();
    flush_memory();
  }

  void nested(const std::function<void()>& body) {
    if (++depth_ > kMostDepth) throw NotSimplified("its branches are nested too deep");
    body();
    --depth_;
  }

  // --- structure ---

  bool ends_at_once(Block block) const {
    return at(block).leaves && at(block).successors.empty() && at(block).instructions <= 8;
  }

  // From `block` until `stop`; in the loop with header `loop`. `fresh`: the loop's header itself is
  // the first. `tail`: what follows is the next round anyway.
  void region(Block block, Block stop, Block loop, bool fresh, bool tail) {
    while (block != kNone && block != stop) {
      if (loop != kNone) {
        const NaturalLoop& around = loops_.at(loop);
        if (block == loop && !fresh) {
          if (!tail) line("continue;");
          return;
        }
        if (!around.members.contains(block)) {
          if (block != around.follow) region(block, around.follow, outer(loop), false, true);
          line("break;");
          return;
        }
      }
      if (loops_.contains(block) && !(block == loop && fresh)) {
        const Block header = block;
        block = loops_.at(header).follow;
        whole_loop(header);
        continue;
      }
      fresh = false;
      content(block);
      block = after(block, stop, loop, tail);
    }
  }

  // What comes after a block's content; kNone where its region ends.
  Block after(Block block, Block stop, Block loop, bool tail) {
    const isa::BasicBlock& here = at(block);
    const isa::Instruction& end = last(block);
    if (here.leaves) {
      if (here.successors.empty()) {
        if (depth_ > 1 || stop != kNone) line("return;");
        return kNone;
      }
      const OutcomeRule rule = rule_at(block);
      if (rule.condition != "false") {
        const std::string ends = condition(block, rule, true);
        line(fmt::format("if ({}) return;{}", ends, where(block, rule.comment)));
      }
      return here.successors.front().block;
    }
    if (here.successors.empty()) return kNone;
    if (here.successors.size() == 1 || end.op != Op::BRA || !is_conditional(end))
      return here.successors.front().block;
    Block taken = kNone, next = kNone;
    for (const isa::Edge& edge : here.successors)
      (edge.kind == isa::Edge::Kind::taken ? taken : next) = edge.block;
    const OutcomeRule rule = rule_at(block);
    if (rule.condition == "true") return taken;
    if (rule.condition == "false") return next;
    const std::string comment = where(block, rule.comment);
    const auto one_sided = [&](bool side_is_taken, Block side_stop) {
      line(fmt::format("if ({}) {{{}", condition(block, rule, side_is_taken), comment));
      nested([&] { region(side_is_taken ? taken : next, side_stop, loop, false, false); });
      line("}");
    };
    const auto leads_out = [&](Block side) {
      return ends_at_once(side) ||
             (loop != kNone && (side == loop || !loops_.at(loop).members.contains(side)));
    };
    if (leads_out(taken)) return one_sided(true, kNone), next;
    if (leads_out(next)) return one_sided(false, kNone), taken;
    Block join = flow_.post_dominators.immediate(block);
    if (join == flow_.exit()) join = kNone;
    if (loop != kNone && join != kNone && !loops_.at(loop).members.contains(join)) join = kNone;
    if (join == next) return one_sided(true, join), join;
    if (join == taken) return one_sided(false, join), join;
    line(fmt::format("if ({}) {{{}", condition(block, rule, true), comment));
    nested([&] { region(taken, join, loop, false, tail && join == kNone); });
    line("} else {");
    nested([&] { region(next, join, loop, false, tail && join == kNone); });
    line("}");
    return join;
  }

  void whole_loop(Block header) {
    const NaturalLoop& loop = loops_.at(header);
    const auto exit = only_exit(loop);
    if (exit && last(*exit).op == Op::BRA && is_conditional(last(*exit))) {
      bool taken_stays = false;
      Block stays = kNone;
      for (const isa::Edge& edge : at(*exit).successors)
        if (loop.members.contains(edge.block)) {
          taken_stays = edge.kind == isa::Edge::Kind::taken;
          stays = edge.block;
        }
      const TripRule rule =
          trip_rule(profile_.events(at(*exit).end() - 16), taken_stays, request_.block);
      uses_t_ = uses_t_ || rule.speaks_of_t;
      if (*exit == header && stays != header) return while_loop(header, stays, rule);
      if (stays == header && loop.latches.size() == 1) return do_loop(header, *exit, rule);
    }
    line("while (true) {");
    nested([&] { region(header, kNone, header, true, true); });
    line("}");
  }

  // The test first; what is computed for it is done once more than the body.
  void while_loop(Block header, Block body, const TripRule& rule) {
    line(fmt::format("for ({}) {{{}", rule.count, where(header, rule.comment)));
    nested([&] {
      content(header);
      region(body, kNone, header, false, true);
    });
    line("}");
    content(header);
  }

  void do_loop(Block header, Block exit, const TripRule& rule) {
    line(fmt::format("int n{} = {};{}", exit, rule.count, where(exit, rule.comment)));
    line("do {");
    nested([&] {
      if (header != exit) region(header, exit, header, true, true);
      content(exit);
    });
    line(fmt::format("}} while (n{}-- > 0);", exit));
  }

  const simulator::LaunchRequest& request_;
  const BranchProfile& profile_;
  const simulator::Module& module_;
  const isa::Program& program_;
  isa::ControlFlow flow_;
  std::map<Block, NaturalLoop> loops_;
  std::vector<std::string> lines_;
  unsigned pending_work_ = 0;  // of the last line, where that is work(n)
  std::size_t depth_ = 1;
  std::set<unsigned> counters_;
  bool uses_t_ = false, uses_x_ = false, uses_y_ = false;
};

}  // namespace

std::string simplify(const simulator::LaunchRequest& request, const BranchProfile& profile,
                     const std::string& name, const std::string& described) {
  return Simplifier(request, profile).run(name, described);
}

std::string sketch_name(const std::string& kernel) {
  std::string name = simulator::base_name(kernel);
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ? "kernel_" + name
                                                                           : name;
}

}  // namespace heddle::traces
