#include "isa/debug_entries.hpp"

#include <fmt/format.h>

#include <optional>

namespace heddle::isa {
namespace {

// DWARF 4, figure 20: attributes.
constexpr std::uint64_t kLocation = 0x02, kName = 0x03, kByteSize = 0x0b, kLowPc = 0x11,
                        kHighPc = 0x12, kOrigin = 0x31, kDeclaredLine = 0x3b, kEncoding = 0x3e,
                        kSpecification = 0x47, kType = 0x49, kAddressClass = 0x33,
                        kLinkageName = 0x6e, kMipsLinkageName = 0x2007;

// DWARF 4, section 7.5.4: the forms of their values.
enum Form : std::uint64_t {
  kAddr = 0x01,
  kBlock2 = 0x03,
  kBlock4 = 0x04,
  kData2 = 0x05,
  kData4 = 0x06,
  kData8 = 0x07,
  kString = 0x08,
  kBlock = 0x09,
  kBlock1 = 0x0a,
  kData1 = 0x0b,
  kFlag = 0x0c,
  kSdata = 0x0d,
  kStrp = 0x0e,
  kUdata = 0x0f,
  kRefAddr = 0x10,
  kRef1 = 0x11,
  kRef2 = 0x12,
  kRef4 = 0x13,
  kRef8 = 0x14,
  kRefUdata = 0x15,
  kSecOffset = 0x17,
  kExprloc = 0x18,
  kFlagPresent = 0x19,
  kRefSig8 = 0x20,
};

bool is_reference(std::uint64_t form) { return form >= kRefAddr && form <= kRefUdata; }
bool is_block(std::uint64_t form) {
  return form == kBlock1 || form == kBlock2 || form == kBlock4 || form == kBlock ||
         form == kExprloc;
}

// A plain number, or the size of a block; nothing of another form.
std::optional<std::uint64_t> read_number(Cursor& cursor, std::uint64_t form) {
  switch (form) {
    case kFlagPresent:
      return 1;
    case kData1:
    case kFlag:
    case kBlock1:
      return cursor.read<std::uint8_t>("a byte");
    case kData2:
    case kBlock2:
      return cursor.read<std::uint16_t>("two bytes");
    case kData4:
    case kSecOffset:
    case kBlock4:
      return cursor.read<std::uint32_t>("four bytes");
    case kAddr:
    case kData8:
    case kRefSig8:
      return cursor.read<std::uint64_t>("eight bytes");
    case kSdata:
      return cursor.sleb();
    case kUdata:
    case kBlock:
    case kExprloc:
      return cursor.uleb();
    default:
      return std::nullopt;
  }
}

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

// Where another entry is: of the section (kRefAddr), or from the start of the unit.
std::uint64_t DebugUnit::read_reference(Cursor& cursor, std::uint64_t form) const {
  constexpr const char* kWhat = "a reference";
  switch (form) {
    case kRefAddr:
      return version_ == 2 ? cursor.read<std::uint64_t>(kWhat) : cursor.read<std::uint32_t>(kWhat);
    case kRef1:
      return start_ + cursor.read<std::uint8_t>(kWhat);
    case kRef2:
      return start_ + cursor.read<std::uint16_t>(kWhat);
    case kRef4:
      return start_ + cursor.read<std::uint32_t>(kWhat);
    case kRef8:
      return start_ + cursor.read<std::uint64_t>(kWhat);
    default:  // kRefUdata
      return start_ + cursor.uleb();
  }
}

DebugUnit::Value DebugUnit::read_value(Cursor& cursor, std::uint64_t form) const {
  using Kind = Value::Kind;
  Value value{.at = cursor.position(), .text = {}, .block = {}};
  if (form == kString || form == kStrp) {
    value.kind = Kind::text;
    value.text = form == kString
                     ? cursor.text("a string")
                     : sections_.strings.text(cursor.read<std::uint32_t>("four bytes"), "a string");
    return value;
  }
  if (is_reference(form)) {
    value.kind = Kind::reference;
    value.number = read_reference(cursor, form);
    return value;
  }
  const auto number = read_number(cursor, form);
  if (!number)
    sections_.info.fail(value.at, fmt::format("an attribute of the unknown form {:#x}", form));
  if (is_block(form)) {
    value.kind = Kind::block;
    value.at = cursor.position();
    value.block = sections_.info.slice(cursor.position(), *number, "a block");
    cursor.skip_to(cursor.position() + *number);
    return value;
  }
  // DWARF 2 and 3 give the position of a location list as a plain number.
  const bool is_list = form == kSecOffset || (version_ < 4 && (form == kData4 || form == kData8));
  value.kind = form == kAddr ? Kind::address : is_list ? Kind::list : Kind::number;
  value.number = form == kRefSig8 ? 0 : *number;  // of a unit of types, of which there are none
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
