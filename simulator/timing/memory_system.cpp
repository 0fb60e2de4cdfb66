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
  for (Channel& channel : channels_) {
    channel.data = Server();
    channel.open_rows.assign(constants_.dram_banks, ~std::uint64_t{0});
    channel.opened.assign(constants_.dram_banks, 0);
  }
  traffic_ = {};
}

void MemorySystem::serve(std::span<Request*> requests) {
  for (Request* request : requests) request->done = serve(*request);
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
      now, ticks_for(bytes_of(request.sectors), constants_.sm_write_bytes_per_cycle));
  const Cycle extra =
      request.kind == Request::Kind::atomic ? constants_.latency_l2_atomic_extra : 0;
  return now + constants_.latency_l2_hit + extra + link + write(request, now + link);
}

unsigned MemorySystem::home_of(LineNumber line) const {
  // In pieces of 4 KiB.
  return static_cast<unsigned>(mix(line >> 5) % halves_.size());
}

Cycle MemorySystem::slice_wait(LineNumber line, unsigned half, Cycle now, std::uint64_t ticks) {
  const std::size_t per_half = std::max<std::size_t>(1, slices_.size() / halves_.size());
  return slices_[half * per_half + mix(line) % per_half].wait(now, ticks);
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
  Cycle delay =
      slice_wait(request.line, near, now,
                 ticks_for(bytes_of(request.sectors), constants_.l2_slice_bytes_per_cycle));
  Cycle eviction = 0;
  const SectorMask hit_near = look_up(halves_[near], request, now, eviction);
  SectorMask missing = request.sectors & static_cast<SectorMask>(~hit_near);
  traffic_.l2_read.sectors += static_cast<unsigned>(std::popcount(request.sectors));
  if (missing != 0 && home != near) {
    Request rest = request;
    rest.sectors = missing;
    const SectorMask hit_home = look_up(halves_[home], rest, now, eviction);
    delay += constants_.latency_l2_far_extra;
    delay += slice_wait(request.line, home, now,
                        ticks_for(bytes_of(missing), constants_.l2_slice_bytes_per_cycle));
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
  std::uint64_t ticks =
      ticks_for(bytes_of(request.sectors), constants_.l2_slice_write_bytes_per_cycle);
  if (atomic) {
    const auto sectors = static_cast<unsigned>(std::popcount(request.sectors));
    constexpr std::uint64_t kPercent = 100;
    ticks = Server::kTicks *
            (std::uint64_t{constants_.l2_atomic_interval} * sectors +
             std::uint64_t{constants_.l2_atomic_lane_interval} *
                 (std::max<unsigned>(request.passes, sectors) - sectors)) /
            kPercent;
  }
  Cycle delay = slice_wait(request.line, home, now, ticks);
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

Cycle MemorySystem::transfer(LineNumber line, SectorMask sectors, Cycle now) {
  // Neighbouring pieces of two lines go to different channels; a row holds as many pieces of the
  // region that all channels' rows make up together.
  const std::uint64_t count = channels_.size();
  Channel& channel = channels_[mix(line >> 1) % count];
  const std::uint64_t row = line * kLineBytes / (std::uint64_t{constants_.dram_row_bytes} * count);
  const std::size_t bank = mix(row) % channel.open_rows.size();
  const std::uint64_t least = constants_.dram_access_bytes;
  const std::uint64_t bytes = (bytes_of(sectors) + least - 1) / least * least;
  Cycle start = now;
  if (channel.open_rows[bank] != row) {
    channel.open_rows[bank] = row;
    start = std::max(now, channel.opened[bank]);
    channel.opened[bank] = start + constants_.dram_row_cycles;
  }
  const std::uint64_t ticks =
      bytes * 1000 * Server::kTicks * count / constants_.dram_bytes_per_kilocycle;
  return start - now + channel.data.wait(start, ticks);
}

}  // namespace heddle::simulator::timing
