// Which checks look on.
#pragma once

#include <string>
#include <string_view>

namespace heddle::simulator::checks {

struct Options {
  bool memory = false;   // accesses outside what is allocated, misaligned, to freed memory
  bool races = false;    // conflicting accesses that nothing orders
  bool init = false;     // reads of what nobody wrote
  bool sync = false;     // barriers not all threads reach, wrong masks, deadlocks
  bool hazards = false;  // control codes that do not honour latencies

  bool operator==(const Options&) const = default;
  bool any() const { return memory || races || init || sync || hazards; }
};

// "memory,races"; compute-sanitizer's names of its tools (memcheck, racecheck, initcheck,
// synccheck) mean the same; "all". Throws std::invalid_argument, with "did you mean".
Options parse_options(std::string_view text);

// "memory,races"; empty where there are none.
std::string to_text(const Options& options);

}  // namespace heddle::simulator::checks
