// Exchanges and votes between the threads of a warp.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr Row kWarpRows[] = {
    // Lane and clamp operand each a register or an immediate; the immediates are small fields.
    {Op::SHFL, Unit::lsu, kAll, 0x389, kFixed,
     "SHFL{shfl_mode@58:2 .IDX|.UP|.DOWN|.BFLY} Pu, Rd, A, B, C"},
    {Op::SHFL, Unit::lsu, kAll, 0x589, kFixed,
     "SHFL{shfl_mode@58:2 .IDX|.UP|.DOWN|.BFLY} Pu, Rd, A, B, Ic@40:13"},
    {Op::SHFL, Unit::lsu, kAll, 0x989, kFixed,
     "SHFL{shfl_mode@58:2 .IDX|.UP|.DOWN|.BFLY} Pu, Rd, A, Ib@53:5, C"},
    {Op::SHFL, Unit::lsu, kAll, 0xf89, kFixed,
     "SHFL{shfl_mode@58:2 .IDX|.UP|.DOWN|.BFLY} Pu, Rd, A, Ib@53:5, Ic@40:13"},
    {Op::VOTE, Unit::alu, kAll, 0x806, kFixed, "VOTE{vote_op@72:2 .ALL|.ANY|.EQ} ?Rd, Pu, Pp"},
    {Op::VOTEU, Unit::alu, kAll, 0x886, kFixed, "VOTEU{vote_op@72:2 .ALL|.ANY|.EQ} ?URd, UPu, Pp"},
    {Op::MATCH, Unit::adu, kAll, 0x3a1, kFixed,
     "MATCH{match_op@79 0:.ALL}{width@73 |.U64} Pu, Rd, A"},
    {Op::MATCH, Unit::adu, kAll, 0x3a1, kFixed, "MATCH{match_op@79 1:.ANY}{width@73 |.U64} Rd, A",
     "81:3=7"},
    {Op::REDUX, Unit::adu, kFrom80, 0x3c4, kFixed,
     "REDUX{redux_op@78:3 |.OR|.XOR|.SUM|.MIN|.MAX}{is_signed@73 |.S32} URd, A"},
    {Op::ELECT, Unit::alu, kSm90, 0x82f, kFixed, "ELECT Pu, URd, Pp"},
};

}  // namespace heddle::isa
