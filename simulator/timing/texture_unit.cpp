#include "simulator/timing/texture_unit.hpp"

#include <algorithm>
#include <array>

#include "simulator/timing/sector_cache.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr std::uint64_t kPercent = 100;
constexpr unsigned kQuadLanes = 4, kQuads = kWarpSize / kQuadLanes;

bool is_linear(const TextureHeader& header) {
  return header.shape == TextureHeader::Shape::buffer || header.row_bytes == 0;
}

// Different places, and how many of them share a bank.
class Places {
 public:
  explicit Places(std::uint64_t banks) : banks_(std::min<std::uint64_t>(banks, kMostBanks)) {}
  void add(std::uint64_t place) {
    const auto end = known_.begin() + static_cast<std::ptrdiff_t>(count_);
    if (count_ == known_.size() || std::find(known_.begin(), end, place) != end) return;
    known_[count_++] = place;
    most_ = std::max<std::uint64_t>(most_, ++in_bank_[place % banks_]);
  }
  std::uint64_t most() const { return most_; }

 private:
  static constexpr std::size_t kMostPlaces = 64, kMostBanks = 32;
  std::array<std::uint64_t, kMostPlaces> known_;
  std::array<std::uint8_t, kMostBanks> in_bank_{};
  std::size_t count_ = 0;
  std::uint64_t most_ = 0, banks_;
};

}  // namespace

bool is_straight(const TextureHeader& header) { return is_linear(header) || header.surface; }

std::uint64_t blocked_address(const TextureHeader& header, std::uint64_t address) {
  if (is_linear(header) || address < header.address) return address;
  constexpr std::uint64_t kBlockBytes = 64, kBlockRows = 8, kBlock = kBlockBytes * kBlockRows;
  const std::uint64_t offset = address - header.address;
  const std::uint64_t layer = header.layer_bytes == 0 ? 0 : offset / header.layer_bytes;
  const std::uint64_t in_layer = offset - layer * header.layer_bytes;
  const std::uint64_t row = in_layer / header.row_bytes, x = in_layer % header.row_bytes;
  const std::uint64_t block =
      row / kBlockRows * ((header.row_bytes + kBlockBytes - 1) / kBlockBytes) + x / kBlockBytes;
  // Of the byte in its block, from above: x5, y2, y1, x4, y0, x3 to x0.
  const std::uint64_t inside = (x >> 5 & 1) << 8 | (row >> 2 & 1) << 7 | (row >> 1 & 1) << 6 |
                               (x >> 4 & 1) << 5 | (row & 1) << 4 | (x & 0xf);
  return header.address + layer * header.layer_bytes + block * kBlock + inside;
}

TextureUnit::TextureUnit(const Constants& constants)
    : constants_(constants), queues_(constants.sub_cores) {
  for (Queue& queue : queues_)
    queue.leaves.assign(std::max(1u, constants.texture_queue_entries), 0);
}

// What the results of a quad take: their bytes, or where several texels go into one the filter.
std::uint64_t TextureUnit::of_results(const TextureHeader& header, bool gathers,
                                      std::size_t texels) const {
  const std::uint64_t bytes = header.texel_bytes();
  const std::uint64_t least = is_straight(header) ? constants_.interval_texture_buffer_quad
                                                  : constants_.interval_texture_quad;
  if (texels > 1 && !gathers) {
    constexpr unsigned kFiltered = 4, kByteBits = 8;
    const std::uint64_t wide =
        header.channel_bits == kByteBits
            ? kPercent
            : kPercent * bytes * kFiltered / constants_.texture_filter_bytes_per_cycle;
    return std::max<std::uint64_t>(1, texels / kFiltered) * std::max(least, wide);
  }
  const std::uint64_t each = gathers ? header.channel_bits / 8u * kQuadLanes : bytes;
  const std::uint64_t rate = constants_.texture_bytes_per_cycle * (is_linear(header) ? 2u : 1u);
  return std::max(least, kPercent * each * kQuadLanes / rate);
}

// What bringing the texels of a quad takes: cache lines in the same bank of tags, and of what is
// read as words those in the same bank of data (reads.*.far and reads.words.column).
std::uint64_t TextureUnit::of_memory(const TextureHeader& header, std::span<const Access> accesses,
                                     Mask quad) const {
  constexpr unsigned kWordBytes = 4, kBanks = kLineBytes / kWordBytes;
  Places lines(constants_.texture_tag_banks), words(kBanks);
  for (const Access& access : accesses)
    for (const unsigned lane : access.lanes& quad) {
      const std::uint64_t address = access.address[lane];
      lines.add(address / kLineBytes);
      if (is_straight(header)) words.add(address / kWordBytes);
    }
  const std::uint64_t most = std::max(lines.most(), words.most());
  return most > 1 ? kPercent * most : 0;
}

std::uint64_t TextureUnit::work(const TextureHeader& header, bool gathers,
                                std::span<const Access> accesses, Mask on) const {
  const std::uint64_t results = of_results(header, gathers, accesses.size());
  std::uint64_t work = 0;
  for (unsigned i = 0; i < kQuads; ++i) {
    const Mask quad = on & Mask{(1u << kQuadLanes) - 1} << i * kQuadLanes;
    if (quad.any()) work += std::max(results, of_memory(header, accesses, quad));
  }
  return std::max<std::uint64_t>(work, kPercent);
}

Cycle TextureUnit::take(unsigned sub_core, Cycle now, std::uint64_t texture, std::uint64_t work) {
  Queue& queue = queues_[sub_core];
  if (std::ranges::find(known_, texture) == known_.end()) {
    known_.push_back(texture);
    unit_.wait(now, constants_.latency_texture_header * Server::kTicks);
  }
  const Cycle begin = now + unit_.wait(now, work * Server::kTicks / kPercent);
  queue.leaves[queue.next] = begin;
  queue.next = (queue.next + 1) % queue.leaves.size();
  return begin;
}

}  // namespace heddle::simulator::timing
