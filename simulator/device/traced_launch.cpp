#include "simulator/device/traced_launch.hpp"
#include "simulator/device/device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/launch/classify.hpp"
#include "simulator/run/prepared_launch.hpp"

namespace heddle::simulator::timing {

LaunchOutcome time_instructions(InstructionSource& source, const LaunchRequest& request,
                                const LaunchOptions& options, const Device& device,
                                DeviceMemory& memory, DeviceTime& time) {
  const GpuModel& gpu = device.model();
  const PreparedLaunch prepared(gpu, memory, {device.stack_bytes(), device.printf_bytes}, request,
                                options);
  const std::uint64_t per_sm = std::max<std::uint64_t>(1, prepared.resident_blocks() / gpu.sms);
  Options how = *options.settings.timing;
  how.sample = 1;  // what is not timed would have to be executed
  TimedRun timed =
      run_timed(prepared.context(), how, static_cast<std::uint32_t>(per_sm), time, &source);
  const std::size_t instructions = request.module->program().instructions.size();
  LaunchOutcome outcome;
  outcome.counts = std::move(timed.run.counts);
  outcome.warps = request.grid.count() * prepared.context().warps_per_block;
  outcome.fault = std::move(timed.run.fault);
  outcome.launch_class = classify(prepared.context().program->facts->order_traits(), outcome.counts,
                                  outcome.warps, prepared.context().warps_per_block);
  outcome.timing = std::move(timed.result);
  outcome.timing->stalls_at.resize(instructions);
  if (options.settings.timing->sample < 1)
    outcome.unmodelled.push_back("time: in full, --sample does not hold: the launch is a trace");
  if (!gpu.timing_checked)
    outcome.unmodelled.push_back(
        fmt::format("time: unvalidated, no {} was at hand to check it against", gpu.name));
  return outcome;
}

}  // namespace heddle::simulator::timing
