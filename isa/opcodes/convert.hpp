// Conversions between number formats.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr Facts kConvertFacts[] = {
    // clang-format off
    {Op::F2F,  Unit::xu,  Work::convert, kFloat},
    {Op::F2I,  Unit::xu,  Work::convert, kFloat},
    {Op::I2F,  Unit::xu,  Work::convert, kFloat},
    {Op::FRND, Unit::xu,  Work::round,   kFloat},
    {Op::F2FP, Unit::alu, Work::convert, kFloat},
    {Op::I2FP, Unit::alu, Work::convert, kFloat},
    {Op::F2IP, Unit::alu, Work::convert, kFloat},
    // clang-format on
};

inline constexpr Row kConvertRows[] = {
    // dst_fmt and src_fmt as F2F has them: 1 F16, 2 F32, 3 F64, BF16 is 4 in the combined code.
    {Op::F2F, kAll, 0x104, kB,
     "F2F{ftz@80 |.FTZ}{dst_fmt@75:3/84:2 17:.F16.F32|20:.BF16.F32}{rnd@78:2 $rnd} Rd, -|B:f|"},
    {Op::F2F, kAll, 0x104, kB,
     "F2F{ftz@80 |.FTZ}{dst_fmt@75:3/84:2 10:.F32.F16}{rnd@78:2 $rnd} Rd, "
     "-|B:f|{half_sel@60:2 |.H1}"},
    {Op::F2F, kAll, 0x110, kB,
     "F2F{ftz@80 |.FTZ}{dst_fmt@75:3/84:2 19:.F64.F32|25:.F16.F64|.F32.F64}{rnd@78:2 $rnd} "
     "Rd*2(dst_fmt=19), -|B*2(dst_fmt=25,26):f|"},
    {Op::F2F, kAll, 0x110, kB,
     "F2F{ftz@80 |.FTZ}{dst_fmt@75:3/84:2 11:.F64.F16}{rnd@78:2 $rnd} Rd*2, "
     "-|B:f|{half_sel@60:2 |.H1}"},

    // sm_90's source field has a bit more, for BF16: {[86:84],[77:75]} are 6 bits there.
    {Op::F2F, kFrom90, 0x104, kB,
     "F2F{ftz@80 |.FTZ}{dst_fmt@75:3/84:2 12:.BF16.F16}{rnd@78:2 $rnd} Rd, "
     "-|B:f|{half_sel@60:2 |.H1}"},
    {Op::F2F, kFrom90, 0x104, kB,
     "F2F{ftz@80 |.FTZ}{dst_fmt=33 .F16.BF16}{rnd@78:2 $rnd} Rd, -|B:f|{half_sel@60:2 |.H1}",
     "75:3=1 84:3=4"},
    {Op::F2F, kFrom90, 0x110, kB,
     "F2F{ftz@80 |.FTZ}{dst_fmt@75:3/84:2 28:.BF16.F64}{rnd@78:2 $rnd} Rd, -|B*2:f|"},
    {Op::F2F, kFrom90, 0x110, kB,
     "F2F{ftz@80 |.FTZ}{dst_fmt=35 .F64.BF16}{rnd@78:2 $rnd} Rd*2, -|B:f|{half_sel@60:2 |.H1}",
     "75:3=3 84:3=4"},
    {Op::F2I, kFrom90, 0x105, kB,
     "F2I{ftz@80 |.FTZ}{dst_fmt@72:1/75:2 .U8|.S8|.U16|.S16|.U32|}{src_fmt=4 .BF16}"
     "{rnd@78:2 |.FLOOR|.CEIL|.TRUNC}{ntz@77 |.NTZ} Rd, -|B:f|{half_sel@60:2 |.H1}",
     "84:3=4"},
    {Op::F2I, kFrom90, 0x111, kB,
     "F2I{ftz@80 |.FTZ}{dst_fmt@72:1/75:2 6:.U64|.S64}{src_fmt=4 .BF16}"
     "{rnd@78:2 |.FLOOR|.CEIL|.TRUNC}{ntz@77 |.NTZ} Rd*2, -|B:f|{half_sel@60:2 |.H1}",
     "84:3=4"},
    {Op::I2F, kFrom90, 0x112, kB,
     "I2F{dst_fmt=4 .BF16}{src_fmt@74:1/84:2 6:.U64|.S64}{rnd@78:2 $rnd} Rd, B*2:i", "75:3=4"},
    {Op::FRND, kFrom90, 0x107, kB,
     "FRND{ftz@80 |.FTZ}{dst_fmt=36 .BF16}{rnd@78:2 |.FLOOR|.CEIL|.TRUNC} Rd, "
     "-|B:f|{half_sel@60:2 |.H1}",
     "75:3=4 84:3=4"},

    {Op::F2I, kAll, 0x105, kB,
     "F2I{ftz@80 |.FTZ}{dst_fmt@72:1/75:2 .U8|.S8|.U16|.S16|.U32|}{src_fmt@84:2 2:}"
     "{rnd@78:2 |.FLOOR|.CEIL|.TRUNC}{ntz@77 |.NTZ} Rd, -|B:f|"},
    {Op::F2I, kAll, 0x105, kB,
     "F2I{ftz@80 |.FTZ}{dst_fmt@72:1/75:2 .U8|.S8|.U16|.S16|.U32|}{src_fmt@84:2 1:.F16}"
     "{rnd@78:2 |.FLOOR|.CEIL|.TRUNC}{ntz@77 |.NTZ} Rd, -|B:f|{half_sel@60:2 |.H1}"},
    {Op::F2I, kAll, 0x111, kB,
     "F2I{ftz@80 |.FTZ}{dst_fmt@72:1/75:2 6:.U64|.S64}{src_fmt@84:2 2:}"
     "{rnd@78:2 |.FLOOR|.CEIL|.TRUNC}{ntz@77 |.NTZ} Rd*2, -|B:f|"},
    {Op::F2I, kAll, 0x111, kB,
     "F2I{ftz@80 |.FTZ}{dst_fmt@72:1/75:2 .U8|.S8|.U16|.S16|.U32||.U64|.S64}{src_fmt@84:2 3:.F64}"
     "{rnd@78:2 |.FLOOR|.CEIL|.TRUNC}{ntz@77 |.NTZ} Rd*2(dst_fmt=6,7), -|B*2:d|"},
    {Op::F2I, kAll, 0x111, kB,
     "F2I{ftz@80 |.FTZ}{dst_fmt@72:1/75:2 6:.U64|.S64}{src_fmt@84:2 1:.F16}"
     "{rnd@78:2 |.FLOOR|.CEIL|.TRUNC}{ntz@77 |.NTZ} Rd*2, -|B:f|{half_sel@60:2 |.H1}"},

    {Op::I2F, kUpTo89, 0x106, kB,
     "I2F{dst_fmt@75:2 1:.F16|}{src_fmt@74:1/84:2 4:.U32|}{rnd@78:2 $rnd} Rd, B:i"},
    {Op::I2F, kUpTo89, 0x106, kB,
     "I2F{dst_fmt@75:2 1:.F16|}{src_fmt@74:1/84:2 .U8|.S8}{rnd@78:2 $rnd} Rd, "
     "B:i{byte_sel@60:2 |.B1|.B2|.B3}"},
    {Op::I2F, kUpTo89, 0x106, kB,
     "I2F{dst_fmt@75:2 1:.F16|}{src_fmt@74:1/84:2 2:.U16|.S16}{rnd@78:2 $rnd} Rd, "
     "B:i{half_sel@60:2 |.H1}"},
    {Op::I2F, kFrom90, 0x106, kB,
     "I2F{dst_fmt@75:3 1:.F16||4:.BF16}{src_fmt@74:1/84:2 4:.U32|}{rnd@78:2 $rnd} Rd, B:i"},
    {Op::I2F, kFrom90, 0x106, kB,
     "I2F{dst_fmt@75:3 1:.F16||4:.BF16}{src_fmt@74:1/84:2 .U8|.S8}{rnd@78:2 $rnd} Rd, "
     "B:i{byte_sel@60:2 |.B1|.B2|.B3}"},
    {Op::I2F, kFrom90, 0x106, kB,
     "I2F{dst_fmt@75:3 1:.F16||4:.BF16}{src_fmt@74:1/84:2 2:.U16|.S16}{rnd@78:2 $rnd} Rd, "
     "B:i{half_sel@60:2 |.H1}"},
    {Op::I2F, kAll, 0x112, kB,
     "I2F{dst_fmt@75:2 3:.F64}{src_fmt@74:1/84:2 4:.U32|}{rnd@78:2 $rnd} Rd*2, B:i"},
    {Op::I2F, kAll, 0x112, kB,
     "I2F{dst_fmt@75:2 1:.F16||.F64}{src_fmt@74:1/84:2 6:.U64|.S64}{rnd@78:2 $rnd} "
     "Rd*2(dst_fmt=3), B*2:i"},
    {Op::I2F, kAll, 0x112, kB,
     "I2F{dst_fmt@75:2 3:.F64}{src_fmt@74:1/84:2 .U8|.S8}{rnd@78:2 $rnd} Rd*2, "
     "B:i{byte_sel@60:2 |.B1|.B2|.B3}"},
    {Op::I2F, kAll, 0x112, kB,
     "I2F{dst_fmt@75:2 3:.F64}{src_fmt@74:1/84:2 2:.U16|.S16}{rnd@78:2 $rnd} Rd*2, "
     "B:i{half_sel@60:2 |.H1}"},

    {Op::FRND, kAll, 0x107, kB,
     "FRND{ftz@80 |.FTZ}{dst_fmt@75:2/84:2 10:}{rnd@78:2 |.FLOOR|.CEIL|.TRUNC} Rd, -|B:f|"},
    {Op::FRND, kAll, 0x107, kB,
     "FRND{ftz@80 |.FTZ}{dst_fmt@75:2/84:2 5:.F16}{rnd@78:2 |.FLOOR|.CEIL|.TRUNC} Rd, "
     "-|B:f|{half_sel@60:2 |.H1}"},
    {Op::FRND, kAll, 0x113, kB,
     "FRND{ftz@80 |.FTZ}{dst_fmt@75:2/84:2 15:.F64}{rnd@78:2 |.FLOOR|.CEIL|.TRUNC} Rd*2, -|B*2:d|"},

    // sm_89 and later print the formats in full, and have no form that merges with C.
    {Op::F2FP, kSm80And86, 0x03e, kB,
     "F2FP{sat@77 |.SATFINITE}{relu@75 |.RELU}{bf16@76 |.BF16}.PACK_AB{rnd@79:3 0:|3:.RZ} Rd, A, "
     "B:f",
     "64:8=255"},
    {Op::F2FP, kSm80And86, 0x03e, kB,
     "F2FP{sat@77 |.SATFINITE}{relu@75 |.RELU}{bf16@76 |.BF16}{merge@78 1:.MERGE_C}"
     "{rnd@79:3 0:|3:.RZ} Rd, B:f, C{half_sel@72 |.H1}",
     "24:8=255"},
    {Op::F2FP, kFrom89, 0x03e, kB,
     "F2FP{sat@77 |.SATFINITE}{relu@75 |.RELU}{bf16@76 .F16|.BF16}.F32.PACK_AB{rnd@79:3 0:|3:.RZ}"
     " Rd, A, B:f",
     "64:8=255"},
    {Op::F2FP, kFrom89, 0x03e, kB,
     "F2FP{sat@77 |.SATFINITE}{relu@75 |.RELU}{bf16@76 .F16|.BF16}.F32{merge@78 1:.MERGE_C}"
     "{rnd@79:3 0:|3:.RZ} Rd, B:f, C{half_sel@72 |.H1}",
     "24:8=255"},
    // Eight-bit floats; bit 73 or 76 tells the two kinds apart.
    {Op::F2FP, kFrom89, 0x03e, kB,
     "F2FP{sat@77 1:.SATFINITE}{relu@75 |.RELU}{dst_fmt@76 .E5M2|.E4M3}"
     ".F32{pack=4 .PACK_AB_MERGE_C} Rd, A, B:f, C",
     "78:1=1 87:1=1 90:1=1"},
    {Op::F2FP, kFrom89, 0x03e, kB,
     "F2FP{sat@77 1:.SATFINITE}{relu@75 |.RELU}{dst_fmt@76 .E5M2|.E4M3}"
     ".F16{pack=3 .UNPACK_B_MERGE_C} Rd, B:u, C",
     "24:8=255 73:1=1 87:1=1 90:1=1"},
    {Op::F2FP, kFrom89, 0x03e, kB,
     "F2FP{relu@75 |.RELU}.F16{src_fmt@73 .E5M2|.E4M3}{pack=2 .UNPACK_B} Rd, "
     "B:u{half_sel@88 |.H1}",
     "24:8=255 64:8=255 74:1=1 89:1=1"},
    {Op::F2FP, kSm90, 0x03e, kB,
     "F2FP{relu@75 |.RELU}.TF32.F32{pack=1 .PACK_B}{rnd@79:3 0:|3:.RZ} Rd, B:f",
     "24:8=255 64:8=255 76:1=1 78:1=1 86:1=1 89:1=1"},
    {Op::F2FP, kFrom100, 0x03e, kB,
     "F2FP{sat@77 |.SATFINITE}{relu@75 |.RELU}.TF32.F32{pack=1 .PACK_B}{rnd@79:3 0:|3:.RZ} Rd, B:f",
     "24:8=255 64:8=255 76:1=1 78:1=1 86:1=1 89:1=1"},
    // Floats of six and four bits, and exponents alone (E8), which scale others.
    {Op::F2FP, kFrom100, 0x03e, kB,
     "F2FP{sat@77 1:.SATFINITE}{relu@75 |.RELU}{dst_fmt@76:1/85:2 3:.E2M1|6:.E2M3|.E3M2}.F32"
     "{pack=4 .PACK_AB_MERGE_C} Rd, A, B:f, C",
     "78:1=1 90:1=1"},
    {Op::F2FP, kFrom100, 0x03e, kB,
     "F2FP{sat@77 1:.SATFINITE}{relu@75 |.RELU}{dst_fmt@76:1/85:2 3:.E2M1}.F16"
     "{pack=3 .UNPACK_B_MERGE_C} Rd, B:u, C",
     "24:8=255 73:1=1 90:1=1"},
    {Op::F2FP, kFrom100, 0x03e, kB,
     "F2FP{relu@75 |.RELU}.F16{src_fmt@73:2 1:.E2M1}{pack=5 .UNPACK_B} Rd, "
     "B:u{byte_sel@72:1/88:1 |.B1|.B2|.B3}",
     "24:8=255 64:8=255 82:1=1 89:1=1"},
    {Op::F2FP, kFrom100, 0x03e, kB,
     "F2FP{relu@75 |.RELU}.F16{src_fmt@73:2 2:.E2M3|.E3M2}{pack=5 .UNPACK_B} Rd, "
     "B:u{half_sel@88 |.H1}",
     "24:8=255 64:8=255 82:1=1 89:1=1"},
    {Op::F2FP, kFrom100, 0x03e, kB,
     "F2FP{sat@77 |.SATFINITE}{dst_fmt=8 .E8}.F32{pack=4 .PACK_AB_MERGE_C}{rnd@79:3 2:.RP|.RZ} "
     "Rd, A, B:f, C",
     "78:1=1 86:2=3 90:1=1"},
    {Op::F2FP, kFrom100, 0x03e, kB,
     "F2FP{sat@77 |.SATFINITE}{dst_fmt=8 .E8}.BF16{pack=3 .UNPACK_B_MERGE_C}"
     "{rnd@79:3 2:.RP|.RZ} Rd, B:u, C",
     "24:8=255 73:1=1 83:1=1 86:2=3 90:1=1"},
    {Op::F2FP, kFrom100, 0x03e, kB,
     "F2FP.BF16{src_fmt=8 .E8}{pack=5 .UNPACK_B} Rd, B:u{half_sel@88 |.H1}",
     "24:8=255 64:8=255 73:2=3 76:1=1 83:1=1 89:1=1"},
    // Rounded by random bits, which C has.
    {Op::F2FP, kSm100And103, 0x03e, kBC,
     "F2FP{sat@77 |.SATFINITE}{relu@75 |.RELU}{bf16@76 .F16|.BF16}.F32.PACK_AB{rnd@79:3 4:.RS} "
     "Rd, A, B:f, C"},
    {Op::F2FP, kSm100And103, 0x03e, kBC,
     "F2FP{sat@77 1:.SATFINITE}{relu@75 |.RELU}{dst_fmt@76 .E5M2|.E4M3}.F32"
     "{pack=4 .PACK_AB_MERGE_C}{rnd@79:3 4:.RS} Rd, A, B:f, C",
     "78:1=1 87:1=1 90:1=1"},
    {Op::F2FP, kSm100And103, 0x03e, kBC,
     "F2FP{sat@77 1:.SATFINITE}{relu@75 |.RELU}{dst_fmt@76:1/85:2 3:.E2M1|6:.E2M3|.E3M2}.F32"
     "{pack=4 .PACK_AB_MERGE_C}{rnd@79:3 4:.RS} Rd, A, B:f, C",
     "78:1=1 90:1=1"},
    {Op::I2FP, kFrom86, 0x045, kB,
     "I2FP{dst_fmt@75:2 2:.F32}{src_fmt@74:1/84:2 4:.U32|.S32}{rnd@78:2 0:|3:.RZ} Rd, B"},
    {Op::F2IP, kFrom86, 0x043, kB,
     "F2IP{dst_fmt@76 .U8|.S8}.F32{rnd@78:2 |.FLOOR|.CEIL|.TRUNC}{ntz@74 |.NTZ}{relu@75 |.RELU} "
     "Rd, A, B:f, C"},
};

}  // namespace heddle::isa
