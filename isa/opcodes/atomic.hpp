// Atomic operations and reductions.
//
// Up to sm_89 one opcode takes every data type; sm_90 moved the floating-point ones to opcodes of
// their own, whose type field has a bit more (docs/hardware/machine-code.md, 3.6). Mod::type is the
// raw value.
#pragma once

#include "isa/opcodes/memory.hpp"
#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr MemoryAccess kAtomicGeneric{MemoryAccess::Kind::atomic, Space::generic};
inline constexpr MemoryAccess kAtomicGlobal{MemoryAccess::Kind::atomic, Space::global};
inline constexpr MemoryAccess kAtomicShared{MemoryAccess::Kind::atomic, Space::shared};
inline constexpr MemoryAccess kSwapGeneric{MemoryAccess::Kind::atomic, Space::generic,
                                           MemoryAccess::Of::swap};
inline constexpr MemoryAccess kSwapGlobal{MemoryAccess::Kind::atomic, Space::global,
                                          MemoryAccess::Of::swap};
inline constexpr MemoryAccess kSwapShared{MemoryAccess::Kind::atomic, Space::shared,
                                          MemoryAccess::Of::swap};
// RED takes generic addresses, but the compiler emits it for global memory alone.
inline constexpr MemoryAccess kReduceGlobal{MemoryAccess::Kind::reduction, Space::global};

inline constexpr MemoryAccess kBarrierAtomic{MemoryAccess::Kind::atomic, Space::shared,
                                             MemoryAccess::Of::barrier};
inline constexpr MemoryAccess kBarrierLoad{MemoryAccess::Kind::load, Space::shared,
                                           MemoryAccess::Of::barrier};

inline constexpr Facts kAtomicFacts[] = {
    // clang-format off
    {Op::ATOM,         Unit::lsu, kAtomicGeneric},
    {Op::ATOM_CAS,     Unit::lsu, kSwapGeneric},
    {Op::ATOMG,        Unit::lsu, kAtomicGlobal},
    {Op::ATOMG_CAS,    Unit::lsu, kSwapGlobal},
    {Op::ATOMS,        Unit::lsu, kAtomicShared},
    {Op::ATOMS_CAS,    Unit::lsu, kSwapShared},
    {Op::ATOMS_ARRIVE, Unit::lsu, kAtomicShared},
    {Op::ATOM_ARRIVE,  Unit::lsu, kAtomicGeneric},
    {Op::ARRIVES,      Unit::lsu},
    {Op::SYNCS,        Unit::lsu, kBarrierAtomic},
    {Op::RED,          Unit::lsu, kReduceGlobal},
    {Op::LDGMC,        Unit::lsu},
    {Op::QSPC,         Unit::lsu},
    // clang-format on
};

// The forms of SYNCS that are not an arrival.
inline constexpr Facts kBarrierTest{Op::SYNCS, Unit::lsu, kBarrierLoad};
inline constexpr Facts kBarrierExchange{Op::SYNCS, Unit::uniform, kBarrierAtomic};
inline constexpr Facts kBarrierInvalidate{
    Op::SYNCS, Unit::lsu, {MemoryAccess::Kind::none, Space::shared, MemoryAccess::Of::barrier}};

inline constexpr Facts kBarriersInvalidate{Op::SYNCS, Unit::lsu};

