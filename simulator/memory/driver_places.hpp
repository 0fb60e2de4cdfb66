// Where a GPU's driver puts allocations, as far as it shows in the lower bits of addresses: which
// cache lines, sets and slices data share follows from those (measured: addresses that cudaMalloc
// gives on an H200, gpu/runtime/tests/answers/places.cu; docs/experiments/timing.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace heddle::simulator {

// One of the driver's pools. Its memory comes in pieces; in a piece allocations lie side by side,
// each in the first gap that is large enough, of the piece that came first. What is larger than a
// piece has its own.
class DriverPlaces {
 public:
  DriverPlaces(std::uint64_t piece_bytes, std::uint64_t unit)
      : piece_bytes_(piece_bytes), unit_(unit) {}

  // A place that is taken: `piece` is kAlone for what has a piece of its own.
  static constexpr std::uint64_t kAlone = ~std::uint64_t{0};
  struct Place {
    std::uint64_t piece = kAlone, offset = 0;
  };
  // At a multiple of `alignment` and of the pool's unit.
  Place take(std::uint64_t bytes, std::uint64_t alignment = 1);
  void give_back(const Place& place);
  // Whether nothing of its piece is taken, which the driver gives back then.
  bool is_piece_empty(const Place& place) const;
  // The bytes that are taken for so many.
  std::uint64_t bytes_taken(std::uint64_t bytes) const;

 private:
  struct Piece {
    std::map<std::uint64_t, std::uint64_t> taken;  // begin and end
    std::uint64_t full_below = 0;                  // there is no gap before
    std::uint64_t largest_gap = 0;                 // at most
  };
  std::optional<std::uint64_t> find_gap(Piece& piece, std::uint64_t bytes,
                                        std::uint64_t alignment) const;

  std::uint64_t piece_bytes_, unit_;
  std::vector<Piece> pieces_;
};

}  // namespace heddle::simulator
