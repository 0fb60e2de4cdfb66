#include "gpu/runtime/code_image.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heddle::runtime {

Function::Function(simulator::Module& in, const isa::Kernel& described,
                   std::uint32_t default_shared_limit, unsigned of_gpu)
    : gpu(of_gpu),
      module(in),
      kernel(described),
      max_dynamic_shared_bytes(static_cast<int>(
          default_shared_limit - std::min(default_shared_limit, static_shared_bytes()))) {}

std::optional<std::uint8_t> Function::carveout() const {
  constexpr std::array<int, 4> kOfCache{-1, 100, 0, 50};  // none, shared memory, L1, both alike
  const int wanted = preferred_carveout.load();
  const int percent = wanted >= 0 ? wanted : kOfCache.at(static_cast<unsigned>(preferred_cache));
  if (percent < 0) return {};
  return static_cast<std::uint8_t>(percent);
}

std::uint32_t max_threads_per_block(const simulator::GpuModel& model, const isa::Kernel& kernel) {
  std::uint32_t most = model.max_threads_per_block;
  if (kernel.max_threads != 0) most = std::min(most, kernel.max_threads);
  const std::uint32_t unit = model.register_allocation_unit;
  const std::uint32_t per_warp = (kernel.registers * simulator::kWarpSize + unit - 1) / unit * unit;
  if (per_warp == 0) return most;
  std::uint32_t warps = model.registers_per_block / per_warp;
  warps -= warps % model.warp_allocation_granularity;
  return std::min(most, warps * simulator::kWarpSize);
}

bool runs_code(isa::Arch gpu, std::uint32_t sm_of_code) {
  const auto sm = static_cast<std::uint32_t>(isa::sm_number(gpu));
  return sm_of_code / 10 == sm / 10 && sm_of_code <= sm;
}

std::vector<isa::FatEntry> entries_for(isa::Arch arch, std::vector<isa::FatEntry> entries) {
  std::uint32_t best = 0;
  for (const isa::FatEntry& entry : entries)
    if (entry.kind == isa::FatEntry::Kind::elf && runs_code(arch, entry.sm))
      best = std::max(best, entry.sm);
  std::erase_if(entries, [best](const isa::FatEntry& entry) {
    return entry.kind != isa::FatEntry::Kind::elf || entry.sm != best;
  });
  return entries;
}

const simulator::GpuModel& model_for(std::span<const isa::FatEntry> entries) {
  const simulator::GpuModel& usual = simulator::reference_model();
  std::optional<isa::Arch> newest;
  for (const isa::FatEntry& entry : entries) {
    if (entry.kind != isa::FatEntry::Kind::elf) continue;
    const auto arch = isa::arch_from_sm(static_cast<int>(entry.sm));
    if (arch == usual.arch) return usual;
    if (arch && (!newest || *newest < *arch)) newest = arch;
  }
  return newest ? simulator::default_model(*newest) : usual;
}

std::string describe_entries(std::span<const isa::FatEntry> entries) {
  std::set<std::pair<bool, std::uint32_t>> kinds;  // machine code first, older GPUs first
  for (const isa::FatEntry& entry : entries)
    kinds.emplace(entry.kind == isa::FatEntry::Kind::ptx, entry.sm);
  if (kinds.empty()) return "no device code";
  std::vector<std::string> names;
  for (const auto& [is_ptx, sm] : kinds)
    names.push_back(fmt::format("{}sm_{}", is_ptx ? "PTX for " : "", sm));
  return fmt::format("{}", fmt::join(names, ", "));
}

CodeImage::CodeImage(std::vector<isa::FatEntry> cubins, const std::string& origin,
                     simulator::DeviceMemory& memory, std::uint32_t default_shared_limit,
                     unsigned gpu, const CodeImage* elsewhere) {
  for (isa::FatEntry& entry : cubins) {
    const std::string from = entry.identifier.empty() ? origin : entry.identifier;
    const simulator::Module* const same =
        elsewhere == nullptr ? nullptr : elsewhere->modules_.at(modules_.size()).get();
    auto module =
        std::make_unique<simulator::Module>(std::move(entry.contents), from, memory, same);
    for (const isa::Kernel& kernel : module->cubin().kernels)
      functions_.try_emplace(
          kernel.name, std::make_unique<Function>(*module, kernel, default_shared_limit, gpu));
    modules_.push_back(std::move(module));
  }
}

Function* CodeImage::function(std::string_view name) {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : found->second.get();
}

std::optional<simulator::Module::Global> CodeImage::variable(std::string_view name) const {
  for (const auto& module : modules_)
    if (const auto global = module->find_global(name)) return global;
  return std::nullopt;
}

std::vector<std::string_view> CodeImage::kernel_names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, function] : functions_) names.push_back(name);
  return names;
}

}  // namespace heddle::runtime
