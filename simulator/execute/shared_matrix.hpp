// Matrices in shared memory, as descriptors name them (PTX wgmma, tcgen05).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "simulator/execute/machine.hpp"
#include "simulator/lanes/warpgroup.hpp"

namespace heddle::simulator {

inline constexpr unsigned kChunk = 16;    // bytes that lie together, whatever the swizzle
inline constexpr unsigned kCoreRows = 8;  // rows of a core matrix, each a chunk

// A matrix in shared memory, as its descriptor has it: how an address follows from a row (a column
// of B) and k. Held against an H200's answers, 1,536 descriptors with offsets of every kind
// (docs/experiments/warpgroup-probe.md).
class SharedMatrix {
 public:
  SharedMatrix(std::uint64_t descriptor, bool transposed) : transposed_(transposed) {
    const auto field = [&](unsigned lo) {
      return static_cast<std::uint32_t>(descriptor >> lo & 0x3fff) << 4;
    };
    start_ = field(0);
    leading_ = field(16);
    stride_ = field(32);
    base_ = static_cast<std::uint32_t>(descriptor >> 49 & 7);
    const auto swizzle = static_cast<unsigned>(descriptor >> 62);
    constexpr std::array<std::uint32_t, 4> kUnits{1, 8, 4, 2};  // chunks of a swizzled row
    units_ = kUnits[swizzle];
  }

  // Of chunk number `chunk` of a row; or, transposed, of eights number `chunk` of rows at one k.
  std::uint32_t address(std::uint32_t row_or_k, std::uint32_t chunk) const {
    std::uint32_t at = start_ + row_or_k % kCoreRows * kChunk * units_;
    const std::uint32_t eight = row_or_k / kCoreRows;
    if (!transposed_)
      at += eight * stride_ + chunk * (units_ == 1 ? leading_ : kChunk);
    else if (units_ == 1)
      at += chunk * stride_ + eight * leading_;
    else
      at += eight * stride_ + chunk % units_ * kChunk + chunk / units_ * leading_;
    return at ^ (((at >> 7) - base_) & (units_ - 1)) << 4;
  }
  bool transposed() const { return transposed_; }

 private:
  std::uint32_t start_, leading_, stride_, base_, units_;
  bool transposed_;
};

// Reads rows of matrices; notes an address that lies outside shared memory, and tells observers.
class MatrixReader {
 public:
  MatrixReader(Core& core, const Warp& warp) : core_(core), shared_(warp.block->shared) {}
  ~MatrixReader() { tell(); }
  MatrixReader(const MatrixReader&) = delete;
  MatrixReader& operator=(const MatrixReader&) = delete;

  // `rows` of them from the first one on, `bytes` of k each.
  void read(const SharedMatrix& matrix, std::uint32_t first, std::uint32_t rows,
            std::uint32_t bytes, std::uint8_t (*to)[lanes::kGroupRowBytes]) {
    if (!matrix.transposed()) {
      for (std::uint32_t row = 0; row < rows; ++row)
        for (std::uint32_t chunk = 0; chunk < bytes / kChunk; ++chunk)
          copy(matrix.address(first + row, chunk), to[row] + chunk * kChunk);
      return;
    }
    std::array<std::uint16_t, kCoreRows> eight{};
    for (std::uint32_t k = 0; k < bytes / 2; ++k)
      for (std::uint32_t unit = 0; unit < rows / kCoreRows; ++unit) {
        copy(matrix.address(k, first / kCoreRows + unit),
             reinterpret_cast<std::uint8_t*>(eight.data()));
        for (std::uint32_t row = 0; row < kCoreRows; ++row)
          std::memcpy(to[unit * kCoreRows + row] + 2 * std::size_t{k}, &eight[row], 2);
      }
  }
  // One chunk.
  void copy(std::uint32_t from, std::uint8_t* to) {
    if (from + kChunk <= shared_.size()) {
      std::memcpy(to, shared_.data() + from, kChunk);
      if (core_.launch.options->observer != nullptr) note(from);
      return;
    }
    all_inside_ = false;
    outside_ = from;
  }
  bool all_inside() const { return all_inside_; }
  std::uint32_t outside() const { return outside_; }

 private:
  // As many chunks as a warp has lanes are one access.
  void note(std::uint32_t from) {
    noted_.address[count_++] = from;  // no generic address, which would be the first block's
    if (count_ == kWarpSize) tell();
  }
  void tell() {
    if (count_ == 0) return;
    noted_.kind = AccessKind::load;
    noted_.space = Window::shared;
    noted_.width = kChunk;
    noted_.lanes = Mask::below(count_);
    core_.accesses.push_back(noted_);
    count_ = 0;
  }

  Core& core_;
  const std::vector<std::byte>& shared_;
  Access noted_;
  unsigned count_ = 0;
  bool all_inside_ = true;
  std::uint32_t outside_ = 0;
};

}  // namespace heddle::simulator
