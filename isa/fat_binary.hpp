// Parts of a fat binary: programs carry code for many GPUs, and hundreds of megabytes of it.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "isa/cubin.hpp"

namespace heddle::isa {

// Asked of an entry that has no contents yet: whether it is to get them.
using WantsContents = std::function<bool(const FatEntry&)>;

// As read_fat_binary of isa/cubin.hpp, but entries that are not wanted stay without contents: those
// are not decompressed. Throws CubinError.
std::vector<FatEntry> read_fat_binary(std::span<const std::byte> bytes, std::string_view origin,
                                      const WantsContents& wants);

}  // namespace heddle::isa
