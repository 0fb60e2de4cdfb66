// The operands and attributes the rest of the project sees, by examples nvcc made.
#include <gtest/gtest.h>

#include "isa/attributes.hpp"
#include "isa/decoder.hpp"
#include "isa/tests/gold.hpp"

namespace heddle::isa {
namespace {

Instruction decoded(Arch arch, const char* hex) {
  const auto instruction = decode(arch, parse_word(hex));
  if (!instruction) throw std::runtime_error(std::string("not decoded: ") + hex);
  return *instruction;
}

void expect_register(const Source& source, unsigned index) {
  EXPECT_EQ(source.kind, Source::Kind::reg);
  EXPECT_EQ(source.index, index);
}

TEST(View, NumbersTwoSourcesAAndBWhateverTheirSlots) {
  const Instruction fadd = decoded(Arch::sm_90, "00000000000000008000000b08087221");
  EXPECT_EQ(print(fadd, 0), "FADD R8, R8, -R11");
  expect_register(fadd.a, 8);
  expect_register(fadd.b, 11);
  EXPECT_TRUE(fadd.b.negate);
  EXPECT_EQ(fadd.c.kind, Source::Kind::none);
  const Instruction dadd = decoded(Arch::sm_80, "00000000000008160000000014147229");
  EXPECT_EQ(print(dadd, 0), "DADD R20, R20, -R22");
  expect_register(dadd.b, 22);
  const Instruction move = decoded(Arch::sm_80, "0000000000000f000000002c003b8202");
  EXPECT_EQ(print(move, 0), "@!P0 MOV R59, R44");
  EXPECT_EQ(move.a.kind, Source::Kind::none);
  expect_register(move.b, 44);
}

TEST(View, GivesThreeSourcesInTheOrderOfTheText) {
  const Instruction shift = decoded(Arch::sm_80, "080000000001162000000031ff230219");
  EXPECT_EQ(print(shift, 0), "@P0 SHF.R.U32.HI R35, RZ, R49.reuse, R32");
  expect_register(shift.a, kRZ);
  expect_register(shift.b, 49);
  expect_register(shift.c, 32);
  EXPECT_TRUE(shift.b.reuse);
  EXPECT_EQ(shift.mod(Mod::dir), 1u);
  EXPECT_EQ(shift.mod(Mod::hi), 1u);
  EXPECT_EQ(shift.mod(Mod::type), 3u);
  const Instruction fma = decoded(Arch::sm_75, "00000000000000107ff000000e10342b");
  EXPECT_EQ(print(fma, 0), "@P3 DFMA R16, R14, R16, +INF ");
  expect_register(fma.b, 16);
  EXPECT_EQ(fma.c.kind, Source::Kind::imm);
  EXPECT_EQ(fma.c.value, 0x7ff00000u);
}

TEST(View, HasConstantsByBankAndByteOffset) {
  const Instruction load = decoded(Arch::sm_90, "000ff0000000080000000a00ff017b82");
  EXPECT_EQ(print(load, 0), "LDC R1, c[0x0][0x28]");
  EXPECT_EQ(load.b.kind, Source::Kind::constant);
  EXPECT_EQ(load.b.index, 0u);
  EXPECT_EQ(load.b.value, 0x28u);
  EXPECT_EQ(load.a.index, kRZ);
  EXPECT_EQ(memory_access(load), (MemoryAccess{MemoryAccess::Kind::load, Space::constant}));
}

TEST(View, SplitsAnAddressIntoRegisterUniformRegisterAndOffset) {
  const Instruction load = decoded(Arch::sm_90, "000000000c1e9900000000040c0c7981");
  EXPECT_EQ(print(load, 0), "LDG.E.CONSTANT R12, desc[UR4][R12.64]");
  expect_register(load.a, 12);
  EXPECT_EQ(load.ur, 4u);
  EXPECT_EQ(load.mod(Mod::descriptor), 1u);
  EXPECT_EQ(access_bytes(load), 4u);
  EXPECT_EQ(memory_access(load), (MemoryAccess{MemoryAccess::Kind::load, Space::global}));
  const Instruction store = decoded(Arch::sm_75, "000000000010eb00ffe0000602007386");
  EXPECT_EQ(print(store, 0), "STG.E.64.SYS [R2+-0x2000], R6");
  EXPECT_EQ(store.offset, -0x2000);
  expect_register(store.b, 6);
  EXPECT_EQ(access_bytes(store), 8u);
  EXPECT_EQ(unit(store), Unit::lsu);
}

TEST(View, MeasuresBranchesFromTheAddressAfterThem) {
  const Instruction branch = decoded(Arch::sm_90, "000fc0000383fffffffffffc00fc7947");
  EXPECT_EQ(branch.offset, -16);
  EXPECT_EQ(print(branch, 0x1c0), "BRA 0x1c0");
  const Instruction old = decoded(Arch::sm_80, "000000000383fffffffffff000007947");
  EXPECT_EQ(old.offset, -16);
  EXPECT_EQ(unit(old), Unit::cbu);
}

TEST(View, KnowsTheDataOfAtomicsThatEachArchitectureNumbersItsOwnWay) {
  using Kind = DataType::Kind;
  // Code 3 is a float up to sm_89 and a signed 64-bit integer in the integer opcodes of sm_90.
  const Instruction minimum = decoded(Arch::sm_90, "00321e00089ee7c400000002040279a8");
  EXPECT_EQ(print(minimum, 0), "ATOMG.E.MIN.S64.STRONG.GPU PT, R2, desc[UR4][R4.64], R2");
  EXPECT_EQ(data_type(minimum), (DataType{Kind::signed_integer, 64, 1}));
  EXPECT_EQ(access_bytes(minimum), 8u);
  const Instruction add = decoded(Arch::sm_75, "00000000001147000000000b0200798e");
  EXPECT_EQ(print(add, 0), "RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R2], R11");
  EXPECT_EQ(data_type(add), (DataType{Kind::floating, 32, 1, true}));
  const Instruction pair = decoded(Arch::sm_90, "00321e000810e7c400000000040379a2");
  EXPECT_EQ(print(pair, 0), "ATOM.E.ADD.BF16x2.RN.STRONG.GPU P0, R3, desc[UR4][R4.64], R0");
  EXPECT_EQ(data_type(pair), (DataType{Kind::bfloat, 16, 2}));
  EXPECT_EQ(access_bytes(pair), 4u);
}

TEST(View, ReadsTheControlWord) {
  const Control control = decoded(Arch::sm_90, "004fe400000000000000000b08087221").control;
  EXPECT_EQ(control.stall, 2u);
  EXPECT_TRUE(control.stay);
  EXPECT_EQ(control.write_barrier, 7u);
  EXPECT_EQ(control.read_barrier, 7u);
  EXPECT_EQ(control.wait_mask, 4u);
}

}  // namespace
}  // namespace heddle::isa
