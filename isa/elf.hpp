// A bounds-checked view of a 64-bit little-endian ELF file: of cubins and of the host executables
// that carry them. Nothing here is copied; the views live as long as the bytes they were made from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace heddle::isa {

// Bytes of a file nobody vouches for. Every access names what it wanted; one that does not fit
// throws CubinError with `where`, the offset and the size.
class Bytes {
 public:
  Bytes(std::span<const std::byte> bytes, std::string where)
      : bytes_(bytes), where_(std::move(where)) {}

  std::uint64_t size() const { return bytes_.size(); }
  std::span<const std::byte> all() const { return bytes_; }
  const std::string& where() const { return where_; }

  template <typename T>
  requires std::is_trivially_copyable_v<T> T at(std::uint64_t offset, std::string_view what)
  const {
    T value;
    std::memcpy(&value, slice(offset, sizeof value, what).data(), sizeof value);
    return value;
  }

  std::span<const std::byte> slice(std::uint64_t offset, std::uint64_t size,
                                   std::string_view what) const;

  // The zero-terminated string at `offset`.
  std::string_view text(std::uint64_t offset, std::string_view what) const;

  [[noreturn]] void fail(std::uint64_t offset, std::string_view message) const;

 private:
  std::span<const std::byte> bytes_;
  std::string where_;
};

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  // in memory; `bytes` is empty where the file holds none (NOBITS)
  std::uint32_t link = 0, info = 0;
  std::uint64_t alignment = 0;
  std::uint64_t entry_size = 0;
  std::span<const std::byte> bytes;
};

struct ElfFile {
  std::string origin;
  std::uint16_t type = 0;     // ET_*
  std::uint16_t machine = 0;  // EM_*
  std::uint8_t os_abi = 0, abi_version = 0;
  std::uint32_t flags = 0;
  std::vector<ElfSection> sections;  // [0] is the null section

  // "origin: section 7 '.nv.info'", for messages.
  std::string describe(std::size_t section) const;
  Bytes contents(std::size_t section) const { return {sections[section].bytes, describe(section)}; }
};

// Throws CubinError: not a 64-bit little-endian ELF; a table or a section outside the file.
ElfFile read_elf(std::span<const std::byte> bytes, std::string_view origin);

// Throws CubinError where two sections share bytes of the file. For who copies every section: what
// is copied then stays in proportion to the file.
void refuse_overlap(const ElfFile& elf);

bool looks_like_elf(std::span<const std::byte> bytes);

}  // namespace heddle::isa
