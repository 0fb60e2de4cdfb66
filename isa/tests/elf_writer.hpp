// Writes ELF files section by section: cubins that no compiler makes.
#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

#include "isa/tests/cubin_files.hpp"

namespace heddle::isa {

class ElfWriter {
 public:
  struct Section {
    std::string name;
    std::uint32_t type = SHT_PROGBITS;
    std::uint64_t flags = 0;
    FileBytes bytes = {};
    std::uint32_t link = 0, info = 0;
    std::uint64_t entry_size = 0;
    std::uint64_t alignment = 1;
    std::uint64_t nobits_size = 0;
  };

  ElfWriter() { add({.name = "", .type = SHT_NULL}); }

  // Returns the section's index.
  std::uint32_t add(Section section) {
    sections_.push_back(std::move(section));
    return static_cast<std::uint32_t>(sections_.size() - 1);
  }

  // A cubin for sm_90 by default.
  FileBytes write(std::uint16_t machine = 190, std::uint32_t flags = 0x06005a04) {
    std::string names;
    std::vector<std::uint32_t> name_offsets;
    add({.name = ".shstrtab", .type = SHT_STRTAB});
    for (const Section& section : sections_) {
      name_offsets.push_back(static_cast<std::uint32_t>(names.size()));
      names += section.name + '\0';
    }
    sections_.back().bytes = to_bytes(names);

    FileBytes file(sizeof(Elf64_Ehdr));
    std::vector<Elf64_Shdr> headers;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      headers.push_back(header(sections_[i], name_offsets[i], file.size()));
      file.insert(file.end(), sections_[i].bytes.begin(), sections_[i].bytes.end());
    }
    Elf64_Ehdr elf{};
    std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
    elf.e_ident[EI_CLASS] = ELFCLASS64;
    elf.e_ident[EI_DATA] = ELFDATA2LSB;
    elf.e_ident[EI_VERSION] = EV_CURRENT;
    elf.e_ident[EI_ABIVERSION] = 8;
    elf.e_type = ET_EXEC;
    elf.e_machine = machine;
    elf.e_flags = flags;
    elf.e_shoff = file.size();
    elf.e_shentsize = sizeof(Elf64_Shdr);
    elf.e_shnum = static_cast<std::uint16_t>(headers.size());
    elf.e_shstrndx = static_cast<std::uint16_t>(headers.size() - 1);
    std::memcpy(file.data(), &elf, sizeof elf);
    append(file, headers);
    return file;
  }

  static FileBytes to_bytes(std::string_view text) {
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
  }

  template <typename T>
  static FileBytes to_bytes(const std::vector<T>& values) {
    FileBytes bytes = {};
    append(bytes, values);
    return bytes;
  }

 private:
  template <typename T>
  static void append(FileBytes& bytes, const std::vector<T>& values) {
    const auto* first = reinterpret_cast<const std::byte*>(values.data());
    bytes.insert(bytes.end(), first, first + values.size() * sizeof(T));
  }

  static Elf64_Shdr header(const Section& section, std::uint32_t name, std::uint64_t offset) {
    Elf64_Shdr header{};
    header.sh_name = name;
    header.sh_type = section.type;
    header.sh_flags = section.flags;
    header.sh_offset = offset;
    header.sh_size = section.type == SHT_NOBITS ? section.nobits_size : section.bytes.size();
    header.sh_link = section.link;
    header.sh_info = section.info;
    header.sh_addralign = section.alignment;
    header.sh_entsize = section.entry_size;
    return header;
  }

  std::vector<Section> sections_;
};

}  // namespace heddle::isa
