// Exchanges and votes between the threads of a warp.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr Facts kWarpFacts[] = {
    // clang-format off
    {Op::SHFL,  Unit::lsu, Work::exchange, kInteger},
    {Op::VOTE,  Unit::alu, Work::exchange, kInteger},
    {Op::VOTEU, Unit::alu, Work::exchange, kInteger},
    {Op::MATCH, Unit::adu, Work::exchange, kInteger},
    {Op::REDUX, Unit::adu, Work::exchange, kInteger},
    {Op::CREDUX, Unit::alu, Work::exchange, kInteger},
    {Op::ELECT, Unit::alu, Work::exchange, kInteger},
    // clang-format on
};

inline constexpr Facts kReduceFloats{Op::CREDUX, Unit::alu, Work::exchange, kFloat};

inline constexpr Row kWarpRows[] = {
    // Lane and clamp operand each a register or an immediate; the immediates are small fields.
    {Op::SHFL, kAll, 0x389, kFixed, "SHFL{shfl_mode@58:2 .IDX|.UP|.DOWN|.BFLY} Pu, Rd, A, B, C"},
    {Op::SHFL, kAll, 0x589, kFixed,
     "SHFL{shfl_mode@58:2 .IDX|.UP|.DOWN|.BFLY} Pu, Rd, A, B, Ic@40:13"},
    {Op::SHFL, kAll, 0x989, kFixed,
     "SHFL{shfl_mode@58:2 .IDX|.UP|.DOWN|.BFLY} Pu, Rd, A, Ib@53:5, C"},
    {Op::SHFL, kAll, 0xf89, kFixed,
     "SHFL{shfl_mode@58:2 .IDX|.UP|.DOWN|.BFLY} Pu, Rd, A, Ib@53:5, Ic@40:13"},
    {Op::VOTE, kAll, 0x806, kFixed, "VOTE{vote_op@72:2 .ALL|.ANY|.EQ} ?Rd, Pu, Pp"},
    {Op::VOTEU, kAll, 0x886, kFixed, "VOTEU{vote_op@72:2 .ALL|.ANY|.EQ} ?URd, UPu, Pp"},
    {Op::MATCH, kAll, 0x3a1, kFixed,
     "MATCH{match_op@79 0:.ALL}{width@73 |.U64} Pu, Rd, A*2(width=1)"},
    {Op::MATCH, kAll, 0x3a1, kFixed, "MATCH{match_op@79 1:.ANY}{width@73 |.U64} Rd, A*2(width=1)",
     "81:3=7"},
    {Op::REDUX, kFrom80, 0x3c4, kFixed,
     "REDUX{redux_op@78:3 |.OR|.XOR|.SUM|.MIN|.MAX}{is_signed@73 |.S32} URd, A"},
    {Op::CREDUX, kSm100And103, 0x2cc, kFixed,
     "CREDUX{redux_op@78:2 .MAX|2:.MIN}{is_signed@73 |.S32} URd, A"},
    {Op::CREDUX, kSm100And103, 0x2cc, kFixed,
     "CREDUX{redux_op@78:2 .MAX|.MAXABS|.MIN|.MINABS}{type=1 .F32}{nan@77 |.NAN} URd, A", "74:1=1",
     nullptr, &kReduceFloats},
    {Op::ELECT, kFrom90, 0x82f, kFixed, "ELECT Pu, URd, Pp"},
};

}  // namespace heddle::isa
