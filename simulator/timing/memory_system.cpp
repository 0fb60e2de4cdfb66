#include "simulator/timing/memory_system.hpp"

#include <algorithm>
#include <bit>

namespace heddle::simulator::timing {
namespace {

constexpr std::uint64_t kPieceBytes = 256;  // of neighbouring memory in a channel

// Spreads lines over slices, halves and channels; any good mixer serves, as NVIDIA's is unknown.
std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x7fb5'd329'728e'a185u;
  x ^= x >> 27;
  x *= 0x81da'def4'bc2d'd44du;
  return x ^ x >> 33;
}

std::uint64_t ticks_for(std::uint64_t bytes, std::uint64_t bytes_per_cycle) {
  return bytes * Server::kTicks / bytes_per_cycle;
}

// What a function of bytes is for each number of sectors.
template <typename Ticks>
auto by_sectors(Ticks&& ticks) {
  std::array<std::uint64_t, kSectorsPerLine + 1> all{};
  for (std::size_t sectors = 0; sectors < all.size(); ++sectors)
    all[sectors] = ticks(sectors * kSectorBytes);
  return all;
}

std::uint64_t dram_ticks(const Constants& constants, std::uint64_t wanted) {
  const std::uint64_t least = constants.dram_access_bytes;
  const std::uint64_t bytes = (wanted + least - 1) / least * least;
  return bytes * 1000 * Server::kTicks * constants.dram_channels /
         constants.dram_bytes_per_kilocycle;
}

// How much farther a slice is than the nearest: slices lie here and there, as seen from a GPC
// (l2_line of gpu/kernels/micro/timing/memory.cu).
std::vector<Cycle> slice_distances(const Constants& constants, std::size_t slices) {
  constexpr std::uint64_t kSteps = 64;
  std::vector<Cycle> distances;
  for (std::uint64_t place = 0; place < slices * constants.gpcs; ++place)
    distances.push_back(mix(place) % kSteps * constants.l2_distance / (kSteps - 1));
  return distances;
}

}  // namespace

MemorySystem::MemorySystem(const Constants& constants, std::uint64_t l2_bytes, std::uint32_t sms)
    : constants_(constants),
      l2_bytes_(l2_bytes),
      slices_of_half_(std::max(1u, constants.l2_slices / constants.l2_halves)),
      by_halves_(constants.l2_halves),
      by_slices_of_half_(slices_of_half_),
      by_channels_(constants.dram_channels),
      by_spread_(std::max<std::uint64_t>(1, constants.dram_spread_bytes / kPieceBytes)),
      by_region_(std::max<std::uint64_t>(1, constants.dram_region_bytes / kLineBytes)),
      by_rows_(std::uint64_t{constants.dram_row_bytes} * constants.dram_channels),
      by_banks_(constants.dram_banks),
      by_refresh_interval_(constants.dram_refresh_interval),
      by_sm_write_(constants.sm_write_bytes_per_cycle),
      by_cpc_whole_(constants.cpc_whole_flits_per_kilocycle),
      by_cpc_partial_(constants.cpc_partial_flits_per_kilocycle),
      by_l2_whole_(constants.l2_whole_flits_per_kilocycle),
      by_l2_partial_(constants.l2_partial_flits_per_kilocycle),
      by_far_(constants.l2_far_flits_per_kilocycle),
      to_sm_ticks_(by_sectors([&](std::uint64_t bytes) {
        return ticks_for(bytes, constants.sm_read_bytes_per_cycle);
      })),
      to_gpc_ticks_(by_sectors([&](std::uint64_t bytes) {
        return ticks_for(bytes, constants.gpc_read_bytes_per_cycle);
      })),
      // Few sectors of many lines take L2 as long as half of each (scatter.load of
      // gpu/kernels/micro/timing/contention.cu).
      from_l2_ticks_(by_sectors([&](std::uint64_t bytes) {
        return std::max(ticks_for(bytes, constants.l2_read_bytes_per_cycle),
                        1000 * Server::kTicks / constants.l2_read_lines_per_kilocycle);
      })),
      // A request takes a slice a cycle at least, however few its sectors.
      slice_ticks_(by_sectors([&](std::uint64_t bytes) {
        return std::max(ticks_for(bytes, constants.l2_slice_bytes_per_cycle), Server::kTicks);
      })),
      dram_ticks_(by_sectors([&](std::uint64_t bytes) { return dram_ticks(constants, bytes); })),
      distances_(slice_distances(constants, slices_of_half_ * constants.l2_halves)),
      ways_(ways_of(constants, sms)),
      to_half_(constants.l2_halves),
      slices_(slices_of_half_ * constants.l2_halves),
      to_sm_(sms),
      from_sm_(sms),
      asked_(constants.gpcs * kAsked),
      to_gpc_(constants.gpcs),
      from_cpc_(cpcs_of(ways_)),
      channels_(constants.dram_channels) {
  for (unsigned half = 0; half < constants.l2_halves; ++half)
    halves_.push_back({.tags = Tags(l2_bytes / constants.l2_halves, constants.l2_ways)});
  for (std::size_t number = 0; number < channels_.size(); ++number)
    channels_[number].refresh = mix(number) % (std::uint64_t{constants.dram_refresh_spread} + 1);
  start(true);
}

