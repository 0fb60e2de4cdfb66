#include "simulator/timing/memory_system.hpp"

#include <algorithm>
#include <bit>

namespace heddle::simulator::timing {
namespace {

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

std::uint64_t bytes_of(SectorMask sectors) {
  return std::uint64_t{kSectorBytes} * static_cast<unsigned>(std::popcount(sectors));
}

}  // namespace

MemorySystem::MemorySystem(const Constants& constants, std::uint64_t l2_bytes, std::uint32_t sms)
    : constants_(constants),
      halves_(constants.l2_halves, Half{Tags(l2_bytes / constants.l2_halves, constants.l2_ways)}),
      slices_(constants.l2_slices),
      to_sm_(sms),
      from_sm_(sms),
      channels_(constants.dram_channels) {
  start(true);
}

void MemorySystem::start(bool cold) {
  if (cold)
    for (Half& half : halves_) half.tags.clear();
  for (auto* servers : {&slices_, &to_sm_, &from_sm_}) std::ranges::fill(*servers, Server());
  outgoing_ = Server();
  for (Channel& channel : channels_) {
    channel.data = Server();
    channel.open_rows.assign(constants_.dram_banks, ~std::uint64_t{0});
    channel.opened.assign(constants_.dram_banks, 0);
  }
  traffic_ = {};
}

void MemorySystem::serve(std::span<Request*> requests) {
  // Whose tags lie far apart in the host's memory.
  constexpr std::size_t kAhead = 8;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (i + kAhead < requests.size()) prefetch(*requests[i + kAhead]);
    requests[i]->done = serve(*requests[i]);
  }
}

void MemorySystem::prefetch(const Request& request) const {
  const unsigned near = near_half(request.sm), home = home_of(request.line);
  halves_[near].tags.prefetch(request.line);
  if (home != near) halves_[home].tags.prefetch(request.line);
}

Cycle MemorySystem::serve(Request& request) {
  const Cycle now = request.time;
  if (request.kind == Request::Kind::read) {
    const Cycle delay = read(request, now);
    const Cycle link = to_sm_[request.sm].wait(
        now, ticks_for(bytes_of(request.sectors), constants_.sm_read_bytes_per_cycle));
    return now + constants_.latency_l2_hit + delay + link;
  }
  const Cycle link = from_sm_[request.sm].wait(
      now, ticks_for(request.outgoing.flits * kSectorBytes, constants_.sm_write_bytes_per_cycle));
  const Cycle extra =
      request.kind == Request::Kind::atomic ? constants_.latency_l2_atomic_extra : 0;
  return now + constants_.latency_l2_hit + extra + link + write(request, now + link);
}

unsigned MemorySystem::home_of(LineNumber line) const {
  // In pieces of 4 KiB.
  return static_cast<unsigned>(mix(line >> 5) % halves_.size());
}

// Two slices share a KiB, by turns of 256 bytes (measured: share and meet of
// gpu/kernels/micro/timing/contention.cu).
Server& MemorySystem::slice(LineNumber line, unsigned half) {
  const std::size_t per_half = std::max<std::size_t>(1, slices_.size() / halves_.size());
  const std::size_t pairs = std::max<std::size_t>(1, per_half / 2);
  return slices_[half * per_half + (mix(line >> 3) % pairs * 2 + (line >> 1 & 1)) % per_half];
}

// A request takes a cycle at least, however few its sectors (scatter.load of the same program).
Cycle MemorySystem::read_slice(LineNumber line, unsigned half, Cycle now, SectorMask sectors) {
  const std::uint64_t ticks = ticks_for(bytes_of(sectors), constants_.l2_slice_bytes_per_cycle);
  return slice(line, half).wait(now, std::max(ticks, Server::kTicks));
}

MemorySystem::Tags::Line& MemorySystem::insert(Half& half, LineNumber line, Cycle now,
                                               Cycle& delay) {
  Tags::Line evicted;
  Tags::Line& inserted = half.tags.insert(line, evicted);
  if (evicted.dirty != 0) {
    traffic_.dram_sectors_written += static_cast<unsigned>(std::popcount(evicted.dirty));
    delay += transfer(evicted.number, evicted.dirty, now);
  }
  return inserted;
}

// Sectors of the request that the half has; the others are put in.
SectorMask MemorySystem::look_up(Half& half, const Request& request, Cycle now, Cycle& delay) {
  Tags::Line* line = half.tags.find(request.line);
  const SectorMask had = line == nullptr ? 0 : line->valid;
  if (line == nullptr) line = &insert(half, request.line, now, delay);
  line->valid |= request.sectors;
  return had & request.sectors;
}

