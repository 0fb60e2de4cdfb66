// What is known of a module before its kernels execute, each kept from when it is first asked for:
// programs launch one kernel many thousand times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isa/cubin.hpp"
#include "isa/program.hpp"
#include "simulator/launch/call_graph.hpp"
#include "simulator/launch/classify.hpp"

namespace heddle::simulator {

struct LoweredProgram;  // simulator/execute/machine.hpp

// Rows of a warp, one after the other.
struct RowRange {
  std::size_t first = 0, count = 0;
};

// Of a kernel with all that it may call.
struct KernelFacts {
  bool may_recurse = false;         // simulator/launch/call_graph.hpp
  bool may_read_unordered = false;  // simulator/launch/classify.hpp
  bool may_part_lanes = false;      // simulator/launch/classify.hpp
  bool tells_time = false;          // simulator/launch/classify.hpp
  bool cancels_blocks = false;      // simulator/launch/classify.hpp
  // Whether it calls one of the driver's functions by its address. What is called through a
  // register is found when it happens.
  bool calls_driver = false;
  // The highest rows of vector and uniform registers that its instructions name.
  unsigned registers = 0, uniform_registers = 0;
  // These; those of them that a thread may read before any instruction has written to them.
  std::vector<RowRange> named_rows, rows_read_first;
  std::vector<std::uint32_t> pool_rows;  // of LoweredProgram::pool, that its instructions read
  // Launches so far whose blocks used the same memory, so that several threads did not help.
  mutable unsigned conflicts = 0;
  // Whether blocks have written to an allocation that others had read
  // (simulator/launch/conflicts.hpp).
  mutable bool notes_reads = false;
};

// As its module's launches, used by one thread at a time.
class ModuleFacts {
 public:
  // All must outlive it.
  ModuleFacts(const isa::Cubin& cubin, const isa::Program& program, const LoweredProgram& lowered);
  // `entry`: the kernel's code address.
  const KernelFacts& kernel(std::uint64_t entry) const;
  const std::string& sees_order() const;  // simulator/launch/classify.hpp
  OrderTraits& order_traits() const { return order_traits_; }
  // Whether its code calls malloc; what launches grids.
  bool allocates() const { return allocates_; }
  bool launches_grids() const { return launches_grids_; }

 private:
  const isa::Cubin& cubin_;
  const isa::Program& program_;
  const LoweredProgram& lowered_;
  bool allocates_ = false, launches_grids_ = false;
  mutable std::map<std::uint64_t, KernelFacts> kernels_;
  mutable std::optional<CallGraph> calls_;
  mutable std::optional<std::string> sees_order_;
  mutable OrderTraits order_traits_;
};

}  // namespace heddle::simulator
