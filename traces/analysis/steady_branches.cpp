#include "traces/analysis/steady_branches.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "isa/attributes.hpp"
#include "isa/control_flow.hpp"
#include "isa/operands.hpp"
#include "simulator/base/code_address.hpp"
#include "simulator/warp/register_uses.hpp"
#include "traces/analysis/flow_shape.hpp"

namespace heddle::traces {
namespace {

using simulator::index_of_code_address;
using simulator::kPlaces;
using simulator::register_uses;
using simulator::RegisterUses;

// Whether it computes the same from the same registers, whenever and by whatever lanes.
bool computes(const isa::Instruction& instruction) {
  using enum isa::Work;
  constexpr isa::Work kPure[] = {move,    select,     add,     multiply,    multiply_add, shift_add,
                                 compare, difference, min_max, add_min_max, logic,        shift,
                                 bits,    convert,    round,   wide_product};
  if (instruction.guard.index != isa::kPT || isa::reads_active_mask(instruction)) return false;
  const isa::MemoryAccess access = isa::memory_access(instruction);
  if (access.kind != isa::MemoryAccess::Kind::none) return access.space == isa::Space::constant;
  return isa::effect(instruction) == isa::Effect::none &&
         std::ranges::find(kPure, isa::facts(instruction).work) != std::end(kPure);
}

bool touches(const RegisterUses::Places& places, unsigned place) {
  return std::ranges::find(places, place) != places.end();
}

// Whether all that it does to registers is known.
bool is_known(const isa::Instruction* instruction) {
  if (instruction == nullptr) return false;
  const isa::Effect effect = isa::effect(*instruction);
  const isa::Space space = isa::memory_access(*instruction).space;
  for (const isa::OperandUse& use : isa::operands(*instruction))
    if (use.is_named_by_mask && use.is_written) return false;
  return effect != isa::Effect::call && effect != isa::Effect::indirect_branch &&
         space != isa::Space::texture && space != isa::Space::surface;
}

class FunctionFlow {
 public:
  FunctionFlow(const simulator::Module& module, const isa::CodeRange& range)
      : program_(module.program()),
        flow_(isa::control_flow(module.cubin(), program_, range)),
        shape_(graph()) {}

  std::vector<SteadyBranch> steady() const {
    std::vector<SteadyBranch> found;
    if (shape_.crossing != isa::kNoNode) return found;
    for (std::uint32_t block = 0; block < flow_.blocks.size(); ++block) {
      const std::uint32_t last = last_of(block);
      const isa::Instruction* const in = at(last);
      if (in == nullptr || isa::effect(*in) != isa::Effect::branch || !isa::is_conditional(*in) ||
          isa::branches_on_mask(*in))
        continue;
      if (const auto steady = in_loops(block, last)) found.push_back(*steady);
    }
    return found;
  }

 private:
  struct Writer {
    unsigned count = 0;
    std::uint32_t pc = 0;  // of the last
  };
  using Writers = std::array<Writer, kPlaces>;

  isa::Graph graph() const {
    isa::Graph graph(flow_.blocks.size());
    for (std::uint32_t block = 0; block < flow_.blocks.size(); ++block)
      for (const isa::Edge& edge : flow_.blocks[block].successors)
        if (std::ranges::find(graph[block], edge.block) == graph[block].end())
          graph[block].push_back(edge.block);
    return graph;
  }
  const isa::Instruction* at(std::uint32_t pc) const {
    const auto& instruction = program_.instructions[pc];
    return instruction ? &*instruction : nullptr;
  }
  std::uint32_t first_of(std::uint32_t block) const {
    return index_of_code_address(flow_.blocks[block].address);
  }
  std::uint32_t last_of(std::uint32_t block) const {
    return first_of(block) + flow_.blocks[block].instructions - 1;
  }

  // As it is in the outermost loop that keeps the condition; nothing where the innermost does not.
  std::optional<SteadyBranch> in_loops(std::uint32_t block, std::uint32_t branch) const {
    std::optional<SteadyBranch> steady;
    for (std::uint32_t loop = shape_.loop_of(block); loop != isa::kNoNode;
         loop = shape_.loops.at(loop).outer) {
      const auto here = in_loop(loop, branch);
      if (!here) break;
      steady = here;
    }
    return steady;
  }

