#include "cli/cost_text.hpp"

#include <fmt/format.h>

#include <vector>

#include "cli/text.hpp"
#include "simulator/base/code_address.hpp"
#include "simulator/models/instruction_costs.hpp"

namespace heddle::cli {
namespace {

using simulator::CostedInstruction;
using simulator::CostSum;

std::vector<CostedInstruction> costed(const simulator::SketchProgram& program, std::size_t kernel,
                                      const simulator::SketchProgram::Ran& ran) {
  const isa::Program& code = program.module().program();
  const std::uint32_t entry = simulator::index_of_code_address(code.entry(*ran.request.kernel));
  const auto& operations = program.compiled().kernels[kernel].operations;
  std::vector<CostedInstruction> result;
  for (std::size_t i = 0; i < operations.size(); ++i)
    result.push_back(
        {&*code.instructions[entry + i], operations[i], &ran.outcome.counts[entry + i]});
  return result;
}

std::string percent(double part, double whole) {
  constexpr double kPercent = 100;
  return whole == 0 ? "–" : fmt::format("{:.1f}", kPercent * part / whole);
}

std::string cycles_text(double cycles) {
  return cycles >= 1 ? fmt::format("{:g}", cycles) : fmt::format("{:.3f}", cycles);
}

}  // namespace

std::string cost_text(const simulator::SketchProgram& program, std::size_t kernel,
                      const simulator::SketchProgram::Ran& ran, std::uint64_t launch) {
  const simulator::GpuModel& gpu = program.device().model();
  const auto sums = simulator::cost_sums(*gpu.costs, costed(program, kernel, ran));
  CostSum total;
  for (const CostSum& each : sums) {
    total.cycles += each.cycles;
    total.idle_cycles += each.idle_cycles;
  }
  Table table(
      {"instructions", "cycles a warp", "executed by warps", "cycles", "% of all", "% idle lanes"});
  for (const simulator::CostClassInfo& each : simulator::kCostClasses) {
    const CostSum& sum = sums[static_cast<std::size_t>(each.value)];
    if (sum.executed == 0) continue;
    table.add({std::string(each.meaning), cycles_text(gpu.costs->of(each.value)),
               readable(static_cast<double>(sum.executed)), readable(sum.cycles),
               percent(sum.cycles, total.cycles), percent(sum.idle_cycles, sum.cycles)});
  }
  table.add({"all", "", "", readable(total.cycles), percent(total.cycles, total.cycles),
             percent(total.idle_cycles, total.cycles)});
  const double warps = static_cast<double>(ran.outcome.warps);
  return fmt::format(
      "{}  launch {}: cycles by the costs of compute capability {} (unvalidated)\n{}"
      "  per warp: {} cycles of its multiprocessor, {} of them for inactive or missing lanes; "
      "latencies are not included\n\n",
      visible(display_name(ran.request.kernel->name)), launch, gpu.capability, table.text(2),
      readable(total.cycles / warps), readable(total.idle_cycles / warps));
}

}  // namespace heddle::cli
