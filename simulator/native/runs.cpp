#include "simulator/native/runs.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "simulator/native/region_compiler.hpp"
#include "simulator/native/run_compiler.hpp"

namespace heddle::simulator::native {

bool is_supported(VectorUnit unit) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                               __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
  static const bool has_avx512 =
      has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512vbmi2");
  return unit == VectorUnit::avx512 ? has_avx512 : has_avx2;
}

std::optional<VectorUnit> best_unit() {
  for (const VectorUnit unit : {VectorUnit::avx512, VectorUnit::avx2})
    if (is_supported(unit)) return unit;
  return {};
}

Runs::Runs(VectorUnit unit, std::size_t instructions, Describe describe, KnownWord known,
           RegionOf region_of, RegionHelpers helpers)
    : describe_(std::move(describe)),
      known_(std::move(known)),
      region_of_(std::move(region_of)),
      helpers_(std::move(helpers)),
      entries_(static_cast<Entry*>(std::calloc(instructions, sizeof(Entry))), std::free),
      places_(static_cast<Place*>(std::calloc(instructions, sizeof(Place))), std::free),
      unit_(unit) {
  if (entries_ == nullptr || places_ == nullptr) throw std::bad_alloc();
}

void Runs::compile(std::uint32_t index) {
  std::vector<RunOp> run;
  while (run.size() < RunCompiler::kLongestRun) {
    const RunOp op = describe_(index + static_cast<std::uint32_t>(run.size()));
    if (op.op->lane == nullptr) break;
    run.push_back(op);
  }
  if (run.empty()) return;
  const std::lock_guard lock(compiling_);
  Entry& entry = entries_[index];
  if (entry.full.load(std::memory_order_relaxed) != nullptr) return;
  if (bytes_ >= kMostBytes || code_.size() >= kMostPieces) return;
  const Function full = make(run, true), partial = make(run, false);
  if (full == nullptr || partial == nullptr) return;
  entry.length = static_cast<std::uint32_t>(run.size());
  entry.has_guards =
      std::ranges::any_of(run, [](const RunOp& each) { return is_guarded(*each.op); });
  entry.partial.store(partial, std::memory_order_release);
  entry.full.store(full, std::memory_order_release);
}

Function Runs::make(std::span<const RunOp> run, bool full) {
  if (buffer_ == nullptr)
    buffer_ = std::make_unique_for_overwrite<std::uint8_t[]>(RunCompiler::kMostBytes);
  const auto place = [&](const RunCompiler& compiler) {
    return reinterpret_cast<Function>(reinterpret_cast<std::uintptr_t>(keep(compiler.code())));
  };
  const RunCompiler alone(unit_, run, known_, full, false, buffer_.get());
  if (alone.complete()) return place(alone);
  const RunCompiler calling(unit_, run, known_, full, true, buffer_.get());
  return calling.complete() ? place(calling) : nullptr;
}

const std::byte* Runs::keep(std::span<const std::uint8_t> code) {
  const CodeMemory& made = code_.emplace_back(code, code_.size() * 7);
  bytes_ += made.bytes();
  return static_cast<const std::byte*>(made.entry());
}

void Runs::compile_region(std::uint32_t index, bool full) {
  const std::lock_guard lock(compiling_);
  if (is_full_ || bytes_ >= kMostBytes || code_.size() >= kMostPieces) return;
  const Region region = region_of_(index);
  const auto of = [full](Place& place) -> std::atomic<const void*>& {
    return full ? place.full : place.partial;
  };
  // The first instruction is always a place.
  if (region.first == region.end || of(places_[region.first]).load(std::memory_order_relaxed))
    return;
  std::vector<RunOp> ops;
  for (std::uint32_t i = region.first; i < region.end; ++i) ops.push_back(describe_(i));
  if (enter_ == nullptr)
    enter_ = reinterpret_cast<Enter>(
        reinterpret_cast<std::uintptr_t>(keep(RegionCompiler::enter(unit_))));
  if (region_buffer_ == nullptr)
    region_buffer_ = std::make_unique_for_overwrite<std::uint8_t[]>(RegionCompiler::kMostBytes);
  const RegionCompiler made(unit_, ops, region.first, known_, helpers_, full, region_buffer_.get());
  if (!made.complete()) return;
  is_full_ = enter_ == nullptr || made.code().size() > kMostBytes - bytes_;
  if (is_full_) return;
  const std::byte* const code = keep(made.code());
  if (code == nullptr) return;
  for (const auto& [at, bytes] : made.entries())
    of(places_[at]).store(code + bytes, std::memory_order_release);
}

}  // namespace heddle::simulator::native
