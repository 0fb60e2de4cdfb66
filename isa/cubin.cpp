#include "isa/cubin.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>

#include "isa/elf.hpp"
#include "isa/kernel_info.hpp"

namespace heddle::isa {
namespace {

constexpr std::uint16_t kElfMachineCuda = 190;
// CUDA 13 writes this ABI version and the SM number into bits 15:8 of e_flags; before, bits 7:0
// held it (docs/hardware/cubins.md; e_flags of CUDA 12 cubins such as 0x5a055a).
constexpr std::uint8_t kAbiVersionCuda13 = 8;
constexpr std::uint8_t kSymbolIsKernel = 0x10;  // st_other: STO_CUDA_ENTRY

Arch read_arch(const ElfFile& elf) {
  if (elf.machine != kElfMachineCuda)
    throw CubinError(fmt::format("{}: the ELF is for machine {}, expected {} (CUDA)", elf.origin,
                                 elf.machine, kElfMachineCuda));
  const int sm = static_cast<int>(elf.abi_version >= kAbiVersionCuda13 ? elf.flags >> 8 & 0xff
                                                                       : elf.flags & 0xff);
  if (const auto arch = arch_from_sm(sm)) return *arch;
  std::string known;
  for (const Arch arch : kAllArchs)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name(arch));
  throw CubinError(
      fmt::format("{}: the code is for sm_{}, which is not one of {}", elf.origin, sm, known));
}

// Names are copied out of the string tables, and a file may point to one long name many times.
class NameBudget {
 public:
  explicit NameBudget(std::uint64_t file_bytes) : left_(8 * file_bytes) {}
  std::string copy(std::string_view name, const Bytes& from, std::uint64_t offset) {
    if (name.size() > left_) from.fail(offset, "the names here are far longer than the file");
    left_ -= name.size();
    return std::string(name);
  }

 private:
  std::uint64_t left_;
};

std::vector<Section> copy_sections(const ElfFile& elf, const Bytes& file, NameBudget& names) {
  std::vector<Section> sections;
  sections.reserve(elf.sections.size());
  for (const ElfSection& from : elf.sections) {
    if (from.alignment > 1 && (from.alignment & (from.alignment - 1)) != 0)
      file.fail(from.offset, fmt::format("section '{}' is aligned to {}, which is no power of two",
                                         from.name, from.alignment));
    sections.push_back({.name = names.copy(from.name, file, from.offset),
                        .type = from.type,
                        .flags = from.flags,
                        .size = from.size,
                        .alignment = std::max<std::uint64_t>(from.alignment, 1),
                        .link = from.link,
                        .info = from.info,
                        .bytes = {from.bytes.begin(), from.bytes.end()}});
  }
  return sections;
}

// The size of one entry of table `section`, which has to be `expected`.
std::uint64_t entry_count(const ElfFile& elf, std::size_t section, std::uint64_t expected) {
  const ElfSection& table = elf.sections[section];
  if (table.entry_size != expected || table.bytes.size() % expected != 0)
    elf.contents(section).fail(0, fmt::format("a table of {} bytes in entries of {}, expected {}",
                                              table.bytes.size(), table.entry_size, expected));
  return table.bytes.size() / expected;
}

std::optional<std::size_t> find_table(const ElfFile& elf, std::uint32_t type) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < elf.sections.size(); ++i) {
    if (elf.sections[i].type != type) continue;
    if (found) throw CubinError(elf.describe(i) + ": a second symbol table");
    found = i;
  }
  return found;
}

Symbol read_symbol(const ElfFile& elf, const Bytes& table, const Bytes& strings,
                   std::uint64_t offset, NameBudget& names) {
  const auto raw = table.at<Elf64_Sym>(offset, "a symbol");
  const bool special = raw.st_shndx == SHN_ABS || raw.st_shndx == SHN_COMMON;
  if (raw.st_shndx >= elf.sections.size() && !special)
    table.fail(offset, fmt::format("a symbol in section {}, but there are {} sections",
                                   raw.st_shndx, elf.sections.size()));
  return {.name = names.copy(strings.text(raw.st_name, "a symbol's name"), table, offset),
          .section = special ? 0u : raw.st_shndx,
          .value = raw.st_value,
          .size = raw.st_size,
          .type = static_cast<std::uint8_t>(ELF64_ST_TYPE(raw.st_info)),
          .bind = static_cast<std::uint8_t>(ELF64_ST_BIND(raw.st_info)),
          .other = raw.st_other};
}

std::vector<Symbol> read_symbols(const ElfFile& elf, NameBudget& names) {
  std::vector<Symbol> symbols;
  const auto section = find_table(elf, SHT_SYMTAB);
  if (!section) return symbols;
  const Bytes table = elf.contents(*section);
  const std::uint64_t count = entry_count(elf, *section, sizeof(Elf64_Sym));
  const std::uint32_t link = elf.sections[*section].link;
  if (link >= elf.sections.size())
    table.fail(
        0, fmt::format("its names are in section {}, but there are {}", link, elf.sections.size()));
  const Bytes strings = elf.contents(link);
  symbols.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i)
    symbols.push_back(read_symbol(elf, table, strings, i * sizeof(Elf64_Sym), names));
  return symbols;
}

