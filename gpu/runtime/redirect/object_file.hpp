// Finding functions by name in the file of a loaded object. Nothing in the file is believed: it may
// lie about every offset, size and address. Nothing here allocates, throws, or needs the C++
// library, because it runs before any library has been initialised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::runtime::redirect {

using FileBytes = std::span<const std::byte>;

// Code of the object as it is mapped: the addresses are relative to where the object was loaded.
struct CodeSegment {
  std::uint64_t address = 0, bytes = 0, offset = 0;  // offset: in the file
  int protection = 0;                                // as mprotect takes it

  bool holds(std::uint64_t at, std::uint64_t count) const {
    return at >= address && count <= bytes && at - address <= bytes - count;
  }
};

struct FoundFunction {
  std::uint64_t address = 0;  // relative, as CodeSegment's
  std::size_t name = 0;       // index in the names asked for
};

class ObjectFile {
 public:
  // Of an x86-64 executable or shared object; any other file gives one without code.
  explicit ObjectFile(FileBytes file);

  bool has_code() const { return code_count_ != 0; }
  std::span<const CodeSegment> code() const { return {code_, code_count_}; }
  const CodeSegment* code_at(std::uint64_t address, std::uint64_t bytes) const;
  std::span<const std::byte> code_bytes(std::uint64_t address, std::uint64_t bytes) const;
  std::uint64_t dynamic_section() const { return dynamic_; }  // relative address; 0: none

  // Functions of .symtab and .dynsym with one of the names (sorted), in order of address and once
  // each, whose first kJumpBytes bytes lie in code of their own, and which the table for unwinding
  // has as well, if there is one. At most as many as `found` holds.
  std::span<FoundFunction> find_functions(std::span<const std::string_view> names,
                                          std::span<FoundFunction> found) const;
  // Whether a symbol table says that it defines the name, wherever that be.
  bool claims(std::string_view name) const;
  // Whether its read-only data hold the text.
  bool has_constant(std::string_view text) const;

 private:
  template <typename T>
  bool read(std::uint64_t at, T& value) const;
  FileBytes contents(std::uint64_t offset, std::uint64_t bytes) const;
  template <typename Visit>
  void each_symbol_in(std::uint64_t section, Visit& visit) const;
  template <typename Visit>
  void each_symbol(Visit visit) const;
  void find_unwind_table(std::uint64_t offset, std::uint64_t address, std::uint64_t bytes);
  bool begins_function(std::uint64_t address) const;
  bool has_room(std::uint64_t address, std::uint64_t bytes) const;

  static constexpr std::size_t kMostSegments = 16;
  FileBytes file_;
  CodeSegment code_[kMostSegments];
  std::size_t code_count_ = 0;
  std::uint64_t sections_ = 0, dynamic_ = 0;
  std::uint64_t unwind_address_ = 0, unwind_entries_ = 0, unwind_count_ = 0;
  std::size_t section_count_ = 0;
};

inline constexpr std::size_t kJumpBytes = 5;  // a near jump

}  // namespace heddle::runtime::redirect
