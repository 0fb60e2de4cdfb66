#include "isa/attributes.hpp"

#include "isa/encoding.hpp"

namespace heddle::isa {

std::string_view name(Unit unit) {
  constexpr std::string_view kNames[] = {"none", "adu", "alu",    "cbu", "fma",     "fp16",
                                         "fp64", "lsu", "tensor", "tex", "uniform", "xu"};
  return kNames[static_cast<std::size_t>(unit)];
}

const Facts& facts(const Instruction& instruction) { return *instruction.encoding->facts; }
Unit unit(const Instruction& instruction) { return facts(instruction).unit; }
MemoryAccess memory_access(const Instruction& instruction) { return facts(instruction).memory; }
Effect effect(const Instruction& instruction) { return facts(instruction).effect; }

namespace {

// What the modifier's value means; nothing where the encoding has no such field.
template <class Table>
const typename Table::value_type* meaning(const Instruction& instruction, Mod which,
                                          const Table& table) {
  const Item* item = find_modifier(*instruction.encoding, which);
  if (item == nullptr || item->kind != ItemKind::mod || item->bits.width == 0) return nullptr;
  return &table[item->bits.get(instruction.word)];
}

}  // namespace

DataType data_type(const Instruction& instruction) {
  const auto& table = instruction.encoding->meanings->data;
  if (const DataType* type = meaning(instruction, Mod::size, table)) return *type;
  if (const DataType* type = meaning(instruction, Mod::type, table)) return *type;
  return facts(instruction).type;
}

unsigned access_bytes(const Instruction& instruction) {
  constexpr std::uint32_t kWholeMatrix = 4;  // .MT1616: 256 bytes, twice those of .M88
  const MemoryAccess access = memory_access(instruction);
  if (access.kind == MemoryAccess::Kind::none) return 0;
  switch (access.of) {
    case MemoryAccess::Of::rows:
      return (instruction.mod(Mod::ldsm_trans) == kWholeMatrix ? 8u : 4u)
             << instruction.mod(Mod::ldsm_num);
    case MemoryAccess::Of::barrier:
      return 8;
    case MemoryAccess::Of::bulk:
      return 0;  // a register says how many
    case MemoryAccess::Of::values:
    case MemoryAccess::Of::swap:
    case MemoryAccess::Of::counted:
      break;
  }
  if (access.space == Space::texture) return 0;  // what a thread reads depends on that
  return data_type(instruction).bytes();
}

MemoryOrder memory_order(const Instruction& instruction) {
  const Meanings& meanings = *instruction.encoding->meanings;
  MemoryOrder order;
  if (const MemoryOrder* sem = meaning(instruction, Mod::sem, meanings.order)) order = *sem;
  if (const MemoryOrder::Scope* scope = meaning(instruction, Mod::scope, meanings.scope))
    order.scope = *scope;
  return order;
}

bool is_strong(const Instruction& instruction) {
  const MemoryOrder::Strength strength = memory_order(instruction).strength;
  return strength == MemoryOrder::Strength::strong || strength == MemoryOrder::Strength::mmio;
}

MatrixProduct matrix_product(const Instruction& instruction) {
  const Meanings& meanings = *instruction.encoding->meanings;
  const DataType type = facts(instruction).type;
  // .884 has no field of its own; sums are of the type of the factors, but integers of 32 bits.
  constexpr DataType kSum{DataType::Kind::signed_integer, 32};
  MatrixProduct product{{8, 8, 4}, type, type, type};
  if (const auto* shape = meaning(instruction, Mod::mma_shape, meanings.shape))
    product.shape = *shape;
  if (const auto* a = meaning(instruction, Mod::mma_src, meanings.mma_a)) product.a = *a;
  product.b = product.a;
  if (const auto* b = meaning(instruction, Mod::mma_src_b, meanings.mma_b)) product.b = *b;
  product.d = type.is_integer() ? kSum : type;
  if (const auto* d = meaning(instruction, Mod::mma_dst, meanings.mma_d)) product.d = *d;
  product.is_sparse = find_modifier(*instruction.encoding, Mod::mma_selector) != nullptr;
  return product;
}

bool is_exchange(const Instruction& instruction) {
  constexpr std::uint32_t kExchange = 8;
  return memory_access(instruction).of == MemoryAccess::Of::values &&
         memory_access(instruction).kind == MemoryAccess::Kind::atomic &&
         instruction.mod(Mod::atom_op) == kExchange;
}

bool copies_through_l1(const Instruction& instruction) {
  return memory_access(instruction).kind == MemoryAccess::Kind::copy &&
         instruction.mod(Mod::through_l1) != 0;
}

bool is_exclusive(const Instruction& instruction) {
  return effect(instruction) == Effect::warp_sync &&
         instruction.mod(Mod::warpsync_mode) == traits(instruction.arch).exclusive_warpsync;
}

bool reads_active_mask(const Instruction& instruction) {
  return (instruction.op == Op::VOTE || instruction.op == Op::VOTEU) &&
         instruction.pp.index == kPT && !instruction.pp.negated &&
         (instruction.rd != kRZ || instruction.urd != kURZ);
}

bool writes_barrier(const Instruction& instruction) {
  constexpr std::uint64_t kToBarrier = 0x56;
  return effect(instruction) == Effect::move_barrier &&
         (instruction.word.bits(0, 12) & 0xff) == kToBarrier;
}

bool makes_shared_barrier(const Instruction& instruction) {
  return memory_access(instruction).of == MemoryAccess::Of::barrier &&
         unit(instruction) == Unit::uniform;
}

bool empties_l1(const Instruction& instruction) {
  constexpr std::uint32_t kInvalidateAll = 4, kInvalidateAllPrivate = 6;
  if (instruction.op != Op::CCTL) return false;
  const std::uint32_t operation = instruction.mod(Mod::cache_op);
  return operation == kInvalidateAll || operation == kInvalidateAllPrivate;
}

std::uint8_t awaited_scoreboards(const Instruction& instruction) {
  if (effect(instruction) != Effect::wait_counter) return 0;
  return static_cast<std::uint8_t>(instruction.word.bits(32, 6));
}

bool branches_on_mask(const Instruction& instruction) {
  constexpr std::uint32_t kDivergent = 2, kConverged = 3;
  if (effect(instruction) != Effect::branch) return false;
  const std::uint32_t condition = instruction.mod(Mod::cond);
  return condition == kDivergent || condition == kConverged;
}

bool is_conditional(const Instruction& instruction) {
  const auto always = [](const Predicate& predicate) {
    return predicate.index == kPT && !predicate.negated;
  };
  return !always(instruction.guard) || !always(instruction.pp);
}

}  // namespace heddle::isa
