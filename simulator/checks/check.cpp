#include "simulator/checks/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/attributes.hpp"
#include "simulator/execute/cluster.hpp"
#include "simulator/execute/device_runtime.hpp"
#include "simulator/launch/builtins.hpp"
#include "simulator/launch/code_place.hpp"
#include "simulator/memory/address_space.hpp"
#include "simulator/memory/memory.hpp"

namespace heddle::simulator::checks {

Side side_of(const LaunchRequest& request, const Actor& actor, std::string what) {
  const Dim3& grid = request.grid;
  const Dim3& shape = request.block;
  Side side;
  side.what = std::move(what);
  side.block = {static_cast<std::uint32_t>(actor.block % grid.x),
                static_cast<std::uint32_t>(actor.block / grid.x % grid.y),
                static_cast<std::uint32_t>(actor.block / grid.x / grid.y)};
  side.warp = actor.warp;
  side.lanes = actor.lanes;
  const auto lowest = actor.lanes.empty() ? 0 : actor.lanes.first();
  const std::uint32_t thread = actor.warp * kWarpSize + lowest;
  side.thread = {thread % shape.x, thread / shape.x % shape.y, thread / shape.x / shape.y};
  CodePlace place = code_place(*request.module, actor.pc);
  side.function = std::move(place.function);
  side.pc = place.pc;
  side.line = std::move(place.line);
  side.calls = std::move(place.calls);
  side.text = std::move(place.instruction);
  return side;
}

void Findings::begin(const LaunchRequest& request) {
  request_ = &request;
  sites_.clear();
  findings_.clear();
  left_out_ = 0;
}

Finding* Findings::note(std::string_view check, std::string_view kind, std::uint32_t pc,
                        std::uint32_t other_pc) {
  const Site site(kind, pc, other_pc);
  if (const auto known = sites_.find(site); known != sites_.end()) {
    ++findings_[known->second].times;
    return nullptr;
  }
  if (findings_.size() == kMost) {
    ++left_out_;
    return nullptr;
  }
  sites_.emplace(site, findings_.size());
  Finding& finding = findings_.emplace_back();
  finding.check = check;
  finding.kind = kind;
  return &finding;
}

std::vector<Finding> Findings::take() {
  if (left_out_ != 0)
    findings_.back().details +=
        fmt::format("\n{} more at other instructions of this launch are not shown", left_out_);
  return std::move(findings_);
}

const Block* shared_owner(const Block& block, std::uint64_t address) {
  const std::uint64_t rank = address >> 24 & 0xff;
  if (address < kSharedWindow || rank == block.rank || block.cluster == nullptr) return &block;
  return rank < block.cluster->blocks.size() ? block.cluster->blocks[rank] : nullptr;
}

HeapCall heap_call(const Core& core, const Warp& warp, const Issue& next) {
  HeapCall call;
  const Step& step = core.launch.program->steps[next.pc];
  if (step.instruction == nullptr || next.on.empty() ||
      isa::effect(*step.instruction) != isa::Effect::call)
    return call;
  const auto lane = next.on.first();
  const bool by_register = step.instruction->a.kind == isa::Source::Kind::reg;
  if (step.selector == 0) return call;  // a relative one stays in the code
  const std::uint32_t* const low = by_register ? source_row(warp, step.a) + lane : nullptr;
  std::uint64_t target = static_cast<std::uint64_t>(step.instruction->offset);
  if (by_register) target += *low | std::uint64_t{low[kWarpSize]} << 32;
  const auto builtin = builtin_at(target);
  if (builtin != Builtin::malloc && builtin != Builtin::free) return call;
  call.what = builtin == Builtin::malloc ? HeapCall::What::malloc : HeapCall::What::free;
  call.lanes = next.on;
  for (const unsigned each : next.on) {
    call.argument[each] = register_pair(warp, kFirstArgument, each);
  }
  return call;
}

std::uint64_t heap_result(const Warp& warp, unsigned lane) {
  return register_pair(warp, kFirstArgument, lane);
}

bool is_for_debugging(const Module& module) {
  return std::ranges::any_of(module.cubin().sections, [](const isa::Section& section) {
    return section.name == ".debug_info";
  });
}

std::string describe(const Allocation& allocation) {
  return fmt::format("{} ({} bytes at {:#x}, allocation {})", allocation.label, allocation.bytes,
                     allocation.address, allocation.ordinal);
}

std::string access_text(AccessKind kind, std::uint32_t width, Window space) {
  const char* const verb = kind == AccessKind::load    ? "reads"
                           : kind == AccessKind::store ? "writes"
                                                       : "changes, by an atomic operation,";
  constexpr const char* kSpaces[] = {"global", "shared", "local"};
  return fmt::format("{} {} byte{} of {} memory", verb, width, width == 1 ? "" : "s",
                     kSpaces[static_cast<int>(space)]);
}

}  // namespace heddle::simulator::checks
