#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include "isa/attributes.hpp"
#include "isa/decoder.hpp"
#include "simulator/base/sha256.hpp"
#include "simulator/launch/builtins.hpp"
#include "simulator/launch/launch_facts.hpp"
#include "simulator/launch/launch_shape.hpp"
#include "simulator/memory/memory.hpp"
#include "simulator/record/metrics.hpp"
#include "simulator/record/stated_error.hpp"

namespace heddle::simulator {
namespace {

LaunchFacts facts_of(const LaunchRequest& request, const GpuModel& model) {
  LaunchFacts facts;
  facts.occupancy = occupancy(model, resources_of(request));
  facts.waves = waves(model, facts.occupancy, request.grid.count());
  facts.blocks = static_cast<double>(request.grid.count());
  facts.threads = facts.blocks * static_cast<double>(request.block.count());
  facts.warps =
      facts.blocks * static_cast<double>((request.block.count() + kWarpSize - 1) / kWarpSize);
  return facts;
}

const char* name(Fault::Kind kind) {
  switch (kind) {
    case Fault::Kind::illegal_address:
      return "illegal_address";
    case Fault::Kind::misaligned_address:
      return "misaligned_address";
    case Fault::Kind::illegal_instruction:
      return "illegal_instruction";
    case Fault::Kind::unsupported_instruction:
      return "unsupported_instruction";
    case Fault::Kind::trap:
      return "trap";
    case Fault::Kind::assert_:
      return "assert";
    case Fault::Kind::deadlock:
      return "deadlock";
    case Fault::Kind::instruction_limit:
      return "instruction_limit";
    case Fault::Kind::stack_overflow:
      return "stack_overflow";
    case Fault::Kind::launch_failure:
      return "launch_failure";
    case Fault::Kind::invalid_pc:
      return "invalid_pc";
    case Fault::Kind::interrupted:
      return "interrupted";
  }
  return "";
}

struct Executed {
  std::vector<CountedInstruction> instructions;
  std::vector<std::uint64_t> addresses;  // of each
};

// What warps executed; and where they only waited, as an ended warp drains behind its EXIT.
// `timing`: null where the launch was not timed.
Executed executed(const isa::Program& program, const LaunchCounts& counts,
                  const timing::Result* timing) {
  Executed result;
  const auto add = [&](std::size_t pc, const InstructionCounts& counted) {
    if (!program.instructions[pc]) return;
    result.instructions.push_back({&*program.instructions[pc], counted,
                                   timing != nullptr ? &timing->stalls_at[pc] : nullptr});
    result.addresses.push_back(isa::kCodeBase + sizeof(isa::Word) * pc);
  };
  std::size_t next = 0;
  const auto add_waits_before = [&](std::size_t end) {
    for (; timing != nullptr && next < end; ++next)
      if (timing->stalls_at[next] != timing::StallCycles{}) add(next, {});
  };
  for (const auto& [pc, counted] : counts) {
    add_waits_before(pc);
    add(pc, counted);
    next = pc + 1;
  }
  add_waits_before(program.instructions.size());
  return result;
}

bool is_counter(const std::string& name) {
  const Metric* row = find_metric(name);
  return row != nullptr && row->counter;
}

// What hardware's counters see where it is not what patched code counts.
void set_counters(const isa::Program& program, const LaunchOutcome& outcome,
                  MetricValues& metrics) {
  if (outcome.unpatched)
    for (const auto& [name, value] :
         evaluate(executed(program, *outcome.unpatched, nullptr).instructions))
      if (is_counter(name)) metrics[name] = value;
  if (!outcome.counters_incomplete) return;
  MetricValues others;
  for (const auto& [name, value] : metrics)
    if (!is_counter(name)) others.emplace_hint(others.end(), name, value);
  metrics = std::move(others);
}

void add_timing(const timing::Result& result, MetricValues& values) {
  for (const Metric& metric : metrics())
    if (metric.of_timing != nullptr)
      if (const double value = metric.of_timing(result); value >= 0)
        values.emplace(metric.name, value);
  complete(values);
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// As CUPTI names code: by the function its section is made for. Subroutines that the compiler puts
// behind a kernel's own code ($__internal_0_$__cuda_sm20_div_u64) are the kernel's.
const std::string& section_function(const isa::Cubin& cubin, const isa::CodeRange& range) {
  for (const isa::Function& function : cubin.functions)
    if (function.section == range.section && function.offset == 0) return function.name;
  return cubin.functions[range.function].name;
}

// Function, PC and line of the instruction at `address`.
InstructionRecord place_of(const Module& module, std::uint64_t address) {
  InstructionRecord record;
  const isa::CodeRange* range = module.program().range_at(address);
  record.pc = range == nullptr ? address : address - range->address + range->section_offset;
  if (range != nullptr) record.function = section_function(module.cubin(), *range);
  if (const auto position = module.position(address); position && position->line != 0) {
    record.line = base_name(position->file) + ":" + std::to_string(position->line);
    record.inlined = position->inlined_function;
  }
  return record;
}

// `counters`: with what hardware's counters see.
InstructionRecord instruction_record(const Module& module, std::uint64_t address,
                                     const CountedInstruction& counted, bool counters) {
  InstructionRecord record = place_of(module, address);
  record.text = isa::print(*counted.instruction, record.pc);
  for (const auto& [name, value] : evaluate({&counted, 1}))
    if (value != 0 && find_metric(name.text())->is_sum() && (counters || !is_counter(name)))
      record.metrics.emplace(name, value);
  return record;
}

// What LaunchRecord says of a launch that executed no branch: what the compiler used instead.
void set_substitutes_of_branches(const Module& module, const Executed& ran, LaunchRecord& record) {
  constexpr std::size_t kMost = 4;
  std::set<std::string> predicated_places;
  for (std::size_t i = 0; i < ran.addresses.size(); ++i) {
    if (ran.instructions[i].counts.executed == 0) continue;
    const isa::Instruction& instruction = *ran.instructions[i].instruction;
    const bool selects = isa::facts(instruction.op).work == isa::Work::select;
    if (!selects && instruction.guard.index == isa::kPT) continue;
    const InstructionRecord place = place_of(module, ran.addresses[i]);
    const std::string where = place.line.empty() ? fmt::format("{:04x}", place.pc) : place.line;
    // A side of a branch is often several predicated instructions of one line: one speaks for them.
    if (!selects && !predicated_places.insert(where).second) continue;
    std::vector<std::string>& all = selects ? record.selects : record.predicated;
    std::string text = fmt::format("{} at {}", isa::name(instruction.op), where);
    if (all.size() < kMost && std::ranges::find(all, text) == all.end())
      all.push_back(std::move(text));
  }
}

// What a program asked for itself: not a module's variables, nor its own memory mapped.
bool is_plain(const Allocation& allocation) {
  return !allocation.host_mapped && !allocation.label.starts_with(".nv.");
}

// What stands for a pointer in a digest: 12 bits of tag, 12 of ordinal, 40 of offset.
std::uint64_t masked(std::uint64_t word, const DeviceMemory& memory) {
  const Allocation* target = memory.find(word);
  if (target == nullptr || !is_plain(*target)) return word;
  return std::uint64_t{0xa11} << 52 | std::uint64_t{target->ordinal & 0xfff} << 40 |
         (word - target->address);
}

// Reads in chunks of whole words, so that pointers can be masked on the way.
// `is_code`: whether the word at this offset holds a code address; such words count as zero.
template <typename IsCode>
std::string masked_digest(const DeviceMemory& memory, const std::byte* data, std::uint64_t bytes,
                          IsCode&& is_code) {
  constexpr std::size_t kChunk = 1 << 16;
  std::vector<std::byte> chunk;
  Sha256 sha;
  for (std::uint64_t at = 0; at < bytes; at += kChunk) {
    const std::size_t size = std::min<std::uint64_t>(kChunk, bytes - at);
    chunk.assign(data + at, data + at + size);
    for (std::size_t i = 0; i + sizeof(std::uint64_t) <= size; i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, chunk.data() + i, sizeof word);
      word = is_code(at + i) ? 0 : masked(word, memory);
      std::memcpy(chunk.data() + i, &word, sizeof word);
    }
    sha.update(chunk);
  }
  return sha.hex();
}

bool is_variable(const isa::Cubin& cubin, const isa::Symbol& symbol) {
  constexpr std::uint8_t kObject = 1;  // STT_OBJECT
  if (symbol.type != kObject || symbol.size == 0 || symbol.section >= cubin.sections.size())
    return false;
  const std::string& section = cubin.sections[symbol.section].name;
  return section == ".nv.global" || section == ".nv.global.init";
}

// Whether the cubin has another variable's address put into this one: that differs wherever they
// lie elsewhere.
bool holds_data_address(const isa::Cubin& cubin, const isa::Symbol& symbol) {
  constexpr std::uint8_t kFunction = 2;  // STT_FUNC
  return std::ranges::any_of(cubin.relocations, [&](const isa::Relocation& relocation) {
    return relocation.section == symbol.section && relocation.offset >= symbol.value &&
           relocation.offset - symbol.value < symbol.size &&
           cubin.symbols[relocation.symbol].type != kFunction;
  });
}

std::vector<MemoryRecord> digest_globals(const Module& module, const DeviceMemory& memory) {
  std::vector<MemoryRecord> records;
  for (const isa::Symbol& symbol : module.cubin().symbols) {
    if (!is_variable(module.cubin(), symbol) || holds_data_address(module.cubin(), symbol))
      continue;
    const auto global = module.find_global(symbol.name);
    if (!global || global->is_constant) continue;
    const std::byte* data = memory.view(global->address, global->bytes);
    if (data == nullptr) continue;
    const auto is_code = [&](std::uint64_t offset) {
      return module.holds_code_address(global->address + offset);
    };
    records.push_back(
        {0, symbol.name, global->bytes, masked_digest(memory, data, global->bytes, is_code)});
  }
  return records;
}

}  // namespace

std::vector<MemoryRecord> digest_memory(const DeviceMemory& memory) {
  std::vector<const Allocation*> mine;
  for (const auto& [address, allocation] : memory.allocations())
    if (!allocation.host_mapped && !allocation.label.starts_with(".nv."))
      mine.push_back(&allocation);
  std::ranges::sort(mine, {}, &Allocation::ordinal);
  std::vector<MemoryRecord> records;
  for (const Allocation* allocation : mine)
    records.push_back({allocation->ordinal, "", allocation->bytes,
                       masked_digest(memory, allocation->data, allocation->bytes,
                                     [](std::uint64_t) { return false; })});
  return records;
}

static const char* name(LaunchClass::Races races) {
  switch (races) {
    case LaunchClass::Races::none:
      return "none";
    case LaunchClass::Races::not_checked:
      return "not checked";
    case LaunchClass::Races::found:
      return "found";
  }
  return "";
}

// Of the GPU that the model was compared with, not of one that options made of it.
static void state_error(const timing::Result& timing, const GpuModel& model, LaunchRecord& record) {
  const TimeBound bound = time_bound(timing);
  record.time_bound = kTimeBounds[static_cast<std::size_t>(bound)].key;
  if (model.cycles_errors != nullptr && timing.as_given)
    record.cycles_error = model.cycles_errors->of(bound);
}

LaunchRecord make_launch_record(const LaunchRequest& request, const LaunchOutcome& outcome,
                                const GpuModel& model, const RecordOptions& options) {
  const isa::Kernel& kernel = *request.kernel;
  LaunchRecord record;
  record.index = options.index;
  record.kernel = kernel.name;
  record.grid = request.grid;
  record.block = request.block;
  record.dynamic_shared_bytes = request.dynamic_shared_bytes;
  record.static_shared_bytes =
      resources_of(request).shared_bytes_per_block - request.dynamic_shared_bytes;
  record.preferred_carveout = request.preferred_carveout;
  record.registers = kernel.registers;
  record.local_bytes = kernel.frame_bytes;
  record.constant_bytes = static_cast<std::uint32_t>(request.module->constant_bank3().size());
  record.bank0_bytes = kernel.bank0_bytes;
  record.spill_store_bytes = kernel.spill_store_bytes;
  record.spill_load_bytes = kernel.spill_load_bytes;
  record.code_sha256 = request.module->code_sha256();
  record.launch_class = outcome.launch_class.determined() ? "determined" : "order-dependent";
  record.class_reasons = outcome.launch_class.order_dependent_because;
  record.races = name(outcome.launch_class.races);
  record.counts = outcome.counts_own_code ? "program" : "profiler";
  record.random_schedule = outcome.random_schedule;
  record.unmodelled = outcome.unmodelled;
  record.findings = outcome.findings;
  if (outcome.fault) {
    record.fault = outcome.fault->message();
    record.fault_kind = name(outcome.fault->kind);
  }

  const isa::Program& program = request.module->program();
  const Executed ran =
      executed(program, outcome.counts, outcome.timing ? &*outcome.timing : nullptr);
  record.metrics = evaluate(ran.instructions);
  set_counters(program, outcome, record.metrics);
  const LaunchFacts facts = facts_of(request, model);
  for (const Metric& metric : metrics())
    if (metric.of_launch != nullptr) record.metrics.emplace(metric.name, metric.of_launch(facts));
  if (const auto branches = record.metrics.find("smsp__sass_branch_targets.sum");
      branches != record.metrics.end() && branches->second == 0)
    set_substitutes_of_branches(*request.module, ran, record);
  if (outcome.timing) add_timing(*outcome.timing, record.metrics);
  if (outcome.timing) state_error(*outcome.timing, model, record);
  const bool counters = !outcome.counters_incomplete && !outcome.unpatched;
  if (options.per_instruction)
    for (std::size_t i = 0; i < ran.addresses.size(); ++i)
      record.instructions.push_back(
          instruction_record(*request.module, ran.addresses[i], ran.instructions[i], counters));
  if (options.memory != nullptr) {
    record.memory = digest_memory(*options.memory);
    record.globals = digest_globals(*request.module, *options.memory);
  }
  return record;
}

}  // namespace heddle::simulator
