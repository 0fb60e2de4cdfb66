// Cubins no compiler makes: built section by section.
#include <gmock/gmock.h>

#include "isa/relocation.hpp"
#include "isa/tests/elf_writer.hpp"

namespace heddle::isa {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kCodeFlags = SHF_ALLOC | SHF_EXECINSTR;

Elf64_Sym symbol(std::uint32_t name, std::uint8_t type, std::uint16_t section,
                 std::uint64_t size = 0, std::uint8_t other = 0) {
  Elf64_Sym symbol{};
  symbol.st_name = name;
  symbol.st_info = static_cast<unsigned char>(ELF64_ST_INFO(STB_GLOBAL, type));
  symbol.st_other = other;
  symbol.st_shndx = section;
  symbol.st_size = size;
  return symbol;
}

std::string error_of_parsing(ElfWriter& elf) {
  return error_of([&] { parse_cubin(elf.write(), "made.cubin"); });
}

void add_symbols(ElfWriter& elf, std::string_view strings, const std::vector<Elf64_Sym>& symbols) {
  const std::uint32_t names =
      elf.add({.name = ".strtab", .type = SHT_STRTAB, .bytes = ElfWriter::to_bytes(strings)});
  elf.add({.name = ".symtab",
           .type = SHT_SYMTAB,
           .bytes = ElfWriter::to_bytes(symbols),
           .link = names,
           .entry_size = sizeof(Elf64_Sym)});
}

TEST(MadeCubin, MayBeEmpty) {
  const Cubin cubin = parse_cubin(ElfWriter().write(), "made.cubin");
  EXPECT_TRUE(cubin.kernels.empty());
  EXPECT_EQ(place(cubin, {}).trap(), 0u);
}

// As nvcc 13 makes them for sm_100 with -lineinfo.
TEST(MadeCubin, WithASectionOfMercuryThatSharesBytesIsRead) {
  ElfWriter elf;
  elf.add({.name = ".nv_debug_ptx_txt", .bytes = ElfWriter::to_bytes("text")});
  const std::uint64_t copy =
      elf.add({.name = ".nv.merc.nv_debug_ptx_txt", .bytes = ElfWriter::to_bytes("copy")});
  FileBytes file = elf.write();
  const auto headers = get<std::uint64_t>(file, offsetof(Elf64_Ehdr, e_shoff));
  put(file, headers + copy * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset),
      std::uint64_t{sizeof(Elf64_Ehdr)});
  EXPECT_NO_THROW(parse_cubin(file, "made.cubin"));
}

TEST(MadeCubin, OfAnOlderCompilerHasItsArchitectureInTheLowFlagBits) {
  FileBytes file = ElfWriter().write(190, 0x5a055a);
  put(file, EI_ABIVERSION, std::uint8_t{7});
  EXPECT_EQ(parse_cubin(file, "made.cubin").arch, Arch::sm_90);
}

// 4000 symbols that all name one string of 100 KB: 400 MB of names in a file of 200 KB.
TEST(MadeCubin, WithOneLongNameForManySymbolsIsRefused) {
  ElfWriter elf;
  std::string names(100000, 'n');
  names += '\0';
  add_symbols(elf, names, std::vector<Elf64_Sym>(4000, symbol(0, STT_OBJECT, 0)));
  EXPECT_THAT(error_of_parsing(elf), HasSubstr("far longer than the file"));
}

TEST(MadeCubin, WithTwoSymbolTablesIsRefused) {
  ElfWriter elf;
  add_symbols(elf, std::string_view("\0", 1), {symbol(0, STT_NOTYPE, 0)});
  add_symbols(elf, std::string_view("\0", 1), {symbol(0, STT_NOTYPE, 0)});
  EXPECT_THAT(error_of_parsing(elf), HasSubstr("a second symbol table"));
}

TEST(MadeCubin, WithAnAlignmentThatIsNoPowerOfTwoIsRefused) {
  ElfWriter elf;
  elf.add({.name = ".nv.global", .type = SHT_NOBITS, .alignment = 3});
  EXPECT_THAT(error_of_parsing(elf), HasSubstr("no power of two"));
}

TEST(MadeCubin, WithTableEntriesOfAnotherSizeIsRefused) {
  ElfWriter elf;
  elf.add({.name = ".symtab", .type = SHT_SYMTAB, .bytes = FileBytes(24), .entry_size = 16});
  EXPECT_THAT(error_of_parsing(elf), HasSubstr("in entries of 16, expected 24"));
}

TEST(MadeCubin, WithAKernelThatNothingDescribesIsRefused) {
  ElfWriter elf;
  const std::uint32_t text =
      elf.add({.name = ".text.k", .flags = kCodeFlags, .bytes = FileBytes(128), .alignment = 128});
  add_symbols(
      elf, std::string_view("\0k\0", 3),
      {symbol(0, STT_NOTYPE, 0), symbol(1, STT_FUNC, static_cast<std::uint16_t>(text), 128, 0x10)});
  EXPECT_THAT(error_of_parsing(elf), HasSubstr("kernel 'k': 0 registers (REGCOUNT)"));
}

