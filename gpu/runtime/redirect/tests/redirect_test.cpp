// Objects with a runtime of their own inside, started as `heddle run` starts programs. Their
// functions end the program where they are reached (fake_runtime.inc).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <elf.h>
#include <fmt/format.h>

#include "simulator/base/file.hpp"
#include "tests/scratch_folder.hpp"

namespace heddle::runtime::redirect {
namespace {

struct Output {
  std::string text;
  int status;
};

Output run(const std::string& command, const std::string& preloaded_too = "") {
  const std::string line =
      fmt::format("LD_PRELOAD={}:{}:{}:{}{} {} 2>&1", HEDDLE_REDIRECT, HEDDLE_CUDART,
                  HEDDLE_CUDART_12, HEDDLE_CUDA, preloaded_too, command);
  Output output;
  FILE* const pipe = popen(line.c_str(), "r");
  char buffer[4096];
  for (std::size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    output.text.append(buffer, got);
  output.status = pclose(pipe);
  return output;
}

// What is said beside the answers: a name that is not implemented.
std::string answers(const Output& output) {
  std::string kept;
  for (std::size_t at = 0; at < output.text.size();) {
    const std::size_t end = std::min(output.text.find('\n', at), output.text.size() - 1);
    const std::string line = output.text.substr(at, end + 1 - at);
    if (!line.starts_with("heddle: __cudaGetProcAddress is not supported")) kept += line;
    at = end + 1;
  }
  return kept;
}

TEST(Redirect, LetsAProgramCallTheStandIn) {
  EXPECT_EQ(answers(run(HEDDLE_FAKE_PROGRAM)), "13000\n");
  EXPECT_EQ(answers(run(HEDDLE_FAKE_PROGRAM_AT_A_FIXED_PLACE)), "13000\n");
}

TEST(Redirect, GivesCuda12ItsOwnFunctions) {
  EXPECT_EQ(answers(run(HEDDLE_FAKE_PROGRAM_OF_CUDA_12)), "12090\n");
}

TEST(Redirect, LastsInChildren) {
  for (const char* how : {" fork", " exec", " signal"})
    EXPECT_EQ(answers(run(std::string(HEDDLE_FAKE_PROGRAM) + how)), "13000\n") << how;
}

TEST(Redirect, StandsBesideOtherPreloadedLibraries) {
  EXPECT_EQ(answers(run(HEDDLE_FAKE_PROGRAM, ":" HEDDLE_FAKE_LIBRARY)), "13000\n");
}

TEST(Redirect, ReachesLibrariesBeforeTheirConstructors) {
  const tests::ScratchFolder folder;
  std::string command = HEDDLE_LOADING_PROGRAM;
  for (const char* name : {"a.so", "b.so", "c.so", "d.so"}) {
    std::filesystem::copy_file(HEDDLE_FAKE_LIBRARY, folder / name);
    command += " " + (folder / name).string();
  }
  EXPECT_EQ(answers(run(command)), "13000 13000 13000 13000 13000 13000 \n");
}

// A copy of an object in which `place` says of each symbol of .symtab where it is.
template <typename Place>
void write_lie(const char* object, const std::filesystem::path& path, Place place) {
  const std::string file = simulator::read_file(object, 1 << 24);
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  std::string wrong = file;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, file.data() + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_SYMTAB) continue;
    for (std::uint64_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      char* const field = wrong.data() + section.sh_offset + at + offsetof(Elf64_Sym, st_value);
      std::uint64_t value;
      std::memcpy(&value, field, sizeof value);
      value = place(value);
      std::memcpy(field, &value, sizeof value);
    }
  }
  simulator::write_file(path, wrong);
}

// Symbols that lie about where functions are: the library may fail, loading it may not.
TEST(Redirect, SurvivesASymbolTableThatLies) {
  const tests::ScratchFolder folder;
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{0x1001}, std::uint64_t{1} << 46, ~std::uint64_t{0} - 3}) {
    const auto path = folder / fmt::format("{:x}.so", value);
    write_lie(HEDDLE_QUIET_LIBRARY, path, [&](std::uint64_t) { return value; });
    const Output output = run(fmt::format("{} {}", HEDDLE_LOADING_PROGRAM, path.string()));
    EXPECT_EQ(answers(output), "42 42 42 \n") << value;
    EXPECT_EQ(output.status, 0);
  }
}

