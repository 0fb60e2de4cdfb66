#include "simulator/execute/row_layout.hpp"

#include <array>
#include <vector>

namespace heddle::simulator {
namespace {

// The rows of a warp that a kernel can touch.
std::array<bool, kRowsPerWarp> touched_rows(const NamedRows& named) {
  std::array<bool, kRowsPerWarp> touched{};
  const auto mark = [&](std::size_t first, std::size_t end) {
    for (std::size_t row = first; row < end && row < kRowsPerWarp; ++row) touched[row] = true;
  };
  mark(0, named.registers + 1);
  mark(kDiscardRow, kUniformRow + named.uniform_registers + 1);
  mark(kUniformRow + isa::kUniformRegisters, kRowsPerWarp);
  return touched;
}

// Whether warps at that distance have no row in common.
bool lie_apart(const std::array<bool, kRowsPerWarp>& touched, std::size_t distance) {
  std::vector<bool> taken(distance);
  for (std::size_t row = 0; row < touched.size(); ++row) {
    if (!touched[row]) continue;
    if (taken[row % distance]) return false;
    taken[row % distance] = true;
  }
  return true;
}

}  // namespace

std::size_t interleaved_rows(const NamedRows& named) {
  const auto touched = touched_rows(named);
  std::size_t distance = 1;
  while (distance < kRowsPerWarp && !lie_apart(touched, distance)) ++distance;
  return distance;
}

}  // namespace heddle::simulator
