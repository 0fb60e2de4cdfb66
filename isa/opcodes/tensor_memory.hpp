// Tensor memory of sm_100a, sm_103a and sm_110a (PTX tcgen05): products whose sums lie in it, what
// moves numbers to and from it, who owns its columns; and what else Blackwell has for single
// threads.
//
// Bits from what ptxas 13.0 makes of every form that PTX has of them
// (gpu/kernels/micro/tensor_memory_probe).
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr Facts kTensorMemoryFacts[] = {
    // clang-format off
    {Op::UTCHMMA,        Unit::uniform},
    {Op::UTCIMMA,        Unit::uniform},
    {Op::UTCQMMA,        Unit::uniform},
    {Op::UTCOMMA,        Unit::uniform},
    {Op::UTCCP,          Unit::uniform},
    {Op::UTCSHIFT,       Unit::uniform},
    {Op::UTCBAR,         Unit::uniform},
    {Op::UTCATOMSWS,     Unit::uniform},
    {Op::UVIRTCOUNT,     Unit::uniform},
    {Op::LDTM,           Unit::lsu},
    {Op::STTM,           Unit::lsu},
    {Op::UGETNEXTWORKID, Unit::uniform},
    {Op::UMEMSETS,       Unit::uniform},
    {Op::USTGR,          Unit::uniform},
    {Op::UREDGR,         Unit::uniform},
    // clang-format on
};

inline constexpr ArchSet kWithByteProducts = only(Arch::sm_100) | only(Arch::sm_110);
inline constexpr ArchSet kWithReducedLoads = only(Arch::sm_103) | only(Arch::sm_110);

