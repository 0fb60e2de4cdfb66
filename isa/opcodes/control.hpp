// Branches, convergence barriers, block barriers, fences and what else steers execution.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

// One register holds `count << 16 | number` and is printed twice (docs/hardware/memory.md).
std::string_view bar_alias(const Instruction& instruction);
std::string_view bar_red_alias(const Instruction& instruction);

inline constexpr Facts kControlFacts[] = {
    // clang-format off
    {Op::BRA,           Unit::cbu,  Effect::branch},
    {Op::BRX,           Unit::cbu,  Effect::indirect_branch},
    {Op::BRXU,          Unit::cbu,  Effect::indirect_branch},
    {Op::CALL,          Unit::cbu,  Effect::call},
    {Op::RET,           Unit::cbu,  Effect::ret},
    {Op::BSSY,          Unit::cbu,  Effect::set_barrier},
    {Op::BSYNC,         Unit::cbu,  Effect::sync},
    {Op::BREAK,         Unit::cbu,  Effect::leave_barrier},
    {Op::WARPSYNC,      Unit::cbu,  Effect::warp_sync},
    {Op::ENDCOLLECTIVE, Unit::cbu,  Effect::end_collective},
    {Op::YIELD,         Unit::cbu,  Effect::yield},
    {Op::NANOSLEEP,     Unit::cbu,  Effect::sleep},
    {Op::EXIT,          Unit::cbu,  Effect::exit},
    {Op::KILL,          Unit::cbu,  Effect::exit},
    {Op::BMOV,          Unit::cbu,  Effect::move_barrier},
    {Op::RPCMOV,        Unit::cbu,  Work::move, kInteger},
    {Op::BPT,           Unit::cbu,  Effect::trap},
    {Op::NOP,           Unit::none, Effect::no_operation},
    {Op::BAR,           Unit::adu,  Effect::block_barrier},
    {Op::DEPBAR,        Unit::none, Effect::wait_counter},
    {Op::MEMBAR,        Unit::lsu,  Effect::fence},
    {Op::FENCE,         Unit::lsu,  Effect::proxy_fence},
    {Op::ERRBAR,        Unit::lsu,  Effect::error_barrier},
    {Op::CGAERRBAR,     Unit::lsu,  Effect::cluster_error_barrier},
    {Op::CCTL,          Unit::lsu},
    {Op::CCTLL,         Unit::lsu},
    {Op::PMTRIG,        Unit::adu},
    {Op::UCGABAR_ARV,   Unit::adu,  Effect::cluster_arrive},
    {Op::UCGABAR_WAIT,  Unit::adu,  Effect::cluster_wait},
    {Op::PREEXIT,       Unit::cbu},
    {Op::ACQBULK,       Unit::cbu},
    // clang-format on
};

