// What an access finds in L1, and what it asks of L2.
#include <algorithm>
#include <bit>

#include "simulator/timing/load_store.hpp"

namespace heddle::simulator::timing {

void LoadStoreUnit::send(Request::Kind kind, const Piece& piece, Cycle base) {
  requests_.push_back({.time = base,
                       .line = piece.line,
                       .sm = sm_,
                       .number = static_cast<std::uint32_t>(requests_.size()),
                       .kind = kind,
                       .sectors = piece.sectors,
                       .passes = piece.passes});
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
void LoadStoreUnit::access_memory(const Timed& instruction, const Part& part,
                                  std::span<const Piece> pieces, Cycle base, Cycle hit,
                                  Completion& completion) {
  for (const Piece& piece : pieces) {
    const auto sectors = static_cast<unsigned>(std::popcount(piece.sectors));
    if (part.is_atomic()) {
      traffic_.l1_atomic.sectors += sectors;
      l1_.remove(piece.line);
      send(Request::Kind::atomic, piece, base);
    } else if (part.kind == AccessKind::load) {
      load(piece, instruction,
           part.space == Window::local ? traffic_.l1_local : traffic_.l1_global_load, base, hit,
           completion);
    } else if (part.space == Window::local) {
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

}  // namespace heddle::simulator::timing
