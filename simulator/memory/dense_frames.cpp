#include "simulator/memory/dense_frames.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <iterator>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25  // Linux 6.1
#endif

namespace heddle::simulator {
namespace {

constexpr std::size_t kPages = DenseFrames::kFrame / 4096;

std::size_t touched_pages(std::byte* frame) {
  std::array<unsigned char, kPages> resident;
  if (mincore(frame, DenseFrames::kFrame, resident.data()) != 0) return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(resident, [](unsigned char state) { return (state & 1) != 0; }));
}

}  // namespace

void DenseFrames::add(std::byte* first, std::uint64_t bytes) {
  ranges_[first].resize(bytes / kFrame);
}

void DenseFrames::remove(std::byte* first) { ranges_.erase(first); }

void DenseFrames::changed(const std::byte* at, std::uint64_t bytes) {
  auto next = ranges_.upper_bound(const_cast<std::byte*>(at));
  if (bytes == 0 || next == ranges_.begin()) return;
  auto& [first, huge] = *std::prev(next);
  const auto offset = static_cast<std::uint64_t>(at - first);
  const std::uint64_t end = std::min((offset + bytes - 1) / kFrame + 1, huge.size());
  for (std::uint64_t i = offset / kFrame; i < end; ++i) huge[i] = false;
}

void DenseFrames::settle() {
  constexpr int kShare = 50;
  if (ranges_.empty() || !possible_ || Clock::now() - ended_ < kShare * took_) return;
  settle_now();
}

void DenseFrames::settle_now() {
  const Clock::time_point begin = Clock::now();
  for (auto& [first, huge] : ranges_)
    for (std::size_t i = 0; i < huge.size() && possible_; ++i) {
      std::byte* const frame = first + i * kFrame;
      if (huge[i] || touched_pages(frame) < kPages / 2) continue;
      huge[i] = true;
      possible_ = madvise(frame, kFrame, MADV_COLLAPSE) == 0;
    }
  ended_ = Clock::now();
  took_ = ended_ - begin;
}

}  // namespace heddle::simulator
