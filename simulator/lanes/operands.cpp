// What the machine must know of an instruction's operands before it can point lane functions at
// rows.

#include "simulator/execute/micro_op.hpp"

namespace heddle::simulator {

using isa::Mod;
using isa::Op;

namespace {

constexpr std::uint32_t kFloat64 = 3;  // F2I source, I2F destination
// The pairs of formats F2F has with a double on one side (SASS-FACTS 3.3).
constexpr std::uint32_t kF64FromF16 = 11, kF64FromF32 = 19, kF16FromF64 = 25, kF32FromF64 = 26,
                        kBf16FromF64 = 28, kF64FromBf16 = 35;
constexpr std::uint32_t kFrndF64 = 15;
constexpr std::uint32_t kFirstWideInteger = 6;  // U64, S64

}  // namespace

bool source_is_64bit(const isa::Instruction& instruction, SourceSlot slot) {
  switch (instruction.op) {
    case Op::DADD:
    case Op::DMUL:
    case Op::DFMA:
    case Op::DSETP:
    case Op::UIADD3_64:
      return true;
    case Op::IMAD_WIDE:
    case Op::IMAD_HI:
    case Op::UIMAD_WIDE:
    case Op::UIMAD_HI:
      return slot == SourceSlot::c;
    case Op::I2F:
      return slot == SourceSlot::b && instruction.mod(Mod::src_fmt) >= kFirstWideInteger;
    case Op::F2I:
      return slot == SourceSlot::b && instruction.mod(Mod::src_fmt) == kFloat64;
    case Op::FRND:
      return slot == SourceSlot::b && instruction.mod(Mod::dst_fmt) == kFrndF64;
    case Op::F2F: {
      const std::uint32_t pair = instruction.mod(Mod::dst_fmt);
      return slot == SourceSlot::b &&
             (pair == kF16FromF64 || pair == kF32FromF64 || pair == kBf16FromF64);
    }
    case Op::MATCH:
      return slot == SourceSlot::a && instruction.mod(Mod::width) != 0;
    default:
      return false;
  }
}

unsigned destination_rows(const isa::Instruction& instruction) {
  switch (instruction.op) {
    case Op::DADD:
    case Op::DMUL:
    case Op::DFMA:
    case Op::IMAD_WIDE:
    case Op::UIMAD_WIDE:
    case Op::UIADD3_64:
      return 2;
    case Op::I2F:
      return instruction.mod(Mod::dst_fmt) == kFloat64 ? 2 : 1;
    case Op::F2I:
      return instruction.mod(Mod::dst_fmt) >= kFirstWideInteger ? 2 : 1;
    case Op::FRND:
      return instruction.mod(Mod::dst_fmt) == kFrndF64 ? 2 : 1;
    case Op::F2F: {
      const std::uint32_t pair = instruction.mod(Mod::dst_fmt);
      return pair == kF64FromF16 || pair == kF64FromF32 || pair == kF64FromBf16 ? 2 : 1;
    }
    case Op::ISETP:
    case Op::UISETP:
    case Op::PLOP3:
    case Op::UPLOP3:
    case Op::R2P:
    case Op::UR2UP:
    case Op::FSETP:
    case Op::FCHK:
    case Op::DSETP:
    case Op::HSETP2:
      return 0;
    default:
      return 1;
  }
}

}  // namespace heddle::simulator
