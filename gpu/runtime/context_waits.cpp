// Launches that stand still: all their warps wait for memory to change.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "gpu/runtime/context.hpp"
#include "gpu/runtime/launch_wait.hpp"
#include "simulator/launch/device_launches.hpp"

namespace heddle::runtime {
namespace {

std::string process_status() {
  std::ifstream file("/proc/self/status");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

// Not those that wait for this very launch, or for what comes behind it.
bool Context::others_may_write(const simulator::Standstill& standstill) const {
  if (ending_) return false;
  for (const std::uint64_t address : standstill.addresses)
    if (const auto block = memory_.find(address))
      if (block->kind == MemoryKind::registered || block->shared) return true;  // by a process
  const auto threads = threads_of_process();
  if (!threads || *threads > engine_.waiting_threads() + Engine::own_threads()) return true;
  return catches_signals(process_status());
}

// Eight bytes from each address, or what there is of them. What the program has registered it may
// have unmapped: such memory counts as changed.
std::vector<std::uint64_t> Context::held_at(const std::vector<std::uint64_t>& addresses) {
  std::vector<std::uint64_t> values;
  values.reserve(addresses.size());
  for (const std::uint64_t address : addresses) {
    std::uint64_t value = 0;
    const simulator::Allocation* const found = device_.memory().find(address);
    if (found != nullptr && found->registered) {
      value = ++looks_;
    } else if (found != nullptr) {
      const std::uint64_t offset = address - found->address;
      std::memcpy(&value, found->data + offset,
                  std::min<std::uint64_t>(sizeof value, found->bytes - offset));
    }
    values.push_back(value);
  }
  return values;
}

bool Context::wait_for_others(const simulator::Standstill& standstill, LaunchWait& wait) {
  constexpr std::chrono::microseconds kLongest{2000};
  constexpr std::chrono::seconds kQuietFor{1};
  if (lost()) return false;
  const auto before = held_at(standstill.addresses);
  const auto changed = [&] { return held_at(standstill.addresses) != before; };
  const auto others_went_on = [&] {
    if (!engine_.carry_out_another(wait.place, changed, !may_launch_within())) return false;
    wait.pause = LaunchWait{}.pause;
    return true;
  };
  if (others_went_on()) return true;
  // Once all threads wait, nothing more is submitted; one may have done so just before.
  if (!others_may_write(standstill)) return others_went_on();
  const auto now = std::chrono::steady_clock::now();
  if (!wait.since) wait.since = now;
  if (!wait.said && now - *wait.since >= kQuietFor) {
    wait.said = true;
    options_.notice(
        fmt::format("{} waits for the host program, or another stream, to change memory\n  {}",
                    standstill.kernel, standstill.description));
  }
  std::this_thread::sleep_for(wait.pause);
  wait.pause = std::min(2 * wait.pause, kLongest);
  return true;
}

// An observer of a launch's instructions, or of its memory before and after, sees one launch at a
// time.
bool Context::may_launch_within() {
  if (checks_ != nullptr || simulator::DeviceLaunches::any(device_.memory())) return false;
  return std::ranges::none_of(options_.observers,
                              [](const auto& each) { return each->one_launch_at_a_time(); });
}

}  // namespace heddle::runtime
