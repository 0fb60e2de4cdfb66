// FP32 arithmetic, comparisons and transcendental functions.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr Row kFloatRows[] = {
    {Op::FADD, Unit::fma, kAll, 0x021, kC,
     "FADD{ftz@80 |.FTZ}{rnd@78:2 $rnd}{sat@77 |.SAT} Rd, -|A|, -|S:f|"},
    {Op::FMUL, Unit::fma, kAll, 0x020, kB,
     "FMUL{fmz@76:1/80:1 $fmz}{scale@84:3 1:.D8|.D4|.D2||.M2|.M4|.M8}{rnd@78:2 $rnd}{sat@77 |.SAT} "
     "Rd, -|A|, -|B:f|"},
    {Op::FFMA, Unit::fma, kAll, 0x023, kBC,
     "FFMA{fmz@76:1/80:1 $fmz}{rnd@78:2 $rnd}{sat@77 |.SAT} Rd, -|A|, -|B:f|, -|C:f|"},
    {Op::FMNMX, Unit::alu, kSm75, 0x009, kB, "FMNMX{ftz@80 |.FTZ} Rd, -|A|, -|B:f|, Pp"},
    {Op::FMNMX, Unit::alu, only(Arch::sm_80), 0x009, kB,
     "FMNMX{ftz@80 |.FTZ}{nan@81 |.NAN} Rd, -|A|, -|B:f|, Pp"},
    {Op::FMNMX, Unit::alu, kFrom86, 0x009, kB,
     "FMNMX{ftz@80 |.FTZ}{nan@81 |.NAN}{xorsign@82 |.XORSIGN} Rd, -|A|, -|B:f|, Pp"},
    {Op::FSETP, Unit::alu, kAll, 0x00b, kB,
     "FSETP{cmp@76:4 $fcmp}{ftz@80 |.FTZ}{bop@74:2 $bop} Pu, Pv, -|A|, -|B:f|, Pp"},
    {Op::FSET, Unit::alu, kAll, 0x00a, kB,
     "FSET{bf=1 .BF}{cmp@76:4 $fcmp}{ftz@80 |.FTZ}{bop@74:2 $bop} Rd, -|A|, -|B:f|, Pp"},
    {Op::FSEL, Unit::alu, kAll, 0x008, kB, "FSEL{ftz@80 |.FTZ} Rd, -|A|, -|B:f|, Pp"},
    {Op::FCHK, Unit::xu, kAll, 0x102, kB, "FCHK Pu, -|A|, -|B:f|"},
    {Op::MUFU, Unit::xu, kAll, 0x108, kB,
     "MUFU{mufu_op@74:4 .COS|.SIN|.EX2|.LG2|.RCP|.RSQ|8:.SQRT|.TANH} Rd, -|B:f|"},
    // The high words of doubles.
    {Op::MUFU, Unit::xu, kAll, 0x108, kB, "MUFU{mufu_op@74:4 6:.RCP64H|.RSQ64H} Rd, -|B:d|"},
    {Op::MUFU, Unit::xu, kUpTo89, 0x108, kB,
     "MUFU{mufu_op@74:4 .COS|.SIN|.EX2|.LG2|.RCP|.RSQ|8:.SQRT|.TANH}{width@73 1:.F16} Rd, "
     "-|B:x|{half_sel@60:2 |.H1}"},
    {Op::MUFU, Unit::xu, kSm90, 0x108, kB,
     "MUFU{mufu_op@74:4 .COS|.SIN|.EX2|.LG2|.RCP|.RSQ|8:.SQRT|.TANH}{width@72:2 1:.F16|.BF16} Rd, "
     "-|B:x|{half_sel@60:2 |.H1}"},
    // Each of four lanes adds with signs, or without the second number: of slopes of textures.
    {Op::FSWZADD, Unit::fma, kAll, 0x822, kFixed,
     "FSWZADD{ftz@80 |.FTZ}{other0@77 |.NDV} Rd, A, C, "
     "{@38:2 PP|3:ZP}{@36:2 PP|3:ZP}{@34:2 PP|3:ZP}{@32:2 PP|3:ZP}"},
};

}  // namespace heddle::isa
