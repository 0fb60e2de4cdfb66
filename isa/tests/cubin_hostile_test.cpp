// Damaged files are refused or read, never a crash: each file cut at every length, and each with
// bytes changed at random. The sanitize preset gives these tests their teeth.
#include <random>

#include "isa/tests/cubin_files.hpp"

namespace heddle::isa {
namespace {

void read_everything_of_a_cubin(std::span<const std::byte> bytes) {
  const Cubin cubin = parse_cubin(bytes, "damaged");
  for (const Kernel& kernel : cubin.kernels) read_line_table(cubin, kernel.text_section);
  place_for_test(cubin);
}

// Whether the file could be read.
bool survives(const std::string& name, std::span<const std::byte> bytes) {
  try {
    if (name.ends_with(".cubin"))
      read_everything_of_a_cubin(bytes);
    else
      for (const FatEntry& entry : read_fat_binary(bytes, "damaged"))
        if (entry.kind == FatEntry::Kind::elf) read_everything_of_a_cubin(entry.contents);
    return true;
  } catch (const CubinError&) {
    return false;
  }
}

std::vector<std::string> all_files() {
  std::vector<std::string> names;
  for (const std::string extension : {".cubin", ".fatbin", ".elf"})
    std::ranges::copy(test_files(extension), std::back_inserter(names));
  return names;
}

class Damaged : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(EveryFile, Damaged, testing::ValuesIn(all_files()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace_if(
      name, [](char c) { return c == '.' || c == '-'; }, '_');
  return name;
});

TEST_P(Damaged, IsRefusedWhenCutAnywhere) {
  const FileBytes whole = read_test_file(GetParam());
  std::size_t survivors = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    // A copy of that exact size, so that reading past the end is seen.
    const FileBytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    if (survives(GetParam(), cut)) ++survivors;
  }
  // Only padding at the very end, and program headers nobody reads, may be missing.
  EXPECT_LT(survivors, 600u);
}

TEST_P(Damaged, IsReadOrRefusedWithBytesChanged) {
  const FileBytes whole = read_test_file(GetParam());
  std::mt19937_64 random(20261121);
  std::size_t refused = 0;
  constexpr std::size_t kRounds = 400;
  for (std::size_t round = 0; round < kRounds; ++round) {
    FileBytes damaged = whole;
    for (std::uint64_t changes = 1 + random() % 8; changes > 0; --changes)
      damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    if (!survives(GetParam(), damaged)) ++refused;
  }
  EXPECT_GT(refused, 0u);
}

// Headers decide where everything else is: change every byte of them.
TEST_P(Damaged, IsReadOrRefusedWithEachHeaderByteChanged) {
  const FileBytes whole = read_test_file(GetParam());
  for (std::size_t position = 0; position < 128; ++position)
    for (const unsigned value : {0x00u, 0x01u, 0x7fu, 0x80u, 0xffu}) {
      FileBytes damaged = whole;
      damaged[position] = static_cast<std::byte>(value);
      survives(GetParam(), damaged);
    }
}

}  // namespace
}  // namespace heddle::isa
