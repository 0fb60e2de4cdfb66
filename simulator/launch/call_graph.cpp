#include "simulator/launch/call_graph.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "isa/attributes.hpp"

namespace heddle::simulator {
namespace {

constexpr std::uint64_t kWord = sizeof(isa::Word);

}  // namespace

CallGraph::CallGraph(const isa::Program& program, const isa::Cubin& cubin)
    : program_(program), functions_(program.ranges.size()), in_section_(cubin.sections.size()) {
  std::vector<bool> has_kernel(cubin.sections.size());
  for (const isa::Function& function : cubin.functions)
    if (function.is_kernel) has_kernel[function.section] = true;
  for (std::size_t i = 0; i < program.ranges.size(); ++i) {
    const std::uint32_t section = program.ranges[i].section;
    in_section_[section].push_back(i);
    if (!has_kernel[section]) outside_kernels_.push_back(i);
  }
  for (std::size_t i = 0; i < program.instructions.size(); ++i)
    if (program.instructions[i]) add_jump(*program.instructions[i], isa::kCodeBase + kWord * i);
  for (Function& function : functions_) {
    auto& all = function.leads_to;
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
}

// Branches count where they leave their section: compilers place parts of a function behind others.
void CallGraph::add_jump(const isa::Instruction& in, std::uint64_t address) {
  const bool calls = isa::effect(in) == isa::Effect::call;
  if (!calls && isa::effect(in) != isa::Effect::branch) return;
  const std::size_t from = at(address);
  if (from == functions_.size()) return;
  if (calls && in.a.kind != isa::Source::Kind::none) {
    functions_[from].calls_any = true;
    return;
  }
  const auto offset = static_cast<std::uint64_t>(in.offset);
  const bool absolute = calls && in.mod(isa::Mod::absolute) != 0;
  const std::size_t to = at(absolute ? offset : address + kWord + offset);
  if (to == functions_.size()) return;
  if (calls || program_.ranges[from].section != program_.ranges[to].section)
    functions_[from].leads_to.push_back(to);
}

// The function whose code is at an address; how many there are where it is nobody's.
std::size_t CallGraph::at(std::uint64_t address) const {
  const isa::CodeRange* range = program_.range_at(address);
  return range == nullptr ? functions_.size()
                          : static_cast<std::size_t>(range - program_.ranges.data());
}

// These and what they lead to, in order.
std::vector<std::size_t> CallGraph::reached_from(std::vector<std::size_t> to_visit) const {
  std::set<std::size_t> reached(to_visit.begin(), to_visit.end());
  const auto reach = [&](const std::vector<std::size_t>& functions) {
    for (const std::size_t next : functions)
      if (reached.insert(next).second) to_visit.push_back(next);
  };
  while (!to_visit.empty()) {
    const std::size_t visited = to_visit.back();
    to_visit.pop_back();
    reach(functions_[visited].leads_to);
    if (!functions_[visited].calls_any) continue;
    reach(in_section_[program_.ranges[visited].section]);
    reach(outside_kernels_);
  }
  return {reached.begin(), reached.end()};
}

std::vector<std::size_t> CallGraph::reached_by_kernel(std::uint64_t entry) const {
  const std::size_t start = at(entry);
  if (start == functions_.size()) return {};
  return reached_from(in_section_[program_.ranges[start].section]);
}

// Takes away what nobody calls, again and again: what remains is called in a circle.
bool CallGraph::may_recurse(std::uint64_t entry) const {
  const std::size_t start = at(entry);
  if (start == functions_.size()) return false;
  std::unordered_map<std::size_t, std::size_t> callers;
  std::vector<std::size_t> uncalled = reached_from({start});
  for (const std::size_t function : uncalled)
    for (const std::size_t called : functions_[function].leads_to) ++callers[called];
  std::erase_if(uncalled, [&](std::size_t function) { return callers.contains(function); });
  while (!uncalled.empty()) {
    const std::size_t function = uncalled.back();
    uncalled.pop_back();
    for (const std::size_t called : functions_[function].leads_to) {
      const auto left = callers.find(called);
      if (--left->second != 0) continue;
      callers.erase(left);
      uncalled.push_back(called);
    }
  }
  return !callers.empty();
}

}  // namespace heddle::simulator
