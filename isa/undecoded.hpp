// Instructions that are known by name alone.
#pragma once

#include <string_view>

#include "isa/arch.hpp"
#include "isa/word.hpp"

namespace heddle::isa {

// What a word that decode() does not know is of: tensor memory and pairs of blocks, which sm_100 to
// sm_110 have. The PTX instruction and nvdisasm's name; empty for any other word.
std::string_view name_of_undecoded(Arch arch, const Word& word);

}  // namespace heddle::isa
