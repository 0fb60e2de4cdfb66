// Memory pools of stream-ordered allocation. All take from the device's one memory and give back at
// once; a pool is what its allocations are counted under, as an H200 counts them
// (gpu/runtime/tests/answers/pools.cu).
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/runtime/abi.hpp"

namespace heddle::runtime {

struct MemoryPool {
  // A pool reserves memory in such pieces.
  static constexpr std::uint64_t kPiece = 32 << 20;

  abi::MemPoolProps properties{};
  std::uint64_t number = 0;      // by which processes know it (SharedPool); 0: only this one does
  bool imported = false;         // memory of another process, which alone allocates from it
  std::uint32_t reached_by = 0;  // a bit for each other GPU that reaches its memory
  // cudaMemPoolReuse…: whether memory may be used again, and when; all are on, as with CUDA.
  int reuse[3] = {1, 1, 1};
  std::uint64_t release_threshold = 0;
  std::uint64_t used = 0, used_high = 0;          // as told; cudaFree does not lower it
  std::uint64_t live = 0;                         // bytes of allocations that are there
  std::uint64_t reserved = 0, reserved_high = 0;  // as told

  static std::uint64_t in_pieces(std::uint64_t bytes) {
    return bytes / kPiece * kPiece + (bytes % kPiece == 0 ? 0 : kPiece);
  }
  void take(std::uint64_t bytes) {
    live += bytes;
    used += bytes;
    used_high = std::max(used_high, used);
    reserved = std::max(reserved, in_pieces(live));
    reserved_high = std::max(reserved_high, reserved);
  }
  void give(std::uint64_t bytes, bool counted) {
    live -= bytes;
    if (counted) used -= bytes;
  }
  // Gives back what it holds beyond `keep`, in pieces.
  void trim(std::uint64_t keep) {
    const std::uint64_t kept = std::min(reserved, in_pieces(std::min(keep, reserved)));
    reserved = std::max(in_pieces(live), kept);
  }
};

}  // namespace heddle::runtime
