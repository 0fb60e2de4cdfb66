#include "simulator/tests/lanes_recording.hpp"

#include <algorithm>
#include <stdexcept>

#include "isa/decoder.hpp"
#include "isa/encoding.hpp"
#include "isa/operands.hpp"
#include "simulator/lanes/float_environment.hpp"
#include "simulator/lanes/selection.hpp"
#include "simulator/tests/lanes_generators.hpp"
#include "simulator/warp/micro_op.hpp"

namespace heddle::simulator::lanes {
namespace {

using isa::Encoding;
using isa::Item;
using isa::ItemKind;
using isa::Op;

constexpr std::uint8_t kUniformDestination = 20, kGuard = 5;

// Constants and uniform sources give nothing new; the probe sets registers and predicates alone.
bool is_probed(const Encoding& encoding) {
  if (encoding.facts->unit == isa::Unit::uniform) return false;
  if (encoding.form != isa::Form::RRR && encoding.row->forms != isa::kFixed) return false;
  for (const Item& item : *encoding.layout)
    if (item.kind == ItemKind::psrc && item.uniform) return false;
  switch (encoding.row->op) {
    case Op::P2R:  // these two are how the probe itself reads and writes predicates
    case Op::R2P:
      return false;
    default:
      break;
  }
  for (const Variant& variant : variants())
    if (variant.selectors[static_cast<std::size_t>(encoding.row->op)] != nullptr) return true;
  return false;
}

void set_slot(const Item& item, const Encoding& encoding, const ProbeRegisters& registers,
              isa::Word& word, std::mt19937_64& random) {
  const isa::SlotPlace place = isa::slot_place(item, encoding.form);
  // By place, so that every register of the word is another.
  const std::uint8_t reg = place.bits.lo == 24   ? registers.a
                           : place.bits.lo == 32 ? registers.b
                                                 : registers.c;
  place.bits.set(word, reg);
  if (item.negate || item.invert) word.set_bits(place.negate, 1, random() & 1);
  if (item.absolute) word.set_bits(place.absolute, 1, random() & 1);
  if (item.type == 'h' || item.type == 'g') {
    constexpr std::uint8_t kSwizzles[] = {0, 0, 2, 3};
    word.set_bits(place.swizzle, 2, kSwizzles[random() % 4]);
  }
}

isa::Word random_word(const Encoding& encoding, const ProbeRegisters& registers,
                      std::mt19937_64& random) {
  isa::Word word = encoding.value;
  word.set_bits(isa::kGuardBits.lo, isa::kGuardBits.width, random() % 4 == 0 ? kGuard : isa::kPT);
  isa::for_each_item(*encoding.layout, encoding.form, [&](const Item& item) {
    switch (item.kind) {
      case ItemKind::slot:
        set_slot(item, encoding, registers, word, random);
        break;
      case ItemKind::rd:
        item.bits.set(word, registers.d);
        break;
      case ItemKind::urd:
        item.bits.set(word, kUniformDestination);
        break;
      case ItemKind::pdst:
        item.bits.set(word, item.uniform ? isa::kPT : item.which == 0 ? 3 : 4);
        break;
      case ItemKind::psrc:
        item.bits.set(word, (item.which) | (random() & 1) << 3);
        break;
      case ItemKind::mod:
      case ItemKind::number:
      case ItemKind::immediate:
        if (item.bits.width != 0) item.bits.set(word, random());
        break;
      default:
        break;
    }
  });
  return word;
}

std::uint8_t predicate_destination(std::uint8_t index) {
  return index == isa::kPT ? kDiscardedPredicate : index;
}

Generator generator_for(const isa::Instruction& in) {
  using isa::Mod;
  switch (in.op) {
    case Op::DADD:
    case Op::DMUL:
    case Op::DFMA:
    case Op::DSETP:
      return edgy_float64;
    case Op::HADD2:
    case Op::HMUL2:
    case Op::HFMA2:
    case Op::HSET2:
    case Op::HSETP2:
    case Op::HMNMX2:
      return edgy_half2;
    case Op::FADD:
    case Op::FMUL:
    case Op::FFMA:
    case Op::FMNMX:
    case Op::FSETP:
    case Op::FSET:
    case Op::FSEL:
    case Op::FCHK:
    case Op::F2FP:
    case Op::FSWZADD:
      return edgy_float32;
    case Op::MUFU:
      return in.mod(Mod::width) != 0 ? edgy_half2 : edgy_float32;
    case Op::F2F:
    case Op::F2I:
    case Op::FRND:
      if (isa::operand_widths(in).b == 2) return edgy_float64;
      return in.mod(Mod::src_fmt) == 1 || in.mod(Mod::dst_fmt) % 8 == 2 ||
                     (in.op == Op::FRND && in.mod(Mod::dst_fmt) == 5)
                 ? edgy_half2
                 : edgy_float32;
    case Op::R2UR:  // every other warp has one value in all its lanes
      return [count = 0u](std::mt19937_64& random) mutable {
        const unsigned warp = count++ / (3 * kWarpSize);
        return warp % 2 == 0 ? u64{warp} : random();
      };
    case Op::MATCH:
      return [](std::mt19937_64& random) { return u64{random() % 3} << 32 | random() % 3; };
    default:
      return edgy_integer64;
  }
}

}  // namespace

std::vector<isa::Instruction> probe_words(const ProbeRegisters& registers, unsigned per_encoding,
                                          bool implemented, std::mt19937_64& random) {
  std::vector<isa::Instruction> words;
  for (const Encoding* encoding : isa::all_encodings(isa::Arch::sm_90)) {
    if (!is_probed(*encoding)) continue;
    // Not every combination is legal, nor implemented; a few tries find those that are.
    unsigned found = 0;
    for (unsigned attempt = 0; attempt < 40 * per_encoding && found < per_encoding; ++attempt) {
      const auto instruction =
          isa::decode(isa::Arch::sm_90, random_word(*encoding, registers, random));
      if (!instruction || instruction->encoding != encoding) continue;
      MicroOp op;
      op.pu = predicate_destination(instruction->pu);
      op.pv = predicate_destination(instruction->pv);
      if (select_lane_function(*instruction, op) != implemented) continue;
      const bool known = std::any_of(words.begin(), words.end(), [&](const auto& other) {
        return other.word == instruction->word;
      });
      if (known) continue;
      words.push_back(*instruction);
      ++found;
    }
  }
  return words;
}

std::vector<LaneInput> probe_inputs(const isa::Instruction& instruction, unsigned lanes,
                                    std::mt19937_64& random) {
  const Generator generator = generator_for(instruction);
  std::vector<LaneInput> inputs(lanes);
  for (LaneInput& input : inputs)
    input = {generator(random), generator(random), generator(random), random() & 0x7f};
  return inputs;
}

std::vector<LaneAnswer> our_answers(const isa::Instruction& instruction,
                                    const ProbeRegisters& registers,
                                    std::span<const LaneInput> inputs) {
  constexpr RowOffset kRowsOfRegisters = 20 * kWarpSize;
  std::vector<u32> rows(kRowsOfRegisters);
  WarpState warp;
  warp.rows = rows.data();
  MicroOp op;
  const auto place = [&](const isa::Source& source, RowOffset& row, bool& negate, bool& absolute) {
    row = source.index * static_cast<RowOffset>(kWarpSize);
    negate = source.negate;
    absolute = source.absolute;
    if (source.kind == isa::Source::Kind::none) row = 0;
    if (source.kind == isa::Source::Kind::imm) {
      row = 16 * kWarpSize;  // rows 16 to 19 are free
      row += &source == &instruction.c ? 2 * kWarpSize : 0;
      std::fill_n(rows.begin() + row, kWarpSize, source.value);
    }
  };
  place(instruction.a, op.a, op.a_negate, op.a_absolute);
  place(instruction.b, op.b, op.b_negate, op.b_absolute);
  place(instruction.c, op.c, op.c_negate, op.c_absolute);
  op.d = registers.d * static_cast<RowOffset>(kWarpSize);
  const auto reference = [](const isa::Predicate& predicate) {
    return PredicateRef{predicate.index, predicate.negated ? kFullMask : Mask()};
  };
  op.pp = reference(instruction.pp);
  op.pq = reference(instruction.pq);
  op.pr = reference(instruction.pr);
  op.pu = predicate_destination(instruction.pu);
  op.pv = predicate_destination(instruction.pv);
  op.instruction = &instruction;
  if (!select_lane_function(instruction, op)) return {};

  const FloatEnvironment environment;
  std::vector<LaneAnswer> answers(inputs.size());
  for (std::size_t first = 0; first < inputs.size(); first += kWarpSize) {
    warp.predicates = {};
    warp.predicates[kPT] = kFullMask;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const LaneInput& in = inputs[first + lane];
      const auto set = [&](unsigned reg, u64 value) {
        rows[reg * kWarpSize + lane] = static_cast<u32>(value);
        rows[(reg + 1) * kWarpSize + lane] = static_cast<u32>(value >> 32);
      };
      set(registers.a, in.a);
      set(registers.b, in.b);
      set(registers.c, in.c);
      set(registers.d, 0xdeadbeefdeadbeef);  // as the probe leaves what is not written
      for (unsigned i = 0; i < kPT; ++i)
        if ((in.predicates >> i & 1) != 0) warp.predicates[i] |= Mask::of(lane);
    }
    const Mask on = warp.predicates[instruction.guard.index];
    if (on.any()) op.lane(warp, op, on);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      LaneAnswer& answer = answers[first + lane];
      const std::size_t d = registers.d * kWarpSize + lane;
      answer.d = u64{rows[d + kWarpSize]} << 32 | rows[d];
      for (unsigned i = 0; i < kPT; ++i)
        answer.predicates |= u64{warp.predicates[i].has(lane)} << i;
    }
  }
  return answers;
}

}  // namespace heddle::simulator::lanes
