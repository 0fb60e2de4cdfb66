#include "gpu/runtime/code_in_memory.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "gpu/runtime/abi.hpp"
#include "isa/elf.hpp"

namespace heddle::runtime {
namespace {

constexpr std::uint32_t kFatBinary = 0xba55ed50;

template <typename Value>
Value at(const std::byte* from) {
  Value value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::uint64_t elf_bytes(const std::byte* elf) {
  const auto header = at<Elf64_Ehdr>(elf);
  std::uint64_t end =
      std::max<std::uint64_t>(header.e_shoff + std::uint64_t{header.e_shnum} * header.e_shentsize,
                              header.e_phoff + std::uint64_t{header.e_phnum} * header.e_phentsize);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section = at<Elf64_Shdr>(elf + header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_NOBITS) end = std::max(end, section.sh_offset + section.sh_size);
  }
  return end;
}

std::uint64_t bytes_of(const std::byte* code) {
  if (std::memcmp(code, ELFMAG, SELFMAG) == 0) return elf_bytes(code);
  if (at<std::uint32_t>(code) == kFatBinary)
    return at<std::uint16_t>(code + 6) + at<std::uint64_t>(code + 8);
  return std::strlen(reinterpret_cast<const char*>(code));
}

// The architecture that PTX names: 90 of ".target sm_90a".
std::uint32_t target_of(std::string_view ptx, const std::string& origin) {
  constexpr std::string_view kTarget = ".target sm_";
  const std::size_t found = ptx.find(kTarget);
  std::uint32_t number = 0;
  if (found != ptx.npos) {
    const char* const begin = ptx.data() + found + kTarget.size();
    std::from_chars(begin, ptx.data() + ptx.size(), number);
  }
  if (number == 0)
    throw isa::CubinError(fmt::format("{}: neither a cubin, a fat binary nor PTX", origin));
  return number;
}

}  // namespace

std::vector<isa::FatEntry> read_code(std::span<const std::byte> bytes, const std::string& origin) {
  isa::FatEntry entry;
  entry.contents.assign(bytes.begin(), bytes.end());
  if (isa::looks_like_elf(bytes)) {
    entry.kind = isa::FatEntry::Kind::elf;
    entry.sm = static_cast<std::uint32_t>(isa::sm_number(isa::parse_cubin(bytes, origin).arch));
    return {std::move(entry)};
  }
  if (bytes.size() >= sizeof kFatBinary && at<std::uint32_t>(bytes.data()) == kFatBinary)
    return isa::read_fat_binary(bytes, origin);
  entry.kind = isa::FatEntry::Kind::ptx;
  entry.sm = target_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, origin);
  return {std::move(entry)};
}

std::vector<isa::FatEntry> read_code(const void* code, const std::string& origin) {
  const auto* begin = static_cast<const std::byte*>(code);
  if (at<std::uint8_t>(begin) == (abi::kFatBinaryWrapperMagic & 0xff) &&
      at<std::uint32_t>(begin) == abi::kFatBinaryWrapperMagic)
    begin = at<abi::FatBinaryWrapper>(begin).data;
  return read_code(std::span(begin, bytes_of(begin)), origin);
}

}  // namespace heddle::runtime
