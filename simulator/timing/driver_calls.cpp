#include "simulator/timing/driver_calls.hpp"

#include <algorithm>
#include <utility>

#include "simulator/execute/device_runtime.hpp"

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

// A warp's printf by itself, and when many warps print, as many places on the chip as lanes that
// do, and some for the call (gpu/kernels/micro/timing/printing.cu).
// The first call of a launch with cold caches waits for the code besides, as do those meanwhile.
DriverTime print_time(SmContext& context, const ResidentWarp& warp, Mask on, Cycle now) {
  const Constants& constants = context.constants;
  const auto lanes = on.count();
  // vprintf returns how many arguments the format names.
  const std::uint32_t arguments = warp.warp->rows[kFirstArgument * kWarpSize + lowest_lane(on)];
  const Cycle alone = constants.latency_printf + Cycle{lanes} * constants.latency_printf_lane +
                      Cycle{arguments} * constants.latency_printf_argument;
  const std::uint32_t place = std::max(1u, constants.interval_printf_lane);
  const std::uint32_t places = lanes + constants.interval_printf / place;
  Cycle last = now;
  for (std::uint32_t i = 0; i < places; ++i) last = context.printing.take(now);
  if (context.print_code == kNever) context.print_code = now + constants.latency_printf_first;
  const Cycle code = std::max(context.print_code, now) - now;
  const Cycle near = std::max(alone, last + place - now);
  return {near + code, code};
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

DriverTime driver_call_time(SmContext& context, const DriverCall& call, const ResidentWarp& warp,
                            const Issue& issued, Cycle now) {
  const auto lanes = static_cast<Cycle>(issued.on.count());
  switch (call.callee) {
    case Builtin::vprintf:
      return print_time(context, warp, issued.on, now);
    case Builtin::malloc:
      return {allocation_cycles(context, lanes, call.argument, now)};
    case Builtin::free:
      return {context.constants.latency_free + (lanes - 1) * context.constants.latency_free_lane};
    default:
      return {};
  }
}

}  // namespace heddle::simulator::timing
