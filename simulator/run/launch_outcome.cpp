#include "simulator/run/launch_outcome.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "simulator/execute/printf_fifo.hpp"
#include "simulator/launch/classify.hpp"
#include "simulator/launch/device_launches.hpp"

namespace heddle::simulator {
namespace {

// What follows from something that was seen.
struct Consequence {
  bool Seen::*seen;
  const char* order_dependent = nullptr;  // a reason for the launch's class
  bool only_of_several_warps = false;     // … where it has several
  const char* unmodelled = nullptr;       // what hardware's counters see more than was counted
};

constexpr Consequence kConsequences[] = {
    {.seen = &Seen::unordered_reads,
     .order_dependent = "reads of what other warps write meanwhile"},
    {.seen = &Seen::uncounted_reunions,
     .unmodelled = "groups that reconverged at WARPSYNC.COLLECTIVE or at a restored barrier: "
                   "hardware counters add executions by an unknown rule"},
    {.seen = &Seen::waited_for_others,
     .order_dependent = "reads of what the host or another stream writes meanwhile"},
    {.seen = &Seen::printed,
     .order_dependent = "device printf of several warps",
     .only_of_several_warps = true,
     .unmodelled = "vprintf: the driver's own instructions, which hardware counters see"},
    {.seen = &Seen::used_heap,
     .order_dependent = "malloc in device code",
     .unmodelled = "malloc and free: the driver's own instructions, which hardware counters see"},
    {.seen = &Seen::launched_grids,
     .unmodelled = "launches by device code: executed when the grid has ended (a GPU may begin "
                   "them earlier); the driver's own instructions, which hardware counters see"},
};

// The model's own limits.
void add_limits(const LaunchContext& context, LaunchOutcome& outcome) {
  const GpuModel& model = *context.model;
  if (context.options->settings.timing && !model.timing_checked)
    outcome.unmodelled.push_back(
        fmt::format("time: unvalidated, no {} was at hand to check it against", model.name));
  if (context.reconvergence != model.reconvergence)
    outcome.unmodelled.push_back(fmt::format("reconvergence by {} ({}: {})",
                                             info(context.reconvergence).meaning, model.name,
                                             info(model.reconvergence).meaning));
  if (model.sketches_only())
    outcome.unmodelled.push_back(
        fmt::format("unvalidated: no {} was at hand to check anything against", model.name));
}

void add_patches(const GridRun& executed, LaunchOutcome& outcome) {
  if (executed.patches_given_up)
    outcome.unmodelled.push_back(
        "recursive functions, in which a profiler's patches would make lanes diverge: all counts "
        "are of the code without patches");
  if (executed.why_not_unpatched.empty()) return;
  outcome.unmodelled.push_back(fmt::format("hardware counters not computed for this launch: {}",
                                           executed.why_not_unpatched));
  outcome.counters_incomplete = true;
}

void add_consequences(const Seen& seen, LaunchOutcome& outcome) {
  for (const Consequence& each : kConsequences) {
    if (!(seen.*each.seen)) continue;
    if (each.order_dependent != nullptr && (outcome.warps > 1 || !each.only_of_several_warps))
      outcome.launch_class.order_dependent_because.push_back(each.order_dependent);
    if (each.unmodelled == nullptr) continue;
    outcome.unmodelled.push_back(each.unmodelled);
    outcome.counters_incomplete = true;
  }
}

}  // namespace

LaunchOutcome launch_outcome(const LaunchContext& context, GridRun executed) {
  BlockRun& run = executed.run;
  run.seen.launched_grids = DeviceLaunches::any(*context.memory);
  LaunchOutcome outcome;
  outcome.warps = (context.request->grid.count() - run.seen.cancelled) * context.warps_per_block;
  outcome.launch_class = classify(context.program->facts->order_traits(), run.counts, outcome.warps,
                                  context.warps_per_block);
  add_limits(context, outcome);
  add_patches(executed, outcome);
  add_consequences(run.seen, outcome);
  outcome.counts = std::move(run.counts);
  outcome.counts_own_code = !context.patched;
  outcome.random_schedule = context.options->settings.random_schedule;
  outcome.unpatched = std::move(executed.unpatched);
  outcome.fault = std::move(run.fault);
  outcome.threads_note = std::move(run.note);
  outcome.printed_calls_lost = context.printed->lost();
  return outcome;
}

}  // namespace heddle::simulator
