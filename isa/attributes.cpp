#include "isa/attributes.hpp"

#include <algorithm>

#include "isa/encoding.hpp"

namespace heddle::isa {

std::string_view name(Unit unit) {
  constexpr std::string_view kNames[] = {"none", "adu", "alu",    "cbu", "fma",     "fp16",
                                         "fp64", "lsu", "tensor", "tex", "uniform", "xu"};
  return kNames[static_cast<std::size_t>(unit)];
}

Unit unit(const Instruction& instruction) { return instruction.encoding->row->unit; }

MemoryAccess memory_access(const Instruction& instruction) {
  return instruction.encoding->row->memory;
}

std::string_view modifier_text(const Instruction& instruction, Mod which) {
  const Item* item = find_modifier(*instruction.encoding, which);
  return item == nullptr || item->kind != ItemKind::mod ? std::string_view()
                                                        : modifier_text(*item, instruction.word);
}

namespace {

// Reads a number off the front of `text`; 0 when there is none.
unsigned take_number(std::string_view& text) {
  unsigned value = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    value = value * 10 + static_cast<unsigned>(text.front() - '0');
    text.remove_prefix(1);
  }
  return value;
}

// A data type from the way it is written: "" is 32 bits, ".S64", ".BF16x4.RN", ".U.128".
AtomicData data_of(std::string_view text) {
  AtomicData data;
  if (text.starts_with(".S")) data.kind = AtomicData::Kind::signed_integer;
  if (text.starts_with(".F")) data.kind = AtomicData::Kind::floating;
  if (text.starts_with(".BF")) data.kind = AtomicData::Kind::bfloat;
  text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
  if (const unsigned bits = take_number(text)) data.bits = static_cast<std::uint8_t>(bits);
  if (text.starts_with('x')) {
    text.remove_prefix(1);
    data.count = static_cast<std::uint8_t>(take_number(text));
  }
  return data;
}

}  // namespace

AtomicData atomic_data(const Instruction& instruction) {
  return data_of(modifier_text(instruction, Mod::type));
}

unsigned access_bytes(const Instruction& instruction) {
  const bool counted = instruction.op == Op::STAS || instruction.op == Op::REDAS;
  if (memory_access(instruction).kind == MemoryAccess::Kind::none && !counted) return 0;
  switch (instruction.op) {
    case Op::LDSM:
    case Op::STSM:
      return 4u << instruction.mod(Mod::ldsm_num);
    case Op::SYNCS:
      return 8;
    case Op::TEX:
    case Op::TLD:
    case Op::TLD4:
    case Op::TXD:
      return 0;  // what a thread reads depends on the texture
    default: {
      const bool is_atomic = modifier_text(instruction, Mod::size).empty();
      const AtomicData data =
          is_atomic ? atomic_data(instruction) : data_of(modifier_text(instruction, Mod::size));
      return data.bits * data.count / 8u;
    }
  }
}

bool is_strong(const Instruction& instruction) {
  const std::string_view order = modifier_text(instruction, Mod::sem);
  return order.starts_with(".STRONG") || order.starts_with(".MMIO");
}

bool is_exclusive(const Instruction& in) {
  return in.op == Op::WARPSYNC && in.mod(Mod::warpsync_mode) == (in.arch == Arch::sm_90 ? 1u : 2u);
}

}  // namespace heddle::isa
