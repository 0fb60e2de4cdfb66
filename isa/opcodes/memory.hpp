// Loads and stores.
//
// Six layouts each: sm_75; sm_80 and later; both with a uniform register in the address; and, from
// sm_80 on, with a descriptor in it. Mod::sem is the raw field, which sm_80 numbers otherwise.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr MemoryAccess kLoadGlobal{MemoryAccess::Kind::load, Space::global};
inline constexpr MemoryAccess kLoadGeneric{MemoryAccess::Kind::load, Space::generic};
inline constexpr MemoryAccess kLoadShared{MemoryAccess::Kind::load, Space::shared};
inline constexpr MemoryAccess kLoadLocal{MemoryAccess::Kind::load, Space::local};
inline constexpr MemoryAccess kLoadConstant{MemoryAccess::Kind::load, Space::constant};
inline constexpr MemoryAccess kLoadRows{MemoryAccess::Kind::load, Space::shared,
                                        MemoryAccess::Of::rows};
inline constexpr MemoryAccess kCopy{MemoryAccess::Kind::copy, Space::global};
inline constexpr MemoryAccess kStoreGlobal{MemoryAccess::Kind::store, Space::global};
inline constexpr MemoryAccess kStoreGeneric{MemoryAccess::Kind::store, Space::generic};
inline constexpr MemoryAccess kStoreShared{MemoryAccess::Kind::store, Space::shared};
inline constexpr MemoryAccess kStoreLocal{MemoryAccess::Kind::store, Space::local};
inline constexpr MemoryAccess kStoreRows{MemoryAccess::Kind::store, Space::shared,
                                         MemoryAccess::Of::rows};

inline constexpr Facts kMemoryFacts[] = {
    // clang-format off
    {Op::LDG,       Unit::lsu, kLoadGlobal},
    {Op::LD,        Unit::lsu, kLoadGeneric},
    {Op::STG,       Unit::lsu, kStoreGlobal},
    {Op::ST,        Unit::lsu, kStoreGeneric},
    {Op::LDS,       Unit::lsu, kLoadShared},
    {Op::STS,       Unit::lsu, kStoreShared},
    {Op::LDL,       Unit::lsu, kLoadLocal},
    {Op::STL,       Unit::lsu, kStoreLocal},
    {Op::LDC,       Unit::adu, kLoadConstant},
    {Op::LDSM,      Unit::lsu, kLoadRows},
    {Op::STSM,      Unit::lsu, kStoreRows},
    {Op::LDGSTS,    Unit::lsu, kCopy},
    {Op::LDGDEPBAR, Unit::lsu, Effect::end_copies},
    // clang-format on
};

// Eight words of each thread, four in adjoining registers and four in others.
inline constexpr DataType kEightWords{DataType::Kind::unsigned_integer, 32, 8};
inline constexpr Facts kWideLoad{Op::LDG, Unit::lsu, kLoadGlobal, kEightWords};
inline constexpr Facts kWideStore{Op::STG, Unit::lsu, kStoreGlobal, kEightWords};

