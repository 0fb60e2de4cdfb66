#include "isa/variables.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "isa/debug_entries.hpp"

namespace heddle::isa {
namespace {

// DWARF 4, figure 18: tags.
constexpr std::uint64_t kEnumeration = 0x04, kParameter = 0x05, kBlock = 0x0b, kPointer = 0x0f,
                        kReference = 0x10, kTypedef = 0x16, kBaseType = 0x24, kConst = 0x26,
                        kSubprogram = 0x2e, kVariable = 0x34, kVolatile = 0x35,
                        kRvalueReference = 0x42;
// Operators of expressions (figure 24), and address classes of cuda-gdb (cuda-dwarf2read.c: 2 is a
// register, 7 a parameter).
constexpr std::byte kOpAddress{0x03}, kOpRegister{0x90};
constexpr std::uint64_t kParameterClass = 7;

constexpr std::uint64_t kMostDepth = 64;  // of scopes, and of types named by types

// What a .debug_… section's address fields are relocated to.
class Relocated {
 public:
  Relocated(const Cubin& cubin, std::string_view section) {
    for (const Relocation& relocation : cubin.relocations) {
      if (cubin.sections[relocation.section].name != section) continue;
      const Symbol& symbol = cubin.symbols[relocation.symbol];
      addresses_[relocation.offset] = {
          {symbol.section, symbol.value + static_cast<std::uint64_t>(relocation.addend)},
          relocation.has_addend};
    }
  }
  DebugAddress at(std::uint64_t position, std::uint64_t in_place) const {
    const auto found = addresses_.find(position);
    if (found == addresses_.end()) return {.section = 0, .offset = in_place};
    DebugAddress address = found->second.first;
    if (!found->second.second) address.offset += in_place;
    return address;
  }

 private:
  std::unordered_map<std::uint64_t, std::pair<DebugAddress, bool>> addresses_;
};

// The name that an expression's only operator gives: cubins spell PTX registers as numbers whose
// bytes are the name's characters, the first one highest.
std::string ptx_name(const Bytes& bytes, std::uint64_t position, std::uint64_t size) {
  Cursor cursor(bytes, position);
  if (size < 2 || cursor.read<std::byte>("an operator") != kOpRegister) return {};
  const std::uint64_t number = cursor.uleb();
  if (cursor.position() != position + size) return {};
  std::string name;
  for (unsigned shift = 64; shift > 0; shift -= 8)
    if (const auto character = static_cast<char>(number >> (shift - 8) & 0xff); character != 0)
      name += character;
  return name.starts_with('%') ? name : std::string();
}

std::optional<VariableType::Kind> kind_of(std::uint64_t encoding) {
  using Kind = VariableType::Kind;
  switch (encoding) {  // DWARF 4, figure 16
    case 0x02:
      return Kind::boolean;
    case 0x04:
      return Kind::floating;
    case 0x05:
      return Kind::integer;
    case 0x06:
      return Kind::character;
    case 0x07:
    case 0x08:
      return Kind::natural;
    default:
      return std::nullopt;
  }
}

// Reads one section pair; the functions found are added to the table.
class Reader {
 public:
  Reader(const Cubin& cubin, std::map<std::string, std::vector<Variable>>& functions)
      : cubin_(cubin),
        info_(section(".debug_info")),
        abbreviations_(section(".debug_abbrev")),
        strings_(section(".debug_str")),
        lists_(section(".debug_loc")),
        in_info_(cubin, ".debug_info"),
        in_lists_(cubin, ".debug_loc"),
        list_bytes_left_(8 * lists_.size()),
        functions_(functions) {
    for (const Function& function : cubin.functions)
      starts_.try_emplace({function.section, function.offset}, &function);
  }

  void read() {
    const DebugSections sections{
        info_, abbreviations_, strings_,
        [this](std::uint64_t at, std::uint64_t in_place) { return in_info_.at(at, in_place); }};
    std::uint64_t budget = 8 * abbreviations_.size();
    for (std::uint64_t position = 0; position < info_.size();) {
      const DebugUnit unit(sections, position, budget);
      read_unit(unit);
      position = unit.end();
    }
  }

 private:
  // What encloses an entry.
  struct Scope {
    const Function* function = nullptr;
    std::uint64_t begin = 0, end = 0;  // byte offsets in the function
  };

