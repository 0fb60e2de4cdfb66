// Behind the SMs: L2 and DRAM, as servers with bandwidth and latency, and the tags of L2.
//
// L2 is in halves (`l2_halves`); every SM is near to one, every line of memory at home in one. What
// an SM reads from the far half is kept in the near one too.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "simulator/launch/timing_result.hpp"
#include "simulator/models/gpu_model.hpp"
#include "simulator/models/timing_constants.hpp"
#include "simulator/timing/cycle.hpp"
#include "simulator/timing/divisor.hpp"
#include "simulator/timing/sector_cache.hpp"
#include "simulator/timing/sm_places.hpp"

namespace heddle::simulator::timing {

// What a store or an atomic on one line sends: flits of 32 bytes, the bytes that it needs room for,
// and whether it says which bytes of a sector it has; passes over a sector in L2 that change all of
// it, a part, and those of atomics on doubles and of compare-and-swap.
struct Outgoing {
  std::uint16_t flits = 0, bytes = 0;
  bool partial = false;
  bool adds_floats = false;
  std::uint8_t whole_passes = 0, half_passes = 0, wide_passes = 0;
  unsigned passes() const { return unsigned{whole_passes} + half_passes + wide_passes; }
};

// Numbers of slices and halves of L2 are in requests.
inline constexpr std::uint32_t kMostSlices = 0xffff;

// What one SM asks of L2: sectors of one line.
struct Request {
  // prefetch: L2 is to have them, nobody waits.
  enum class Kind : std::uint8_t { read, write, atomic, prefetch };
  Cycle time = 0;  // when the instruction would have issued on an idle SM; latencies count from it
  LineNumber line = 0;
  std::uint32_t sm = 0;
  std::uint32_t number = 0;  // its place in the SM's own list
  Kind kind = Kind::read;
  SectorMask sectors = 0;
  SectorMask brings = 0;  // of a line of which L2 lacks some, those that it is to have as well
  Outgoing outgoing{};
  bool of_copy = false;  // the copy engine's
  // The memory system's: the half where the line is at home, and the number of its slice in each.
  std::uint16_t home = 0, slice = 0;
  Cycle done = kNever;  // the answer: when who waits for it may issue
  Cycle taken = 0;      // of a store or an atomic: when L2 begins with it
};

class MemorySystem {
 public:
  MemorySystem(const Constants& constants, std::uint64_t l2_bytes, std::uint32_t sms);

  // Whether one made of these would be the same.
  bool is_made_of(const Constants& constants, std::uint64_t l2_bytes, std::uint32_t sms) const;
  // Every request is answered at least this many cycles after its time, whatever happens
  // elsewhere: SMs may run so far without knowing of each other.
  Cycle least_latency() const { return constants_.latency_l2_hit; }
  // Fills in `done`. Requests of one call must be in order of time, and no earlier than `least
  // latency` before those of the call before.
  void serve(std::span<Request*> requests);
  // Before a launch, whose time begins at 0 again. `cold`: nothing is in the caches.
  void start(bool cold);
  Traffic& traffic() { return traffic_; }
  // When the last store or atomic served since `start` is done; 0 if there was none.
  Cycle last_write() const { return last_write_; }

 private:
  // When the sectors of a line are there, for who asks then.
  struct Filling {
    std::array<Cycle, kSectorsPerLine> there{};
    void add(SectorMask sectors, Cycle time) {
      for (unsigned sector = 0; sector < kSectorsPerLine; ++sector)
        if ((sectors >> sector & 1) != 0) there[sector] = time;
    }
    // Cycles from `now` until the last of the sectors is there.
    Cycle wait(SectorMask sectors, Cycle now) const {
      Cycle last = now;
      for (unsigned sector = 0; sector < kSectorsPerLine; ++sector) {
        const Cycle asked = Cycle{0} - (sectors >> sector & 1);  // all bits, or none: no jump
        last = std::max(last, there[sector] & asked);
      }
      return last - now;
    }
  };
  using Tags = SectorCache<Filling>;
  struct Half {
    Tags tags;
    // When the last addition of floats to each sector is done, in hundredths of a cycle: by the
    // place of the line, of lines to which any were added.
    std::unordered_map<std::size_t, std::array<Cycle, kSectorsPerLine>> added{};
  };
  struct Channel {
    Server data;
    std::vector<std::uint64_t> open_rows;
    std::vector<Cycle> opened;
    Cycle refresh = 0;  // how much earlier than others it refreshes a bank
  };