inline constexpr Row kControlRows[] = {
    // sm_90 widened the displacement by eight bits, put below (docs/hardware/machine-code.md).
    {Op::BRA, kUpTo89, 0x947, kFixed, "BRA{depth@85:2 |.INC|.DEC}{cond@32:2 |.U} ?Pp, T@34:48"},
    {Op::BRA, kSm75, 0x947, kFixed, "BRA{cond@32:2 2:.DIV|.CONV} ?Pp, T@34:48"},
    {Op::BRA, kFrom90, 0x947, kFixed,
     "BRA{depth@85:2 |.INC|.DEC}{cond@32:2 |.U}{any@84 |.ANY} ?Pp, T@16:8/34:48"},
    {Op::BRA, kSm80To89, 0x1947, kFixed,
     "BRA{cond@32:2 2:.DIV|.CONV} ?Pp, {cond_invert@30 |~}UR@24:6, T@34:48"},
    {Op::BRA, kFrom90, 0x1947, kFixed,
     "BRA{cond@32:2 2:.DIV|.CONV} ?Pp, {cond_invert@30 |~}UR@24:6, T@16:8/34:48"},
    {Op::BRA, kFrom90, 0x1547, kFixed, "BRA{cond@32:2 1:.U} UPp@24, T@16:8/34:48", "87:4=7"},
    {Op::BRX, kUpTo89, 0x949, kFixed, "BRX{depth@85:2 |.INC|.DEC} ?Pp, A*2 ?D@34:48"},
    {Op::BRX, kFrom90, 0x949, kFixed, "BRX{depth@85:2 |.INC|.DEC} ?Pp, A*2 ?D@16:8/34:48"},
    {Op::BRXU, kUpTo89, 0x1958, kFixed, "BRXU{depth@85:2 |.INC|.DEC} ?Pp, UA*2 ?D@34:48"},
    {Op::BRXU, kFrom90, 0x1958, kFixed, "BRXU{depth@85:2 |.INC|.DEC} ?Pp, UA*2 ?D@16:8/34:48"},
    {Op::CALL, kUpTo89, 0x944, kFixed, "CALL.REL{depth@86 |.NOINC} ?Pp, T@34:48"},
    {Op::CALL, kFrom90, 0x944, kFixed, "CALL.REL{depth@86 |.NOINC} ?Pp, T@16:8/34:48"},
    {Op::CALL, kUpTo89, 0x943, kFixed, "CALL{absolute=1 .ABS}{depth@86 |.NOINC} ?Pp, J@34:48"},
    {Op::CALL, kFrom90, 0x943, kFixed, "CALL{absolute=1 .ABS}{depth@86 |.NOINC} ?Pp, J@16:8/34:48"},
    {Op::CALL, kUpTo89, 0x344, kFixed, "CALL.REL{depth@86 |.NOINC} ?Pp, A*2 T@34:48"},
    {Op::CALL, kFrom90, 0x344, kFixed, "CALL.REL{depth@86 |.NOINC} ?Pp, A*2 T@16:8/34:48"},
    {Op::CALL, kUpTo89, 0x343, kFixed, "CALL{absolute=1 .ABS}{depth@86 |.NOINC} ?Pp, A*2 ?D@34:48"},
    {Op::CALL, kFrom90, 0x343, kFixed,
     "CALL{absolute=1 .ABS}{depth@86 |.NOINC} ?Pp, A*2 ?D@16:8/34:48"},
    {Op::RET, kUpTo89, 0x950, kFixed, "RET{absolute@85 0:.REL}{depth@86 |.NODEC} ?Pp, A*2 T@34:48"},
    {Op::RET, kFrom90, 0x950, kFixed,
     "RET{absolute@85 0:.REL}{depth@86 |.NODEC} ?Pp, A*2 T@16:8/34:48"},
    {Op::RET, kUpTo89, 0x950, kFixed, "RET{absolute@85 1:.ABS}{depth@86 |.NODEC} ?Pp, A*2 D@34:48"},
    {Op::RET, kFrom90, 0x950, kFixed,
     "RET{absolute@85 1:.ABS}{depth@86 |.NODEC} ?Pp, A*2 D@16:8/34:48"},

    {Op::BSSY, kUpTo90, 0x945, kFixed, "BSSY ?Pp, Bn@16, T@34:30"},
    {Op::BSYNC, kUpTo90, 0x941, kFixed, "BSYNC ?Pp, Bn@16"},
    {Op::BREAK, kUpTo90, 0x942, kFixed, "BREAK ?Pp, Bn@16"},
    // They say what the compiler knows of the place.
    {Op::BSSY, kFrom100, 0x945, kFixed, "BSSY{@72:2 |.RELIABLE|.RECONVERGENT} ?Pp, Bn@16, T@34:30"},
    {Op::BSYNC, kFrom100, 0x941, kFixed, "BSYNC{@72:2 |.RELIABLE|.RECONVERGENT} ?Pp, Bn@16"},
    {Op::BREAK, kFrom100, 0x942, kFixed, "BREAK{@72:2 |.RELIABLE|.RECONVERGENT} ?Pp, Bn@16"},
    {Op::WARPSYNC, kSm75, 0x348, kFixed, "WARPSYNC ?Pp, B"},
    {Op::WARPSYNC, kSm80To89, 0x348, kFixed, "WARPSYNC{warpsync_mode@85:2 |2:.EXCLUSIVE} ?Pp, B"},
    {Op::WARPSYNC, kUpTo89, 0x948, kFixed, "WARPSYNC ?Pp, I"},
    {Op::WARPSYNC, kFrom90, 0x348, kFixed, "WARPSYNC{warpsync_mode@85:2 |.EXCLUSIVE} ?Pp, M"},
    {Op::WARPSYNC, kFrom90, 0x348, kFixed,
     "WARPSYNC{warpsync_mode@85:2 2:.COLLECTIVE} ?Pp, M, T@16:8/34:48"},
    {Op::WARPSYNC, kFrom90, 0x948, kFixed, "WARPSYNC{warpsync_all=1 .ALL} ?Pp"},
    {Op::WARPSYNC, kFrom90, 0x948, kFixed,
     "WARPSYNC{warpsync_mode@85:2 2:.COLLECTIVE}{warpsync_all=1 .ALL} ?Pp, T@16:8/34:48"},
    {Op::ENDCOLLECTIVE, kFrom90, 0x91b, kFixed, "ENDCOLLECTIVE ?Pp"},
    {Op::YIELD, kAll, 0x946, kFixed, "YIELD ?Pp"},
    {Op::NANOSLEEP, kUpTo89, 0x15d, kB,
     "NANOSLEEP{random@86 |.RAND}{whole_warp@85 |.WARP} ?Pp, B:u"},
    {Op::NANOSLEEP, kFrom90, 0x15d, kB,
     "NANOSLEEP{random@86 |.RAND}{whole_warp@85 |.WARP}{syncs@84 |.SYNCS} ?Pp, B:u"},
    {Op::EXIT, kAll, 0x94d, kFixed,
     "EXIT{exit_mode@84:2 |.KEEPREFCOUNT|.PREEMPTED}{no_atexit@86 |.NO_ATEXIT} ?Pp"},
    {Op::KILL, kAll, 0x95b, kFixed, "KILL ?Pp"},
    {Op::BMOV, kUpTo89, 0x355, kFixed, "BMOV.32{clear@84 |.CLEAR} Rd, {cbu_state@24:6 $cbu_state}"},
    {Op::BMOV, kUpTo89, 0x356, kFixed, "BMOV.32{pquad@84 |.PQUAD} {cbu_state@24:6 $cbu_state}, B"},
    {Op::BMOV, kFrom90, 0x355, kFixed,
     "BMOV.32{clear@84 |.CLEAR} Rd, {cbu_state@24:6 $cbu_state90}"},
    {Op::BMOV, kFrom90, 0x356, kFixed,
     "BMOV.32{pquad@84 |.PQUAD} {cbu_state@24:6 $cbu_state90}, B"},
    {Op::BMOV, kAll, 0xf55, kFixed, "BMOV.32 Bn@16, {cbu_state@24:6 $cbu_other}"},
    {Op::BMOV, kAll, 0xf56, kFixed, "BMOV.32{pquad@84 |.PQUAD} {cbu_state@24:6 $cbu_other}, Bn@16"},
    // The pair that holds where an old call returns to: two words of storage to compilers now.
    {Op::RPCMOV, kAll, 0x352, kFixed, "RPCMOV.32 {high_half@31 Rpc.LO|Rpc.HI}, B"},
    {Op::RPCMOV, kAll, 0x353, kFixed, "RPCMOV.32 Rd, {high_half@31 Rpc.LO|Rpc.HI}"},
    {Op::BPT, kAll, 0x95c, kFixed,
     "BPT{trap@84:3 2:.PAUSE|.TRAP|.INT|.DRAIN|.PAUSE_QUIET} ?#trap_number@34:3"},
    {Op::NOP, kAll, 0x918, kFixed, "NOP"},

    {Op::BAR, kAll, 0xb1d, kFixed,
     "BAR{bar_mode@77:3 0:.SYNC|4:.SYNCALL}{defer_blocking@80 |.DEFER_BLOCKING} #bar_id@54:4, "
     "?#bar_count@42:12"},
    {Op::BAR, kAll, 0xb1d, kFixed,
     "BAR{bar_mode@77:3 1:.ARV}{defer_blocking@80 |.DEFER_BLOCKING} #bar_id@54:4, "
     "#bar_count@42:12"},
    {Op::BAR, kAll, 0xb1d, kFixed,
     "BAR{bar_mode@77:3 2:.RED}{bar_op@74:2 .POPC|.AND|.OR}{defer_blocking@80 |.DEFER_BLOCKING} "
     "#bar_id@54:4, ?#bar_count@42:12, Pp"},
    {Op::BAR, kAll, 0xb1d, kFixed,
     "BAR{bar_mode@77:3 3:.SCAN}{defer_blocking@80 |.DEFER_BLOCKING} #bar_id@54:4, "
     "#bar_count@42:12, Pp"},
    {Op::BAR, kAll, 0x51d, kFixed,
     "BAR{bar_mode@77:3 0:.SYNC|.ARV|4:.SYNCALL}{defer_blocking@80 |.DEFER_BLOCKING} B, "
     "?#bar_count@42:12"},
    {Op::BAR, kAll, 0x91d, kFixed,
     "BAR{bar_mode@77:3 0:.SYNC|.ARV|4:.SYNCALL}{defer_blocking@80 |.DEFER_BLOCKING} "
     "#bar_id@54:4, N"},
    {Op::BAR, kAll, 0x31d, kFixed,
     "BAR{bar_mode@77:3 0:.SYNC|.ARV|4:.SYNCALL}{defer_blocking@80 |.DEFER_BLOCKING} B", "",
     bar_alias},
    {Op::BAR, kAll, 0x51d, kFixed,
     "BAR{bar_mode@77:3 2:.RED}{bar_op@74:2 .POPC|.AND|.OR}{defer_blocking@80 |.DEFER_BLOCKING} "
     "B, ?#bar_count@42:12, Pp"},
    {Op::BAR, kAll, 0x91d, kFixed,
     "BAR{bar_mode@77:3 2:.RED}{bar_op@74:2 .POPC|.AND|.OR}{defer_blocking@80 |.DEFER_BLOCKING} "
     "#bar_id@54:4, N, Pp"},
    {Op::BAR, kAll, 0x31d, kFixed,
     "BAR{bar_mode@77:3 2:.RED}{bar_op@74:2 .POPC|.AND|.OR}{defer_blocking@80 |.DEFER_BLOCKING} "
     "B, Pp",
     "", bar_red_alias},

    {Op::DEPBAR, kAll, 0x91a, kFixed,
     "DEPBAR{le@47 1:.LE} {sb_index@44:3 SB0|SB1|SB2|SB3|SB4|SB5}, #sb_count@38:6, ?W@32:6"},
    {Op::DEPBAR, kAll, 0x91a, kFixed, "DEPBAR ?W@32:6"},
    {Op::MEMBAR, kAll, 0x992, kFixed,
     "MEMBAR{sem@79:2 .SC|.ALL|}{scope@76:3 .CTA|.SM|.GPU|.SYS|5:.VC}"},
    {Op::FENCE, kSm90 | kSm120, 0x3c6, kFixed, "FENCE.VIEW.ASYNC{fenced@72 .S|.G}"},
    {Op::FENCE, kSm100To110, 0x3c6, kFixed, "FENCE.VIEW.ASYNC{fenced@72:2 .S|.G|.T}"},
    {Op::ERRBAR, kAll, 0x9ab, kFixed, "ERRBAR"},
    {Op::CGAERRBAR, kFrom90, 0x5ab, kFixed, "CGAERRBAR"},
    {Op::CCTL, kAll, 0x98f, kFixed, "CCTL{cache_op@87:4 4:.IVALL|6:.IVALLP|.WBALL|.WBALLP}",
     "24:8=255"},
    {Op::CCTL, kAll, 0x98f, kFixed,
     "CCTL{address64@72 |.E}{cache_kind@78:3 |.U|.C|.I}"
     "{cache_op@87:4 .PF1|.PF2|.WB|.IV|5:.RS|9:.PML2|.DML2|.RML2} [A+O@32:32]"},
    {Op::CCTL, kFrom100, 0x1540, kFixed, "CCTL.E.C.LDCU{cache_op@87:4 3:.IV}.DEEP [UR@24]",
     "78:3=2 86:1=1"},
    {Op::CCTLL, kAll, 0x990, kFixed, "CCTLL{cache_op@87:4 .PF1|.PF2} [A+O@32:32]"},
    {Op::PMTRIG, kAll, 0x801, kFixed, "PMTRIG #trigger@32:16", "87:4=7"},

    // Clusters of blocks, and launches that wait for one another.
    {Op::UCGABAR_ARV, kFrom90, 0x19c7, kFixed, "UCGABAR_ARV"},
    {Op::UCGABAR_WAIT, kFrom90, 0x1dc7, kFixed, "UCGABAR_WAIT"},
    {Op::PREEXIT, kFrom90, 0x82d, kFixed, "PREEXIT"},
    {Op::ACQBULK, kFrom90, 0x82e, kFixed, "ACQBULK"},
};

}  // namespace heddle::isa
