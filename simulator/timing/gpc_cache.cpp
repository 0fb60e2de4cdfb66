#include "simulator/timing/gpc_cache.hpp"

#include <algorithm>

namespace heddle::simulator::timing {

namespace {

// When a launch's code comes to a GPC. One half of L2 holds it, to which some GPCs are nearer
// (measured: place_* of gpu/kernels/micro/timing/cold_launches.cu; SMs of several GPCs differ as
// places in memory do for one). More of the kernel's code comes first, and takes the far ones
// longer (measured: code_sizes.cu: the last SM waits twice as long for it as the mean). Which half
// is not known, so that the first GPC, in which small launches are alone, gets it after the mean
// time.
Cycle launch_code_arrival(const Constants& constants, std::uint32_t lines, std::uint32_t gpc) {
  const Cycle ahead = std::uint64_t{std::min(lines, constants.launch_lines_ahead)} *
                      constants.interval_launch_line / Calendar::kHundred;
  const Cycle mean = Cycle{constants.latency_launch} + constants.latency_launch_code;
  if (gpc == 0) return mean + ahead;
  return near_half_of(constants, gpc) != 0
             ? mean + constants.latency_launch_far + 2 * ahead
             : mean - std::min<Cycle>(mean, constants.latency_launch_far);
}

}  // namespace

GpcCache::GpcCache(const Constants& constants, const TimedProgram& program, std::uint32_t entry,
                   std::uint32_t kernel_lines, bool cold, bool kept, std::uint32_t number,
                   const std::vector<SmPlace>& places)
    : constants_(constants), constant_places_(program.constant_lines), cold_(cold), kept_(kept) {
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
  const std::uint32_t first = entry / program.instructions_per_line;
  const std::uint32_t end =
      std::min(program.code_lines,
               first + constants.launch_instruction_bytes / constants.instruction_line_bytes);
  for (std::uint32_t line = first; line < end; ++line)
    code_.insert(line, kept ? 0 : launch_code_arrival(constants, kernel_lines, number));
  // By themselves: whose code is there early waits for them (measured: constant.* of
  // code_sizes.cu).
  const Cycle constants_there =
      Cycle{constants.latency_launch} + constants.latency_launch_constants;
  for (std::uint32_t line = 0; line < constant_lines; ++line)
    if (constant_places_[line].bank == 0) constant_lines_.insert(line, constants_there);
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
  return std::max(now, constant_lines_.arrival(line));
}

}  // namespace heddle::simulator::timing
