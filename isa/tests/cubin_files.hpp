// The committed files that make_cubins.sh compiled, and ways to change them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "isa/program.hpp"

namespace heddle::isa {

using FileBytes = std::vector<std::byte>;

inline FileBytes read_test_file(const std::string& name) {
  std::ifstream file(HEDDLE_SOURCE_DIR "/isa/tests/cubins/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("no test file " + name);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

// The names of all files with this extension (".cubin"), sorted.
inline std::vector<std::string> test_files(const std::string& extension) {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/isa/tests/cubins"))
    if (entry.path().extension() == extension) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

inline Cubin parse_test_cubin(const std::string& name) {
  return parse_cubin(read_test_file(name), name);
}

inline constexpr std::uint64_t kTestExternal = 0x123456780;

// Data sections far from each other and above 4 GiB, so that both halves of an address count.
inline std::uint64_t test_section_address(std::uint32_t section) {
  return 0x7f0000000000 + std::uint64_t{section} * 0x100010000;
}

inline Program place_for_test(const Cubin& cubin) {
  return place(cubin, {.section_address = test_section_address,
                       .external = [](std::string_view) { return kTestExternal; }});
}

template <typename T>
void put(FileBytes& bytes, std::uint64_t offset, T value) {
  ASSERT_LE(offset + sizeof value, bytes.size());
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

template <typename T>
T get(std::span<const std::byte> bytes, std::uint64_t offset) {
  T value{};
  if (offset + sizeof value > bytes.size()) throw std::out_of_range("get");
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// The message `action` throws as a CubinError; empty when it throws none.
template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const CubinError& error) {
    return error.what();
  }
  return {};
}

}  // namespace heddle::isa
