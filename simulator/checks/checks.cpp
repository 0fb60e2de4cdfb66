#include "simulator/checks/checks.hpp"

#include "simulator/checks/check.hpp"
#include "simulator/checks/hazard_check.hpp"
#include "simulator/checks/init_check.hpp"
#include "simulator/checks/memory_check.hpp"
#include "simulator/checks/race_check.hpp"
#include "simulator/checks/sync_check.hpp"

namespace heddle::simulator::checks {

Checks::Checks(const Options& options, DeviceMemory& memory)
    : memory_(memory), findings_(std::make_unique<Findings>()) {
  if (options.memory) checks_.push_back(std::make_unique<MemoryCheck>(*findings_));
  if (options.races) checks_.push_back(std::make_unique<RaceCheck>(*findings_));
  if (options.init) checks_.push_back(std::make_unique<InitCheck>(*findings_));
  if (options.sync) checks_.push_back(std::make_unique<SyncCheck>(*findings_));
  if (options.hazards) checks_.push_back(std::make_unique<HazardCheck>(*findings_));
  memory_.watch(this);
}

Checks::~Checks() { memory_.watch(nullptr); }

void Checks::begin(const LaunchRequest& request, Observer* beside) {
  findings_->begin(request);
  observers_.clear();
  for (const auto& check : checks_) {
    check->begin(request);
    observers_.push_back(check.get());
  }
  if (beside != nullptr) observers_.push_back(beside);
}

std::vector<Finding> Checks::end(const LaunchOutcome& outcome) {
  for (const auto& check : checks_) check->end(outcome);
  return findings_->take();
}

void Checks::block_started(const Core& core, const Block& block) {
  for (Observer* each : observers_) each->block_started(core, block);
}
void Checks::issuing(const Core& core, const Warp& warp, const Issue& next) {
  for (Observer* each : observers_) each->issuing(core, warp, next);
}
void Checks::issued(const Core& core, const Warp& warp, const Issue& issue) {
  for (Observer* each : observers_) each->issued(core, warp, issue);
}
void Checks::waited(const Core& core, const Warp& warp, const Waited& waited) {
  for (Observer* each : observers_) each->waited(core, warp, waited);
}
void Checks::stuck(const Core& core, const Block& block) {
  for (Observer* each : observers_) each->stuck(core, block);
}
void Checks::block_ended(const Core& core, const Block& block) {
  for (Observer* each : observers_) each->block_ended(core, block);
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
