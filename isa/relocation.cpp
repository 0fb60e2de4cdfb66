#include "isa/relocation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "isa/word.hpp"

namespace heddle::isa {
namespace {

// A run of bits of the patched value and where it goes.
struct Field {
  unsigned value_first = 0, bits = 0, position = 0;
};

// What a linked cubin of nvcc 13.0 holds (seen in -O3, -G and -rdc builds for sm_75 to sm_90).
// Numbers and names are NVIDIA's. A code address is a multiple of 4 whose two low bits are not
// stored: the same fields as a branch displacement (docs/hardware/machine-code.md), but absolute.
// FUNC_DESC are handles of kernels that kernels launch; the address of the code is one.
struct Kind {
  std::uint32_t type;
  std::string_view name;
  bool in_code;  // patches a 16-byte instruction, else 8 bytes of data
  std::array<Field, 2> fields;
};

constexpr std::array kKinds{
    Kind{2, "R_CUDA_64", false, {{{0, 64, 0}}}},
    Kind{4, "R_CUDA_G64", false, {{{0, 64, 0}}}},
    Kind{35, "R_CUDA_FUNC_DESC_64", false, {{{0, 64, 0}}}},
    Kind{56, "R_CUDA_ABS32_LO_32", true, {{{0, 32, 32}}}},
    Kind{57, "R_CUDA_ABS32_HI_32", true, {{{32, 32, 32}}}},
    Kind{58, "R_CUDA_ABS47_34", true, {{{2, 47, 34}}}},
    Kind{62, "R_CUDA_FUNC_DESC32_LO_32", true, {{{0, 32, 32}}}},
    Kind{63, "R_CUDA_FUNC_DESC32_HI_32", true, {{{32, 32, 32}}}},
    Kind{75, "R_CUDA_ABS55_16_34", true, {{{2, 8, 16}, {10, 47, 34}}}},
};

[[noreturn]] void refuse(const Cubin& cubin, const Relocation& relocation, std::string_view why) {
  throw CubinError(fmt::format(
      "{}: relocation of type {} at byte {:#x} of section {} '{}', symbol "
      "'{}': {}",
      cubin.origin, relocation.type, relocation.offset, relocation.section,
      cubin.sections[relocation.section].name, cubin.symbols[relocation.symbol].name, why));
}

const Kind& find_kind(const Cubin& cubin, const Relocation& relocation) {
  for (const Kind& kind : kKinds)
    if (kind.type == relocation.type) return kind;
  refuse(cubin, relocation, "this type is not known");
}

// REL tables keep the addend where the value goes. A field that holds a part of the value cannot
// hold a whole addend: the compiler uses RELA there, and only zeros were seen.
std::uint64_t addend_in_place(const Cubin& cubin, const Relocation& relocation, const Kind& kind,
                              const Word& word) {
  if (!kind.in_code) return word.lo;
  for (const Field& field : kind.fields)
    if (field.bits != 0 && word.bits(field.position, field.bits) != 0)
      refuse(cubin, relocation, "the field already holds a value, expected zero");
  return 0;
}

}  // namespace

void apply_relocation(const Cubin& cubin, const Relocation& relocation,
                      std::uint64_t symbol_address, std::span<std::byte> section) {
  const Kind& kind = find_kind(cubin, relocation);
  const std::size_t width = kind.in_code ? sizeof(Word) : sizeof(std::uint64_t);
  if (relocation.offset > section.size() || section.size() - relocation.offset < width)
    refuse(
        cubin, relocation,
        fmt::format("it patches {} bytes, but the section ends at {:#x}", width, section.size()));
  if (kind.in_code && relocation.offset % sizeof(Word) != 0)
    refuse(cubin, relocation, "no instruction begins there");
  Word word;
  std::memcpy(&word, section.data() + relocation.offset, width);
  const std::uint64_t addend = relocation.has_addend
                                   ? static_cast<std::uint64_t>(relocation.addend)
                                   : addend_in_place(cubin, relocation, kind, word);
  const std::uint64_t value = symbol_address + addend;
  for (const Field& field : kind.fields)
    if (field.bits != 0) word.set_bits(field.position, field.bits, value >> field.value_first);
  std::memcpy(section.data() + relocation.offset, &word, width);
}

}  // namespace heddle::isa
