#include "simulator/checks/checks.hpp"

#include <algorithm>
#include <bit>

#include "simulator/checks/check.hpp"
#include "simulator/checks/hazard_check.hpp"
#include "simulator/checks/init_check.hpp"
#include "simulator/checks/memory_check.hpp"
#include "simulator/checks/race_check.hpp"
#include "simulator/checks/sync_check.hpp"

namespace heddle::simulator::checks {

Checks::Checks(const Options& options, DeviceMemory& memory)
    : memory_(memory), races_(options.races), findings_(std::make_unique<Findings>()) {
  if (options.memory) checks_.push_back(std::make_unique<MemoryCheck>(*findings_));
  if (options.races) checks_.push_back(std::make_unique<RaceCheck>(*findings_));
  if (options.init) checks_.push_back(std::make_unique<InitCheck>(*findings_));
  if (options.sync) checks_.push_back(std::make_unique<SyncCheck>(*findings_));
  if (options.hazards) checks_.push_back(std::make_unique<HazardCheck>(*findings_));
  for (std::size_t i = 0; i < checks_.size(); ++i)
    if (checks_[i]->follows_runs()) followers_ |= static_cast<std::uint8_t>(1u << i);
  memory_.watch(this);
}

Checks::~Checks() { memory_.watch(nullptr); }

void Checks::begin(const LaunchRequest& request, Observer* beside) {
  findings_->begin(request);
  for (const auto& check : checks_) check->begin(request);
  beside_ = beside;
  find_interests(*request.module);
}

void Checks::end(LaunchOutcome& outcome) {
  for (const auto& check : checks_) check->end(outcome);
  outcome.findings = findings_->take();
  if (!races_) return;
  LaunchClass& judged = outcome.launch_class;
  const bool found = std::ranges::any_of(outcome.findings,
                                         [](const Finding& each) { return each.check == "races"; });
  // Where there are as many findings as are kept, a race may be among the others.
  if (found || outcome.findings.size() < Findings::kMost)
    judged.races = found ? LaunchClass::Races::found : LaunchClass::Races::none;
  if (found) judged.order_dependent_because.push_back("data race");
}

void Checks::find_interests(const Module& module) {
  const bool for_debugging = is_for_debugging(module);
  if (code_ == module.code_sha256() && for_debugging_ == for_debugging) return;
  code_ = module.code_sha256();
  for_debugging_ = for_debugging;
  const std::vector<Step>& steps = lowered(module).steps;
  interests_.assign(steps.size(), {});
  left_out_.assign(steps.size(), 0);
  for (std::size_t pc = steps.size(); pc-- > 0;) {
    const Step& step = steps[pc];
    Interest& found = interests_[pc];
    for (std::size_t i = 0; i < checks_.size() && step.instruction != nullptr; ++i) {
      if (checks_[i]->looks_before(step)) found.before |= static_cast<std::uint8_t>(1u << i);
      if (checks_[i]->looks_behind(step)) found.behind |= static_cast<std::uint8_t>(1u << i);
    }
    const bool is_left_out = step.lane != nullptr && (found.before | found.behind) == 0;
    if (is_left_out && pc + 1 < steps.size())
      left_out_[pc] = static_cast<std::uint8_t>(std::min(left_out_[pc + 1] + 1, 0xff));
    // What is told one by one those are told of as well that follow runs.
    found.before |= followers_;
  }
}

std::span<const std::uint8_t> Checks::left_out() const {
  if (beside_ != nullptr) return {};  // which is told of everything
  return left_out_;
}

void Checks::passed(const CoreView&, const WarpView& warp, Pc first, Pc end, Mask active) {
  for (unsigned left = followers_; left != 0; left &= left - 1)
    checks_[static_cast<std::size_t>(std::countr_zero(left))]->passed(warp.machine(), first, end,
                                                                      active);
}

void Checks::block_started(const CoreView& core, const BlockView& block) {
  for (const auto& check : checks_) check->block_started(core.machine(), block.machine());
  if (beside_ != nullptr) beside_->block_started(core, block);
}
void Checks::issuing(const CoreView& core, const WarpView& warp, const Issue& next) {
  for (unsigned left = interests_[next.pc].before; left != 0; left &= left - 1)
    checks_[static_cast<std::size_t>(std::countr_zero(left))]->issuing(core.machine(),
                                                                       warp.machine(), next);
  if (beside_ != nullptr) beside_->issuing(core, warp, next);
}
void Checks::issued(const CoreView& core, const WarpView& warp, const Issue& issue) {
  if (!issue.accesses.empty()) {
    for (const auto& check : checks_) check->issued(core.machine(), warp.machine(), issue);
  } else {
    for (unsigned left = interests_[issue.pc].behind; left != 0; left &= left - 1)
      checks_[static_cast<std::size_t>(std::countr_zero(left))]->issued(core.machine(),
                                                                        warp.machine(), issue);
  }
  if (beside_ != nullptr) beside_->issued(core, warp, issue);
}
void Checks::waited(const CoreView& core, const WarpView& warp, const Waited& waited) {
  if (beside_ != nullptr) beside_->waited(core, warp, waited);
}
void Checks::stuck(const CoreView& core, const BlockView& block) {
  for (const auto& check : checks_) check->stuck(core.machine(), block.machine());
  if (beside_ != nullptr) beside_->stuck(core, block);
}
void Checks::block_ended(const CoreView& core, const BlockView& block) {
  for (const auto& check : checks_) check->block_ended(core.machine(), block.machine());
  if (beside_ != nullptr) beside_->block_ended(core, block);
}

void Checks::allocated(const Allocation& allocation) {
  for (const auto& check : checks_) check->allocated(allocation);
}
void Checks::freed(const Allocation& allocation) {
  for (const auto& check : checks_) check->freed(allocation);
}
void Checks::written(std::uint64_t address, std::uint64_t bytes) {
  for (const auto& check : checks_) check->written(address, bytes);
}

}  // namespace heddle::simulator::checks
