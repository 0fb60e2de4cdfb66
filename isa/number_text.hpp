// Numbers as nvdisasm writes them.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::isa {

std::string hex(std::uint64_t value);        // 0x1f
std::string signed_hex(std::int64_t value);  // -0x1f

// Immediates by their bits. Infinities and NaNs end in a space.
std::string float_text(std::uint32_t bits);
std::string double_text(std::uint32_t high_word);
std::string half_text(std::uint32_t bits);
std::string halves_text(std::uint32_t bits, bool bf16);  // high half first

}  // namespace heddle::isa