bool MemorySystem::is_made_of(const Constants& constants, std::uint64_t l2_bytes,
                              std::uint32_t sms) const {
  return l2_bytes == l2_bytes_ && sms == ways_.size() &&
         std::ranges::all_of(kConstants, [&](const ConstantInfo& each) {
           return constants.*each.member == constants_.*each.member;
         });
}

std::size_t MemorySystem::cpcs_of(const std::vector<Ways>& ways) {
  std::size_t count = 0;
  for (const Ways& each : ways) count = std::max<std::size_t>(count, each.cpc + 1);
  return count;
}

void MemorySystem::start(bool cold) {
  for (Half& half : halves_) {
    half.added.clear();
    if (cold)
      half.tags.clear();
    else
      half.tags.for_each_extra([](Filling& filling) { filling = {}; });
  }
  for (auto* servers : {&slices_, &to_half_, &to_sm_, &from_sm_, &to_gpc_, &from_cpc_})
    std::ranges::fill(*servers, Server());
  from_l2_ = Server();
  cpcs_used_ = 0;
  std::ranges::fill(asked_, Asked());
  for (Channel& channel : channels_) {
    channel.data = Server();
    channel.open_rows.assign(constants_.dram_banks, ~std::uint64_t{0});
    channel.opened.assign(constants_.dram_banks, 0);
  }
  traffic_ = {};
  last_write_ = 0;
}

std::vector<MemorySystem::Ways> MemorySystem::ways_of(const Constants& constants,
                                                      std::uint32_t sms) {
  std::vector<Ways> ways;
  for (const SmPlace& sm : sm_places(constants, sms))
    ways.push_back({sm.gpc, sm.cpc * constants.gpcs + sm.gpc, near_half_of(constants, sm.gpc)});
  return ways;
}

void MemorySystem::serve(std::span<Request*> requests) {
  // They and their tags lie far apart in the host's memory.
  constexpr std::size_t kAhead = 16, kFarAhead = 32, kFarthest = 48;
  for (Request* const first : requests.first(std::min(kFarAhead, requests.size())))
    find_place(*first);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (i + kFarthest < requests.size()) __builtin_prefetch(requests[i + kFarthest], 1);
    if (i + kFarAhead < requests.size()) find_place(*requests[i + kFarAhead]);
    if (i + kAhead < requests.size()) prefetch_extra(*requests[i + kAhead]);
    requests[i]->done = serve(*requests[i]);
  }
}

// And brings near what will be looked up there.
void MemorySystem::find_place(Request& request) const {
  request.home = static_cast<std::uint16_t>(home_of(request.line));
  request.slice = static_cast<std::uint16_t>(slice_in_half(request.line));
  if (request.kind == Request::Kind::write || request.kind == Request::Kind::atomic) {
    for (const Half& half : halves_) half.tags.prefetch(request.line);  // all but one forget it
    return;
  }
  __builtin_prefetch(&asked_[asked_at(request)], 1);
  const unsigned near = near_half(request.sm);
  halves_[near].tags.prefetch(request.line);
  if (request.home != near) halves_[request.home].tags.prefetch(request.line);
}

