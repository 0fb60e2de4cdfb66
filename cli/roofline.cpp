// heddle roofline: each kernel below the roofs of its GPU.
#include "cli/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/record_text.hpp"
#include "cli/selection.hpp"
#include "cli/temporary_folder.hpp"
#include "cli/text.hpp"
#include "cli/variant.hpp"
#include "simulator/base/file.hpp"
#include "simulator/models/timing_constants.hpp"
#include "simulator/record/metrics.hpp"

namespace heddle::cli {
namespace {

using simulator::GpuModel;
using simulator::MetricValues;

constexpr double kSectorBytes = 32;

double value(const MetricValues& values, const char* name) {
  return simulator::value_of(values, *simulator::find_metric(name)).value_or(0);
}

double hertz(const GpuModel& gpu) { return 1e3 * gpu.clock_khz; }

std::vector<Bandwidth> bandwidths(const GpuModel& gpu) {
  const auto& timing = *gpu.timing;
  constexpr double kKilo = 1000;
  return {{"L1", hertz(gpu) * gpu.sms * timing.l1_bytes_per_cycle},
          {"L2", hertz(gpu) * timing.l2_slices * timing.l2_slice_bytes_per_cycle},
          {"DRAM", hertz(gpu) * timing.dram_bytes_per_kilocycle / kKilo}};
}

// That each memory moved, in the order of `bandwidths`.
std::vector<double> bytes_moved(const MetricValues& metrics) {
  return {kSectorBytes * (value(metrics, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") +
                          value(metrics, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")),
          kSectorBytes * (value(metrics, "lts__t_sectors_op_read.sum") +
                          value(metrics, "lts__t_sectors_op_write.sum")),
          value(metrics, "dram__bytes_read.sum") + value(metrics, "dram__bytes_write.sum")};
}

// The nearest roof is the one of which most is reached. `peak`: of this kernel's work.
void put_limit(RooflinePoint& point, const std::vector<Bandwidth>& bandwidths,
               const Ceiling& peak) {
  point.limit = peak.name;
  point.share = point.work_per_second / peak.work_per_second;
  for (std::size_t i = 0; i < bandwidths.size(); ++i) {
    if (!point.work_per_byte[i]) continue;
    const double share =
        point.work_per_second / (*point.work_per_byte[i] * bandwidths[i].bytes_per_second);
    if (share <= point.share) continue;
    point.limit = bandwidths[i].name;
    point.share = share;
  }
}

void add_point(Roofline& roofline, const KernelResult& kernel, double work, const Ceiling& peak) {
  constexpr double kNano = 1e-9;
  const double seconds = kNano * value(kernel.metrics, "gpu__time_duration.sum");
  if (work <= 0 || seconds <= 0) return;
  RooflinePoint point;
  point.kernel = kernel.kernel;
  point.work_per_second = work / seconds;
  for (const double bytes : bytes_moved(kernel.metrics))
    point.work_per_byte.push_back(bytes > 0 ? std::optional(work / bytes) : std::nullopt);
  put_limit(point, roofline.bandwidths, peak);
  roofline.points.push_back(std::move(point));
}

std::string intensity(const std::optional<double>& work_per_byte, double bytes) {
  return work_per_byte ? fmt::format("{:.3g}", *work_per_byte * bytes) : "-";
}

// `per_sector`: intensities are per 32 bytes rather than per byte.
std::string table_text(const Roofline& roofline, bool per_sector) {
  constexpr double kGiga = 1e-9;
  const double bytes = per_sector ? kSectorBytes : 1;
  const std::string per = per_sector ? "/sector" : "/byte";
  Table table({"kernel", "~10^9/s", "~nearest roof", "L1" + per, "~L2" + per, "~DRAM" + per});
  for (const RooflinePoint& each : roofline.points)
    table.add({visible(each.kernel), fmt::format("{:.1f}", kGiga * each.work_per_second),
               fmt::format("{:.1f} % of {}", 100 * each.share, each.limit),
               intensity(each.work_per_byte[0], bytes), intensity(each.work_per_byte[1], bytes),
               intensity(each.work_per_byte[2], bytes)});
  std::string text = fmt::format("{}\n{}", roofline.work, table.text(2));
  text += "  roofs:";
  for (const Ceiling& each : roofline.ceilings)
    text += fmt::format(" {} {:.0f}", each.name, kGiga * each.work_per_second);
  text += " 10^9/s;";
  for (const Bandwidth& each : roofline.bandwidths)
    text += fmt::format(" {} {:.0f} GB/s", each.name, kGiga * each.bytes_per_second);
  return text + "\n";
}

}  // namespace

Roofline instruction_roofline(const std::vector<KernelResult>& kernels, const GpuModel& gpu) {
  Roofline roofline;
  roofline.work = "warp instructions";
  roofline.bandwidths = bandwidths(gpu);
  const Ceiling issue{"issue", hertz(gpu) * gpu.sms * gpu.timing->sub_cores};
  roofline.ceilings = {issue};
  for (const KernelResult& kernel : kernels)
    add_point(roofline, kernel, value(kernel.metrics, "smsp__sass_inst_executed.sum"), issue);
  return roofline;
}

Roofline flop_roofline(const std::vector<KernelResult>& kernels, const GpuModel& gpu) {
  Roofline roofline;
  roofline.work = "floating-point operations";
  roofline.bandwidths = bandwidths(gpu);
  const auto& timing = *gpu.timing;
  // A multiply-add of a warp is 64 operations, of packed halves 128; a sub-core takes one in so
  // many cycles.
  const auto ceiling = [&](const char* name, double operations, double interval) {
    return Ceiling{name, hertz(gpu) * gpu.sms * timing.sub_cores * operations / interval};
  };
  constexpr double kSingle = 64, kHalf = 128;
  const Ceiling half = ceiling("FP16", kHalf, timing.interval_fp16),
                single = ceiling("FP32", kSingle, timing.interval_fma),
                wide = ceiling("FP64", kSingle, timing.interval_fp64);
  roofline.ceilings = {half, single, wide};
  for (const KernelResult& kernel : kernels) {
    const double halves = value(kernel.metrics, "flop_count_hp"),
                 singles = value(kernel.metrics, "flop_count_sp"),
                 doubles = value(kernel.metrics, "flop_count_dp");
    // The kind that takes most of the pipes' time is the kernel's.
    const auto peak = std::max({std::pair(halves / half.work_per_second, &half),
                                std::pair(singles / single.work_per_second, &single),
                                std::pair(doubles / wide.work_per_second, &wide)});
    add_point(roofline, kernel, halves + singles + doubles, *peak.second);
  }
  return roofline;
}

int run_roofline(const Arguments& arguments) {
  if (arguments.words.size() != 1)
    throw Usage("give one record or variant, as in: heddle roofline './reduce 64'");
  const TemporaryFolder folder;
  VariantRun run;
  run.options = {"--timing", "on"};
  run.folder = folder.path();
  if (arguments.has("kernel")) run.options.push_back("--kernel=" + arguments.value("kernel"));
  const Variant variant = make_variant(arguments.words[0], run);
  const GpuModel& gpu = gpu_of(variant.record);
  if (gpu.timing == nullptr)
    throw std::runtime_error(fmt::format("{} has no timing constants", gpu.name));
  const std::vector<KernelResult> kernels = summed(variant.record);
  const bool is_timed = std::ranges::any_of(kernels, [](const KernelResult& each) {
    return value(each.metrics, "gpu__time_duration.sum") > 0;
  });
  if (!is_timed)
    throw std::runtime_error(
        fmt::format("{}: no launch is timed: heddle run --timing on --record", variant.words));
  const std::vector<Roofline> both = {instruction_roofline(kernels, gpu),
                                      flop_roofline(kernels, gpu)};
  fmt::print("{}\n{}", gpu.name, table_text(both[0], true));
  if (!both[1].points.empty()) std::fputs(table_text(both[1], false).c_str(), stdout);
  if (arguments.has("svg"))
    simulator::write_file(arguments.value("svg"), roofline_picture(both, gpu.name));
  return 0;
}

}  // namespace heddle::cli
