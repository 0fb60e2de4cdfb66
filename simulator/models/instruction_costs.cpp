#include "simulator/models/instruction_costs.hpp"

#include <bit>

#include "isa/attributes.hpp"
#include "simulator/base/types.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;
using isa::sketch::Operation;

bool is_zero(const isa::Source& source) {
  return source.kind == isa::Source::Kind::reg && source.index == isa::kRZ;
}

// An index times the size of an element, plus an address: the older machines shift and add.
bool is_address(const isa::Instruction& in) {
  return in.b.kind == isa::Source::Kind::imm && std::has_single_bit(in.b.value);
}

std::vector<CostClass> of_operation(Operation operation) {
  switch (operation) {
    case Operation::division:
      return {CostClass::division};
    case Operation::fast_division:
      return {CostClass::fast_division};
    case Operation::multiply24:
      return {CostClass::multiply24};
    case Operation::logarithm:
      return {CostClass::reciprocal};
    case Operation::exponential:
    case Operation::sine_cosine:
      return {CostClass::sine_exponential};
    case Operation::square_root:
      return {CostClass::square_root};
    case Operation::itself:
    case Operation::part:
      break;
  }
  return {};
}

std::vector<CostClass> of_multiply(const isa::Instruction& in) {
  if (is_address(in)) return {CostClass::integer, CostClass::integer};
  if (is_zero(in.c)) return {CostClass::multiply32};
  return {CostClass::multiply32, CostClass::integer};
}

}  // namespace

std::vector<CostClass> cost_classes(const isa::Instruction& in, Operation operation) {
  if (operation == Operation::part) return {};
  if (operation != Operation::itself) return of_operation(operation);
  switch (in.op) {
    // Where lanes meet is settled without instructions of its own.
    case Op::NOP:
    case Op::BSSY:
    case Op::BSYNC:
    case Op::BREAK:
    case Op::WARPSYNC:
      return {};
    case Op::IMAD:
    case Op::IMAD_WIDE:
    case Op::IMAD_HI:
      return of_multiply(in);
    case Op::MUFU:
      return {CostClass::reciprocal};
    case Op::FADD:
    case Op::FMUL:
    case Op::FFMA:
    case Op::FSETP:
    case Op::FMNMX:
      return {CostClass::float_arithmetic};
    case Op::DADD:
    case Op::DMUL:
    case Op::DFMA:
    case Op::DSETP:
      return {CostClass::double_arithmetic};
    case Op::I2F:
    case Op::F2I:
    case Op::F2F:
      return {CostClass::convert};
    case Op::SHFL:
    case Op::VOTE:
      return {CostClass::exchange};
    case Op::BAR:
      return {CostClass::barrier};
    default:
      break;
  }
  if (isa::memory_access(in).kind != isa::MemoryAccess::Kind::none) return {CostClass::memory};
  if (isa::unit(in) == isa::Unit::cbu) return {CostClass::control};
  return {CostClass::integer};
}

std::array<CostSum, kCostClasses.size()> cost_sums(const InstructionCosts& costs,
                                                   std::span<const CostedInstruction> code) {
  std::array<CostSum, kCostClasses.size()> sums{};
  for (const CostedInstruction& each : code)
    for (const CostClass which : cost_classes(*each.instruction, each.operation)) {
      CostSum& sum = sums[static_cast<std::size_t>(which)];
      const auto executed = static_cast<double>(each.counts->executed);
      const double lanes = static_cast<double>(each.counts->threads_on) / kWarpSize;
      sum.executed += each.counts->executed;
      sum.cycles += executed * costs.of(which);
      sum.idle_cycles += (executed - lanes) * costs.of(which);
    }
  return sums;
}

}  // namespace heddle::simulator
