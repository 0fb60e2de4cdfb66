// Bad input is named: file, section, offset, and what was expected.
#include <elf.h>
#include <gmock/gmock.h>

#include "isa/tests/cubin_files.hpp"

namespace heddle::isa {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t kSectionOffset = offsetof(Elf64_Shdr, sh_offset);
constexpr std::uint64_t kSectionSize = offsetof(Elf64_Shdr, sh_size);
constexpr std::uint64_t kSectionInfo = offsetof(Elf64_Shdr, sh_info);

class CubinErrors : public testing::Test {
 protected:
  FileBytes bytes_ = read_test_file("program.sm_90.cubin");
  const Cubin intact_ = parse_cubin(bytes_, "intact");

  std::string error() const {
    return error_of([&] { parse_cubin(bytes_, "file.cubin"); });
  }
  // Where the header of the section of that name lies in the file.
  std::uint64_t header_of(std::string_view section) const {
    const auto index = intact_.find_section(section) - intact_.sections.data();
    return get<std::uint64_t>(bytes_, offsetof(Elf64_Ehdr, e_shoff)) +
           static_cast<std::uint64_t>(index) * sizeof(Elf64_Shdr);
  }
  std::uint64_t contents_of(std::string_view section) const {
    return get<std::uint64_t>(bytes_, header_of(section) + kSectionOffset);
  }
};

TEST_F(CubinErrors, NamesAFileThatIsNoElf) {
  bytes_ = FileBytes(100, std::byte{'x'});
  EXPECT_THAT(error(), AllOf(HasSubstr("file.cubin"), HasSubstr("not an ELF file")));
}

TEST_F(CubinErrors, NamesAnEmptyFile) {
  bytes_.clear();
  EXPECT_THAT(error(), HasSubstr("not an ELF file"));
}

TEST_F(CubinErrors, NamesTheMachineOfAHostProgram) {
  put(bytes_, offsetof(Elf64_Ehdr, e_machine), std::uint16_t{EM_X86_64});
  EXPECT_THAT(error(), AllOf(HasSubstr("machine 62"), HasSubstr("expected 190")));
}

TEST_F(CubinErrors, NamesAnArchitectureThatIsNotRead) {
  put(bytes_, offsetof(Elf64_Ehdr, e_flags) + 1, std::uint8_t{70});
  EXPECT_THAT(error(), HasSubstr("sm_70"));
}

TEST_F(CubinErrors, NamesTheSectionThatLiesOutsideTheFile) {
  put(bytes_, header_of(".nv.info") + kSectionOffset, std::uint64_t{1} << 40);
  EXPECT_THAT(error(), AllOf(HasSubstr("section "), HasSubstr("0x10000000000")));
}

TEST_F(CubinErrors, NamesASizeThatWrapsAround) {
  put(bytes_, header_of(".nv.info") + kSectionSize, ~std::uint64_t{0});
  EXPECT_THAT(error(), HasSubstr("18446744073709551615"));
}

TEST_F(CubinErrors, NamesTwoSectionsThatOverlap) {
  put(bytes_, header_of(".nv.info") + kSectionOffset, contents_of(".symtab"));
  EXPECT_THAT(error(),
              AllOf(HasSubstr("'.nv.info'"), HasSubstr("'.symtab'"), HasSubstr("overlap")));
}

TEST_F(CubinErrors, NamesAStringTableWithoutAnEnd) {
  const std::uint64_t size = get<std::uint64_t>(bytes_, header_of(".strtab") + kSectionSize);
  put(bytes_, contents_of(".strtab") + size - 1, 'x');
  EXPECT_THAT(error(), AllOf(HasSubstr("'.strtab'"), HasSubstr("no terminating zero")));
}

TEST_F(CubinErrors, NamesARecordLongerThanItsSection) {
  put(bytes_, contents_of(".nv.info") + 2, std::uint16_t{0xffff});
  EXPECT_THAT(error(), AllOf(HasSubstr("'.nv.info'"), HasSubstr("65535 bytes")));
}

TEST_F(CubinErrors, NamesARecordOfAnUnknownFormat) {
  put(bytes_, contents_of(".nv.info"), std::uint8_t{9});
  EXPECT_THAT(error(), HasSubstr("format 9, expected 1 to 4"));
}

TEST_F(CubinErrors, NamesARelocationOutsideItsSection) {
  put(bytes_, contents_of(".rela.nv.constant4"), std::uint64_t{0x5000});
  EXPECT_THAT(error(), AllOf(HasSubstr("'.rela.nv.constant4'"), HasSubstr("0x5000")));
}

TEST_F(CubinErrors, NamesARelocationTableForNoSection) {
  put(bytes_, header_of(".rela.nv.constant4") + kSectionInfo, 0xffffu);
  EXPECT_THAT(error(), HasSubstr("section 65535"));
}

TEST_F(CubinErrors, NamesAKernelWithoutRegisters) {
  put(bytes_, contents_of(".nv.info") + 1, std::uint8_t{0xee});  // the first record is a REGCOUNT
  EXPECT_THAT(error(), HasSubstr("0 registers"));
}

TEST_F(CubinErrors, NamesAFunctionThatLeavesItsSection) {
  for (std::uint64_t symbol = contents_of(".symtab");; symbol += sizeof(Elf64_Sym)) {
    const auto raw = get<Elf64_Sym>(bytes_, symbol);
    if (ELF64_ST_TYPE(raw.st_info) != STT_FUNC || raw.st_shndx == 0) continue;
    put(bytes_, symbol + offsetof(Elf64_Sym, st_size), std::uint64_t{0x100000});
    break;
  }
  EXPECT_THAT(error(), AllOf(HasSubstr("'.text."), HasSubstr("0x100000 bytes")));
}

}  // namespace
}  // namespace heddle::isa
