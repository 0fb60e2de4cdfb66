#include "gpu/cupti/cubin.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "gpu/cupti/sha256.hpp"

namespace heddle::cupti {

Cubin::Cubin(const void* image, std::size_t bytes) {
  const auto* begin = static_cast<const std::uint8_t*>(image);
  bytes_.assign(begin, begin + bytes);
  const auto header = read<Elf64_Ehdr>(0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return;
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return;
  std::vector<std::uint32_t> name_offsets;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto raw = read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
    const std::uint64_t size = raw.sh_type == SHT_NOBITS ? 0 : raw.sh_size;
    Section section{{}, raw.sh_type, raw.sh_link, raw.sh_info, raw.sh_offset, size};
    if (section.offset > bytes_.size() || section.size > bytes_.size() - section.offset)
      section.offset = section.size = 0;
    sections_.push_back(section);
    name_offsets.push_back(raw.sh_name);
  }
  if (header.e_shstrndx >= sections_.size()) return;
  for (std::size_t i = 0; i < sections_.size(); ++i)
    sections_[i].name = name_at(sections_[header.e_shstrndx], name_offsets[i]);
}

template <typename T>
T Cubin::read(std::uint64_t offset) const {
  T value{};
  if (bytes_.size() >= sizeof(T) && offset <= bytes_.size() - sizeof(T))
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
  return value;
}

std::string Cubin::name_at(const Section& strings, std::uint32_t offset) const {
  if (offset >= strings.size) return {};
  const char* begin = reinterpret_cast<const char*>(bytes_.data() + strings.offset + offset);
  return std::string(begin, strnlen(begin, strings.size - offset));
}

std::string Cubin::code_sha256() const {
  Sha256 hash;
  for (const Section& section : sections_)
    if (section.name.starts_with(".text."))
      hash.update(bytes_.data() + section.offset, section.size);
  return hash.finish();
}

bool Cubin::has_function(std::string_view mangled) const {
  return std::any_of(sections_.begin(), sections_.end(), [&](const Section& section) {
    return section.name.starts_with(".text.") &&
           std::string_view(section.name).substr(6) == mangled;
  });
}

// A cubin has one symbol table; its entries keep their indices.
std::vector<Cubin::Symbol> Cubin::symbols() const {
  std::vector<Symbol> out;
  for (const Section& table : sections_) {
    if (table.type != SHT_SYMTAB || table.link >= sections_.size()) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.size; at += sizeof(Elf64_Sym)) {
      const auto raw = read<Elf64_Sym>(table.offset + at);
      const std::uint8_t type = ELF64_ST_TYPE(raw.st_info);
      out.push_back({name_at(sections_[table.link], raw.st_name), type, raw.st_shndx, raw.st_value,
                     raw.st_size});
    }
    break;
  }
  return out;
}

std::vector<std::uint64_t> Cubin::function_addresses_in(std::size_t index,
                                                        const std::vector<Symbol>& symbols) const {
  std::vector<std::uint64_t> out;
  for (const Section& table : sections_) {
    const bool addends = table.type == SHT_RELA;
    if ((!addends && table.type != SHT_REL) || table.info != index) continue;
    const std::uint64_t step = addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (std::uint64_t at = 0; at + step <= table.size; at += step) {
      const auto entry = read<Elf64_Rel>(table.offset + at);  // an Elf64_Rela begins the same
      const std::uint64_t symbol = ELF64_R_SYM(entry.r_info);
      if (symbol < symbols.size() && symbols[symbol].type == STT_FUNC)
        out.push_back(entry.r_offset);
    }
  }
  return out;
}

std::vector<GlobalVariable> Cubin::global_variables() const {
  std::vector<GlobalVariable> out;
  const std::vector<Symbol> all = symbols();
  for (const Symbol& symbol : all) {
    if (symbol.type != STT_OBJECT || symbol.section >= sections_.size()) continue;
    if (!sections_[symbol.section].name.starts_with(".nv.global")) continue;
    if (symbol.name.starts_with('$')) continue;  // "$str": the compiler's own
    GlobalVariable variable{symbol.name, {}};
    for (const std::uint64_t offset : function_addresses_in(symbol.section, all))
      if (offset >= symbol.value && offset - symbol.value < symbol.size)
        variable.function_pointers.push_back(offset - symbol.value);
    out.push_back(std::move(variable));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

}  // namespace heddle::cupti
