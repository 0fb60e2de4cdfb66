// Calls of the driver's device functions: they run here, in no simulated instructions.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>

#include "simulator/execute/device_printf.hpp"
#include "simulator/execute/device_runtime.hpp"
#include "simulator/execute/grid_barrier.hpp"
#include "simulator/execute/memory_access.hpp"
#include "simulator/execute/printf_fifo.hpp"
#include "simulator/launch/builtins.hpp"
#include "simulator/memory/device_heap.hpp"
#include "simulator/memory/memory_journal.hpp"

namespace heddle::simulator {
namespace {

constexpr unsigned kReturnAddress = 20;

// Texts are read in pieces, which may go beyond the allocation that a text ends in: the kernel does
// not.
void print(Core& core, Warp& warp, Mask lanes) {
  std::atomic<std::uint64_t>& outside = core.launch.memory->accesses_outside();
  const std::uint64_t counted = outside;
  for (const unsigned lane : lanes) {
    const auto read = [&](std::uint64_t address, std::span<std::byte> into) {
      const std::byte* from = thread_view(core, warp, lane, address, into.size());
      if (from != nullptr) std::memcpy(into.data(), from, into.size());
      return from != nullptr;
    };
    const FormattedPrintf result =
        format_device_printf(read, register_pair(warp, kFirstArgument, lane),
                             register_pair(warp, kFirstArgument + 2, lane));
    if (core.launch.printed != nullptr) core.launch.printed->add(result.text, result.bytes);
    if (lane == lanes.first())
      core.printed = {static_cast<std::uint32_t>(std::max(0, result.arguments)), result.characters,
                      result.string_characters};
    warp.rows[kFirstArgument * kWarpSize + lane] = static_cast<std::uint32_t>(result.arguments);
  }
  outside = counted;
}

// Where the launch can go back, memory alone knows the state.
DeviceHeap& heap_of(Core& core) {
  if (!core.heap || core.journal != nullptr)
    core.heap = std::make_shared<DeviceHeap>(*core.launch.memory, core.journal);
  return *core.heap;
}

void allocate(Core& core, Warp& warp, Mask lanes) {
  for (const unsigned lane : lanes) {
    set_register_pair(warp, kFirstArgument, lane,
                      heap_of(core).allocate(register_pair(warp, kFirstArgument, lane)));
  }
}

// The lanes up to the first one whose address malloc has not given; that address.
std::optional<std::uint64_t> release(Core& core, const Warp& warp, Mask lanes) {
  std::optional<std::uint64_t> stranger;
  for (const unsigned lane : lanes) {
    const std::uint64_t address = register_pair(warp, kFirstArgument, lane);
    if (!stranger && address != 0 && !heap_of(core).free(address)) stranger = address;
  }
  return stranger;
}

// A handle is the address of the 32 bits that the node looks at; one that is none.
std::optional<std::uint64_t> set_condition(Core& core, const Warp& warp, Mask lanes) {
  std::optional<std::uint64_t> stranger;
  for (const unsigned lane : lanes) {
    const std::uint64_t handle = register_pair(warp, kFirstArgument, lane);
    const std::uint32_t value = argument(warp, kFirstArgument + 2, lane);
    std::byte* const to = core.resolve(handle, sizeof value);
    if (to == nullptr || !core.may_write(handle, sizeof value)) {
      stranger = handle;
      continue;
    }
    if (core.journal != nullptr) core.journal->before_write({handle}, Mask::of(0), sizeof value);
    std::memcpy(to, &value, sizeof value);
  }
  return stranger;
}

void give_grid_barrier(Core& core, Warp& warp, Mask lanes) {
  for (const unsigned lane : lanes) {
    set_register_pair(warp, kFirstArgument, lane, grid_barrier(core));
  }
}

// Nothing: the warp goes on. Lanes that wait let those go on that have not come yet.
std::optional<Flow> wait_for_grid(Core& core, Warp& warp, const Step& step, Mask lanes) {
  const auto lane = lanes.first();
  const std::uint64_t handle = register_pair(warp, kFirstArgument, lane);
  const Meeting meeting = meet_grid(core, warp, lanes, handle);
  if (meeting == Meeting::goes_on) {
    const Flow flow = hold(core, warp, step, lanes, lanes);
    --core.counts_of(step).branch_uniform;
    if (others_can_go_on(warp)) {
      warp.held_since.reset();
      warp.convergence->yield();
    }
    return flow;
  }
  warp.held_since.reset();
  if (meeting == Meeting::no_such_barrier)
    return core.raise(Fault::Kind::illegal_address, warp, step, lanes, handle,
                      "this is not the barrier of a cooperative launch");
  for (const unsigned each : lanes) argument(warp, kFirstArgument, each) = 0;
  return std::nullopt;
}

Flow return_from_builtin(Core& core, Warp& warp, const Step& step, Mask lanes) {
  const auto lane = lanes.first();
  const std::uint64_t back = register_pair(warp, kReturnAddress, lane);
  const std::uint64_t index = (back - isa::kCodeBase) / 16;
  if (back < isa::kCodeBase || index >= core.launch.request->module->program().trap())
    return core.raise(Fault::Kind::invalid_pc, warp, step, lanes, back, {});
  warp.convergence->current().pc = Pc(static_cast<std::uint32_t>(index));
  return Flow::jump;
}

}  // namespace

Flow call_builtin(Core& core, Warp& warp, const Step& step, Mask lanes,
                  std::uint64_t code_address) {
  // What it prints must come in the order of the blocks.
  if (core.log != nullptr) return core.stop_for_conflict();
  const Builtin builtin = *builtin_at(code_address);
  switch (builtin) {
    case Builtin::assertfail:
      return core.raise(Fault::Kind::assert_, warp, step, lanes, 0, {});
    case Builtin::vprintf:
      core.seen.printed = true;
      print(core, warp, lanes);
      break;
    case Builtin::malloc:
      core.seen.used_heap = true;
      allocate(core, warp, lanes);
      break;
    case Builtin::free:
      core.seen.used_heap = true;
      if (const auto stranger = release(core, warp, lanes))
        return core.raise(
            Fault::Kind::illegal_address, warp, step, lanes, *stranger,
            "free of a pointer that malloc in device code did not return, or that was freed");
      break;
    case Builtin::graph_set_conditional:
      if (const auto stranger = set_condition(core, warp, lanes))
        return core.raise(Fault::Kind::illegal_address, warp, step, lanes, *stranger,
                          "no conditional node of a graph has this handle");
      break;
    case Builtin::grid_barrier_handle:
      give_grid_barrier(core, warp, lanes);
      break;
    case Builtin::grid_barrier_sync:
      if (const auto flow = wait_for_grid(core, warp, step, lanes)) return *flow;
      break;
    case Builtin::unknown:
      return core.raise(Fault::Kind::unsupported_instruction, warp, step, lanes, 0,
                        "a call of a driver function that is not implemented");
    default:
      if (auto fault = call_device_runtime(core, warp, lanes, builtin))
        return core.raise(Fault::Kind::illegal_address, warp, step, fault->lanes, fault->address,
                          "where a function of the device runtime is to put its answer");
  }
  return return_from_builtin(core, warp, step, lanes);
}

}  // namespace heddle::simulator
