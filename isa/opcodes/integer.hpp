// Integer arithmetic, logic and shifts of the vector datapath.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

// ptxas moves, adds and shifts on the multiply-add pipe where that one is free; nvdisasm names
// what such an IMAD is used for (docs/hardware/machine-code.md).
std::string_view imad_alias(const Instruction& instruction);

inline constexpr Facts kIntegerFacts[] = {
    // clang-format off
    {Op::IADD3,     Unit::alu, Work::add,          kInteger},
    {Op::IMAD,      Unit::fma, Work::multiply_add, kInteger},
    {Op::IMAD_WIDE, Unit::fma, Work::wide_product, kInteger64},
    {Op::IMAD_HI,   Unit::fma, Work::wide_product, kInteger64},
    {Op::LEA,       Unit::alu, Work::shift_add,    kInteger},
    {Op::LEA_HI,    Unit::alu, Work::shift_add,    kInteger},
    {Op::ISETP,     Unit::alu, Work::compare,      kInteger},
    {Op::IMNMX,     Unit::alu, Work::min_max,      kInteger},
    {Op::VIMNMX,    Unit::alu, Work::min_max,      kInteger},
    {Op::VIADD,     Unit::fma, Work::add,          kInteger},
    {Op::VIADDMNMX, Unit::alu, Work::add_min_max,  kInteger},
    {Op::VIMNMX3,   Unit::alu, Work::min_max,      kInteger},
    {Op::LOP3,      Unit::alu, Work::logic,        kInteger},
    {Op::PLOP3,     Unit::alu, Work::logic,        kInteger},
    {Op::SHF,       Unit::alu, Work::shift,        kInteger},
    {Op::PRMT,      Unit::alu, Work::bits,         kInteger},
    {Op::SGXT,      Unit::alu, Work::bits,         kInteger},
    {Op::BMSK,      Unit::alu, Work::bits,         kInteger},
    {Op::SEL,       Unit::alu, Work::select,       kInteger},
    {Op::IABS,      Unit::alu, Work::difference,   kInteger},
    {Op::POPC,      Unit::xu,  Work::bits,         kInteger},
    {Op::BREV,      Unit::xu,  Work::bits,         kInteger},
    {Op::FLO,       Unit::xu,  Work::bits,         kInteger},
    {Op::IDP,       Unit::fma, Work::multiply_add, kInteger},
    {Op::VABSDIFF,  Unit::alu, Work::difference,   kInteger},
    {Op::VABSDIFF4, Unit::alu, Work::difference,   kInteger},
    {Op::I2I,       Unit::alu, Work::convert,      kInteger},
    {Op::I2IP,      Unit::alu, Work::convert,      kInteger},
    {Op::IADD_64,   Unit::alu, Work::add,          kSigned64},
    {Op::ISETP_64,  Unit::alu, Work::compare,      kSigned64},
    {Op::IMNMX_64,  Unit::alu, Work::min_max,      kSigned64},
    {Op::SEL_64,    Unit::alu, Work::select,       kInteger64},
    {Op::MOV_64,    Unit::alu, Work::move,         kInteger64},
    // clang-format on
};

