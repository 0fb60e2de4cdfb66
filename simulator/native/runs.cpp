#include "simulator/native/runs.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "simulator/native/run_compiler.hpp"

namespace heddle::simulator::native {

bool is_supported() {
  static const bool supported =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi");
  return supported;
}

Runs::Runs(std::size_t instructions, Describe describe, KnownWord known)
    : describe_(std::move(describe)),
      known_(std::move(known)),
      entries_(static_cast<Entry*>(std::calloc(instructions, sizeof(Entry))), std::free) {
  if (entries_ == nullptr) throw std::bad_alloc();
}

void Runs::compile(std::uint32_t index) {
  std::vector<RunOp> run;
  while (run.size() < RunCompiler::kLongestRun) {
    const auto op = describe_(index + static_cast<std::uint32_t>(run.size()));
    if (!op) break;
    run.push_back(*op);
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
  buffer_.resize(RunCompiler::kMostBytes);
  const auto place = [&](const RunCompiler& compiler) {
    const CodeMemory& made = code_.emplace_back(compiler.code(), code_.size() * 7);
    bytes_ += made.bytes();
    return reinterpret_cast<Function>(reinterpret_cast<std::uintptr_t>(made.entry()));
  };
  const RunCompiler alone(run, known_, full, false, buffer_.data());
  if (alone.complete()) return place(alone);
  return place(RunCompiler(run, known_, full, true, buffer_.data()));
}

}  // namespace heddle::simulator::native
