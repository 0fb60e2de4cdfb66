// Moves between registers, predicates and special registers.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

std::string_view r2p_alias(const Instruction& instruction);

inline constexpr Facts kMoveFacts[] = {
    // clang-format off
    {Op::MOV,  Unit::alu, Work::move, kInteger},
    {Op::P2R,  Unit::alu, Work::move, kInteger},
    {Op::R2P,  Unit::alu, Work::move, kInteger},
    {Op::S2R,  Unit::adu, Work::read_special, kInteger},
    {Op::CS2R, Unit::alu, Work::read_special, kInteger},
    {Op::B2R,  Unit::adu, Work::move, kInteger},
    {Op::LEPC, Unit::cbu, Work::move, kInteger},
    {Op::R2UR, Unit::adu, Work::move, kInteger},
    {Op::CS2UR, Unit::uniform, Work::read_special, kInteger},
    // clang-format on
};

// It moved to another unit.
inline constexpr Facts kR2urFrom90{Op::R2UR, Unit::alu, Work::move, kInteger};

inline constexpr Row kMoveRows[] = {
    // The byte-quad mask is printed only when some bytes are left alone.
    {Op::MOV, kAll, 0x002, kB, "MOV Rd, B:u", "72:4=15"},
    {Op::MOV, kAll, 0x002, kB,
     "MOV Rd, B:u, {qmode@72:4 0x0|0x1|0x2|0x3|0x4|0x5|0x6|0x7|0x8|0x9|0xa|0xb|0xc|0xd|0xe}"},
    {Op::P2R, kAll, 0x003, kB, "P2R{insert@76:2 |.B1|.B2|.B3} Rd, PR, A, B:u"},
    {Op::R2P, kAll, 0x004, kB, "R2P PR, A{insert@76:2 |.B1|.B2|.B3}, B:u", "", r2p_alias},
    {Op::S2R, kAll, 0x919, kFixed, "S2R Rd, SR"},
    {Op::CS2R, kAll, 0x805, kFixed, "CS2R{width@80 .32|} Rd*2(width=1), SR"},
    {Op::B2R, kAll, 0x31c, kFixed, "B2R{b2r_mode@78:2 1:.RESULT} Rd, ?Pu"},
    {Op::LEPC, kUpTo89, 0x34e, kFixed, "LEPC Rd*2"},
    {Op::LEPC, kFrom90, 0x94e, kFixed, "LEPC Rd*2, Tb@24:58"},
    {Op::R2UR, kUpTo89, 0x3c2, kFixed, "R2UR ?Pu, URd, A"},
    {Op::R2UR, kUpTo89, 0x3c2, kFixed, "R2UR{combine@84 1:.OR} ^Pu, URd, A"},
    {Op::R2UR, kSm90, 0x2ca, kFixed, "R2UR ?Pu, URd, A", "", nullptr, &kR2urFrom90},
    {Op::R2UR, kFrom100, 0x2ca, kFixed, "R2UR{@87 |.BROADCAST} ?Pu, URd, A", "", nullptr,
     &kR2urFrom90},
    {Op::CS2UR, kSm120, 0x8cb, kFixed, "CS2UR{width@80 .32|} URd*2(width=1), SR"},
    {Op::R2UR, kFrom90, 0x2ca, kFixed, "R2UR{combine@84 1:.OR} ^Pu, URd, A", "", nullptr,
     &kR2urFrom90},
};

}  // namespace heddle::isa
