#include "traces/analysis/simplify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "isa/attributes.hpp"
#include "simulator/base/code_address.hpp"
#include "simulator/base/display_names.hpp"
#include "simulator/launch/code_place.hpp"
#include "traces/analysis/flow_shape.hpp"
#include "traces/analysis/outcome_rule.hpp"
#include "traces/analysis/sketch_text.hpp"
#include "traces/sketch/compile.hpp"

namespace heddle::traces {
namespace {

using Block = std::uint32_t;
using Context = BranchProfile::Context;
using isa::Effect;
constexpr Block kNone = isa::kNoNode;

constexpr unsigned kMostWork = 1000;    // of one work()
constexpr std::size_t kMostCalls = 32;  // within one another

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

// What a launch did, and the sketch that is being written of it.
struct Derivation {
  const simulator::LaunchRequest& request;
  const BranchProfile& profile;
  SketchText text;
  std::size_t calls = 0;   // that are being written, within one another
  unsigned functions = 0;  // written so far

  const simulator::Module& module() const { return *request.module; }
  const isa::Program& program() const { return request.module->program(); }
};

std::string place(const Derivation& all, std::uint64_t address) {
  const simulator::CodePlace at =
      simulator::code_place(all.module(), simulator::index_of_code_address(address));
  return at.function.empty() ? fmt::format("{:#x}", address)
                             : fmt::format("{}+{:#x}", at.function, at.pc);
}

// The code of the kernel, or of a function that was called, in place of the call.
class Function {
 public:
  Function(Derivation& all, Context context, std::uint64_t entry)
      : all_(all),
        text_(all.text),
        context_(context),
        is_kernel_(context == 0),
        number_(all.functions++),
        flow_(flow_at(all, entry)),
        shape_(graph()) {
    if (shape_.crossing != kNone)
      throw NotSimplified(
          fmt::format("{} enters a loop in its middle, which no nest of ifs and loops describes",
                      place(all, at(shape_.crossing).address)));
  }

  void write() {
    node(0, end());
    text_.label(name_of('R', 0));
  }

 private:
  // A loop that is being written.
  struct Open {
    Block header = kNone;
    Block follow = kNone;    // where `break` leads to
    Block tests_at = kNone;  // the block whose branch the loop's own test stands for
  };

  static isa::ControlFlow flow_at(const Derivation& all, std::uint64_t entry) {
    const isa::CodeRange* const range = all.program().range_at(entry);
    if (range == nullptr || range->address != entry)
      throw NotSimplified(
          fmt::format("it calls {}, which is no function's beginning", place(all, entry)));
    return isa::control_flow(all.module().cubin(), all.program(), *range);
  }

  // --- what is there ---

  Block end() const { return static_cast<Block>(flow_.blocks.size()); }
  const isa::BasicBlock& at(Block block) const { return flow_.blocks[block]; }
  std::uint64_t last_address(Block block) const { return at(block).end() - sizeof(isa::Word); }
  const isa::Instruction* instruction(std::uint64_t address) const {
    const auto& in = all_.program().instructions[simulator::index_of_code_address(address)];
    return in ? &*in : nullptr;
  }
  const std::vector<BranchEvent>& events(Block block) const {
    return all_.profile.events(context_, last_address(block));
  }

