#include "simulator/timing/load_store.hpp"

#include <algorithm>
#include <bit>

namespace heddle::simulator::timing {
namespace {

// Local memory lies apart from what programs allocate, one region for each warp.
constexpr std::uint64_t kLocalRegions = std::uint64_t{1} << 60;
constexpr unsigned kWordBytes = 4;

bool is_atomic(AccessKind kind) { return kind != AccessKind::load && kind != AccessKind::store; }

Cycle divided(std::uint64_t amount, std::uint64_t by) { return (amount + by - 1) / by; }

}  // namespace

LoadStoreUnit::LoadStoreUnit(const Constants& constants, std::uint32_t sm)
    : constants_(constants), sm_(sm), queues_(constants.sub_cores), l1_(0, constants.l1_ways) {
  for (Queue& queue : queues_) queue.leaves.assign(std::max(1u, constants.mio_queue_entries), 0);
}

void LoadStoreUnit::start(std::uint64_t l1_bytes) { l1_.resize(l1_bytes, constants_.l1_ways); }

bool LoadStoreUnit::has_room(unsigned sub_core, Cycle now, Cycle& until) const {
  const Queue& queue = queues_[sub_core];
  until = queue.leaves[queue.next];
  return until <= now;
}

// When the shared unit takes the instruction, which then is busy with it for `busy` cycles, and the
// sub-core's address unit for `address_busy`.
Cycle LoadStoreUnit::enter(unsigned sub_core, Cycle now, Cycle busy, Cycle address_busy) {
  Queue& queue = queues_[sub_core];
  const Cycle taken =
      std::max({now + constants_.latency_mio_queue, queue.address_unit_free, shared_unit_free_});
  queue.address_unit_free = taken + address_busy;
  shared_unit_free_ = taken + std::max<Cycle>(busy, constants_.lsu_shared_interval);
  queue.leaves[queue.next] = taken;
  queue.next = (queue.next + 1) % queue.leaves.size();
  return taken;
}

Cycle LoadStoreUnit::pass(unsigned sub_core, Cycle now, const Timed& instruction) {
  return enter(sub_core, now, 1, constants_.lsu_shared_address_interval) -
         constants_.latency_mio_queue + instruction.latency;
}

// Cycles that tags and data banks, and for stores the way to L2, are busy with an access.
Cycle LoadStoreUnit::passes(const Access& access) const {
  if (access.space == Window::shared) {
    Cycle passes = std::max(1u, access.counts.wavefronts);
    if (is_atomic(access.kind)) passes = 1 + (passes - 1) * constants_.shared_atomic_pass_cycles;
    return passes;
  }
  const std::uint64_t bytes = std::uint64_t{kSectorBytes} * access.counts.sectors;
  const bool goes_out = access.space == Window::global && access.kind != AccessKind::load;
  // L1 and shared memory are one memory: a load from L1 meets the same banks (measured:
  // scattered.load* of gpu/kernels/micro/timing/memory.cu).
  const Cycle banks =
      access.space != Window::global || goes_out
          ? 1
          : count_shared(AccessKind::load, access.width, access.address, access.lanes).wavefronts;
  return std::max({Cycle{1}, banks, divided(access.counts.tags, constants_.l1_tags_per_cycle),
                   divided(bytes, goes_out ? constants_.sm_write_bytes_per_cycle
                                           : constants_.l1_bytes_per_cycle)});
}

// Lines and sectors of the lanes' addresses, in the order in which lanes name them first.
void LoadStoreUnit::split(const Access& access, std::uint64_t local_region) {
  pieces_.clear();
  const auto add = [this](LineNumber line, unsigned sector) {
    for (auto piece = pieces_.rbegin(); piece != pieces_.rend(); ++piece)
      if (piece->line == line) {
        piece->sectors |= static_cast<SectorMask>(1u << sector);
        ++piece->operations;
        return;
      }
    pieces_.push_back({line, static_cast<SectorMask>(1u << sector), 1});
  };
  for (Mask left = access.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = access.address[lane];
    if (access.space == Window::global) {
      add(address / kLineBytes, static_cast<unsigned>(address / kSectorBytes % kSectorsPerLine));
      continue;
    }
    // Local: word i of all lanes lies side by side.
    const std::uint64_t first = (address & 0xffff'ffff) / kWordBytes;
    for (std::uint64_t word = 0; word < divided(access.width, kWordBytes); ++word)
      add(kLocalRegions + (local_region << 32) + first + word, lane / (kSectorBytes / kWordBytes));
  }
}

void LoadStoreUnit::send(Request::Kind kind, const Piece& piece, Cycle base) {
  requests_.push_back({.time = base,
                       .line = piece.line,
                       .sm = sm_,
                       .number = static_cast<std::uint32_t>(requests_.size()),
                       .kind = kind,
                       .sectors = piece.sectors,
                       .operations = piece.operations});
  waits_.push_back(requests_.back().number);
}

void LoadStoreUnit::load(const Piece& piece, const Timed& instruction, Lookups& lookups, Cycle base,
                         Cycle hit, Completion& completion) {
  const auto count = [](SectorMask sectors) {
    return static_cast<unsigned>(std::popcount(sectors));
  };
  lookups.sectors += count(piece.sectors);
  if (instruction.bypasses_l1) return send(Request::Kind::read, piece, base);
  Tags::Line* line = l1_.find(piece.line);
  const SectorMask had = line == nullptr ? 0 : line->valid & piece.sectors;
  lookups.hits += count(had);
  if (had != 0) {
    if (line->extra.done == kNever)
      waits_.push_back(line->extra.request);
    else
      completion.done = std::max({completion.done, hit, line->extra.done});
  }
  const auto missing = static_cast<SectorMask>(piece.sectors & ~had);
  if (missing == 0) return;
  Tags::Line evicted;
  if (line == nullptr) line = &l1_.insert(piece.line, evicted);
  if (evicted.dirty != 0)
    requests_.push_back({.time = base,
                         .line = evicted.number,
                         .sm = sm_,
                         .number = static_cast<std::uint32_t>(requests_.size()),
                         .kind = Request::Kind::write,
                         .sectors = evicted.dirty});
  line->valid |= missing;
  send(Request::Kind::read, {piece.line, missing, 0}, base);
  line->extra = {kNever, requests_.back().number};
  awaited_lines_.push_back(piece.line);
}

// `base`: when the instruction would have issued on an idle unit.
void LoadStoreUnit::access_memory(const Timed& instruction, const Access& access, Cycle base,
                                  Cycle hit, Completion& completion) {
  for (const Piece& piece : pieces_) {
    const auto sectors = static_cast<unsigned>(std::popcount(piece.sectors));
    if (is_atomic(access.kind)) {
      traffic_.l1_atomic.sectors += sectors;
      l1_.remove(piece.line);
      send(Request::Kind::atomic, piece, base);
    } else if (access.kind == AccessKind::load) {
      load(piece, instruction,
           access.space == Window::local ? traffic_.l1_local : traffic_.l1_global_load, base, hit,
           completion);
    } else if (access.space == Window::local) {
      // L1 keeps what is stored there until the line is needed.
      traffic_.l1_local.sectors += sectors;
      Tags::Line* line = l1_.find(piece.line);
      if (line != nullptr) traffic_.l1_local.hits += sectors;
      Tags::Line evicted;
      if (line == nullptr) line = &l1_.insert(piece.line, evicted);
      if (evicted.dirty != 0) send(Request::Kind::write, {evicted.number, evicted.dirty, 0}, base);
      line->valid |= piece.sectors;
      line->dirty |= piece.sectors;
    } else {
      traffic_.l1_global_store.sectors += sectors;
      if (const Tags::Line* line = l1_.find(piece.line))
        traffic_.l1_global_store.hits +=
            static_cast<unsigned>(std::popcount<unsigned>(line->valid & piece.sectors));
      send(Request::Kind::write, piece, base);
    }
  }
}

Completion LoadStoreUnit::issue(unsigned sub_core, Cycle now, const Timed& instruction,
                                std::span<const Access> accesses, std::uint64_t local_region,
                                const Outstanding& waiting) {
  Cycle busy = 0;
  Cycle address_busy = instruction.is_store ? constants_.lsu_store_address_interval
                                            : constants_.lsu_address_interval;
  Cycle conflicts = 0;  // passes of shared memory beyond those that its width needs
  for (const Access& access : accesses) {
    busy += passes(access);
    if (access.space != Window::shared) continue;
    const Cycle wavefronts = access.counts.wavefronts;
    conflicts += wavefronts - std::min<Cycle>(wavefronts, access.counts.wavefronts_ideal);
    address_busy =
        std::max<Cycle>(access.kind == AccessKind::store ? constants_.lsu_address_interval
                                                         : constants_.lsu_shared_address_interval,
                        wavefronts * constants_.lsu_shared_address_interval);
  }
  const Cycle taken = enter(sub_core, now, busy, address_busy);
  // Later than on an idle unit by what was in the way; further passes delay the result too.
  const Cycle base = taken - constants_.latency_mio_queue;
  const Cycle further = busy == 0 ? 0 : busy - 1;
  Completion completion;
  completion.sources_read = base + (instruction.is_store ? constants_.latency_store_read
                                                         : constants_.latency_operand_read);
  completion.done = base + further;
  const auto first = static_cast<std::uint32_t>(waits_.size());
  for (const Access& access : accesses) {
    // Data beyond 32 bits a thread takes more cycles on the way to the registers.
    const std::uint64_t data = std::uint64_t{kWarpSize} * access.width;
    const Cycle wider =
        data <= kLineBytes ? 0 : (data - kLineBytes) / constants_.return_bytes_per_cycle;
    if (access.space == Window::shared) {
      const Cycle latency = is_atomic(access.kind) ? constants_.latency_shared_atomic
                                                   : constants_.latency_shared_load;
      completion.done = std::max(
          completion.done, base + latency + wider + conflicts * constants_.shared_conflict_latency);
      continue;
    }
    const Cycle hit = base + constants_.latency_l1_hit + std::max(further, wider);
    split(access, local_region);
    access_memory(instruction, access, base + further, hit, completion);
  }
  const auto count = static_cast<std::uint32_t>(waits_.size()) - first;
  completion.outstanding = count != 0;
  if (completion.outstanding) pending_.push_back({waiting, completion.done, first, count});
  return completion;
}

// What L2 cannot take fills the way to it, and then nothing more leaves the SM.
void LoadStoreUnit::hold_back_stores() {
  constexpr Cycle kBuffered = 256;  // cycles of stores that may be on the way; a guess
  for (const Request& request : requests_) {
    if (request.kind == Request::Kind::read) continue;
    const Cycle least = request.time + constants_.latency_l2_hit + kBuffered;
    if (request.done > least)
      shared_unit_free_ = std::max(shared_unit_free_, request.time + (request.done - least));
  }
}

std::span<const Outstanding> LoadStoreUnit::collect() {
  for (const LineNumber number : awaited_lines_)
    if (Tags::Line* line = l1_.find(number); line != nullptr && line->extra.done == kNever)
      line->extra.done = requests_[line->extra.request].done;
  collected_.clear();
  for (const Pending& pending : pending_) {
    Outstanding who = pending.who;
    who.done = pending.known;
    for (std::uint32_t i = 0; i < pending.count; ++i)
      who.done = std::max(who.done, requests_[waits_[pending.first + i]].done);
    collected_.push_back(who);
  }
  hold_back_stores();
  awaited_lines_.clear();
  pending_.clear();
  waits_.clear();
  requests_.clear();
  return collected_;
}

}  // namespace heddle::simulator::timing
