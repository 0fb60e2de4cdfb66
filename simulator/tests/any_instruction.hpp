// Random instructions, for tests of what executes them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>

#include "isa/encoding.hpp"
#include "isa/instruction.hpp"
#include "simulator/tests/watched_execution.hpp"

namespace heddle::simulator {

using isa::Instruction;
using isa::Source;
using Random = std::mt19937_64;

inline constexpr unsigned kRegisters =
    12;  // few, so that instructions use what others have written

inline std::uint32_t any_word(Random& random) {
  constexpr std::array<std::uint32_t, 18> kSpecial{
      0,          1,          0x80000000, 0x7fffffff, 0xffffffff, 0x7f800000,
      0xff800000, 0x7f800001, 0xffc12345, 0x00000001, 0x807fffff, 0x3f800000,
      0x7ff00000, 0xfff00000, 0x7ff80000, 0xfff00001, 31,         32};
  if (random() % 3 == 0) return kSpecial[random() % kSpecial.size()];
  return static_cast<std::uint32_t>(random()) >> random() % 32;
}

// Registers that lie close together, RZ, and immediates as compilers write them.
inline void choose_source(Source& source, Random& random) {
  switch (source.kind) {
    case Source::Kind::reg:
      source.index = static_cast<std::uint8_t>(
          random() % 6 == 0 ? isa::kRZ : 2 * (random() % (kRegisters / 2)));
      return;
    case Source::Kind::ureg:
      source.index = static_cast<std::uint8_t>(
          random() % 6 == 0 ? isa::kURZ : 2 * (random() % (kRegisters / 2)));
      return;
    case Source::Kind::imm:
      source.value = random() % 2 == 0 ? 1u << random() % 32 : any_word(random);
      return;
    default:
      return;
  }
}

inline void choose_predicate(isa::Predicate& predicate, Random& random, unsigned one_in) {
  predicate.index = static_cast<std::uint8_t>(random() % one_in == 0 ? random() % 7 : isa::kPT);
  predicate.negated = random() % 3 == 0;
}

inline std::optional<Instruction> any_instruction(isa::Arch arch, const isa::Encoding& encoding,
                                                  Random& random) {
  auto in = word_to_watch(arch, encoding, random);
  if (!in) return in;
  for (Source* const source : {&in->a, &in->b, &in->c}) choose_source(*source, random);
  if (in->rd != isa::kRZ) in->rd = static_cast<std::uint8_t>(2 * (random() % (kRegisters / 2)));
  if (in->urd != isa::kURZ) in->urd = static_cast<std::uint8_t>(2 * (random() % (kRegisters / 2)));
  // Most instructions in programs write no predicates beside a number.
  if (random() % 2 == 0) in->pu = isa::kPT;
  if (random() % 2 == 0) in->pv = isa::kPT;
  choose_predicate(in->guard, random, 3);
  if (in->guard.index == isa::kPT) in->guard.negated = false;
  for (isa::Predicate* const read : {&in->pp, &in->pq, &in->pr}) choose_predicate(*read, random, 2);
  return in;
}

}  // namespace heddle::simulator
