// Waiting for memory that others change, while a launch stands still.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include "gpu/runtime/engine.hpp"

namespace heddle::runtime {

// How long one launch has stood still.
struct LaunchWait {
  Engine::Place place;  // its own
  std::optional<std::chrono::steady_clock::time_point> since = std::nullopt;
  bool said = false;  // to the user
  std::chrono::microseconds pause{50};
};

// Threads of this process that have not ended; nothing where the system does not say.
std::optional<std::size_t> threads_of_process();

// Whether the program catches signals with functions of its own, but for those of its own faults:
// such a function may change memory while all threads wait. `status`: as /proc/self/status.
bool catches_signals(std::string_view status);

}  // namespace heddle::runtime
