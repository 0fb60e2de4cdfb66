// Which registers native code uses for what, beside those of RunCompiler, and what accesses
// compare.
#pragma once

#include <array>
#include <cstdint>

#include <xbyak/xbyak.h>

namespace heddle::simulator::native {

inline const Xbyak::Reg64 kMachine = Xbyak::util::r15;
inline const Xbyak::Reg32 kOn =
    Xbyak::util::r11d;  // of a guarded instruction: the lanes that are on
// Of an access: the first lane's address, then the lowest one, and where that memory is.
inline const Xbyak::Reg64 kAddress = Xbyak::util::rax, kView = Xbyak::util::r8;
// The Machine::Known that it lies in.
inline const Xbyak::Reg64 kKnown = Xbyak::util::r10;
// As of an AccessPattern.
inline const Xbyak::Reg64 kPattern = Xbyak::util::rsi, kBytes = Xbyak::util::rdi,
                          kLeast = Xbyak::util::r9;

// Of lane `first` and those behind it: number * step.
constexpr std::array<std::uint32_t, 16> multiples(std::uint32_t first, std::uint32_t step) {
  std::array<std::uint32_t, 16> words{};
  for (std::uint32_t i = 0; i < 16; ++i) words[i] = (first + i) * step;
  return words;
}

}  // namespace heddle::simulator::native
