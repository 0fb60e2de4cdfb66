// FP64 arithmetic and comparisons.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr Facts kDoubleFacts[] = {
    // clang-format off
    {Op::DADD,  Unit::fp64, Work::add,          kDouble},
    {Op::DMUL,  Unit::fp64, Work::multiply,     kDouble},
    {Op::DFMA,  Unit::fp64, Work::multiply_add, kDouble},
    {Op::DSETP, Unit::fp64, Work::compare,      kDouble},
    // clang-format on
};

inline constexpr Row kDoubleRows[] = {
    {Op::DADD, kAll, 0x029, kC, "DADD{rnd@78:2 $rnd} Rd*2, -|A*2|, -|C*2:d|"},
    {Op::DMUL, kAll, 0x028, kB, "DMUL{rnd@78:2 $rnd} Rd*2, -|A*2|, -|B*2:d|"},
    {Op::DFMA, kAll, 0x02b, kBC, "DFMA{rnd@78:2 $rnd} Rd*2, -|A*2|, -|B*2:d|, -|C*2:d|"},
    {Op::DSETP, kAll, 0x02a, kC,
     "DSETP{cmp@76:4 $dcmp}{bop@74:2 $bop} Pu, Pv, -|A*2|, -|S*2:d|, Pp"},
};

}  // namespace heddle::isa
