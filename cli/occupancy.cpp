// heddle occupancy: of bare numbers, or of every kernel of a program or cubin; and Little's law.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>

#include "cli/commands.hpp"
#include "cli/program_file.hpp"
#include "cli/selection.hpp"
#include "cli/text.hpp"
#include "simulator/base/file.hpp"
#include "simulator/base/types.hpp"
#include "simulator/models/littles_law.hpp"
#include "simulator/models/occupancy_curves.hpp"

namespace heddle::cli {
namespace {

using simulator::KernelResources;
using simulator::SmLimits;

// What --capability or --gpu chose; null: neither was given.
std::optional<SmLimits> chosen_sm(const Arguments& arguments) {
  if (arguments.has("gpu") && arguments.has("capability"))
    throw Usage("give either --gpu or --capability");
  if (arguments.has("gpu"))
    return simulator::limits_of(simulator::gpu_model(arguments.value("gpu")));
  if (!arguments.has("capability")) return std::nullopt;
  const std::string name = arguments.value("capability");
  if (const SmLimits* sm = simulator::find_compute_capability(name)) return *sm;
  std::vector<std::string_view> known;
  for (const SmLimits& sm : simulator::compute_capabilities()) known.push_back(sm.name);
  throw Usage(fmt::format("--capability: unknown {}{}", name,
                          suggestion(name, {known.begin(), known.end()})));
}

std::vector<std::string> row(std::string what, const SmLimits& sm, const KernelResources& kernel) {
  const simulator::Occupancy result = simulator::occupancy(sm, kernel);
  return {std::move(what),
          fmt::format("{}", kernel.threads_per_block),
          fmt::format("{}", kernel.registers_per_thread),
          fmt::format("{}", kernel.shared_bytes_per_block),
          fmt::format("{}", result.blocks_per_sm),
          fmt::format("{}", result.warps_per_sm),
          fmt::format("{:.1f} %", 100 * result.fraction),
          fmt::format("{}", fmt::join(result.limited_by, ", "))};
}

Table table() {
  return Table({"", "threads", "registers", "shared bytes", "blocks/SM", "warps/SM", "occupancy",
                "limited by"});
}

// Throws Usage when it is missing or no positive number.
double positive(const Arguments& arguments, std::string_view option) {
  if (!arguments.has(option)) throw Usage(fmt::format("--{} is needed with --latency", option));
  const std::string text = arguments.value(option);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number > 0) ||
      !std::isfinite(number))
    throw Usage(fmt::format("--{}: \"{}\" is not a positive number", option, text));
  return number;
}

constexpr std::uint64_t kMostOfBlock = 1 << 24;
std::uint32_t number(const Arguments& arguments, std::string_view option, std::uint32_t otherwise) {
  return static_cast<std::uint32_t>(arguments.number(option, kMostOfBlock).value_or(otherwise));
}
std::uint32_t shared_bytes(const Arguments& arguments) {
  return static_cast<std::uint32_t>(arguments.bytes("shared", kMostOfBlock).value_or(0));
}

// Of a block of no threads there is nothing to say.
std::uint32_t threads(const Arguments& arguments, std::uint32_t otherwise) {
  const std::uint32_t threads = number(arguments, "block", otherwise);
  if (threads == 0) throw Usage("--block: a block has one thread at least");
  return threads;
}

// --svg and --curve, of one kernel on one SM.
void show_curves(const Arguments& arguments, const SmLimits& sm, const KernelResources& kernel) {
  const auto curves = simulator::occupancy_curves(sm, kernel);
  if (arguments.has("svg"))
    simulator::write_file(arguments.value("svg"), simulator::draw(curves, sm));
  if (!arguments.has("curve")) return;
  const auto chosen = std::ranges::find_if(curves, [&](const auto& curve) {
    return curve.resource.starts_with(arguments.value("curve"));
  });
  fmt::print("\n{} on {}, warps on an SM (> marks the kernel)\n", chosen->resource, sm.name);
  std::uint32_t before = sm.max_warps + 1;
  for (const auto& point : chosen->points) {  // only where it changes
    const bool here = point.value == chosen->at;
    if (point.warps == before && !here) continue;
    before = point.warps;
    fmt::print("{} {:>7} {:>3} {}\n", here ? '>' : ' ', point.value, point.warps,
               std::string(point.warps, '#'));
  }
}

