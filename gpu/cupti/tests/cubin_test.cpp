#include "gpu/cupti/cubin.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "gpu/cupti/sha256.hpp"

namespace heddle::cupti {
namespace {

struct SectionSpec {
  std::string name;
  std::uint32_t type = SHT_PROGBITS;
  std::vector<std::uint8_t> bytes;
  std::uint32_t link = 0, info = 0;
};

template <typename T>
void append(std::vector<std::uint8_t>& bytes, const T& value) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof value);
}

// An ELF64 image of the given sections, their names last.
std::vector<std::uint8_t> elf(std::vector<SectionSpec> sections) {
  sections.push_back({".shstrtab", SHT_STRTAB, {}, 0, 0});
  std::vector<std::uint32_t> names;
  for (const SectionSpec& section : sections) {
    std::vector<std::uint8_t>& strings = sections.back().bytes;
    names.push_back(static_cast<std::uint32_t>(strings.size()));
    strings.insert(strings.end(), section.name.begin(), section.name.end());
    strings.push_back(0);
  }
  std::vector<std::uint8_t> image(sizeof(Elf64_Ehdr));
  std::vector<Elf64_Shdr> headers;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    Elf64_Shdr header{};
    header.sh_name = names[i];
    header.sh_type = sections[i].type;
    header.sh_offset = image.size();
    header.sh_size = sections[i].bytes.size();
    header.sh_link = sections[i].link;
    header.sh_info = sections[i].info;
    headers.push_back(header);
    image.insert(image.end(), sections[i].bytes.begin(), sections[i].bytes.end());
  }
  Elf64_Ehdr start{};
  std::memcpy(start.e_ident, ELFMAG, SELFMAG);
  start.e_ident[EI_CLASS] = ELFCLASS64;
  start.e_shoff = image.size();
  start.e_shentsize = sizeof(Elf64_Shdr);
  start.e_shnum = static_cast<Elf64_Half>(headers.size());
  start.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
  for (const Elf64_Shdr& header : headers) append(image, header);
  std::memcpy(image.data(), &start, sizeof start);
  return image;
}

Elf64_Sym symbol(std::uint32_t name, unsigned char type, Elf64_Half section, Elf64_Addr value,
                 Elf64_Xword size) {
  Elf64_Sym out{};
  out.st_name = name;
  out.st_info = ELF64_ST_INFO(STB_LOCAL, type);
  out.st_shndx = section;
  out.st_value = value;
  out.st_size = size;
  return out;
}

Cubin read(const std::vector<std::uint8_t>& image) { return Cubin(image.data(), image.size()); }

TEST(Cubin, CodeHashTakesTheTextSectionsInOrder) {
  const auto image = elf({{".text.b", SHT_PROGBITS, {1, 2}, 0, 0},
                          {".nv.info", SHT_PROGBITS, {9}, 0, 0},
                          {".text.a", SHT_PROGBITS, {3}, 0, 0},
                          {".text", SHT_PROGBITS, {4}, 0, 0}});
  Sha256 expected;
  const std::uint8_t code[] = {1, 2, 3};
  expected.update(code, sizeof code);
  EXPECT_EQ(read(image).code_sha256(), expected.finish());
}

TEST(Cubin, KnowsItsFunctions) {
  const auto image = elf({{".text._Z1kPf", SHT_PROGBITS, {1}, 0, 0}});
  EXPECT_TRUE(read(image).has_function("_Z1kPf"));
  EXPECT_FALSE(read(image).has_function("_Z1kP"));
  EXPECT_FALSE(read(image).has_function(""));
}

TEST(Cubin, FindsGlobalsAndTheFunctionPointersInThem) {
  const std::string strings("\0table\0plain\0$str\0code\0constant", 32);
  std::vector<std::uint8_t> symbols, relocations;
  append(symbols, symbol(0, STT_NOTYPE, 0, 0, 0));
  append(symbols, symbol(1, STT_OBJECT, 0, 8, 16));   // table, in section 0
  append(symbols, symbol(7, STT_OBJECT, 0, 24, 8));   // plain
  append(symbols, symbol(13, STT_OBJECT, 0, 32, 4));  // $str
  append(symbols, symbol(18, STT_FUNC, 1, 0, 1));     // code
  append(symbols, symbol(23, STT_OBJECT, 5, 0, 4));   // constant, in section 5
  append(relocations, Elf64_Rela{16, ELF64_R_INFO(4, 2), 0});
  append(relocations,
         Elf64_Rela{24, ELF64_R_INFO(2, 2), 0});  // a variable's address, not a function's
  const auto image = elf({{".nv.global.init", SHT_PROGBITS, std::vector<std::uint8_t>(36), 0, 0},
                          {".text.code", SHT_PROGBITS, {1}, 0, 0},
                          {".symtab", SHT_SYMTAB, symbols, 3, 0},
                          {".strtab", SHT_STRTAB, {strings.begin(), strings.end()}, 0, 0},
                          {".rela.nv.global.init", SHT_RELA, relocations, 2, 0},
                          {".nv.constant3", SHT_PROGBITS, {0, 0, 0, 0}, 0, 0}});
  const auto variables = read(image).global_variables();
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(variables[0].name, "plain");
  EXPECT_TRUE(variables[0].function_pointers.empty());
  EXPECT_EQ(variables[1].name, "table");
  EXPECT_EQ(variables[1].function_pointers, std::vector<std::uint64_t>{8});
}

// A reader of what a driver hands over must still not run off the end of it.
TEST(Cubin, OfADamagedImageReadsNothingBeyondIt) {
  const auto whole = elf({{".text.k", SHT_PROGBITS, std::vector<std::uint8_t>(64), 0, 0},
                          {".symtab", SHT_SYMTAB, std::vector<std::uint8_t>(48), 0, 0}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<std::uint8_t> cut(whole.begin(),
                                        whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(read(cut).global_variables().empty());
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto damaged = whole;
    damaged[at] = 0xff;
    read(damaged).global_variables();
    EXPECT_EQ(read(damaged).code_sha256().size(), 64u);
  }
}

}  // namespace
}  // namespace heddle::cupti
