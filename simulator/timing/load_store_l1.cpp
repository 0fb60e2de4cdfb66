// What an access finds in L1, and what it asks of L2.
#include <algorithm>
#include <bit>

#include "simulator/timing/load_store.hpp"

namespace heddle::simulator::timing {
namespace {

// What L1 holds is never dirty. Of its lines this says that they have been asked for, and may not
// be there yet; and that stores have left bytes in them. The rest lies elsewhere in the host's
// memory, and is not looked up for nothing.
constexpr SectorMask kAwaited = 1, kStored = 2;

}  // namespace

Request& LoadStoreUnit::send(Request::Kind kind, LineNumber line, SectorMask sectors, Cycle base) {
  const auto number = static_cast<std::uint32_t>(requests_.size());
  waits_.push_back(number);
  return requests_.emplace_back(Request{
      .time = base, .line = line, .sm = sm_, .number = number, .kind = kind, .sectors = sectors});
}

std::uint32_t LoadStoreUnit::ask(Request::Kind kind, LineNumber line, SectorMask sectors,
                                 SectorMask brings, Cycle time) {
  Request& request = send(kind, line, sectors, time);
  request.brings = brings;
  request.of_copy = true;
  waits_.pop_back();
  if (kind == Request::Kind::read || kind == Request::Kind::prefetch) return request.number;
  const auto flits = static_cast<std::uint8_t>(count_sectors(sectors));
  request.outgoing = {.flits = flits,
                      .bytes = static_cast<std::uint16_t>(flits * kSectorBytes),
                      .adds_floats = kind == Request::Kind::atomic,
                      .whole_passes = flits};
  return request.number;
}

// When L1 asks for a line it lacks: one after the other.
Cycle LoadStoreUnit::miss_time(Cycle base) {
  const Cycle time = std::max(base, misses_free_);
  misses_free_ = time + constants_.l1_miss_interval;
  return time;
}

// Which of the sectors that a load names are there, or those of their bytes that it names (reread.*
// of gpu/kernels/micro/timing/l1_places.cu).
SectorMask LoadStoreUnit::find_sectors(const L1::Line& line, const Piece& piece) {
  auto found = static_cast<SectorMask>(line.valid() & piece.sectors);
  if (found == piece.sectors || (line.dirty() & kStored) == 0) return found;
  for (unsigned sector = 0; sector < kSectorsPerLine; ++sector)
    if (piece.bytes[sector] != 0 && (piece.bytes[sector] & ~line.extra().stored[sector]) == 0)
      found |= static_cast<SectorMask>(1u << sector);
  return found;
}

// When a line's sectors are there for who finds them; what L2 has still to say is among the waits.
// Most have long been there, and when they came need not be looked up in the host's memory.
Cycle LoadStoreUnit::await_line(const L1::Line& line, Cycle hit) {
  if ((line.dirty() & kAwaited) == 0) return hit;
  const Fill& fill = line.extra();
  if (fill.done == kNever) {
    waits_.push_back(fill.request);
    return 0;
  }
  if (fill.done <= served_at_) line.dirty().remove(kAwaited);  // all who come later find it there
  return std::max(hit, fill.done);
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
  L1::Line line = l1_.find(piece.line);
  const SectorMask had = !line ? SectorMask{0} : find_sectors(line, piece);
  lookups.hits += count(had);
  if (had != 0) completion.done = std::max(completion.done, await_line(line, hit));
  const auto missing = static_cast<SectorMask>(piece.sectors & ~had);
  if (missing == 0) return;
  if (!line) line = l1_.insert(piece.line);
  line.valid() |= missing;
  line.dirty() |= kAwaited;
  send(Request::Kind::read, piece.line, missing, miss_time(base));
  line.extra().done = kNever;
  line.extra().request = requests_.back().number;
  awaited_lines_.push_back({piece.line, l1_.place_of(line)});
}

// What is stored goes to L2 and stays in L1 too, local memory as well (local.* of
// gpu/kernels/micro/timing/stores.cu): a load finds the bytes that were stored. A store counts as a
// hit of all its sectors where anything of the line is there (columns.one.words32.* of
// gpu/kernels/micro/timing/behind_stores.cu).
void LoadStoreUnit::store(const Piece& piece, Lookups& lookups, Cycle base) {
  lookups.sectors += count_sectors(piece.sectors);
  L1::Line line = l1_.find(piece.line);
  if (line)
    lookups.hits += count_sectors(piece.sectors);
  else
    line = l1_.insert(piece.line);
  line.dirty() |= kStored;
  for (unsigned sector = 0; sector < kSectorsPerLine; ++sector) {
    std::uint32_t& stored = line.extra().stored[sector];
    stored |= piece.bytes[sector];
    if (stored == ~0u) line.valid() |= 1u << sector;
  }
  if (piece.merged) return;
  Request& request = send(Request::Kind::write, piece.line, piece.sectors, base);
  request.outgoing = piece.outgoing;
  if (piece.stored == nullptr) return;
  piece.stored->batch = batch_;
  piece.stored->request = request.number;
}

// `base`: when the instruction would have issued on an idle unit.
void LoadStoreUnit::access_memory(const Timed& instruction, const Part& part,
                                  std::span<const Piece> pieces, Cycle base, Cycle hit,
                                  Completion& completion) {
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