  // The ways out of a block that threads took. end(): out of the function, or the kernel.
  struct Ways {
    Block taken = kNone, next = kNone;  // of a branch with a condition
    std::vector<Block> others;          // to what a register said
  };
  Ways ways_of(Block block) const {
    const isa::Instruction* const in = instruction(last_address(block));
    Ways ways;
    if (const auto* const went = all_.profile.ways(context_, last_address(block));
        went != nullptr && in != nullptr && isa::effect(*in) != Effect::call) {
      std::set<Block> targets;
      for (const auto& event : went->lanes)
        for (const auto& [address, lanes] : event) targets.insert(block_at(address));
      ways.others.assign(targets.begin(), targets.end());
      return ways;
    }
    for (const isa::Edge& edge : at(block).successors)
      (edge.kind == isa::Edge::Kind::taken ? ways.taken : ways.next) = beyond(edge.block);
    if (at(block).leaves) ways.taken = end();
    if (ways.taken == kNone || ways.next == kNone || in == nullptr) return ways;
    bool any_taken = false, any_next = false;
    for (const BranchEvent& event : events(block)) {
      any_taken = any_taken || event.taken.any();
      any_next = any_next || event.taken != event.active;
    }
    if (!any_taken) ways.taken = kNone;
    if (any_taken && !any_next) ways.next = kNone;
    return ways;
  }
  // The first block from this one on that does something.
  Block beyond(Block block) const {
    for (std::size_t steps = 0; steps < flow_.blocks.size() && only_leads_on(block); ++steps)
      block = at(block).successors.front().block;
    return block;
  }
  static bool only_leads_on(const isa::Instruction& in) {
    switch (isa::effect(in)) {
      case Effect::branch:
      case Effect::set_barrier:
      case Effect::sync:
      case Effect::leave_barrier:
      case Effect::no_operation:
        return true;
      default:
        return false;
    }
  }
  bool only_leads_on(Block block) const {
    if (at(block).successors.size() != 1 || at(block).leaves) return false;
    for (std::uint64_t address = at(block).address; address < at(block).end();
         address += sizeof(isa::Word)) {
      const isa::Instruction* const in = instruction(address);
      if (in == nullptr || !only_leads_on(*in)) return false;
    }
    return true;
  }
  Block block_at(std::uint64_t address) const {
    const Block found = flow_.block_at(address);
    if (found == kNone || at(found).address != address)
      throw NotSimplified(fmt::format("it jumps to {}, out of its function", place(all_, address)));
    return found;
  }
  isa::Graph graph() const {
    isa::Graph graph(flow_.blocks.size());
    for (Block block = 0; block < flow_.blocks.size(); ++block) {
      const Ways ways = ways_of(block);
      for (const Block to : {ways.taken, ways.next})
        if (to != kNone && to != end()) graph[block].push_back(to);
      if (ways.taken == ways.next && !graph[block].empty()) graph[block].pop_back();
      for (const Block to : ways.others) graph[block].push_back(to);
    }
    return graph;
  }

  // --- names and conditions ---

  std::string name_of(char kind, Block block) const {
    return is_kernel_ ? fmt::format("{}{}", kind, block)
                      : fmt::format("{}{}_{}", kind, number_, block);
  }
  std::string where(std::uint64_t address, const std::string& comment) const {
    const auto position = all_.module().position(address);
    if (!position || position->line == 0) return fmt::format("  // {}", comment);
    return fmt::format("  // line {}: {}", position->line, comment);
  }
  OutcomeRule rule_of(const std::vector<BranchEvent>& events, Block block) const {
    return taken_rule(events, all_.request.grid, all_.request.block, name_of('k', block));
  }
  // The rule's condition as it may stand in an if: counted before where it has to be.
  std::string condition(const OutcomeRule& rule, Block block, bool taken) {
    text_.speaks_of(rule.speaks_of_t, rule.speaks_of_x, rule.speaks_of_y);
    const std::string& condition = taken ? rule.condition : rule.opposite;
    if (!rule.counts) return condition;
    const std::string counter = name_of('k', block), held = name_of('b', block);
    text_.declare("int " + counter + " = 0;");
    text_.declare("bool " + held + ";");
    text_.line(fmt::format("{} = {};", held, condition));
    text_.line(fmt::format("++{};", counter));
    return held;
  }

  // --- a block's instructions ---

  void content(Block block) {
    unsigned work = 0, accesses = 0;
    std::string pattern;
    const auto flush_work = [&] {
      if (work != 0) text_.work(work, kMostWork);
      work = 0;
    };
    const auto flush_memory = [&] {
      if (accesses != 0) text_.line(fmt::format("memory({}, {});", accesses, pattern));
      accesses = 0;
    };
    for (std::uint64_t address = at(block).address; address < at(block).end();
         address += sizeof(isa::Word)) {
      const isa::Instruction* const in = instruction(address);
      if (in == nullptr) continue;
      const isa::MemoryAccess access = isa::memory_access(*in);
      const Effect effect = isa::effect(*in);
      const bool memory = access.by_threads() && access.space != isa::Space::constant;
      if (memory) {
        flush_work();
        const std::string mine = pattern_of(all_.profile.accesses(context_, address));
        if (mine != pattern) flush_memory();
        pattern = mine;
        ++accesses;
      } else if (effect == Effect::block_barrier || effect == Effect::warp_sync) {
        flush_work();
        flush_memory();
        text_.line(effect == Effect::block_barrier ? "__syncthreads();" : "__syncwarp();");
      } else if (effect == Effect::call) {
        flush_work();
        flush_memory();
        call(block, address);
      } else if (isa::unit(*in) != isa::Unit::cbu && isa::unit(*in) != isa::Unit::none) {
        flush_memory();
        if (++work == kMostWork) flush_work();
      }
    }
    flush_work();
    flush_memory();
  }

