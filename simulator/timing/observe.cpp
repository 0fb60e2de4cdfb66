// What keeps a warp from issuing. Reasons are asked in the order in which an instruction meets
// them: its warp, its place in the code, its operands, its unit.
#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "simulator/execute/texture_use.hpp"
#include "simulator/timing/sm.hpp"

namespace heddle::simulator::timing {

// All but its unit.
Sm::Look Sm::look(unsigned sub_core, ResidentWarp& warp, Cycle now) {
  const Look ready{Stall::not_selected, now};
  if (warp.at_barrier) return {Stall::barrier, kNever};
  if (warp.stalled_until > now) return {Stall::wait, warp.stalled_until};
  if (warp.next_issue > now) {
    if (warp.fetches_from <= now) return {Stall::no_instruction, warp.next_issue};
    return {warp.until_then, std::min(warp.next_issue, warp.fetches_from)};
  }
  if (warp.ended) return look_at_end(warp, now);
  if (warp.at_fence) {
    if (warp.stores.unknown != 0) return {Stall::membar, kNever};
    if (warp.stores.zero > now) return {Stall::membar, warp.stores.zero};
    warp.at_fence = false;
  }
  const Timed& timed = context_->program.instructions[warp.pc];
  if (timed.code_line != warp.line) ask_for_code(sub_core, warp, now);
  if (warp.fetched > now) return {Stall::no_instruction, warp.fetched};
  if (const Look found = look_at_results(warp, timed, now); found.reason != ready.reason)
    return found;
  if (timed.constant_line >= 0 && timed.course != Course::constant) {
    if (warp.operand_of != warp.issued + 1) {
      warp.operand_of = warp.issued + 1;
      warp.operand_there = front_end_.operand(sub_core, operand_line(warp, timed), now);
    }
    if (warp.operand_there > now) return {Stall::imc_miss, warp.operand_there};
  }
  return ready;
}

// The line of the warp's next instruction. The one behind that on which it has landed comes some
// cycles later, also if the sub-core has both (behind.* of gpu/kernels/micro/timing/jumps.cu).
void Sm::ask_for_code(unsigned sub_core, ResidentWarp& warp, Cycle now) {
  const bool landed = warp.line == kNoLine;
  warp.line = context_->program.instructions[warp.pc].code_line;
  warp.fetched = front_end_.instructions(sub_core, warp.line, now);
  if (landed)
    warp.line_behind = std::max(now, warp.fetched) + constants_.latency_line_behind;
  else
    warp.fetched = std::max(warp.fetched, warp.line_behind);
}

// The line of the constant that the warp's next instruction has as an operand.
std::uint32_t Sm::operand_line(const ResidentWarp& warp, const Timed& timed) const {
  if (timed.constant_lines_of_bank == 0) return static_cast<std::uint32_t>(timed.constant_line);
  const Step& step = context_->core.launch.program->steps[warp.pc];
  return indexed_line(timed, source_row(*warp.warp, step.a)[0]);
}

std::uint32_t Sm::indexed_line(const Timed& timed, std::uint32_t index) const {
  constexpr std::uint32_t kBankBytes = 1 << 16;
  const std::uint32_t number =
      (timed.constant_offset + index) % kBankBytes / constants_.constant_line_bytes;
  return static_cast<std::uint32_t>(timed.constant_line) +
         std::min(number, timed.constant_lines_of_bank - 1);
}

// The lines that LDC, about to issue, will read, and how many addresses its lanes name.
void Sm::find_indexed(const ResidentWarp& warp, const Timed& timed) {
  indexed_lines_.clear();
  indexed_places_ = 1;
  if (timed.course != Course::constant || timed.constant_line < 0) return;
  if (timed.constant_lines_of_bank == 0) {
    indexed_lines_.push_back(static_cast<std::uint32_t>(timed.constant_line));
    return;
  }
  const Step& step = context_->core.launch.program->steps[warp.pc];
  const std::uint32_t* index = source_row(*warp.warp, step.a);
  std::array<std::uint32_t, kWarpSize> places;
  std::uint32_t count = 0;
  for_each_lane(warp.warp->convergence->current().lanes, [&](unsigned lane) {
    const auto named = std::span(places).first(count);
    if (std::ranges::find(named, index[lane]) != named.end()) return;
    places[count++] = index[lane];
    const std::uint32_t line = indexed_line(timed, index[lane]);
    if (std::ranges::find(indexed_lines_, line) == indexed_lines_.end())
      indexed_lines_.push_back(line);
  });
  indexed_places_ = std::max(1u, count);
}

// The texture that the instruction about to issue will read; as the first lane names it.
void Sm::find_texture(const ResidentWarp& warp, const Timed& timed) {
  if (timed.course != Course::texture) return;
  const Step& step = context_->core.launch.program->steps[warp.pc];
  const Mask lanes = warp.warp->convergence->current().lanes;
  texture_ = texture_in_use(context_->core, *warp.warp, step,
                            static_cast<unsigned>(std::countr_zero(lanes)))
                 .value_or(TextureHeader{});
}

// A warp that has ended holds its place until all it has loaded is there and its stores have left;
// it does not wait for L2 to take them (H200 records: a launch of two warps that store drains for
// 20 cycles, not for 270; one that loads a constant and ends, for as long as that takes).
Sm::Look Sm::look_at_end(const ResidentWarp& warp, Cycle now) const {
  if (warp.unsent_stores != 0) return {Stall::drain, kNever};
  Cycle until = now;
  if (warp.stores_left != 0)
    until = std::max(
        until, warp.stores_left + constants_.latency_store_left - constants_.latency_store_read);
  for (const Scoreboard& scoreboard : warp.scoreboards) {
    if (scoreboard.unknown != 0) return {Stall::drain, kNever};
    until = std::max(until, scoreboard.zero);
  }
  return {Stall::drain, until};
}

Sm::Look Sm::look_at_results(const ResidentWarp& warp, const Timed& timed, Cycle now) const {
  for (unsigned left = timed.wait_mask; left != 0; left &= left - 1) {
    const Scoreboard& scoreboard =
        warp.scoreboards[static_cast<unsigned>(std::countr_zero(left)) % kScoreboards];
    if (scoreboard.unknown != 0) return {scoreboard.awaited, kNever};
    if (scoreboard.zero > now) return {scoreboard.awaited, scoreboard.zero};
  }
  if (timed.depbar_scoreboard < kScoreboards) {
    std::uint32_t outstanding = 0;
    Cycle next = kNever;
    for (const CountedResult& counted : warp.counted)
      if (counted.scoreboard == timed.depbar_scoreboard && counted.done > now) {
        ++outstanding;
        next = std::min(next, counted.done);
      }
    if (outstanding > timed.depbar_count)
      return {warp.scoreboards[timed.depbar_scoreboard].awaited, next};
  }
  return {Stall::not_selected, now};
}

Cycle Sm::pipe_free(const SubCore& sub, Pipe pipe) {
  const auto free = [&sub](Pipe each) { return sub.pipe_free[static_cast<std::size_t>(each)]; };
  if (pipe == Pipe::fma) return std::min(free(Pipe::fma_heavy), free(Pipe::fma_lite));
  if (pipe == Pipe::half) return std::max(free(Pipe::fma_heavy), free(Pipe::fma_lite));
  return free(pipe);
}

Sm::Look Sm::look_at_units(unsigned sub_core, const Timed& timed, Cycle now) const {
  const Cycle free = pipe_free(sub_cores_[sub_core], timed.pipe);
  if (free > now) return {Stall::math_pipe_throttle, free};
  const unsigned queue = timed.needs_queue() ? kQueueGate : kSpecialGate;
  if (const Cycle room = unit_free(sub_core, queue, now); room > now)
    return {timed.queue_full, room};
  return {Stall::not_selected, now};
}

Sm::Look Sm::look_at_banks(const SubCore& sub, const Timed& timed, Cycle now) {
  // A fixed-latency instruction reads its registers in the three cycles after it issued.
  for (std::size_t bank = 0; bank < sub.bank_free.size(); ++bank) {
    const Cycle reads = timed.bank_cycles[bank];
    const Cycle end = std::max(sub.bank_free[bank], now) + reads;
    if (reads != 0 && end > now + kReadCycles) return {Stall::dispatch_stall, end - kReadCycles};
  }
  return {Stall::not_selected, now};
}

// When an instruction that passes the gate could issue.
Cycle Sm::unit_free(unsigned sub_core, unsigned gate, Cycle now) const {
  const SubCore& sub = sub_cores_[sub_core];
  if (gate < kPipes) return pipe_free(sub, static_cast<Pipe>(gate));
  if (gate == kSpecialGate) return sub.special_leaves[sub.special_next];
  if (gate == kTextureGate) return memory_.texture_room(sub_core);
  Cycle until = 0;
  return memory_.has_room(sub_core, now, until) ? now : until;
}

// Of the warps in `waits`, those that can issue; `until`: when a unit is free for others.
SlotMask Sm::ask_units(unsigned sub_core, Cycle now, Cycle& until) {
  SubCore& sub = sub_cores_[sub_core];
  SlotMask ready =
      sub.waits.ask(now, until, [&](unsigned gate) { return unit_free(sub_core, gate, now); });
  if (sub.banks_free + context_->program.most_bank_cycles <= now + kReadCycles) return ready;
  for (SlotMask left = ready & sub.waits.readers(); left != 0; left &= left - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(left));
    const Look found = look_at_banks(sub, context_->program.instructions[sub.slots[slot].pc], now);
    if (found.reason == Stall::not_selected) continue;
    leave_unit(sub, slot, now);
    sub.slots[slot].state = found.reason;
    sub.sleep(slot, found.until);
    ready &= ~(SlotMask{1} << slot);
  }
  return ready;
}

}  // namespace heddle::simulator::timing
