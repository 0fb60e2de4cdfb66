#include "simulator/launch/ordered_accesses.hpp"

#include <cstddef>

#include "isa/attributes.hpp"

namespace heddle::simulator {
namespace {

using isa::Instruction;
using Memory = isa::MemoryAccess;

// A bit each.
using Kinds = std::uint8_t;
constexpr Kinds kSharedLoad = 1, kSharedStore = 2, kGlobalLoad = 4, kGlobalStore = 8;
constexpr Kinds kShared = kSharedLoad | kSharedStore, kGlobal = kGlobalLoad | kGlobalStore;

constexpr Kinds both(Kinds one, Kinds other) { return static_cast<Kinds>(one | other); }

// Atomics are made for memory that others change, and so are strong loads and stores of global
// memory. Of shared memory they are strong only in code that does not know which memory it
// accesses.
Kinds plain_kinds(const Instruction& in) {
  const Memory access = isa::memory_access(in);
  const bool load = access.kind == Memory::Kind::load;
  if (!load && access.kind != Memory::Kind::store) return 0;
  if (!access.by_threads() || access.of == Memory::Of::barrier) return 0;
  const bool weak = isa::memory_order(in).strength == isa::MemoryOrder::Strength::weak;
  const Kinds shared = load ? kSharedLoad : kSharedStore;
  const Kinds global = !weak ? Kinds{0} : load ? kGlobalLoad : kGlobalStore;
  if (access.space == isa::Space::shared) return shared;
  if (access.space == isa::Space::global) return global;
  return access.space == isa::Space::generic ? both(shared, global) : Kinds{0};
}

// The memories of the accesses, whatever their kind.
Kinds memories(Kinds kinds) {
  return both((kinds & kShared) != 0 ? kShared : 0, (kinds & kGlobal) != 0 ? kGlobal : 0);
}

struct Node {
  Kinds own = 0;
  Kinds ends = 0;  // what comes behind it of these does not come next to what is before it
  Kinds next = 0;  // behind it, memory by memory
  std::size_t target = 0;
  bool falls_through = true, branches = false;

  Kinds seen_from_before() const { return both(own, static_cast<Kinds>(next & ~ends)); }
};

Node node_of(const Instruction& in, std::size_t index, std::size_t end) {
  Node node;
  node.own = plain_kinds(in);
  node.ends = memories(node.own);
  switch (isa::effect(in)) {
    case isa::Effect::block_barrier:
    case isa::Effect::cluster_wait:
      node.ends = kShared | kGlobal;
      break;
    case isa::Effect::branch: {
      const std::int64_t target = static_cast<std::int64_t>(index) + 1 + in.offset / 16;
      node.branches = target >= 0 && target < static_cast<std::int64_t>(end);
      node.target = node.branches ? static_cast<std::size_t>(target) : 0;
      node.falls_through = isa::is_conditional(in);
      break;
    }
    case isa::Effect::exit:
    case isa::Effect::ret:
    case isa::Effect::indirect_branch:
      node.falls_through = isa::is_conditional(in);
      break;
    default:
      break;  // a call comes back
  }
  return node;
}

// Until nothing changes any more: as often as loops are nested.
void follow_code(std::vector<Node>& nodes) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = nodes.size() - 1; i-- > 0;) {
      Node& node = nodes[i];
      Kinds next = node.next;
      if (node.falls_through) next = both(next, nodes[i + 1].seen_from_before());
      if (node.branches) next = both(next, nodes[node.target].seen_from_before());
      changed = changed || next != node.next;
      node.next = next;
    }
  }
}

}  // namespace

std::vector<Ordered> find_ordered_accesses(const isa::Program& program) {
  const std::size_t end = program.trap();
  std::vector<Node> nodes(end + 1);  // nothing comes behind the last one
  for (std::size_t i = 0; i < end; ++i)
    if (program.instructions[i]) nodes[i] = node_of(*program.instructions[i], i, end);
  follow_code(nodes);
  std::vector<Ordered> ordered(end, Ordered::no);
  for (std::size_t i = 0; i < end; ++i) {
    const Kinds others = static_cast<Kinds>(nodes[i].ends & ~nodes[i].own & nodes[i].next);
    if (nodes[i].own == 0 || others == 0) continue;
    ordered[i] = (others & kShared) != 0 ? Ordered::in_shared_memory : Ordered::in_global_memory;
  }
  return ordered;
}

}  // namespace heddle::simulator
