// A GPU as data. Values come from simulator/models/*.toml; each has a unit and a source there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isa/arch.hpp"
#include "simulator/memory/access_rules.hpp"
#include "simulator/warp/reconvergence_policies.hpp"

namespace heddle::simulator {

namespace timing {
struct Constants;
}

struct CyclesErrors;      // simulator/models/time_bounds.hpp
struct InstructionCosts;  // simulator/models/instruction_costs.hpp

struct GpuModel {
  std::string id;    // "h200"
  std::string name;  // "NVIDIA H200", what cudaGetDeviceProperties reports
  isa::Arch arch{};  // of the machine code it executes
  // "2.0", where its own machine code is not read here and it executes sketches alone; else empty.
  std::string capability;
  bool is_default = false;  // of those with its architecture, the one to run on when none is named
  bool is_reference = false;    // what runs on any architecture runs on when none is named
  bool replays_traces = false;  // of those with its architecture, the one for Accel-Sim's traces
  std::uint32_t sms = 0;
  std::uint32_t max_threads_per_block = 0;
  std::uint32_t max_threads_per_sm = 0;
  std::uint32_t max_warps_per_sm = 0;
  std::uint32_t max_blocks_per_sm = 0;
  std::uint32_t barriers_per_sm = 0;  // block barriers in the SM's pool; 0: no limit
  std::uint32_t registers_per_sm = 0;
  std::uint32_t registers_per_block = 0;
  std::uint32_t register_allocation_unit = 0;  // registers per warp are rounded up to this
  std::uint32_t warp_allocation_granularity = 0;
  std::uint32_t shared_bytes_per_sm = 0;
  std::uint32_t shared_bytes_per_block = 0;  // without opting in
  std::uint32_t shared_bytes_per_block_optin = 0;
  std::uint32_t shared_bytes_reserved = 0;  // per block, by the system
  std::uint32_t shared_allocation_unit = 0;
  std::uint64_t memory_bytes = 0;
  std::uint32_t l2_bytes = 0;
  std::uint32_t clock_khz = 0;
  std::uint32_t memory_clock_khz = 0;
  std::uint32_t memory_bus_bits = 0;
  std::shared_ptr<const timing::Constants> timing;    // null: nobody has given it any
  std::shared_ptr<const CyclesErrors> cycles_errors;  // null: not compared with such a GPU
  bool timing_checked = false;  // against a GPU; otherwise they are another model's
  ReconvergencePolicy reconvergence = ReconvergencePolicy::barriers;
  std::string predication;  // the rule that sketches follow unless told otherwise; empty: off
  AccessRules access_rules = AccessRules::sectors;
  std::shared_ptr<const InstructionCosts> costs;  // null: none are published

  bool sketches_only() const { return !capability.empty(); }
  std::string code_name() const;  // "sm_90", "sm_20"
};

// A built-in model by id, as in "h200". Throws std::invalid_argument naming the known ones.
const GpuModel& gpu_model(std::string_view id);
// The model a program for `arch` runs on when the user chose none.
const GpuModel& default_model(isa::Arch arch);
// The model that records are measured on, and the one that Accel-Sim's traces of `arch` are taken
// to be of (null: none).
const GpuModel& reference_model();
const GpuModel* accelsim_model(isa::Arch arch);
std::vector<std::string> model_ids();

// Reads a model; `origin` names it in errors. Throws std::runtime_error with origin and key when a
// value is missing, unknown, out of range, or has no unit or no source.
GpuModel parse_gpu_model(std::string_view toml, std::string_view id, std::string_view origin);

// Where the value of `key` of a built-in model comes from, as its file says.
struct ModelValue {
  std::string key, value, unit, source;
};
std::vector<ModelValue> model_values(std::string_view id);

}  // namespace heddle::simulator
