// Stores of sm_90 that count their bytes at a barrier.
//
// Bits from a public description of sm_90's encodings (cicuvc/nvidia-sass-document) and from what
// ptxas 13.0 makes of every form that PTX has of them.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr Row kBulkRows[] = {
    // The pair holds the address and the barrier.
    {Op::STAS, Unit::lsu, kSm90, 0x1dbd, kFixed,
     "STAS{size@73:3 4:|.64|.128} [A{ra_u32@90 |.64}+?UR@64+O@40:24], B"},
    {Op::REDAS, Unit::lsu, kSm90, 0x1dbe, kFixed,
     "REDAS{atom_op@87:4 $atom_op3}{type@73:3 |.S32|.64} [A{ra_u32@72 |.64}+?UR@64+O@40:24], B"},
};

}  // namespace heddle::isa
