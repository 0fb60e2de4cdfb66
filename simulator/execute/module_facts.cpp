#include "simulator/execute/module_facts.hpp"

#include <algorithm>
#include <set>

#include "isa/attributes.hpp"
#include "isa/operands.hpp"
#include "simulator/base/code_address.hpp"
#include "simulator/execute/machine.hpp"
#include "simulator/launch/builtins.hpp"
#include "simulator/launch/initial_registers.hpp"
#include "simulator/launch/kernel_code.hpp"

namespace heddle::simulator {
namespace {

bool calls(const isa::Cubin& cubin, bool (*wanted)(Builtin)) {
  return std::ranges::any_of(cubin.symbols, [&](const isa::Symbol& symbol) {
    if (symbol.section != 0) return false;
    const auto builtin = builtin_at(builtin_address(symbol.name));
    return builtin && wanted(*builtin);
  });
}

// A source of 64 bits takes two rows; the widest ones are zeros, which stand first.
std::vector<std::uint32_t> pool_rows_of(const LoweredProgram& lowered, const isa::Program& program,
                                        const std::vector<InstructionRange>& code) {
  std::set<std::uint32_t> rows;
  const auto note = [&](RowOffset offset) {
    if (offset >= 0) return;
    const auto row = static_cast<std::uint32_t>(~offset) / kWarpSize;
    for (const std::uint32_t each : {row, row + 1})
      if (each >= kWidestOperand && each < lowered.pool.size()) rows.insert(each);
  };
  for_each_instruction(program, code, [&](std::uint32_t index, const isa::Instruction&) {
    const Step& step = lowered.steps[index];
    for (const RowOffset offset : {step.a, step.b, step.c}) note(offset);
  });
  return {rows.begin(), rows.end()};
}

// Whether an instruction's picture names all registers that it may read or write: of textures, of
// matrices and of what acts on others it does not.
bool names_all_registers(const isa::Instruction& in) {
  using isa::MemoryAccess;
  using isa::Space;
  const MemoryAccess access = isa::memory_access(in);
  const bool plain = access.of == MemoryAccess::Of::values || access.of == MemoryAccess::Of::swap ||
                     access.of == MemoryAccess::Of::rows;
  return isa::effect(in) == isa::Effect::none && plain && access.space != Space::texture &&
         access.space != Space::surface && isa::facts(in).work != isa::Work::product;
}

// Those that a block finds zero: rows_named_by has room for the widest operand there is behind
// each.
NamedRows rows_to_clear_for(const isa::Instruction& in) {
  const NamedRows most = rows_named_by(in);
  if (!names_all_registers(in)) return most;
  NamedRows named;
  for (const isa::OperandUse& use : isa::operands(in)) {
    if (use.is_named_by_mask) return most;
    const unsigned last = use.first + use.count - 1u;
    if (use.file == isa::RegisterFile::vector) named.registers = std::max(named.registers, last);
    if (use.file == isa::RegisterFile::uniform)
      named.uniform_registers = std::max(named.uniform_registers, last);
  }
  return {std::min(named.registers, most.registers),
          std::min(named.uniform_registers, most.uniform_registers)};
}

bool calls_driver(const isa::Program& program, const std::vector<InstructionRange>& code) {
  bool found = false;
  for_each_instruction(program, code, [&](std::uint32_t, const isa::Instruction& in) {
    found |= isa::effect(in) == isa::Effect::call && in.a.kind == isa::Source::Kind::none &&
             in.mod(isa::Mod::absolute) != 0 &&
             builtin_at(static_cast<std::uint64_t>(in.offset)).has_value();
  });
  return found;
}

// `facts`: with the rows that the kernel names.
std::vector<RowRange> rows_read_first(const isa::Program& program,
                                      const std::vector<InstructionRange>& code,
                                      std::uint64_t entry, const KernelFacts& facts) {
  const std::uint32_t first = index_of_code_address(entry);
  const auto own = std::ranges::find_if(code, [&](const InstructionRange& range) {
    return first >= range.first && first < range.end;
  });
  if (own == code.end()) return facts.named_rows;
  const std::optional<RegisterSet> registers = registers_read_first(program, *own, first);
  if (!registers) return facts.named_rows;
  std::vector<RowRange> rows;
  const auto add = [&](std::size_t row) {
    if (!rows.empty() && rows.back().first + rows.back().count == row)
      ++rows.back().count;
    else
      rows.push_back({row, 1});
  };
  for (std::size_t i = 0; i <= facts.registers && i < registers->vector.size(); ++i)
    if (registers->vector[i]) add(i);
  for (std::size_t i = 0; i <= facts.uniform_registers && i < registers->uniform.size(); ++i)
    if (registers->uniform[i]) add(kUniformRow + i);
  return rows;
}

KernelFacts facts_of(const isa::Program& program, const LoweredProgram& lowered,
                     const CallGraph& calls, std::uint64_t entry) {
  const std::vector<InstructionRange> code = code_of_kernel(program, calls, entry);
  KernelFacts facts;
  facts.may_recurse = calls.may_recurse(entry);
  facts.may_read_unordered = may_read_unordered(program, code);
  facts.may_part_lanes = may_part_lanes(program, code);
  facts.tells_time = tells_time(program, code);
  facts.cancels_blocks = cancels_blocks(program, code);
  facts.calls_driver = calls_driver(program, code);
  for_each_instruction(program, code, [&](std::uint32_t, const isa::Instruction& instruction) {
    const NamedRows named = rows_to_clear_for(instruction);
    facts.registers = std::max(facts.registers, named.registers);
    facts.uniform_registers = std::max(facts.uniform_registers, named.uniform_registers);
  });
  facts.named_rows = {{0, facts.registers + 1u}, {kUniformRow, facts.uniform_registers + 1u}};
  facts.rows_read_first = rows_read_first(program, code, entry, facts);
  facts.pool_rows = pool_rows_of(lowered, program, code);
  return facts;
}

}  // namespace

ModuleFacts::ModuleFacts(const isa::Cubin& cubin, const isa::Program& program,
                         const LoweredProgram& lowered)
    : cubin_(cubin),
      program_(program),
      lowered_(lowered),
      allocates_(calls(cubin, [](Builtin builtin) { return builtin == Builtin::malloc; })),
      launches_grids_(calls(cubin, is_device_runtime)),
      order_traits_(program) {}

const KernelFacts& ModuleFacts::kernel(std::uint64_t entry) const {
  const auto [found, is_new] = kernels_.try_emplace(entry);
  if (!is_new) return found->second;
  if (!calls_) calls_.emplace(program_, cubin_);
  found->second = facts_of(program_, lowered_, *calls_, entry);
  return found->second;
}

const std::string& ModuleFacts::sees_order() const {
  if (!sees_order_) sees_order_ = simulator::sees_order(program_);
  return *sees_order_;
}

const LoweredProgram& lowered(const Module& module) {
  if (!module.lowered_) {
    auto made = std::make_shared<LoweredProgram>(lower(module.program_));
    made->facts = std::make_unique<ModuleFacts>(module.cubin_, module.program_, *made);
    made->native = make_native(*made);
    module.lowered_ = std::move(made);
  }
  return *module.lowered_;
}

}  // namespace heddle::simulator
