// Textures and surfaces.
//
// Each comes with its handle in the registers (.B; surfaces: a register), in a constant, or in a
// uniform register. The first register of the text, in bits 71:64, takes the second half of the
// result.
#pragma once

#include "isa/row.hpp"

namespace heddle::isa {

inline constexpr MemoryAccess kTexture{MemoryAccess::Kind::load, Space::texture};
inline constexpr MemoryAccess kLoadSurface{MemoryAccess::Kind::load, Space::surface};
inline constexpr MemoryAccess kStoreSurface{MemoryAccess::Kind::store, Space::surface};
inline constexpr MemoryAccess kReduceSurface{MemoryAccess::Kind::reduction, Space::surface};

inline constexpr Facts kTextureFacts[] = {
    // clang-format off
    {Op::TEX,   Unit::tex, kTexture},
    {Op::TLD,   Unit::tex, kTexture},
    {Op::TLD4,  Unit::tex, kTexture},
    {Op::TXD,   Unit::tex, kTexture},
    {Op::TXQ,   Unit::tex, kTexture},
    {Op::SULD,  Unit::tex, kLoadSurface},
    {Op::SUST,  Unit::tex, kStoreSurface},
    {Op::SURED, Unit::tex, kReduceSurface},
    // clang-format on
};

inline constexpr Row kTextureRows[] = {
    {Op::TEX, kAll, 0x361, kFixed,
     "TEX$tex_scr.B$tex_half$tex_lod$tex_flags{@90 |.NODEP} ?Pu, R@64, Rd, A, ?B, $tex_dim",
     "84:3=1 59:1=1"},
    {Op::TEX, kAll, 0xb60, kFixed,
     "TEX$tex_scr$tex_half$tex_lod$tex_flags{@90 |.NODEP} ?Pu, R@64, Rd, A, ?B, $tex_constant, "
     "$tex_dim",
     "84:3=1"},
    {Op::TEX, kUpTo90, 0x1f60, kFixed,
     "TEX$tex_scr$tex_half$tex_lod$tex_flags{@90 |.NODEP} ?Pu, R@64, Rd, A, ?B, $tex_uniform, "
     "$tex_dim",
     "84:3=1"},
    {Op::TEX, kFrom100, 0x1f60, kFixed,
     "TEX$tex_scr$tex_half$tex_lod100$tex_flags100{@90 |.NODEP} ?Pu, R@64, Rd, A, ?B, UR@40, "
     "$tex_dim",
     "84:3=1 48:8=255"},
    {Op::TLD, kAll, 0x367, kFixed,
     "TLD$tex_scr.B$tex_half$tld_lod$tld_flags R@64, Rd, A, ?B, $tex_dim", "81:3=7 84:3=1 59:1=1"},
    {Op::TLD, kAll, 0xb66, kFixed,
     "TLD$tex_scr$tex_half$tld_lod$tld_flags R@64, Rd, A, ?B, $tex_constant, $tex_dim",
     "81:3=7 84:3=1"},
    {Op::TLD, kUpTo90, 0x1f66, kFixed,
     "TLD$tex_scr$tex_half$tld_lod$tld_flags R@64, Rd, A, ?B, $tex_uniform, $tex_dim",
     "81:3=7 84:3=1"},
    {Op::TLD, kFrom100, 0x1f66, kFixed,
     "TLD$tex_scr$tex_half$tld_lod100$tld_flags100 R@64, Rd, A, ?B, UR@40, $tex_dim",
     "81:3=7 84:3=1 48:8=255"},
    {Op::TLD4, kAll, 0x364, kFixed,
     "TLD4$tex_scr$tex_component.B$tex_flags R@64, Rd, A, ?B, $tex_dim", "81:3=7 84:3=1 59:1=1"},
    {Op::TLD4, kAll, 0xb63, kFixed,
     "TLD4$tex_scr$tex_component$tex_flags R@64, Rd, A, ?B, $tex_constant, $tex_dim",
     "81:3=7 84:3=1"},
    {Op::TLD4, kUpTo90, 0x1f63, kFixed,
     "TLD4$tex_scr$tex_component$tex_flags R@64, Rd, A, ?B, $tex_uniform, $tex_dim",
     "81:3=7 84:3=1"},
    {Op::TLD4, kFrom100, 0x1f63, kFixed,
     "TLD4$tex_scr$tex_component$tex_flags100 R@64, Rd, A, ?B, UR@40, $tex_dim",
     "81:3=7 84:3=1 48:8=255"},
    {Op::TXD, kAll, 0x36d, kFixed, "TXD.B$tex_flags R@64, Rd, A, ?B, $tex_dim",
     "81:3=7 84:3=1 59:2=1"},
    {Op::TXD, kAll, 0xb6c, kFixed, "TXD$tex_flags R@64, Rd, A, ?B, $tex_constant, $tex_dim",
     "81:3=7 84:3=1"},
    {Op::TXD, kUpTo90, 0x1f6c, kFixed, "TXD$tex_flags R@64, Rd, A, ?B, $tex_uniform, $tex_dim",
     "81:3=7 84:3=1"},
    {Op::TXD, kFrom100, 0x1f6c, kFixed, "TXD$tex_flags100 R@64, Rd, A, ?B, UR@40, $tex_dim",
     "81:3=7 84:3=1 48:8=255"},

    // What a texture's header says: its sizes at a level of detail, one for each bit of the mask.
    {Op::TXQ, kAll, 0x370, kFixed, "TXQ.B R@64, Rd, A, TEX_HEADER_DIMENSION, #components@72:4",
     "59:1=1"},
    {Op::TXQ, kAll, 0xb6f, kFixed,
     "TXQ R@64, Rd, A, TEX_HEADER_DIMENSION, $tex_constant, #components@72:4"},
    {Op::TXQ, kAll, 0x1f6f, kFixed,
     "TXQ R@64, Rd, A, TEX_HEADER_DIMENSION, $tex_uniform, #components@72:4"},

    {Op::SULD, kSm75, 0x99a, kFixed, "SULD.D$surface75 Rd, [A], C", "81:3=7 84:3=1"},
    {Op::SULD, kSm75, 0xb99, kFixed, "SULD.D$surface75 Rd, [A], $tex_constant", "81:3=7 84:3=1"},
    {Op::SULD, kSm75, 0x1f99, kFixed, "SULD.D$surface75 Rd, [A], $tex_uniform", "81:3=7 84:3=1"},
    {Op::SULD, kFrom80, 0x99a, kFixed, "SULD.D$surface80 Rd, [A], C", "81:3=7 84:3=1"},
    {Op::SULD, kFrom80, 0xb99, kFixed, "SULD.D$surface80 Rd, [A], $tex_constant", "81:3=7 84:3=1"},
    {Op::SULD, kSm80To90, 0x1f99, kFixed, "SULD.D$surface80 Rd, [A], $tex_uniform",
     "81:3=7 84:3=1"},
    {Op::SULD, kFrom100, 0x1f99, kFixed, "SULD.D$surface80 Rd, [A], UR@40",
     "81:3=7 84:3=1 48:8=255"},
    {Op::SUST, kSm75, 0x99e, kFixed, "SUST.D$surface75 [A], B, C", "84:3=1"},
    {Op::SUST, kSm75, 0xb9d, kFixed, "SUST.D$surface75 [A], B, $tex_constant", "84:3=1"},
    {Op::SUST, kSm75, 0x1f9d, kFixed, "SUST.D$surface75 [A], B, $tex_uniform", "84:3=1"},
    {Op::SUST, kFrom80, 0x99e, kFixed, "SUST.D$surface80 [A], B, C", "84:3=1"},
    {Op::SUST, kFrom80, 0xb9d, kFixed, "SUST.D$surface80 [A], B, $tex_constant", "84:3=1"},
    {Op::SUST, kSm80To90, 0x1f9d, kFixed, "SUST.D$surface80 [A], B, $tex_uniform", "84:3=1"},
    {Op::SUST, kFrom100, 0x1f9d, kFixed, "SUST.D$surface80 [A], B, UR@40", "84:3=1 48:8=255"},
    {Op::SURED, kSm75, 0x3a0, kFixed, "SURED.D$sured75 [A], B, C", "84:3=1"},
    {Op::SURED, kSm75, 0x59f, kFixed, "SURED.D$sured75 [A], B, $tex_constant", "84:3=1"},
    {Op::SURED, kFrom80, 0x3a0, kFixed, "SURED.D$sured80 [A], B, C", "84:3=1"},
    {Op::SURED, kFrom80, 0x59f, kFixed, "SURED.D$sured80 [A], B, $tex_constant", "84:3=1"},
    {Op::SURED, kSm80To90, 0x1f9f, kFixed, "SURED.D$sured80 [A], B, $tex_uniform", "84:3=1"},
    {Op::SURED, kFrom100, 0x1f9f, kFixed, "SURED.D$sured80 [A], B, UR@40", "84:3=1 48:8=255"},
    // Formatted stores, which say how many components there are.
    {Op::SUST, kSm75, 0x99c, kFixed, "SUST.P$formatted75 [A], B, C", "84:3=1"},
    {Op::SUST, kSm75, 0xb9b, kFixed, "SUST.P$formatted75 [A], B, $tex_constant", "84:3=1"},
    {Op::SUST, kSm75, 0x1f9b, kFixed, "SUST.P$formatted75 [A], B, $tex_uniform", "84:3=1"},
    {Op::SUST, kFrom80, 0x99c, kFixed, "SUST.P$formatted80 [A], B, C", "84:3=1"},
    {Op::SUST, kFrom80, 0xb9b, kFixed, "SUST.P$formatted80 [A], B, $tex_constant", "84:3=1"},
    {Op::SUST, kSm80To90, 0x1f9b, kFixed, "SUST.P$formatted80 [A], B, $tex_uniform", "84:3=1"},
    {Op::SUST, kFrom100, 0x1f9b, kFixed, "SUST.P$formatted80 [A], B, UR@40", "84:3=1 48:8=255"},
};

}  // namespace heddle::isa
