// Device code that a program hands over by its address alone: PTX, a cubin, a fat binary.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "isa/cubin.hpp"

namespace heddle::runtime {

// How far it reaches is read from its headers; PTX ends with a zero. `origin` names it in messages.
// Throws isa::CubinError where it is none of these.
std::vector<isa::FatEntry> read_code(const void* code, const std::string& origin);

// A cubin, a fat binary or PTX, as a file holds them.
std::vector<isa::FatEntry> read_code(std::span<const std::byte> bytes, const std::string& origin);

}  // namespace heddle::runtime
