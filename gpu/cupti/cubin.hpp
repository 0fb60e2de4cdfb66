// What a measurement needs of a loaded cubin (ELF64): the hash of its code, which functions it
// holds, and the names of its global variables. Offsets and sizes are checked; a damaged image has
// nothing in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cupti {

struct GlobalVariable {
  std::string name;
  // Where in it the loader puts the addresses of functions.
  std::vector<std::uint64_t> function_pointers;
};

class Cubin {
 public:
  Cubin(const void* image, std::size_t bytes);

  // SHA-256 over the contents, as in the file, of every section whose name begins with ".text.", in
  // the order of the section headers.
  std::string code_sha256() const;
  bool has_function(std::string_view mangled) const;
  // The program's variables in .nv.global and .nv.global.init, by name.
  std::vector<GlobalVariable> global_variables() const;

 private:
  struct Section {
    std::string name;
    std::uint32_t type = 0, link = 0, info = 0;
    std::uint64_t offset = 0, size = 0;
  };
  template <typename T>
  T read(std::uint64_t offset) const;
  struct Symbol {
    std::string name;
    std::uint8_t type = 0;
    std::uint16_t section = 0;
    std::uint64_t value = 0, size = 0;
  };
  std::vector<Symbol> symbols() const;
  // Offsets in section `index` that are relocated by a function's address.
  std::vector<std::uint64_t> function_addresses_in(std::size_t index,
                                                   const std::vector<Symbol>& symbols) const;
  std::string name_at(const Section& strings, std::uint32_t offset) const;

  std::vector<std::uint8_t> bytes_;
  std::vector<Section> sections_;
};

}  // namespace heddle::cupti
