#include "isa/debug_entries.hpp"

#include <fmt/format.h>

namespace heddle::isa {
namespace {

// DWARF 4, figure 20: attributes.
constexpr std::uint64_t kLocation = 0x02, kName = 0x03, kByteSize = 0x0b, kLowPc = 0x11,
                        kHighPc = 0x12, kOrigin = 0x31, kDeclaredLine = 0x3b, kEncoding = 0x3e,
                        kSpecification = 0x47, kType = 0x49, kAddressClass = 0x33,
                        kLinkageName = 0x6e, kMipsLinkageName = 0x2007;

}  // namespace

// An attribute's value in the shape its form has.
struct DebugUnit::Value {
  enum class Kind { number, address, text, block, reference, list };
  Kind kind = Kind::number;
  std::uint64_t number = 0;  // also: a position in .debug_info or in .debug_loc
  std::uint64_t at = 0;      // where it stands in .debug_info
  std::string_view text;
  std::span<const std::byte> block;
};

DebugUnit::DebugUnit(const DebugSections& sections, std::uint64_t position, std::uint64_t& budget)
    : sections_(sections), start_(position) {
  const Bytes& info = sections.info;
  Cursor cursor(info, position);
  const auto length = cursor.read<std::uint32_t>("a unit's length");
  info.slice(cursor.position(), length, "a unit");
  end_ = cursor.position() + length;
  version_ = cursor.read<std::uint16_t>("its version");
  if (version_ < 2 || version_ > 4)
    info.fail(position,
              fmt::format("debug information of DWARF version {}, expected 2 to 4", version_));
  const auto abbreviations = cursor.read<std::uint32_t>("the position of its abbreviations");
  address_bytes_ = cursor.read<std::uint8_t>("the size of its addresses");
  if (address_bytes_ != 8)
    info.fail(position, fmt::format("addresses of {} bytes, expected 8", address_bytes_));
  first_ = cursor.position();
  if (first_ > end_) info.fail(position, "a unit that is shorter than its header");
  read_abbreviations(abbreviations, budget);
}

void DebugUnit::read_abbreviations(std::uint64_t position, std::uint64_t& budget) {
  Cursor cursor(sections_.abbreviations, position);
  while (const std::uint64_t code = cursor.uleb()) {
    Abbreviation abbreviation;
    abbreviation.tag = cursor.uleb();
    abbreviation.has_children = cursor.read<std::uint8_t>("whether there are children") != 0;
    for (;;) {
      const Attribute attribute{.name = cursor.uleb(), .form = cursor.uleb()};
      if (attribute.name == 0 && attribute.form == 0) break;
      abbreviation.attributes.push_back(attribute);
    }
    abbreviations_[code] = std::move(abbreviation);
  }
  const std::uint64_t read = cursor.position() - position;
  if (read > budget)
    sections_.abbreviations.fail(position, "abbreviations that too many units share");
  budget -= read;
}

// Where another entry is: of the section (0x10), or from the start of the unit.
std::uint64_t DebugUnit::read_reference(Cursor& cursor, std::uint64_t form) const {
  constexpr const char* kWhat = "a reference";
  switch (form) {
    case 0x10:
      return version_ == 2 ? cursor.read<std::uint64_t>(kWhat) : cursor.read<std::uint32_t>(kWhat);
    case 0x11:
      return start_ + cursor.read<std::uint8_t>(kWhat);
    case 0x12:
      return start_ + cursor.read<std::uint16_t>(kWhat);
    case 0x13:
      return start_ + cursor.read<std::uint32_t>(kWhat);
    case 0x14:
      return start_ + cursor.read<std::uint64_t>(kWhat);
    default:  // 0x15
      return start_ + cursor.uleb();
  }
}

DebugUnit::Value DebugUnit::read_value(Cursor& cursor, std::uint64_t form) const {
  using Kind = Value::Kind;
  Value value{.at = cursor.position(), .text = {}, .block = {}};
  const auto number = [&](std::uint64_t n, Kind kind = Kind::number) {
    value.kind = kind;
    value.number = n;
  };
  const auto block = [&](std::uint64_t size) {
    value.kind = Kind::block;
    value.at = cursor.position();
    value.block = sections_.info.slice(cursor.position(), size, "a block");
    cursor.skip_to(cursor.position() + size);
  };
  const auto byte = [&] { return cursor.read<std::uint8_t>("a byte"); };
  const auto two = [&] { return cursor.read<std::uint16_t>("two bytes"); };
  const auto four = [&] { return cursor.read<std::uint32_t>("four bytes"); };
  const auto eight = [&] { return cursor.read<std::uint64_t>("eight bytes"); };
  // DWARF 2 and 3 give the position of a location list as a plain number.
  const Kind offset = version_ < 4 ? Kind::list : Kind::number;
  switch (form) {
    case 0x01:
      number(eight(), Kind::address);
      break;
    case 0x03:
      block(two());
      break;
    case 0x04:
      block(four());
      break;
    case 0x05:
      number(two());
      break;
    case 0x06:
      number(four(), offset);
      break;
    case 0x07:
      number(eight(), offset);
      break;
    case 0x08:
      value.kind = Kind::text;
      value.text = cursor.text("a string");
      break;
    case 0x09:
    case 0x18:
      block(cursor.uleb());
      break;
    case 0x0a:
      block(byte());
      break;
    case 0x0b:
    case 0x0c:
      number(byte());
      break;
    case 0x0d:
      number(cursor.sleb());
      break;
    case 0x0e:
      value.kind = Kind::text;
      value.text = sections_.strings.text(four(), "a string");
      break;
    case 0x0f:
      number(cursor.uleb());
      break;
    case 0x10:
    case 0x11:
    case 0x12:
    case 0x13:
    case 0x14:
    case 0x15:
      number(read_reference(cursor, form), Kind::reference);
      break;
    case 0x17:
      number(four(), Kind::list);
      break;
    case 0x19:
      number(1);
      break;
    case 0x20:
      eight();
      break;
    default:
      sections_.info.fail(value.at, fmt::format("an attribute of the unknown form {:#x}", form));
  }
  return value;
}

void DebugUnit::put(DebugEntry& entry, const Attribute& attribute, const Value& value) const {
  using Kind = Value::Kind;
  const auto address = [&] {
    return value.kind == Kind::address ? sections_.address(value.at, value.number)
                                       : DebugAddress{.section = 0, .offset = value.number};
  };
  switch (attribute.name) {
    case kName:
      entry.name = value.text;
      break;
    case kLinkageName:
    case kMipsLinkageName:
      entry.linkage_name = value.text;
      break;
    case kLowPc:
      entry.low = address();
      break;
    case kHighPc:
      entry.high = address();
      break;
    case kType:
      if (value.kind == Kind::reference) entry.type = value.number;
      break;
    case kOrigin:
    case kSpecification:
      if (value.kind == Kind::reference) entry.origin = value.number;
      break;
    case kLocation:
      if (value.kind == Kind::block) {
        entry.location = value.block;
        entry.location_at = value.at;
      } else if (value.kind == Kind::list) {
        entry.location_list = value.number;
      }
      break;
    case kEncoding:
      entry.encoding = value.number;
      break;
    case kByteSize:
      entry.bytes = value.number;
      break;
    case kDeclaredLine:
      entry.line = value.number;
      break;
    case kAddressClass:
      entry.address_class = value.number;
      break;
    default:
      break;
  }
}

DebugEntry DebugUnit::at(std::uint64_t position) const {
  if (position < first_ || position >= end_)
    sections_.info.fail(position, "a reference to an entry outside its unit");
  Cursor cursor(sections_.info, position);
  DebugEntry entry;
  if (const std::uint64_t code = cursor.uleb()) {
    const auto abbreviation = abbreviations_.find(code);
    if (abbreviation == abbreviations_.end())
      sections_.info.fail(position, fmt::format("an entry of the unknown abbreviation {}", code));
    entry.tag = abbreviation->second.tag;
    entry.has_children = abbreviation->second.has_children;
    for (const Attribute& attribute : abbreviation->second.attributes)
      put(entry, attribute, read_value(cursor, attribute.form));
  }
  entry.next = cursor.position();
  return entry;
}

}  // namespace heddle::isa