// Where a function would be entered in its midst, or nowhere.
TEST(Redirect, RefusesAProgramWhoseSymbolTableLies) {
  const tests::ScratchFolder folder;
  for (const std::uint64_t off : {std::uint64_t{1}, std::uint64_t{16}, std::uint64_t{1} << 40}) {
    const auto path = folder / fmt::format("{:x}", off);
    write_lie(HEDDLE_FAKE_PROGRAM, path, [&](std::uint64_t value) { return value + off; });
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    const Output output = run(path.string());
    EXPECT_EQ(WEXITSTATUS(output.status), 125) << off;
    EXPECT_NE(output.text.find("its symbol table is wrong"), std::string::npos) << output.text;
  }
}

constexpr std::uint64_t kHuge = 500 << 20;

// A copy of a library that has its section headers, and what `change` makes of them, behind 500 MB
// of nothing.
template <typename Change>
void write_huge(const char* library, const std::filesystem::path& path, Change change) {
  std::string file = simulator::read_file(library, 1 << 24);
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  const std::size_t bytes = sections.size() * sizeof(Elf64_Shdr);
  std::memcpy(sections.data(), file.data() + header.e_shoff, bytes);
  for (Elf64_Shdr& section : sections) change(section);
  header.e_shoff = kHuge;
  std::memcpy(file.data(), &header, sizeof header);
  simulator::write_file(path, file);
  std::filesystem::resize_file(path, kHuge);  // a hole: it takes no room on the disk
  std::ofstream(path, std::ios::binary | std::ios::app)
      .write(reinterpret_cast<const char*>(sections.data()), static_cast<std::streamsize>(bytes));
}

TEST(Redirect, ReachesALibraryOf500Megabytes) {
  const tests::ScratchFolder folder;
  write_huge(HEDDLE_FAKE_LIBRARY, folder / "huge.so", [](Elf64_Shdr&) {});
  const Output output = run(HEDDLE_LOADING_PROGRAM " " + (folder / "huge.so").string());
  EXPECT_EQ(answers(output), "13000 13000 13000 \n");
}

TEST(Redirect, ReadsASymbolTableOf400Megabytes) {
  const tests::ScratchFolder folder;
  write_huge(HEDDLE_QUIET_LIBRARY, folder / "huge.so", [](Elf64_Shdr& section) {
    if (section.sh_type == SHT_SYMTAB) section.sh_size = 400 << 20;
  });
  const Output output = run(HEDDLE_LOADING_PROGRAM " " + (folder / "huge.so").string());
  EXPECT_EQ(answers(output), "42 42 42 \n");
  EXPECT_EQ(output.status, 0);
}

// The copies have a function that the stand-in lacks.
TEST(Redirect, GivesTheStandInForALibraryLoadedByItsPath) {
  const tests::ScratchFolder folder;
  for (const char* name : {"libcublas.so.13", "libcublas.so", "libother.so.13"})
    std::filesystem::copy_file(HEDDLE_QUIET_LIBRARY, folder / name);
  const std::string of_other = answers(
      run(fmt::format("{} {}", HEDDLE_LOADING_PROGRAM, (folder / "libother.so.13").string())));
  EXPECT_EQ(of_other.find("-1"), std::string::npos) << of_other;
  for (const char* name : {"libcublas.so.13", "libcublas.so"}) {
    const std::string stand_in =
        fmt::format("{} {}", HEDDLE_LOADING_PROGRAM, (folder / name).string());
    EXPECT_EQ(answers(run(stand_in)), "-1 -1 -1 \n") << name;
  }
}

TEST(Redirect, DoesNothingToOtherPrograms) { EXPECT_EQ(run("/bin/echo yes").text, "yes\n"); }

}  // namespace
}  // namespace heddle::runtime::redirect