  template <typename F>
  void for_each(std::uint32_t loop, F&& f) const {
    for (const std::uint32_t block : shape_.loops.at(loop).members)
      for (std::uint32_t pc = first_of(block); pc <= last_of(block); ++pc) f(pc);
  }

  std::uint32_t block_of(std::uint32_t pc) const {
    return flow_.block_at(simulator::code_address_of_index(pc));
  }

  // What gives `pc` its `place`, in its own basic block; kNoNode.
  std::uint32_t written_beside(unsigned place, std::uint32_t pc) const {
    for (const std::uint32_t first = first_of(block_of(pc)); pc-- > first;)
      if (touches(register_uses(*at(pc)).writes, place)) return pc;
    return isa::kNoNode;
  }
  // … or in the loop. Nothing: not known. kNoNode: the loop leaves it.
  std::optional<std::uint32_t> written(const Writers& writers, unsigned place,
                                       std::uint32_t pc) const {
    if (const std::uint32_t beside = written_beside(place, pc); beside != isa::kNoNode)
      return beside;
    const Writer& writer = writers[place];
    if (writer.count == 0) return isa::kNoNode;
    // Each round has to come by it before it comes here.
    const std::uint32_t from = block_of(writer.pc), to = block_of(pc);
    if (writer.count > 1 || from == to || !shape_.dominators.dominates(from, to))
      return std::nullopt;
    return writer.pc;
  }

  // Whether what `pc` reads is the same in every round; `depth` ends long chains.
  bool reads_the_same(const Writers& writers, std::uint32_t pc, unsigned depth) const {
    const RegisterUses uses = register_uses(*at(pc));
    const auto same = [&](unsigned place) {
      const auto writer = written(writers, place, pc);
      if (!writer || *writer == isa::kNoNode) return writer.has_value();
      return depth > 0 && computes(*at(*writer)) && reads_the_same(writers, *writer, depth - 1);
    };
    return std::ranges::all_of(uses.reads, same) && (uses.guard == kPlaces || same(uses.guard));
  }

  std::optional<SteadyBranch> in_loop(std::uint32_t loop, std::uint32_t branch) const {
    constexpr unsigned kLongest = 8;
    const std::uint32_t before = shape_.dominators.immediate(loop);
    Writers writers{};
    bool known = before != isa::kNoNode;
    for_each(loop, [&](std::uint32_t pc) {
      known = known && is_known(at(pc));
      if (!known) return;
      for (const unsigned place : register_uses(*at(pc)).writes)
        writers[place] = {writers[place].count + 1, pc};
    });
    if (!known || !reads_the_same(writers, branch, kLongest)) return std::nullopt;
    SteadyBranch steady{
        .branch = branch, .loop = first_of(loop), .before = last_of(before), .tests = {}};
    const unsigned guard = register_uses(*at(branch)).guard;
    if (guard == kPlaces) return steady;
    const std::uint32_t test = *written(writers, guard, branch);
    if (test != isa::kNoNode && !is_read_elsewhere(loop, branch, guard, test))
      steady.tests.push_back(test);
    return steady;
  }

  // Whether others than the branch may read what `test` gave.
  bool is_read_elsewhere(std::uint32_t loop, std::uint32_t branch, unsigned place,
                         std::uint32_t test) const {
    bool is_read = false;
    for_each(loop, [&](std::uint32_t pc) {
      if (pc == branch || is_read) return;
      const RegisterUses uses = register_uses(*at(pc));
      if (uses.guard != place && !touches(uses.reads, place)) return;
      const std::uint32_t beside = written_beside(place, pc);
      is_read = beside == test || beside == isa::kNoNode;
    });
    return is_read;
  }

  const isa::Program& program_;
  const isa::ControlFlow flow_;
  const FlowShape shape_;
};

}  // namespace

std::vector<SteadyBranch> steady_branches(const simulator::Module& module,
                                          const isa::CodeRange& range) {
  return FunctionFlow(module, range).steady();
}

}  // namespace heddle::traces
