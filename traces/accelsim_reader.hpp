// Reads what `--trace accelsim` writes, and traces of Accel-Sim's own tracer (version 5).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <istream>
#include <map>
#include <string>
#include <vector>

#include "simulator/access_counts.hpp"
#include "simulator/types.hpp"

namespace heddle::traces {

struct AccelsimInstruction {
  std::uint32_t line = 0;  // of the source; 0: the trace has none
  std::uint64_t pc = 0;
  simulator::Mask lanes = 0;  // that are active and whose guard holds
  std::vector<std::uint32_t> destinations, sources;
  std::string opcode;
  std::uint32_t width = 0;         // bytes per lane; 0: no access
  simulator::Addresses address{};  // of the lanes in `lanes`
  std::int64_t immediate = 0;
};

struct AccelsimWarp {
  simulator::Dim3 block;
  std::uint32_t warp = 0;
  std::vector<AccelsimInstruction> instructions;
};

struct AccelsimKernel {
  std::map<std::string, std::string> header;  // as it stands: "kernel name" …
  std::string name;
  simulator::Dim3 grid, block;
  std::uint32_t shared_bytes = 0, registers = 0, binary_version = 0;
  bool has_lines = false;
};

// Reads a kernel-N.traceg; `warp` gets every warp as it is read, so that no more than one is in
// memory. Throws std::runtime_error with `origin`, line number and what is wrong.
AccelsimKernel read_accelsim_kernel(std::istream& stream, const std::string& origin,
                                    const std::function<void(const AccelsimWarp&)>& warp);

// The kernels of a kernelslist.g, in its order; names stay inside its folder. Throws
// std::runtime_error.
std::vector<std::filesystem::path> read_accelsim_list(const std::filesystem::path& list);

}  // namespace heddle::traces
