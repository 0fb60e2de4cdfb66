// After each launch, a digest of every live allocation and of every global variable of the kernel's
// module.
#include <algorithm>

#include "gpu/cupti/check.hpp"
#include "gpu/cupti/mode.hpp"

namespace heddle::cupti {
namespace {

class MemoryMode final : public Mode {
 public:
  Members header(CUdevice) override { return {}; }
  void before(const Launch&, const DeviceMemory&, LaunchFragment&) override {}

  void after(const Launch&, const DeviceMemory& memory, LaunchFragment& out) override {
    std::vector<std::string> allocations, globals;
    for (const Allocation& allocation : memory.allocations.live()) {
      Members entry;
      entry.add("allocation", allocation.ordinal);
      allocations.push_back(describe(entry, memory, allocation.base, allocation.bytes, {}));
    }
    for (const Global& global : memory.globals) {
      Members entry;
      entry.add("symbol", global.name);
      globals.push_back(
          describe(entry, memory, global.address, global.bytes, global.function_pointers));
    }
    out.other.add_raw("memory", json_array(allocations));
    if (!globals.empty()) out.other.add_raw("globals", json_array(globals));
  }

 private:
  std::string describe(Members& entry, const DeviceMemory& memory, CUdeviceptr address,
                       std::uint64_t bytes, const std::vector<std::uint64_t>& function_pointers) {
    contents_.resize(bytes);
    HEDDLE_CALL(cuMemcpyDtoH(contents_.data(), address, bytes));
    for (const std::uint64_t at : function_pointers)  // where code lies differs from run to run
      if (at + 8 <= bytes) std::fill_n(contents_.begin() + static_cast<std::ptrdiff_t>(at), 8, 0);
    const Digest digest = memory.allocations.digest(contents_);
    entry.add("bytes", bytes).add("sha256", digest.sha256);
    if (digest.pointers != 0) entry.add("pointers", digest.pointers);
    return entry.object();
  }

  std::vector<std::uint8_t> contents_;
};

}  // namespace

std::unique_ptr<Mode> make_memory_mode() { return std::make_unique<MemoryMode>(); }

}  // namespace heddle::cupti
