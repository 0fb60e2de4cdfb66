#include "simulator/launch/classify.hpp"

#include <algorithm>
#include <set>

#include "isa/attributes.hpp"

namespace heddle::simulator {
namespace {

using isa::Instruction;
using isa::Mod;
using Memory = isa::MemoryAccess;

// Of a special register that tells time or place.
bool reads_time_or_place(const Instruction& in) {
  constexpr std::uint32_t kVirtualCfg = 2, kVirtualId = 3, kVirtualSmId = 67;
  if (isa::facts(in).work != isa::Work::read_special) return false;
  const std::uint32_t number = in.mod(Mod::special_reg);
  return number == 1 || number == kVirtualCfg || number == kVirtualId || number == kVirtualSmId ||
         (number >= 80 && number <= 83);
}

// SYNCS.PHASECHK without .TRYWAIT: how often a loop asks depends on time.
bool tests_barrier(const Instruction& in) {
  const Memory access = isa::memory_access(in);
  return access.of == Memory::Of::barrier && access.kind == Memory::Kind::load &&
         in.mod(Mod::try_wait) == 0;
}

const char* reason_of_atomic(const Instruction& in) {
  if (isa::memory_access(in).of == Memory::Of::swap) return "compare-and-swap";
  if (isa::is_exchange(in)) return "atomic exchange";
  if (isa::data_type(in).is_float()) return "floating-point atomic";
  return in.rd != isa::kRZ ? "atomic whose result is used" : nullptr;
}

const char* reason(const Instruction& in) {
  const Memory access = isa::memory_access(in);
  if (access.of == Memory::Of::barrier)
    return tests_barrier(in) ? "test of a barrier in shared memory" : nullptr;
  if (access.kind == Memory::Kind::atomic) return reason_of_atomic(in);
  if (access.kind == Memory::Kind::reduction && access.of != Memory::Of::counted)
    return isa::data_type(in).is_float() ? "floating-point reduction" : nullptr;
  if (isa::reads_active_mask(in)) return "active-mask read";
  return reads_time_or_place(in) ? "clock or multiprocessor read" : nullptr;
}

// Whether it writes, other than by an atomic, memory that several warps have.
bool writes_for(const Instruction& in, std::uint64_t warps, std::uint64_t warps_per_block) {
  const Memory access = isa::memory_access(in);
  if (access.kind != Memory::Kind::store && access.kind != Memory::Kind::copy) return false;
  if (access.of == Memory::Of::barrier || access.space == isa::Space::local) return false;
  // Shared memory is that of a block, but for clusters and where a generic address may lead.
  const bool shared = access.space == isa::Space::shared && access.kind == Memory::Kind::store &&
                      access.by_threads();
  return (shared ? warps_per_block : warps) > 1;
}

}  // namespace

LaunchClass classify(const isa::Program& program, const LaunchCounts& counts, std::uint64_t warps,
                     std::uint64_t warps_per_block) {
  std::set<std::string> reasons;
  bool races = false;
  for (const auto& [pc, counted] : counts) {
    if (!program.instructions[pc]) continue;
    const Instruction& in = *program.instructions[pc];
    if (const char* why = reason(in)) reasons.insert(why);
    races |= writes_for(in, warps, warps_per_block);
  }
  return {.order_dependent_because = {reasons.begin(), reasons.end()},
          .races = races ? LaunchClass::Races::not_checked : LaunchClass::Races::none};
}

bool tells_time(const isa::Program& program, const std::vector<InstructionRange>& code) {
  bool found = false;
  for_each_instruction(program, code, [&](std::uint32_t, const Instruction& in) {
    found |= reads_time_or_place(in);
  });
  return found;
}

std::string sees_order(const isa::Program& program) {
  for (const auto& instruction : program.instructions) {
    if (!instruction) continue;
    // Votes look at their own warp only, tests of barriers at their own cluster.
    if (isa::facts(*instruction).work == isa::Work::exchange ||
        isa::memory_access(*instruction).of == Memory::Of::barrier)
      continue;
    if (const char* why = reason(*instruction)) return why;
  }
  return {};
}

bool may_read_unordered(const isa::Program& program, const std::vector<InstructionRange>& code) {
  bool strong_loads = false, loads = false, reductions = false;
  for_each_instruction(program, code, [&](std::uint32_t, const Instruction& in) {
    const Memory access = isa::memory_access(in);
    if (access.space != isa::Space::global && access.space != isa::Space::generic) return;
    const bool is_load = access.kind == Memory::Kind::load;
    strong_loads |= is_load && isa::is_strong(in);
    loads |= is_load;
    reductions |= access.kind == Memory::Kind::reduction;
  });
  return strong_loads || (loads && reductions);
}

bool may_part_lanes(const isa::Program& program, const std::vector<InstructionRange>& code) {
  bool found = false;
  for_each_instruction(program, code, [&](std::uint32_t, const Instruction& in) {
    switch (isa::effect(in)) {
      case isa::Effect::indirect_branch:
      case isa::Effect::ret:
      case isa::Effect::warp_sync:
        found = true;
        break;
      case isa::Effect::branch:
      case isa::Effect::call:
        found |= isa::is_conditional(in) || in.a.kind != isa::Source::Kind::none;
        break;
      default:
        break;
    }
  });
  return found;
}

}  // namespace heddle::simulator
