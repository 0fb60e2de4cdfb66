#include "gpu/runtime/capsule_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::runtime {
namespace {

std::vector<Capsule::Allocation> list_allocations(const simulator::DeviceMemory& memory,
                                                  const simulator::Module& module) {
  std::vector<Capsule::Allocation> mine, others;
  const auto describe = [](const simulator::Allocation& allocation, bool of_module) {
    return Capsule::Allocation{allocation.address, allocation.bytes, allocation.ordinal, of_module,
                               allocation.label};
  };
  const auto globals = module.global_allocations();
  for (const std::uint64_t address : globals)
    mine.push_back(describe(memory.allocations().at(address), true));
  for (const auto& [address, allocation] : memory.allocations())
    if (std::ranges::find(globals, address) == globals.end())
      others.push_back(describe(allocation, false));
  std::ranges::sort(others, {}, &Capsule::Allocation::ordinal);
  mine.insert(mine.end(), others.begin(), others.end());
  return mine;
}

}  // namespace

CapsuleWriter::CapsuleWriter(std::filesystem::path directory, const std::string& kernel)
    : directory_(std::move(directory)), kernels_(kernel) {
  std::filesystem::create_directories(directory_);
}

void CapsuleWriter::before(simulator::Device& device, const simulator::LaunchRequest& request) {
  if (!kernels_.matches(request.kernel->name)) return;
  const simulator::Module& module = *request.module;
  capsule_ = {
      .model = device.model().id,
      .origin = std::filesystem::path(module.origin()).filename().string(),
      .kernel = request.kernel->name,
      .grid = request.grid,
      .block = request.block,
      .cluster = request.cluster,
      .dynamic_shared_bytes = request.dynamic_shared_bytes,
      .cooperative = request.cooperative,
      .preferred_carveout = request.preferred_carveout,
      .stack_limit = device.stack_bytes(),
      .cubin = module.cubin_bytes(),
      .parameters = request.parameters,
      .allocations = list_allocations(device.memory(), module),
      .before = snapshot(device.memory()),
      .after = {},
  };
}

void CapsuleWriter::after(simulator::Device& device, const simulator::LaunchRequest& request,
                          const simulator::LaunchOutcome&) {
  const std::uint64_t launch = launches_++;
  if (!kernels_.matches(request.kernel->name)) return;
  capsule_.after = changed_pages(device.memory(), capsule_.before);
  write_capsule(capsule_, directory_ / capsule_file_name(launch, request.kernel->name));
  capsule_ = {};
}

std::string capsule_file_name(std::uint64_t launch, std::string_view kernel) {
  constexpr std::size_t kMostCharacters = 100;
  std::string name;
  for (const char c : kernel.substr(0, kMostCharacters))
    if (c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
      name += c;
  return fmt::format("{:04}-{}.capsule", launch, name);
}

}  // namespace heddle::runtime
