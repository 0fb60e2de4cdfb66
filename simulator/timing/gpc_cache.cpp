#include "simulator/timing/gpc_cache.hpp"

#include <algorithm>
#include <optional>

namespace heddle::simulator::timing {

namespace {

// The half of L2 that a launch's code is in. A module's first kernel is in the one far from the
// first GPC, whatever the module and its size (measured: line511 of
// gpu/kernels/micro/timing/code_places.cu; the kernels behind it are in either).
std::optional<unsigned> half_of_code(const Constants& constants, const LaunchedKernel& kernel) {
  if (kernel.entry != 0 || constants.l2_halves == 1) return std::nullopt;
  return constants.l2_halves - 1;
}

// When a launch's code comes to a GPC. One half of L2 holds it, to which some GPCs are nearer
// (measured: place_* of gpu/kernels/micro/timing/cold_launches.cu; SMs of several GPCs differ as
// places in memory do for one). More of the kernel's code comes first, and takes the far ones
// longer (measured: code_sizes.cu: the last SM waits twice as long for it as the mean). Where the
// half is not known the first GPC, in which small launches are alone, gets it after the mean time.
Cycle launch_code_arrival(const Constants& constants, const LaunchedKernel& kernel,
                          std::uint32_t gpc) {
  const Cycle ahead = std::uint64_t{std::min(kernel.lines, constants.launch_lines_ahead)} *
                      constants.interval_launch_line / Calendar::kHundred;
  const Cycle mean = Cycle{constants.latency_launch} + constants.latency_launch_code;
  const std::optional<unsigned> half = half_of_code(constants, kernel);
  if (gpc == 0 && !half) return mean + ahead;
  return near_half_of(constants, gpc) != half.value_or(0)
             ? mean + constants.latency_launch_far + 2 * ahead
             : mean - std::min<Cycle>(mean, constants.latency_launch_far);
}

// How much later code and parameters come to a GPC that has many blocks: they go on to its SMs
// together, some cycles after the last of them has got its first block (measured:
// nothing.*.b132.t256 and constant.*.b132.t256 of code_sizes.cu; SMs that get blocks of eight warps
// over 143 cycles begin within 65, as those do that get blocks of one warp over 32:
// places.*.b132.begin.* of block_places.cu).
Cycle dispatch_delay(const Constants& constants, const LaunchedKernel& kernel, std::uint32_t gpc,
                     const std::vector<SmPlace>& places) {
  Cycle last = 0;
  for (std::size_t sm = 0; sm < std::min(kernel.sms, places.size()); ++sm)
    if (places[sm].gpc == gpc) last = std::max<Cycle>(last, places[sm].before);
  const Cycle begins = last * kernel.block_interval + constants.latency_launch_dispatched;
  return begins - std::min<Cycle>(begins, constants.latency_launch_code);
}

}  // namespace

GpcCache::GpcCache(const Constants& constants, const TimedProgram& program,
                   const LaunchedKernel& kernel, std::uint32_t number,
                   const std::vector<SmPlace>& places)
    : constants_(constants),
      constant_places_(program.constant_lines),
      cold_(kernel.cold),
      kept_(kernel.kept),
      constants_way_(constants.interval_gpc_constant) {
  for (std::uint32_t sm = 0; sm < places.size(); ++sm) {
    if (places[sm].gpc != number) continue;
    sms_.push_back(sm);
    while (ways_.size() <= places[sm].cpc) ways_.emplace_back(constants.interval_cpc_line);
  }
  const auto constant_lines = static_cast<std::uint32_t>(program.constant_lines.size());
  code_.start(program.code_lines,
              constants.l15_instruction_bytes / constants.instruction_line_bytes);
  constant_lines_.start(constant_lines,
                        constants.l15_instruction_bytes / constants.constant_line_bytes);
  const std::uint32_t first = kernel.entry / program.instructions_per_line;
  const std::uint32_t end =
      std::min(program.code_lines,
               first + constants.launch_instruction_bytes / constants.instruction_line_bytes);
  const Cycle delay = dispatch_delay(constants, kernel, number, places);
  const Cycle code_there = launch_code_arrival(constants, kernel, number) + delay;
  for (std::uint32_t line = first; line < end; ++line) code_.insert(line, kept_ ? 0 : code_there);
  // The parameters come by themselves: whose code is there early waits for them (measured:
  // constant.* of code_sizes.cu). The other constants are there before any code (measured: the LDC
  // of code_places.cu takes as long wherever its kernel is).
  const Cycle parameters_there =
      Cycle{constants.latency_launch} + constants.latency_launch_constants + delay;
  for (std::uint32_t line = 0; line < constant_lines; ++line) {
    const ConstantLine& place = constant_places_[line];
    if (place.bank != 0) continue;
    const bool has_parameters =
        (place.number + 1) * constants.constant_line_bytes > kernel.parameters;
    constant_lines_.insert(line, has_parameters ? parameters_there : 0);
  }
}

Cycle GpcCache::code(std::uint32_t line, Cycle now, Server& from_l2) {
  Cycle here = code_.arrival(line);
  if (here == kNever) {
    const std::uint32_t interval =
        cold_ ? constants_.interval_dram_instruction_line : constants_.interval_l2_instruction_line;
    here = now + from_l2.wait(now, interval * Server::kTicks) +
           constants_.latency_l15_instruction_miss + (cold_ ? constants_.latency_dram_extra : 0);
    code_.insert(line, here);
  }
  return std::max(now, here);
}

// L2 sends several lines at a time.
void GpcCache::fetch_constants(std::uint32_t line, Cycle now) {
  const std::uint32_t together =
      std::max(1u, constants_.constant_fill_bytes / constants_.constant_line_bytes);
  const ConstantLine& wanted = constant_places_[line];
  const auto comes_along = [&](std::uint32_t other) {
    return constant_places_[other].bank == wanted.bank &&
           constant_places_[other].number / together == wanted.number / together;
  };
  std::uint32_t first = line, end = line + 1;
  while (first > 0 && comes_along(first - 1)) --first;
  while (end < constant_places_.size() && comes_along(end)) ++end;
  const Cycle here =
      now + constants_.latency_constant_l15_miss + (cold_ ? constants_.latency_dram_extra : 0);
  for (std::uint32_t each = first; each < end; ++each)
    if (constant_lines_.arrival(each) == kNever) constant_lines_.insert(each, here);
}

Cycle GpcCache::constant(std::uint32_t line, Cycle now) {
  if (constant_lines_.arrival(line) == kNever) fetch_constants(line, now);
  return constants_way_.take(std::max(now, constant_lines_.arrival(line)));
}

}  // namespace heddle::simulator::timing
