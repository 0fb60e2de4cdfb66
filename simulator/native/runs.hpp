// The runs and regions of a program that are executed as native code: which there are, and when
// code is made.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "simulator/native/code_memory.hpp"
#include "simulator/native/function.hpp"
#include "simulator/native/machine.hpp"
#include "simulator/native/region_helpers.hpp"
#include "simulator/native/run_op.hpp"
#include "simulator/native/vector_unit.hpp"

namespace heddle::simulator::native {

// Whether this processor has what code for a vector unit needs.
bool is_supported(VectorUnit unit);
// The widest unit that it has, if any.
std::optional<VectorUnit> best_unit();

// One program's. Several threads may execute, and compile, at the same time.
class Runs {
 public:
  // Of all code. Each jump into a run makes one of its own, so that hostile code could go on.
  static constexpr std::size_t kMostBytes = 64 << 20, kMostPieces = 1 << 14;

  // Describes the instruction at an index.
  using Describe = std::function<RunOp(std::uint32_t)>;
  // A region: its first instruction, and the one behind its last.
  struct Region {
    std::uint32_t first = 0, end = 0;
  };
  // Which region an instruction is in, of at most RegionCompiler::kLongest.
  using RegionOf = std::function<Region(std::uint32_t)>;
  Runs(VectorUnit unit, std::size_t instructions, Describe describe, KnownWord known,
       RegionOf region_of, RegionHelpers helpers);

  // A run that begins at an instruction.
  struct Entry {
    // Of a warp whose lanes are all active, and of others. Null: there is none.
    std::atomic<Function> full, partial;
    std::atomic<std::uint32_t> visits;  // without native code
    std::uint32_t length;               // instructions
    bool has_guards;                    // some of them may take lanes off

    Function function(bool all_active) const {
      return (all_active ? full : partial).load(std::memory_order_acquire);
    }
  };
  Entry& at(std::uint32_t index) { return entries_[index]; }

  // An instruction at which the code of its region can be entered.
  struct Place {
    std::atomic<const void*> full, partial;  // as above; null: it cannot
    std::atomic<std::uint32_t> visits, partial_visits;
  };
  const void* place(std::uint32_t index, bool all_active) const {
    const Place& place = places_[index];
    return (all_active ? place.full : place.partial).load(std::memory_order_acquire);
  }
  Enter enter() const { return enter_; }
  const RegionOf& region_of() const { return region_of_; }
  // A warp comes to an instruction that is no such place: once that was often enough, the region's
  // code is made.
  void visit_place(std::uint32_t index, bool all_active) {
    Place& place = places_[index];
    std::atomic<std::uint32_t>& visits = all_active ? place.visits : place.partial_visits;
    const std::uint32_t before = visits.load(std::memory_order_relaxed);
    visits.store(before + 1, std::memory_order_relaxed);
    if (before + 1 == kOften) compile_region(index, all_active);
  }

  // Of memory for code so far.
  std::size_t bytes() const { return bytes_; }

  // An instruction is executed by its lane function, and those behind it: once it has been often
  // enough, its run is compiled.
  void visit(std::uint32_t index) {
    Entry& entry = entries_[index];
    const std::uint32_t before = entry.visits.load(std::memory_order_relaxed);
    entry.visits.store(before + 1, std::memory_order_relaxed);
    if (before + 1 == kOften) compile(index);
  }

 private:
  static constexpr std::uint32_t kOften = 200;
  void compile(std::uint32_t index);
  void compile_region(std::uint32_t index, bool full);
  const std::byte* keep(std::span<const std::uint8_t> code);
  Function make(std::span<const RunOp> run, bool full);

  const Describe describe_;
  const KnownWord known_;
  const RegionOf region_of_;
  const RegionHelpers helpers_;
  // Zero at first; what nobody looks at takes no memory.
  std::unique_ptr<Entry[], void (*)(void*)> entries_;
  std::unique_ptr<Place[], void (*)(void*)> places_;
  Enter enter_ = nullptr;
  std::mutex compiling_;
  std::unique_ptr<std::uint8_t[]> buffer_, region_buffer_;  // of which code touches what it needs
  std::vector<CodeMemory> code_;
  std::size_t bytes_ = 0;
  bool is_full_ = false;  // a region's code found no room
  const VectorUnit unit_;
};

}  // namespace heddle::simulator::native
