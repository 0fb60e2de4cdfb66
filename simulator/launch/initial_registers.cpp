#include "simulator/launch/initial_registers.hpp"

#include <cstddef>
#include <vector>

#include "isa/attributes.hpp"
#include "isa/operands.hpp"

namespace heddle::simulator {
namespace {

using isa::Effect;
using isa::Instruction;
using Memory = isa::MemoryAccess;
using isa::RegisterFile;

// Whether it goes on behind itself or where its word says, and its picture names all registers that
// it reads: of textures and of what works on several warps' it does not.
bool is_followed(const Instruction& in) {
  const Memory access = isa::memory_access(in);
  if (access.kind != Memory::Kind::none && !access.by_threads()) return false;
  if (access.of == Memory::Of::barrier) return false;
  if (access.space == isa::Space::texture || access.space == isa::Space::surface) return false;
  switch (isa::effect(in)) {
    case Effect::none:
      return isa::facts(in).work != isa::Work::product;
    case Effect::warp_sync:
      return in.mod(isa::Mod::warpsync_mode) == 0;  // else lanes meet elsewhere
    case Effect::branch:
    case Effect::set_barrier:
      return in.offset % static_cast<std::int64_t>(sizeof(isa::Word)) == 0;
    case Effect::no_operation:
    case Effect::exit:
    case Effect::sync:
    case Effect::leave_barrier:
    case Effect::yield:
    case Effect::sleep:
    case Effect::block_barrier:
    case Effect::fence:
    case Effect::wait_counter:
    case Effect::end_copies:
      return true;
    default:
      return false;
  }
}

// Whether threads may read others' registers, be those active or not.
bool reads_others(const Instruction& in) {
  if (isa::memory_access(in).of == Memory::Of::rows) return true;
  if (isa::effect(in) == Effect::warp_sync) return true;
  return isa::facts(in).work == isa::Work::exchange || in.op == isa::Op::MOVM ||
         in.op == isa::Op::FSWZADD || in.op == isa::Op::R2UR;
}

// Whether each thread that comes to it writes all of its destinations.
bool always_writes(const Instruction& in) {
  const auto holds = [](const isa::Predicate& predicate) {
    return predicate.index == isa::kPT && !predicate.negated;
  };
  if (!holds(in.guard) || isa::effect(in) != Effect::none) return false;
  const Memory::Kind kind = isa::memory_access(in).kind;
  return kind == Memory::Kind::none || (kind == Memory::Kind::load && holds(in.pp));
}

void add(RegisterSet& set, const isa::OperandUse& use) {
  for (std::size_t i = use.first; i < std::size_t{use.first} + use.count; ++i) {
    if (use.file == RegisterFile::vector && i < set.vector.size()) set.vector.set(i);
    if (use.file == RegisterFile::uniform && i < set.uniform.size()) set.uniform.set(i);
  }
}

class Paths {
 public:
  Paths(const isa::Program& program, InstructionRange code)
      : program_(program), code_(code), written_(code.end - code.first) {}

  std::optional<RegisterSet> follow(std::uint32_t entry) {
    come_to(entry, {});
    while (known_ && !changed_.empty()) {
      const std::uint32_t index = changed_.back();
      changed_.pop_back();
      const auto& in = program_.instructions[index];
      known_ = in && is_followed(*in);
      if (known_) pass(*in, index);
    }
    return known_ ? std::optional(read_first_) : std::nullopt;
  }

 private:
  // On one more path, on which these registers have been written.
  void come_to(std::int64_t index, const RegisterSet& written) {
    if (index < code_.first || index >= code_.end) {
      known_ = false;
      return;
    }
    std::optional<RegisterSet>& before = written_[static_cast<std::size_t>(index) - code_.first];
    RegisterSet on_all = written;
    if (before) {
      on_all.vector &= before->vector;
      on_all.uniform &= before->uniform;
      if (on_all == *before) return;
    }
    before = on_all;
    changed_.push_back(static_cast<std::uint32_t>(index));
  }

  void pass(const Instruction& in, std::uint32_t index) {
    RegisterSet written = *written_[index - code_.first], reads;
    const isa::Operands uses = isa::operands(in);
    for (const isa::OperandUse& use : uses)
      if (use.is_read || use.is_named_by_mask) add(reads, use);
    const bool of_others = reads_others(in);
    read_first_.vector |= of_others ? reads.vector : reads.vector & ~written.vector;
    read_first_.uniform |= of_others ? reads.uniform : reads.uniform & ~written.uniform;
    if (always_writes(in))
      for (const isa::OperandUse& use : uses)
        if (use.is_written && !use.is_named_by_mask) add(written, use);
    go_on(in, index, written);
  }

  // Threads that meet at a barrier may go on where it was set to.
  void go_on(const Instruction& in, std::uint32_t index, const RegisterSet& written) {
    const Effect effect = isa::effect(in);
    const std::int64_t behind = std::int64_t{index} + 1;
    if (effect == Effect::branch || effect == Effect::set_barrier)
      come_to(behind + in.offset / static_cast<std::int64_t>(sizeof(isa::Word)), written);
    const bool leaves = effect == Effect::branch || effect == Effect::exit;
    if (!leaves || isa::is_conditional(in) || isa::branches_on_mask(in)) come_to(behind, written);
  }

  const isa::Program& program_;
  const InstructionRange code_;
  std::vector<std::optional<RegisterSet>> written_;  // before each, on all paths; none: no path
  std::vector<std::uint32_t> changed_;               // come to since they were last passed
  RegisterSet read_first_;
  bool known_ = true;
};

}  // namespace

std::optional<RegisterSet> registers_read_first(const isa::Program& program, InstructionRange code,
                                                std::uint32_t entry) {
  return Paths(program, code).follow(entry);
}

}  // namespace heddle::simulator
