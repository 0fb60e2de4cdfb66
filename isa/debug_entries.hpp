// The entries (DIEs) of .debug_info, DWARF 2 to 4, as far as variables of functions need them.
//
// Why not LLVM's reader: it knows no relocations of cubins, and the addresses in a cubin's
// .debug_info are relocations; what stands in their place is not the address.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "isa/cursor.hpp"

namespace heddle::isa {

// An address as the cubin's relocations give it.
struct DebugAddress {
  std::uint32_t section = 0;  // 0: no relocation; then `offset` is a plain number
  std::uint64_t offset = 0;
};

struct DebugEntry {
  std::uint64_t tag = 0;  // DW_TAG_*; 0: the end of a list of children
  bool has_children = false;
  std::uint64_t next = 0;  // the position behind it
  std::string_view name, linkage_name;
  std::optional<DebugAddress> low, high;
  std::optional<std::uint64_t> type, origin;   // positions of entries
  std::span<const std::byte> location;         // an expression; empty: none
  std::uint64_t location_at = 0;               // its position in .debug_info
  std::optional<std::uint64_t> location_list;  // position in .debug_loc
  std::uint64_t encoding = 0, bytes = 0, line = 0, address_class = 0;
};

struct DebugSections {
  const Bytes& info;
  const Bytes& abbreviations;
  const Bytes& strings;
  // The address whose field is at this position of .debug_info; `in_place` is what is there.
  std::function<DebugAddress(std::uint64_t position, std::uint64_t in_place)> address;
};

// One compilation unit.
class DebugUnit {
 public:
  // At `position` of .debug_info. Throws CubinError. `budget`: bytes of abbreviations that may
  // still be read, over all units.
  DebugUnit(const DebugSections& sections, std::uint64_t position, std::uint64_t& budget);

  std::uint64_t first() const { return first_; }  // its first entry's position
  std::uint64_t end() const { return end_; }
  // Throws CubinError; `position` must be in the unit.
  DebugEntry at(std::uint64_t position) const;

 private:
  struct Attribute {
    std::uint64_t name = 0, form = 0;
  };
  struct Abbreviation {
    std::uint64_t tag = 0;
    bool has_children = false;
    std::vector<Attribute> attributes;
  };
  struct Value;

  void read_abbreviations(std::uint64_t position, std::uint64_t& budget);
  std::uint64_t read_reference(Cursor& cursor, std::uint64_t form) const;
  Value read_value(Cursor& cursor, std::uint64_t form) const;
  void put(DebugEntry& entry, const Attribute& attribute, const Value& value) const;

  const DebugSections& sections_;
  std::uint64_t start_, first_ = 0, end_ = 0;
  std::uint16_t version_ = 0;
  std::uint8_t address_bytes_ = 8;
  std::map<std::uint64_t, Abbreviation> abbreviations_;
};

}  // namespace heddle::isa
