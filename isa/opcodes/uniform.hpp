// The uniform datapath: one value per warp.
#pragma once

#include "isa/opcodes/memory.hpp"
#include "isa/row.hpp"

namespace heddle::isa {

std::string_view ur2up_alias(const Instruction& instruction);

inline constexpr Facts kUniformFacts[] = {
    // clang-format off
    {Op::UIADD3,     Unit::uniform, Work::add,          kInteger},
    {Op::UIADD3_64,  Unit::uniform, Work::add,          kInteger64},
    {Op::UIMAD,      Unit::uniform, Work::multiply_add, kInteger},
    {Op::UIMAD_WIDE, Unit::uniform, Work::wide_product, kInteger64},
    {Op::ULEA,       Unit::uniform, Work::shift_add,    kInteger},
    {Op::ULEA_HI,    Unit::uniform, Work::shift_add,    kInteger},
    {Op::UISETP,     Unit::uniform, Work::compare,      kInteger},
    {Op::ULOP3,      Unit::uniform, Work::logic,        kInteger},
    {Op::UPLOP3,     Unit::uniform, Work::logic,        kInteger},
    {Op::USHF,       Unit::uniform, Work::shift,        kInteger},
    {Op::UPRMT,      Unit::uniform, Work::bits,         kInteger},
    {Op::USGXT,      Unit::uniform, Work::bits,         kInteger},
    {Op::UBMSK,      Unit::uniform, Work::bits,         kInteger},
    {Op::USEL,       Unit::uniform, Work::select,       kInteger},
    {Op::UMOV,       Unit::uniform, Work::move,         kInteger},
    {Op::UPOPC,      Unit::uniform, Work::bits,         kInteger},
    {Op::UBREV,      Unit::uniform, Work::bits,         kInteger},
    {Op::UFLO,       Unit::uniform, Work::bits,         kInteger},
    {Op::ULDC,       Unit::uniform, kLoadConstant},
    {Op::S2UR,       Unit::adu,     Work::move,         kInteger},
    {Op::UP2UR,      Unit::uniform, Work::move,         kInteger},
    {Op::UR2UP,      Unit::uniform, Work::move,         kInteger},
    // clang-format on
};

inline constexpr Row kUniformRows[] = {
    {Op::UIADD3, kAll, 0x1090, kUB, "UIADD3 URd, ?UPu, ?UPv, -UA, -UB, -UC", "87:4=15 77:4=15"},
    {Op::UIADD3, kAll, 0x1090, kUB, "UIADD3{x@74 1:.X} URd, ?UPu, ?UPv, ~UA, ~UB, ~UC, UPp, UPq"},
    {Op::UIADD3_64, kAll, 0x1097, kUB, "UIADD3.64 URd*2, ?UPu, ?UPv, -UA*2, -UB*2, -UC*2",
     "87:4=15 77:4=15"},
    {Op::UIMAD, kAll, 0x10a4, kUBC, "UIMAD{is_signed@73 .U32|} URd, UA, UB, -UC", "81:3=7 87:4=15"},
    {Op::UIMAD, kAll, 0x10a4, kUBC, "UIMAD{is_signed@73 .U32|}{x@74 1:.X} URd, UA, UB, ~UC, UPp",
     "81:3=7"},
    {Op::UIMAD_WIDE, kAll, 0x10a5, kUB, "UIMAD.WIDE{is_signed@73 .U32|} URd*2, ?UPu, UA, UB, -UC*2",
     "87:4=15"},
    {Op::UIMAD_WIDE, kAll, 0x10a5, kUB,
     "UIMAD.WIDE{is_signed@73 .U32|}{x@74 1:.X} URd*2, ?UPu, UA, UB, ~UC*2, UPp"},
    {Op::ULEA, kAll, 0x1091, kUB, "ULEA URd, ?UPu, -UA, -UB:u, #shift@75:5", "64:6=63 87:4=15"},
    {Op::ULEA, kAll, 0x1091, kUB, "ULEA{x@74 1:.X} URd, ?UPu, ~UA, ~UB:u, #shift@75:5, UPp",
     "64:6=63"},
    {Op::ULEA_HI, kAll, 0x1091, kUB, "ULEA{hi@80 1:.HI} URd, ?UPu, -UA, -UB:u, UC:u, #shift@75:5",
     "87:4=15"},
    {Op::ULEA_HI, kAll, 0x1091, kUB,
     "ULEA{hi@80 1:.HI}{x@74 1:.X} URd, ?UPu, ~UA, ~UB:u, UC:u, #shift@75:5, UPp"},
    // Immediate high word: B moves to bits 71:64, where no bit is left to negate it.
    {Op::ULEA_HI, kAll, 0x1091, bit(Form::RRI),
     "ULEA{hi@80 1:.HI} URd, ?UPu, -UA, UB, UC:u, #shift@75:5", "87:4=15"},
    {Op::ULEA_HI, kAll, 0x1091, bit(Form::RRI),
     "ULEA{hi@80 1:.HI}{x@74 1:.X} URd, ?UPu, ~UA, UB, UC:u, #shift@75:5, UPp"},
    {Op::ULEA_HI, kAll, 0x1091, kUB,
     "ULEA{hi@80 1:.HI}{sx32@73 1:.SX32} URd, ?UPu, -UA, -UB:u, #shift@75:5", "64:6=63 87:4=15"},
    {Op::ULEA_HI, kAll, 0x1091, kUB,
     "ULEA{hi@80 1:.HI}{x@74 1:.X}{sx32@73 1:.SX32} URd, ?UPu, ~UA, ~UB:u, #shift@75:5, UPp",
     "64:6=63"},
    {Op::UISETP, kAll, 0x108c, kUB,
     "UISETP{cmp@76:3 $icmp}{is_signed@73 .U32|}{bop@74:2 $bop} UPu, UPv, UA, UB, UPp", "68:4=7"},
    {Op::UISETP, kAll, 0x108c, kUB,
     "UISETP{cmp@76:3 $icmp}{is_signed@73 .U32|}{bop@74:2 $bop}{ex@72 1:.EX} UPu, UPv, UA, UB, "
     "UPp, UPr"},
    {Op::ULOP3, kAll, 0x1092, kUB,
     "ULOP3.LUT{pop@80 |.PAND} ?UPu, URd, UA, UB:u, UC, #lut@72:8, UPp"},
    {Op::UPLOP3, kAll, 0x89c, kFixed,
     "UPLOP3.LUT UPu, UPv, UPp, UPq, UPr, #lut@64:3/72:5, #lut2@16:8"},
    // Of registers' signs, as PLOP3's (add.sat.s32 of values that the warp shares).
    {Op::UPLOP3, kAll, 0x109f, kUB,
     "UPLOP3.LUT UPu, UPv, UA.SIGN, UB.SIGN, UC.SIGN, #lut@72:8, #lut2@16:8"},
    {Op::USHF, kAll, 0x1099, kUBC,
     "USHF{dir@76 .L|.R}{wrap@75 |.W}{type@73:2 $shf_type}{hi@80 |.HI} URd, UA, UB:u, UC:u"},
    {Op::UPRMT, kAll, 0x1096, kUB, "UPRMT URd, UA, UB:u, UC"},
    {Op::USGXT, kAll, 0x109a, kUB, "USGXT{wrap@75 |.W}{is_signed@73 .U32|} URd, UA, UB:u"},
    {Op::UBMSK, kAll, 0x109b, kUB, "UBMSK{wrap@75 |.W} URd, UA, UB:u"},
    {Op::USEL, kAll, 0x1087, kUB, "USEL URd, UA, UB:u, UPp"},
    {Op::UMOV, kAll, 0x882, kFixed, "UMOV URd, UI"},
    {Op::UMOV, kAll, 0x1c82, kFixed, "UMOV URd, UB"},
    {Op::UPOPC, kAll, 0x10bf, kUB, "UPOPC URd, ~UB:u"},
    {Op::UBREV, kAll, 0x10be, kUB, "UBREV URd, UB:u"},
    {Op::UFLO, kAll, 0x10bd, kUB, "UFLO{is_signed@73 .U32|}{sh@74 |.SH} URd, ?UPu, ~UB:u"},
    {Op::ULDC, kAll, 0xab9, kFixed, "ULDC{size@73:3 .U8|.S8|.U16|.S16||.64} URd*data, K"},
    {Op::ULDC, kAll, 0x1abb, kFixed, "ULDC{size@73:3 .U8|.S8|.U16|.S16||.64} URd*data, UL"},
    {Op::S2UR, kAll, 0x9c3, kFixed, "S2UR URd, SR"},
    {Op::UP2UR, kAll, 0x1883, kFixed, "UP2UR{insert@76:2 |.B1|.B2|.B3} URd, UPR, UA, UI"},
    {Op::UR2UP, kSm90, 0x1884, kFixed, "UR2UP UPR, UA{insert@76:2 |.B1|.B2|.B3}, UI", "",
     ur2up_alias},
};

}  // namespace heddle::isa
