// FP64 arithmetic and comparisons.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr Row kDoubleRows[] = {
    {Op::DADD, Unit::fp64, kAll, 0x029, kC, "DADD{rnd@78:2 $rnd} Rd, -|A|, -|C:d|"},
    {Op::DMUL, Unit::fp64, kAll, 0x028, kB, "DMUL{rnd@78:2 $rnd} Rd, -|A|, -|B:d|"},
    {Op::DFMA, Unit::fp64, kAll, 0x02b, kBC, "DFMA{rnd@78:2 $rnd} Rd, -|A|, -|B:d|, -|C:d|"},
    {Op::DSETP, Unit::fp64, kAll, 0x02a, kC,
     "DSETP{cmp@76:4 $dcmp}{bop@74:2 $bop} Pu, Pv, -|A|, -|S:d|, Pp"},
};

}  // namespace heddle::isa
