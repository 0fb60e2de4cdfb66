#include "simulator/timing/operand_sources.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "simulator/execute/texture_use.hpp"

namespace heddle::simulator::timing {
namespace {

std::uint32_t indexed_line(const Constants& constants, const Timed& timed, std::uint32_t index) {
  constexpr std::uint32_t kBankBytes = 1 << 16;
  const std::uint32_t number =
      (timed.constant_offset + index) % kBankBytes / constants.constant_line_bytes;
  return static_cast<std::uint32_t>(timed.constant_line) +
         std::min(number, timed.constant_lines_of_bank - 1);
}

}  // namespace

std::uint32_t operand_line(const SmContext& context, const ResidentWarp& warp, const Timed& timed) {
  if (timed.constant_lines_of_bank == 0) return static_cast<std::uint32_t>(timed.constant_line);
  const Step& step = context.core.launch.program->steps[warp.pc];
  return indexed_line(context.constants, timed, source_row(*warp.warp, step.a)[0]);
}

void IndexedConstants::find(const SmContext& context, const ResidentWarp& warp,
                            const Timed& timed) {
  lines.clear();
  places = 1;
  if (timed.constant_line < 0) return;
  if (timed.constant_lines_of_bank == 0) {
    lines.push_back(static_cast<std::uint32_t>(timed.constant_line));
    return;
  }
  const Step& step = context.core.launch.program->steps[warp.pc];
  const std::uint32_t* index = source_row(*warp.warp, step.a);
  std::array<std::uint32_t, kWarpSize> found;
  std::uint32_t count = 0;
  for (const unsigned lane : warp.warp->convergence->current().lanes) {
    const auto named = std::span(found).first(count);
    if (std::ranges::find(named, index[lane]) != named.end()) continue;
    found[count++] = index[lane];
    const std::uint32_t line = indexed_line(context.constants, timed, index[lane]);
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
  }
  places = std::max(1u, count);
}

TextureHeader texture_read(const SmContext& context, const ResidentWarp& warp) {
  const Step& step = context.core.launch.program->steps[warp.pc];
  const Mask lanes = warp.warp->convergence->current().lanes;
  return texture_in_use(context.core, *warp.warp, step, lanes.first()).value_or(TextureHeader{});
}

}  // namespace heddle::simulator::timing
