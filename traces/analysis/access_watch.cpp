#include "traces/analysis/access_watch.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>

namespace heddle::traces {
namespace {

using simulator::Access;
using simulator::AccessKind;
using simulator::kWarpSize;
using simulator::Window;

constexpr std::size_t kMostStrides = 64, kMostAddresses = 4096;
constexpr std::size_t kMostSectors = 1 << 16;  // of a block
constexpr std::uint64_t kWordBytes = 4;

bool is_atomic(AccessKind kind) { return kind != AccessKind::load && kind != AccessKind::store; }

// Between neighbouring lanes, where it is the same between all; nothing for one lane.
std::optional<std::int64_t> stride_of(const Access& access) {
  std::optional<unsigned> last;
  std::optional<std::int64_t> stride;
  bool even = true;
  for (const unsigned lane : access.lanes) {
    if (last) {
      const auto bytes = static_cast<std::int64_t>(access.address[lane] - access.address[*last]);
      const auto lanes = static_cast<std::int64_t>(lane - *last);
      even = even && bytes % lanes == 0 && (!stride || *stride == bytes / lanes);
      stride = bytes / lanes;
    }
    last = lane;
  }
  return even ? stride : std::nullopt;
}

// FNV-1a over what the lanes ask for.
std::uint64_t digest(const Access& access) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3; };
  add(access.lanes.bits());
  add(access.width);
  for (const unsigned lane : access.lanes) add(access.address[lane]);
  return hash | 1;
}

// Each once.
std::vector<std::uint64_t> sectors_of(const Access& access) {
  std::vector<std::uint64_t> sectors;
  for (const unsigned lane : access.lanes)
    sectors.push_back(access.address[lane] >> simulator::kSectorShift);
  std::ranges::sort(sectors);
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
  return sectors;
}

}  // namespace

std::int64_t AccessSite::stride() const {
  const auto most =
      std::ranges::max_element(strides, {}, [](const auto& each) { return each.second; });
  return most == strides.end() || 2 * most->second < executions - std::min(executions, uneven)
             ? 0
             : most->first;
}

void AccessWatch::issued(const simulator::WarpView& warp, const simulator::Issue& issue) {
  if (last_steps_ == nullptr || last_block_ != warp.block().linear()) {
    last_block_ = warp.block().linear();
    last_steps_ = &block_steps_[last_block_];
  }
  ++*last_steps_;
  for (const Access& access : issue.accesses) {
    if (access.lanes.empty()) continue;
    AccessSite& site = sites_[{issue.pc, access.space}];
    note(site, access);
    if (access.space == Window::global) note_loads(site, warp, access);
    if (access.space == Window::shared) note_padding(access);
  }
}

void AccessWatch::note(AccessSite& site, const Access& access) {
  const bool shared = access.space == Window::shared;
  if (site.executions++ == 0) site.first = access.address[access.lanes.first()];
  site.kind = access.kind;
  site.width = access.width;
  site.lanes += access.lanes.count();
  const auto& counts = access.counts;
  const std::uint64_t moved = shared ? counts.wavefronts : counts.sectors,
                      ideal = shared ? counts.wavefronts_ideal : counts.sectors_ideal;
  site.moved += moved;
  site.ideal += std::min(ideal, moved);
  (shared ? passes_ : sectors_) += moved;
  if (const auto stride = stride_of(access)) {
    if (site.strides.size() < kMostStrides || site.strides.contains(*stride))
      ++site.strides[*stride];
    const std::uint64_t first = access.address[access.lanes.first()];
    if (*stride == static_cast<std::int64_t>(access.width) &&
        first % (std::uint64_t{1} << simulator::kSectorShift) != 0)
      ++site.off_sector;
  } else if (access.lanes.count() > 1) {
    ++site.uneven;
  }
  if (!is_atomic(access.kind)) return;
  std::vector<std::uint64_t> addresses;
  for (const unsigned lane : access.lanes) addresses.push_back(access.address[lane]);
  for (const std::uint64_t each : addresses)
    if (site.addresses.size() < kMostAddresses || site.addresses.contains(each))
      ++site.addresses[each];
  std::ranges::sort(addresses);
  const auto colliding =
      static_cast<std::uint64_t>(addresses.end() - std::unique(addresses.begin(), addresses.end()));
  site.colliding += colliding;
  if (!shared) collisions_ += colliding;
}

void AccessWatch::note_loads(AccessSite& site, const simulator::WarpView& warp,
                             const Access& access) {
  BlockState& block = running_[warp.block().linear()];
  Recent& recent = block.warps[warp.index()];
  if (recent.barriers != warp.block().barriers_completed())  // others may have stored there since
    recent = {.barriers = warp.block().barriers_completed(), .loads = {}, .next = 0};
  const std::uint64_t hash = digest(access);
  const auto found = std::ranges::find(recent.loads, hash);
  if (access.kind != AccessKind::load) {
    if (found != recent.loads.end()) *found = 0;
    return;
  }
  if (found != recent.loads.end()) {
    site.again_by_warp += access.counts.sectors;
    return;
  }
  recent.loads[recent.next++ % recent.loads.size()] = hash;
  for (const std::uint64_t sector : sectors_of(access)) {
    if (block.sectors.contains(sector))
      ++site.again_by_block;
    else if (block.sectors.size() < kMostSectors)
      block.sectors.insert(sector);
  }
}

void AccessWatch::note_padding(const Access& access) {
  const std::uint64_t pad = std::max<std::uint64_t>(kWordBytes, access.width);
  const bool by_lanes = std::has_single_bit(access.width) && access.width <= 16;
  for (std::size_t i = 0; i < kPaddedRows.size(); ++i) {
    if (!by_lanes) {  // a bulk copy, whose rows would be padded too
      padded_[i] += access.counts.wavefronts;
      continue;
    }
    simulator::Addresses moved = access.address;
    for (const unsigned lane : access.lanes) {
      moved[lane] += pad * (access.address[lane] / (kPaddedRows[i] * kWordBytes));
    }
    padded_[i] +=
        simulator::count_shared(access.kind, access.width, moved, access.lanes).wavefronts;
  }
}

void AccessWatch::block_ended(const simulator::BlockView& block) { running_.erase(block.linear()); }

}  // namespace heddle::traces
