// Reads what `--trace accelsim` writes, and traces of Accel-Sim's own tracer (version 5).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/mask.hpp"
#include "simulator/base/types.hpp"
#include "simulator/memory/access_counts.hpp"

namespace heddle::traces {

// The registers a line names.
struct AccelsimRegisters {
  std::array<std::uint8_t, 4> number{};
  std::uint8_t count = 0;
  bool empty() const { return count == 0; }
  const std::uint8_t* begin() const { return number.data(); }
  const std::uint8_t* end() const { return number.data() + count; }
  std::uint32_t operator[](std::size_t i) const { return number[i]; }
};

struct AccelsimInstruction {
  std::uint32_t line = 0;  // of the source; 0: the trace has none
  std::uint64_t pc = 0;
  simulator::Mask lanes{};  // that are active and whose guard holds
  AccelsimRegisters destinations, sources;
  std::string_view opcode;         // in the trace's text
  std::uint32_t width = 0;         // bytes per lane; 0: no access
  simulator::Addresses address{};  // of the lanes in `lanes`
  std::int64_t immediate = 0;
};

// Where a warp's instructions stand in the text.
struct AccelsimWarp {
  std::uint32_t warp = 0;  // in its block
  std::uint64_t instructions = 0;
  std::uint64_t offset = 0, line = 0;  // of the first; lines count from 1
};

struct AccelsimBlock {
  simulator::Dim3 index;
  std::vector<AccelsimWarp> warps;
};

struct AccelsimKernel {
  std::map<std::string, std::string> header;  // as it stands: "kernel name" …
  std::string name;
  simulator::Dim3 grid, block;
  std::uint32_t shared_bytes = 0, registers = 0, binary_version = 0;
  std::uint64_t shared_base = 0, local_base = 0;  // of generic addresses
  bool has_lines = false;
  std::vector<AccelsimBlock> blocks;  // in the order of the file
};

// The header of a kernel-N.traceg and where its warps are. Throws std::runtime_error with `origin`,
// line number and what is wrong; what instructions say is not looked at yet.
AccelsimKernel read_accelsim_kernel(std::string_view text, const std::string& origin);

// A warp's instructions, one after the other. What is given must outlive it.
class AccelsimWarpReader {
 public:
  AccelsimWarpReader(std::string_view text, const std::string& origin, const AccelsimKernel& kernel,
                     const AccelsimWarp& warp);
  // False behind the last one. Throws std::runtime_error as above.
  bool next(AccelsimInstruction& instruction);

 private:
  std::string_view text_;
  const std::string* origin_;
  std::uint64_t left_, line_;
  bool has_lines_;
};

// The kernels of a kernelslist.g, in its order; names stay inside its folder. Throws
// std::runtime_error.
std::vector<std::filesystem::path> read_accelsim_list(const std::filesystem::path& list);

}  // namespace heddle::traces
