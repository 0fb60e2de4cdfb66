#include "simulator/launch/variable_layout.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heddle::simulator {
namespace {

constexpr std::uint64_t kVariableAlignment = 256;
constexpr std::uint8_t kSymbolObject = 1, kSymbolSection = 3;  // STT_OBJECT, STT_SECTION

// A managed variable is used by the host program at the same address: nvcc 13.0 marks its symbol so
// (seen on __managed__ beside __device__ variables; both lie in one section).
constexpr std::uint8_t kManagedSymbol = 4;  // in st_other

// From one variable's offset to the next one's, in the cubin and where it is moved to.
struct Piece {
  std::uint64_t from, to;
};

class Pieces {
 public:
  Pieces(const isa::Cubin& cubin, std::size_t section) : end_(cubin.sections[section].size) {
    std::vector<std::uint64_t> starts{0};
    for (const isa::Symbol& symbol : cubin.symbols)
      if (symbol.section == section && symbol.type == kSymbolObject && symbol.value < end_)
        starts.push_back(symbol.value);
    std::ranges::sort(starts);
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    std::uint64_t to = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      pieces_.push_back({starts[i], to});
      const std::uint64_t length = (i + 1 < starts.size() ? starts[i + 1] : end_) - starts[i];
      size_ = to + length;
      to = (size_ + kVariableAlignment - 1) / kVariableAlignment * kVariableAlignment;
    }
  }

  std::uint64_t size() const { return size_; }
  std::uint64_t moved(std::uint64_t offset) const {
    const auto after = std::ranges::upper_bound(pieces_, offset, {}, &Piece::from);
    const Piece& piece = *std::prev(after);  // the first one begins at 0
    return piece.to + (offset - piece.from);
  }
  std::vector<std::byte> moved(const std::vector<std::byte>& bytes) const {
    std::vector<std::byte> out(size_);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const std::uint64_t end = i + 1 < pieces_.size() ? pieces_[i + 1].from : end_;
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(pieces_[i].from),
                  end - pieces_[i].from, out.begin() + static_cast<std::ptrdiff_t>(pieces_[i].to));
    }
    return out;
  }

 private:
  std::uint64_t end_, size_ = 0;
  std::vector<Piece> pieces_;
};

bool can_move(const isa::Cubin& cubin, std::size_t section) {
  const isa::Section& it = cubin.sections[section];
  constexpr std::uint64_t kReasonable = std::uint64_t{1} << 48;  // no sum of sizes overflows
  if (it.size == 0 || it.size > kReasonable) return false;
  if (!it.bytes.empty() && it.bytes.size() != it.size) return false;
  return std::ranges::none_of(cubin.relocations, [&](const isa::Relocation& relocation) {
    const isa::Symbol& symbol = cubin.symbols[relocation.symbol];
    return symbol.section == section && symbol.type == kSymbolSection;
  });
}

}  // namespace

bool holds_variables(const isa::Section& section) {
  return section.name == ".nv.global" || section.name == ".nv.global.init" ||
         section.name.starts_with(".nv.global.");
}

bool holds_managed(const isa::Cubin& cubin, std::size_t section) {
  return std::ranges::any_of(cubin.symbols, [section](const isa::Symbol& symbol) {
    return symbol.section == section && (symbol.other & kManagedSymbol) != 0;
  });
}

void part_variables(isa::Cubin& cubin) {
  for (std::size_t i = 0; i < cubin.sections.size(); ++i) {
    isa::Section& section = cubin.sections[i];
    if (!holds_variables(section) || !can_move(cubin, i)) continue;
    const Pieces pieces(cubin, i);
    for (isa::Symbol& symbol : cubin.symbols)
      if (symbol.section == i) symbol.value = pieces.moved(symbol.value);
    for (isa::Relocation& relocation : cubin.relocations)
      if (relocation.section == i) relocation.offset = pieces.moved(relocation.offset);
    if (!section.bytes.empty()) section.bytes = pieces.moved(section.bytes);
    section.size = pieces.size();
  }
}

}  // namespace heddle::simulator
