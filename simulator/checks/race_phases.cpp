// --check races: reads of shared memory that nobody can be racing with yet. Where all that they
// read was written before the last barrier of the whole block, only a write before the next one can
// conflict with them. Until then they are put aside, and noted word by word if such a write comes.
#include "simulator/checks/race_check.hpp"

namespace heddle::simulator::checks {

// False: the access is to be looked at word by word.
bool RaceCheck::put_aside(const Scene& scene, const Trace& now, const WarpId* agent) {
  const Access& access = scene.access;
  BlockTrack& track = scene.track;
  const bool is_apart = agent != nullptr || now.pending != 0;
  track.phases.touch(scene.warp.index, access.lanes);
  if (scene.writes) {
    is_apart ? track.phases.write_apart(access) : track.phases.write(access);
    return false;
  }
  if (is_apart || now.use() != Use::plain || access.width % Shadow::kWord != 0 ||
      !track.phases.knows_writes(access))
    return false;
  if (aside_of_ != &track || aside_.size() == kMostAside) note_put_aside();
  aside_of_ = &track;
  AsideRead& read = aside_.emplace_back();
  read.trace = now;
  read.lanes = access.lanes;
  read.width = access.width;
  read.adjoining = access.adjoining;
  const auto word_of = [&](unsigned lane) {
    return static_cast<std::uint16_t>((access.address[lane] & kSharedOffset) / Shadow::kWord);
  };
  if (access.adjoining)
    read.word[0] = word_of(0);
  else
    for (const unsigned lane : access.lanes) read.word[lane] = word_of(lane);
  return true;
}

void RaceCheck::note_put_aside() {
  if (aside_of_ != nullptr)
    for (const AsideRead& read : aside_) note_put_aside(read, *aside_of_->shared);
  drop_put_aside();
}

void RaceCheck::note_put_aside(const AsideRead& read, Shadow& shadow) {
  Mask left = read.lanes;
  Addresses address;
  for (const unsigned lane : read.lanes)
    address[lane] =
        Shadow::kWord * std::uint64_t{read.adjoining
                                          ? read.word[0] + lane * (read.width / Shadow::kWord)
                                          : read.word[lane]};
  if (shadow.make_room()) {
    const TraceRef ref = shadow.add(read.trace);
    if (read.adjoining && note_lines(read, ref, shadow)) return;
    left = note_parts(read, address, ref, shadow);
  }
  Trace now = read.trace;
  for (const unsigned lane : left) {
    now.lane = lane % kWarpSize;
    shadow.for_each(address[lane], read.width, [&](Cell& cell, std::uint64_t, std::uint32_t) {
      note_read(cell.read, cell.other_read, now);
    });
  }
}

// Returns the lanes of those that cells stand for.
Mask RaceCheck::note_parts(const AsideRead& read, const Addresses& address, TraceRef ref,
                           Shadow& shadow) {
  std::array<Shadow::Place, kWarpSize> found;
  Mask noted;
  const Mask others = shadow.find_places(read.lanes, address, read.width, false, found, noted);
  for (const unsigned lane : noted)
    for (std::uint32_t i = 0; i < found[lane].parts_in(read.width); ++i)
      shadow.note_read(found[lane].read[i], WordTraces::with_lane(ref, lane), read.trace.who, {});
  return others;
}

// Whole lines of which no word stands for itself. False, and nothing is done: it is no such access.
bool RaceCheck::note_lines(const AsideRead& read, TraceRef ref, Shadow& shadow) {
  const std::uint64_t address = std::uint64_t{read.word[0]} * Shadow::kWord;
  const std::uint32_t lines = read.width / Shadow::kWord;
  if (address % Shadow::kLine != 0) return false;
  for (std::uint32_t i = 0; i < lines; ++i) {
    const Shadow::Line* const line = shadow.line_at(address + i * Shadow::kLine);
    if (line == nullptr || line->is_apart()) return false;
  }
  for (std::uint32_t i = 0; i < lines; ++i)
    shadow.note_read(shadow.line_at(address + i * Shadow::kLine)->read,
                     WordTraces::with_line(ref, lines, i), read.trace.who, {});
  return true;
}

}  // namespace heddle::simulator::checks
