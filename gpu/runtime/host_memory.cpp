#include "gpu/runtime/host_memory.hpp"

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "simulator/memory/host_mappings.hpp"

namespace heddle::runtime {
namespace {

using simulator::HostMapping;

constexpr std::uint64_t kPage = 4096;

// Pages of files on disks, written back by the system, cannot be kept in place for writing; those
// of files in memory can. `device`: "8:1", as mountinfo has it, or "08:01".
bool is_on_disk(const std::string& device) {
  unsigned major = 0, minor = 0;
  if (std::sscanf(device.c_str(), "%x:%x", &major, &minor) != 2) return false;
  const std::string wanted = std::to_string(major) + ":" + std::to_string(minor);
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string number, parent, id, word;
    if (!(words >> number >> parent >> id) || id != wanted) continue;
    while (words >> word && word != "-") {
    }
    words >> word;
    return word != "tmpfs" && word != "hugetlbfs" && word != "ramfs" && word != "devtmpfs";
  }
  return false;  // the system's own, of shared memory without a name
}

// Behind the end of a file its mapping has no pages.
bool has_page(std::uint64_t address) {
  char byte = 0;
  const iovec to{&byte, 1}, from{reinterpret_cast<void*>(address), 1};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1 || errno != EFAULT;
}

bool can_be_kept(const HostMapping& mapping, std::uint64_t last, bool read_only) {
  if (!mapping.readable || (!mapping.writable && !read_only)) return false;
  if (!mapping.of_file) return true;
  if (mapping.shared && !read_only && is_on_disk(mapping.device)) return false;
  return has_page(std::min(last, mapping.end - 1));
}

}  // namespace

Error refuse_registering(std::uint64_t address, std::uint64_t bytes, bool read_only) {
  constexpr std::uint64_t kAddresses = std::uint64_t{1} << 57;  // that an H200 has
  constexpr std::uint64_t kTooMuch = std::uint64_t{1} << 40;    // of a host's memory
  const std::uint64_t last = address + (bytes - 1);
  if (last >= kAddresses) return Error::not_supported;
  if (bytes >= kTooMuch) return Error::memory_allocation;
  std::uint64_t next = address;  // up to here all is well
  for (const HostMapping& mapping : simulator::host_mappings(address, bytes)) {
    if (mapping.begin > next || !can_be_kept(mapping, last, read_only)) break;
    next = mapping.end;
  }
  return next > last ? Error::success : Error::invalid_value;
}

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
