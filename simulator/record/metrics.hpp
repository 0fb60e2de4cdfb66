// The metric table: one row per metric, and the record of a launch computed from it.
//
// A run keeps a handful of sums per instruction (simulator/base/instruction_counts.hpp); every
// exact metric is a function of those and of what the instruction is, evaluated here after the
// launch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "isa/instruction.hpp"
#include "simulator/base/instruction_counts.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/record/record.hpp"

namespace heddle::simulator {

// exact: what the architecture determines. modelled: what time decides, or what a model of ours
// approximates; such a value carries an error.
enum class MetricKind : std::uint8_t { exact, modelled };

// What one instruction adds to a metric.
using Amount = std::uint64_t (*)(const isa::Instruction&, const InstructionCounts&);

struct LaunchFacts;  // metrics.cpp: the launch's shape and the GPU it ran on

struct Metric {
  std::string_view name;         // as Nsight Compute spells it, with the roll-up suffix
  std::string_view nvprof = {};  // nvprof's metric or event; empty: it has none
  std::string_view unit;
  MetricKind kind = MetricKind::exact;
  std::string_view meaning;  // one line
  // Counted by hardware, not by patched code: it also sees what a launch may run outside its own
  // instructions (LaunchOutcome::counters_incomplete).
  bool counter = false;
  // A count per instruction …
  Amount amount = nullptr;
  // … or made of other metrics: `scale` times `of` (and `plus`), over `per` where there is one …
  std::string_view of = {}, plus = {}, per = {};
  double scale = 1;
  std::optional<double> nvprof_when_empty = std::nullopt;  // nvprof's value where `per` is 0
  // … or a fact of the launch.
  double (*of_launch)(const LaunchFacts&) = nullptr;
  // … or a result of the timing model, below 0 where it would be over nothing; or what that counts
  // per instruction: cycles of warps in one state.
  double (*of_timing)(const timing::Result&) = nullptr;
  std::optional<timing::Stall> samples = std::nullopt;

  // What can be added up over launches, and over instructions unless it is a fact of a launch.
  // (A name without "__" is nvprof's own: Nsight Compute has none for it.)
  bool is_sum() const {
    const bool computed = of_launch != nullptr || of_timing != nullptr;
    return per.empty() && (!computed || name.ends_with(".sum"));
  }
};

std::span<const Metric> metrics();
// By name, by name without roll-up suffix, or by nvprof's name; null when there is none.
const Metric* find_metric(std::string_view name);
// The known name nearest to `name`, for "did you mean"; empty when none is near.
std::string_view nearest_metric(std::string_view name);

// One executed instruction, what a group of metrics is summed over.
struct CountedInstruction {
  const isa::Instruction* instruction = nullptr;
  InstructionCounts counts;
  const timing::StallCycles* stalls = nullptr;  // when the launch was timed
};

// Counts over a group of instructions (a launch, a line, one instruction), and what is made of
// them. A ratio over nothing is absent.
MetricValues evaluate(std::span<const CountedInstruction> instructions);
// Adds what is made of values that are there.
void complete(MetricValues& values);
// The value `values` has, or what the metric is made of gives; nothing where that is not known, or
// a ratio over nothing.
std::optional<double> value_of(const MetricValues& values, const Metric& metric);

struct RecordOptions {
  std::uint64_t index = 0;               // of the launch in its program
  bool per_instruction = false;          // with LaunchRecord::instructions
  const DeviceMemory* memory = nullptr;  // with digests of its allocations
};

// The record of a launch that ran to its end or to a fault. In `instructions`, sums that are zero
// are left out: a metric the launch has and an instruction lacks is zero there.
LaunchRecord make_launch_record(const LaunchRequest& request, const LaunchOutcome& outcome,
                                const GpuModel& model, const RecordOptions& options = {});

// SHA-256 of every allocation a program made, in order of allocation. Addresses differ between the
// model and a GPU, so an aligned 8-byte word that points into an allocation is hashed as its
// ordinal and the offset in it (docs/record.md).
std::vector<MemoryRecord> digest_memory(const DeviceMemory& memory);

}  // namespace heddle::simulator