// Little's law: --latency with --throughput or --warps-per-cycle, or with --bandwidth and --clock.
void of_latency(const Arguments& arguments) {
  const double latency = positive(arguments, "latency");
  if (arguments.has("throughput") || arguments.has("warps-per-cycle")) {
    if (arguments.has("throughput") && arguments.has("warps-per-cycle"))
      throw Usage(
          "--throughput counts operations of threads, --warps-per-cycle of warps: give one");
    const double throughput = arguments.has("throughput")
                                  ? positive(arguments, "throughput")
                                  : simulator::kWarpSize * positive(arguments, "warps-per-cycle");
    const auto flight = simulator::to_hide_arithmetic(latency, throughput);
    fmt::print("{:.0f} operations in flight: {:.0f} threads, {:.0f} warps with one each\n",
               flight.operations, flight.operations, std::ceil(flight.warps));
    return;
  }
  if (!arguments.has("bandwidth") && !arguments.has("clock"))
    throw Usage("--latency needs --throughput or --warps-per-cycle, or --bandwidth and --clock");
  const double per_cycle =
      simulator::bytes_per_cycle(positive(arguments, "bandwidth"), positive(arguments, "clock"));
  const double bytes = arguments.has("bytes") ? positive(arguments, "bytes") : 4;
  const auto flight = simulator::to_hide_memory(latency, per_cycle, bytes);
  fmt::print(
      "{:.1f} bytes per cycle; {:.0f} bytes in flight: {:.0f} threads, {:.0f} warps with {} "
      "bytes each\n",
      per_cycle, flight.bytes, std::ceil(flight.operations), std::ceil(flight.warps), bytes);
}

void of_numbers(const Arguments& arguments) {
  Table result = table();
  const KernelResources kernel{.threads_per_block = threads(arguments, 0),
                               .registers_per_thread = number(arguments, "registers", 0),
                               .shared_bytes_per_block = shared_bytes(arguments)};
  const std::optional<SmLimits> chosen = chosen_sm(arguments);
  if ((arguments.has("svg") || arguments.has("curve")) && !chosen)
    throw Usage("--svg and --curve show one kind of SM: give --gpu or --capability");
  if (chosen) {
    result.add(row(std::string(chosen->name), *chosen, kernel));
  } else {
    for (const SmLimits& sm : simulator::compute_capabilities())
      result.add(row(std::string(sm.name), sm, kernel));
  }
  std::fputs(result.text().c_str(), stdout);
  if (chosen) show_curves(arguments, *chosen, kernel);
}

void of_program(const Arguments& arguments) {
  const std::vector<CubinFile> cubins = read_cubins(arguments.words[0], arguments.value("arch"));
  for (const CubinFile& file : cubins) {
    const isa::Cubin cubin = isa::parse_cubin(file.bytes, file.origin);
    const SmLimits sm =
        chosen_sm(arguments).value_or(simulator::limits_of(simulator::default_model(cubin.arch)));
    Table result = table();
    for (const isa::Kernel& kernel : cubin.kernels)
      result.add(row(
          visible(display_name(kernel.name)), sm,
          {.threads_per_block = threads(arguments, 256),
           .registers_per_thread = kernel.registers,
           .shared_bytes_per_block =
               kernel.static_shared_bytes - kernel.reserved_shared_bytes + shared_bytes(arguments),
           .barriers = kernel.barriers}));
    if (result.empty()) continue;
    fmt::print("{} ({}) on {}\n{}", visible(file.origin), isa::name(cubin.arch), sm.name,
               result.text(2));
  }
}

}  // namespace

int run_occupancy(const Arguments& arguments) {
  if (arguments.has("latency")) {
    of_latency(arguments);
    return 0;
  }
  chosen_sm(arguments);  // refuses early
  if (arguments.words.size() > 1) throw Usage("one program or cubin at a time");
  if (arguments.words.empty() && !arguments.has("block"))
    throw Usage("give --block and what the kernel uses, or a program or cubin");
  if (arguments.words.empty())
    of_numbers(arguments);
  else
    of_program(arguments);
  return 0;
}

}  // namespace heddle::cli