  Bytes section(std::string_view name) const {
    const Section* found = cubin_.find_section(name);
    return {
        found != nullptr ? std::span<const std::byte>(found->bytes) : std::span<const std::byte>{},
        fmt::format("{}: section '{}'", cubin_.origin, name)};
  }

  void read_unit(const DebugUnit& unit) {
    std::vector<Scope> scopes{{}};
    for (std::uint64_t position = unit.first(); position < unit.end();) {
      const DebugEntry entry = unit.at(position);
      position = entry.next;
      if (entry.tag == 0) {
        if (scopes.size() > 1) scopes.pop_back();
        continue;
      }
      if (entry.tag == kVariable || entry.tag == kParameter) add(unit, entry, scopes.back());
      if (!entry.has_children) continue;
      if (scopes.size() > kMostDepth) info_.fail(position, "scopes nested too deeply");
      scopes.push_back(scope_of(entry, scopes.back()));
    }
  }

  Scope scope_of(const DebugEntry& entry, const Scope& outer) const {
    if (entry.tag == kSubprogram) return scope_of_function(entry);
    if (entry.tag != kBlock) return {};  // of a type, or inlined code, whose registers are not told
    if (outer.function == nullptr || !entry.low || !entry.high) return outer;
    if (entry.low->section != outer.function->section) return outer;
    return {outer.function, entry.low->offset - outer.function->offset,
            end_of(entry) - outer.function->offset};
  }

  static std::uint64_t end_of(const DebugEntry& entry) {  // DWARF 4 may give a size
    return entry.high->section != 0 ? entry.high->offset : entry.low->offset + entry.high->offset;
  }

  Scope scope_of_function(const DebugEntry& entry) const {
    if (!entry.low || !entry.high || entry.low->section == 0) return {};
    const auto function = starts_.find({entry.low->section, entry.low->offset});
    if (function == starts_.end()) return {};
    return {function->second, 0, end_of(entry) - function->second->offset};
  }

  void add(const DebugUnit& unit, DebugEntry entry, const Scope& scope) {
    if (scope.function == nullptr) return;
    Variable variable;
    variable.is_parameter = entry.tag == kParameter;
    variable.begin = scope.begin;
    variable.end = scope.end;
    std::uint64_t steps = 0;
    for (DebugEntry named = entry; entry.name.empty() || !entry.type;) {
      if (!named.origin || ++steps > kMostDepth) return;
      named = unit.at(*named.origin);
      if (entry.name.empty()) entry.name = named.name;
      if (!entry.type) entry.type = named.type;
    }
    const auto type = type_at(unit, *entry.type);
    if (!type) return;
    variable.type = *type;
    variable.name = entry.name;
    variable.line = static_cast<std::uint32_t>(entry.line);
    put_place(entry, *scope.function, variable);
    if (variable.bank0 || !variable.held.empty())
      functions_[scope.function->name].push_back(std::move(variable));
  }

  void put_place(const DebugEntry& entry, const Function& function, Variable& variable) {
    constexpr std::size_t kAddressBytes = 9;
    if (entry.location_list) return put_list(*entry.location_list, function, variable);
    if (entry.location.size() == kAddressBytes && entry.location[0] == kOpAddress &&
        entry.address_class == kParameterClass) {
      const auto in_place = info_.at<std::uint64_t>(entry.location_at + 1, "an address");
      variable.bank0 =
          static_cast<std::uint32_t>(in_info_.at(entry.location_at + 1, in_place).offset);
    } else if (!entry.location.empty()) {
      put_held(variable, 0, variable.end,
               ptx_name(info_, entry.location_at, entry.location.size()));
    }
  }

  static void put_held(Variable& variable, std::uint64_t begin, std::uint64_t end,
                       std::string ptx) {
    if (!ptx.empty()) variable.held.push_back({begin, end, std::move(ptx)});
  }

  // DWARF 4, section 2.6.2.
  void put_list(std::uint64_t position, const Function& function, Variable& variable) {
    Cursor cursor(lists_, position);
    for (;;) {
      const std::uint64_t at = cursor.position();
      const DebugAddress begin = in_lists_.at(at, cursor.read<std::uint64_t>("a range"));
      const DebugAddress end = in_lists_.at(at + 8, cursor.read<std::uint64_t>("a range"));
      if (begin.section == 0 && begin.offset == 0 && end.offset == 0) return;
      const auto size = cursor.read<std::uint16_t>("an expression's size");
      lists_.slice(cursor.position(), size, "an expression");
      if (begin.section == function.section)
        put_held(variable, begin.offset - function.offset, end.offset - function.offset,
                 ptx_name(lists_, cursor.position(), size));
      cursor.skip_to(cursor.position() + size);
      const std::uint64_t read = cursor.position() - at;
      if (read > list_bytes_left_)
        lists_.fail(position, "a location list that too many variables share");
      list_bytes_left_ -= read;
    }
  }

