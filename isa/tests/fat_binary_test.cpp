// Fat binaries, alone and inside executables.
#include <gmock/gmock.h>

#include "isa/fat_binary.hpp"
#include "isa/tests/cubin_files.hpp"

namespace heddle::isa {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// "elf 75", "ptx 90", … in the order of the file.
std::vector<std::string> describe(const std::vector<FatEntry>& entries) {
  std::vector<std::string> all;
  for (const FatEntry& entry : entries)
    all.push_back((entry.kind == FatEntry::Kind::elf ? "elf " : "ptx ") + std::to_string(entry.sm));
  return all;
}

// Every kernel of the cubins in there, with its architecture.
std::vector<std::string> kernels(const std::vector<FatEntry>& entries) {
  std::vector<std::string> all;
  for (const FatEntry& entry : entries) {
    if (entry.kind != FatEntry::Kind::elf) continue;
    for (const Kernel& kernel : parse_cubin(entry.contents, "entry").kernels)
      all.push_back(kernel.name + " " + std::to_string(entry.sm));
  }
  return all;
}

class FatBinary : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Storage, FatBinary,
                         testing::Values("none.fatbin", "size.fatbin", "speed.fatbin"),
                         [](const auto& test) {
                           return test.param.substr(0, test.param.find('.'));
                         });

TEST_P(FatBinary, HoldsTheSameEntriesHoweverTheyAreStored) {
  const auto entries = read_fat_binary(read_test_file(GetParam()), GetParam());
  EXPECT_THAT(describe(entries), ElementsAre("elf 75", "elf 90", "ptx 90"));
  EXPECT_THAT(kernels(entries), ElementsAre("_Z4tinyPi 75", "_Z4tinyPi 90"));
  const auto plain = read_fat_binary(read_test_file("none.fatbin"), "none.fatbin");
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].kind == FatEntry::Kind::elf) {
      EXPECT_EQ(parse_cubin(entries[i].contents, "this").sections.size(),
                parse_cubin(plain[i].contents, "plain").sections.size());
    } else {
      const std::string text(reinterpret_cast<const char*>(entries[i].contents.data()),
                             entries[i].contents.size());
      EXPECT_THAT(text, AllOf(HasSubstr(".target sm_90"), HasSubstr("_Z4tinyPi")));
    }
}

// Programs carry much code for other GPUs: what is not wanted is not even decompressed.
TEST_P(FatBinary, GivesContentsToTheEntriesThatAreWanted) {
  const auto entries = read_fat_binary(read_test_file(GetParam()), GetParam(),
                                       [](const FatEntry& entry) { return entry.sm == 75; });
  EXPECT_THAT(describe(entries), ElementsAre("elf 75", "elf 90", "ptx 90"));
  EXPECT_FALSE(entries[0].contents.empty());
  EXPECT_TRUE(entries[1].contents.empty() && entries[2].contents.empty());
}

TEST(Executable, HoldsTheCodeOfEveryArchitecture) {
  const FileBytes file = read_test_file("executable.elf");
  EXPECT_THAT(kernels(read_executable(file, "executable")),
              ElementsAre("_Z4tinyPi 75", "_Z4tinyPi 90"));
  EXPECT_THAT(kernels(read_fat_binary(file, "executable")),
              ElementsAre("_Z4tinyPi 75", "_Z4tinyPi 90"));
}

TEST(Executable, OfADebugBuildHoldsCompressedCodeAndNamesItsSource) {
  const auto entries = read_executable(read_test_file("executable-G.elf"), "executable");
  EXPECT_THAT(kernels(entries), ElementsAre("_Z4tinyPi 90"));
  EXPECT_TRUE(std::ranges::any_of(
      entries, [](const FatEntry& entry) { return entry.identifier == "tiny.cu"; }));
}

TEST(Executable, OfSeparateCompilationHoldsLinkedCodeOnly) {
  const auto entries = read_executable(read_test_file("executable-rdc.elf"), "executable");
  EXPECT_THAT(kernels(entries), ElementsAre("_Z6linkedPf 75", "_Z6linkedPf 90"));
  for (const FatEntry& entry : entries)
    EXPECT_FALSE(parse_cubin(entry.contents, "entry").relocatable);
}

TEST(Executable, MayBeASharedObject) {
  EXPECT_THAT(kernels(read_executable(read_test_file("shared_object.elf"), "library.so")),
              ElementsAre("_Z4tinyPi 75"));
}

TEST(Executable, WithoutDeviceCodeHasNoEntries) {
  FileBytes file = read_test_file("executable.elf");
  const std::string name = ".nv_fatbin";
  for (auto at = file.begin();;) {
    at = std::search(at, file.end(), name.begin(), name.end(),
                     [](std::byte a, char b) { return a == std::byte(b); });
    if (at == file.end()) break;
    *++at = std::byte{'x'};
  }
  EXPECT_TRUE(read_executable(file, "executable").empty());
}

class FatBinaryErrors : public testing::Test {
 protected:
  FileBytes bytes_ = read_test_file("size.fatbin");
  static constexpr std::uint64_t kEntry = 16;
  std::string error() const {
    return error_of([&] { read_fat_binary(bytes_, "file.fatbin"); });
  }
};

TEST_F(FatBinaryErrors, NameTheMagicNumber) {
  put(bytes_, 0, 0x12345678u);
  EXPECT_THAT(error(), AllOf(HasSubstr("file.fatbin"), HasSubstr("0xba55ed50")));
}

TEST_F(FatBinaryErrors, NameASizeBeyondTheFile) {
  put(bytes_, 8, ~std::uint64_t{0} - 8);
  EXPECT_THAT(error(), HasSubstr("18446744073709551607 bytes"));
}

TEST_F(FatBinaryErrors, NameAnEntryThatLeavesTheFatBinary) {
  put(bytes_, kEntry + 8, std::uint64_t{1} << 62);
  EXPECT_THAT(error(), HasSubstr("an entry's contents"));
}

TEST_F(FatBinaryErrors, NameAnEntryWithoutAHeader) {
  put(bytes_, kEntry + 4, 0u);
  EXPECT_THAT(error(), HasSubstr("header of 0 bytes, expected at least 64"));
}

TEST_F(FatBinaryErrors, RefuseContentsFarLargerThanTheFile) {
  put(bytes_, kEntry + 56, std::uint64_t{1} << 50);
  EXPECT_THAT(error(), HasSubstr("1125899906842624"));
}

TEST_F(FatBinaryErrors, NameAnOriginalSizeThatLies) {
  put(bytes_, kEntry + 56, get<std::uint64_t>(bytes_, kEntry + 56) + 1);
  EXPECT_THAT(error(), HasSubstr("Zstandard"));
}

TEST_F(FatBinaryErrors, NameDamagedLz4) {
  bytes_ = read_test_file("speed.fatbin");
  std::uint64_t entry = kEntry;  // the first one that LZ4 packed
  while ((get<std::uint64_t>(bytes_, entry + 40) & 0x2000) == 0)
    entry += get<std::uint32_t>(bytes_, entry + 4) + get<std::uint64_t>(bytes_, entry + 8);
  put(bytes_, entry + 56, get<std::uint64_t>(bytes_, entry + 56) - 1);
  EXPECT_THAT(error(), HasSubstr("LZ4"));
}

}  // namespace
}  // namespace heddle::isa
