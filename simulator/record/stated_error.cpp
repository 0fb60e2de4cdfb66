#include "simulator/record/stated_error.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace heddle::simulator {
namespace {

using timing::Stall;

// Below, what precedes the first warp and follows the last decides.
constexpr std::uint64_t kShortCycles = 5000;

std::uint64_t cycles(const timing::Result& timing, std::initializer_list<Stall> reasons) {
  std::uint64_t sum = 0;
  for (const Stall reason : reasons) sum += timing.stalls[static_cast<std::size_t>(reason)];
  return sum;
}

}  // namespace

TimeBound time_bound(const timing::Result& timing) {
  if (timing.active_max < kShortCycles) return TimeBound::start;
  const std::array<std::pair<std::uint64_t, TimeBound>, 5> groups{{
      {cycles(timing, {Stall::long_scoreboard, Stall::lg_throttle, Stall::tex_throttle,
                       Stall::drain, Stall::membar}),
       TimeBound::memory},
      {cycles(timing, {Stall::short_scoreboard, Stall::mio_throttle}), TimeBound::shared_memory},
      {cycles(timing, {Stall::barrier, Stall::sleeping, Stall::gmma}), TimeBound::barriers},
      {cycles(timing, {Stall::no_instruction, Stall::imc_miss, Stall::branch_resolving}),
       TimeBound::fetch},
      {cycles(timing, {Stall::wait, Stall::math_pipe_throttle, Stall::selected, Stall::not_selected,
                       Stall::dispatch_stall, Stall::misc}),
       TimeBound::arithmetic},
  }};
  return std::ranges::max_element(groups)->second;
}

}  // namespace heddle::simulator
