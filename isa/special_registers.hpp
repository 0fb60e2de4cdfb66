// Special registers by number (docs/hardware/control-flow.md): what S2R, S2UR and CS2R read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::isa {

struct SpecialRegister {
  std::uint8_t number;
  std::string_view name;
};

inline constexpr SpecialRegister kSpecialRegisters[] = {
    {0, "SR_LANEID"},
    {1, "SR_CLOCK"},
    {2, "SR_VIRTCFG"},
    {3, "SR_VIRTID"},
    {32, "SR_TID"},
    {33, "SR_TID.X"},
    {34, "SR_TID.Y"},
    {35, "SR_TID.Z"},
    {36, "SR_CTA_PARAM"},
    {37, "SR_CTAID.X"},
    {38, "SR_CTAID.Y"},
    {39, "SR_CTAID.Z"},
    {40, "SR_NTID"},
    {46, "SR_LWINHI"},
    {47, "SR_SWINHI"},
    {48, "SR_SWINLO"},
    {49, "SR_SWINSZ"},
    {50, "SR_SMEMSZ"},
    {52, "SR_LWINLO"},
    {53, "SR_LWINSZ"},
    {54, "SR_LMEMLOSZ"},
    {55, "SR_LMEMHIOFF"},
    {56, "SR_EQMASK"},
    {57, "SR_LTMASK"},
    {58, "SR_LEMASK"},
    {59, "SR_GTMASK"},
    {60, "SR_GEMASK"},
    {66, "SR_WARPERRORSTATUS"},
    {67, "SR_VIRTUALSMID"},
    {80, "SR_CLOCKLO"},
    {81, "SR_CLOCKHI"},
    {82, "SR_GLOBALTIMERLO"},
    {83, "SR_GLOBALTIMERHI"},
    {100, "SR_PM0"},
    {101, "SR_PM_HI0"},
    {102, "SR_PM1"},
    {103, "SR_PM_HI1"},
    {104, "SR_PM2"},
    {105, "SR_PM_HI2"},
    {106, "SR_PM3"},
    {107, "SR_PM_HI3"},
    {108, "SR_PM4"},
    {109, "SR_PM_HI4"},
    {110, "SR_PM5"},
    {111, "SR_PM_HI5"},
    {112, "SR_PM6"},
    {113, "SR_PM_HI6"},
    {114, "SR_PM7"},
    {115, "SR_PM_HI7"},
    {136, "SR_CgaCtaId"},
    {137, "SR_GpcLocalCgaId"},
    {138, "SR_CgaSize"},
    {255, "SRZ"},
};

constexpr std::string_view special_register_name(std::uint8_t number) {
  for (const SpecialRegister& entry : kSpecialRegisters)
    if (entry.number == number) return entry.name;
  return {};
}

// Whether lanes of a warp may find different words in it: their number, thread and masks.
constexpr bool differs_between_lanes(std::uint8_t number) {
  constexpr unsigned kLaneId = 0, kTid = 32, kTidZ = 35, kEqMask = 56, kGeMask = 60;
  return number == kLaneId || (number >= kTid && number <= kTidZ) ||
         (number >= kEqMask && number <= kGeMask);
}

}  // namespace heddle::isa
