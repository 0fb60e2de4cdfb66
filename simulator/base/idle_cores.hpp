// How many of the host's cores have nothing to do.
#pragma once

#include <optional>
#include <string_view>

namespace heddle::simulator {

// Cores that this process may use, less those that other threads use now, of this process or of
// others; at least 1, for the calling thread.
unsigned idle_cores();

// Threads that run or are ready to, of the whole machine: `text` is as /proc/loadavg. Nothing where
// it is not.
std::optional<unsigned> running_threads(std::string_view text);

}  // namespace heddle::simulator
