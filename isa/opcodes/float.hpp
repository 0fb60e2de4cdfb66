// FP32 arithmetic, comparisons and transcendental functions.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr Facts kFloatFacts[] = {
    // clang-format off
    {Op::FADD,    Unit::fma, Work::add,          kFloat},
    {Op::FMUL,    Unit::fma, Work::multiply,     kFloat},
    {Op::FFMA,    Unit::fma, Work::multiply_add, kFloat},
    {Op::FMNMX,   Unit::alu, Work::min_max,      kFloat},
    {Op::FSETP,   Unit::alu, Work::compare,      kFloat},
    {Op::FSET,    Unit::alu, Work::compare,      kFloat},
    {Op::FSEL,    Unit::alu, Work::select,       kFloat},
    {Op::FCHK,    Unit::xu,  Work::check,        kFloat},
    {Op::MUFU,    Unit::xu,  Work::special,      kFloat},
    {Op::FSWZADD, Unit::fma, Work::add,          kFloat},
    {Op::FMNMX3,  Unit::alu, Work::min_max,      kFloat},
    {Op::FADD2,   Unit::fma, Work::add,          kFloats},
    {Op::FMUL2,   Unit::fma, Work::multiply,     kFloats},
    {Op::FFMA2,   Unit::fma, Work::multiply_add, kFloats},
    {Op::FHADD,   Unit::fma, Work::add,          kFloat},
    {Op::FHFMA,   Unit::fma, Work::multiply_add, kFloat},
    // clang-format on
};