void MemorySystem::prefetch_extra(const Request& request) const {
  const unsigned near = near_half(request.sm);
  const bool reads = request.kind == Request::Kind::read;
  if (reads || request.home == near) halves_[near].tags.prefetch_extra(request.line);
  if (request.home != near) halves_[request.home].tags.prefetch_extra(request.line);
}

Cycle MemorySystem::serve(Request& request) {
  const Place place{near_half(request.sm), request.home, request.slice};
  const Cycle now = request.time;
  const Cycle nearest = now + constants_.latency_l2_hit + distance(request, place);
  if (request.kind == Request::Kind::read) return serve_read(place, nearest, request);
  if (request.kind == Request::Kind::prefetch) {
    fetch(request, place, now);
    return nearest;
  }
  const Cycle link = from_sm_[request.sm].wait(
      now, by_sm_write_.quotient(request.outgoing.flits * kSectorBytes * Server::kTicks));
  const Cycle extra =
      request.kind == Request::Kind::atomic ? constants_.latency_l2_atomic_extra : 0;
  const Cycle done = nearest + extra + link + write(request, place, now + link).sum();
  last_write_ = std::max(last_write_, done);
  return done;
}

std::size_t MemorySystem::asked_at(const Request& request) const {
  return ways_[request.sm].gpc * kAsked + request.line % kAsked;
}

// Those who ask for a whole line soon after another SM of their GPC are answered with it
// (shared.load4 and shared.load16 of gpu/kernels/micro/timing/ways.cu). Sectors of many lines gain
// little there (shared.load_apart.gpc).
Cycle MemorySystem::serve_read(const Place& place, Cycle nearest, Request& request) {
  constexpr SectorMask kWholeLine = (1u << kSectorsPerLine) - 1;
  const Cycle now = request.time;
  Asked& before = asked_[asked_at(request)];
  if (before.line == request.line && request.sectors == kWholeLine &&
      before.sectors == kWholeLine && now <= before.time + constants_.gpc_join_cycles)
    return std::max(before.done, nearest + to_sm_[request.sm].wait(
                                               now, to_sm_ticks_[count_sectors(request.sectors)]));
  Delay delay = read(request, place, now);
  delay.queue(bring(request, now));
  const Cycle done = nearest + delay.sum();
  before = {request.line, request.sectors, now, done};
  return done;
}

unsigned MemorySystem::home_of(LineNumber line) const {
  // In pieces of 4 KiB.
  return static_cast<unsigned>(by_halves_.rest(mix(line >> 5)));
}

// Two slices share a KiB, by turns of 256 bytes (measured: share and meet of
// gpu/kernels/micro/timing/contention.cu).
std::size_t MemorySystem::slice_in_half(LineNumber line) const {
  return by_slices_of_half_.rest(by_slices_of_half_.rest(mix(line >> 3)) + (line >> 1 & 1));
}

// From the half that is near.
Cycle MemorySystem::distance(const Request& request, const Place& place) const {
  const std::size_t slice = place.near * slices_of_half_ + place.slice;
  return distances_[slice * constants_.gpcs + ways_[request.sm].gpc];
}

// DRAM brings the whole of what it transfers at the least (dram.sectors of
// gpu/kernels/micro/timing/far_memory.cu).
SectorMask MemorySystem::with_neighbours(SectorMask sectors) const {
  const unsigned together =
      std::clamp(constants_.dram_access_bytes / kSectorBytes, 1u, kSectorsPerLine);
  SectorMask all = 0;
  for (unsigned sector = 0; sector < kSectorsPerLine; ++sector)
    if ((sectors >> (sector / together * together) & ((1u << together) - 1)) != 0)
      all |= static_cast<SectorMask>(1u << sector);
  return all;
}