Cycle MemorySystem::read(Request& request, Cycle now) {
  const unsigned near = near_half(request.sm), home = home_of(request.line);
  Cycle delay = read_slice(request.line, near, now, request.sectors);
  Cycle eviction = 0;
  const SectorMask hit_near = look_up(halves_[near], request, now, eviction);
  SectorMask missing = request.sectors & static_cast<SectorMask>(~hit_near);
  traffic_.l2_read.sectors += static_cast<unsigned>(std::popcount(request.sectors));
  if (missing != 0 && home != near) {
    Request rest = request;
    rest.sectors = missing;
    const SectorMask hit_home = look_up(halves_[home], rest, now, eviction);
    delay += constants_.latency_l2_far_extra;
    delay += read_slice(request.line, home, now, missing);
    missing &= static_cast<SectorMask>(~hit_home);
  }
  traffic_.l2_read.hits +=
      static_cast<unsigned>(std::popcount(request.sectors) - std::popcount(missing));
  if (missing == 0) return delay;
  traffic_.dram_sectors_read += static_cast<unsigned>(std::popcount(missing));
  return delay + constants_.latency_dram_extra + transfer(request.line, missing, now);
}

Cycle MemorySystem::write(Request& request, Cycle now) {
  const unsigned near = near_half(request.sm), home = home_of(request.line);
  const bool atomic = request.kind == Request::Kind::atomic;
  constexpr std::uint64_t kKilo = 1000, kPercent = 100;
  const Outgoing& out = request.outgoing;
  // What is whole needs no flit of its own to say so, but takes the way as long.
  const std::uint64_t flits = out.flits + (out.partial ? 0u : 1u);
  Cycle delay = outgoing_.wait(now, flits * kKilo * Server::kTicks /
                                        (out.partial ? constants_.l2_partial_flits_per_kilocycle
                                                     : constants_.l2_whole_flits_per_kilocycle));
  if (atomic)
    delay +=
        slice(request.line, home)
            .wait(now, Server::kTicks *
                           (std::uint64_t{constants_.l2_atomic_interval} * out.whole_passes +
                            std::uint64_t{constants_.l2_atomic_half_interval} * out.half_passes) /
                           kPercent);
  if (home != near) {
    delay += constants_.latency_l2_far_extra;
    halves_[near].tags.remove(request.line);
  }
  Tags::Line* line = halves_[home].tags.find(request.line);
  const SectorMask had = line == nullptr ? 0 : line->valid & request.sectors;
  if (line == nullptr) line = &insert(halves_[home], request.line, now, delay);
  line->valid |= request.sectors;
  line->dirty |= request.sectors;
  Lookups& lookups = atomic ? traffic_.l2_atomic : traffic_.l2_write;
  lookups.sectors += static_cast<unsigned>(std::popcount(request.sectors));
  lookups.hits += static_cast<unsigned>(std::popcount(atomic ? had : request.sectors));
  if (!atomic || had == request.sectors) return delay;
  const auto missing = static_cast<SectorMask>(request.sectors & ~had);
  traffic_.dram_sectors_read += static_cast<unsigned>(std::popcount(missing));
  return delay + constants_.latency_dram_extra + transfer(request.line, missing, now);
}

// Channels refresh one after the other.
Cycle MemorySystem::refresh_wait(std::size_t channel, Cycle now) const {
  const Cycle interval = constants_.dram_refresh_interval;
  const Cycle at = (now + interval * channel / channels_.size()) % interval;
  return at < constants_.dram_refresh_cycles ? constants_.dram_refresh_cycles - at : 0;
}

Cycle MemorySystem::transfer(LineNumber line, SectorMask sectors, Cycle now) {
  // Neighbouring pieces of two lines go to different channels; a row holds as many pieces of the
  // region that all channels' rows make up together.
  const std::uint64_t count = channels_.size();
  Channel& channel = channels_[mix(line >> 1) % count];
  const std::uint64_t row = line * kLineBytes / (std::uint64_t{constants_.dram_row_bytes} * count);
  const std::size_t bank = mix(row) % channel.open_rows.size();
  const std::uint64_t least = constants_.dram_access_bytes;
  const std::uint64_t bytes = (bytes_of(sectors) + least - 1) / least * least;
  Cycle start = now + refresh_wait(static_cast<std::size_t>(&channel - channels_.data()), now);
  if (channel.open_rows[bank] != row) {
    channel.open_rows[bank] = row;
    start = std::max(start, channel.opened[bank]);
    channel.opened[bank] = start + constants_.dram_row_cycles;
  }
  // The rate is the mean; while it does not refresh a channel is faster.
  const std::uint64_t interval = constants_.dram_refresh_interval;
  const std::uint64_t working =
      interval - std::min<std::uint64_t>(interval, constants_.dram_refresh_cycles);
  const std::uint64_t ticks = bytes * 1000 * Server::kTicks * count /
                              constants_.dram_bytes_per_kilocycle * working / interval;
  return start - now + channel.data.wait(start, ticks);
}

}  // namespace heddle::simulator::timing
