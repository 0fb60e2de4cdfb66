// Atomic operations and reductions.
#pragma once

#include "isa/encoding.hpp"

namespace heddle::isa {

inline constexpr MemoryAccess kAtomicGeneric{MemoryAccess::Kind::atomic, Space::generic};
inline constexpr MemoryAccess kAtomicGlobal{MemoryAccess::Kind::atomic, Space::global};
inline constexpr MemoryAccess kAtomicShared{MemoryAccess::Kind::atomic, Space::shared};
inline constexpr MemoryAccess kReduceGeneric{MemoryAccess::Kind::reduction, Space::generic};

inline constexpr Row kAtomicRows[] = {
    {Op::ATOMS, Unit::lsu, kAll, 0x38c, kFixed,
     "ATOMS{atom_op@87:4 $atoms_op}{type@73:2 |.S32|.64} Rd, [A{stride@78:2 $stride}+O@40:24], B",
     "64:8=255", kAtomicShared},
    {Op::ATOMS, Unit::lsu, kAll, 0x198c, kFixed,
     "ATOMS{atom_op@87:4 $atoms_op}{type@73:2 |.S32|.64} Rd, [A{stride@78:2 "
     "$stride}+UR@64+O@40:24], B",
     "", kAtomicShared},
    {Op::ATOMS_CAS, Unit::lsu, kAll, 0x38d, kFixed,
     "ATOMS{other0@87:2 .CAS|3:.CAST.SPIN}{type@73:2 |.S32|.64} Rd, [A{stride@78:2 "
     "$stride}+O@40:24], B, C",
     "", kAtomicShared},
};

}  // namespace heddle::isa
