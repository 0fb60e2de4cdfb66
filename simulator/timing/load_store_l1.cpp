// What an access finds in L1, and what it asks of L2.
#include <algorithm>
#include <bit>

#include "simulator/timing/load_store.hpp"

namespace heddle::simulator::timing {

Request& LoadStoreUnit::send(Request::Kind kind, LineNumber line, SectorMask sectors, Cycle base) {
  const auto number = static_cast<std::uint32_t>(requests_.size());
  waits_.push_back(number);
  return requests_.emplace_back(Request{
      .time = base, .line = line, .sm = sm_, .number = number, .kind = kind, .sectors = sectors});
}

// When L1 asks for a line it lacks: one after the other.
Cycle LoadStoreUnit::miss_time(Cycle base) {
  const Cycle time = std::max(base, misses_free_);
  misses_free_ = time + constants_.l1_miss_interval;
  return time;
}

// Its place for a line that it lacks. What was there before is in L2 too.
LoadStoreUnit::Tags::Line LoadStoreUnit::insert(LineNumber line) {
  Tags::Evicted evicted;
  return l1_.insert(line, evicted);
}

void LoadStoreUnit::load(const Piece& piece, const Timed& instruction, Lookups& lookups, Cycle base,
                         Cycle hit, Completion& completion) {
  const auto count = [](SectorMask sectors) { return count_sectors(sectors); };
  lookups.sectors += count(piece.sectors);
  if (instruction.bypasses_l1) {  // what L1 has may be older (load_relaxed of stale_lines.cu)
    l1_.remove(piece.line);
    send(Request::Kind::read, piece.line, piece.sectors, miss_time(base));
    return;
  }
  Tags::Line line = l1_.find(piece.line);
  const SectorMask had = !line ? 0 : line.valid() & piece.sectors;
  lookups.hits += count(had);
  if (had != 0) {
    if (line.extra().done == kNever)
      waits_.push_back(line.extra().request);
    else
      completion.done = std::max({completion.done, hit, line.extra().done});
  }
  const auto missing = static_cast<SectorMask>(piece.sectors & ~had);
  if (missing == 0) return;
  if (!line) line = insert(piece.line);
  line.valid() |= missing;
  send(Request::Kind::read, piece.line, missing, miss_time(base));
  line.extra().done = kNever;
  line.extra().request = requests_.back().number;
  awaited_lines_.push_back({piece.line, l1_.place_of(line)});
}

// What is stored goes to L2 and stays in L1 too, local memory as well (local.* of
// gpu/kernels/micro/timing/stores.cu): a load finds sectors that were stored as a whole, and a
// store those that any store has left something of (behind.plain of
// gpu/kernels/micro/timing/far_memory.cu).
void LoadStoreUnit::store(const Piece& piece, Lookups& lookups, Cycle base) {
  lookups.sectors += count_sectors(piece.sectors);
  Tags::Line line = l1_.find(piece.line);
  if (!line) line = insert(piece.line);
  lookups.hits += count_sectors((line.valid() | line.extra().stored) & piece.sectors);
  line.extra().stored |= piece.sectors;
  for (unsigned sector = 0; sector < kSectorsPerLine; ++sector)
    if (piece.bytes[sector] == ~0u) line.valid() |= static_cast<SectorMask>(1u << sector);
  if (!piece.merged)
    send(Request::Kind::write, piece.line, piece.sectors, base).outgoing = piece.outgoing;
}

// `base`: when the instruction would have issued on an idle unit.
void LoadStoreUnit::access_memory(const Timed& instruction, const Part& part,
                                  std::span<const Piece> pieces, Cycle base, Cycle hit,
                                  Completion& completion) {
  if (pieces.size() > 1)
    for (const Piece& piece : pieces) l1_.prefetch_extra(piece.line);
  for (const Piece& piece : pieces) {
    const auto sectors = count_sectors(piece.sectors);
    if (part.is_atomic()) {
      traffic_.l1_atomic.sectors += sectors;
      l1_.remove(piece.line);
      send(Request::Kind::atomic, piece.line, piece.sectors, base).outgoing = piece.outgoing;
    } else if (part.kind == AccessKind::load) {
      load(piece, instruction,
           part.space == Window::local ? traffic_.l1_local : traffic_.l1_global_load, base, hit,
           completion);
    } else {
      store(piece, part.space == Window::local ? traffic_.l1_local : traffic_.l1_global_store,
            base);
    }
  }
}

}  // namespace heddle::simulator::timing
