// Conversions between number formats.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr Row kConvertRows[] = {
    // dst_fmt and src_fmt as F2F has them: 1 F16, 2 F32, 3 F64, BF16 is 4 in the combined code.
    {Op::F2F, Unit::xu, kAll, 0x104, kB,
     "F2F{ftz@80 |.FTZ}{dst_fmt@75:3/84:2 17:.F16.F32|20:.BF16.F32}{rnd@78:2 $rnd} Rd, -|B:f|"},
    {Op::F2F, Unit::xu, kAll, 0x104, kB,
     "F2F{ftz@80 |.FTZ}{dst_fmt@75:3/84:2 10:.F32.F16}{rnd@78:2 $rnd} Rd, "
     "-|B:f|{half_sel@60:2 |.H1}"},
    {Op::F2F, Unit::xu, kAll, 0x110, kB,
     "F2F{ftz@80 |.FTZ}{dst_fmt@75:3/84:2 19:.F64.F32|25:.F16.F64|.F32.F64}{rnd@78:2 $rnd} Rd, "
     "-|B:f|"},
    {Op::F2F, Unit::xu, kAll, 0x110, kB,
     "F2F{ftz@80 |.FTZ}{dst_fmt@75:3/84:2 11:.F64.F16}{rnd@78:2 $rnd} Rd, "
     "-|B:f|{half_sel@60:2 |.H1}"},

    {Op::F2I, Unit::xu, kAll, 0x105, kB,
     "F2I{ftz@80 |.FTZ}{dst_fmt@72:1/75:2 .U8|.S8|.U16|.S16|.U32|}{src_fmt@84:2 2:}"
     "{rnd@78:2 |.FLOOR|.CEIL|.TRUNC}{ntz@77 |.NTZ} Rd, -|B:f|"},
    {Op::F2I, Unit::xu, kAll, 0x105, kB,
     "F2I{ftz@80 |.FTZ}{dst_fmt@72:1/75:2 .U8|.S8|.U16|.S16|.U32|}{src_fmt@84:2 1:.F16}"
     "{rnd@78:2 |.FLOOR|.CEIL|.TRUNC}{ntz@77 |.NTZ} Rd, -|B:f|{half_sel@60:2 |.H1}"},
    {Op::F2I, Unit::xu, kAll, 0x111, kB,
     "F2I{ftz@80 |.FTZ}{dst_fmt@72:1/75:2 6:.U64|.S64}{src_fmt@84:2 2:}"
     "{rnd@78:2 |.FLOOR|.CEIL|.TRUNC}{ntz@77 |.NTZ} Rd, -|B:f|"},
    {Op::F2I, Unit::xu, kAll, 0x111, kB,
     "F2I{ftz@80 |.FTZ}{dst_fmt@72:1/75:2 .U8|.S8|.U16|.S16|.U32||.U64|.S64}{src_fmt@84:2 3:.F64}"
     "{rnd@78:2 |.FLOOR|.CEIL|.TRUNC}{ntz@77 |.NTZ} Rd, -|B:d|"},
    {Op::F2I, Unit::xu, kAll, 0x111, kB,
     "F2I{ftz@80 |.FTZ}{dst_fmt@72:1/75:2 6:.U64|.S64}{src_fmt@84:2 1:.F16}"
     "{rnd@78:2 |.FLOOR|.CEIL|.TRUNC}{ntz@77 |.NTZ} Rd, -|B:f|{half_sel@60:2 |.H1}"},

    {Op::I2F, Unit::xu, kUpTo89, 0x106, kB,
     "I2F{dst_fmt@75:2 1:.F16|}{src_fmt@74:1/84:2 4:.U32|}{rnd@78:2 $rnd} Rd, B:i"},
    {Op::I2F, Unit::xu, kUpTo89, 0x106, kB,
     "I2F{dst_fmt@75:2 1:.F16|}{src_fmt@74:1/84:2 .U8|.S8}{rnd@78:2 $rnd} Rd, "
     "B:i{byte_sel@60:2 |.B1|.B2|.B3}"},
    {Op::I2F, Unit::xu, kUpTo89, 0x106, kB,
     "I2F{dst_fmt@75:2 1:.F16|}{src_fmt@74:1/84:2 2:.U16|.S16}{rnd@78:2 $rnd} Rd, "
     "B:i{half_sel@60:2 |.H1}"},
    {Op::I2F, Unit::xu, kSm90, 0x106, kB,
     "I2F{dst_fmt@75:3 1:.F16||4:.BF16}{src_fmt@74:1/84:2 4:.U32|}{rnd@78:2 $rnd} Rd, B:i"},
    {Op::I2F, Unit::xu, kSm90, 0x106, kB,
     "I2F{dst_fmt@75:3 1:.F16||4:.BF16}{src_fmt@74:1/84:2 .U8|.S8}{rnd@78:2 $rnd} Rd, "
     "B:i{byte_sel@60:2 |.B1|.B2|.B3}"},
    {Op::I2F, Unit::xu, kSm90, 0x106, kB,
     "I2F{dst_fmt@75:3 1:.F16||4:.BF16}{src_fmt@74:1/84:2 2:.U16|.S16}{rnd@78:2 $rnd} Rd, "
     "B:i{half_sel@60:2 |.H1}"},
    {Op::I2F, Unit::xu, kAll, 0x112, kB,
     "I2F{dst_fmt@75:2 3:.F64}{src_fmt@74:1/84:2 4:.U32|}{rnd@78:2 $rnd} Rd, B:i"},
    {Op::I2F, Unit::xu, kAll, 0x112, kB,
     "I2F{dst_fmt@75:2 1:.F16||.F64}{src_fmt@74:1/84:2 6:.U64|.S64}{rnd@78:2 $rnd} Rd, B:i"},
    {Op::I2F, Unit::xu, kAll, 0x112, kB,
     "I2F{dst_fmt@75:2 3:.F64}{src_fmt@74:1/84:2 .U8|.S8}{rnd@78:2 $rnd} Rd, "
     "B:i{byte_sel@60:2 |.B1|.B2|.B3}"},
    {Op::I2F, Unit::xu, kAll, 0x112, kB,
     "I2F{dst_fmt@75:2 3:.F64}{src_fmt@74:1/84:2 2:.U16|.S16}{rnd@78:2 $rnd} Rd, "
     "B:i{half_sel@60:2 |.H1}"},

    {Op::FRND, Unit::xu, kAll, 0x107, kB,
     "FRND{ftz@80 |.FTZ}{dst_fmt@75:2/84:2 10:}{rnd@78:2 |.FLOOR|.CEIL|.TRUNC} Rd, -|B:f|"},
    {Op::FRND, Unit::xu, kAll, 0x107, kB,
     "FRND{ftz@80 |.FTZ}{dst_fmt@75:2/84:2 5:.F16}{rnd@78:2 |.FLOOR|.CEIL|.TRUNC} Rd, "
     "-|B:f|{half_sel@60:2 |.H1}"},
    {Op::FRND, Unit::xu, kAll, 0x113, kB,
     "FRND{ftz@80 |.FTZ}{dst_fmt@75:2/84:2 15:.F64}{rnd@78:2 |.FLOOR|.CEIL|.TRUNC} Rd, -|B:d|"},

    // sm_89 and later print the formats in full, and have no form that merges with C.
    {Op::F2FP, Unit::alu, kSm80And86, 0x03e, kB,
     "F2FP{sat@77 |.SATFINITE}{relu@75 |.RELU}{bf16@76 |.BF16}.PACK_AB{rnd@79:3 0:|3:.RZ} Rd, A, "
     "B:f",
     "64:8=255"},
    {Op::F2FP, Unit::alu, kSm80And86, 0x03e, kB,
     "F2FP{sat@77 |.SATFINITE}{relu@75 |.RELU}{bf16@76 |.BF16}{merge@78 1:.MERGE_C}"
     "{rnd@79:3 0:|3:.RZ} Rd, B:f, C{half_sel@72 |.H1}",
     "24:8=255"},
    {Op::F2FP, Unit::alu, kFrom89, 0x03e, kB,
     "F2FP{sat@77 |.SATFINITE}{relu@75 |.RELU}{bf16@76 .F16|.BF16}.F32.PACK_AB"
     "{rnd@79:3 0:|3:.RZ} Rd, A, B:f",
     "64:8=255"},
    {Op::I2FP, Unit::alu, kFrom86, 0x045, kB,
     "I2FP{dst_fmt@75:2 2:.F32}{src_fmt@74:1/84:2 4:.U32|.S32}{rnd@78:2 0:|3:.RZ} Rd, B"},
    {Op::F2IP, Unit::alu, kFrom86, 0x043, kB,
     "F2IP{dst_fmt@76 .U8|.S8}.F32{ntz@74 |.NTZ}{relu@75 |.RELU} Rd, A, B:f, C"},
};

}  // namespace heddle::isa
