// Products of matrices by a group of four warps (PTX wgmma), whose factors lie in shared memory, A
// in registers where one wants; what waits for them, and what hands registers from warp to warp.
//
// Bits from a public description of sm_90's encodings (cicuvc/nvidia-sass-document) and from what
// ptxas 13.0 makes of every form that PTX has of them (gpu/kernels/micro/warpgroup_probe).
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr Facts kWarpgroupFacts[] = {
    // clang-format off
    {Op::HGMMA,      Unit::tensor,  Work::product, kHalf},
    {Op::IGMMA,      Unit::tensor,  Work::product, kByte},
    {Op::QGMMA,      Unit::tensor,  Work::product, kE4m3},
    {Op::BGMMA,      Unit::tensor,  Work::product, kBit},
    {Op::WARPGROUP,  Unit::cbu},
    {Op::USETMAXREG, Unit::uniform},
    // clang-format on
};

// The uniform predicate says whether C is added. Of the metadata of a sparse A a selector says who
// has them, but for bytes.
inline constexpr Row kWarpgroupRows[] = {
    {Op::HGMMA, kSm90, 0x1df0, kFixed,
     "HGMMA{mma_shape@53:5 $group_k16}{mma_dst@75 0:.F16}{mma_src@76:2 0:} "
     "Rd*mma, $group_b, C*mma, ?UPz@87, $group_end"},
    {Op::HGMMA, kSm90, 0x1df0, kFixed,
     "HGMMA{mma_shape@53:5 $group_k16}{mma_dst@75 1:.F32}{mma_src@76:2 |.BF16} "
     "Rd*mma, $group_b, C*mma, ?UPz@87, $group_end"},
    {Op::HGMMA, kSm90, 0x19f0, kFixed,
     "HGMMA{mma_shape@53:5 $group_k16}{mma_dst@75 0:.F16}{mma_src@76:2 0:} "
     "Rd*mma, $group_ab, C*mma, ?UPz@87, $group_end"},
    {Op::HGMMA, kSm90, 0x19f0, kFixed,
     "HGMMA{mma_shape@53:5 $group_k16}{mma_dst@75 1:.F32}{mma_src@76:2 |.BF16} "
     "Rd*mma, $group_ab, C*mma, ?UPz@87, $group_end"},
    {Op::HGMMA, kSm90, 0x1df0, kFixed,
     "HGMMA{mma_shape@53:5 $group_k8}{mma_dst@75 1:.F32}{mma_src@76:2 2:.TF32} "
     "Rd*mma, $group_b, C*mma, ?UPz@87, $group_end",
     "58:1=1"},
    {Op::HGMMA, kSm90, 0x19f0, kFixed,
     "HGMMA{mma_shape@53:5 $group_k8}{mma_dst@75 1:.F32}{mma_src@76:2 2:.TF32} "
     "Rd*mma, $group_ab, C*mma, ?UPz@87, $group_end",
     "58:1=1"},
    {Op::HGMMA, kSm90, 0x1df0, kFixed,
     "HGMMA.SP{mma_shape@53:5 $group_k32}{mma_dst@75 0:.F16}{mma_src@76:2 0:} "
     "Rd*mma, $group_b, C*mma, ?UPz@87, R@40{@50 |.reuse}, #mma_selector@48:2, $group_end",
     "73:1=1 59:1=1"},
    {Op::HGMMA, kSm90, 0x1df0, kFixed,
     "HGMMA.SP{mma_shape@53:5 $group_k32}{mma_dst@75 1:.F32}{mma_src@76:2 |.BF16} "
     "Rd*mma, $group_b, C*mma, ?UPz@87, R@40{@50 |.reuse}, #mma_selector@48:2, $group_end",
     "73:1=1 59:1=1"},
    {Op::HGMMA, kSm90, 0x19f0, kFixed,
     "HGMMA.SP{mma_shape@53:5 $group_k32}{mma_dst@75 0:.F16}{mma_src@76:2 0:} "
     "Rd*mma, $group_ab, C*mma, ?UPz@87, R@40{@50 |.reuse}, #mma_selector@48:2, $group_end",
     "73:1=1 59:1=1"},
    {Op::HGMMA, kSm90, 0x19f0, kFixed,
     "HGMMA.SP{mma_shape@53:5 $group_k32}{mma_dst@75 1:.F32}{mma_src@76:2 |.BF16} "
     "Rd*mma, $group_ab, C*mma, ?UPz@87, R@40{@50 |.reuse}, #mma_selector@48:2, $group_end",
     "73:1=1 59:1=1"},
    {Op::HGMMA, kSm90, 0x1df0, kFixed,
     "HGMMA.SP{mma_shape@53:5 $group_k16}{mma_dst@75 1:.F32}{mma_src@76:2 2:.TF32} "
     "Rd*mma, $group_b, C*mma, ?UPz@87, R@40{@50 |.reuse}, #mma_selector@48:2, $group_end",
     "73:1=1"},
    {Op::HGMMA, kSm90, 0x19f0, kFixed,
     "HGMMA.SP{mma_shape@53:5 $group_k16}{mma_dst@75 1:.F32}{mma_src@76:2 2:.TF32} "
     "Rd*mma, $group_ab, C*mma, ?UPz@87, R@40{@50 |.reuse}, #mma_selector@48:2, $group_end",
     "73:1=1"},
    {Op::IGMMA, kSm90, 0x1df1, kFixed,
     "IGMMA{mma_shape@53:6 $group_bytes}{mma_src@76 .U8|.S8}{mma_src_b@82 .U8|.S8}{sat@75 |.SAT} "
     "Rd*mma, $group_b, C*mma, ?UPz@87, $group_end"},
    {Op::IGMMA, kSm90, 0x19f1, kFixed,
     "IGMMA{mma_shape@53:6 $group_bytes}{mma_src@76 .U8|.S8}{mma_src_b@82 .U8|.S8}{sat@75 |.SAT} "
     "Rd*mma, $group_ab, C*mma, ?UPz@87, $group_end"},
    {Op::IGMMA, kSm90, 0x1df1, kFixed,
     "IGMMA.SP{mma_shape@53:6 $group_bytes_sparse}{mma_src@76 .U8|.S8}{mma_src_b@82 "
     ".U8|.S8}{sat@75 |.SAT} "
     "Rd*mma, $group_b, C*mma, ?UPz@87, R@40{@50 |.reuse}{mma_selector=0 }, $group_end",
     "73:1=1"},
    {Op::IGMMA, kSm90, 0x19f1, kFixed,
     "IGMMA.SP{mma_shape@53:6 $group_bytes_sparse}{mma_src@76 .U8|.S8}{mma_src_b@82 "
     ".U8|.S8}{sat@75 |.SAT} "
     "Rd*mma, $group_ab, C*mma, ?UPz@87, R@40{@50 |.reuse}{mma_selector=0 }, $group_end",
     "73:1=1"},
    {Op::QGMMA, kSm90, 0x1df3, kFixed,
     "QGMMA{mma_shape@53:5 $group_k32}{mma_dst@75 .F16|.F32}{mma_src@76 .E4M3|.E5M2}{mma_src_b@77 "
     ".E4M3|.E5M2} "
     "Rd*mma, $group_b, C*mma, ?UPz@87, $group_end"},
    {Op::QGMMA, kSm90, 0x19f3, kFixed,
     "QGMMA{mma_shape@53:5 $group_k32}{mma_dst@75 .F16|.F32}{mma_src@76 .E4M3|.E5M2}{mma_src_b@77 "
     ".E4M3|.E5M2} "
     "Rd*mma, $group_ab, C*mma, ?UPz@87, $group_end"},
    {Op::QGMMA, kSm90, 0x1df3, kFixed,
     "QGMMA.SP{mma_shape@53:5 $group_k64}{mma_dst@75 .F16|.F32}{mma_src@76 "
     ".E4M3|.E5M2}{mma_src_b@77 .E4M3|.E5M2} "
     "Rd*mma, $group_b, C*mma, ?UPz@87, R@40{@50 |.reuse}{mma_selector=0 }, $group_end",
     "73:1=1 58:1=1"},
    {Op::QGMMA, kSm90, 0x19f3, kFixed,
     "QGMMA.SP{mma_shape@53:5 $group_k64}{mma_dst@75 .F16|.F32}{mma_src@76 "
     ".E4M3|.E5M2}{mma_src_b@77 .E4M3|.E5M2} "
     "Rd*mma, $group_ab, C*mma, ?UPz@87, R@40{@50 |.reuse}{mma_selector=0 }, $group_end",
     "73:1=1 58:1=1"},
    {Op::BGMMA, kSm90, 0x1df2, kFixed,
     "BGMMA{mma_shape@53:5 $group_bits}{mma_op@78 1:.AND}.POPC "
     "Rd*mma, $group_b, C*mma, ?UPz@87, $group_end",
     "80:1=1"},
    {Op::BGMMA, kSm90, 0x19f2, kFixed,
     "BGMMA{mma_shape@53:5 $group_bits}{mma_op@78 1:.AND}.POPC "
     "Rd*mma, $group_ab, C*mma, ?UPz@87, $group_end",
     "80:1=1"},
    {Op::WARPGROUP, kSm90, 0x9c5, kFixed, "WARPGROUP{@80 0:.ARRIVE}"},
    {Op::WARPGROUP, kSm90, 0x9c5, kFixed,
     "WARPGROUP{@80 1:.DEPBAR}{le@47 1:.LE} {sb_index@44:3 0:gsb0}, #sb_count@72:3"},
    {Op::USETMAXREG, kFrom90, 0x19c8, kFixed,
     "USETMAXREG{register_pool@72:2 1:.DEALLOC|.TRY_ALLOC}{@74 |.CTAPOOL} ?UPu, "
     "#register_count@32:10"},
};

}  // namespace heddle::isa
