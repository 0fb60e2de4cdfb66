#include "simulator/base/idle_cores.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <thread>

namespace heddle::simulator {

// "0.20 0.18 0.12 1/80 11206": the fourth is running/all.
std::optional<unsigned> running_threads(std::string_view text) {
  for (int i = 0; i < 3; ++i) {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    text.remove_prefix(space + 1);
  }
  unsigned running = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), running);
  if (error != std::errc() || end == text.data() + text.size() || *end != '/') return std::nullopt;
  return running;
}

unsigned idle_cores() {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  if (cores == 1) return 1;
  std::ifstream file("/proc/loadavg");
  std::string line;
  std::getline(file, line);
  const unsigned others = std::max(1u, running_threads(line).value_or(1)) - 1;  // but for this one
  return others >= cores ? 1 : std::max(1u, cores - others);
}

}  // namespace heddle::simulator
