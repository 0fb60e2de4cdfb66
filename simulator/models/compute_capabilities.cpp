// What an SM of each compute capability gives out.
//
// From 3.0 on: the toolkit's cuda_occupancy.h and the table of technical specifications in NVIDIA's
// CUDA C++ Programming Guide; tests/occupancy_test.cpp compares what follows from them with that
// header. Before: appendix "Compute Capabilities" of the guides of their time (3.2 for 1.x, 8.0 for
// 2.x), and the units of allocation of NVIDIA's occupancy spreadsheet. 1.x gives out registers by
// the block, the others by the warp.
#include <algorithm>
#include <array>

#include "simulator/models/occupancy.hpp"

namespace heddle::simulator {
namespace {

constexpr std::uint32_t kKiB = 1024;

constexpr SmLimits tesla(std::string_view name, std::uint32_t warps, std::uint32_t registers) {
  return {.name = name,
          .max_threads_per_block = 512,
          .max_warps = warps,
          .max_blocks = 8,
          .registers = registers,
          .registers_per_block = registers,
          .registers_per_thread = 124,
          .register_unit = registers / 32,
          .registers_by_block = true,
          .warp_granularity = 2,
          .shared_bytes = 16 * kKiB,
          .shared_bytes_per_block = 16 * kKiB,
          .shared_unit = 512};
}

constexpr SmLimits fermi(std::string_view name) {
  return {.name = name,
          .max_threads_per_block = 1024,
          .max_warps = 48,
          .max_blocks = 8,
          .registers = 32 * kKiB,
          .registers_per_block = 32 * kKiB,
          .registers_per_thread = 63,
          .register_unit = 64,
          .warp_granularity = 2,
          .shared_bytes = 48 * kKiB,
          .shared_bytes_per_block = 48 * kKiB,
          .shared_unit = 128};
}

// Kepler and later have most in common: what differs follows from the row of the table.
struct Row {
  std::string_view name;
  std::uint32_t warps, blocks, shared_kib, shared_kib_per_block;
  std::uint32_t registers_per_thread = 255;
  std::uint32_t registers_kib = 64, registers_kib_per_block = 64;
};

constexpr SmLimits later(const Row& row, std::uint32_t shared_unit, std::uint32_t reserved,
                         std::uint32_t barriers = 0) {
  return {.name = row.name,
          .max_threads_per_block = 1024,
          .max_warps = row.warps,
          .max_blocks = row.blocks,
          .barriers = barriers,
          .registers = row.registers_kib * kKiB,
          .registers_per_block = row.registers_kib_per_block * kKiB,
          .registers_per_thread = row.registers_per_thread,
          .register_unit = 256,
          .warp_granularity = 4,
          .shared_bytes = row.shared_kib * kKiB,
          .shared_bytes_per_block = row.shared_kib_per_block * kKiB,
          .shared_bytes_reserved = reserved,
          .shared_unit = shared_unit};
}

constexpr SmLimits pascal_6_0() {
  SmLimits sm = later({"6.0", 64, 32, 64, 48}, 256, 0);
  sm.warp_granularity = 2;
  sm.warp_granularity_to_fit = 4;
  return sm;
}

constexpr std::array kCapabilities = {
    tesla("1.0", 24, 8 * kKiB),
    tesla("1.1", 24, 8 * kKiB),
    tesla("1.2", 32, 16 * kKiB),
    tesla("1.3", 32, 16 * kKiB),
    fermi("2.0"),
    fermi("2.1"),
    later({"3.0", 64, 16, 48, 48, 63}, 256, 0),
    later({"3.2", 64, 16, 48, 48, 255, 64, 32}, 256, 0),
    later({"3.5", 64, 16, 48, 48}, 256, 0),
    later({"3.7", 64, 16, 112, 48, 255, 128, 64}, 256, 0),
    later({"5.0", 64, 32, 64, 48}, 256, 0),
    later({"5.2", 64, 32, 96, 48}, 256, 0),
    later({"5.3", 64, 32, 64, 48, 255, 64, 32}, 256, 0),
    pascal_6_0(),
    later({"6.1", 64, 32, 96, 48}, 256, 0),
    later({"6.2", 64, 32, 64, 48, 255, 64, 32}, 256, 0),
    later({"7.0", 64, 32, 96, 96}, 256, 0),
    later({"7.2", 64, 32, 96, 96}, 256, 0),
    later({"7.5", 32, 16, 64, 64}, 256, 0),
    later({"8.0", 64, 32, 164, 163}, 128, kKiB),
    later({"8.6", 48, 16, 100, 99}, 128, kKiB),
    later({"8.7", 48, 16, 164, 163}, 128, kKiB),
    later({"8.9", 48, 24, 100, 99}, 128, kKiB),
    later({"9.0", 64, 32, 228, 227}, 128, kKiB, 64),
    later({"10.0", 64, 32, 228, 227}, 128, kKiB, 64),
    later({"10.3", 64, 32, 228, 227}, 128, kKiB, 64),
    later({"11.0", 48, 24, 228, 227}, 128, kKiB, 24),
    later({"12.0", 48, 24, 100, 99}, 128, kKiB, 24),
    later({"12.1", 48, 24, 100, 99}, 128, kKiB, 24),
};

}  // namespace

std::span<const SmLimits> compute_capabilities() { return kCapabilities; }

const SmLimits* find_compute_capability(std::string_view name) {
  const auto* found = std::ranges::find(kCapabilities, name, &SmLimits::name);
  return found == kCapabilities.end() ? nullptr : found;
}

}  // namespace heddle::simulator
