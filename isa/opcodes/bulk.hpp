// The copy engine of sm_90: runs of bytes, tiles of tensors, and stores that count at a barrier.
//
// Bits from a public description of sm_90's encodings (cicuvc/nvidia-sass-document) and from what
// ptxas 13.0 makes of every form that PTX has of them.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr MemoryAccess kBulkCopy{MemoryAccess::Kind::copy, Space::shared,
                                        MemoryAccess::Of::bulk};
inline constexpr MemoryAccess kBulkReduce{MemoryAccess::Kind::reduction, Space::shared,
                                          MemoryAccess::Of::bulk};
inline constexpr MemoryAccess kStoreCounted{MemoryAccess::Kind::store, Space::shared,
                                            MemoryAccess::Of::counted};
inline constexpr MemoryAccess kReduceCounted{MemoryAccess::Kind::reduction, Space::shared,
                                             MemoryAccess::Of::counted};

inline constexpr Facts kBulkFacts[] = {
    // clang-format off
    {Op::UBLKCP,       Unit::uniform, kBulkCopy},
    {Op::UBLKRED,      Unit::uniform, kBulkReduce},
    {Op::UBLKPF,       Unit::uniform},
    {Op::UTMALDG,      Unit::uniform},
    {Op::UTMASTG,      Unit::uniform},
    {Op::UTMAREDG,     Unit::uniform},
    {Op::UTMAPF,       Unit::uniform},
    {Op::UTMACCTL,     Unit::uniform},
    {Op::UTMACMDFLUSH, Unit::uniform, Effect::end_bulk_copies},
    {Op::STAS,         Unit::lsu,     kStoreCounted},
    {Op::REDAS,        Unit::lsu,     kReduceCounted},
    // clang-format on
};

inline constexpr ArchSet kWithoutTensorMemory = kSm90 | kSm120;

