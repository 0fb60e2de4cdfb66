// Moves between registers, predicates and special registers.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

std::string_view r2p_alias(const Instruction& instruction);

inline constexpr Row kMoveRows[] = {
    // The byte-quad mask is printed only when some bytes are left alone.
    {Op::MOV, Unit::alu, kAll, 0x002, kB, "MOV Rd, B:u", "72:4=15"},
    {Op::MOV, Unit::alu, kAll, 0x002, kB,
     "MOV Rd, B:u, {qmode@72:4 0x0|0x1|0x2|0x3|0x4|0x5|0x6|0x7|0x8|0x9|0xa|0xb|0xc|0xd|0xe}"},
    {Op::P2R, Unit::alu, kAll, 0x003, kB, "P2R{insert@76:2 |.B1|.B2|.B3} Rd, PR, A, B:u"},
    {Op::R2P,
     Unit::alu,
     kAll,
     0x004,
     kB,
     "R2P PR, A{insert@76:2 |.B1|.B2|.B3}, B:u",
     "",
     {},
     r2p_alias},
    {Op::S2R, Unit::adu, kAll, 0x919, kFixed, "S2R Rd, SR"},
    {Op::CS2R, Unit::alu, kAll, 0x805, kFixed, "CS2R{width@80 .32|} Rd, SR"},
    {Op::B2R, Unit::adu, kAll, 0x31c, kFixed, "B2R{b2r_mode@78:2 1:.RESULT} Rd, ?Pu"},
    {Op::LEPC, Unit::cbu, kUpTo89, 0x34e, kFixed, "LEPC Rd"},
    {Op::LEPC, Unit::cbu, kSm90, 0x94e, kFixed, "LEPC Rd, Tb@24:58"},
    {Op::R2UR, Unit::adu, kUpTo89, 0x3c2, kFixed, "R2UR ?Pu, URd, A"},
    {Op::R2UR, Unit::adu, kUpTo89, 0x3c2, kFixed, "R2UR{other0@84 1:.OR} Pu, URd, A"},
    {Op::R2UR, Unit::alu, kSm90, 0x2ca, kFixed, "R2UR ?Pu, URd, A"},
    {Op::R2UR, Unit::alu, kSm90, 0x2ca, kFixed, "R2UR{other0@84 1:.OR} Pu, URd, A"},
};

}  // namespace heddle::isa
