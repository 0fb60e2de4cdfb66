// Matrix multiply-add on the tensor cores, and moves of matrix fragments.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr Facts kMatrixFacts[] = {
    // clang-format off
    {Op::HMMA, Unit::tensor, Work::product, kHalf},
    {Op::IMMA, Unit::tensor, Work::product, kByte},
    {Op::BMMA, Unit::tensor, Work::product, kBit},
    {Op::DMMA, Unit::fp64,   Work::product, kDouble},
    {Op::MOVM, Unit::alu,    Work::move,    kInteger},
    {Op::QMMA, Unit::tensor, Work::product, kE4m3},
    {Op::OMMA, Unit::tensor, Work::product, kE2m1},
    // clang-format on
};

inline constexpr Row kMatrixRows[] = {
    {Op::HMMA, kSm75, 0x236, kFixed,
     "HMMA.884{mma_dst@76 0:.F16}{mma_src@78 0:.F16}{mma_step@79:2 .STEP0|.STEP1}"
     "{sat@77 |.SATFINITE} Rd*mma, A*mma{mma_row@73 .ROW|.COL}, B*mma{mma_col@74 .ROW|.COL}, "
     "C*mma"},
    {Op::HMMA, kSm75, 0x236, kFixed,
     "HMMA.884{mma_dst@76 1:.F32}{mma_src@78 .F16|.F32}"
     "{mma_step@79:2 .STEP0|.STEP1|.STEP2|.STEP3}{sat@77 |.SATFINITE} Rd*mma, "
     "A*mma{mma_row@73 .ROW|.COL}, B*mma{mma_col@74 .ROW|.COL}, C*mma"},
    {Op::HMMA, kSm75, 0x23c, kFixed,
     "HMMA{mma_shape@75:1/78:1 0:.1688}{mma_dst@76 .F16|.F32} Rd*mma, -A*mma, -B*mma, C*mma"},
    {Op::HMMA, kFrom80, 0x23c, kFixed,
     "HMMA{mma_shape@75:1/78:1 .1688|.16816|.1684}{mma_dst@76 .F16|.F32}"
     "{mma_src@82:2 |.BF16|.TF32} Rd*mma, -A*mma, -B*mma, C*mma"},
    {Op::HMMA, kFrom80, 0x23c, kFixed,
     "HMMA.SP{mma_shape@75:1/78:1 .1688|.16816|3:.16832}{mma_dst@76 .F16|.F32}"
     "{mma_src@82:2 |.BF16|.TF32} Rd*mma, A*mma, B*mma, C*mma, R@40{@50 |.reuse}, "
     "#mma_selector@48:2",
     "73:1=1"},
    // sm_90 has neither four-bit types nor the xor of bits.
    {Op::IMMA, kSm75, 0x237, kFixed,
     "IMMA{mma_shape@75:1/85:2 .8816|2:.8832}{mma_src@76:2/83:1 .U8|.S8|4:.U4|.S4}"
     "{mma_src_b@78:2/84:1 .U8|.S8|4:.U4|.S4}{sat@82 |.SAT} Rd*mma, A*mma{mma_row@73 .ROW}, "
     "B*mma{mma_col@74 1:.COL}, C*mma"},
    {Op::IMMA, kSm80To89, 0x237, kFixed,
     "IMMA{mma_shape@75:1/85:2 .8816|2:.8832|4:.16816|.16832|.16864}"
     "{mma_src@76:2/83:1 .U8|.S8|4:.U4|.S4}{mma_src_b@78:2/84:1 .U8|.S8|4:.U4|.S4}{sat@82 |.SAT} "
     "Rd*mma, A*mma{mma_row@73 .ROW}, B*mma{mma_col@74 1:.COL}, C*mma"},
    {Op::IMMA, kSm80To89, 0x237, kFixed,
     "IMMA.SP{mma_shape@75:1/85:2 5:.16832|.16864|.168128}{mma_src@76:2/83:1 .U8|.S8|4:.U4|.S4}"
     "{mma_src_b@78:2/84:1 .U8|.S8|4:.U4|.S4}{sat@82 |.SAT} Rd*mma, A*mma{mma_row@73 .ROW}, "
     "B*mma{mma_col@74 1:.COL}, C*mma, R@40, #mma_selector@48:2",
     "72:1=1"},
    {Op::IMMA, kFrom90, 0x237, kFixed,
     "IMMA{mma_shape@75:1/85:2 .8816|4:.16816|.16832}{mma_src@76:2/83:1 .U8|.S8}"
     "{mma_src_b@78:2/84:1 .U8|.S8}{sat@82 |.SAT} Rd*mma, A*mma{mma_row@73 .ROW}, "
     "B*mma{mma_col@74 1:.COL}, C*mma"},
    {Op::IMMA, kFrom90, 0x237, kFixed,
     "IMMA.SP{mma_shape@75:1/85:2 5:.16832|.16864}{mma_src@76:2/83:1 .U8|.S8}"
     "{mma_src_b@78:2/84:1 .U8|.S8}{sat@82 |.SAT} Rd*mma, A*mma{mma_row@73 .ROW}, "
     "B*mma{mma_col@74 1:.COL}, C*mma, R@40, #mma_selector@48:2",
     "72:1=1"},
    {Op::BMMA, kSm75, 0x23d, kFixed,
     "BMMA{mma_shape@75:2 0:.88128}.XOR.POPC Rd*mma, A*mma{mma_row@73 .ROW}, "
     "B*mma{mma_col@74 1:.COL}, C*mma",
     "80:1=1"},
    {Op::BMMA, kSm80To89, 0x23d, kFixed,
     "BMMA{mma_shape@75:2 .88128|.168128|.168256}{mma_op@78 .XOR|.AND}.POPC Rd*mma, "
     "A*mma{mma_row@73 .ROW}, B*mma{mma_col@74 1:.COL}, C*mma",
     "80:1=1"},
    {Op::BMMA, kFrom90, 0x23d, kFixed,
     "BMMA{mma_shape@75:2 .88128|.168128|.168256}{mma_op@78 1:.AND}.POPC Rd*mma, "
     "A*mma{mma_row@73 .ROW}, B*mma{mma_col@74 1:.COL}, C*mma",
     "80:1=1"},
    {Op::DMMA, kSm80To89, 0x23f, kFixed,
     "DMMA.884{rnd@78:2 $rnd} Rd*mma, -|A*mma|, -|B*mma|, -|C*mma|"},
    {Op::DMMA, kFrom90, 0x23f, kFixed,
     "DMMA{mma_shape@76:2 .8x8x4|.16x8x4|.16x8x8|.16x8x16}{rnd@78:2 $rnd} Rd*mma, -|A*mma|, "
     "-|B*mma|, -|C*mma|"},
    {Op::MOVM, kFrom100, 0x23a, kFixed,
     "MOVM{ldsm_size@75:3 1:.U4TO8}{ldsm_trans@78:2 1:.M832|.M864} Rd*2, A"},
    {Op::MOVM, kAll, 0x23a, kFixed,
     "MOVM{ldsm_size@75:3 0:.16}{ldsm_trans@78:2 .MT88|.M832|.M864} Rd, A"},
    // Products of eight-bit floats; sm_90 unpacks them to FP16 instead.
    {Op::QMMA, only(Arch::sm_89), 0x27a, kFixed,
     "QMMA{mma_shape@75 .16816|.16832}{mma_dst@77 .F16|.F32}{mma_src@78 .E4M3|.E5M2}"
     "{mma_src_b@79 .E4M3|.E5M2} Rd*mma, A*mma.ROW, B*mma.COL, C*mma",
     "74:1=1"},
    {Op::QMMA, kSm120, 0x27a, kFixed,
     "QMMA{mma_shape@75 .16816|.16832}{mma_dst@77 .F16|.F32}{mma_src@78:1/82:2 $narrow}"
     "{mma_src_b@79:1/84:2 $narrow} Rd*mma, A*mma, B*mma, C*mma",
     "74:1=1"},
    {Op::QMMA, kSm120, 0x27a, kFixed,
     "QMMA.SP{mma_shape@75:2 2:.16864}{mma_dst@77 .F16|.F32}{mma_src@78:1/82:2 $narrow}"
     "{mma_src_b@79:1/84:2 $narrow} Rd*mma, A*mma, B*mma, C*mma, R@40, #mma_selector@48:2",
     "74:1=1 80:1=1"},
    // Blocks of rows of A and of columns of B have scales: two registers, and which of their bytes
    // in a uniform one. OMMA's numbers have four bits.
    {Op::QMMA, kSm120, 0x47a, kFixed,
     "QMMA.SF{mma_shape=1 .16832}{mma_dst=1 .F32}{mma_src@78:1/82:2 $narrow}"
     "{mma_src_b@79:1/84:2 $narrow}{mma_scale=2 .E8} Rd*4, A*4, B*2, C*4, R@40, R@52, "
     "UR@60:3/73:5"},
    {Op::OMMA, kSm120, 0x47f, kFixed,
     "OMMA.SF{mma_shape=1 .16864}{mma_dst=1 .F32}.E2M1.E2M1{mma_scale@82:2 1:.UE4M3.4X|.E8} "
     "Rd*4, A*4, B*2, C*4, R@40, R@52, UR@60:3/73:5"},
    // The metadata of A, and in the register after it A's scales.
    {Op::QMMA, kSm120, 0x47a, kFixed,
     "QMMA.SF.SP{mma_shape=0 .16864}{mma_dst=1 .F32}{mma_src@78:1/82:2 $narrow}"
     "{mma_src_b@79:1/84:2 $narrow}{mma_scale=2 .E8} Rd*4, A*4, B*4, C*4, R@40*2, R@52, "
     "UR@60:3/73:5, #mma_selector@48:2",
     "80:1=1"},
    {Op::OMMA, kSm120, 0x47f, kFixed,
     "OMMA.SF.SP{mma_shape=0 .168128}{mma_dst=1 .F32}.E2M1.E2M1{mma_scale@82:2 1:.UE4M3.4X|.E8} "
     "Rd*4, A*4, B*4, C*4, R@40*2, R@52, UR@60:3/73:5, #mma_selector@48:2",
     "80:1=1"},
};

}  // namespace heddle::isa
