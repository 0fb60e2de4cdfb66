// Barriers that lie in shared memory and count arrivals and bytes (PTX mbarrier; sm_90's SYNCS).
//
// The word: bit 63 the phase, bits 62:43 the arrivals still missing and bits 20:1 those of a whole
// phase, both as 2^20 less the number (what compiled code stores to begin with, and reads back to
// tell the pending count), in between, negative, the bytes still missing (as the states say that an
// H200 returns).
#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "simulator/execute/cluster.hpp"
#include "simulator/execute/memory_access.hpp"
#include "simulator/memory/mbarrier.hpp"

namespace heddle::simulator {
namespace {

using isa::Mod;
using isa::Op;

struct Field {
  unsigned lo, width;
  std::uint64_t mask() const { return (std::uint64_t{1} << width) - 1; }
  std::uint64_t of(std::uint64_t word) const { return word >> lo & mask(); }
  // Adds modulo the field's size; its neighbours stay as they are.
  std::uint64_t plus(std::uint64_t word, std::uint64_t amount) const {
    return (word & ~(mask() << lo)) | ((of(word) + amount) & mask()) << lo;
  }
};
constexpr Field kExpected{1, 20}, kBytes{21, 21}, kPending{43, 20};
constexpr std::uint64_t kPhase = std::uint64_t{1} << 63;

// When nothing is missing any more the next phase begins.
std::uint64_t completed(std::uint64_t word) {
  if (kPending.of(word) != 0 || kBytes.of(word) != 0) return word;
  return kPending.plus(word ^ kPhase, kExpected.of(word));
}

std::uint64_t arrive(std::uint64_t word, Arrival arrival, std::uint32_t amount, bool leaves) {
  const auto arrivals = [&](std::uint64_t count) {
    word = kPending.plus(word, count);
    if (leaves) word = kExpected.plus(word, count);
  };
  switch (arrival) {
    case Arrival::one_and_bytes:
      word = kBytes.plus(word, std::uint64_t{0} - amount);
      arrivals(1);
      break;
    case Arrival::one:
      arrivals(1);
      break;
    case Arrival::one_byte:
      word = kBytes.plus(word, std::uint64_t{0} - 1);
      break;
    case Arrival::bytes:
      word = kBytes.plus(word, std::uint64_t{0} - amount);
      break;
    case Arrival::bytes_done:
      word = kBytes.plus(word, amount);
      break;
    case Arrival::counted:
      arrivals(amount);
      break;
  }
  return completed(word);
}

std::uint64_t read(const std::byte* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}
void write(std::byte* at, std::uint64_t word) { std::memcpy(at, &word, sizeof word); }

// Where the lanes' barriers are; false, and a fault, where one is not. Who arrives may do so at a
// barrier of another block of the cluster, whose rank stands in bits 31:24.
bool find_barriers(Core& core, Warp& warp, const Step& step, AccessKind kind, Mask on,
                   Addresses& address, LanePointers& pointers) {
  compute_addresses(core, warp, step, address);
  const bool anywhere = kind == AccessKind::atomic && warp.block->cluster != nullptr;
  for (std::uint64_t& at : address)
    at = (at & 0xffff'ffff) | (anywhere ? kSharedWindow : std::uint64_t{0});
  return resolve_lanes(core, warp, step, Window::shared, AccessKind::atomic, address, on,
                       pattern_of(address, on), pointers);
}

// Tells observers. What these do to shared memory an H200 counts in no metric (its records of
// programs with cuda::pipeline and cuda::barrier).
void note_access(Core& core, const Step& step, AccessKind kind, const Addresses& address, Mask on) {
  if (core.observed)
    core.accesses.push_back({kind, Window::shared, step.width, on, address,
                             count_shared(kind, step.width, address, on), false});
}

// One arrival more than the phase still expects ends a launch on an H200, as does one at a barrier
// that is misaligned (docs/experiments/tensor-probe.md).
bool overruns(std::uint64_t word, Arrival arrival, std::uint32_t amount) {
  const bool arrives = arrival == Arrival::one_and_bytes || arrival == Arrival::one;
  const std::uint64_t arrivals = arrives ? 1 : arrival == Arrival::counted ? amount : 0;
  return arrivals > ((0 - kPending.of(word)) & kPending.mask());
}

Flow fail(Core& core, const Warp& warp, const Step& step, Mask lanes, const char* why) {
  return core.raise(Fault::Kind::launch_failure, warp, step, lanes, 0, why);
}

// Calls f(lane, pointer) for each lane's barrier, in lane order.
template <typename F>
Flow for_each_barrier(Core& core, Warp& warp, const Step& step, AccessKind kind, Mask on, F&& f) {
  if (on.empty()) return Flow::next;
  Addresses address;
  LanePointers pointers;
  if (!find_barriers(core, warp, step, kind, on, address, pointers)) return Flow::stop;
  note_access(core, step, kind, address, on);
  for (const unsigned lane : on) f(lane, pointers.of[lane]);
  return Flow::next;
}

void put(const Warp& warp, const Step& step, unsigned lane, std::uint64_t value) {
  std::uint32_t* row = destination_row(warp, step.d);
  row[lane] = static_cast<std::uint32_t>(value);
  row[kWarpSize + lane] = static_cast<std::uint32_t>(value >> 32);
}

// Of a state the upper register alone is written (measured), where the phase is.
void put_high(const Warp& warp, const Step& step, unsigned lane, std::uint64_t value) {
  destination_row(warp, step.d)[kWarpSize + lane] = static_cast<std::uint32_t>(value >> 32);
}

bool is_elsewhere(const Block& block, const std::byte* at) {
  const std::byte* const own = block.shared.data();
  return at < own || at >= own + block.shared.size();
}

Flow execute_arrive(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  const std::uint32_t* amounts = source_row(warp, step.b);
  Mask too_many;
  Addresses address;
  if (on.any()) {
    compute_addresses(core, warp, step, address);
    Mask misaligned;
    for (const unsigned lane : on)
      if (address[lane] % step.width != 0) misaligned |= Mask::of(lane);
    if (misaligned.any())
      return fail(core, warp, step, misaligned, "the mbarrier is not at a multiple of 8");
  }
  const Flow flow =
      for_each_barrier(core, warp, step, AccessKind::atomic, on, [&](unsigned lane, std::byte* at) {
        const std::uint64_t old = read(at);
        const auto effect = static_cast<Arrival>(step.selector);
        if (overruns(old, effect, amounts[lane])) too_many |= Mask::of(lane);
        const bool answers = !step.sign_extend, leaves = step.data_type != 0;
        if (core.cycle != nullptr && !answers && !leaves && is_elsewhere(*warp.block, at)) {
          update_later(core, *warp.block, static_cast<std::uint32_t>(address[lane]), effect,
                       amounts[lane]);
          return;
        }
        write(at, arrive(old, effect, amounts[lane], leaves));
        if (answers) put_high(warp, step, lane, old);
      });
  if (too_many.empty() || flow != Flow::next) return flow;
  return fail(core, warp, step, too_many, "more arrive at the mbarrier than its phase expects");
}

// .TMASK: what the first of the lanes that arrive at one barrier found, and the set of these lanes.
// From their number before it each computes what itself found.
Flow execute_arrive_together(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  const std::uint32_t* amounts = source_row(warp, step.b);
  struct Meeting {
    const std::byte* at;
    std::uint64_t found;
    Mask lanes;
  };
  std::array<Meeting, kWarpSize> meetings;
  std::size_t count = 0;
  const Flow flow =
      for_each_barrier(core, warp, step, AccessKind::atomic, on, [&](unsigned lane, std::byte* at) {
        const std::uint64_t old = read(at);
        write(at,
              arrive(old, static_cast<Arrival>(step.selector), amounts[lane], step.data_type != 0));
        const auto known =
            std::find_if(meetings.begin(), meetings.begin() + static_cast<std::ptrdiff_t>(count),
                         [&](const Meeting& meeting) { return meeting.at == at; });
        if (known == meetings.begin() + static_cast<std::ptrdiff_t>(count))
          meetings[count++] = {at, old, Mask::of(lane)};
        else
          known->lanes |= Mask::of(lane);
      });
  for (const Meeting& meeting : std::span(meetings).first(count))
    for (const unsigned lane : meeting.lanes) {
      put(warp, step, lane, (meeting.found & ~std::uint64_t{0xffff'ffff}) | meeting.lanes.bits());
    }
  return flow;
}

// Whether a warp that is held has been so for too long. The H200 gives up after about 7,780 cycles,
// whatever time the program names (an mbarrier whose phase does not end, 12 waits). Where nothing
// is timed it is a number of instructions, and a long one: warps take turns there.
bool gives_up(const Core& core, Warp& warp) {
  constexpr std::uint64_t kCycles = 7'780, kInstructions = 1 << 23;
  const std::uint64_t now = core.cycle != nullptr ? *core.cycle : core.issued;
  return now - warp.held_since.value_or(now) >= (core.cycle != nullptr ? kCycles : kInstructions);
}

// Whether the phase that B's top bit names is over. With .TRYWAIT the H200 holds the warp until it
// is (its record of bulk_copies has one execution a wait), or it has waited for too long.
template <bool kHolds>
Flow execute_check(Core& core, Warp& warp, const Step& step, Mask active, Mask on) {
  if (on.empty()) return Flow::next;
  const std::uint32_t* phases = source_row(warp, step.b);
  Addresses address;
  LanePointers pointers;
  if (!find_barriers(core, warp, step, AccessKind::load, on, address, pointers)) return Flow::stop;
  Mask over;
  for (const unsigned lane : on)
    if (read(pointers.of[lane]) >> 63 != phases[lane] >> 31) over |= Mask::of(lane);
  if (kHolds && over.empty() && !core.ends_waits && !others_can_go_on(warp) &&
      !gives_up(core, warp))
    return hold(core, warp, step, active, on);
  warp.held_since.reset();
  note_access(core, step, AccessKind::load, address, on);
  warp.set_predicate(step.pu, over, on);
  return Flow::next;
}

// One exchange for the warp: how a barrier begins.
Flow execute_exchange(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  if (on.empty()) return Flow::next;
  const auto first = on.first();
  const std::uint32_t* value = source_row(warp, step.b);
  return for_each_barrier(core, warp, step, AccessKind::atomic, Mask::of(first),
                          [&](unsigned lane, std::byte* at) {
                            const std::uint64_t old = read(at);
                            write(at, value[lane] | std::uint64_t{value[kWarpSize + lane]} << 32);
                            for (unsigned i = 0; i < kWarpSize; ++i) put(warp, step, i, old);
                          });
}

// ARRIVES.LDGSTSBAR: what the thread's copies so far do when they are finished, which they are.
Flow execute_copies_done(Core& core, Warp& warp, const Step& step, Mask, Mask on) {
  return for_each_barrier(core, warp, step, AccessKind::atomic, on, [&](unsigned, std::byte* at) {
    write(at, arrive(read(at), static_cast<Arrival>(step.selector), 1, false));
  });
}

// The word is no barrier any more; what it holds then is not defined.
Flow execute_invalidate(Core&, Warp&, const Step&, Mask, Mask) { return Flow::next; }

}  // namespace

std::string held_by_mbarrier(const Core& core, const Warp& warp, const Step& step) {
  const Mask lanes = warp.convergence->has_current() ? warp.convergence->current().lanes : Mask{};
  const unsigned lane = lanes.empty() ? 0 : lanes.first();
  Addresses address;
  compute_addresses(core, warp, step, address);
  std::uint64_t word = 0;
  const std::uint64_t at = address[lane] & 0xffff'ffff;
  if (at + sizeof word > warp.block->shared.size()) return {};
  std::memcpy(&word, warp.block->shared.data() + at, sizeof word);
  const auto missing = [&](Field field) { return (0 - field.of(word)) & field.mask(); };
  return fmt::format(
      "waits for phase {} of the mbarrier at shared address {:#x}, where {} arrival{} and {} "
      "byte{} "
      "are missing",
      word >> 63, at, missing(kPending), missing(kPending) == 1 ? "" : "s", missing(kBytes),
      missing(kBytes) == 1 ? "" : "s");
}

void deliver(const BarrierUpdate& update) {
  if (update.block->linear != update.linear || update.block->finished()) return;
  std::byte* const at = update.block->shared.data() + update.offset;
  write(at, arrive(read(at), update.effect, update.amount, false));
}

void update_later(Core& core, Block& block, std::uint32_t address, Arrival effect,
                  std::uint32_t amount) {
  constexpr std::uint32_t kOffset = 0xff'ffff;
  constexpr unsigned kRankShift = 24;
  const std::uint32_t rank = address >> kRankShift;
  Block* const owner =
      rank == block.rank || block.cluster == nullptr ? &block : block.cluster->blocks[rank];
  core.updates.push_back({owner, owner->linear, address & kOffset, effect, amount});
}

std::uint64_t barrier_after_bytes(std::uint64_t word, std::uint32_t bytes) {
  return arrive(word, Arrival::bytes_done, bytes, false);
}

std::uint64_t barrier_after_arrival(std::uint64_t word) {
  return arrive(word, Arrival::one, 1, false);
}

Execute lower_mbarrier(const isa::Instruction& in, Step& step) {
  constexpr std::uint32_t kTogether = 1, kReduction = 2;
  constexpr std::uint64_t kInvalidate = 0x9b1, kArrive = 0x9a7, kCheck = 0x5a7, kExchange = 0x5b2;
  if (!isa::traits(in.arch).has_clusters) return nullptr;
  step.width = 8;
  if (in.op == Op::ARRIVES) {
    constexpr std::uint32_t kArrivalCount = 1, kByteCount = 2;
    const std::uint32_t counts = in.mod(Mod::arrives_for);
    if (counts != kArrivalCount && counts != kByteCount) return nullptr;
    step.selector =
        static_cast<std::uint8_t>(counts == kArrivalCount ? Arrival::one : Arrival::bytes_done);
    return execute_copies_done;
  }
  if (in.op != Op::SYNCS) return nullptr;
  switch (in.word.bits(0, 12)) {
    case kArrive:
      step.selector = static_cast<std::uint8_t>(in.mod(Mod::arrive_effect));
      step.data_type = static_cast<std::uint8_t>(in.mod(Mod::opt_out));
      step.sign_extend = in.mod(Mod::arrive_lanes) == kReduction;
      if (step.selector > static_cast<std::uint8_t>(Arrival::counted)) return nullptr;
      return in.mod(Mod::arrive_lanes) == kTogether ? execute_arrive_together : execute_arrive;
    case kCheck:
      return in.mod(Mod::try_wait) != 0 ? execute_check<true> : execute_check<false>;
    case kExchange:
      return execute_exchange;
    case kInvalidate:
      return execute_invalidate;
    default:
      return nullptr;
  }
}

}  // namespace heddle::simulator