  // Of what fits in registers; nothing for the others.
  std::optional<VariableType> type_at(const DebugUnit& unit, std::uint64_t position) const {
    constexpr std::uint32_t kPointerBytes = 8;
    DebugEntry entry = unit.at(position);
    VariableType type;
    if (entry.tag == kPointer || entry.tag == kReference || entry.tag == kRvalueReference) {
      const std::string_view mark = entry.tag == kPointer ? " *" : " &";
      return VariableType{VariableType::Kind::pointer, kPointerBytes,
                          (entry.type ? type_name(unit, *entry.type) : "void") + std::string(mark)};
    }
    type.name = type_name(unit, position);
    for (std::uint64_t steps = 0;
         entry.tag == kTypedef || entry.tag == kConst || entry.tag == kVolatile;) {
      if (!entry.type || ++steps > kMostDepth) return std::nullopt;
      entry = unit.at(*entry.type);
    }
    if (entry.tag == kPointer || entry.tag == kReference || entry.tag == kRvalueReference)
      return VariableType{VariableType::Kind::pointer, kPointerBytes, type.name};
    const auto kind = entry.tag == kEnumeration ? VariableType::Kind::integer
                      : entry.tag == kBaseType  ? kind_of(entry.encoding)
                                                : std::nullopt;
    const bool fits = entry.bytes == 1 || entry.bytes == 2 || entry.bytes == 4 || entry.bytes == 8;
    if (!kind || !fits) return std::nullopt;
    type.kind = *kind;
    type.bytes = static_cast<std::uint32_t>(entry.bytes);
    return type;
  }

  std::string type_name(const DebugUnit& unit, std::uint64_t position) const {
    std::string marks;
    for (std::uint64_t steps = 0; steps < kMostDepth; ++steps) {
      const DebugEntry entry = unit.at(position);
      if (!entry.name.empty()) return std::string(entry.name) + marks;
      if (entry.tag == kPointer)
        marks = " *" + marks;
      else if (entry.tag == kReference || entry.tag == kRvalueReference)
        marks = " &" + marks;
      if (!entry.type) return (entry.tag == kPointer ? "void" : "?") + marks;
      position = *entry.type;
    }
    return "?" + marks;
  }

  const Cubin& cubin_;
  const Bytes info_, abbreviations_, strings_, lists_;
  const Relocated in_info_, in_lists_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, const Function*> starts_;
  std::uint64_t list_bytes_left_;
  std::map<std::string, std::vector<Variable>>& functions_;
};

}  // namespace

VariableTable::VariableTable(const Cubin& cubin) {
  const Section* registers = cubin.find_section(".nv_debug_info_reg_sass");
  if (registers == nullptr) return;
  registers_ = RegisterMap(
      {registers->bytes, fmt::format("{}: section '{}'", cubin.origin, registers->name)});
  Reader(cubin, functions_).read();
}

const std::vector<Variable>& VariableTable::of(const std::string& function) const {
  static const std::vector<Variable> none;
  const auto found = functions_.find(function);
  return found == functions_.end() ? none : found->second;
}

std::optional<VariablePlace> VariableTable::place(const std::string& function,
                                                  const Variable& variable,
                                                  std::uint64_t offset) const {
  if (offset < variable.begin || offset >= variable.end) return std::nullopt;
  VariablePlace place;
  place.bank0 = variable.bank0;
  if (place.bank0) return place;
  constexpr std::uint32_t kWordBytes = 4;
  // Where one register follows another, the later one as soon as it is written.
  for (auto each = variable.held.rbegin(); each != variable.held.rend(); ++each) {
    const Variable::Held& held = *each;
    if (offset < held.begin || offset > held.end) continue;
    place.part_count = 0;
    for (std::uint32_t word = 0; word * kWordBytes < variable.type.bytes; ++word) {
      const auto part = registers_.find(function, held.ptx, word, offset);
      if (!part) break;
      place.parts[place.part_count++] = *part;
    }
    if (place.part_count * kWordBytes >= variable.type.bytes) return place;
  }
  return std::nullopt;
}

}  // namespace heddle::isa
