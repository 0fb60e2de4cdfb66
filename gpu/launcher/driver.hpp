// The few functions of a GPU's driver that launch a capsule, from the libcuda.so.1 that is there
// when the program starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "simulator/base/types.hpp"

namespace heddle::launcher {

using Handle = void*;  // contexts, modules, functions

struct GpuLaunch {
  Handle function = nullptr;
  simulator::Dim3 grid, block, cluster;
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::optional<std::uint8_t> preferred_carveout = {};
  std::span<const std::byte> parameters;
};

// The first GPU, with a context of its own. Every function throws std::runtime_error that names
// the call and the driver's error.
class Driver {
 public:
  Driver();
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  std::string device_name() const;
  void set_stack_bytes(std::uint64_t bytes);

  static constexpr std::uint64_t kFrame = 2 << 20;  // memory is mapped in such pieces
  // Addresses are had at the place that is asked for in whole blocks alone: what is smaller an
  // H100's driver (580) puts where it has such a block already.
  static constexpr std::uint64_t kBlock = 32 << 20;
  void reserve(std::uint64_t address, std::uint64_t bytes);  // multiples of kBlock
  // Device memory at reserved addresses, multiples of kFrame; until the process ends.
  void map(std::uint64_t address, std::uint64_t bytes);
  void clear(std::uint64_t address, std::uint64_t bytes);
  void write(std::uint64_t address, std::span<const std::byte> bytes);
  void read(std::uint64_t address, std::span<std::byte> bytes);

  Handle load(std::span<const std::byte> cubin);
  void unload(Handle module);
  Handle function(Handle module, const std::string& name);
  // Where a variable lies; 0: the module has none of this name.
  std::uint64_t variable(Handle module, const std::string& name);
  // Launches and waits for the end.
  void launch(const GpuLaunch& launch);

 private:
  struct Calls;
  std::unique_ptr<Calls> calls_;
};

}  // namespace heddle::launcher
