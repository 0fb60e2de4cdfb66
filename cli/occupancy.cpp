// heddle occupancy: of bare numbers, or of every kernel of a program or cubin.
#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.hpp"
#include "cli/program_file.hpp"
#include "cli/selection.hpp"
#include "cli/text.hpp"
#include "simulator/occupancy.hpp"

namespace heddle::cli {
namespace {

using simulator::GpuModel;
using simulator::KernelResources;

std::vector<std::string> row(const std::string& what, const GpuModel& gpu,
                             const KernelResources& kernel) {
  const simulator::Occupancy result = simulator::occupancy(gpu, kernel);
  return {what,
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

std::uint32_t number(const Arguments& arguments, std::string_view option, std::uint32_t otherwise) {
  constexpr std::uint64_t kMost = 1 << 24;
  return static_cast<std::uint32_t>(arguments.number(option, kMost).value_or(otherwise));
}

void of_numbers(const Arguments& arguments) {
  Table result = table();
  const KernelResources kernel{.threads_per_block = number(arguments, "block", 0),
                               .registers_per_thread = number(arguments, "registers", 0),
                               .shared_bytes_per_block = number(arguments, "shared", 0)};
  const std::string id = arguments.value("gpu");
  for (const std::string& each : simulator::model_ids())
    if (id.empty() || id == each) result.add(row(each, simulator::gpu_model(each), kernel));
  std::fputs(result.text().c_str(), stdout);
}

void of_program(const Arguments& arguments) {
  const std::vector<CubinFile> cubins = read_cubins(arguments.words[0], arguments.value("arch"));
  for (const CubinFile& file : cubins) {
    const isa::Cubin cubin = isa::parse_cubin(file.bytes, file.origin);
    const GpuModel& gpu = arguments.has("gpu") ? simulator::gpu_model(arguments.value("gpu"))
                                               : simulator::default_model(cubin.arch);
    Table result = table();
    for (const isa::Kernel& kernel : cubin.kernels)
      result.add(
          row(visible(demangled(kernel.name)), gpu,
              {.threads_per_block = number(arguments, "block", 256),
               .registers_per_thread = kernel.registers,
               .shared_bytes_per_block = kernel.static_shared_bytes - kernel.reserved_shared_bytes +
                                         number(arguments, "shared", 0),
               .barriers = kernel.barriers}));
    if (result.empty()) continue;
    fmt::print("{} ({}) on {}\n{}", visible(file.origin), isa::name(cubin.arch), gpu.name,
               result.text(2));
  }
}

}  // namespace

int run_occupancy(const Arguments& arguments) {
  if (arguments.has("gpu")) simulator::gpu_model(arguments.value("gpu"));  // refuses early
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
