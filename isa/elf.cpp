#include "isa/elf.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/cubin.hpp"

namespace heddle::isa {

static_assert(std::endian::native == std::endian::little, "ELF fields are read as they lie");

std::span<const std::byte> Bytes::slice(std::uint64_t offset, std::uint64_t size,
                                        std::string_view what) const {
  if (offset > bytes_.size() || size > bytes_.size() - offset)
    fail(offset,
         fmt::format("{} needs {} bytes, but only {} bytes are there", what, size, bytes_.size()));
  return bytes_.subspan(offset, size);
}

std::string_view Bytes::text(std::uint64_t offset, std::string_view what) const {
  if (offset >= bytes_.size())
    fail(offset, fmt::format("{} begins past the end of the {} bytes here", what, bytes_.size()));
  const char* first = reinterpret_cast<const char*>(bytes_.data()) + offset;
  const void* end = std::memchr(first, 0, bytes_.size() - offset);
  if (end == nullptr) fail(offset, fmt::format("{} has no terminating zero", what));
  return {first, static_cast<const char*>(end)};
}

void Bytes::fail(std::uint64_t offset, std::string_view message) const {
  throw CubinError(fmt::format("{}: at offset {:#x}: {}", where_, offset, message));
}

std::string ElfFile::describe(std::size_t section) const {
  return fmt::format("{}: section {} '{}'", origin, section, sections[section].name);
}

bool looks_like_elf(std::span<const std::byte> bytes) {
  return bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
}

namespace {

Elf64_Ehdr read_header(const Bytes& file) {
  if (!looks_like_elf(file.all())) file.fail(0, "not an ELF file");
  const auto header = file.at<Elf64_Ehdr>(0, "the ELF header");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    file.fail(EI_CLASS, "expected a 64-bit little-endian ELF");
  if (header.e_shoff == 0) file.fail(40, "there is no section table");
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    file.fail(58, fmt::format("section headers are {} bytes each, expected {}", header.e_shentsize,
                              sizeof(Elf64_Shdr)));
  return header;
}

std::vector<Elf64_Shdr> read_section_headers(const Bytes& file, const Elf64_Ehdr& header) {
  const auto first = file.at<Elf64_Shdr>(header.e_shoff, "the section table");
  // A count that does not fit 16 bits stands in the first header (System V ABI).
  const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
  if (count == 0 || count > file.size() / sizeof(Elf64_Shdr))
    file.fail(60, fmt::format("{} sections do not fit in the file", count));
  const auto table = file.slice(header.e_shoff, count * sizeof(Elf64_Shdr), "the section table");
  std::vector<Elf64_Shdr> headers(count);
  std::memcpy(headers.data(), table.data(), table.size());
  return headers;
}

ElfSection to_section(const Bytes& file, const Elf64_Shdr& header, std::size_t index) {
  ElfSection section{.name = {},
                     .type = header.sh_type,
                     .flags = header.sh_flags,
                     .offset = header.sh_offset,
                     .size = header.sh_size,
                     .link = header.sh_link,
                     .info = header.sh_info,
                     .alignment = header.sh_addralign,
                     .entry_size = header.sh_entsize,
                     .bytes = {}};
  if (header.sh_type != SHT_NULL && header.sh_type != SHT_NOBITS)
    section.bytes = file.slice(header.sh_offset, header.sh_size, fmt::format("section {}", index));
  return section;
}

void name_sections(const Bytes& file, const Elf64_Ehdr& header, std::vector<ElfSection>& sections,
                   const std::vector<Elf64_Shdr>& headers) {
  const std::size_t names =
      header.e_shstrndx == SHN_XINDEX ? headers[0].sh_link : header.e_shstrndx;
  if (names >= sections.size())
    file.fail(62, fmt::format("section names are in section {}, but there are {} sections", names,
                              sections.size()));
  const Bytes strings(sections[names].bytes, file.where() + ": section names");
  for (std::size_t i = 1; i < sections.size(); ++i)
    sections[i].name = strings.text(headers[i].sh_name, fmt::format("the name of section {}", i));
}

}  // namespace

ElfFile read_elf(std::span<const std::byte> bytes, std::string_view origin) {
  const Bytes file(bytes, std::string(origin));
  const Elf64_Ehdr header = read_header(file);
  const std::vector<Elf64_Shdr> headers = read_section_headers(file, header);
  ElfFile elf{.origin = std::string(origin),
              .type = header.e_type,
              .machine = header.e_machine,
              .os_abi = header.e_ident[EI_OSABI],
              .abi_version = header.e_ident[EI_ABIVERSION],
              .flags = header.e_flags,
              .sections = {}};
  elf.sections.reserve(headers.size());
  for (std::size_t i = 0; i < headers.size(); ++i)
    elf.sections.push_back(to_section(file, headers[i], i));
  name_sections(file, header, elf.sections, headers);
  return elf;
}

void refuse_overlap(const ElfFile& elf) {
  std::vector<const ElfSection*> order;
  for (const ElfSection& section : elf.sections)
    if (!section.bytes.empty()) order.push_back(&section);
  std::ranges::sort(order, {}, &ElfSection::offset);
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i]->offset < order[i - 1]->offset + order[i - 1]->bytes.size())
      throw CubinError(fmt::format("{}: at offset {:#x}: sections '{}' and '{}' overlap",
                                   elf.origin, order[i]->offset, order[i - 1]->name,
                                   order[i]->name));
}

}  // namespace heddle::isa
