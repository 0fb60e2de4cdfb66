#include "isa/undecoded.hpp"

#include "isa/row.hpp"

namespace heddle::isa {
namespace {

// By the low nine bits of the opcode number, as nvdisasm 13.0 prints code for sm_100a. The rest
// says where operands are, and which of the products it is.
struct Named {
  std::uint16_t code;
  std::string_view name;
};
constexpr Named kNamed[] = {
    {0x1ea, "tcgen05.mma (UTCHMMA, UTCQMMA, UTCIMMA, UTCOMMA)"},
    {0x1e3, "tcgen05.alloc or dealloc (UTCATOMSWS)"},
    {0x04c, "tcgen05.relinquish_alloc_permit (UVIRTCOUNT)"},
    {0x1e6, "tcgen05.shift (UTCSHIFT)"},
    {0x1e7, "tcgen05.cp (UTCCP)"},
    {0x1e9, "tcgen05.commit (UTCBAR)"},
    {0x1ee, "tcgen05.ld (LDTM)"},
    {0x1ed, "tcgen05.st (STTM)"},
};

}  // namespace

std::string_view name_of_undecoded(Arch arch, const Word& word) {
  if ((kSm100To110 & only(arch)) == 0) return {};
  for (const Named& each : kNamed)
    if (word.bits(0, 9) == each.code) return each.name;
  return {};
}

}  // namespace heddle::isa
