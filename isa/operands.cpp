#include "isa/operands.hpp"

#include <algorithm>
#include <bit>

#include "isa/attributes.hpp"
#include "isa/encoding.hpp"

namespace heddle::isa {
namespace {

constexpr unsigned kRegisterBytes = 4;

constexpr unsigned kMostRepeated = 128;  // PTX has no move of more to or from tensor memory

constexpr unsigned up_to_registers(unsigned bits) { return (bits + 31) / 32; }

// The value of the modifier that is attached to this operand; nothing where there is none.
const Item* attached(const Layout& layout, const Item& operand, Mod which) {
  for (const Item* item = &operand + 1; item != layout.end() && item->attached; ++item)
    if (item->mod == which) return item;
  return nullptr;
}

class Reader {
 public:
  explicit Reader(const Instruction& in) : in_(in), layout_(*in.encoding->layout) {}

  unsigned width(const Item& item, const Source* source) const {
    switch (item.extent) {
      case Extent::two:
        return 2;
      case Extent::four:
        return 4;
      case Extent::two_where:
        return (item.extent_values >> in_.mod(item.extent_mod) & 1) != 0 ? 2 : 1;
      case Extent::data:
        return std::max(1u, (access_or_data_bytes() + kRegisterBytes - 1) / kRegisterBytes);
      case Extent::words:
        return static_cast<unsigned>(
            std::popcount(in_.mod(Mod::word_mask) >> item.extent_values & 0xfu));
      case Extent::fragment:
        return fragment(item);
      case Extent::lanes:
        return in_.mod(Mod::stationary) != 0 ? 2 : in_.mod(Mod::pair) != 0 ? 8 : 4;
      case Extent::repeats:
        return std::min(kMostRepeated, registers_of_repeat() << in_.mod(Mod::tensor_repeats));
      case Extent::dimensions:
        return in_.mod(Mod::dimension) + 1 + static_cast<unsigned>(item.extent_values);
      case Extent::one:
        break;
    }
    if (source != nullptr && source->kind == Source::Kind::bindless) return 2;
    return item.in_address ? address_width(item) : 1;
  }

  const Source& source(const Item& item) const {
    const bool has_b = std::any_of(layout_.begin(), layout_.end(), [](const Item& each) {
      return (each.kind == ItemKind::slot && (each.which == 'B' || each.which == 'S')) ||
             (each.kind == ItemKind::immediate && each.which == 'b');
    });
    switch (item.which) {
      case 'A':
        return in_.a;
      case 'N':
        return in_.c;
      case 'C':
        return has_b ? in_.c : in_.b;
      default:
        return in_.b;
    }
  }

  // Of the uniform register of an address: a pair where it is a descriptor, or where .E says it.
  // The one that a descriptor comes after is not.
  unsigned uniform_width(const Item& item) const {
    if (item.kind == ItemKind::hidden_ur || item.extent == Extent::two) return 2;
    if (item.extent == Extent::four) return 4;
    if (!item.in_address || has(ItemKind::next_ur)) return 1;
    return in_.mod(Mod::descriptor) != 0 || in_.mod(Mod::address64) != 0 ? 2 : 1;
  }

 private:
  // LDGMC is no access of the memory unit's kinds, and has data.
  unsigned access_or_data_bytes() const {
    const unsigned bytes = access_bytes(in_);
    return bytes != 0 ? bytes : data_type(in_).bytes();
  }

  // A row of .16dp128bit is two registers of each thread, one of .16dp256bit four.
  unsigned registers_of_repeat() const {
    const unsigned shape = in_.mod(Mod::tensor_shape);
    return shape == 0 ? 2 : shape == 1 ? 4 : 1;
  }

  // Beside a uniform register or a descriptor Ra says in a bit of its own whether it is a pair;
  // alone, .E says it.
  unsigned address_width(const Item& item) const {
    if (const Item* own = attached(layout_, item, Mod::ra_u32))
      return own->bits.get(in_.word) != 0 ? 2 : 1;
    return item.kind != ItemKind::rd && in_.mod(Mod::address64) != 0 ? 2 : 1;
  }

  bool has(ItemKind kind) const {
    return std::any_of(layout_.begin(), layout_.end(),
                       [&](const Item& each) { return each.kind == kind; });
  }

  unsigned fragment(const Item& item) const {
    const MatrixProduct product = matrix_product(in_);
    const auto& [m, n, k] = product.shape;
    constexpr unsigned kWarp = 32, kRowsOfWarpgroup = 64;
    const unsigned lanes = m == kRowsOfWarpgroup ? 4 * kWarp : kWarp;
    const unsigned stored = product.is_sparse ? k / 2u : k;
    if (item.kind == ItemKind::slot && item.which == 'A')
      return std::max(1u, up_to_registers(m * stored * product.a.bits / lanes));
    if (item.kind == ItemKind::slot && item.which == 'B')
      return std::max(1u, up_to_registers(k * n * product.b.bits / lanes));
    return up_to_registers(m * n * product.d.bits / lanes);
  }

