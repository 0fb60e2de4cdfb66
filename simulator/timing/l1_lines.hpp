// The lines that L1 of an SM holds. Measured with gpu/kernels/micro/timing/l1_places.cu: there are
// as many tags as L1 and shared memory have lines, however much of that is shared memory
// (scattered.*); and room for the lines' data is divided into pools that lines fall into as by
// chance, so that more and more of them make room for one another before all of it is used
// (places.*).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "simulator/timing/big_page_vector.hpp"
#include "simulator/timing/sector_cache.hpp"

namespace heddle::simulator::timing {

template <typename Extra>
class L1Lines {
 public:
  using Tags = SectorCache<Extra>;
  using Line = typename Tags::Line;

  L1Lines() : tags_(0, 1) {}

  // Empties it. `tag_bytes`: L1 and shared memory together; `bytes`: what of that is L1.
  void resize(std::uint64_t tag_bytes, unsigned ways, std::uint64_t bytes) {
    tags_.resize(tag_bytes, ways);
    links_.resize(tags_.places() + kPools);
    room_ = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(1, bytes / kLineBytes * kUsed / kWhole / kPools));
    clear();
  }
  void clear() {
    tags_.clear();
    lines_.fill(0);
    for (std::uint32_t pool = 0; pool < kPools; ++pool)
      links_[end_of(pool)] = {.before = end_of(pool), .after = end_of(pool)};
  }

  // None: the line is not there. Counts as use.
  Line find(LineNumber number) {
    const Line line = tags_.find(number);
    if (line) {
      const auto place = static_cast<Place>(tags_.place_of(line));
      const Place end = end_of(pool_of(number));
      if (links_[end].after != place) {
        unlink(place);
        link(end, place);
      }
    }
    return line;
  }
  // As SectorCache's.
  std::size_t place_of(const Line& line) const { return tags_.place_of(line); }
  Line find_at(std::size_t place, LineNumber number) { return tags_.find_at(place, number); }
  // With what makes room for it in its pool.
  void prefetch(LineNumber number) const {
    tags_.prefetch(number);
    const std::uint32_t pool = pool_of(number);
    const Link& end = links_[end_of(pool)];
    __builtin_prefetch(&links_[end.after], 1);
    if (lines_[pool] != room_) return;
    __builtin_prefetch(&links_[end.before], 1);
    tags_.prefetch_set(end.before);
  }
  void prefetch_place(std::size_t place) const { tags_.prefetch_place(place); }

  // Puts a line in that is not there, empty. Others make room: in its pool, and in its set.
  Line insert(LineNumber number) {
    const std::uint32_t pool = pool_of(number);
    if (lines_[pool] == room_) {
      const Place last = links_[end_of(pool)].before;
      unlink(last);
      --lines_[pool];
      tags_.remove_at(last);
    }
    typename Tags::Evicted evicted;
    const Line line = tags_.insert(number, evicted);
    const auto place = static_cast<Place>(tags_.place_of(line));
    if (evicted.was_there) {
      unlink(place);
      --lines_[pool_of(evicted.number)];
    }
    link(end_of(pool), place);
    ++lines_[pool];
    return line;
  }
  void remove(LineNumber number) {
    const Line line = tags_.find(number);
    if (!line) return;
    const std::size_t place = tags_.place_of(line);
    unlink(static_cast<Place>(place));
    --lines_[pool_of(number)];
    tags_.remove_at(place);
  }

 private:
  // Of 4 to 32 pools and 14 to 16 sixteenths of their room these come nearest to places.* and
  // scattered.* (to 11 % of the lines, where some of them miss).
  static constexpr unsigned kPools = 16, kUsed = 15, kWhole = 16;
  // Short, so that those of an SM take few of the host's cache lines.
  using Place = std::uint16_t;
  // Those of a pool in a ring, from the one used last on; behind the places lie the rings' ends.
  struct Link {
    Place before = 0, after = 0;
  };

  static std::uint32_t pool_of(LineNumber number) {
    constexpr std::uint64_t kMixer = 0xd6e8'feb8'6659'fd93;
    const std::uint64_t mixed = (number ^ number >> 32) * kMixer;
    return static_cast<std::uint32_t>((mixed ^ mixed >> 32) * kMixer >> 60);
  }
  Place end_of(std::uint32_t pool) const { return static_cast<Place>(tags_.places() + pool); }
  // Behind the ring's end.
  void link(Place end, Place place) {
    const Place first = links_[end].after;
    links_[place] = {.before = end, .after = first};
    links_[first].before = links_[end].after = place;
  }
  void unlink(Place place) {
    const Link at = links_[place];
    links_[at.before].after = at.after;
    links_[at.after].before = at.before;
  }

  Tags tags_;
  BigPageVector<Link> links_;  // by place
  std::array<std::uint32_t, kPools> lines_{};
  std::uint32_t room_ = 1;  // lines of a pool
};

}  // namespace heddle::simulator::timing
