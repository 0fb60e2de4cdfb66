#include "simulator/checks/memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "isa/attributes.hpp"
#include "simulator/execute/memory_access.hpp"

namespace heddle::simulator::checks {
namespace {

// Of instructions whose lanes each access `width` bytes at the address that compute_addresses
// gives; others' mistakes are told by the fault they end in.
std::optional<AddressSpace> plain_space(const Step& step) {
  if (step.instruction == nullptr) return std::nullopt;
  using Of = isa::MemoryAccess::Of;
  const isa::MemoryAccess access = isa::memory_access(*step.instruction);
  if (access.kind == isa::MemoryAccess::Kind::none ||
      access.kind == isa::MemoryAccess::Kind::copy ||
      (access.of != Of::values && access.of != Of::swap))
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

// A copy or reduction between global and shared memory, whose accesses are known behind it.
bool is_copy(const Step& step) {
  if (step.instruction == nullptr) return false;
  using isa::MemoryAccess;
  switch (step.instruction->op) {
    case isa::Op::UTMALDG:
    case isa::Op::UTMASTG:
    case isa::Op::UTMAREDG:
      return true;
    default: {
      const MemoryAccess access = isa::memory_access(*step.instruction);
      return access.kind == MemoryAccess::Kind::copy || access.of == MemoryAccess::Of::bulk;
    }
  }
}

}  // namespace

void MemoryCheck::begin(const LaunchRequest& request) {
  known_ = {};
  reported_ = false;
  heap_.begin();
  ++launch_;
  if (code_ == request.module->code_sha256()) return;
  code_ = request.module->code_sha256();
  spaces_.clear();
  for (const Step& step : lowered(*request.module).steps) spaces_.push_back(plain_space(step));
}

const MemoryCheck::Known* MemoryCheck::known_at(const Core& core, std::uint64_t address,
                                                std::uint64_t bytes) {
  for (const Known& known : known_)
    if (known.holds(address, bytes)) return &known;
  const Allocation* const found = core.launch.memory->find(address);
  if (found == nullptr || !found->contains(address, bytes)) return nullptr;
  Known& known = known_[next_known_];
  next_known_ = (next_known_ + 1) % known_.size();
  known = {found->address, found->bytes, DeviceHeap::is_heap(*found)};
  return &known;
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
  if (space == Window::shared)
    return !is_asked_shared(core, address, width) ||
           shared_view(core, *warp.block, address, width) == nullptr;
  if (space == Window::local) return local_view(core, warp, lane, address, width) == nullptr;
  const Known* const known = known_at(core, address, width);
  if (known == nullptr) return true;
  last_known_ = static_cast<std::size_t>(known - known_.data());
  return known->is_heap && !heap_.allows(address, width, *core.launch.memory);
}

// Whether all lanes' pieces lie in one allocation that is known, and no heap: nearly always the
// case, and then told at once.
bool MemoryCheck::all_lie_inside(const Access& access) {
  const auto one = access.lanes.first();
  const std::uint64_t first = access.address[one];
  if (!known_[last_known_].holds(first, access.width))
    for (std::size_t i = 0; i < known_.size(); ++i)
      if (known_[i].holds(first, access.width)) last_known_ = i;
  const Known& known = known_[last_known_];
  if (known.is_heap) return false;
  if (access.adjoining) return known.holds(first, std::uint64_t{access.width} * kWarpSize);
  const Access::Around around = access.around();
  if (around.bytes != 0 && known.holds(around.address, around.bytes)) return true;
  if (known.bytes < access.width) return false;
  const std::uint64_t most = known.bytes - access.width;
  bool inside = true;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t at = access.lanes.has(lane) ? access.address[lane] : first;
    inside &= at - known.address <= most;
  }
  return inside;
}

// Whether some of it may lie between what the launch asked for and what the block can reach.
static bool may_pass_asked_shared(const Core& core, const Access& access) {
  if (access.space != Window::shared || core.launch.shared_asked == core.launch.shared_bytes)
    return false;
  const Access::Around around = access.around();
  return around.bytes == 0 || !is_asked_shared(core, around.address, around.bytes);
}

bool MemoryCheck::may_lie_outside(const Core& core, const Access& access) {
  return access.lanes.any() &&
         (access.space == Window::global ? !all_lie_inside(access)
                                         : may_pass_asked_shared(core, access));
}

// What has been executed lay in what the block can reach of shared memory or in the thread's local
// memory, or where the machine found global memory; a fault has executed nothing.
void MemoryCheck::issued(const Core& core, const Warp& warp, const Issue& issue) {
  const std::optional<AddressSpace> space = spaces_[issue.pc];
  if (space && *space != AddressSpace::generic && issue.on.any()) {
    for (const Access& access : issue.accesses)
      if (may_lie_outside(core, access)) look_at(core, warp, issue, access.lanes, access.address);
    if (issue.accesses.empty() && issue.flow == Flow::stop) look_before(core, warp, issue);
  } else if (is_copy(core.launch.program->steps[issue.pc])) {
    for (const Access& access : issue.accesses)
      if (may_lie_outside(core, access)) look_at_copy(core, warp, issue, access);
  }
  for_each_given_block(call_, warp, [&](unsigned lane, std::uint64_t address, std::uint64_t bytes) {
    heap_.allocated(address, bytes, {launch_, actor(warp, issue.pc, Mask::of(lane))});
  });
}

void MemoryCheck::free_block(const Core& core, const Warp& warp, const Issue& next, unsigned lane,
                             std::uint64_t address) {
  if (address == 0) return;
  const Actor here = actor(warp, next.pc, Mask::of(lane));
  const HeapBlocks::Block* const block = heap_.free(address, {launch_, here}, *core.launch.memory);
  if (block != nullptr && !block->freed) return;
  reported_ = true;
  Finding* const finding =
      findings_.note("memory", block == nullptr ? "invalid_free" : "double_free", next.pc);
  if (finding == nullptr) return;
  finding->address = address;
  finding->message =
      fmt::format("frees {:#x}, which {}", address,
                  block == nullptr ? "malloc in device code did not return" : "was freed before");
  finding->sides.push_back(side_of(findings_.request(), here, "frees it"));
  if (block != nullptr) tell_of_block(*block, *finding);
}

const HeapBlocks::Block* MemoryCheck::nearest_block(std::uint64_t address, Window space) const {
  const Known& last = known_[last_known_];
  const bool in_heap = space == Window::global && last.is_heap && last.holds(address, 1);
  return in_heap ? heap_.nearest(address) : nullptr;
}

bool MemoryCheck::was_freed(std::uint64_t address, Window space) const {
  if (space == Window::global && freed_at(address) != nullptr) return true;
  const HeapBlocks::Block* const block = nearest_block(address, space);
  return block != nullptr && block->freed && block->contains(address, 1);
}

// Where the block came from, and who freed it.
void MemoryCheck::tell_of_block(const HeapBlocks::Block& block, Finding& finding) const {
  const auto add = [&](const HeapBlocks::Call& call, const char* what) {
    if (call.launch == launch_) {
      finding.sides.push_back(side_of(findings_.request(), call.who, what));
      return;
    }
    finding.details +=
        fmt::format("{}{} in an earlier launch", finding.details.empty() ? "" : "; ", what);
  };
  if (block.freed) add(*block.freed, "freed it");
  add(block.given, "malloc gave it");
}

MemoryCheck::Wrong MemoryCheck::wrong_lanes(const Core& core, const Warp& warp, const Step& step,
                                            AddressSpace space, Mask on, const Addresses& address) {
  Wrong wrong;
  for (const unsigned lane : on) {
    const Mask bit = Mask::of(lane);
    const std::uint64_t at = address[lane];
    const Window where = window(space, at);
    if (at % step.width != 0)
      wrong.misaligned |= bit;
    else if (lies_outside(core, warp, lane, at, step.width, where))
      (was_freed(at, where) ? wrong.freed : wrong.outside) |= bit;
  }
  return wrong;
}

// An access of generic addresses may execute in part before it faults: it is looked at before.
bool MemoryCheck::looks_before(const Step& step) const {
  return isa::effect(*step.instruction) == isa::Effect::call ||
         plain_space(step) == AddressSpace::generic;
}
bool MemoryCheck::looks_behind(const Step& step) const {
  return isa::effect(*step.instruction) == isa::Effect::call || plain_space(step) || is_copy(step);
}

void MemoryCheck::issuing(const Core& core, const Warp& warp, const Issue& next) {
  call_ = heap_call(core, warp, next);
  if (call_.what == HeapCall::What::free)
    for (const unsigned lane : call_.lanes)
      free_block(core, warp, next, lane, call_.argument[lane]);
  if (next.on.any() && spaces_[next.pc] == AddressSpace::generic) look_before(core, warp, next);
}

// An instruction that has not executed, or not been able to.
void MemoryCheck::look_before(const Core& core, const Warp& warp, const Issue& next) {
  Addresses address;
  compute_addresses(core, warp, core.launch.program->steps[next.pc], address);
  look_at(core, warp, next, next.on, address);
}

void MemoryCheck::look_at(const Core& core, const Warp& warp, const Issue& next, Mask on,
                          const Addresses& address) {
  const Step& step = core.launch.program->steps[next.pc];
  const AddressSpace space = *spaces_[next.pc];
  const Wrong wrong = wrong_lanes(core, warp, step, space, on, address);
  Access access;
  access.kind = kind_of(step);
  access.width = step.width;
  access.address = address;
  const auto tell = [&](const char* kind, Mask lanes) {
    if (lanes.empty()) return;
    access.lanes = lanes;
    access.space = window(space, address[lanes.first()]);
    report(core, warp, next, kind, access);
  };
  tell("misaligned", wrong.misaligned);
  tell("out_of_bounds", wrong.outside);
  tell("use_after_free", wrong.freed);
}

// Of a copy that fills with zeros a lane may read less than its width: its first byte is looked at.
void MemoryCheck::look_at_copy(const Core& core, const Warp& warp, const Issue& issue,
                               Access access) {
  const Step& step = core.launch.program->steps[issue.pc];
  const bool fills = step.instruction->op == isa::Op::LDGSTS && (step.data_type & kCopyFills) != 0;
  const std::uint32_t width = fills ? 1 : access.width;
  Mask outside, freed;
  for (const unsigned lane : access.lanes) {
    const std::uint64_t at = access.address[lane];
    if (lies_outside(core, warp, lane, at, width, access.space))
      (was_freed(at, access.space) ? freed : outside) |= Mask::of(lane);
  }
  for (const auto& [kind, lanes] :
       {std::pair{"out_of_bounds", outside}, {"use_after_free", freed}}) {
    access.lanes = lanes;
    if (lanes.any()) report(core, warp, issue, kind, access);
  }
}

std::string MemoryCheck::details(const Core& core, std::uint64_t address, Window space) const {
  if (space == Window::shared) return describe_shared(core);
  if (space == Window::local)
    return fmt::format("a thread has {} bytes of local memory", core.launch.local_bytes);
  if (const Allocation* late = freed_at(address))
    return fmt::format("byte {} of {}, which was freed before this launch", address - late->address,
                       describe(*late));
  if (const HeapBlocks::Block* const block = nearest_block(address, space)) {
    const std::uint64_t offset = address - block->address;
    return fmt::format("{} a block of {} bytes from malloc in device code",
                       offset < block->bytes
                           ? fmt::format("byte {} of", offset)
                           : fmt::format("{} bytes past the end of", offset - block->bytes),
                       block->bytes);
  }
  const Allocation* const nearest = core.launch.memory->nearest(address);
  if (nearest == nullptr) return "nothing is allocated";
  if (address < nearest->address)
    return fmt::format("{} bytes before {}", nearest->address - address, describe(*nearest));
  const std::uint64_t offset = address - nearest->address;
  if (offset < nearest->bytes) return fmt::format("runs past the end of {}", describe(*nearest));
  return fmt::format("{} bytes past the end of {}", offset - nearest->bytes, describe(*nearest));
}

void MemoryCheck::report(const Core& core, const Warp& warp, const Issue& next, const char* kind,
                         const Access& wrong) {
  reported_ = true;
  Finding* const finding = findings_.note("memory", kind, next.pc);
  if (finding == nullptr) return;
  const std::uint64_t first = wrong.address[wrong.lanes.first()];
  const Window space = wrong.space;
  const std::string what = access_text(wrong.kind, wrong.width, space);
  finding->address = first;
  finding->message =
      fmt::format("{} at {:#x}, {}", what, first,
                  kind == std::string_view("misaligned")       ? "not a multiple of its size"
                  : kind == std::string_view("use_after_free") ? "which was freed"
                                                               : "which is not allocated");
  finding->sides.push_back(side_of(findings_.request(), actor(warp, next.pc, wrong.lanes), what));
  finding->details = details(core, first, space);
  if (const HeapBlocks::Block* const block = nearest_block(first, space))
    tell_of_block(*block, *finding);
}

// What instructions of other forms (LDSM, textures …) did wrong, and copies that fault.
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
                            fault.thread, fault.function, fault.pc, fault.source, fault.instruction,
                            fault.calls});
  finding->details = fault.details;
}

}  // namespace heddle::simulator::checks