  // The functions that the call led to, each in its place.
  void call(Block block, std::uint64_t address) {
    const auto* const ways = all_.profile.ways(context_, address);
    if (ways == nullptr) return;  // nobody came
    std::set<std::uint64_t> entries;
    for (const auto& event : ways->lanes)
      for (const auto& [entry, lanes] : event) entries.insert(entry);
    std::vector<BranchEvent> events = ways->events;  // of the lanes that are left
    const std::uint64_t back = address + sizeof(isa::Word);
    for (const std::uint64_t entry : entries) {
      for (std::size_t i = 0; i < events.size(); ++i)
        events[i].taken =
            ways->lanes[i].contains(entry) ? ways->lanes[i].at(entry) : simulator::Mask();
      const OutcomeRule rule = rule_of(events, block);
      for (BranchEvent& event : events) event.active &= ~event.taken;
      const bool all = rule.condition == "true";
      if (!all) text_.open(fmt::format("if ({}) {{", condition(rule, block, true)));
      if (entry == back)
        text_.line("// a function of the driver's is called, which is left out");
      else
        inlined(address, entry);
      if (!all) text_.close("}");
      if (all) break;
    }
  }

  void inlined(std::uint64_t address, std::uint64_t entry) {
    const auto context = all_.profile.called(context_, address, entry);
    if (!context || all_.calls == kMostCalls)
      throw NotSimplified(fmt::format("functions call one another more than {} deep", kMostCalls));
    ++all_.calls;
    const isa::CodeRange* const range = all_.program().range_at(entry);
    if (range != nullptr)
      text_.line(
          where(address, fmt::format("calls {}",
                                     simulator::visible(simulator::demangled(
                                         all_.module().cubin().functions[range->function].name))))
              .substr(2));
    Function(all_, *context, entry).write();
    --all_.calls;
  }

  // --- structure ---

  // How a block goes to another one; nothing where that stands next.
  std::string way_to(Block to, Block next) {
    if (to == next) return {};
    if (to == end() ? is_kernel_ : is_exit(to)) return "return;";
    if (!open_.empty() && to == open_.back().header) return "continue;";
    if (!open_.empty() && to == open_.back().follow) return "break;";
    for (const Open& loop : open_)
      if (to == loop.header) return text_.go_to(name_of('N', to));
    return text_.go_to(to == end() ? name_of('R', 0) : name_of('L', to));
  }
  // A block that does nothing but EXIT.
  bool is_exit(Block block) const {
    const isa::Instruction* const in = instruction(at(block).address);
    return at(block).instructions == 1 && in != nullptr && isa::effect(*in) == Effect::exit &&
           !isa::is_conditional(*in);
  }

  // A node and all that stands behind it, up to `next`.
  void node(Block block, Block next) {
    if (shape_.loops.contains(block) && (open_.empty() || open_.back().header != block))
      whole_loop(block, next);
    else
      straight(block, next);
  }
  void nodes(const std::vector<Block>& blocks, Block next) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      text_.label(name_of('L', blocks[i]));
      node(blocks[i], i + 1 < blocks.size() ? blocks[i + 1] : next);
    }
  }
  void straight(Block block, Block next) {
    const std::vector<Block>& behind = shape_.after[block];
    content(block);
    if (open_.empty() || open_.back().tests_at != block)
      leave(block, behind.empty() ? next : behind.front());
    nodes(behind, next);
  }

  // Whether what a branch leads to stands where the branch is: unless that is back to a loop.
  bool stands_here(Block to) const {
    return to != end() && shape_.is_inline(to) &&
           std::ranges::find(open_, to, &Open::header) == open_.end();
  }
  void go(Block to, Block next) {
    if (stands_here(to)) return node(to, next);
    if (const std::string way = way_to(to, next); !way.empty()) text_.line(way);
  }