TEST(MadeCubin, WithALargeZeroedVariableCostsNothingToReadAndPlace) {
  ElfWriter elf;
  elf.add({.name = ".nv.global",
           .type = SHT_NOBITS,
           .flags = SHF_ALLOC | SHF_WRITE,
           .nobits_size = std::uint64_t{1} << 50});
  const Cubin cubin = parse_cubin(elf.write(), "made.cubin");
  EXPECT_EQ(cubin.find_section(".nv.global")->size, std::uint64_t{1} << 50);
  EXPECT_EQ(place(cubin, {}).trap(), 0u);
}

TEST(MadeCubin, WithCodeThatEndsInsideAnInstructionCannotBePlaced) {
  ElfWriter elf;
  elf.add({.name = ".text.k", .flags = kCodeFlags, .bytes = FileBytes(24), .alignment = 128});
  const Cubin cubin = parse_cubin(elf.write(), "made.cubin");
  EXPECT_THAT(error_of([&] { place(cubin, {}); }), HasSubstr("24 bytes of code"));
}

TEST(MadeCubin, WithCodeInNoBytesCannotBePlacedWrongly) {
  ElfWriter elf;
  elf.add({.name = ".text.k",
           .type = SHT_NOBITS,
           .flags = kCodeFlags,
           .alignment = 128,
           .nobits_size = std::uint64_t{1} << 40});
  EXPECT_EQ(place(parse_cubin(elf.write(), "made.cubin"), {}).trap(), 0u);
}

// One section with one instruction that holds nothing but ones, and a symbol.
Cubin cubin_to_patch() {
  Cubin cubin;
  cubin.origin = "made.cubin";
  cubin.sections.push_back({.name = ".text.k", .size = 16, .bytes = FileBytes(16)});
  cubin.symbols.push_back({.name = "f"});
  return cubin;
}

struct Patch {
  std::uint32_t type;
  Word expected;
};

// Which bits each type writes: with a symbol at an address of all ones.
TEST(Relocation, WritesItsFieldAndNothingElse) {
  for (const Patch& patch : {Patch{2, {.lo = ~std::uint64_t{0}, .hi = 0}},
                             Patch{56, {.lo = 0xffffffff00000000, .hi = 0}},
                             Patch{57, {.lo = 0xffffffff00000000, .hi = 0}},
                             Patch{58, {.lo = 0xfffffffc00000000, .hi = 0x1ffff}},
                             Patch{62, {.lo = 0xffffffff00000000, .hi = 0}},
                             Patch{63, {.lo = 0xffffffff00000000, .hi = 0}},
                             Patch{75, {.lo = 0xfffffffc00ff0000, .hi = 0x1ffff}}}) {
    const Cubin cubin = cubin_to_patch();
    FileBytes bytes = cubin.sections[0].bytes;
    apply_relocation(cubin, {.type = patch.type}, ~std::uint64_t{0}, bytes);
    EXPECT_EQ(get<std::uint64_t>(bytes, 0), patch.expected.lo) << patch.type;
    EXPECT_EQ(get<std::uint64_t>(bytes, 8), patch.expected.hi) << patch.type;
  }
}

TEST(Relocation, AddsAnAddendInPlaceToData) {
  const Cubin cubin = cubin_to_patch();
  FileBytes bytes(16);
  put(bytes, 0, std::uint64_t{5});
  apply_relocation(cubin, {.type = 2}, 0x1000, bytes);
  EXPECT_EQ(get<std::uint64_t>(bytes, 0), 0x1005u);
}

TEST(Relocation, ReplacesWhatIsInPlaceWhereTheTableHasTheAddend) {
  const Cubin cubin = cubin_to_patch();
  FileBytes bytes(16);
  put(bytes, 0, std::uint64_t{5});
  apply_relocation(cubin, {.type = 2, .addend = -8, .has_addend = true}, 0x1000, bytes);
  EXPECT_EQ(get<std::uint64_t>(bytes, 0), 0xff8u);
}

TEST(Relocation, RefusesAFieldThatHoldsSomethingAlready) {
  const Cubin cubin = cubin_to_patch();
  FileBytes bytes(16, std::byte{0xff});
  EXPECT_THAT(error_of([&] { apply_relocation(cubin, {.type = 56}, 0x1000, bytes); }),
              HasSubstr("expected zero"));
}

TEST(Relocation, TakesTheAddressOfAKernelsCodeForItsHandle) {
  const Cubin cubin = cubin_to_patch();
  FileBytes bytes(16);
  apply_relocation(cubin, {.type = 35}, 0x1234'5678'9abc, bytes);
  EXPECT_EQ(get<std::uint64_t>(bytes, 0), 0x1234'5678'9abcu);
}

TEST(Relocation, RefusesAnInstructionThatDoesNotBeginThere) {
  const Cubin cubin = cubin_to_patch();
  FileBytes bytes(32);
  EXPECT_THAT(error_of([&] { apply_relocation(cubin, {.offset = 8, .type = 56}, 0x1000, bytes); }),
              HasSubstr("no instruction begins there"));
}

}  // namespace
}  // namespace heddle::isa