  const Instruction& in_;
  const Layout& layout_;
};

class Collector {
 public:
  explicit Collector(const Instruction& in) : in_(in), layout_(*in.encoding->layout), reader_(in) {}

  Operands collect() {
    for (const Item& item : layout_) take(item);
    return operands_;
  }

 private:
  void add(RegisterFile file, unsigned first, unsigned count, bool read, bool written,
           bool by_mask = false) {
    const bool predicates =
        file == RegisterFile::predicate || file == RegisterFile::uniform_predicate;
    const unsigned none = predicates ? kPT : file == RegisterFile::vector ? kRZ : kURZ;
    if (first >= none || count == 0) return;
    operands_.uses[operands_.count++] = {file,
                                         static_cast<std::uint8_t>(first),
                                         static_cast<std::uint8_t>(std::min(count, none - first)),
                                         read,
                                         written,
                                         by_mask};
  }

  void add_source(const Item& item) {
    const Source& source = reader_.source(item);
    const unsigned width = reader_.width(item, &source);
    if (source.kind == Source::Kind::reg)
      add(RegisterFile::vector, source.index, width, true, false);
    if (source.kind == Source::Kind::ureg || source.kind == Source::Kind::bindless)
      add(RegisterFile::uniform, source.index, width, true, false);
  }

  static RegisterFile predicates(bool uniform) {
    return uniform ? RegisterFile::uniform_predicate : RegisterFile::predicate;
  }

  static bool is_destination(const Item& item) {
    return item.kind == ItemKind::rd || item.kind == ItemKind::urd;
  }
  bool comes_first(const Item& item) const {
    return std::none_of(layout_.begin(), &item, is_destination);
  }
  bool comes_before_a_destination(const Item& item) const {
    return comes_first(item) && std::any_of(&item, layout_.end(), is_destination);
  }

  void take(const Item& item) {
    const auto field = static_cast<unsigned>(item.bits.width == 0 ? 0 : item.bits.get(in_.word));
    switch (item.kind) {
      case ItemKind::rd:
        return add(RegisterFile::vector, field, reader_.width(item, nullptr),
                   item.in_address || item.is_updated, !item.in_address);
      case ItemKind::urd:
        return add(RegisterFile::uniform, in_.urd, reader_.width(item, nullptr), item.is_updated,
                   true);
      case ItemKind::reg: {
        const bool written = comes_before_a_destination(item);
        return add(RegisterFile::vector, field, reader_.width(item, nullptr), !written, written);
      }
      case ItemKind::pdst:
        return add(predicates(item.uniform), field, 1, item.is_updated, true);
      case ItemKind::psrc: {
        const Predicate& source = item.which == 0 ? in_.pp : item.which == 1 ? in_.pq : in_.pr;
        return add(predicates(source.uniform), source.index, 1, true, false);
      }
      case ItemKind::load_predicate:
        return add(predicates(in_.pp.uniform), in_.pp.index, 1, true, false);
      case ItemKind::predicates:
        return add(predicates(item.uniform), 0, kPT, !comes_first(item), comes_first(item), true);
      case ItemKind::slot:
        return add_source(item);
      case ItemKind::indexed_constant:
        return add(item.uniform ? RegisterFile::uniform : RegisterFile::vector, in_.a.index, 1,
                   true, false);
      case ItemKind::ur:
      case ItemKind::hidden_ur:
        return add(RegisterFile::uniform, in_.ur, reader_.uniform_width(item), true, false);
      case ItemKind::next_ur:
        return add(RegisterFile::uniform, in_.ur + 1u, item.extent == Extent::two ? 2 : 1, true,
                   false);
      case ItemKind::other_ur:
        return add(RegisterFile::uniform, uniform_register(field, item.bits.width),
                   reader_.width(item, nullptr), true, false);
      default:
        return;
    }
  }

  const Instruction& in_;
  const Layout& layout_;
  Reader reader_;
  Operands operands_;
};

}  // namespace

Operands operands(const Instruction& instruction) { return Collector(instruction).collect(); }

OperandWidths operand_widths(const Instruction& instruction) {
  const Reader reader(instruction);
  OperandWidths widths;
  for (const Item& item : *instruction.encoding->layout) {
    if ((item.kind == ItemKind::rd || item.kind == ItemKind::urd) && !item.in_address)
      widths.destination = static_cast<std::uint8_t>(reader.width(item, nullptr));
    if (item.kind == ItemKind::pdst && item.uniform) widths.has_uniform_predicates = true;
    if (item.kind == ItemKind::ur || item.kind == ItemKind::hidden_ur)
      widths.ur = static_cast<std::uint8_t>(reader.uniform_width(item));
    if (item.kind != ItemKind::slot) continue;
    const Source& source = reader.source(item);
    std::uint8_t& width = &source == &instruction.a   ? widths.a
                          : &source == &instruction.b ? widths.b
                                                      : widths.c;
    width = static_cast<std::uint8_t>(reader.width(item, &source));
  }
  return widths;
}

}  // namespace heddle::isa
