// Packed half-precision arithmetic.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr Facts kHalfFacts[] = {
    // clang-format off
    {Op::HADD2,     Unit::fp16, Work::add,          kHalves},
    {Op::HMUL2,     Unit::fp16, Work::multiply,     kHalves},
    {Op::HFMA2,     Unit::fp16, Work::multiply_add, kHalves},
    {Op::HFMA2_MMA, Unit::fma,  Work::multiply_add, kHalves},
    {Op::HSET2,     Unit::fp16, Work::compare,      kHalves},
    {Op::HSETP2,    Unit::fp16, Work::compare,      kHalves},
    {Op::HMNMX2,    Unit::alu,  Work::min_max,      kHalves},
    {Op::VHMNMX,    Unit::alu,  Work::min_max,      kHalves},
    // clang-format on
};

inline constexpr Row kHalfRows[] = {
    {Op::HADD2, kUpTo89, 0x030, kC, "HADD2{ftz@80 |.FTZ}{sat@77 |.SAT} Rd, -|A|:h, -|S|:h"},
    {Op::HADD2, kUpTo89, 0x030, kC,
     "HADD2{out_fmt@78 1:.F32}{ftz@80 |.FTZ}{sat@77 |.SAT} Rd, -A:h, -|S|:h"},
    {Op::HADD2, kFrom90, 0x030, kC,
     "HADD2{bf16@85 |.BF16_V2}{ftz@80 |.FTZ}{sat@77 |.SAT} Rd, -|A|:g, -|S|:g"},
    {Op::HADD2, kFrom90, 0x030, kC,
     "HADD2{out_fmt@78 1:.F32}{ftz@80 |.FTZ}{sat@77 |.SAT} Rd, -A:g, -|S|:g"},
    {Op::HMUL2, kUpTo89, 0x032, kB,
     "HMUL2{out_fmt@78 |.F32}{fmz@76:1/80:1 $fmz}{sat@77 |.SAT} Rd, -|A|:h, -|B|:h"},
    {Op::HMUL2, kFrom90, 0x032, kB,
     "HMUL2{bf16@85 |.BF16_V2}{fmz@76:1/80:1 $fmz}{sat@77 |.SAT} Rd, -|A|:g, -|B|:g"},

    {Op::HFMA2, kUpTo89, 0x031, kBC,
     "HFMA2{out_fmt@78 |.F32}{fmz@76:1/80:1 $fmz}{sat@77 |.SAT} Rd, -|A|:h, -|B|:h, -|C|:h"},
    {Op::HFMA2, kSm80To89, 0x031, kBC,
     "HFMA2{out_fmt@78 |.F32}{fmz@76:1/80:1 $fmz}{sat@77 |.SAT}{relu@79 1:.RELU} Rd, -|A|:h, "
     "-|B|:h, -|C|:h, ?Pp"},
    {Op::HFMA2, kSm80To89, 0x031, kBC,
     "HFMA2{bf16@85 1:.BF16_V2}{fmz@76:1/80:1 $fmz}{sat@77 |.SAT} Rd, -|A|:h, -|B|:h, -|C|:h"},
    {Op::HFMA2, kSm80To89, 0x031, kBC,
     "HFMA2{bf16@85 1:.BF16_V2}{fmz@76:1/80:1 $fmz}{sat@77 |.SAT}{relu@79 1:.RELU} Rd, -|A|:h, "
     "-|B|:h, -|C|:h, ?Pp"},
    {Op::HFMA2, kFrom90, 0x031, kBC,
     "HFMA2{bf16@85 |.BF16_V2}{fmz@76:1/80:1 $fmz90}{sat@77 |.SAT} Rd, -|A|:g, -|B|:g, -|C|:g"},
    {Op::HFMA2, kFrom90, 0x031, kBC,
     "HFMA2{bf16@85 |.BF16_V2}{fmz@76:1/80:1 $fmz90}{sat@77 |.SAT}{relu@79 1:.RELU} Rd, -|A|:g, "
     "-|B|:g, -|C|:g, ?Pp"},

    // The second source's halves exchanged, the low one negated: products of complex numbers.
    {Op::HFMA2, kSm86To89, 0x031, bit(Form::RRR) | bit(Form::RCR) | bit(Form::RUR),
     "HFMA2{bf16@85 |.BF16_V2}{fmz@76:1/80:1 $fmz}{sat@77 |.SAT} Rd, -|A|:h, "
     "-|B|{exchanged@86 1:.H0_NH1}, -|C|:h"},
    {Op::HFMA2, kFrom90, 0x031, bit(Form::RRR) | bit(Form::RCR) | bit(Form::RUR),
     "HFMA2{bf16@85 |.BF16_V2}{fmz@76:1/80:1 $fmz90}{sat@77 |.SAT} Rd, -|A|:g, "
     "-|B|{exchanged@86 1:.H0_NH1}, -|C|:g"},

    // The same arithmetic on the tensor side of the pipe; ptxas uses it to load constants.
    {Op::HFMA2_MMA, kSm80To89, 0x035, kBC,
     "HFMA2.MMA{fmz@76:1/80:1 $fmz}{sat@77 |.SAT} Rd, -|A|:m, -|B|:m, -|C|:m"},
    {Op::HFMA2_MMA, kSm80To89, 0x035, kBC,
     "HFMA2.MMA{fmz@76:1/80:1 $fmz}{sat@77 |.SAT}{relu@79 1:.RELU} Rd, -|A|:m, -|B|:m, -|C|:m, "
     "?Pp"},
    {Op::HFMA2_MMA, kFrom90, 0x035, kBC,
     "HFMA2.MMA{bf16@85 |.BF16_V2}{fmz@76:1/80:1 $fmz}{sat@77 |.SAT} Rd, -|A|:m, -|B|:m, -|C|:m"},
    {Op::HFMA2_MMA, kFrom90, 0x035, kBC,
     "HFMA2.MMA{bf16@85 |.BF16_V2}{fmz@76:1/80:1 $fmz}{sat@77 |.SAT}{relu@79 1:.RELU} Rd, "
     "-|A|:m, -|B|:m, -|C|:m, ?Pp"},

    {Op::HSET2, kUpTo89, 0x033, kC,
     "HSET2{bf@71 |.BF}{cmp@76:4 $fcmp}{ftz@80 |.FTZ}{bop@69:2 $bop} Rd, -|A|:h, -|S|:h, Pp"},
    {Op::HSET2, kFrom90, 0x033, kC,
     "HSET2{bf16@65 |.BF16_V2}{bf@71 |.BF}{cmp@76:4 $fcmp}{ftz@80 |.FTZ}{bop@69:2 $bop} Rd, "
     "-|A|:g, -|S|:g, Pp"},
    {Op::HSETP2, kUpTo89, 0x034, kC,
     "HSETP2{cmp@76:4 $fcmp}{ftz@80 |.FTZ}{h_and@71 |.H_AND}{bop@69:2 $bop} Pu, Pv, -|A|:h, "
     "-|S|:h, Pp"},
    {Op::HSETP2, kFrom90, 0x034, kC,
     "HSETP2{bf16@65 |.BF16_V2}{cmp@76:4 $fcmp}{ftz@80 |.FTZ}{h_and@71 |.H_AND}{bop@69:2 $bop} "
     "Pu, Pv, -|A|:g, -|S|:g, Pp"},
    {Op::HMNMX2, only(Arch::sm_80), 0x040, kB,
     "HMNMX2{bf16@85 |.BF16_V2}{ftz@80 |.FTZ}{nan@81 |.NAN} Rd, -|A|:h, -|B|:h, Pp"},
    {Op::HMNMX2, kSm86To89, 0x040, kB,
     "HMNMX2{bf16@85 |.BF16_V2}{ftz@80 |.FTZ}{nan@81 |.NAN}{xorsign@82 |.XORSIGN} Rd, -|A|:h, "
     "-|B|:h, Pp"},
    {Op::HMNMX2, kFrom90, 0x040, kB,
     "HMNMX2{bf16@85 |.BF16_V2}{ftz@80 |.FTZ}{nan@81 |.NAN}{xorsign@82 |.XORSIGN} Rd, -|A|:g, "
     "-|B|:g, Pp"},
    {Op::VHMNMX, kFrom90, 0x047, kB,
     "VHMNMX{bf16@85 |.BF16_V2}{ftz@80 |.FTZ}{nan@81 |.NAN}{xorsign@82 |.XORSIGN} Rd, -|A|:g, "
     "-|B|:g, -|C|:m{swz_c@76:2 |2:.H0_H0|.H1_H1}, Pp"},
};

}  // namespace heddle::isa