// Cycles that sectors wait on the way to their SM, for its own and for those of others of its GPC
// (ways.load* of gpu/kernels/micro/timing/ways.cu).
Cycle MemorySystem::bring(const Request& request, Cycle now) {
  const unsigned sectors = count_sectors(request.sectors);
  return std::max(to_gpc_[ways_[request.sm].gpc].wait(now, to_gpc_ticks_[sectors]),
                  to_sm_[request.sm].wait(now, to_sm_ticks_[sectors]));
}

// Cycles that a store or an atomic waits on its way. Some SMs of a GPC share one; and of what L2
// takes from all, each such way that is in use gets as much (ways.store* and ways.add* of
// gpu/kernels/micro/timing/ways.cu).
Cycle MemorySystem::send(const Request& request, Cycle now) {
  constexpr std::uint64_t kKilo = 1000;
  const Outgoing& out = request.outgoing;
  // What is whole needs no flit of its own to say so, but takes the way as long.
  const std::uint64_t flits = out.flits + (out.partial ? 0u : 1u);
  const std::uint64_t ticks = flits * kKilo * Server::kTicks;
  const std::size_t cpc = ways_[request.sm].cpc;
  cpcs_used_ = std::max(cpcs_used_, cpc + 1);
  std::uint64_t in_use = 1;  // others, and this one
  for (const Server& way : std::span(from_cpc_).first(cpcs_used_))
    in_use += way.has_backlog(now) ? 1u : 0u;
  Server& way = from_cpc_[cpc];
  in_use -= way.has_backlog(now) ? 1u : 0u;
  const Divisor& of_way = out.partial ? by_cpc_partial_ : by_cpc_whole_;
  const Divisor& of_all = out.partial ? by_l2_partial_ : by_l2_whole_;
  return way.wait(now, std::max(of_way.quotient(ticks), of_all.quotient(ticks * in_use)));
}

// Of a slice, and of all slices together, which take what comes to them more evenly than the places
// of lines would have it.
Cycle MemorySystem::read_slice(const Place& place, unsigned half, Cycle now, SectorMask sectors) {
  const unsigned count = count_sectors(sectors);
  return std::max(from_l2_.wait(now, from_l2_ticks_[count]),
                  slice(place, half).wait(now, slice_ticks_[count]));
}

// Cycles that sectors which a half brings from another for its SMs, or stores and atomics of the
// other's SMs, wait for the way between them; each direction is by itself (work.*.far and sides.*
// of gpu/kernels/micro/timing/halves.cu).
Cycle MemorySystem::cross_to(unsigned half, std::uint64_t flits, Cycle now) {
  constexpr std::uint64_t kKilo = 1000;
  return to_half_[half].wait(now, by_far_.quotient(flits * kKilo * Server::kTicks));
}

// Nobody waits for what makes room.
MemorySystem::Tags::Line MemorySystem::insert(Half& half, LineNumber line, Cycle now) {
  Tags::Evicted evicted;
  Tags::Line inserted = half.tags.insert(line, evicted);
  if (!half.added.empty()) half.added.erase(half.tags.place_of(inserted));
  if (evicted.dirty != 0) {
    traffic_.dram_sectors_written += count_sectors(evicted.dirty);
    transfer(evicted.number, evicted.dirty, now);
  }
  return inserted;
}

// The request's line, and which of its sectors the half has or is to have; the others are put in.
MemorySystem::Tags::Line MemorySystem::look_up(Half& half, const Request& request, Cycle now,
                                               SectorMask& had) {
  Tags::Line line = half.tags.find(request.line);
  if (!line) line = insert(half, request.line, now);
  had = line.valid() & request.sectors;
  line.valid() |= request.sectors;
  return line;
}

