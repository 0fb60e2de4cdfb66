#include "simulator/checks/register_uses.hpp"

#include <fmt/format.h>

#include "isa/attributes.hpp"
#include "simulator/execute/micro_op.hpp"

namespace heddle::simulator::checks {
namespace {

using isa::Mod;
using isa::Op;
using isa::Source;

constexpr unsigned kWord = 4;  // bytes of a register

bool is_matrix(Op op) { return op == Op::HMMA || op == Op::IMMA || op == Op::DMMA; }

// Registers from the first one on; RZ is none, and at the file's end there are fewer.
void add_vector(RegisterUses::Places& places, unsigned first, unsigned count) {
  if (first == isa::kRZ) return;
  for (unsigned i = first; i < first + count && i < isa::kRZ; ++i) places.add(i);
}
void add_uniform(RegisterUses::Places& places, unsigned first, unsigned count) {
  if (first == isa::kURZ) return;
  for (unsigned i = first; i < first + count && i < isa::kURZ; ++i) places.add(kUniformPlace + i);
}
unsigned predicate_place(unsigned index, bool uniform) {
  return (uniform ? kUniformPredicatePlace : kPredicatePlace) + index;
}

void add_source(RegisterUses& uses, const Source& source, unsigned count) {
  if (source.kind == Source::Kind::reg) add_vector(uses.reads, source.index, count);
  if (source.kind == Source::Kind::ureg || source.kind == Source::Kind::bindless)
    add_uniform(uses.reads, source.index, source.kind == Source::Kind::bindless ? 2 : count);
}

unsigned registers_of(unsigned bytes) { return bytes == 0 ? 1 : (bytes + kWord - 1) / kWord; }

void add_memory(const isa::Instruction& in, isa::MemoryAccess access, RegisterUses& uses) {
  using Kind = isa::MemoryAccess::Kind;
  const bool pair = in.mod(in.word.bit(91) ? Mod::ra_u32 : Mod::address64) != 0;
  const unsigned data = registers_of(isa::access_bytes(in));
  add_source(uses, in.a, pair ? 2 : 1);
  add_uniform(uses.reads, in.ur, 1);
  if (access.kind == Kind::copy) return add_vector(uses.reads, in.rd, 1);
  if (access.kind != Kind::load) {
    add_source(uses, in.b, data);
    add_source(uses, in.c, data);
  }
  if (access.kind == Kind::load || access.kind == Kind::atomic)
    add_vector(uses.writes, in.rd, data);
}

// Stores and reductions that a barrier counts: a pair holds the address and the barrier.
void add_async_store(const isa::Instruction& in, RegisterUses& uses) {
  add_source(uses, in.a, 2);
  add_uniform(uses.reads, in.ur, 1);
  add_source(uses, in.b, registers_of(isa::access_bytes(in)));
}

// Addresses in global memory are pairs, and so is a place in shared memory with its barrier.
void add_bulk(const isa::Instruction& in, RegisterUses& uses) {
  constexpr std::uint32_t kShared = 1;
  add_source(uses, in.a, in.mod(Mod::other1) == kShared ? 1 : 2);
  add_source(uses, in.b, 2);
  add_source(uses, in.c, 1);
  if (in.mod(Mod::descriptor) != 0) add_uniform(uses.reads, in.ur, 2);
}

void add_predicates(const isa::Instruction& in, RegisterUses& uses) {
  const bool uniform = in.guard.uniform;
  if (in.guard.index != isa::kPT) uses.guard = predicate_place(in.guard.index, in.guard.uniform);
  for (const isa::Predicate& each : {in.pp, in.pq, in.pr})
    if (each.index != isa::kPT) uses.reads.add(predicate_place(each.index, each.uniform));
  for (const std::uint8_t each : {in.pu, in.pv})
    if (each != isa::kPT) uses.writes.add(predicate_place(each, uniform || in.op == Op::VOTEU));
}

}  // namespace

std::string place_name(unsigned place) {
  if (place < kUniformPlace) return fmt::format("R{}", place);
  if (place < kPredicatePlace) return fmt::format("UR{}", place - kUniformPlace);
  if (place < kUniformPredicatePlace) return fmt::format("P{}", place - kPredicatePlace);
  return fmt::format("UP{}", place - kUniformPredicatePlace);
}

RegisterUses register_uses(const isa::Instruction& in) {
  RegisterUses uses;
  add_predicates(in, uses);
  const isa::MemoryAccess access = isa::memory_access(in);
  const bool in_memory = access.kind != isa::MemoryAccess::Kind::none;
  if (in_memory && access.space != isa::Space::texture && access.space != isa::Space::surface &&
      access.space != isa::Space::constant) {
    add_memory(in, access, uses);
    return uses;
  }
  if (in.op == Op::STAS || in.op == Op::REDAS) {
    add_async_store(in, uses);
    return uses;
  }
  if (in.op == Op::UBLKCP || in.op == Op::UBLKRED || in.op == Op::UBLKPF) {
    add_bulk(in, uses);
    return uses;
  }
  const auto width = [&](SourceSlot slot) { return source_is_64bit(in, slot) ? 2u : 1u; };
  add_source(uses, in.a, width(SourceSlot::a));
  add_source(uses, in.b, width(SourceSlot::b));
  add_source(uses, in.c, width(SourceSlot::c));
  if (in.urd != isa::kURZ) add_uniform(uses.writes, in.urd, destination_rows(in));
  // The predicates that R2P and its like write are named by a mask: they are left out.
  const unsigned rows = is_matrix(in.op) ? 1 : destination_rows(in);
  add_vector(uses.writes, in.rd, rows);
  return uses;
}

}  // namespace heddle::simulator::checks