Relocation read_relocation(const Bytes& table, std::uint64_t offset, bool has_addend) {
  const auto raw = table.at<Elf64_Rel>(offset, "a relocation");
  return {.section = 0,
          .offset = raw.r_offset,
          .type = static_cast<std::uint32_t>(ELF64_R_TYPE(raw.r_info)),
          .symbol = static_cast<std::uint32_t>(ELF64_R_SYM(raw.r_info)),
          .addend = has_addend ? table.at<Elf64_Rela>(offset, "a relocation").r_addend : 0,
          .has_addend = has_addend};
}

void read_relocations(const ElfFile& elf, std::size_t section, Cubin& cubin) {
  const ElfSection& header = elf.sections[section];
  const Bytes table = elf.contents(section);
  const bool has_addend = header.type == SHT_RELA;
  const std::uint64_t entry = has_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
  const std::uint64_t count = entry_count(elf, section, entry);
  if (count == 0) return;
  if (header.info >= elf.sections.size())
    table.fail(0, fmt::format("it patches section {}, but there are {}", header.info,
                              elf.sections.size()));
  for (std::uint64_t i = 0; i < count; ++i) {
    Relocation relocation = read_relocation(table, i * entry, has_addend);
    relocation.section = header.info;
    if (relocation.symbol >= cubin.symbols.size())
      table.fail(i * entry,
                 fmt::format("symbol {} of {}", relocation.symbol, cubin.symbols.size()));
    if (relocation.offset >= elf.sections[header.info].size)
      table.fail(i * entry, fmt::format("it patches byte {:#x} of '{}', which has {:#x} bytes",
                                        relocation.offset, elf.sections[header.info].name,
                                        elf.sections[header.info].size));
    cubin.relocations.push_back(relocation);
  }
}

std::vector<Function> find_functions(const ElfFile& elf, const std::vector<Symbol>& symbols) {
  std::vector<Function> functions;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const Symbol& symbol = symbols[i];
    if (symbol.type != STT_FUNC || symbol.section == 0) continue;
    const ElfSection& text = elf.sections[symbol.section];
    if ((text.flags & SHF_EXECINSTR) == 0 || text.type != SHT_PROGBITS ||
        symbol.value > text.size || symbol.size > text.size - symbol.value ||
        symbol.value % kWordBytes != 0 || symbol.size % kWordBytes != 0)
      throw CubinError(
          fmt::format("{}: symbol {} '{}' is a function of {:#x} bytes at {:#x}, which is no piece "
                      "of code there",
                      elf.describe(symbol.section), i, symbol.name, symbol.size, symbol.value));
    functions.push_back({.name = symbol.name,
                         .section = symbol.section,
                         .offset = symbol.value,
                         .size = symbol.size,
                         .is_kernel = (symbol.other & kSymbolIsKernel) != 0});
  }
  return functions;
}

// From sm_100 on a cubin has its code a second time, as ptxas had it before its last step
// (Mercury), with sections that share bytes with their originals.
void leave_out_mercury(ElfFile& elf) {
  for (ElfSection& section : elf.sections)
    if (section.name.starts_with(".nv.merc.") || section.name.starts_with(".nv.capmerc."))
      section.bytes = {};
}

}  // namespace

const Section* Cubin::find_section(std::string_view name) const {
  const auto found = std::ranges::find(sections, name, &Section::name);
  return found == sections.end() ? nullptr : &*found;
}

const Kernel* Cubin::find_kernel(std::string_view mangled) const {
  const auto found = std::ranges::find(kernels, mangled, &Kernel::name);
  return found == kernels.end() ? nullptr : &*found;
}

Cubin parse_cubin(std::span<const std::byte> bytes, std::string_view origin) {
  ElfFile elf = read_elf(bytes, origin);
  leave_out_mercury(elf);
  refuse_overlap(elf);
  const Bytes file(bytes, elf.origin);
  NameBudget names(bytes.size());
  Cubin cubin;
  cubin.arch = read_arch(elf);
  cubin.origin = elf.origin;
  cubin.relocatable = elf.type == ET_REL;
  cubin.sections = copy_sections(elf, file, names);
  cubin.symbols = read_symbols(elf, names);
  for (std::size_t i = 0; i < elf.sections.size(); ++i)
    if (elf.sections[i].type == SHT_REL || elf.sections[i].type == SHT_RELA)
      read_relocations(elf, i, cubin);
  cubin.functions = find_functions(elf, cubin.symbols);
  read_kernels(elf, cubin);
  return cubin;
}

}  // namespace heddle::isa
