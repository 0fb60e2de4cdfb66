#include "simulator/execute/saved_block.hpp"

#include <algorithm>
#include <cstring>

namespace heddle::simulator {
namespace {

// The rows of a warp that instructions can read: registers the program names, uniform registers.
std::array<RowRange, 3> live_rows(const Core& core) {
  return {RowRange{0, std::min<std::size_t>(core.launch.kernel->registers + 1, kDiscardRow)},
          RowRange{kUniformRow, isa::kUniformRegisters}, RowRange{kReturnRow, 2}};
}

// Calls visit(rows) for each such range of every warp.
template <typename Rows, typename Visit>
void for_each_range(const Core& core, Rows& rows, Visit visit) {
  for (std::size_t warp = 0; warp < core.launch.warps_per_block; ++warp)
    for (const RowRange& range : live_rows(core))
      visit(std::span(rows).subspan((warp * kRowsPerWarp + range.first) * kWarpSize,
                                    range.count * kWarpSize));
}

std::vector<std::uint32_t> gather(const Core& core, const Block& block) {
  std::vector<std::uint32_t> words;
  for_each_range(core, block.rows, [&](std::span<const std::uint32_t> rows) {
    words.insert(words.end(), rows.begin(), rows.end());
  });
  return words;
}

}  // namespace

void SavedBytes::save(std::span<const std::byte> bytes, const SavedBytes* last,
                      const ByteCount& count) {
  pages_.clear();
  for (std::size_t at = 0; at < bytes.size(); at += kPageBytes) {
    const auto part = bytes.subspan(at, std::min(kPageBytes, bytes.size() - at));
    if (std::ranges::all_of(part, [](std::byte byte) { return byte == std::byte{0}; })) {
      pages_.push_back(nullptr);
      continue;
    }
    const std::size_t number = pages_.size();
    if (last != nullptr && number < last->pages_.size() && last->pages_[number] != nullptr &&
        std::memcmp(last->pages_[number]->data(), part.data(), part.size()) == 0) {
      pages_.push_back(last->pages_[number]);
      continue;
    }
    auto page = std::make_unique<Page>();
    std::ranges::copy(part, page->begin());
    *count += kPageBytes;
    pages_.emplace_back(page.release(), [count](const Page* gone) {
      *count -= kPageBytes;
      delete gone;
    });
  }
}

void SavedBytes::load(std::span<std::byte> bytes) const {
  for (std::size_t number = 0; number < pages_.size(); ++number) {
    const auto part = bytes.subspan(number * kPageBytes,
                                    std::min(kPageBytes, bytes.size() - number * kPageBytes));
    if (pages_[number] == nullptr)
      std::ranges::fill(part, std::byte{0});
    else
      std::memcpy(part.data(), pages_[number]->data(), part.size());
  }
}

SavedBlock::SavedBlock(const Core& core, const Block& block, const SavedBlock* last,
                       const ByteCount& count)
    : linear_(block.linear),
      barriers_completed_(block.barriers_completed),
      spare_registers_(block.spare_registers),
      barriers_(block.barriers),
      awaited_barriers_(block.awaited_barriers),
      results_(block.results) {
  for (const Warp& warp : block.warps)
    warps_.push_back(
        {warp.predicates, warp.convergence->clone(), warp.products, warp.registers, warp.gave_way});
  const std::vector<std::uint32_t> rows = gather(core, block);
  rows_.save(std::as_bytes(std::span(rows)), last ? &last->rows_ : nullptr, count);
  shared_.save(block.shared, last ? &last->shared_ : nullptr, count);
  local_.save(block.local.bytes(), last ? &last->local_ : nullptr, count);
  tensor_cells_.save(std::as_bytes(std::span(block.tensor_cells)),
                     last ? &last->tensor_cells_ : nullptr, count);
  tensor_count_ = block.tensor_cells.size();
  tensor_columns_ = block.tensor_columns;
}

void SavedBlock::load(const Core& core, Block& block) const {
  core.start_block(block, linear_);
  std::vector<std::uint32_t> words = gather(core, block);
  rows_.load(std::as_writable_bytes(std::span(words)));
  std::size_t at = 0;
  for_each_range(core, block.rows, [&](std::span<std::uint32_t> rows) {
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(at), rows.size(), rows.begin());
    at += rows.size();
  });
  shared_.load(block.shared);
  local_.load(block.local.bytes());
  block.tensor_cells.resize(tensor_count_);
  tensor_cells_.load(std::as_writable_bytes(std::span(block.tensor_cells)));
  block.tensor_columns = tensor_columns_;
  block.barriers = barriers_;
  block.awaited_barriers = awaited_barriers_;
  block.barriers_completed = barriers_completed_;
  block.results = results_;
  block.spare_registers = spare_registers_;
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    block.warps[i].predicates = warps_[i].predicates;
    block.warps[i].convergence = warps_[i].convergence->clone();
    block.warps[i].products = warps_[i].products;
    block.warps[i].registers = warps_[i].registers;
    block.warps[i].gave_way = warps_[i].gave_way;
  }
}

}  // namespace heddle::simulator
