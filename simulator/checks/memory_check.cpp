#include "simulator/checks/memory_check.hpp"

#include <fmt/format.h>

#include <bit>
#include <optional>

#include "isa/attributes.hpp"
#include "simulator/execute/memory_access.hpp"

namespace heddle::simulator::checks {
namespace {

using isa::Op;

// Of instructions whose lanes each access `width` bytes at the address that compute_addresses
// gives; others' mistakes are told by the fault they end in.
std::optional<AddressSpace> plain_space(const Step& step) {
  if (step.instruction == nullptr) return std::nullopt;
  const Op op = step.instruction->op;
  const isa::MemoryAccess access = isa::memory_access(*step.instruction);
  if (access.kind == isa::MemoryAccess::Kind::none ||
      access.kind == isa::MemoryAccess::Kind::copy || op == Op::LDSM || op == Op::STSM ||
      op == Op::SYNCS)
    return std::nullopt;
  switch (access.space) {
    case isa::Space::global:
      return AddressSpace::global;
    case isa::Space::shared:
      return AddressSpace::shared;
    case isa::Space::local:
      return AddressSpace::local;
    case isa::Space::generic:
      return AddressSpace::generic;
    default:
      return std::nullopt;
  }
}

Window window(AddressSpace space, std::uint64_t address) {
  switch (space) {
    case AddressSpace::shared:
      return Window::shared;
    case AddressSpace::local:
      return Window::local;
    case AddressSpace::global:
      return Window::global;
    case AddressSpace::generic:
      break;
  }
  return window_of(address);
}

AccessKind kind_of(const Step& step) {
  using Kind = isa::MemoryAccess::Kind;
  switch (isa::memory_access(*step.instruction).kind) {
    case Kind::store:
      return AccessKind::store;
    case Kind::atomic:
    case Kind::reduction:
      return AccessKind::atomic;
    default:
      return AccessKind::load;
  }
}

}  // namespace

void MemoryCheck::begin(const LaunchRequest&) {
  last_ = {};
  reported_ = false;
}

void MemoryCheck::freed(const Allocation& allocation) {
  freed_.insert_or_assign(allocation.address, allocation);
}

const Allocation* MemoryCheck::freed_at(std::uint64_t address) const {
  const auto next = freed_.upper_bound(address);
  if (next == freed_.begin()) return nullptr;
  const Allocation& before = std::prev(next)->second;
  return before.contains(address, 1) ? &before : nullptr;
}

bool MemoryCheck::lies_outside(const Core& core, const Warp& warp, unsigned lane,
                               std::uint64_t address, std::uint32_t width, Window space) {
  if (space == Window::shared) return shared_view(core, *warp.block, address, width) == nullptr;
  if (space == Window::local) return local_view(core, warp, lane, address, width) == nullptr;
  if (last_.contains(address, width)) return false;
  const Allocation* const found = core.launch.memory->find(address);
  if (found == nullptr || !found->contains(address, width)) return true;
  last_ = *found;
  return false;
}

MemoryCheck::Wrong MemoryCheck::wrong_lanes(const Core& core, const Warp& warp, const Step& step,
                                            Mask on, const Addresses& address) {
  Wrong wrong;
  const AddressSpace space = *plain_space(step);
  for_each_lane(on, [&](unsigned lane) {
    const Mask bit = Mask{1} << lane;
    const std::uint64_t at = address[lane];
    const Window where = window(space, at);
    if (at % step.width != 0)
      wrong.misaligned |= bit;
    else if (lies_outside(core, warp, lane, at, step.width, where))
      (where == Window::global && freed_at(at) != nullptr ? wrong.freed : wrong.outside) |= bit;
  });
  return wrong;
}

void MemoryCheck::issuing(const Core& core, const Warp& warp, const Issue& next) {
  const Step& step = core.launch.program->steps[next.pc];
  if (next.on == 0 || !plain_space(step)) return;
  Addresses address;
  compute_addresses(core, warp, step, address);
  const Wrong wrong = wrong_lanes(core, warp, step, next.on, address);
  if (wrong.misaligned != 0) report(core, warp, next, "misaligned", wrong.misaligned, address);
  if (wrong.outside != 0) report(core, warp, next, "out_of_bounds", wrong.outside, address);
  if (wrong.freed != 0) report(core, warp, next, "use_after_free", wrong.freed, address);
}

std::string MemoryCheck::details(const Core& core, std::uint64_t address, Window space) const {
  if (space == Window::shared)
    return fmt::format("the block has {} bytes of shared memory", core.launch.shared_bytes);
  if (space == Window::local)
    return fmt::format("a thread has {} bytes of local memory", core.launch.local_bytes);
  if (const Allocation* late = freed_at(address))
    return fmt::format("byte {} of {}, which was freed before this launch", address - late->address,
                       describe(*late));
  const Allocation* const nearest = core.launch.memory->nearest(address);
  if (nearest == nullptr) return "nothing is allocated";
  if (address < nearest->address)
    return fmt::format("{} bytes before {}", nearest->address - address, describe(*nearest));
  const std::uint64_t offset = address - nearest->address;
  if (offset < nearest->bytes) return fmt::format("runs past the end of {}", describe(*nearest));
  return fmt::format("{} bytes past the end of {}", offset - nearest->bytes, describe(*nearest));
}

void MemoryCheck::report(const Core& core, const Warp& warp, const Issue& next, const char* kind,
                         Mask lanes, const Addresses& address) {
  reported_ = true;
  Finding* const finding = findings_.note("memory", kind, next.pc);
  if (finding == nullptr) return;
  const Step& step = core.launch.program->steps[next.pc];
  const std::uint64_t first = address[static_cast<unsigned>(std::countr_zero(lanes))];
  const Window space = window(*plain_space(step), first);
  const std::string what = access_text(kind_of(step), step.width, space);
  finding->address = first;
  finding->message =
      fmt::format("{} at {:#x}, {}", what, first,
                  kind == std::string_view("misaligned")       ? "not a multiple of its size"
                  : kind == std::string_view("use_after_free") ? "which was freed"
                                                               : "which is not allocated");
  finding->sides.push_back(side_of(findings_.request(), actor(warp, next.pc, lanes), what));
  finding->details = details(core, first, space);
}

// What instructions of other forms (LDGSTS, LDSM, textures …) did wrong.
void MemoryCheck::end(const LaunchOutcome& outcome) {
  if (!outcome.fault || reported_) return;
  const Fault& fault = *outcome.fault;
  const bool misaligned = fault.kind == Fault::Kind::misaligned_address;
  if (!misaligned && fault.kind != Fault::Kind::illegal_address) return;
  Finding* const finding = findings_.note("memory", misaligned ? "misaligned" : "out_of_bounds", 0);
  if (finding == nullptr) return;
  finding->address = fault.address;
  finding->message =
      fmt::format("accesses {} bytes at {:#x}, {}", fault.access_bytes, fault.address,
                  misaligned ? "not a multiple of its size" : "not allocated");
  finding->sides.push_back({"accesses memory", fault.block_index, fault.warp, fault.lanes,
                            fault.thread, fault.function, fault.pc, fault.source,
                            fault.instruction});
  finding->details = fault.details;
}

}  // namespace heddle::simulator::checks