inline constexpr Row kFloatRows[] = {
    {Op::FADD, kAll, 0x021, kC, "FADD{ftz@80 |.FTZ}{rnd@78:2 $rnd}{sat@77 |.SAT} Rd, -|A|, -|S:f|"},
    {Op::FMUL, kAll, 0x020, kB,
     "FMUL{fmz@76:1/80:1 $fmz}{scale@84:3 1:.D8|.D4|.D2||.M2|.M4|.M8}{rnd@78:2 $rnd}"
     "{sat@77 |.SAT} Rd, -|A|, -|B:f|"},
    {Op::FFMA, kAll, 0x023, kBC,
     "FFMA{fmz@76:1/80:1 $fmz}{rnd@78:2 $rnd}{sat@77 |.SAT} Rd, -|A|, -|B:f|, -|C:f|"},
    {Op::FMNMX, kSm75, 0x009, kB, "FMNMX{ftz@80 |.FTZ} Rd, -|A|, -|B:f|, Pp"},
    {Op::FMNMX, only(Arch::sm_80), 0x009, kB,
     "FMNMX{ftz@80 |.FTZ}{nan@81 |.NAN} Rd, -|A|, -|B:f|, Pp"},
    {Op::FMNMX, kFrom86, 0x009, kB,
     "FMNMX{ftz@80 |.FTZ}{nan@81 |.NAN}{xorsign@82 |.XORSIGN} Rd, -|A|, -|B:f|, Pp"},
    {Op::FMNMX3, kSm100To110, 0x076, kBC,
     "FMNMX3{ftz@80 |.FTZ}{nan@81 |.NAN} Rd, -|A|, -|B:f|, -|C:f|, Pp"},
    // Two numbers in a pair of registers, in either order, or one number twice.
    {Op::FADD2, kSm100And103, 0x04b, bit(Form::RRR) | bit(Form::RRU),
     "FADD2{ftz@80 |.FTZ}{rnd@78:2 $rnd} Rd*2, -|A*2(swz_a=0,1)|{swz_a@81:2 $pair}, "
     "-|S*2(swz_b=0,1)|{swz_b@84:2 $pair}"},
    {Op::FADD2, kSm100And103, 0x04b, bit(Form::RRI),
     "FADD2{ftz@80 |.FTZ}{rnd@78:2 $rnd} Rd*2, -|A*2(swz_a=0,1)|{swz_a@81:2 $pair}, S*2:f",
     "84:2=2"},
    {Op::FMUL2, kSm100And103, 0x04a, bit(Form::RRR) | bit(Form::RUR),
     "FMUL2{ftz@80 |.FTZ}{rnd@78:2 $rnd} Rd*2, -|A*2(swz_a=0,1)|{swz_a@81:2 $pair}, "
     "-|B*2(swz_b=0,1)|{swz_b@87:2 $pair}"},
    {Op::FMUL2, kSm100And103, 0x04a, bit(Form::RIR),
     "FMUL2{ftz@80 |.FTZ}{rnd@78:2 $rnd} Rd*2, -|A*2(swz_a=0,1)|{swz_a@81:2 $pair}, B*2:f",
     "87:2=2"},
    {Op::FFMA2, kSm100And103, 0x049, bit(Form::RRR) | bit(Form::RUR) | bit(Form::RRU),
     "FFMA2{ftz@80 |.FTZ}{rnd@78:2 $rnd} Rd*2, -|A*2(swz_a=0,1)|{swz_a@81:2 $pair}, "
     "-|B*2(swz_b=0,1)|{swz_b@87:2 $pair}, -|C*2(swz_c=0,1)|{swz_c@84:2 $pair}"},
    {Op::FFMA2, kSm100And103, 0x049, bit(Form::RIR),
     "FFMA2{ftz@80 |.FTZ}{rnd@78:2 $rnd} Rd*2, -|A*2(swz_a=0,1)|{swz_a@81:2 $pair}, B*2:f, "
     "-|C*2(swz_c=0,1)|{swz_c@84:2 $pair}",
     "87:2=2"},
    {Op::FFMA2, kSm100And103, 0x049, bit(Form::RRI),
     "FFMA2{ftz@80 |.FTZ}{rnd@78:2 $rnd} Rd*2, -|A*2(swz_a=0,1)|{swz_a@81:2 $pair}, "
     "-|B*2(swz_b=0,1)|{swz_b@87:2 $pair}, C*2:f",
     "84:2=2"},
    // With one half, or with two halves that are multiplied.
    {Op::FHADD, kFrom100, 0x021, bit(Form::RRR) | bit(Form::RRU),
     "FHADD{bf16@82 |.BF16}{rnd@78:2 $rnd}{sat@77 |.SAT} Rd, -A{swz_a@83 |.H1}, -|S|", "81:1=1"},
    {Op::FHFMA, kFrom100, 0x023, bit(Form::RRR) | bit(Form::RUR) | bit(Form::RRU),
     "FHFMA{bf16@82 |.BF16}{rnd@78:2 $rnd}{sat@77 |.SAT} Rd, -A{swz_a@83 |.H1}, "
     "-B{swz_b@84 |.H1}, -|C|",
     "81:1=1"},
    {Op::FSETP, kAll, 0x00b, kB,
     "FSETP{cmp@76:4 $fcmp}{ftz@80 |.FTZ}{bop@74:2 $bop} Pu, Pv, -|A|, -|B:f|, Pp"},
    {Op::FSET, kAll, 0x00a, kB,
     "FSET{bf=1 .BF}{cmp@76:4 $fcmp}{ftz@80 |.FTZ}{bop@74:2 $bop} Rd, -|A|, -|B:f|, Pp"},
    {Op::FSEL, kAll, 0x008, kB, "FSEL{ftz@80 |.FTZ} Rd, -|A|, -|B:f|, Pp"},
    {Op::FCHK, kAll, 0x102, kB, "FCHK Pu, -|A|, -|B:f|"},
    {Op::MUFU, kAll, 0x108, kB,
     "MUFU{mufu_op@74:4 .COS|.SIN|.EX2|.LG2|.RCP|.RSQ|8:.SQRT|.TANH} Rd, -|B:f|"},
    // The high words of doubles.
    {Op::MUFU, kAll, 0x108, kB, "MUFU{mufu_op@74:4 6:.RCP64H|.RSQ64H} Rd, -|B:d|"},
    {Op::MUFU, kUpTo89, 0x108, kB,
     "MUFU{mufu_op@74:4 .COS|.SIN|.EX2|.LG2|.RCP|.RSQ|8:.SQRT|.TANH}{width@73 1:.F16} Rd, "
     "-|B:x|{half_sel@60:2 |.H1}"},
    {Op::MUFU, kFrom90, 0x108, kB,
     "MUFU{mufu_op@74:4 .COS|.SIN|.EX2|.LG2|.RCP|.RSQ|8:.SQRT|.TANH}{width@72:2 1:.F16|.BF16} "
     "Rd, -|B:x|{half_sel@60:2 |.H1}"},
    // Two halves at once.
    {Op::MUFU, only(Arch::sm_103), 0x108, bit(Form::RRR),
     "MUFU{mufu_op@74:4 2:.EX2}{width@72:2 3:.F16x2} Rd, B"},
    {Op::MUFU, only(Arch::sm_103), 0x108, bit(Form::RRR),
     "MUFU{mufu_op@74:4 2:.EX2}{width=4 .BF16x2} Rd, B", "80:1=1"},
    // Each of four lanes adds with signs, or without the first number: of slopes of textures.
    {Op::FSWZADD, kAll, 0x822, kFixed,
     "FSWZADD{ftz@80 |.FTZ}{non_divergent@77 |.NDV} Rd, A, C, "
     "{@38:2 PP|PN|NP|ZP}{@36:2 PP|PN|NP|ZP}{@34:2 PP|PN|NP|ZP}{@32:2 PP|PN|NP|ZP}"},
};

}  // namespace heddle::isa