inline constexpr Row kAtomicRows[] = {
    {Op::ATOM, kSm75, 0x38a, kFixed, "ATOM$atom75 Pu, Rd*data, $plain, B*data", "64:8=255"},
    {Op::ATOM, kSm75, 0x198a, kFixed, "ATOM$atom75 Pu, Rd*data, $uniform64a, B*data"},
    {Op::ATOM, kSm80To89, 0x38a, kFixed, "ATOM$atom80 Pu, Rd*data, $plain, B*data"},
    {Op::ATOM, kSm80To89, 0x198a, kFixed, "ATOM$atom80 Pu, Rd*data, $uniform64a, B*data"},
    {Op::ATOM, kSm80To89, 0x198a, kFixed,
     "ATOM$atom80d{descriptor@71 1:} Pu, Rd*data, $hidden64a, B*data"},
    {Op::ATOM, kFrom90, 0x38a, kFixed, "ATOM$atom90 Pu, Rd*data, $plain, B*data"},
    {Op::ATOM, kSm90, 0x198a, kFixed, "ATOM$atom90 Pu, Rd*data, $uniform64a, B*data"},
    {Op::ATOM, kSm90, 0x198a, kFixed,
     "ATOM$atom90d{descriptor@71 1:} Pu, Rd*data, $desc64a, B*data"},
    {Op::ATOM, kFrom100, 0x198a, kFixed, "ATOM$atom90 Pu, Rd*data, $uniform64b, B*data"},
    {Op::ATOM, kFrom100, 0x198a, kFixed,
     "ATOM$atom90d{descriptor@76 1:} Pu, Rd*data, $desc64b, B*data"},
    {Op::ATOM, kSm90, 0x19a2, kFixed, "ATOM$fatom Pu, Rd*data, $uniform64a, B*data"},
    {Op::ATOM, kSm90, 0x19a2, kFixed,
     "ATOM$fatomd{descriptor@71 1:} Pu, Rd*data, $desc64a, B*data"},
    {Op::ATOM, kFrom100, 0x19a2, kFixed, "ATOM$fatom Pu, Rd*data, $uniform64b, B*data"},
    {Op::ATOM, kFrom100, 0x19a2, kFixed,
     "ATOM$fatomd{descriptor@90 1:} Pu, Rd*data, $desc64b, B*data"},
    {Op::ATOM, kFrom90, 0x3a2, kFixed, "ATOM$fatom Pu, Rd*data, $plain, B*data"},
    {Op::ATOM_CAS, kSm75, 0x38b, kFixed, "ATOM$cas75 Pu, Rd*data, $plain, B*data, C*data"},
    {Op::ATOM_CAS, kSm80To89, 0x38b, kFixed, "ATOM$cas80 Pu, Rd*data, $plain, B*data, C*data"},
    {Op::ATOM_CAS, kFrom90, 0x38b, kFixed, "ATOM$cas90 Pu, Rd*data, $plain, B*data, C*data"},

    {Op::ATOMG, kSm75, 0x3a8, kFixed, "ATOMG$atom75 Pu, Rd*data, $plain, B*data", "64:8=255"},
    {Op::ATOMG, kSm75, 0x19a8, kFixed, "ATOMG$atom75 Pu, Rd*data, $uniform64a, B*data"},
    {Op::ATOMG, kSm80To89, 0x3a8, kFixed, "ATOMG$atom80 Pu, Rd*data, $plain, B*data"},
    {Op::ATOMG, kSm80To89, 0x19a8, kFixed, "ATOMG$atom80 Pu, Rd*data, $uniform64a, B*data"},
    {Op::ATOMG, kSm80To89, 0x19a8, kFixed,
     "ATOMG$atom80d{descriptor@71 1:} Pu, Rd*data, $hidden64a, B*data"},
    {Op::ATOMG, kFrom90, 0x3a8, kFixed, "ATOMG$atom90 Pu, Rd*data, $plain, B*data"},
    {Op::ATOMG, kSm90, 0x19a8, kFixed, "ATOMG$atom90 Pu, Rd*data, $uniform64a, B*data"},
    {Op::ATOMG, kSm90, 0x19a8, kFixed,
     "ATOMG$atom90d{descriptor@71 1:} Pu, Rd*data, $desc64a, B*data"},
    {Op::ATOMG, kFrom100, 0x19a8, kFixed, "ATOMG$atom90 Pu, Rd*data, $uniform64b, B*data"},
    {Op::ATOMG, kFrom100, 0x19a8, kFixed,
     "ATOMG$atom90d{descriptor@76 1:} Pu, Rd*data, $desc64b, B*data"},
    {Op::ATOMG, kSm90, 0x19a3, kFixed, "ATOMG$fatom Pu, Rd*data, $uniform64a, B*data"},
    {Op::ATOMG, kSm90, 0x19a3, kFixed,
     "ATOMG$fatomd{descriptor@71 1:} Pu, Rd*data, $desc64a, B*data"},
    {Op::ATOMG, kFrom100, 0x19a3, kFixed, "ATOMG$fatom Pu, Rd*data, $uniform64b, B*data"},
    {Op::ATOMG, kFrom100, 0x19a3, kFixed,
     "ATOMG$fatomd{descriptor@90 1:} Pu, Rd*data, $desc64b, B*data"},
    {Op::ATOMG_CAS, kSm75, 0x3a9, kFixed, "ATOMG$gcas75 Pu, Rd*data, $plain, B*data, C*data"},
    {Op::ATOMG_CAS, kSm80To89, 0x3a9, kFixed, "ATOMG$gcas80 Pu, Rd*data, $plain, B*data, C*data"},
    {Op::ATOMG_CAS, kFrom90, 0x3a9, kFixed, "ATOMG$gcas90 Pu, Rd*data, $plain, B*data, C*data"},

    {Op::ATOMS, kSm75, 0x38c, kFixed,
     "ATOMS{atom_op@87:4 $atom_op}{type@73:2 |.S32|.64} Rd*data, "
     "[A{stride@78:2 $stride}+O@40:24], B*data",
     "64:8=255"},
    {Op::ATOMS, kSm80To89, 0x38c, kFixed,
     "ATOMS{atom_op@87:4 $atom_op}{type@73:2 |.S32|.64} Rd*data, "
     "[A{stride@78:2 $stride}+O@40:24], B*data"},
    {Op::ATOMS, kFrom90, 0x38c, kFixed,
     "ATOMS{atom_op@87:4 $atom_op}{type@73:3 $cas_type90} Rd*data, "
     "[A{stride@78:2 $stride}+O@40:24], B*data"},
    {Op::ATOMS, kUpTo89, 0x198c, kFixed,
     "ATOMS{atom_op@87:4 $atom_op}{type@73:2 |.S32|.64} Rd*data, "
     "[A{stride@78:2 $stride}+UR@64+O@40:24], B*data"},
    {Op::ATOMS, kFrom90, 0x198c, kFixed,
     "ATOMS{atom_op@87:4 $atom_op}{type@73:3 $cas_type90} Rd*data, "
     "[A{stride@78:2 $stride}+UR@64+O@40:24], B*data"},
    {Op::ATOMS_CAS, kUpTo89, 0x38d, kFixed,
     "ATOMS{atom_op@87:2 .CAS|3:.CAST.SPIN}{type@73:2 |.S32|.64} Rd*data, "
     "[A{stride@78:2 $stride}+O@40:24], B*data, C*data"},
    {Op::ATOMS_CAS, kSm90, 0x38d, kFixed,
     "ATOMS{atom_op@87:2 .CAS|3:.CAST.SPIN}{type@73:3 $cas_type90} Rd*data, "
     "[A{stride@78:2 $stride}+O@40:24], B*data, C*data"},
    {Op::ATOMS_CAS, kFrom100, 0x38d, kFixed,
     "ATOMS{atom_op@87:2 0:.CAS}{type@73:3 $cas_type90} Rd*data, "
     "[A{stride@78:2 $stride}+O@40:24], B*data, C*data"},
    // It says whether the value was stored, and not what was there.
    {Op::ATOMS_CAS, kFrom100, 0x58d, kFixed,
     "ATOMS{atom_op@87:2 3:.CAST.SPIN}{type@73:3 $cas_type90} Pu, "
     "[A{stride@78:2 $stride}+O@40:24], B*data, C*data"},
    // Arrival at a barrier in shared memory, and the increment that warp aggregation makes.
    {Op::ATOMS_ARRIVE, kSm80To89, 0x1f8c, kFixed,
     "ATOMS{atom_op@87:4 9:.ARRIVE}{type@73:2 2:.64} Rd*data, "
     "[A{stride@78:2 $stride}+UR@64+O@40:24]"},
    {Op::ATOMS_ARRIVE, kSm80To89, 0x1f8c, kFixed,
     "ATOMS{atom_op@87:4 10:.POPC.INC}{type@73:2 0:.32} Rd*data, "
     "[A{stride@78:2 $stride}+UR@64+O@40:24]"},
    {Op::ATOMS_ARRIVE, kFrom90, 0x1f8c, kFixed,
     "ATOMS{atom_op@87:4 11:.POPC.INC}{type@73:2 0:.32} Rd*data, "
     "[A{stride@78:2 $stride}+UR@64+O@40:24]"},
    {Op::ATOM_ARRIVE, kSm80To89, 0x1f8a, kFixed,
     "ATOM{address64@72 |.E}{atom_op@87:4 9:.ARRIVE}{cop@84:3 $cop}{type@73:3 2:.64}"
     "{sem@77:4 $order80a} Pu, Rd*data, [A{ra_u32@70 .U32|.64}+UR@64+O@40:24]"},
    {Op::ATOM_ARRIVE, kSm80To89, 0x1f8a, kFixed,
     "ATOM{address64@72 |.E}{atom_op@87:4 10:.POPC.INC}{cop@84:3 $cop}{type@73:3 0:.32}"
     "{sem@77:4 $order80a} Pu, Rd*data, [A{ra_u32@70 .U32|.64}+UR@64+O@40:24]"},
    {Op::ARRIVES, kSm80To89, 0x19b0, kFixed, "ARRIVES.LDGSTSBAR.64 [A+UR@64+O@40:24]", "72:4=10"},
    {Op::ARRIVES, kSm90, 0x19b0, kFixed,
     "ARRIVES.LDGSTSBAR.64{arrives_for@70:2 |.ARVCNT|.TRANSCNT} [A+UR@64+O@40:24]", "72:4=10"},
    {Op::ARRIVES, kFrom100, 0x19b0, kFixed,
     "ARRIVES.LDGSTSBAR.64{arrives_for@76:2 |.ARVCNT|.TRANSCNT} [A+UR@64+O@40:24]", "72:4=10"},

    // Barriers in shared memory that count arrivals and bytes.
    {Op::SYNCS, kSm90, 0x19a7, kFixed,
     "SYNCS{syncs_op@70:2 0:.ARRIVE}.TRANS64{arrive_lanes@73:2 |.TMASK|.RED}{opt_out@75 |.OPTOUT}"
     "{arrive_effect@84:3 |.A1T0|.A0T1|.A0TR|.A0TX|.ART0} Rd*2, [A+UR@64+O@40:24], B"},
    {Op::SYNCS, kSm90, 0x15a7, kFixed,
     "SYNCS{syncs_op@70:2 1:.PHASECHK}.TRANS64{try_wait@72 |.TRYWAIT} Pu, [A+UR@64+O@40:24], B", "",
     nullptr, &kBarrierTest},
    {Op::SYNCS, kFrom100, 0x19a7, kFixed,
     "SYNCS{syncs_op@76:2 0:.ARRIVE}.TRANS64{arrive_lanes@73:2 |.TMASK|.RED}{opt_out@75 |.OPTOUT}"
     "{arrive_effect@84:3 |.A1T0|.A0T1|.A0TR|.A0TX|.ART0} Rd*2, [A+UR@64+O@40:24], B"},
    {Op::SYNCS, kFrom100, 0x15a7, kFixed,
     "SYNCS{syncs_op@76:2 1:.PHASECHK}.TRANS64{try_wait@72 |.TRYWAIT} Pu, [A+UR@64+O@40:24], B", "",
     nullptr, &kBarrierTest},
    {Op::SYNCS, kFrom90, 0x15b2, kFixed, "SYNCS{@72 1:.EXCH}.64 URd*2, [UA+O@40:24], UB*2", "",
     nullptr, &kBarrierExchange},

    {Op::SYNCS, kFrom90, 0x19b1, kFixed, "SYNCS.CCTL.IV [A+UR@64+O@40:24]", "", nullptr,
     &kBarrierInvalidate},

    {Op::SYNCS, kFrom100, 0x9b1, kFixed, "SYNCS.CCTL.IVALL", "", nullptr, &kBarriersInvalidate},

    {Op::RED, kSm75, 0x98e, kFixed, "RED$red75 $plain, B*data"},
    {Op::RED, kSm75, 0x198e, kFixed, "RED$red75 $uniform64, B*data"},
    {Op::RED, kSm80To89, 0x98e, kFixed, "RED$red80 $plain, B*data"},
    {Op::RED, kSm80To89, 0x198e, kFixed, "RED$red80 $uniform64, B*data"},
    {Op::RED, kSm80To89, 0x198e, kFixed, "RED$red80d{descriptor@71 1:} $hidden64, B*data"},
    {Op::RED, kFrom90, 0x98e, kFixed, "REDG$red90 $plain, B*data"},
    {Op::RED, kFrom90, 0x198e, kFixed, "REDG$red90 $uniform64, B*data"},
    {Op::RED, kSm90, 0x198e, kFixed, "REDG$red90d{descriptor@71 1:} $desc64, B*data"},
    {Op::RED, kFrom100, 0x198e, kFixed, "REDG$red90d{descriptor@81 1:} $desc64, B*data"},
    {Op::RED, kFrom90, 0x19a6, kFixed, "REDG$fatom $uniform64, B*data"},
    {Op::RED, kSm90, 0x19a6, kFixed, "REDG$fatomd{descriptor@71 1:} $desc64, B*data"},
    {Op::RED, kFrom100, 0x19a6, kFixed, "REDG$fatomd{descriptor@81 1:} $desc64, B*data"},

    // Loads of what the memories behind a multicast address add up to.
    {Op::LDGMC, kSm90, 0x19a4, kFixed,
     "LDGMC{address64@72 1:.E}{atom_op@87:3 .ADD|.MIN|.MAX|5:.AND|.OR|.XOR}"
     "{type@73:3 .32|.S32|.64|.S64}{sem@77:4 $order80a} Rd*data, "
     "[A{ra_u32@70 .U32|.64}+UR@64+O@40:24]"},
    {Op::LDGMC, kSm90, 0x19a5, kFixed,
     "LDGMC{address64@72 1:.E}{atom_op@88:2 .ADD|.MIN|.MAX}{type@73:4 $fatom_type}"
     "{sem@77:4 $order80a} Rd*data, [A{ra_u32@70 .U32|.64}+UR@64+O@40:24]"},
    {Op::LDGMC, kFrom100, 0x19a4, kFixed,
     "LDGMC{address64@72 1:.E}{atom_op@87:3 .ADD|.MIN|.MAX|5:.AND|.OR|.XOR}"
     "{type@73:3 .32|.S32|.64|.S64}{sem@77:4 $order80a} Rd*data, "
     "[A{ra_u32@81 .U32|.64}+UR@64+O@40:24]"},
    {Op::LDGMC, kFrom100, 0x19a5, kFixed,
     "LDGMC{address64@72 1:.E}{atom_op@88:2 .ADD|.MIN|.MAX|.HPADD}{type@73:4 $fatom_type}"
     "{sem@77:4 $order80a} Rd*data, [A{ra_u32@81 .U32|.64}+UR@64+O@40:24]"},
    {Op::LDGMC, kFrom100, 0x19a5, kFixed,
     "LDGMC{address64@72 1:.E}{atom_op@88:2 .ADD|.MIN|.MAX|.HPADD}"
     "{type@73:4 1:.E5M2x4.RN|.E5M2x8.RN|.E5M2x16.RN|.E4M3x4.RN|.E4M3x8.RN|.E4M3x16.RN}"
     "{sem@77:4 $order80a} Rd*data, [A{ra_u32@81 .U32|.64}+UR@64+O@40:24]",
     "87:1=1"},

    {Op::QSPC, kUpTo89, 0x3aa, kFixed,
     "QSPC{address64@72 |.E}{space@73:2 .G|.L|.S} Pu, Rd, [A+O@40:24]"},
    {Op::QSPC, kUpTo89, 0x19aa, kFixed,
     "QSPC{address64@72 |.E}{space@73:2 .G|.L|.S} Pu, Rd, [A{ra_u32@90 .U32|.64}+UR@32+O@40:24]"},
    {Op::QSPC, kFrom90, 0x3aa, kFixed,
     "QSPC{address64@72 |.E}{space@73:2 .G|.L|.S|.D} Pu, Rd, [A+O@40:24]"},
    {Op::QSPC, kFrom90, 0x19aa, kFixed,
     "QSPC{address64@72 |.E}{space@73:2 .G|.L|.S|.D} Pu, Rd, "
     "[A{ra_u32@90 .U32|.64}+UR@32+O@40:24]"},
};

}  // namespace heddle::isa
