#include "traces/analysis/call_log.hpp"

#include "isa/attributes.hpp"

namespace heddle::traces {

void CallLog::issued(const simulator::CoreView& core, const simulator::WarpView& warp,
                     const simulator::Issue& issue) {
  if (core.issued() <= seen_) return;
  seen_ = core.issued();
  const simulator::MicroOp& step = core.instruction(issue.pc);
  if (step.instruction == nullptr || issue.on.empty()) return;
  const isa::Effect effect = isa::effect(*step.instruction);
  const bool is_call = effect == isa::Effect::call;
  if (!is_call && effect != isa::Effect::ret) return;
  // The driver's functions return at once.
  if (const simulator::Group* current = warp.current();
      is_call && current != nullptr && current->pc == issue.pc + 1)
    return;
  events_[{warp.block().linear(), warp.index()}].push_back(
      {core.issued() - 1, issue.on, issue.pc, is_call});
}

std::vector<std::uint32_t> CallLog::stack(std::uint64_t block, std::uint32_t warp, unsigned lane,
                                          std::uint64_t step) const {
  std::vector<std::uint32_t> calls;
  const auto found = events_.find({block, warp});
  if (found == events_.end()) return calls;
  for (const Event& event : found->second) {
    if (event.step >= step) break;
    if (!event.lanes.has(lane)) continue;
    if (event.is_call)
      calls.push_back(event.pc);
    else if (!calls.empty())
      calls.pop_back();
  }
  return calls;
}

}  // namespace heddle::traces