inline constexpr Row kMemoryRows[] = {
    {Op::LDG, kSm75, 0x381, kFixed, "LDG$ld75 ?Pu, Rd*data, $plain, ?Pz"},
    {Op::LDG, kSm75, 0x1981, kFixed, "LDG$ld75 ?Pu, Rd*data, $uniform32, ?Pz"},
    {Op::LDG, kFrom80, 0x381, kFixed, "LDG$ld80 ?Pu, Rd*data, $plain, ?Pz"},
    {Op::LDG, kFrom80, 0x1981, kFixed, "LDG$ld80 ?Pu, Rd*data, $uniform32, ?Pz"},
    {Op::LDG, kSm80To89, 0x1981, kFixed,
     "LDG$ld80d{descriptor@76 1:} ?Pu, Rd*data, $hidden32, ?Pz"},
    {Op::LDG, kFrom90, 0x1981, kFixed, "LDG$ld80d{descriptor@76 1:} ?Pu, Rd*data, $desc32, ?Pz"},

    // The words that the mask leaves out have no registers: R4 and R6 of mask 0x31 hold the words
    // 0, 4 and 5.
    {Op::LDG, kFrom100, 0x197e, kFixed,
     "LDG.E{cop@84:3 $cop}{l2_cop@81:2 .EFL2|.ENL2|.ELL2}{prefetch@73:2 $prefetch}.256"
     "{sem@77:4 $order80}{descriptor@76 1:} R@64*words+4, Rd*words+0, "
     "desc[UR@32][A*2.64+O@40:17*32], "
     "?&word_mask@57:7/72:1, ?Pz@87:4",
     "75:1=1", nullptr, &kWideLoad},

    {Op::LD, kSm75, 0x980, kFixed, "LD$ld75 Rd*data, [A+O@32:32], ?Pz"},
    {Op::LD, kSm75, 0x1980, kFixed, "LD$ld75 Rd*data, $uniform32, ?Pz"},
    {Op::LD, kFrom80, 0x980, kFixed, "LD$ld80 Rd*data, [A+O@32:32], ?Pz"},
    {Op::LD, kFrom80, 0x1980, kFixed, "LD$ld80 Rd*data, $uniform32, ?Pz"},
    {Op::LD, kSm80To89, 0x1980, kFixed, "LD$ld80d{descriptor@76 1:} Rd*data, $hidden32, ?Pz"},
    {Op::LD, kFrom90, 0x1980, kFixed, "LD$ld80d{descriptor@76 1:} Rd*data, $desc32, ?Pz"},

    {Op::STG, kSm75, 0x386, kFixed, "STG$st75 $plain, B*data"},
    {Op::STG, kSm75, 0x1986, kFixed, "STG$st75 $uniform64, B*data"},
    {Op::STG, kFrom80, 0x386, kFixed, "STG$st80 $plain, B*data"},
    {Op::STG, kFrom80, 0x1986, kFixed, "STG$st80 $uniform64, B*data"},
    {Op::STG, kSm80To89, 0x1986, kFixed, "STG$st80d{descriptor@76 1:} $hidden64, B*data"},
    {Op::STG, kFrom90, 0x1986, kFixed, "STG$st80d{descriptor@76 1:} $desc64, B*data"},

    {Op::STG, kFrom100, 0x197f, kFixed,
     "STG.E{cop@84:3 $cop}{l2_cop@81:2 .EFL2|.ENL2|.ELL2}.256{sem@77:4 $order80a}"
     "{descriptor@76 1:} desc[UR@64][A*2.64+O@40:19*32], B*words+0, R@16*words+4, "
     "?&word_mask@59:5/88:3",
     "75:1=1", nullptr, &kWideStore},

    {Op::ST, kSm75, 0x385, kFixed, "ST$st75 [A+O@32:32], C*data"},
    {Op::ST, kSm75, 0x1985, kFixed, "ST$st75 $uniform64, B*data"},
    {Op::ST, kFrom80, 0x385, kFixed, "ST$st80 [A+O@32:32], C*data"},
    {Op::ST, kFrom80, 0x1985, kFixed, "ST$st80 $uniform64, B*data"},
    {Op::ST, kSm80To89, 0x1985, kFixed, "ST$st80d{descriptor@76 1:} $hidden64, B*data"},
    {Op::ST, kFrom90, 0x1985, kFixed, "ST$st80d{descriptor@76 1:} $desc64, B*data"},

    // Size codes 8 to 14 are the `.U` forms that ptxas uses on sm_75 alone; no difference in the
    // value is known.
    {Op::LDS, kSm75, 0x984, kFixed,
     "LDS{size@73:4 $lds_size} Rd*data, [A{stride@78:2 $stride}+O@40:24]"},
    {Op::LDS, kSm75, 0x1984, kFixed,
     "LDS{size@73:4 $lds_size} Rd*data, [A{stride@78:2 $stride}+UR@32+O@40:24]"},
    {Op::LDS, kFrom80, 0x984, kFixed,
     "LDS{size@73:3 $size} Rd*data, [A{stride@78:2 $stride}+O@40:24]"},
    {Op::LDS, kFrom80, 0x1984, kFixed,
     "LDS{size@73:3 $size} Rd*data, [A{stride@78:2 $stride}+UR@32+O@40:24]"},
    {Op::STS, kAll, 0x388, kFixed, "STS{size@73:3 $size} [A{stride@78:2 $stride}+O@40:24], B*data"},
    {Op::STS, kAll, 0x1988, kFixed,
     "STS{size@73:3 $size} [A{stride@78:2 $stride}+UR@64+O@40:24], B*data"},
    {Op::LDL, kAll, 0x983, kFixed, "LDL{cop@84:3 $cop}{size@73:3 $size} Rd*data, [A+O@40:24]"},
    {Op::LDL, kAll, 0x1983, kFixed,
     "LDL{cop@84:3 $cop}{size@73:3 $size} Rd*data, [A+UR@32+O@40:24]"},
    {Op::STL, kAll, 0x387, kFixed, "STL{cop@84:3 $cop}{size@73:3 $size} [A+O@40:24], B*data"},
    {Op::STL, kAll, 0x1987, kFixed,
     "STL{cop@84:3 $cop}{size@73:3 $size} [A+UR@64+O@40:24], B*data"},

    {Op::LDC, kAll, 0xb82, kFixed,
     "LDC{size@73:3 .U8|.S8|.U16|.S16||.64}{ldc_mode@78:2 |.IL|.IS|.ISL} Rd*data, L"},
    {Op::LDSM, kAll, 0x83b, kFixed,
     "LDSM{ldsm_size@75:3 0:.16}{ldsm_trans@78:2 .M88|.MT88}{ldsm_num@72:2 |.2|.4} Rd*data, "
     "[A+O@40:24]"},
    {Op::LDSM, kAll, 0x183b, kFixed,
     "LDSM{ldsm_size@75:3 0:.16}{ldsm_trans@78:2 .M88|.MT88}{ldsm_num@72:2 |.2|.4} Rd*data, "
     "[A+UR@32+O@40:24]"},
    {Op::STSM, kFrom90, 0x844, kFixed,
     "STSM{ldsm_size@75:3 0:.16}{ldsm_trans@78:2 .M88|.MT88}{ldsm_num@72:2 |.2|.4} [A+O@40:24], "
     "B*data"},
    // Matrices of bytes; of numbers of six and four bits in pieces of 16 bytes, which become bytes.
    {Op::LDSM, kFrom100, 0x83b, kFixed,
     "LDSM{ldsm_size@75:3 5:.U4x16P64TO8|.U6x16P32TO8}{ldsm_trans@78:3 2:.M816}"
     "{ldsm_num@72:2 |.2|.4} Rd*data, [A+O@40:24]"},
    {Op::LDSM, kFrom100, 0x183b, kFixed,
     "LDSM{ldsm_size@75:3 5:.U4x16P64TO8|.U6x16P32TO8}{ldsm_trans@78:3 2:.M816}"
     "{ldsm_num@72:2 |.2|.4} Rd*data, [A+UR@32+O@40:24]"},
    {Op::LDSM, kFrom100, 0x83b, kFixed,
     "LDSM{ldsm_size@75:3 5:.U4x16P64TO8|.U6x16P32TO8|.8}{ldsm_trans@78:3 4:.MT1616}"
     "{ldsm_num@72:1 |.2} Rd*data, [A+O@40:24]"},
    {Op::LDSM, kFrom100, 0x183b, kFixed,
     "LDSM{ldsm_size@75:3 5:.U4x16P64TO8|.U6x16P32TO8|.8}{ldsm_trans@78:3 4:.MT1616}"
     "{ldsm_num@72:1 |.2} Rd*data, [A+UR@32+O@40:24]"},
    {Op::STSM, kFrom100, 0x844, kFixed,
     "STSM{ldsm_size@75:3 1:.8}{ldsm_trans@78:3 2:.MT168}{ldsm_num@72:2 |.2|.4} [A+O@40:24], "
     "B*data"},

    // Copies global to shared memory without a register. UR belongs to the global address in one
    // opcode and to the shared one in the other, where the descriptor is in the register after it.
    {Op::LDGSTS, kSm80To90, 0x1fae, kFixed,
     "LDGSTS$ldgsts [?Rd+O@44:20], [A{ra_u32@70 .U32|.64}+?UR@64*2+G@32:12], ?Pp"},
    {Op::LDGSTS, kSm80To89, 0x1fae, kFixed,
     "LDGSTS$ldgsts{descriptor@76 1:} [?Rd+O@44:20], "
     "Uh@64:6/101:1[A{ra_u32@70 .U32|.64}+G@32:12], ?Pp"},
    {Op::LDGSTS, kSm90, 0x1fae, kFixed,
     "LDGSTS$ldgsts{descriptor@76 1:} [?Rd+O@44:20], desc[UR@64][A{ra_u32@70 .U32|.64}+G@32:12], "
     "?Pp"},
    {Op::LDGSTS, kSm80To90, 0x1dae, kFixed,
     "LDGSTS$ldgsts [?Rd+UR@64+O@44:20], [A{ra_u32@70 .U32|.64}+G@32:12], ?Pp"},
    {Op::LDGSTS, kSm80To89, 0x1dae, kFixed,
     "LDGSTS$ldgsts{descriptor@76 1:}{@101 0:} [?Rd+UR@64+O@44:20], "
     "[A{ra_u32@70 .U32|.64}+G@32:12], ?Pp"},
    {Op::LDGSTS, kSm80To89, 0x1dae, kFixed,
     "LDGSTS$ldgsts{descriptor@76 1:}{@101 1:} [?Rd+UR@64+O@44:20], "
     "desc[Un*2][A{ra_u32@70 .U32|.64}+G@32:12], ?Pp"},
    {Op::LDGSTS, kSm90, 0x1dae, kFixed,
     "LDGSTS$ldgsts{descriptor@76 1:} [?Rd+UR@64+O@44:20], "
     "desc[Un*2][A{ra_u32@70 .U32|.64}+G@32:12], ?Pp"},
    {Op::LDGSTS, kFrom100, 0x1fae, kFixed,
     "LDGSTS$ldgsts100 [?Rd+O@44:20], [A{ra_u32@83 .U32|.64}+?UR@64*2+G@32:12], ?Pp"},
    {Op::LDGSTS, kFrom100, 0x1fae, kFixed,
     "LDGSTS$ldgsts100{descriptor@76 1:} [?Rd+O@44:20], "
     "desc[UR@64][A{ra_u32@83 .U32|.64}+G@32:12], ?Pp"},
    {Op::LDGSTS, kFrom100, 0x1dae, kFixed,
     "LDGSTS$ldgsts100 [?Rd+UR@64+O@44:20], [A{ra_u32@83 .U32|.64}+G@32:12], ?Pp"},
    {Op::LDGSTS, kFrom100, 0x1dae, kFixed,
     "LDGSTS$ldgsts100{descriptor@76 1:} [?Rd+UR@64+O@44:20], "
     "desc[Un*2][A{ra_u32@83 .U32|.64}+G@32:12], ?Pp"},
    {Op::LDGDEPBAR, kFrom80, 0x9af, kFixed, "LDGDEPBAR"},
};

}  // namespace heddle::isa
