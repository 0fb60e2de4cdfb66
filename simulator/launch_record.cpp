#include <algorithm>
#include <cstring>
#include <string>

#include "isa/decoder.hpp"
#include "simulator/launch_facts.hpp"
#include "simulator/memory.hpp"
#include "simulator/metrics.hpp"
#include "simulator/sha256.hpp"

namespace heddle::simulator {
namespace {

std::uint32_t static_shared(const isa::Kernel& kernel) {
  return kernel.static_shared_bytes -
         std::min(kernel.static_shared_bytes, kernel.reserved_shared_bytes);
}

LaunchFacts facts_of(const LaunchRequest& request, const GpuModel& model) {
  const isa::Kernel& kernel = *request.kernel;
  LaunchFacts facts;
  facts.occupancy = occupancy(
      model, {.threads_per_block = static_cast<std::uint32_t>(request.block.count()),
              .registers_per_thread = kernel.registers,
              .shared_bytes_per_block = static_shared(kernel) + request.dynamic_shared_bytes,
              .barriers = kernel.barriers});
  facts.waves = waves(model, facts.occupancy, request.grid.count());
  return facts;
}

struct Executed {
  std::vector<CountedInstruction> instructions;
  std::vector<std::uint64_t> addresses;  // of each
};

Executed executed(const isa::Program& program, const LaunchOutcome& outcome) {
  Executed result;
  const std::size_t count = std::min(outcome.counts.size(), program.instructions.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (!program.instructions[i] || outcome.counts[i].executed == 0) continue;
    result.instructions.push_back({&*program.instructions[i], outcome.counts[i]});
    result.addresses.push_back(isa::kCodeBase + sizeof(isa::Word) * i);
  }
  return result;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

InstructionRecord instruction_record(const Module& module, std::uint64_t address,
                                     const CountedInstruction& counted) {
  InstructionRecord record;
  const isa::CodeRange* range = module.program().range_at(address);
  record.pc = range == nullptr ? address : address - range->address;
  if (range != nullptr) record.function = module.cubin().functions[range->function].name;
  if (const auto position = module.position(address); position && position->line != 0) {
    record.line = base_name(position->file) + ":" + std::to_string(position->line);
    record.inlined = position->inlined_function;
  }
  record.text = isa::print(*counted.instruction, record.pc);
  for (const Metric& metric : metrics()) {
    if (!metric.is_sum()) continue;
    const std::uint64_t value = metric.amount(*counted.instruction, counted.counts);
    if (value != 0) record.metrics.emplace(metric.name, static_cast<double>(value));
  }
  return record;
}

// Reads the memory in chunks of whole words, so that pointers can be masked on the way.
std::string masked_digest(const DeviceMemory& memory, const Allocation& allocation) {
  constexpr std::size_t kChunk = 1 << 16;
  std::vector<std::byte> chunk;
  Sha256 sha;
  for (std::uint64_t at = 0; at < allocation.bytes; at += kChunk) {
    const std::size_t size = std::min<std::uint64_t>(kChunk, allocation.bytes - at);
    chunk.assign(allocation.data + at, allocation.data + at + size);
    for (std::size_t i = 0; i + sizeof(std::uint64_t) <= size; i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, chunk.data() + i, sizeof word);
      if (word == 0 || memory.find(word) == nullptr) continue;
      std::memset(chunk.data() + i, 0, sizeof word);
    }
    sha.update(chunk);
  }
  return sha.hex();
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
    records.push_back({allocation->ordinal, allocation->bytes, masked_digest(memory, *allocation)});
  return records;
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
  record.static_shared_bytes = static_shared(kernel);
  record.registers = kernel.registers;
  record.local_bytes = kernel.frame_bytes;
  record.constant_bytes = kernel.bank0_bytes;
  if (kernel.frame_bytes == 0) record.spill_store_bytes = record.spill_load_bytes = 0;
  record.code_sha256 = request.module->code_sha256();
  record.launch_class = outcome.launch_class.determined() ? "determined" : "order-dependent";
  record.class_reasons = outcome.launch_class.order_dependent_because;
  record.unmodelled = outcome.unmodelled;
  if (outcome.fault) record.fault = outcome.fault->message();

  const Executed ran = executed(request.module->program(), outcome);
  record.metrics = evaluate(ran.instructions);
  const LaunchFacts facts = facts_of(request, model);
  for (const Metric& metric : metrics())
    if (metric.of_launch != nullptr) record.metrics.emplace(metric.name, metric.of_launch(facts));
  if (options.per_instruction)
    for (std::size_t i = 0; i < ran.addresses.size(); ++i)
      record.instructions.push_back(
          instruction_record(*request.module, ran.addresses[i], ran.instructions[i]));
  if (options.memory != nullptr) record.memory = digest_memory(*options.memory);
  return record;
}

}  // namespace heddle::simulator
