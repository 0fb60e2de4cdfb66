// Finds reads of global memory whose value depends on time: of what another warp of the launch
// writes, with no block barrier between the two.
//
// Judged are reads that are strong (volatile, or atomic loads), and any reads of what other warps
// change by reductions. Plain races between plain loads and stores are not looked for, nor those in
// shared memory. Within a warp the order is the architecture's.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "simulator/base/big_pages.hpp"

namespace heddle::simulator {

class UnorderedReads {
 public:
  struct Who {
    std::uint64_t block = 0;
    std::uint64_t barriers = 0;  // block barriers that the block has completed
    std::uint32_t warp = 0;
  };

  UnorderedReads() = default;
  // Goes on from what `before` has seen, which outlives it unchanged.
  explicit UnorderedReads(const UnorderedReads* before) : before_(before), found_(before->found_) {}

  // An access that is told later: cores that go on side by side note theirs.
  struct Note {
    std::uint64_t address = 0;
    Who who;
    unsigned bytes = 0;
    bool writes = false, mark = false;  // mark: strong, or a reduction
  };
  // From now on accesses are noted there, and looked at by who gives them to `look_at`.
  void note_in(std::vector<Note>* notes) { notes_ = notes; }
  void look_at(const Note& note) {
    note.writes ? write(note.address, note.bytes, note.who, note.mark)
                : read(note.address, note.bytes, note.who, note.mark);
  }
  void take_found(bool found) { found_ = found; }
  // `bytes` from an address on, accessed by one warp.
  void read(std::uint64_t address, unsigned bytes, const Who& who, bool strong);
  void write(std::uint64_t address, unsigned bytes, const Who& who, bool reduction);
  bool found() const { return found_; }

 private:
  static constexpr std::uint64_t kGranule = 4, kRow = 128, kPage = 1 << 16;
  // Who used a granule last, and what matters of those before, in one word: large arrays have
  // millions of granules.
  class Users {
   public:
    // 34 bits of the block, 21 of its barriers, 5 of the warp, and kAny. A block that completes a
    // multiple of two million barriers between two accesses is taken to have completed none.
    static std::uint64_t pack(const Who& who) {
      return who.block << kBlock | (who.barriers & kBarriersMask) << kBarriers |
             std::uint64_t{who.warp} << kWarp | kAny;
    }
    // `mark`: a strong read, or a write by a reduction.
    void add(std::uint64_t who, bool mark);
    bool unordered_with(std::uint64_t who) const;
    bool marked() const { return (bits_ & kMarked) != 0; }
    friend bool operator==(const Users&, const Users&) = default;

   private:
    static constexpr std::uint64_t kAny = 1, kSeveralWarps = 2, kSeveralBlocks = 4, kMarked = 8;
    static constexpr unsigned kWarp = 4, kBarriers = 9, kBlock = 30;
    static constexpr std::uint64_t kWarpMask = 31, kBarriersMask = 0x1fffff;
    std::uint64_t bits_ = 0;
  };
  struct Uses {
    Users readers, writers;
    friend bool operator==(const Uses&, const Uses&) = default;
  };
  static constexpr std::uint64_t kCells = kRow / kGranule;
  struct Cells {
    std::array<Users, kCells> readers, writers;
  };
  // Warps mostly access whole rows. Where they have not, it is known of each granule.
  struct Row {
    Uses all;
    Cells* cells = nullptr;
  };
  using Page = std::array<Row, kPage / kRow>;
  static_assert(std::is_trivially_copyable_v<Page> && std::is_trivially_copyable_v<Cells>);
  // In huge pages that launches take one after the other.
  using PageMemory = BigArray<Page>;  // of one
  Row& row(std::uint64_t number) {
    constexpr std::uint64_t kRows = kPage / kRow;
    const Recent& recent = recent_[number / kRows % kRecent];
    Page& in = number / kRows == recent.number ? *recent.page : find_page(number / kRows);
    return in[number % kRows];
  }
  Page& find_page(std::uint64_t number);
  // Calls use(uses) for an access's granules, once for those side by side whose users are the same.
  template <typename Use>
  void for_each_use(std::uint64_t address, unsigned bytes, Use&& use);
  template <typename Use>
  void use_part(Row& row, std::size_t first, std::size_t last, Use&& use);

  PageMemory new_page(std::uint64_t number);
  Cells* new_cells();

  // By their numbers: loops that stride over the grid come to a few pages by turns.
  static constexpr std::size_t kRecent = 64;
  struct Recent {
    std::uint64_t number = ~std::uint64_t{0};
    Page* page = nullptr;
  };

  const UnorderedReads* before_ = nullptr;
  std::unordered_map<std::uint64_t, PageMemory> pages_;
  static constexpr std::size_t kCellsAtOnce = 64;
  std::vector<BigArray<Cells>> cells_;  // of kCellsAtOnce
  std::size_t cells_left_ = 0;          // of the last ones
  std::array<Recent, kRecent> recent_;
  std::vector<Note>* notes_ = nullptr;
  bool found_ = false;
};

}  // namespace heddle::simulator