MemorySystem::Delay MemorySystem::read(Request& request, const Place& place, Cycle now) {
  const unsigned near = place.near, home = place.home;
  const Cycle there_and_back = home == near ? 0 : constants_.latency_l2_far_extra;
  Delay delay;
  delay.queue(read_slice(place, near, now, request.sectors));
  SectorMask hit_near = 0, hit_home = 0;
  Tags::Line near_line = look_up(halves_[near], request, now, hit_near);
  auto missing = static_cast<SectorMask>(request.sectors & ~hit_near);
  const Cycle awaited = near_line.extra().wait(hit_near, now);
  traffic_.l2_read.sectors += count_sectors(request.sectors);
  if (missing == 0) {
    traffic_.l2_read.hits += count_sectors(request.sectors);
    delay.last(awaited);
    return delay;
  }
  SectorMask filled = missing;
  Tags::Line home_line;
  if (home != near) {
    Request rest = request;
    rest.sectors = missing;
    home_line = look_up(halves_[home], rest, now, hit_home);
    delay.way += there_and_back;
    delay.queue(read_slice(place, home, now, missing));
    missing &= static_cast<SectorMask>(~hit_home);
    delay.last(home_line.extra().wait(hit_home, now) + there_and_back / 2);
  }
  traffic_.l2_read.hits += count_sectors(request.sectors) - count_sectors(missing);
  if (missing != 0) {
    missing = with_neighbours(missing | request.brings) &
              static_cast<SectorMask>(~near_line.valid() | missing);
    filled |= missing;
    near_line.valid() |= missing;
    traffic_.dram_sectors_read += count_sectors(missing);
    delay.way += constants_.latency_dram_extra;
    delay.queue(transfer(request.line, missing, now));
    if (home_line) {
      home_line.valid() |= missing;
      home_line.extra().add(missing, now + delay.sum() - there_and_back / 2);
    }
  }
  if (home != near) delay.queue(cross_to(near, count_sectors(filled), now));
  near_line.extra().add(filled, now + delay.sum());
  delay.last(awaited);
  return delay;
}

// Into the half where the line is at home (prefetched.* of
// gpu/kernels/micro/timing/async_units.cu, promoted.256.* of far_boxes.cu).
void MemorySystem::fetch(const Request& request, const Place& place, Cycle now) {
  SectorMask had = 0;
  Tags::Line line = look_up(halves_[place.home], request, now, had);
  traffic_.l2_read.sectors += count_sectors(request.sectors);
  traffic_.l2_read.hits += count_sectors(had);
  const auto missing = static_cast<SectorMask>(with_neighbours(request.sectors & ~had) & ~had);
  if (missing == 0) return;
  line.valid() |= missing;
  traffic_.dram_sectors_read += count_sectors(missing);
  line.extra().add(missing,
                   now + constants_.latency_dram_extra + transfer(request.line, missing, now));
}

// Cycles until the slice has changed the sectors. Additions of floats to one sector follow one
// another more slowly than passes over different ones (words.red.* of
// gpu/kernels/micro/timing/one_address.cu).
Cycle MemorySystem::change(const Request& request, const Place& place, Tags::Line line, Cycle now) {
  constexpr std::uint64_t kPercent = 100;
  const Outgoing& out = request.outgoing;
  const Cycle wait =
      slice(place, place.home)
          .wait(now, Server::kTicks *
                         (std::uint64_t{constants_.l2_atomic_interval} * out.whole_passes +
                          std::uint64_t{constants_.l2_atomic_wide_interval} * out.wide_passes +
                          std::uint64_t{constants_.l2_atomic_half_interval} * out.half_passes) /
                         kPercent);
  if (!out.adds_floats) return wait;
  // In hundredths of a cycle: half a cycle counts when there are many.
  const std::uint64_t passes = out.passes();
  const std::uint64_t of_each = passes / std::max(1u, count_sectors(request.sectors));
  Cycle last = now + wait;
  Half& home = halves_[place.home];
  auto& added_to = home.added[home.tags.place_of(line)];
  for (unsigned sector = 0; sector < kSectorsPerLine; ++sector) {
    if ((request.sectors >> sector & 1) == 0) continue;
    Cycle& added = added_to[sector];
    last = std::max(last, added / kPercent);
    added = std::max(added, (now + wait) * kPercent) +
            std::max<std::uint64_t>(1, of_each) * constants_.l2_atomic_float_interval;
  }
  return last - now;
}

