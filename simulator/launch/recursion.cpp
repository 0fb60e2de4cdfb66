#include "simulator/launch/recursion.hpp"

#include "isa/attributes.hpp"

namespace heddle::simulator {
namespace {

constexpr std::uint64_t kWord = 16;

}  // namespace

CallGraph::CallGraph(const isa::Program& program)
    : program_(program), functions_(program.ranges.size()) {
  for (std::size_t i = 0; i < program.instructions.size(); ++i)
    if (program.instructions[i] && isa::effect(*program.instructions[i]) == isa::Effect::call)
      add_call(*program.instructions[i], isa::kCodeBase + kWord * i);
}

void CallGraph::add_call(const isa::Instruction& in, std::uint64_t address) {
  const std::size_t caller = at(address);
  if (caller == functions_.size()) return;
  if (in.a.kind != isa::Source::Kind::none) {
    functions_[caller].calls_any = true;
    return;
  }
  const auto offset = static_cast<std::uint64_t>(in.offset);
  const bool absolute = in.mod(isa::Mod::absolute) != 0;
  const std::size_t called = at(absolute ? offset : address + kWord + offset);
  if (called != functions_.size()) functions_[caller].calls.insert(called);
}

// The function whose code is at an address; how many there are where it is nobody's.
std::size_t CallGraph::at(std::uint64_t address) const {
  const isa::CodeRange* range = program_.range_at(address);
  return range == nullptr ? functions_.size()
                          : static_cast<std::size_t>(range - program_.ranges.data());
}

// Those that a function calls, and that these call.
std::set<std::size_t> CallGraph::reached_from(std::size_t start) const {
  std::set<std::size_t> reached;
  std::vector<std::size_t> to_visit{start};
  while (!to_visit.empty()) {
    const Function& function = functions_[to_visit.back()];
    to_visit.pop_back();
    for (const std::size_t next : function.calls)
      if (reached.insert(next).second) to_visit.push_back(next);
  }
  return reached;
}

bool CallGraph::may_recurse(std::uint64_t entry) const {
  const std::size_t start = at(entry);
  if (start == functions_.size()) return false;
  std::set<std::size_t> concerned = reached_from(start);
  concerned.insert(start);
  for (const std::size_t function : std::set(concerned))
    for (std::size_t i = 0; functions_[function].calls_any && i < functions_.size(); ++i)
      concerned.insert(i);
  for (const std::size_t function : concerned)
    if (reached_from(function).contains(function)) return true;
  return false;
}

}  // namespace heddle::simulator
