#include "simulator/timing/constant_lines.hpp"

#include <algorithm>

#include "isa/attributes.hpp"

namespace heddle::simulator::timing {
namespace {

using isa::Instruction;
using isa::Source;

const Source* constant_of(const Instruction& in) {
  const Source* constant = nullptr;
  for (const Source* source : {&in.a, &in.b, &in.c})
    if (source->kind == Source::Kind::constant) constant = source;
  return constant;
}

// LDC and ULDC add a register, unless it is the one that holds zero.
bool is_indexed(const Instruction& in) {
  if (isa::memory_access(in).space != isa::Space::constant) return false;
  return (in.a.kind == Source::Kind::reg && in.a.index != isa::kRZ) ||
         (in.a.kind == Source::Kind::ureg && in.a.index != isa::kURZ);
}

}  // namespace

ConstantLines::ConstantLines(const isa::Program& program, std::uint32_t line_bytes,
                             const std::array<std::uint32_t, kBanks>& bank_bytes)
    : line_bytes_(line_bytes) {
  for (const auto& in : program.instructions) {
    const Source* constant = in ? constant_of(*in) : nullptr;
    if (constant == nullptr) continue;
    const std::uint32_t bank = constant->index;
    lines_.push_back({bank, constant->value / line_bytes});
    if (!is_indexed(*in)) continue;
    lines_.back().number = 0;
    const std::uint32_t bytes = bank < kBanks ? bank_bytes[bank] : 0;
    for (std::uint32_t line = 1; line * line_bytes < bytes; ++line) lines_.push_back({bank, line});
  }
  std::ranges::sort(lines_);
  lines_.erase(std::unique(lines_.begin(), lines_.end()), lines_.end());
}

ConstantLines::Named ConstantLines::of(const Instruction& in) const {
  const Source* constant = constant_of(in);
  if (constant == nullptr) return {};
  const bool indexed = is_indexed(in);
  const auto at = [this](const ConstantLine& line) {
    return static_cast<std::int32_t>(std::ranges::lower_bound(lines_, line) - lines_.begin());
  };
  const std::uint32_t bank = constant->index;
  const std::int32_t line = at({bank, indexed ? 0 : constant->value / line_bytes_});
  if (!indexed) return {.line = line};
  return {.line = line,
          .lines_of_bank = static_cast<std::uint32_t>(at({bank + 1, 0}) - line),
          .offset = constant->value};
}

}  // namespace heddle::simulator::timing
