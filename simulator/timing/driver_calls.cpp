#include "simulator/timing/driver_calls.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulator/execute/device_runtime.hpp"
#include "simulator/timing/print_shares.hpp"

namespace heddle::simulator::timing {
namespace {

unsigned lowest_lane(Mask lanes) { return lanes.first(); }

// What a further lane adds depends on the size, and not evenly.
Cycle malloc_lane(const Constants& constants, std::uint64_t bytes) {
  const std::pair<std::uint64_t, std::uint32_t> up_to[] = {
      {64, constants.latency_malloc_lane},          {256, constants.latency_malloc_lane_256},
      {1024, constants.latency_malloc_lane_1024},   {4096, constants.latency_malloc_lane_4096},
      {16384, constants.latency_malloc_lane_16384},
  };
  for (const auto& [most, cycles] : up_to)
    if (bytes <= most) return cycles;
  return constants.latency_malloc_lane_65536;
}

// A warp's malloc by itself, and when many warps allocate, what all of them wait for: one heap
// (gpu/kernels/micro/timing/heap.cu).
Cycle allocation_cycles(SmContext& context, Cycle lanes, std::uint64_t bytes, Cycle now) {
  constexpr std::uint64_t kQuick = 256, kSlow = 1024;
  const Constants& constants = context.constants;
  Cycle alone = constants.latency_malloc + (lanes - 1) * malloc_lane(constants, bytes);
  if (!context.allocated) alone += constants.latency_malloc_first;
  context.allocated = true;
  const Cycle one =
      bytes > kQuick && bytes <= kSlow ? constants.interval_malloc_1024 : constants.interval_malloc;
  const Cycle served = one + (lanes - 1) * constants.interval_malloc_lane;
  return std::max(alone, context.heap.wait(now, served * Server::kTicks) + served);
}

constexpr double kThousand = 1000;

void spend(StallCycles& time, Cycle cycles, const PrintShares& shares) {
  double sum = 0;
  Cycle spent = 0;
  const auto add = [&](Stall reason, std::uint16_t share) {
    sum += static_cast<double>(cycles) * share / kThousand;
    const Cycle more = static_cast<Cycle>(std::llround(sum)) - spent;
    time[static_cast<std::size_t>(reason)] += more;
    spent += more;
  };
  add(Stall::wait, shares.wait);
  add(Stall::selected, shares.selected);
  add(Stall::no_instruction, shares.no_instruction);
  add(Stall::long_scoreboard, shares.long_scoreboard);
  add(Stall::short_scoreboard, shares.short_scoreboard);
  add(Stall::membar, shares.membar);
  add(Stall::branch_resolving, shares.branch_resolving);
}

// Until the driver's code is near: the first call of a launch with cold caches asks for it, and
// waits longer if it has an argument. Those meanwhile wait with it.
Cycle print_code(SmContext& context, const PrintedText& text, Cycle now) {
  const Constants& constants = context.constants;
  if (context.print_code == kNever) context.print_code = now + constants.latency_printf_first;
  if (context.print_arguments == kNever && text.arguments != 0)
    context.print_arguments =
        std::max(context.print_code, now) + constants.latency_printf_first_argument;
  const Cycle near = text.arguments != 0 ? context.print_arguments : context.print_code;
  return std::max(near, now) - now;
}

// A warp's printf by itself, until its code is near, and while others print: all of the chip wait
// for one another, by lanes, of which four cost no more than one.
StallCycles print_time(SmContext& context, Mask on, Cycle now) {
  constexpr Cycle kFewLanes = 4, kHundred = 100;
  const Constants& constants = context.constants;
  const PrintedText& text = context.core.printed;
  const Cycle lanes = on.count();
  const Cycle call =
      constants.latency_printf + Cycle{text.arguments} * constants.latency_printf_argument;
  const Cycle characters =
      Cycle{text.characters} * constants.latency_printf_character +
      Cycle{text.string_characters} * constants.latency_printf_string_character;
  const Cycle by_lane =
      lanes * (constants.latency_printf_lane +
               text.characters * constants.latency_printf_lane_character / kHundred);
  const Cycle more = std::max(lanes, kFewLanes) - kFewLanes;
  const Cycle turn = constants.interval_printf + more * constants.interval_printf_lane;
  const Cycle code = print_code(context, text, now);
  const Cycle alone = call + characters + by_lane;
  const Cycle wait = context.prints.wait(now, alone);
  context.prints.add(now + code + alone + wait, turn);

  StallCycles time{};
  spend(time, call, kOfCall);
  spend(time, characters, kOfCharacters);
  spend(time, by_lane, kOfLanes);
  const Cycle of_few = turn == 0 ? 0 : wait * constants.interval_printf / turn;
  spend(time, of_few, kOfFewLanesTurns);
  spend(time, wait - of_few, kOfMoreLanesTurns);
  time[static_cast<std::size_t>(Stall::no_instruction)] += code;
  return time;
}

}  // namespace

std::optional<DriverCall> driver_call(const SmContext& context, const ResidentWarp& warp,
                                      const Timed& timed) {
  const Step& step = context.core.launch.program->steps[warp.pc];
  const bool absolute = step.selector != 0;
  if (step.instruction == nullptr || (!absolute && !timed.is_indirect)) return std::nullopt;
  const unsigned lane = lowest_lane(warp.warp->convergence->current().lanes);
  auto address = static_cast<std::uint64_t>(absolute ? step.instruction->offset : 0);
  if (timed.is_indirect) {
    const std::uint32_t* const low = source_row(*warp.warp, step.a) + lane;
    address += low[0] + (std::uint64_t{low[kWarpSize]} << 32);
  }
  const std::optional<Builtin> callee = builtin_at(address);
  if (!callee) return std::nullopt;
  const std::uint32_t* const low = warp.warp->rows + kFirstArgument * kWarpSize + lane;
  return DriverCall{*callee, low[0] | std::uint64_t{low[kWarpSize]} << 32};
}

StallCycles driver_call_time(SmContext& context, const DriverCall& call, const Issue& issued,
                             Cycle now) {
  const Constants& constants = context.constants;
  const auto lanes = static_cast<Cycle>(issued.on.count());
  StallCycles time{};
  Cycle& wait = time[static_cast<std::size_t>(Stall::wait)];
  switch (call.callee) {
    case Builtin::vprintf:
      return print_time(context, issued.on, now);
    case Builtin::malloc:
      wait = allocation_cycles(context, lanes, call.argument, now);
      return time;
    case Builtin::free:
      wait = constants.latency_free + (lanes - 1) * constants.latency_free_lane;
      return time;
    default:
      return time;
  }
}

}  // namespace heddle::simulator::timing
