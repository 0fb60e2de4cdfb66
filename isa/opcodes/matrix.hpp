// Matrix multiply-add on the tensor cores.
#pragma once

#include "isa/encoding.hpp"

namespace heddle::isa {

inline constexpr Row kMatrixRows[] = {
    {Op::HMMA, Unit::tensor, kAll, 0x23c, kFixed,
     "HMMA{mma_shape@75:1/78:1 .1688|.16816|.1684}{mma_dst@76 .F16|.F32}{mma_src@82:2 |.BF16|.TF32}"
     "{sat@77 |.SATFINITE} Rd, -A, -B, C"},
};

}  // namespace heddle::isa
