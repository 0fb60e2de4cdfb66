#include "simulator/run/revocable_run.hpp"

#include <utility>

namespace heddle::simulator {
namespace {

std::optional<Deadlock> deadlock_of(const LaunchContext& launch, std::uint64_t resident) {
  Trial trial(launch);
  bool others_may_act = false;  // what would follow then is seen when it is executed for good
  if (launch.options->wait)
    trial.options().wait = [&](const Standstill&) {
      others_may_act = true;
      return false;
    };
  run_blocks(trial.core(), resident, whole_grid(launch));
  trial.put_back();
  if (others_may_act) return std::nullopt;
  std::optional<Fault>& fault = trial.core().fault;
  if (!fault || fault->kind != Fault::Kind::deadlock) return std::nullopt;
  return Deadlock{std::move(*fault), trial.core().issued};
}

}  // namespace

std::optional<Deadlock> find_deadlock(const LaunchContext& launch, std::uint64_t resident) {
  if (info(launch.reconvergence).progress) return std::nullopt;
  return deadlock_of(launch, resident);
}

bool deadlocks(const LaunchContext& launch, std::uint64_t resident) {
  return deadlock_of(launch, resident).has_value();
}

RevocableRun::RevocableRun(const LaunchContext& launch, std::uint64_t resident)
    : launch_(launch),
      printed_(launch.printed->most_bytes()),
      trial_(launch, &printed_),
      threads_(true) {
  run_ = threads_.execute(trial_.core(), resident, whole_grid(launch));
}

bool RevocableRun::wrote_host_memory(std::uint64_t own) const {
  return trial_.wrote_host_memory(own) || threads_.wrote_host_memory();
}

void RevocableRun::revoke() {
  threads_.undo();  // to what it was before those joined
  trial_.put_back();
}

BlockRun RevocableRun::keep() {
  launch_.printed->add(std::move(printed_));
  return std::move(run_);
}

}  // namespace heddle::simulator
