// Device code as a context has loaded it: the cubins of one fat binary, and their kernels.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/arch.hpp"
#include "isa/cubin.hpp"
#include "simulator/launch/launch.hpp"

namespace heddle::runtime {

// Local memory a thread can have, whatever its code or its stack limit asks for (CUDA programming
// guide, technical specifications).
inline constexpr std::uint64_t kMostLocalBytes = 512 << 10;

// A kernel and what a program has set on it.
struct Function {
  Function(simulator::Module& in, const isa::Kernel& described, std::uint32_t default_shared_limit,
           unsigned of_gpu);

  const unsigned gpu;  // whose memory it is loaded in
  simulator::Module& module;
  const isa::Kernel& kernel;
  // Shared memory of one block without what the system reserves.
  std::uint32_t static_shared_bytes() const {
    return kernel.static_shared_bytes - kernel.reserved_shared_bytes;
  }
  std::atomic<int> max_dynamic_shared_bytes;
  std::atomic<int> preferred_carveout{-1};
  std::atomic<int> preferred_cache{0};  // cudaFuncCache
  // What its launches prefer. Preferring L1, shared memory or both alike is a carveout of 0, 100 or
  // 50 % (config_* of gpu/kernels/micro/timing/carveouts.cu).
  std::optional<std::uint8_t> carveout() const;
  std::atomic<int> non_portable_cluster_size{0};
  std::atomic<int> cluster_policy{0};
  std::array<std::atomic<int>, 3> wanted_cluster{};  // asked for by cudaFuncSetAttribute
};

// Threads of the largest block a kernel can be launched with: launch bounds and registers limit it.
std::uint32_t max_threads_per_block(const simulator::GpuModel& model, const isa::Kernel& kernel);

// Whether a GPU runs this machine code: same major number, no higher minor number.
bool runs_code(isa::Arch gpu, std::uint32_t sm_of_code);
// The cubins of a fat binary that `arch` can run: same major number, the highest minor number not
// above the device's. Several when the fat binary has several (an empty one from the linker, …).
std::vector<isa::FatEntry> entries_for(isa::Arch arch, std::vector<isa::FatEntry> entries);
// The GPU for a program that has this code, when nobody chose one: an H200 where that can run some
// of it, else the model for the newest architecture of which it has code.
const simulator::GpuModel& model_for(std::span<const isa::FatEntry> entries);
// "sm_75, sm_80, PTX for sm_90": what a fat binary has, for messages.
std::string describe_entries(std::span<const isa::FatEntry> entries);

class CodeImage {
 public:
  // Places every cubin in `memory` of one of several GPUs. `elsewhere`: the same cubins on another
  // one, or null. Throws isa::CubinError, std::bad_alloc.
  CodeImage(std::vector<isa::FatEntry> cubins, const std::string& origin,
            simulator::DeviceMemory& memory, std::uint32_t default_shared_limit, unsigned gpu = 0,
            const CodeImage* elsewhere = nullptr);

  // Null: no such kernel, or variable.
  Function* function(std::string_view name);
  std::optional<simulator::Module::Global> variable(std::string_view name) const;
  std::span<const std::unique_ptr<simulator::Module>> modules() const { return modules_; }
  std::vector<std::string_view> kernel_names() const;

 private:
  std::vector<std::unique_ptr<simulator::Module>> modules_;
  std::map<std::string, std::unique_ptr<Function>, std::less<>> functions_;
};

}  // namespace heddle::runtime
