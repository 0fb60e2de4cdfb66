// libcudart.so.13 exports what the toolkit's library exports, no name more and none less, under the
// same version; libcuda.so.1 what the toolkit's stand-in for linking exports, without versions.
#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "isa/elf.hpp"
#include "simulator/base/file.hpp"

namespace heddle::runtime {
namespace {

using Exports = std::map<std::string, std::string>;  // name to version

const isa::ElfSection& section(const isa::ElfFile& elf, std::string_view name) {
  for (const isa::ElfSection& each : elf.sections)
    if (each.name == name) return each;
  throw std::runtime_error(elf.origin + " has no " + std::string(name));
}

std::map<std::uint16_t, std::string> defined_versions(const isa::ElfFile& elf) {
  const isa::Bytes definitions(section(elf, ".gnu.version_d").bytes, elf.origin);
  const isa::Bytes names(section(elf, ".dynstr").bytes, elf.origin);
  std::map<std::uint16_t, std::string> versions;
  for (std::uint64_t at = 0;;) {
    const auto definition = definitions.at<Elf64_Verdef>(at, "version");
    const auto first = definitions.at<Elf64_Verdaux>(at + definition.vd_aux, "version name");
    versions[definition.vd_ndx] = names.text(first.vda_name, "version name");
    if (definition.vd_next == 0) return versions;
    at += definition.vd_next;
  }
}

Exports exports_of(const std::string& path) {
  const std::string text = simulator::read_file(path, std::uint64_t{1} << 30);
  const isa::ElfFile elf = isa::read_elf(std::as_bytes(std::span(text)), path);
  const bool versioned = std::ranges::find(elf.sections, ".gnu.version_d",
                                           &isa::ElfSection::name) != elf.sections.end();
  std::map<std::uint16_t, std::string> versions;
  if (versioned) versions = defined_versions(elf);
  const isa::Bytes symbols(section(elf, ".dynsym").bytes, path);
  const isa::Bytes names(section(elf, ".dynstr").bytes, path);
  Exports exports;
  for (std::uint64_t i = 1; i * sizeof(Elf64_Sym) < symbols.size(); ++i) {
    const auto symbol = symbols.at<Elf64_Sym>(i * sizeof(Elf64_Sym), "symbol");
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS) continue;
    std::string& version = exports[std::string(names.text(symbol.st_name, "name"))];
    if (!versioned) continue;
    constexpr std::uint16_t kVersionBits = 0x7fff;  // the other one: hidden
    const isa::Bytes symbol_versions(section(elf, ".gnu.version").bytes, path);
    version =
        versions.at(symbol_versions.at<std::uint16_t>(2 * i, "symbol's version") & kVersionBits);
  }
  return exports;
}

Exports listed_exports(const std::string& folder, const std::string& version) {
  std::ifstream list(HEDDLE_SOURCE_DIR "/gpu/runtime/" + folder + "/exports.txt");
  Exports exports;
  for (std::string name; std::getline(list, name);) exports[name] = version;
  return exports;
}

TEST(Exports, AreThoseOfTheList) {
  const Exports list = listed_exports("cudart", "libcudart.so.13");
  ASSERT_EQ(list.size(), 422u);  // what CUDA 13.0's library exports
  EXPECT_EQ(exports_of(HEDDLE_CUDART), list);
}

TEST(Exports, AreThoseOfTheToolkitsLibrary) {
  if (!std::filesystem::exists(HEDDLE_TOOLKIT_CUDART)) GTEST_SKIP() << "no " HEDDLE_TOOLKIT_CUDART;
  EXPECT_EQ(exports_of(HEDDLE_CUDART), exports_of(HEDDLE_TOOLKIT_CUDART));
}

// The linker's own marks of where the code begins and ends are no functions.
Exports functions_of(const std::string& path) {
  Exports exports = exports_of(path);
  std::erase_if(exports, [](const auto& each) { return !each.first.starts_with("cu"); });
  return exports;
}

TEST(DriverExports, AreThoseOfTheList) {
  const Exports list = listed_exports("driver", "");
  ASSERT_EQ(list.size(), 637u);  // of CUDA 13.0
  EXPECT_EQ(exports_of(HEDDLE_CUDA), list);
}

TEST(DriverExports, AreThoseOfTheToolkitsLibrary) {
  if (!std::filesystem::exists(HEDDLE_TOOLKIT_CUDA)) GTEST_SKIP() << "no " HEDDLE_TOOLKIT_CUDA;
  EXPECT_EQ(functions_of(HEDDLE_CUDA), functions_of(HEDDLE_TOOLKIT_CUDA));
}

}  // namespace
}  // namespace heddle::runtime