MemorySystem::Delay MemorySystem::write(Request& request, const Place& place, Cycle now) {
  const unsigned near = place.near, home = place.home;
  const bool atomic = request.kind == Request::Kind::atomic;
  Delay delay;
  delay.queue(send(request, now));
  if (home != near) {
    delay.way += constants_.latency_l2_far_extra;
    delay.queue(cross_to(home, request.outgoing.flits, now));
  }
  // A store passes by the near half's copy; all others are out of date.
  for (unsigned half = 0; half < halves_.size(); ++half)
    if (half != home && (half != near || atomic)) halves_[half].tags.remove(request.line);
  SectorMask had = 0;
  Tags::Line line = look_up(halves_[home], request, now, had);
  line.dirty() |= request.sectors;
  Lookups& lookups = atomic ? traffic_.l2_atomic : traffic_.l2_write;
  lookups.sectors += count_sectors(request.sectors);
  lookups.hits += count_sectors(atomic ? had : request.sectors);
  // A store passes over its sectors as an atomic does, once each (scatter.* of
  // gpu/kernels/micro/timing/l2_crowds.cu).
  delay.queue(change(request, place, line, now));
  request.taken = now + constants_.latency_l2_hit / 2 + delay.queues;
  if (!atomic) return delay;
  delay.last(line.extra().wait(had, now));
  const auto missing = static_cast<SectorMask>(with_neighbours(request.sectors & ~had) & ~had);
  if (missing == 0) return delay;
  line.valid() |= missing;
  traffic_.dram_sectors_read += count_sectors(missing);
  delay.way += constants_.latency_dram_extra;
  delay.queue(transfer(request.line, missing, now));
  line.extra().add(missing, now + delay.sum());
  return delay;
}

// Banks refresh one after the other, each in all channels at nearly the same time; meanwhile the
// channel serves its others (refresh.*, between.* and together.* of
// gpu/kernels/micro/timing/refreshes.cu).
Cycle MemorySystem::refresh_wait(const Channel& channel, std::size_t bank, Cycle now) const {
  const Cycle before = bank * constants_.dram_refresh_interval / constants_.dram_banks;
  const Cycle at = by_refresh_interval_.rest(now + before + channel.refresh);
  return at < constants_.dram_refresh_cycles ? constants_.dram_refresh_cycles - at : 0;
}

// A channel has 256 bytes of a KiB and those 512 bytes behind: its piece.
std::uint64_t MemorySystem::piece_of(LineNumber line) { return (line >> 3) * 2 + (line >> 1 & 1); }

// By chance, within some memory: channels are loaded unevenly, and a region lies in most of them
// (spread.* of gpu/kernels/micro/timing/refreshes.cu, burst.memory.* of ways.cu; the order is not
// known). Else neighbouring pieces are in other channels until all have had their turn, which
// begins elsewhere each time.
std::size_t MemorySystem::channel_of(LineNumber line) const {
  std::uint64_t piece = piece_of(line);
  if (constants_.dram_spread_bytes > kPieceBytes) {
    const std::uint64_t first = piece - by_spread_.rest(piece);
    piece = first + by_spread_.rest(mix(piece));
  }
  return by_channels_.rest(piece + mix(by_channels_.quotient(piece)));
}

// A region has two of three pieces in one bank, the others in a second; other regions have these by
// chance (banks.* and apart.* of gpu/kernels/micro/timing/refreshes.cu).
std::size_t MemorySystem::bank_of(LineNumber line) const {
  const bool second = mix(piece_of(line)) % 3 == 0;
  return by_banks_.rest(mix(by_region_.quotient(line) * 2 + (second ? 1 : 0)));
}

Cycle MemorySystem::transfer(LineNumber line, SectorMask sectors, Cycle now) {
  Channel& channel = channels_[channel_of(line)];
  // A row holds a part of what all channels' rows make up together.
  const std::uint64_t row = by_rows_.quotient(line * kLineBytes);
  const std::size_t bank = bank_of(line);
  Cycle start = now + channel.data.backlog(now);
  if (channel.open_rows[bank] != row) {
    channel.open_rows[bank] = row;
    start = std::max(start, channel.opened[bank]);
    channel.opened[bank] = start + constants_.dram_row_cycles;
  }
  start += channel.data.wait(start, dram_ticks_[count_sectors(sectors)]);
  return start + refresh_wait(channel, bank, start) - now;
}

}  // namespace heddle::simulator::timing
