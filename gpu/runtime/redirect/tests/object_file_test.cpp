// The files are made by CMakeLists.txt, or by changing those.
#include "gpu/runtime/redirect/object_file.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "gpu/runtime/redirect/functions.hpp"
#include "simulator/base/file.hpp"

namespace heddle::runtime::redirect {
namespace {

constexpr std::string_view kNames[] = {"__cudaGetProcAddress", "__cudaLaunchKernel",
                                       "__cudaRegisterFatBinary", "cudaFree", "cudaMalloc"};

std::string file_of_library() { return simulator::read_file(HEDDLE_FAKE_LIBRARY, 1 << 24); }

FileBytes bytes_of(const std::string& file) { return std::as_bytes(std::span(file)); }

std::vector<std::string_view> found_in(const std::string& file) {
  std::array<FoundFunction, 64> space;
  std::vector<std::string_view> names;
  const ObjectFile object(bytes_of(file));
  for (const FoundFunction& each : object.find_functions(kNames, space)) {
    EXPECT_EQ(object.code_bytes(each.address, kJumpBytes).size(), kJumpBytes);
    names.push_back(kNames[each.name]);
  }
  std::ranges::sort(names);
  return names;
}

// Calls `change` with each symbol of each table of the file.
template <typename Change>
void for_each_symbol(std::string& file, Change change) {
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, file.data() + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
      char* const place = file.data() + section.sh_offset + at;
      Elf64_Sym symbol;
      std::memcpy(&symbol, place, sizeof symbol);
      change(symbol);
      std::memcpy(place, &symbol, sizeof symbol);
    }
  }
}

TEST(RuntimeFunctions, AreSortedByName) { EXPECT_TRUE(std::ranges::is_sorted(names())); }

TEST(ObjectFile, FindsFunctionsOfAllSizesOnce) {
  EXPECT_EQ(found_in(file_of_library()), std::vector(std::begin(kNames), std::end(kNames)));
}

TEST(ObjectFile, FindsTheTextsOfARuntime) {
  const std::string file = file_of_library();
  EXPECT_TRUE(ObjectFile(bytes_of(file)).has_constant("cudaErrorCudartUnloading"));
  EXPECT_FALSE(ObjectFile(bytes_of(file)).has_constant("cudaErrorThatIsNone"));
}

TEST(ObjectFile, LeavesAShortFunctionAloneThatIsFollowedByCode) {
  std::string file = file_of_library();
  const std::string shortest = "\x0f\x0b\x90";            // ud2, nop: of 3 bytes
  const std::size_t code = file.find(shortest + '\x66');  // a long nop that fills up
  ASSERT_NE(code, file.npos);
  file[code + shortest.size()] = '\x55';
  EXPECT_EQ(std::ranges::count(found_in(file), "__cudaGetProcAddress"), 0);
}

TEST(ObjectFile, TakesNoSymbolOutsideTheCode) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    std::string file = file_of_library();
    for_each_symbol(file, [&](Elf64_Sym& symbol) { symbol.st_value = value; });
    EXPECT_TRUE(found_in(file).empty()) << value;
  }
}

TEST(ObjectFile, TakesNoSymbolThatIsNoFunction) {
  std::string file = file_of_library();
  for_each_symbol(file, [](Elf64_Sym& symbol) { symbol.st_info = STT_OBJECT; });
  EXPECT_TRUE(found_in(file).empty());
}

TEST(ObjectFile, LetsNoTwoFunctionsOverlap) {
  std::string file = file_of_library();
  std::uint64_t first = 0;
  std::uint8_t next = 0;
  for_each_symbol(file, [&](Elf64_Sym& symbol) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size < 200) return;
    if (first == 0) first = symbol.st_value;
    symbol.st_value = first + next++;  // one byte further each
  });
  const ObjectFile object(bytes_of(file));
  std::array<FoundFunction, 64> space;
  const auto found = object.find_functions(kNames, space);
  ASSERT_FALSE(found.empty());
  for (std::size_t i = 1; i < found.size(); ++i)
    EXPECT_GE(found[i].address - found[i - 1].address, kJumpBytes);
}

TEST(ObjectFile, FindsNoMoreThanThereIsRoomFor) {
  const std::string file = file_of_library();
  std::array<FoundFunction, 2> space;
  EXPECT_LE(ObjectFile(bytes_of(file)).find_functions(kNames, space).size(), 2u);
}

// Every header and table cut short, and every byte of the headers wrong.
TEST(ObjectFile, SurvivesFilesThatLie) {
  const std::string file = file_of_library();
  for (std::size_t size = 0; size < file.size(); size += 97) found_in(file.substr(0, size));
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  std::string wrong = file;
  const auto try_range = [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at)
      for (const char value : {'\0', '\x7f', '\xff'}) {
        wrong[at] = value;
        found_in(wrong);
        wrong[at] = file[at];
      }
  };
  try_range(0, sizeof header + header.e_phnum * sizeof(Elf64_Phdr));
  try_range(header.e_shoff, header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr));
}

}  // namespace
}  // namespace heddle::runtime::redirect
