#include "traces/analysis/stall_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "isa/attributes.hpp"
#include "simulator/base/code_address.hpp"
#include "traces/analysis/launch_cost.hpp"

namespace heddle::traces {
namespace {

using simulator::timing::kStalls;
using simulator::timing::Stall;
using simulator::timing::StallCycles;

constexpr std::size_t kMostLinesOfAdvice = 3;

bool is_far(const isa::Instruction& instruction) {
  const isa::Space space = isa::memory_access(instruction).space;
  return isa::memory_access(instruction).kind != isa::MemoryAccess::Kind::none &&
         space != isa::Space::shared && space != isa::Space::constant;
}

bool releases(const isa::Instruction& instruction, unsigned mask) {
  constexpr unsigned kNone = 7;
  const auto has = [&](unsigned barrier) { return barrier < kNone && (mask >> barrier & 1) != 0; };
  return has(instruction.control.write_barrier) || has(instruction.control.read_barrier);
}

constexpr std::string_view kMeanings[] = {
#define HEDDLE_STALL(name, meaning) meaning,
    HEDDLE_STALLS(HEDDLE_STALL)
#undef HEDDLE_STALL
};

std::string_view remedy(Stall stall) {
  switch (stall) {
    case Stall::long_scoreboard:
      return " It helps to load earlier or several values at once (unroll the loop), to have more "
             "warps on each SM, or to keep what is used again in shared memory.";
    case Stall::short_scoreboard:
      return " It helps to do something independent in between, to avoid bank conflicts, and to "
             "need fewer special functions.";
    case Stall::wait:
      return " It helps to interleave independent work (unroll), or to have more warps.";
    case Stall::barrier:
      return " It helps to give the warps of a block equal work between barriers, to use smaller "
             "blocks, or fewer barriers.";
    case Stall::lg_throttle:
    case Stall::mio_throttle:
    case Stall::tex_throttle:
      return " It helps to access more bytes with fewer instructions (float4), and to spread "
             "accesses over other work.";
    case Stall::math_pipe_throttle:
      return " The pipe itself is the limit: it helps to execute fewer of its instructions, or "
             "those of "
             "another pipe.";
    case Stall::branch_resolving:
      return " It helps to have fewer branches: to unroll, or to choose values (a ? b : c).";
    case Stall::no_instruction:
      return " It helps to make the code smaller: less unrolling and inlining.";
    case Stall::imc_miss:
      return " It is the first use of constants; a longer kernel hides it.";
    default:
      return "";
  }
}

// What the instructions of one source line wait.
struct LineWaits {
  StallCycles cycles{};
  std::uint64_t all = 0;
  std::array<std::pair<std::uint64_t, std::uint32_t>, kStalls> most{};  // cycles and pc, by reason
};

bool is_waiting(std::size_t stall) {
  return stall != static_cast<std::size_t>(Stall::selected) &&
         stall != static_cast<std::size_t>(Stall::not_selected);
}

std::map<std::string, LineWaits> waits_by_line(const simulator::timing::Result& timing,
                                               Listing& listing) {
  std::map<std::string, LineWaits> lines;
  for (std::uint32_t pc = 0; pc < timing.stalls_at.size(); ++pc) {
    const StallCycles& cycles = timing.stalls_at[pc];
    if (std::ranges::all_of(cycles, [](std::uint64_t each) { return each == 0; })) continue;
    const Listing::Line& place = listing.at(pc);
    // Without line numbers each instruction is a line.
    LineWaits& line = lines[place.line == 0 ? fmt::format("{}", pc)
                                            : fmt::format("{}:{}", place.file, place.line)];
    for (std::size_t i = 0; i < kStalls; ++i) {
      if (!is_waiting(i)) continue;
      line.cycles[i] += cycles[i];
      line.all += cycles[i];
      line.most[i] = std::max(line.most[i], {cycles[i], pc});
    }
  }
  return lines;
}

Advice of_line(const LineWaits& line, double all, const simulator::LaunchRequest& request,
               Listing& listing) {
  const auto dominant =
      static_cast<std::size_t>(std::ranges::max_element(line.cycles) - line.cycles.begin());
  const auto stall = static_cast<Stall>(dominant);
  const std::uint32_t pc = line.most[dominant].second;
  const std::string& kernel = request.kernel->name;
  Advice advice;
  advice.pc = pc;
  advice.title = fmt::format("{} waits: ~{:.0f} % of warps' cycles, most of it {}",
                             listing.place_text(pc, kernel),
                             100 * static_cast<double>(line.all) / all, stall_name(stall));
  advice.text =
      fmt::format("~{:.0f} % of these cycles are {} ({})",
                  100 * static_cast<double>(line.cycles[dominant]) / static_cast<double>(line.all),
                  stall_name(stall), kMeanings[dominant]);
  const bool far = stall == Stall::long_scoreboard;
  const auto cause = far || stall == Stall::short_scoreboard
                         ? waits_for(request.module->program(), pc, far)
                         : std::nullopt;
  advice.text += cause ? fmt::format(": {} waits for {} at {}.", listing.at(pc).opcode,
                                     listing.at(*cause).opcode, listing.place_text(*cause, kernel))
                       : fmt::format(", at {}.", listing.at(pc).opcode);
  advice.text += remedy(stall);
  return advice;
}

}  // namespace

std::optional<std::uint32_t> waits_for(const isa::Program& program, std::uint32_t pc, bool far) {
  const auto& instructions = program.instructions;
  const isa::CodeRange* range = program.range_at(simulator::code_address_of_index(pc));
  if (pc >= instructions.size() || !instructions[pc] || range == nullptr) return std::nullopt;
  const unsigned mask = instructions[pc]->control.wait_mask;
  const auto first =
      static_cast<std::uint32_t>((range->address - isa::kCodeBase) / sizeof(isa::Word));
  const auto count = static_cast<std::uint32_t>(range->size / sizeof(isa::Word));
  std::optional<std::uint32_t> other;
  for (std::uint32_t back = 1; mask != 0 && back < count; ++back) {
    const std::uint32_t at = first + (pc - first + count - back) % count;
    if (at >= instructions.size() || !instructions[at] || !releases(*instructions[at], mask))
      continue;
    if (is_far(*instructions[at]) == far) return at;
    if (!other) other = at;
  }
  return other;
}

std::vector<Advice> stall_advice(const simulator::LaunchRequest& request,
                                 const std::optional<simulator::timing::Result>& timing,
                                 Listing& listing) {
  std::vector<Advice> advice;
  if (!timing || timing->warp_cycles == 0) return advice;
  const auto all = static_cast<double>(timing->warp_cycles);
  std::vector<LineWaits> lines;
  for (const auto& [place, line] : waits_by_line(*timing, listing))
    if (static_cast<double>(line.all) >= kWorthSaying * all) lines.push_back(line);
  std::ranges::stable_sort(lines, std::ranges::greater(), &LineWaits::all);
  for (const LineWaits& line : lines)
    if (advice.size() < kMostLinesOfAdvice) advice.push_back(of_line(line, all, request, listing));
  return advice;
}

}  // namespace heddle::traces