  // What the instruction at the end of a block does.
  void leave(Block block, Block next) {
    const Ways ways = ways_of(block);
    if (!ways.others.empty()) return choose(block, ways.others, next);
    if (ways.taken != kNone && ways.next != kNone) {
      if (ways.taken != ways.next)
        two_ways(block, rule_of(events(block), block), ways.taken, ways.next, next);
      return ways.taken == ways.next ? go(ways.next, next) : void();
    }
    const Block only = ways.taken != kNone ? ways.taken : ways.next;
    if (only == end() && !is_kernel_ && ends_kernel(block)) {
      text_.line("return;");
      return;
    }
    if (only != kNone) go(only, next);
  }
  // Of a block that leaves a called function: whether by EXIT.
  bool ends_kernel(Block block) const {
    const isa::Instruction* const in = instruction(last_address(block));
    return in != nullptr && isa::effect(*in) == Effect::exit;
  }

  void two_ways(Block block, const OutcomeRule& rule, Block taken, Block other, Block next) {
    const std::string comment = where(last_address(block), rule.comment);
    const auto jump = [&](Block to) {
      if (stands_here(to)) return std::string();
      if (to == end() && ends_kernel(block)) return std::string("asm(\"exit;\");");
      return way_to(to, next);
    };
    const std::string there = jump(taken), here = jump(other);
    const auto when = [&](bool is_taken) { return condition(rule, block, is_taken); };
    if (!there.empty()) {
      text_.line(fmt::format("if ({}) {}{}", when(true), there, comment));
      return go(other, next);
    }
    if (!here.empty()) {
      text_.line(fmt::format("if ({}) {}{}", when(false), here, comment));
      return go(taken, next);
    }
    const bool both = stands_here(taken) && stands_here(other);
    if (!both && !stands_here(taken) && !stands_here(other)) return;
    text_.open(fmt::format("if ({}) {{{}", when(stands_here(taken)), comment));
    node(stands_here(taken) ? taken : other, next);
    if (both && text_.ends_in_a_jump()) {
      text_.close("}");
      return node(other, next);
    }
    if (both) {
      text_.close("} else {");
      text_.reopen();
      node(other, next);
    }
    text_.close("}");
  }

  // A branch to several places: one after the other.
  void choose(Block block, const std::vector<Block>& targets, Block next) {
    const auto& ways = *all_.profile.ways(context_, last_address(block));
    std::vector<BranchEvent> events = ways.events;
    std::size_t opened = 0;
    for (std::size_t i = 0; i + 1 < targets.size(); ++i) {
      for (std::size_t j = 0; j < events.size(); ++j) {
        const auto found = ways.lanes[j].find(at(targets[i]).address);
        events[j].taken = found == ways.lanes[j].end() ? simulator::Mask() : found->second;
      }
      const OutcomeRule rule = rule_of(events, block);
      const std::string comment = where(last_address(block), rule.comment);
      for (BranchEvent& event : events) event.active &= ~event.taken;
      const std::string test = condition(rule, block, true);
      const bool here = stands_here(targets[i]);
      const std::string way = here ? std::string() : way_to(targets[i], next);
      if (!way.empty()) {
        text_.line(fmt::format("if ({}) {}{}", test, way, comment));
        continue;
      }
      text_.open(fmt::format("if ({}) {{{}", test, comment));
      if (here) node(targets[i], next);
      text_.close("} else {");
      text_.reopen();
      ++opened;
    }
    go(targets.back(), next);
    for (; opened != 0; --opened) text_.close("}");
  }

  // --- loops ---

  // The one block that leaves the loop, by a branch; nothing where there are several, or none.
  std::optional<Block> only_exit(const NaturalLoop& loop) const {
    std::optional<Block> found;
    for (const Block block : loop.members) {
      const Ways ways = ways_of(block);
      std::vector<Block> all = ways.others;
      all.insert(all.end(), {ways.taken, ways.next});
      for (const Block to : all) {
        if (to == kNone || loop.members.contains(to)) continue;
        if ((found && *found != block) || !ways.others.empty()) return std::nullopt;
        found = block;
      }
    }
    return found;
  }

