#include "simulator/models/instruction_costs.hpp"

#include <bit>
#include <optional>

#include "isa/attributes.hpp"
#include "simulator/base/types.hpp"

namespace heddle::simulator {
namespace {

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

// Where lanes reconverge is settled without instructions of its own.
bool is_settled_alone(isa::Effect effect) {
  return effect == isa::Effect::set_barrier || effect == isa::Effect::sync ||
         effect == isa::Effect::leave_barrier || effect == isa::Effect::warp_sync;
}

// Nothing: what it computes does not decide.
std::optional<std::vector<CostClass>> of_work(const isa::Instruction& in, const isa::Facts& facts) {
  using isa::Work;
  switch (facts.work) {
    case Work::special:
      return {{CostClass::reciprocal}};
    case Work::convert:
      if (facts.unit != isa::Unit::xu) break;
      return {{CostClass::convert}};
    case Work::exchange:
      return {{CostClass::exchange}};
    case Work::multiply_add:
    case Work::wide_product:
      if (facts.type.is_integer()) return of_multiply(in);
      [[fallthrough]];
    case Work::add:
    case Work::multiply:
    case Work::compare:
    case Work::min_max:
      if (facts.type == isa::kFloat) return {{CostClass::float_arithmetic}};
      if (facts.type == isa::kDouble) return {{CostClass::double_arithmetic}};
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::vector<CostClass> cost_classes(const isa::Instruction& in, Operation operation) {
  if (operation == Operation::part) return {};
  if (operation != Operation::itself) return of_operation(operation);
  const isa::Facts& facts = isa::facts(in);
  if (facts.effect == isa::Effect::no_operation || is_settled_alone(facts.effect)) return {};
  if (facts.effect == isa::Effect::block_barrier) return {CostClass::barrier};
  if (const auto found = of_work(in, facts)) return *found;
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
