#include "simulator/timing/texture_unit.hpp"

#include <algorithm>
#include <array>

#include "simulator/timing/sector_cache.hpp"

namespace heddle::simulator::timing {
namespace {

constexpr std::uint64_t kPercent = 100;
constexpr std::uint64_t kBlockBytes = 64;
constexpr unsigned kQuadLanes = 4, kQuads = kWarpSize / kQuadLanes;

bool is_linear(const TextureHeader& header) {
  return header.shape == TextureHeader::Shape::buffer || header.row_bytes == 0;
}

// Different places, and how many of them share a bank.
class Places {
 public:
  explicit Places(std::uint64_t banks) : banks_(std::min<std::uint64_t>(banks, kMostBanks)) {}
  void add(std::uint64_t place) {
    if (place == last_) return;  // as mostly
    last_ = place;
    if (count_ == known_.size() || knows(place)) return;
    known_[count_++] = place;
    most_ = std::max<std::uint64_t>(most_, ++in_bank_[place % banks_]);
  }
  std::uint64_t most() const { return most_; }

 private:
  static constexpr std::size_t kMostPlaces = 64, kMostBanks = 32;
  // Of each place that is known a bit is kept, which others share.
  bool knows(std::uint64_t place) {
    constexpr unsigned kBits = 64, kFold = 6;
    const std::uint64_t bit = std::uint64_t{1} << (place ^ place >> kFold) % kBits;
    if ((named_ & bit) == 0) {
      named_ |= bit;
      return false;
    }
    const auto end = known_.begin() + static_cast<std::ptrdiff_t>(count_);
    return std::find(known_.begin(), end, place) != end;
  }

  std::uint64_t named_ = 0, last_ = ~std::uint64_t{0};
  std::array<std::uint64_t, kMostPlaces> known_;
  std::array<std::uint8_t, kMostBanks> in_bank_{};
  std::size_t count_ = 0;
  std::uint64_t most_ = 0, banks_;
};

}  // namespace

bool is_straight(const TextureHeader& header) { return is_linear(header) || header.surface; }

BlockedLayout::BlockedLayout(const TextureHeader& header)
    : address_(header.address),
      layer_bytes_(header.layer_bytes),
      row_blocks_((header.row_bytes + kBlockBytes - 1) / kBlockBytes),
      is_linear_(is_linear(header)),
      by_layer_(header.layer_bytes == 0 ? ~std::uint64_t{0} : header.layer_bytes),
      by_row_(header.row_bytes == 0 ? 1 : header.row_bytes) {}

std::uint64_t BlockedLayout::place_of(std::uint64_t address) const {
  if (is_linear_ || address < address_) return address;
  constexpr std::uint64_t kBlockRows = 8, kBlock = kBlockBytes * kBlockRows;
  const auto [layer, in_layer] = by_layer_.divide(address - address_);
  const auto [row, x] = by_row_.divide(in_layer);
  const std::uint64_t block = row / kBlockRows * row_blocks_ + x / kBlockBytes;
  // Of the byte in its block, from above: x5, y2, y1, x4, y0, x3 to x0.
  const std::uint64_t inside = (x >> 5 & 1) << 8 | (row >> 2 & 1) << 7 | (row >> 1 & 1) << 6 |
                               (x >> 4 & 1) << 5 | (row & 1) << 4 | (x & 0xf);
  return address_ + layer * layer_bytes_ + block * kBlock + inside;
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
