// What memory held before a launch on several threads wrote to it.
#include <algorithm>
#include <thread>

#include "simulator/launch/conflicts.hpp"
#include "simulator/memory/touched_pages.hpp"

namespace heddle::simulator {
namespace {

// Whether a frame of the host's memory held nothing but zeros before all writes.
constexpr std::uint8_t kUnknown = 0, kBeingLookedAt = 1, kFresh = 2, kUsed = 3;

// That of the host's huge pages.
constexpr unsigned kFrameShift = 21;
std::uint64_t host_frame(const std::byte* at) {
  return reinterpret_cast<std::uintptr_t>(at) >> kFrameShift;
}

}  // namespace

// Once, by who first changes it: the others wait.
void ConflictTracker::Log::save(Shadow& shadow, std::uint64_t piece) {
  const std::atomic_ref<std::uint8_t> state(shadow.saved[piece]);
  std::uint8_t seen = Shadow::kUnsaved;
  if (state.compare_exchange_strong(seen, Shadow::kBeingSaved)) {
    const std::uint64_t first = piece * kPieceBytes;
    const std::uint64_t bytes = std::min<std::uint64_t>(kPieceBytes, shadow.bytes - first);
    const std::uint64_t frame = shadow.frame_of(first);
    const std::uint64_t last = shadow.frame_of(first + bytes - 1);
    const bool fresh = is_fresh(shadow, frame);
    if ((last != frame && !is_fresh(shadow, last)) || !fresh)
      before_.save(shadow.data + first, bytes);
    state.store(Shadow::kSaved, std::memory_order_release);
    return;
  }
  while (state.load(std::memory_order_acquire) != Shadow::kSaved) std::this_thread::yield();
}

// To be asked before anything is written there.
bool ConflictTracker::Log::is_fresh(Shadow& shadow, std::uint64_t frame) {
  const std::atomic_ref<std::uint8_t> state(shadow.frames[frame]);
  if (state.load(std::memory_order_acquire) == kUnknown) look_at(shadow, frame);
  // Another thread does. The system clears a huge page meanwhile; who waits needs the next one
  // soon.
  if (state.load(std::memory_order_acquire) == kBeingLookedAt && frame + 1 < shadow.frame_count())
    look_at(shadow, frame + 1);
  while (state.load(std::memory_order_acquire) == kBeingLookedAt) std::this_thread::yield();
  return state.load(std::memory_order_acquire) == kFresh;
}

// If no other thread has or does. What is fresh is written to: else each thread that comes to it
// has the system clear a page for it, all but one of them in vain.
void ConflictTracker::Log::look_at(Shadow& shadow, std::uint64_t frame) {
  const std::atomic_ref<std::uint8_t> state(shadow.frames[frame]);
  std::uint8_t seen = kUnknown;
  if (!state.compare_exchange_strong(seen, kBeingLookedAt)) return;
  const std::span<std::byte> bytes = shadow.frame(frame);
  const bool fresh = !shadow.host_mapped && is_untouched(bytes.data(), bytes.size());
  if (fresh) {
    fresh_.push_back(bytes);
    std::atomic_ref(reinterpret_cast<std::uint8_t&>(bytes.front())).fetch_or(0);
  }
  state.store(fresh ? kFresh : kUsed, std::memory_order_release);
}

// Where a byte lies, counted from the allocation's first one.
std::uint64_t ConflictTracker::Shadow::frame_of(std::uint64_t byte) const {
  return host_frame(data + byte) - host_frame(data);
}

// What of the allocation lies in it.
std::span<std::byte> ConflictTracker::Shadow::frame(std::uint64_t number) const {
  const std::uint64_t before =
      reinterpret_cast<std::uintptr_t>(data) & ((std::uint64_t{1} << kFrameShift) - 1);
  const std::uint64_t begin = number << kFrameShift;
  const std::uint64_t first = std::max(begin, before) - before;
  const std::uint64_t end = std::min(begin + (std::uint64_t{1} << kFrameShift) - before, bytes);
  return {data + first, end - first};
}

// Every piece is saved once, and what is fresh was zero: the order is all one.
void ConflictTracker::Log::undo() {
  before_.put_back();
  for (const std::span<std::byte> each : fresh_) std::ranges::fill(each, std::byte{0});
  fresh_.clear();
}

}  // namespace heddle::simulator
