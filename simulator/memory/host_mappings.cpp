#include "simulator/memory/host_mappings.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <optional>

namespace heddle::simulator {
namespace {

std::optional<HostMapping> parse_mapping(const std::string& line) {
  HostMapping mapping;
  std::array<char, 5> rights{};
  std::array<char, 16> device{};
  std::uint64_t inode = 0;
  if (std::sscanf(line.c_str(), "%lx-%lx %4s %*x %15s %lu", &mapping.begin, &mapping.end,
                  rights.data(), device.data(), &inode) != 5)
    return std::nullopt;
  mapping.readable = rights[0] == 'r';
  mapping.writable = rights[1] == 'w';
  mapping.shared = rights[3] == 's';
  mapping.of_file = inode != 0;
  mapping.device = device.data();
  return mapping;
}

}  // namespace

std::vector<HostMapping> host_mappings(std::uint64_t address, std::uint64_t bytes) {
  std::vector<HostMapping> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    auto mapping = parse_mapping(line);
    if (!mapping || mapping->end <= address) continue;
    if (mapping->begin > address && mapping->begin - address >= bytes) break;
    found.push_back(std::move(*mapping));
  }
  return found;
}

}  // namespace heddle::simulator