inline constexpr Row kIntegerRows[] = {
    {Op::IADD3, kUpTo90, 0x010, kB, "IADD3 Rd, ?Pu, ?Pv, -A, -B, -C", "87:4=15 77:4=15"},
    {Op::IADD3, kUpTo90, 0x010, kB, "IADD3{x@74 1:.X} Rd, ?Pu, ?Pv, ~A, ~B, ~C, Pp, Pq"},
    {Op::IADD3, kFrom100, 0x010, kB, "IADD3 Rd, Pu, Pv, -A, -B, -C", "87:4=15 77:4=15"},
    {Op::IADD3, kFrom100, 0x010, kB, "IADD3{x@74 1:.X} Rd, Pu, Pv, ~A, ~B, ~C, Pp, Pq"},

    {Op::IMAD, kAll, 0x024, kBC, "IMAD{is_signed@73 .U32|} Rd, A, B, -C", "81:3=7 87:4=15",
     imad_alias},
    {Op::IMAD, kAll, 0x024, kBC, "IMAD{is_signed@73 .U32|}{x@74 1:.X} Rd, A, B, ~C, Pp", "81:3=7"},
    {Op::IMAD_WIDE, kAll, 0x025, kBC, "IMAD.WIDE{is_signed@73 .U32|} Rd*2, ?Pu, A, B, -C*2",
     "87:4=15"},
    {Op::IMAD_WIDE, kAll, 0x025, kBC,
     "IMAD.WIDE{is_signed@73 .U32|}{x@74 1:.X} Rd*2, ?Pu, A, B, ~C*2, Pp"},
    {Op::IMAD_HI, kAll, 0x027, kBC, "IMAD.HI{is_signed@73 .U32|} Rd, ?Pu, A, B, -C*2", "87:4=15"},
    {Op::IMAD_HI, kAll, 0x027, kBC,
     "IMAD.HI{is_signed@73 .U32|}{x@74 1:.X} Rd, ?Pu, A, B, ~C*2, Pp"},

    {Op::LEA, kAll, 0x011, kB, "LEA Rd, ?Pu, -A, -B:u, #shift@75:5", "64:8=255 87:4=15"},
    {Op::LEA, kAll, 0x011, kB, "LEA{x@74 1:.X} Rd, ?Pu, ~A, ~B:u, #shift@75:5, Pp", "64:8=255"},
    {Op::LEA_HI, kAll, 0x011, kB, "LEA{hi@80 1:.HI} Rd, ?Pu, -A, -B:u, C:u, #shift@75:5",
     "87:4=15"},
    {Op::LEA_HI, kAll, 0x011, kB,
     "LEA{hi@80 1:.HI}{x@74 1:.X} Rd, ?Pu, ~A, ~B:u, C:u, #shift@75:5, Pp"},
    // Immediate high word: B moves to bits 71:64, where no bit is left to negate it.
    {Op::LEA_HI, kAll, 0x011, bit(Form::RRI), "LEA{hi@80 1:.HI} Rd, ?Pu, -A, B, C:u, #shift@75:5",
     "87:4=15"},
    {Op::LEA_HI, kAll, 0x011, bit(Form::RRI),
     "LEA{hi@80 1:.HI}{x@74 1:.X} Rd, ?Pu, ~A, B, C:u, #shift@75:5, Pp"},
    {Op::LEA_HI, kAll, 0x011, kB,
     "LEA{hi@80 1:.HI}{sx32@73 1:.SX32} Rd, ?Pu, -A, -B:u, #shift@75:5", "64:8=255 87:4=15"},
    {Op::LEA_HI, kAll, 0x011, kB,
     "LEA{hi@80 1:.HI}{x@74 1:.X}{sx32@73 1:.SX32} Rd, ?Pu, ~A, ~B:u, #shift@75:5, Pp", "64:8=255"},

    {Op::ISETP, kAll, 0x00c, kB,
     "ISETP{cmp@76:3 $icmp}{is_signed@73 .U32|}{bop@74:2 $bop} Pu, Pv, A, B, Pp", "68:4=7"},
    {Op::ISETP, kSm75, 0x00c, kB,
     "ISETP{cmp@76:3 $icmp}{is_signed@73 .U32|}{bop@74:2 $bop}{ex@72 1:.EX} Pu, Pv, A, B, Pp, ?Pr"},
    {Op::ISETP, kFrom80, 0x00c, kB,
     "ISETP{cmp@76:3 $icmp}{is_signed@73 .U32|}{bop@74:2 $bop}{ex@72 1:.EX} Pu, Pv, A, B, Pp, Pr"},

    {Op::IMNMX, kUpTo89, 0x017, kB, "IMNMX{is_signed@73 .U32|} Rd, A, B, Pp"},
    {Op::IMNMX, only(Arch::sm_110), 0x017, kB, "IMNMX{is_signed@73 .U32|} Rd, A, B, Pp",
     "81:3=7 84:3=7 77:4=15"},
    {Op::VIMNMX, kSm90, 0x048, kB,
     "VIMNMX{type@72:2 .U32||.U16x2|.S16x2}{relu@76 |.RELU} Rd, ?Pu, ?Pv, A, B, Pp"},
    {Op::VIMNMX, kSm100To110, 0x048, kB,
     "VIMNMX{type@72:2 .U32||.U16x2|.S16x2}{relu@76 |.RELU} Rd, Pu, Pv, A, B, Pp"},
    {Op::VIMNMX, kSm120, 0x048, kB,
     "VIMNMX{type@72:3 .U32|.S32|.U16x2|.S16x2|.U8x4|.S8x4}{relu@76 |.RELU} Rd, ?Pu, ?Pv, A, B, "
     "Pp"},
    {Op::VIADD, kSm90, 0x036, kB, "VIADD{type@73 |.16x2} Rd, A, -B:u"},
    {Op::VIADD, kFrom100, 0x036, kB, "VIADD{type@73:3 |.16x2|4:.U8x4|.S8x4} Rd, A, -B:u"},
    {Op::VIADD, kSm120, 0x036, kB, "VIADD{type@73:3 2:.S32}{sat@80 1:.ISAT} Rd, A, -B:u"},
    {Op::VIADDMNMX, kFrom90, 0x046, kBC,
     "VIADDMNMX{type@72:2 .U32||.U16x2|.S16x2}{relu@76 |.RELU} Rd, A, -B:u, C:u, Pp"},
    {Op::VIMNMX3, kFrom90, 0x00f, kBC,
     "VIMNMX3{type@72:2 .U32||.U16x2|.S16x2}{relu@76 |.RELU} Rd, A, B:u, C:u, Pp"},

    // Numbers of 64 bits; SEL's and MOV's immediates have 33 and 64 of them.
    {Op::IADD_64, kSm120, 0x035, kB, "IADD{@73 1:.64} Rd*2, ?Pu, -A*2, -B*2", "87:4=15"},
    {Op::IADD_64, kSm120, 0x035, kB, "IADD{@73 1:.64}{x@74 1:.X} Rd*2, ?Pu, ~A*2, ~B*2, Pp"},
    {Op::ISETP_64, kSm120, 0x00c, kB,
     "ISETP{cmp@76:3 $icmp}{is_signed@73 .U64|.S64}{bop@74:2 $bop} Pu, Pv, A*2, B*2, Pp",
     "68:4=7 80:1=1"},
    {Op::IMNMX_64, kSm120, 0x017, kB,
     "IMNMX{is_signed@73 .U64|.S64} Pu, Pv, Rd*2, A*2, B*2, Pp, Pq", "74:1=1"},
    {Op::SEL_64, kSm120, 0x607, kFixed, "SEL.64 Rd*2, A*2, B*2, Pp"},
    {Op::SEL_64, kSm120, 0x407, kFixed, "SEL.64 Rd*2, A*2, Q@32:33, Pp"},
    {Op::MOV_64, kSm120, 0x002, kB, "MOV.64 Rd*2, B*2", "72:4=15 80:1=1"},
    {Op::MOV_64, kSm120, 0x402, kFixed, "MOV.64 Rd*2, Q@24:40/64:24"},

    {Op::LOP3, kAll, 0x012, kB, "LOP3.LUT{pop@80 |.PAND} ?Pu, Rd, A, B:u, C, #lut@72:8, Pp"},
    {Op::PLOP3, kAll, 0x81c, kFixed, "PLOP3.LUT Pu, Pv, Pp, Pq, Pr, #lut@64:3/72:5, #lut2@16:8"},
    {Op::PLOP3, kAll, 0x81c, kFixed, "PLOP3.LUT Pu, Pv, Pp, Pq, UPr, #lut@64:3/72:5, #lut2@16:8",
     "67:1=1"},

    // Bit by bit of registers instead of predicates.
    {Op::PLOP3, kAll, 0x01f, kB, "PLOP3.LUT Pu, Pv, A.SIGN, B.SIGN, C.SIGN, #lut@72:8, #lut2@16:8"},

    {Op::SHF, kAll, 0x019, kBC,
     "SHF{dir@76 .L|.R}{wrap@75 |.W}{type@73:2 $shf_type}{hi@80 |.HI} Rd, A, B:u, C:u"},
    {Op::PRMT, kAll, 0x016, kBC,
     "PRMT{prmt_mode@72:3 |.F4E|.B4E|.RC8|.ECL|.ECR|.RC16} Rd, A, B:u, C:u"},
    {Op::SGXT, kAll, 0x01a, kB, "SGXT{wrap@75 |.W}{is_signed@73 .U32|} Rd, A, B:u"},
    {Op::BMSK, kAll, 0x01b, kB, "BMSK{wrap@75 |.W} Rd, A, B:u"},
    {Op::SEL, kAll, 0x007, kB, "SEL Rd, A, B:u, Pp"},
    {Op::IABS, kAll, 0x013, kB, "IABS Rd, B"},
    {Op::POPC, kAll, 0x109, kB, "POPC Rd, ~B:u"},
    {Op::BREV, kAll, 0x101, kB, "BREV Rd, B:u"},
    {Op::FLO, kAll, 0x100, kB, "FLO{is_signed@73 .U32|}{sh@74 |.SH} Rd, ?Pu, ~B:u"},
    {Op::IDP, kAll, 0x026, kB,
     "IDP{idp_mode@76:2 0:.4A}{signed_a@73 .U8|.S8}{signed_b@74 .U8|.S8} Rd, A, B:u, -C"},
    {Op::IDP, kAll, 0x026, kB,
     "IDP{idp_mode@76:2 1:.2A.LO|3:.2A.HI}{signed_a@73 .U16|.S16}{signed_b@74 .U8|.S8} Rd, A, "
     "B:u, -C"},
    {Op::VABSDIFF, kAll, 0x014, kBC, "VABSDIFF{is_signed@73 .U32|} Rd, ?Pu, A, B, C"},
    {Op::VABSDIFF4, kAll, 0x015, kBC,
     "VABSDIFF4{is_signed@73 .U8|}{accumulate@75 |.ACC} Rd, ?Pu, A, B, C"},
    {Op::I2I, kAll, 0x038, kB, "I2I{dst_fmt@76:2 .U8|.S8|.U16|.S16}.S32.SAT Rd, B"},
    {Op::I2IP, kUpTo89, 0x039, kB,
     "I2IP{dst_fmt@76:3 .U8|.S8|.U16|.S16}.S32.SAT Rd, A, B, C{half_sel@72 |.H1}"},
    {Op::I2IP, kFrom90, 0x039, kB,
     "I2IP{dst_fmt@76:3 .U8|.S8|.U16|.S16}.S32{sat@74:2 |.SAT|.SATRELU} Rd, A, B, "
     "C{half_sel@72 |.H1}"},
    // Where C goes above narrower numbers, the text says how many bits of it are kept.
    {Op::I2IP, kUpTo89, 0x039, kB,
     "I2IP{dst_fmt@76:3 6:.U4|.S4}.S32.SAT Rd, A, B, C{byte_sel=2 .24}", "72:2=2"},
    {Op::I2IP, kUpTo89, 0x039, kB,
     "I2IP{dst_fmt@76:3 4:.U2|.S2}.S32.SAT Rd, A, B, C{byte_sel=3 .28}", "72:2=3"},
    {Op::I2IP, kFrom90, 0x039, kB,
     "I2IP{dst_fmt@76:3 6:.U4|.S4}.S32{sat@74:2 |.SAT|.SATRELU} Rd, A, B, C{byte_sel=2 .24}",
     "72:2=2"},
    {Op::I2IP, kFrom90, 0x039, kB,
     "I2IP{dst_fmt@76:3 4:.U2|.S2}.S32{sat@74:2 |.SAT|.SATRELU} Rd, A, B, C{byte_sel=3 .28}",
     "72:2=3"},
};

}  // namespace heddle::isa
