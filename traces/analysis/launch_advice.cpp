#include "traces/analysis/launch_advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "simulator/base/display_numbers.hpp"
#include "simulator/launch/launch_shape.hpp"
#include "simulator/models/occupancy.hpp"

namespace heddle::traces {
namespace {

using simulator::KernelResources;
using simulator::Occupancy;
using simulator::readable_whole;

std::string whole_percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

// "one register less (39) leaves it at 75 %; 32 give 100 %"
std::string registers_text(const simulator::GpuModel& gpu, KernelResources kernel,
                           const Occupancy& now) {
  const std::uint32_t registers = kernel.registers_per_thread;
  if (registers < 2) return {};
  const auto with = [&](std::uint32_t count) {
    kernel.registers_per_thread = count;
    return simulator::occupancy(gpu, kernel).fraction;
  };
  std::string text = fmt::format("; one register less ({}) {} {}", registers - 1,
                                 with(registers - 1) == now.fraction ? "leaves it at" : "gives",
                                 whole_percent(with(registers - 1)));
  for (std::uint32_t count = registers - 2; count > 0; --count)
    if (with(count) > std::max(now.fraction, with(registers - 1)))
      return text + fmt::format(", {} give {}", count, whole_percent(with(count)));
  return text;
}

// When the last block ends, if blocks are started in their order wherever one has ended.
double makespan(const std::vector<double>& blocks, std::size_t slots) {
  std::priority_queue<double, std::vector<double>, std::greater<>> ends;
  double last = 0;
  for (const double block : blocks) {
    double begin = 0;
    if (ends.size() == slots) {
      begin = ends.top();
      ends.pop();
    }
    ends.push(begin + block);
    last = std::max(last, begin + block);
  }
  return last;
}

}  // namespace

std::string shape_text(const simulator::LaunchRequest& request, const simulator::GpuModel& gpu) {
  const KernelResources kernel = simulator::resources_of(request);
  const Occupancy now = simulator::occupancy(gpu, kernel);
  if (now.blocks_per_sm == 0) return {};
  const std::uint64_t blocks = request.grid.count();
  const double waves = simulator::waves(gpu, now, blocks);
  constexpr double kSmallest = 0.01;
  std::string text =
      fmt::format("{} block{} {} {} waves of {} SMs; occupancy {}", readable_whole(blocks),
                  blocks == 1 ? "" : "s", blocks == 1 ? "is" : "are",
                  waves < kSmallest ? "less than 0.01" : fmt::format("{:.2f}", waves), gpu.sms,
                  whole_percent(now.fraction));
  if (now.fraction >= 1) return text;
  text += fmt::format(" ({} blocks per SM), limited by {}", now.blocks_per_sm,
                      fmt::join(now.limited_by, " and "));
  const bool by_registers = std::ranges::find(now.limited_by, "registers") != now.limited_by.end();
  return by_registers ? text + registers_text(gpu, kernel, now) : text;
}

std::vector<std::pair<double, Advice>> launch_advice(const simulator::LaunchRequest& request,
                                                     const AccessWatch& accesses,
                                                     const simulator::GpuModel& gpu) {
  std::vector<std::pair<double, Advice>> found;
  const Occupancy now = simulator::occupancy(gpu, simulator::resources_of(request));
  const std::size_t slots = std::size_t{now.blocks_per_sm} * gpu.sms;
  if (slots == 0 || accesses.blocks().size() < 2) return found;
  std::vector<std::pair<std::uint64_t, double>> by_block;
  for (const auto& [block, steps] : accesses.blocks())
    by_block.emplace_back(block, static_cast<double>(steps));
  std::ranges::sort(by_block);
  std::vector<double> steps;
  double sum = 0;
  for (const auto& [block, count] : by_block) {
    steps.push_back(count);
    sum += count;
  }
  const double mean = sum / static_cast<double>(steps.size());
  const double even = makespan(std::vector<double>(steps.size(), mean), slots);
  const double real = makespan(steps, slots);
  constexpr double kUneven = 0.1;  // a tenth: blocks never end together
  if (const double share = 1 - even / real; share >= kUneven) {
    const auto longest =
        std::ranges::max_element(by_block, {}, [](const auto& e) { return e.second; });
    found.emplace_back(
        share,
        Advice{fmt::format("Blocks of unequal length: {} of the time", whole_percent(share)),
               fmt::format("Block {} executes {} warp instructions, the mean is {}. With "
                           "blocks of equal length the last would end after {} of the time. It "
                           "helps to give long blocks the first numbers, to cut the work into more "
                           "and smaller blocks, or to let blocks fetch work from a counter.",
                           longest->first, readable_whole(longest->second), readable_whole(mean),
                           whole_percent(1 - share)),
               -1});
  }
  const double waves = simulator::waves(gpu, now, request.grid.count());
  const double tail = 1 - waves / std::ceil(waves);
  constexpr double kMostWaves = 3;  // beyond, the last wave is little of all
  if (waves > 1 && waves < kMostWaves && tail >= kUneven)
    found.emplace_back(
        tail,
        Advice{
            fmt::format("The last wave of blocks is not full: {} of the time", whole_percent(tail)),
            fmt::format("{} blocks are {:.2f} times what the GPU holds at once ({}), so in "
                        "the last wave SMs have nothing to do. It helps to choose a grid of "
                        "a multiple of {} blocks with a loop in them (grid stride), or "
                        "smaller blocks.",
                        readable_whole(request.grid.count()), waves, readable_whole(slots),
                        readable_whole(slots)),
            -1});
  return found;
}

}  // namespace heddle::traces