  // What an answer takes beyond that of the nearest slice: on its way, and in queues. Each server's
  // queue is reckoned as if the request came there at once; what it waits for in one it need not
  // wait for in the next, so that the longest counts.
  struct Delay {
    Cycle way = 0, queues = 0;
    void queue(Cycle wait) { queues = std::max(queues, wait); }
    void last(Cycle cycles) { queue(cycles - std::min(cycles, way)); }  // so many at least
    Cycle sum() const { return way + queues; }
  };
  // What an SM shares with others of its GPC: the way to it with all, that from it with some. And
  // the half that is near.
  struct Ways {
    std::uint32_t gpc = 0, cpc = 0, half = 0;
  };
  static std::vector<Ways> ways_of(const Constants& constants, std::uint32_t sms);
  static std::size_t cpcs_of(const std::vector<Ways>& ways);
  // The halves that a request has to do with, and the number of its slice in each.
  struct Place {
    unsigned near = 0, home = 0;
    std::size_t slice = 0;
  };
  // What SMs of a GPC have asked for last.
  struct Asked {
    LineNumber line = ~LineNumber{0};
    SectorMask sectors = 0;
    Cycle time = 0, done = 0;
  };
  static constexpr std::size_t kAsked = 1024;  // of a GPC, by their lines
  std::size_t asked_at(const Request& request) const;
  Cycle serve(Request& request);
  Cycle serve_read(const Place& place, Cycle nearest, Request& request);
  void find_place(Request& request) const;
  void prefetch_extra(const Request& request) const;
  Delay read(Request& request, const Place& place, Cycle now);
  Delay write(Request& request, const Place& place, Cycle now);
  void fetch(const Request& request, const Place& place, Cycle now);
  Cycle change(const Request& request, const Place& place, Tags::Line line, Cycle now);
  Tags::Line look_up(Half& half, const Request& request, Cycle now, SectorMask& had);
  Tags::Line insert(Half& half, LineNumber line, Cycle now);
  Cycle transfer(LineNumber line, SectorMask sectors, Cycle now);  // DRAM; cycles above idle
  Cycle refresh_wait(const Channel& channel, std::size_t bank, Cycle now) const;
  static std::uint64_t piece_of(LineNumber line);
  std::size_t channel_of(LineNumber line) const;
  std::size_t bank_of(LineNumber line) const;
  unsigned home_of(LineNumber line) const;
  std::size_t slice_in_half(LineNumber line) const;
  Server& slice(const Place& place, unsigned half) {
    return slices_[half * slices_of_half_ + place.slice];
  }
  Cycle distance(const Request& request, const Place& place) const;
  SectorMask with_neighbours(SectorMask sectors) const;
  unsigned near_half(std::uint32_t sm) const { return ways_[sm].half; }
  Cycle bring(const Request& request, Cycle now);
  Cycle send(const Request& request, Cycle now);
  Cycle read_slice(const Place& place, unsigned half, Cycle now, SectorMask sectors);
  Cycle cross_to(unsigned half, std::uint64_t flits, Cycle now);

  const Constants constants_;
  const std::uint64_t l2_bytes_;
  // What is divided by for each request, and what would be: ticks, by the number of sectors.
  const std::size_t slices_of_half_;
  const Divisor by_halves_, by_slices_of_half_, by_channels_, by_spread_, by_region_, by_rows_,
      by_banks_;
  const Divisor by_refresh_interval_;
  const Divisor by_sm_write_, by_cpc_whole_, by_cpc_partial_, by_l2_whole_, by_l2_partial_, by_far_;
  using SectorTicks = std::array<std::uint64_t, kSectorsPerLine + 1>;
  const SectorTicks to_sm_ticks_, to_gpc_ticks_, from_l2_ticks_, slice_ticks_, dram_ticks_;
  const std::vector<Cycle> distances_;  // by slice, and in it by GPC
  const std::vector<Ways> ways_;        // by SM
  std::vector<Half> halves_;
  std::vector<Server> to_half_;  // what comes to each from the others
  std::vector<Server> slices_;
  std::vector<Server> to_sm_, from_sm_;    // one for each SM
  Server from_l2_;                         // what all SMs read
  std::vector<Asked> asked_;               // by GPC
  std::vector<Server> to_gpc_, from_cpc_;  // one for each GPC, and for some SMs of it
  std::size_t cpcs_used_ = 0;              // those behind have sent nothing since `start`
  std::vector<Channel> channels_;
  Traffic traffic_;
  Cycle last_write_ = 0;
};

}  // namespace heddle::simulator::timing