inline constexpr Row kBulkRows[] = {
    // UB is the destination; where that is shared memory, the register after it holds the barrier
    // that counts the bytes. UC: how many times 16 bytes, and above bit 16 the blocks that get
    // them.
    {Op::UBLKCP, kFrom90, 0x13ba, kFixed,
     "UBLKCP{to_shared@73 .G|.S}{from_shared@74 .G|.S}{multicast@75 |.MULTICAST} [UB*2], "
     "[UA*2(from_shared=0)], UC"},
    {Op::UBLKCP, kFrom90, 0x13ba, kFixed,
     "UBLKCP{to_shared@73 .G|.S}{from_shared@74 .G|.S}{multicast@75 |.MULTICAST}"
     "{descriptor@76 1:} [UB*2], [UA*2(from_shared=0)], UC, desc[UR@40]"},
    {Op::UBLKCP, kFrom100, 0x13ba, kFixed,
     "UBLKCP{to_shared@73 0:.G}{from_shared@74 1:.S}{byte_mask@84 1:.DST_G_BYTE_MASK} [UB*2], "
     "[UA], UC"},
    {Op::UBLKCP, kFrom100, 0x13ba, kFixed,
     "UBLKCP{to_shared@73 0:.G}{from_shared@74 1:.S}{byte_mask@84 1:.DST_G_BYTE_MASK}"
     "{descriptor@76 1:} [UB*2], [UA], UC, desc[UR@40]"},
    {Op::UBLKRED, kFrom90, 0x13bb, kFixed,
     "UBLKRED{to_shared@73 .G|.S}{from_shared@74 1:.S}{atom_op@87:3 $atom_op3}"
     "{type@81:4 $bulk_type} [UB*2], [UA], UC"},
    {Op::UBLKRED, kFrom90, 0x13bb, kFixed,
     "UBLKRED{to_shared@73 .G|.S}{from_shared@74 1:.S}{atom_op@87:3 $atom_op3}"
     "{type@81:4 $bulk_type}{descriptor@76 1:} [UB*2], [UA], UC, desc[UR@40]"},
    {Op::UBLKPF, kFrom90, 0x13bc, kFixed, "UBLKPF.L2 [UA*2], UC"},
    {Op::UBLKPF, kFrom90, 0x13bc, kFixed, "UBLKPF.L2{descriptor@76 1:} [UA*2], UC, desc[UR@40]"},

    // UA is the address of a tensor map; UB the first of the registers that hold the place in
    // shared
    // memory, the barrier and the coordinates.
    {Op::UTMALDG, kWithoutTensorMemory, 0x15b4, kFixed,
     "UTMALDG{dimension@79:3 $tensor} [UB*dims+2], [UA*2]"},
    {Op::UTMALDG, kWithoutTensorMemory, 0x15b4, kFixed,
     "UTMALDG{dimension@79:3 $tensor}{descriptor@76 1:} [UB*dims+2], [UA*2], desc[UR@40]"},
    {Op::UTMALDG, kWithoutTensorMemory, 0x13b4, kFixed,
     "UTMALDG{dimension@79:3 $tensor}{im2col@82 |.IM2COL}{multicast@75 |.MULTICAST} [UB*dims+2], "
     "[UA*2], UC"},
    {Op::UTMALDG, kWithoutTensorMemory, 0x13b4, kFixed,
     "UTMALDG{dimension@79:3 $tensor}{im2col@82 |.IM2COL}{multicast@75 |.MULTICAST}"
     "{descriptor@76 1:} [UB*dims+2], [UA*2], UC, desc[UR@40]"},
    // With tensor memory: barriers of a pair of blocks, and four rows of two dimensions, whose
    // numbers follow the column's.
    {Op::UTMALDG, kSm100To110, 0x15b4, kFixed,
     "UTMALDG{dimension@79:3 $tensor}{pair@85 |.2CTA} [UB*dims+2], [UA*2]"},
    {Op::UTMALDG, kSm100To110, 0x15b4, kFixed,
     "UTMALDG{dimension@79:3 $tensor}{pair@85 |.2CTA}{descriptor@76 1:} [UB*dims+2], [UA*2], "
     "desc[UR@40]"},
    {Op::UTMALDG, kSm100To110, 0x13b4, kFixed,
     "UTMALDG{dimension@79:3 $tensor}$tensor_mode [UB*dims+2], [UA*2], UC"},
    {Op::UTMALDG, kSm100To110, 0x13b4, kFixed,
     "UTMALDG{dimension@79:3 $tensor}$tensor_mode{descriptor@76 1:} [UB*dims+2], [UA*2], UC, "
     "desc[UR@40]"},
    {Op::UTMALDG, kSm100To110, 0x15b4, kFixed,
     "UTMALDG{dimension@79:3 1:.2D}$gather4{pair@85 |.2CTA} [UB*dims+5], [UA*2]"},
    {Op::UTMALDG, kSm100To110, 0x15b4, kFixed,
     "UTMALDG{dimension@79:3 1:.2D}$gather4{pair@85 |.2CTA}{descriptor@76 1:} [UB*dims+5], "
     "[UA*2], desc[UR@40]"},
    {Op::UTMALDG, kSm100To110, 0x13b4, kFixed,
     "UTMALDG{dimension@79:3 1:.2D}$gather4{multicast@75 |.MULTICAST}{pair@85 |.2CTA} "
     "[UB*dims+5], [UA*2], UC"},
    {Op::UTMALDG, kSm100To110, 0x13b4, kFixed,
     "UTMALDG{dimension@79:3 1:.2D}$gather4{multicast@75 |.MULTICAST}{pair@85 |.2CTA}"
     "{descriptor@76 1:} [UB*dims+5], [UA*2], UC, desc[UR@40]"},
    {Op::UTMASTG, kFrom90, 0x13b5, kFixed,
     "UTMASTG{dimension@79:3 $tensor}{im2col@82 |.IM2COL} [UB*dims+1], [UA*2]"},
    {Op::UTMASTG, kFrom90, 0x13b5, kFixed,
     "UTMASTG{dimension@79:3 $tensor}{im2col@82 |.IM2COL}{descriptor@76 1:} [UB*dims+1], [UA*2], "
     "desc[UR@40]"},
    {Op::UTMASTG, kSm100To110, 0x13b5, kFixed,
     "UTMASTG{dimension@79:3 1:.2D}{gathers@83 1:.SCATTER4} [UB*dims+4], [UA*2]"},
    {Op::UTMAREDG, kFrom90, 0x13b6, kFixed,
     "UTMAREDG{dimension@79:3 $tensor}{im2col@82 |.IM2COL}{atom_op@87:3 $atom_op3} [UB*dims+1], "
     "[UA*2]"},
    {Op::UTMAREDG, kFrom90, 0x13b6, kFixed,
     "UTMAREDG{dimension@79:3 $tensor}{im2col@82 |.IM2COL}{atom_op@87:3 $atom_op3}"
     "{descriptor@76 1:} [UB*dims+1], [UA*2], desc[UR@40]"},
    {Op::UTMAPF, kFrom90, 0x15b8, kFixed, "UTMAPF.L2{dimension@79:3 $tensor} [UB*dims+0], [UA*2]"},
    {Op::UTMAPF, kFrom90, 0x15b8, kFixed,
     "UTMAPF.L2{dimension@79:3 $tensor}{descriptor@76 1:} [UB*dims+0], [UA*2], desc[UR@40]"},
    {Op::UTMAPF, kWithoutTensorMemory, 0x13b8, kFixed,
     "UTMAPF.L2{dimension@79:3 $tensor}{im2col@82 1:.IM2COL} [UB*dims+0], [UA*2], UC"},
    {Op::UTMAPF, kWithoutTensorMemory, 0x13b8, kFixed,
     "UTMAPF.L2{dimension@79:3 $tensor}{im2col@82 1:.IM2COL}{descriptor@76 1:} [UB*dims+0], "
     "[UA*2], UC, "
     "desc[UR@40]"},
    {Op::UTMAPF, kSm100To110, 0x13b8, kFixed,
     "UTMAPF.L2{dimension@79:3 $tensor}{im2col@82:2 1:.IM2COL|.W128|.W} [UB*dims+0], [UA*2], UC"},
    {Op::UTMAPF, kSm100To110, 0x13b8, kFixed,
     "UTMAPF.L2{dimension@79:3 $tensor}{im2col@82:2 1:.IM2COL|.W128|.W}{descriptor@76 1:} "
     "[UB*dims+0], [UA*2], UC, desc[UR@40]"},
    {Op::UTMAPF, kSm100To110, 0x15b8, kFixed,
     "UTMAPF.L2{dimension@79:3 1:.2D}$gather4 [UB*dims+3], [UA*2]"},
    {Op::UTMACCTL, kFrom90, 0x19b9, kFixed, "UTMACCTL{cache_op@82 .IV|.PF} [UA*2]"},
    {Op::UTMACMDFLUSH, kFrom90, 0x9b7, kFixed, "UTMACMDFLUSH"},

    // The pair holds the address and the barrier.
    {Op::STAS, kFrom90, 0x1dbd, kFixed,
     "STAS{size@73:3 4:|.64|.128} [A*2{ra_u32@90 |.64}+?UR@64+O@40:24], B*data"},
    {Op::REDAS, kFrom90, 0x1dbe, kFixed,
     "REDAS{atom_op@87:4 $atom_op3}{type@73:3 |.S32|.64} [A*2{ra_u32@72 |.64}+?UR@64+O@40:24], "
     "B*data"},
};

}  // namespace heddle::isa
