// The record: what a run (model) or a measurement (hardware) of a program writes. Schema
// "heddle.record/1"; see docs/record.md. A key a source cannot know is absent, never zero.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/types.hpp"
#include "simulator/launch/finding.hpp"
#include "simulator/record/metric_values.hpp"

namespace heddle::simulator {

// What was measured several times: one value for each time.
using MetricSamples = std::map<std::string, std::vector<double>, std::less<>>;

struct InstructionRecord {
  std::string function;  // mangled
  std::uint64_t pc = 0;  // byte offset in it
  std::string line;      // "file.cu:12"; empty when unknown
  std::string inlined;   // the function inlined here, if any
  std::string text;      // as nvdisasm prints it; model records only
  MetricValues metrics;
};

// The contents of an allocation, or of a __device__ variable (which has a symbol).
struct MemoryRecord {
  std::uint32_t allocation = 0;  // ordinal
  std::string symbol;
  std::uint64_t bytes = 0;
  std::string sha256;
};

struct LaunchRecord {
  std::uint64_t index = 0;
  std::string kernel;  // mangled
  // How many grids launched one another before it; 0: the program launched it. It stands behind the
  // launch that made it.
  std::uint32_t nesting = 0;
  std::uint32_t gpu = 0;  // which of the program's GPUs executed it
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0, static_shared_bytes = 0;
  std::optional<std::uint8_t> preferred_carveout = {};  // as LaunchRequest's
  std::uint32_t registers = 0;
  std::uint32_t local_bytes = 0;  // stack frame per thread
  // Of __constant__ variables; of bank 0, parameters included (cmem[0] of ptxas -v); of spills.
  std::optional<std::uint32_t> constant_bytes, bank0_bytes, spill_store_bytes, spill_load_bytes;
  std::string code_sha256;
  std::string launch_class;  // "determined", "order-dependent"; empty: unknown
  std::vector<std::string> class_reasons;
  // "none", "not checked" (then "determined" holds if there are none), "found"; empty: unknown.
  std::string races;
  // Of the model: "profiler": exact metrics are what a profiler counts, whose patches can change
  // how lanes reconverge; "program": what the program's own code does. Empty: unknown.
  std::string counts;
  // Of an untimed launch whose order of warps and blocks was drawn at random: the seed.
  std::optional<std::uint64_t> random_schedule;
  MetricValues metrics;
  // Model records of launches without branches: the first four selects that were executed, and the
  // first four places with predicated instructions, as "FSEL at file.cu:12", of code without line
  // numbers "FSEL at 00b0".
  std::vector<std::string> selects, predicated;
  // Model records of timed launches: a key of kTimeBounds (simulator/models/time_bounds.hpp), and
  // the error of cycles to expect, in percent: nine of ten such launches were within it.
  std::string time_bound;
  std::optional<std::uint32_t> cycles_error;
  std::vector<InstructionRecord> instructions;
  std::vector<MemoryRecord> memory;   // allocations, in order of allocation
  std::vector<MemoryRecord> globals;  // variables of the kernel's module, by symbol
  std::vector<std::string> varies;    // what differed between repeated runs; hardware only
  MetricSamples timing;               // what time decides, each time it was measured; hardware only
  std::vector<std::string> unmodelled;
  std::vector<checks::Finding> findings;  // of `heddle run --check`
  std::string fault;                      // what stopped it; empty: it completed
  std::string fault_kind;                 // "illegal_address", "instruction_limit", …
};

struct Record {
  std::string source;  // "model" or "hardware"
  std::string device, arch, toolchain, driver, date;
  std::vector<std::string> program;  // argv
  std::vector<LaunchRecord> launches;
  bool complete = true;
};

nlohmann::ordered_json to_json(const LaunchRecord& launch);
nlohmann::ordered_json to_json(const Record& record);
// Throws std::runtime_error naming `origin` and the key that is missing or wrong.
LaunchRecord launch_from_json(const nlohmann::ordered_json& json, const std::string& origin);
// `most_alike`: bytes of memory that launches told as others ("as") may take together.
inline constexpr std::uint64_t kAlikeBytes = std::uint64_t{64} << 20;
Record record_from_json(const nlohmann::ordered_json& json, const std::string& origin,
                        std::uint64_t most_alike = kAlikeBytes);
Record read_record(const std::filesystem::path& path);
// Written beside its place and renamed. `more`: further members (RecordJson::end).
void write_record(const Record& record, const std::filesystem::path& path,
                  std::string_view more = {});

}  // namespace heddle::simulator
