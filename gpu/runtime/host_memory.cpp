#include "gpu/runtime/host_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kPage = 4096;

}  // namespace

std::optional<std::uint64_t> available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  std::uint64_t kibibytes = 0;
  while (file >> name >> kibibytes) {
    if (name == "MemAvailable:") return kibibytes << 10;
    std::getline(file, unit);
  }
  return std::nullopt;
}

std::uint64_t untouched_bytes(const std::byte* at, std::uint64_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(at);
  std::uint64_t untouched = 0;
  std::array<unsigned char, 4096> resident{};
  for (std::uint64_t page = address / kPage * kPage; page < address + bytes;
       page += resident.size() * kPage) {
    const std::uint64_t length = std::min(resident.size() * kPage, address + bytes - page);
    if (mincore(reinterpret_cast<void*>(page), length, resident.data()) != 0) return 0;
    const auto pages = static_cast<std::ptrdiff_t>((length + kPage - 1) / kPage);
    untouched += static_cast<std::uint64_t>(
        std::count_if(resident.begin(), resident.begin() + pages,
                      [](unsigned char state) { return (state & 1) == 0; }));
  }
  return untouched * kPage;
}

}  // namespace heddle::runtime