  void whole_loop(Block header, Block next) {
    const NaturalLoop& loop = shape_.loops.at(header);
    const Block follow = loop.behind.empty() ? next : loop.behind.front();
    if (!counted_loop(header, loop, follow)) {
      text_.open("while (true) {");
      body(header, {header, follow, kNone});
      text_.close("}");
    }
    nodes(loop.behind, next);
  }

  void body(Block header, const Open& open) {
    open_.push_back(open);
    straight(header, header);
    open_.pop_back();
    text_.label(name_of('N', header));
  }

  // A loop that is left at one place, whose rounds are known when it is entered.
  bool counted_loop(Block header, const NaturalLoop& loop, Block follow) {
    const auto exit = only_exit(loop);
    if (!exit) return false;
    const Ways ways = ways_of(*exit);
    if (ways.taken == kNone || ways.next == kNone) return false;
    const bool taken_stays = ways.taken != end() && loop.members.contains(ways.taken);
    const Block stays = taken_stays ? ways.taken : ways.next;
    const Block left_to = taken_stays ? ways.next : ways.taken;
    if (left_to != follow) return false;  // it leaves by a way of its own
    if (left_to == end() && ends_kernel(*exit)) return false;
    const bool tests_first = *exit == header && stays != header && !has_calls(header);
    const bool tests_last =
        stays == header && loop.latches.size() == 1 && loop.latches.contains(*exit);
    if (!tests_first && !tests_last) return false;
    const TripRule rule = trip_rule(events(*exit), taken_stays, all_.request.block);
    text_.speaks_of(rule.speaks_of_t, false, false);
    const std::string comment = where(last_address(*exit), rule.comment);
    if (tests_first) {
      // What is computed for the test is done once more than the body.
      text_.open(fmt::format("for ({}) {{{}", rule.count, comment));
      open_.push_back({header, follow, kNone});
      content(header);
      const std::vector<Block>& behind = shape_.after[header];
      go(stays, behind.empty() ? header : behind.front());
      nodes(behind, header);
      open_.pop_back();
      text_.label(name_of('N', header));
      text_.close("}");
      content(header);
      return true;
    }
    const std::string counter = name_of('n', *exit);
    text_.declare("int " + counter + ";");
    text_.line(fmt::format("{} = {};{}", counter, rule.count, comment));
    text_.open("do {");
    body(header, {header, follow, *exit});
    text_.close(fmt::format("}} while ({}-- > 0);", counter));
    return true;
  }
  bool has_calls(Block block) const {
    return std::ranges::any_of(flow_.calls, [&](const isa::CallSite& call) {
      return call.address >= at(block).address && call.address < at(block).end();
    });
  }

  Derivation& all_;
  SketchText& text_;
  Context context_;
  bool is_kernel_;
  unsigned number_;
  isa::ControlFlow flow_;
  FlowShape shape_;
  std::vector<Open> open_;
};

}  // namespace

std::string simplify(const simulator::LaunchRequest& request, const BranchProfile& profile,
                     const std::string& name, const std::string& described) {
  if (!profile.knows_callers())
    throw NotSimplified(fmt::format("its functions are called in more than {} ways (a recursion)",
                                    BranchProfile::kMostContexts));
  Derivation all{.request = request, .profile = profile, .text = {}};
  Function(all, 0, all.program().entry(*request.kernel)).write();
  std::string text = fmt::format("// Derived from {}.\n", simulator::visible(described));
  if (!profile.complete())
    text += "// The launch is long: its first blocks stand for all of them.\n";
  const auto& [grid, block] = std::pair(request.grid, request.block);
  text += all.text.kernel(name);
  text += fmt::format("\n{}<<<dim3({}, {}, {}), dim3({}, {}, {})>>>();\n", name, grid.x, grid.y,
                      grid.z, block.x, block.y, block.z);
  try {
    isa::sketch::compile(text, name);
  } catch (const isa::sketch::SketchError& wrong) {
    throw NotSimplified(fmt::format("no sketch can hold it: {}", wrong.what()));
  }
  return text;
}

std::string sketch_name(const std::string& kernel) {
  std::string name = simulator::base_name(kernel);
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ? "kernel_" + name
                                                                           : name;
}

}  // namespace heddle::traces