// Of a product: A, B, the sums, the metadata of a sparse A with the description of the product in
// the register behind it, lanes or columns that are left out, and whether the sums are added to.
inline constexpr Row kTensorMemoryRows[] = {
    {Op::UTCHMMA, kSm100To110, 0x15ea, kFixed,
     "UTCHMMA{pair@85 |.2CTA} $tensor_shared_a, gdesc[UB*2], $tensor_sums, ?UX@48*lanes, UPp, "
     "?#mma_scale@75:4"},
    {Op::UTCHMMA, kSm100To110, 0x19ea, kFixed,
     "UTCHMMA{pair@85 |.2CTA}{@74 |.ASHIFT} $tensor_a, gdesc[UB*2], $tensor_sums, ?UX@48*lanes, "
     "UPp, ?#mma_scale@75:4"},
    {Op::UTCHMMA, kSm100To110, 0x15ea, kFixed,
     "UTCHMMA{stationary@83 1:.WS} gdesc[UA*2], $tensor_b, $tensor_sums, ?UX@48*lanes, UPp"},
    {Op::UTCHMMA, kSm100To110, 0x19ea, kFixed,
     "UTCHMMA{stationary@83 1:.WS} tmem[UA], $tensor_b, $tensor_sums, ?UX@48*lanes, UPp"},
    {Op::UTCIMMA, kWithByteProducts, 0x15ea, kFixed,
     "UTCIMMA{pair@85 |.2CTA} $tensor_shared_a, gdesc[UB*2], $tensor_sums, ?UX@48*lanes, UPp",
     "72:2=1"},
    {Op::UTCIMMA, kWithByteProducts, 0x19ea, kFixed,
     "UTCIMMA{pair@85 |.2CTA}{@74 |.ASHIFT} $tensor_a, gdesc[UB*2], $tensor_sums, ?UX@48*lanes, "
     "UPp",
     "72:2=1"},
    {Op::UTCIMMA, kWithByteProducts, 0x15ea, kFixed,
     "UTCIMMA{stationary@83 1:.WS} gdesc[UA*2], $tensor_b, $tensor_sums, ?UX@48*lanes, UPp",
     "72:2=1"},
    {Op::UTCIMMA, kWithByteProducts, 0x19ea, kFixed,
     "UTCIMMA{stationary@83 1:.WS} tmem[UA], $tensor_b, $tensor_sums, ?UX@48*lanes, UPp", "72:2=1"},
    {Op::UTCQMMA, kSm100To110, 0x15ea, kFixed,
     "UTCQMMA{pair@85 |.2CTA} $tensor_shared_a, gdesc[UB*2], $tensor_sums, ?UX@48*lanes, UPp",
     "72:2=3"},
    {Op::UTCQMMA, kSm100To110, 0x19ea, kFixed,
     "UTCQMMA{pair@85 |.2CTA}{@74 |.ASHIFT} $tensor_a, gdesc[UB*2], $tensor_sums, ?UX@48*lanes, "
     "UPp",
     "72:2=3"},
    {Op::UTCQMMA, kSm100To110, 0x15ea, kFixed,
     "UTCQMMA{stationary@83 1:.WS} gdesc[UA*2], $tensor_b, $tensor_sums, ?UX@48*lanes, UPp",
     "72:2=3"},
    {Op::UTCQMMA, kSm100To110, 0x19ea, kFixed,
     "UTCQMMA{stationary@83 1:.WS} tmem[UA], $tensor_b, $tensor_sums, ?UX@48*lanes, UPp", "72:2=3"},
    // With scales of A and of B, in tensor memory at the addresses that a pair of registers holds.
    {Op::UTCQMMA, kSm100To110, 0x1dea, kFixed,
     "UTCQMMA{pair@85 |.2CTA} $tensor_shared_a, gdesc[UB*2], $tensor_sums, tmem[UX@48*2], UPp",
     "72:2=3"},
    {Op::UTCQMMA, kSm100To110, 0x1fea, kFixed,
     "UTCQMMA{pair@85 |.2CTA} $tensor_a, gdesc[UB*2], $tensor_sums, tmem[UX@48*2], UPp", "72:2=3"},
    {Op::UTCOMMA, kWithByteProducts, 0x15ea, kFixed,
     "UTCOMMA{pair@85 |.2CTA}{mma_step@62:2 2:.4X|} $tensor_shared_a, gdesc[UB*2], $tensor_sums, "
     "tmem[UX@48*2], UPp"},
    {Op::UTCOMMA, kWithByteProducts, 0x19ea, kFixed,
     "UTCOMMA{pair@85 |.2CTA}{mma_step@62:2 2:.4X|} $tensor_a, gdesc[UB*2], $tensor_sums, "
     "tmem[UX@48*2], UPp"},
    {Op::UTCOMMA, only(Arch::sm_103), 0x15ea, kFixed,
     "UTCOMMA{pair@85 |.2CTA}{mma_step@62:2 2:.BLOCK16|} $tensor_shared_a, gdesc[UB*2], "
     "$tensor_sums, tmem[UX@48*2], UPp"},
    {Op::UTCOMMA, only(Arch::sm_103), 0x19ea, kFixed,
     "UTCOMMA{pair@85 |.2CTA}{mma_step@62:2 2:.BLOCK16|} $tensor_a, gdesc[UB*2], $tensor_sums, "
     "tmem[UX@48*2], UPp"},

    {Op::UTCCP, kSm100To110, 0x19e7, kFixed,
     "UTCCP.T.S{pair@85 |.2CTA}{tensor_shape@83:2/88:1 |2:.4dp256bit|.128dp128bit|"
     ".2x64dp128bit_lw02_lw13|.2x64dp128bit_lw01_lw23|.4x32dp128bit}"
     "{src_fmt@80:2 |.U4x16P64|.U6x16P32} tmem[UA+O@40:24], gdesc[UB*2]"},
    {Op::UTCSHIFT, kSm100To110, 0x19e6, kFixed,
     "UTCSHIFT{pair@85 |.2CTA}{dir@80 1:.DOWN} tmem[UA+O@40:24]"},
    // What a barrier gets when the products before have ended: UA is where it is, UC the blocks.
    {Op::UTCBAR, kSm100To110, 0x13e9, kFixed, "UTCBAR{pair@85 |.2CTA} [UA], UB", "64=URZ"},
    {Op::UTCBAR, kSm100To110, 0x13e9, kFixed,
     "UTCBAR{pair@85 |.2CTA}{multicast@75 1:.MULTICAST} [UA], UB, UC"},

    // The mask of the columns that blocks on the multiprocessor own.
    {Op::UTCATOMSWS, kSm100To110, 0x15e3, kFixed,
     "UTCATOMSWS{pair@85 |.2CTA}.FIND_AND_SET{@75 1:.ALIGN} UPu, URd, UB"},
    {Op::UTCATOMSWS, kSm100To110, 0x19e3, kFixed, "UTCATOMSWS.AND URd, UB"},
    {Op::UVIRTCOUNT, kSm100To110, 0x84c, kFixed, "UVIRTCOUNT.DEALLOC.SMPOOL #@32:8"},

    {Op::LDTM, kSm100To110, 0x19ee, kFixed,
     "LDTM$tensor_shape{pack@80 |.PACK16BIT} Rd*repeats, tmem[UR@32+O@40:24]"},
    {Op::LDTM, kWithReducedLoads, 0x15ee, kFixed,
     "LDTM.STAT$tensor_shape{redux_op@66:2 .MAX|.MAXABS|.MIN|.MINABS}"
     "{type@64:2 |.S32|.F32}{nan@68 |.NAN} R@24, Rd*repeats, tmem[UR@32+O@40:24]"},
    {Op::STTM, kSm100To110, 0x19ed, kFixed,
     "STTM$tensor_shape{pack@80 |.EXPAND16BIT} tmem[UR@64+O@40:24], B*repeats"},

    // Of the next cluster that waits to be launched: the place of the answer, and its barrier.
    {Op::UGETNEXTWORKID, kFrom100, 0x13ca, kFixed,
     "UGETNEXTWORKID{multicast@72 .SELFCAST|.BROADCAST} [UR@24], [Un]"},
    {Op::UMEMSETS, kFrom100, 0x13cb, kFixed, "UMEMSETS.64 [UA+O@40:24], UB, UC"},

    // One thread's store and addition, which it does not wait for.
    {Op::USTGR, kSm100To110, 0x1377, kFixed,
     "USTGR.E.NA{l2_cop@83:2 .EFL2||.ELL2}{size@73:3 $size}{sem@77:4 $order80a} [UA*2+O@40:24], "
     "UB*data"},
    {Op::UREDGR, kSm100To110, 0x1378, kFixed,
     "UREDGR.E{atom_op@87:3 .ADD}.NA{l2_cop@83:2 .EFL2||.ELL2}{type@73:3 |.S32|.64}"
     "{sem@77:4 $order80a} [UA*2+O@40:24], UB*data"},
};

}  // namespace heddle::isa
