// Names for branch targets, as nvdisasm chooses them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "isa/arch.hpp"
#include "isa/word.hpp"

namespace heddle::isa {

using AddressNames = std::map<std::uint64_t, std::string>;

// The names of what the code of one text section refers to, by byte offset in the section. A target
// that `symbols` names keeps that name; the others are called .L_x_N, N counting on from `next` in
// the order in which the code first refers to them (seen in listings of optimised programs; with -G
// nvdisasm numbers what relocations refer to before everything else). Targets outside the section,
// and those of indirect branches, which the code does not hold, get no name.
AddressNames label_names(Arch arch, std::span<const Word> code, const AddressNames& symbols,
                         unsigned& next);

}  // namespace heddle::isa
