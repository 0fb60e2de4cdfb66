// Reads the pictures of isa/row.hpp, at compile time: a mistake in a row is a compile error.
#pragma once

#include <string_view>

#include "isa/encoding.hpp"
#include "isa/opcodes/lists.hpp"

namespace heddle::isa {

// What a picture says: a layout whose items are yet to get their place.
struct Picture {
  std::array<Item, 40> items{};
  Layout layout;

  constexpr Layout with_items_at(const Item* first) const {
    Layout placed = layout;
    placed.items = first;
    return placed;
  }
};

class PictureReader {
 public:
  constexpr PictureReader(std::string_view picture, std::uint8_t uniform_bits) : text_(picture) {
    layout_.uniform_bits = uniform_bits;
  }

  constexpr Picture read(std::string_view fixed) {
    while (position_ < text_.size()) read_piece();
    read_fixed(fixed);
    return picture_;
  }

 private:
  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static constexpr bool is_word(char c) {
    return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  }

  constexpr char peek(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  constexpr bool take(char c) {
    if (peek() != c) return false;
    ++position_;
    return true;
  }
  constexpr void expect(char c) {
    if (!take(c)) throw "picture: another character was expected here";
  }

  constexpr Item& add(Item item) {
    if (layout_.count == picture_.items.size()) throw "picture: too many items";
    item.in_address = in_address_;
    item.uniform_bits = layout_.uniform_bits;
    return picture_.items[layout_.count++] = item;
  }

  constexpr unsigned read_number() {
    if (!is_digit(peek())) throw "picture: a number was expected here";
    unsigned value = 0;
    while (is_digit(peek())) value = value * 10 + static_cast<unsigned>(text_[position_++] - '0');
    return value;
  }

  constexpr Bits read_bits(unsigned default_width) {
    Bits bits;
    bits.lo = static_cast<std::uint8_t>(read_number());
    bits.width = static_cast<std::uint8_t>(take(':') ? read_number() : default_width);
    if (take('/')) {
      bits.lo2 = static_cast<std::uint8_t>(read_number());
      bits.width2 = static_cast<std::uint8_t>(take(':') ? read_number() : 1);
    }
    return bits;
  }

  // $name: goes on inside the piece of that name, then after it.
  constexpr void read_shared_piece() {
    expect('$');
    const std::size_t start = position_;
    while (is_word(peek())) ++position_;
    const std::string_view outer = text_;
    const std::size_t outer_position = position_;
    text_ = list_named(outer.substr(start, position_ - start));
    position_ = 0;
    while (position_ < text_.size()) read_piece();
    text_ = outer;
    position_ = outer_position;
  }

  constexpr void read_piece() {
    if (peek() == '$') return read_shared_piece();
    if (!in_operands_) {
      if (take(' ')) {
        in_operands_ = true;
        add({.kind = ItemKind::separator});
      } else if (peek() == '{') {
        read_modifier(false);
      } else {
        read_text(false);
      }
      return;
    }
    if (peek() == ',') {
      ++position_;
      expect(' ');
      add({.kind = ItemKind::separator});
    } else if (take('[')) {
      add({.kind = ItemKind::open});
      in_address_ = true;
    } else if (take(']')) {
      add({.kind = ItemKind::close});
      in_address_ = false;
    } else if (take('+')) {
      add({.kind = ItemKind::plus});
    } else if (peek() == '{') {
      read_modifier(false);
    } else {
      read_operand();
    }
  }

  constexpr void read_text(bool attached) {
    const std::size_t start = position_;
    const bool space = text_[position_++] == ' ';
    while (!space && position_ < text_.size() && !stops_text(text_[position_])) ++position_;
    add({.kind = ItemKind::text,
         .attached = attached,
         .text = text_.substr(start, position_ - start)});
  }
  constexpr bool stops_text(char c) const {
    return c == '{' || c == '[' || c == ']' || c == ',' || c == '+' || c == ' ' || c == '#' ||
           c == '$';
  }

  constexpr void read_modifier(bool attached) {
    expect('{');
    Item item{.kind = ItemKind::mod, .attached = attached};
    if (is_word(peek())) item.mod = read_modifier_name();
    if (take('=')) {
      item.constant = read_number();
    } else {
      expect('@');
      item.bits = read_bits(1);
    }
    expect(' ');
    const std::size_t list = position_;
    while (peek() != '}' && peek() != '\0') ++position_;
    item.text = text_.substr(list, position_ - list);
    expect('}');
    if (!item.text.empty() && item.text.front() == '$') item.text = list_named(item.text.substr(1));
    if (item.bits.width == 0) {
      add(item);
      return;
    }
    item.legal = legal_values(item.text);
    if (item.bits.size() < 6 && item.legal >> (1u << item.bits.size()) != 0)
      throw "picture: the list has more texts than the field has values";
    add(item);
  }

  constexpr void read_operand() {
    Item item;
    const std::size_t start = position_;
    item.optional = take('?');
    item.is_updated = take('^');
    if (take('-')) item.negate = true;
    if (take('~')) item.invert = true;
    if (take('|')) item.absolute = true;
    if (peek() == '#' || peek() == '&') {
      read_numeral(item);
    } else if (!read_name(item)) {
      position_ = start;
      read_text(false);
      return;
    }
    if (take('*')) read_extent_or_unit(item);
    if (take(':')) item.type = text_[position_++];
    if (item.absolute) expect('|');
    if (take(':')) item.type = text_[position_++];
    add(item);
    while (peek() == '{' || peek() == '.')
      if (peek() == '{')
        read_modifier(true);
      else
        read_text(true);
  }

  constexpr bool take_word(std::string_view word) {
    if (text_.substr(position_, word.size()) != word) return false;
    position_ += word.size();
    return true;
  }

  constexpr void read_extent_or_unit(Item& item) {
    if (item.kind == ItemKind::offset)
      item.unit = static_cast<std::uint8_t>(read_number());
    else
      read_extent(item);
  }

  constexpr void read_extent(Item& item) {
    if (take_word("data")) {
      item.extent = Extent::data;
    } else if (take_word("mma")) {
      item.extent = Extent::fragment;
    } else if (take_word("lanes")) {
      item.extent = Extent::lanes;
    } else if (take_word("repeats")) {
      item.extent = Extent::repeats;
    } else if (take_word("words+")) {
      item.extent = Extent::words;
      item.extent_values = read_number();
    } else if (take_word("dims+")) {
      item.extent = Extent::dimensions;
      item.extent_values = read_number();
    } else if (take('4')) {
      item.extent = Extent::four;
    } else {
      expect('2');
      item.extent = Extent::two;
      if (take('(')) read_extent_values(item);
    }
  }

  constexpr void read_extent_values(Item& item) {
    item.extent = Extent::two_where;
    item.extent_mod = read_modifier_name();
    expect('=');
    do {
      item.extent_values |= std::uint64_t{1} << read_number();
    } while (take(','));
    expect(')');
  }

  constexpr Mod read_modifier_name() {
    const std::size_t start = position_;
    while (is_word(peek())) ++position_;
    const Mod found = mod_named(text_.substr(start, position_ - start));
    if (found == Mod::count_) throw "picture: no modifier of that name";
    return found;
  }

  constexpr void read_numeral(Item& item) {
    item.kind = take('&') ? ItemKind::mask : ItemKind::number;
    if (item.kind == ItemKind::number) expect('#');
    if (is_word(peek())) item.mod = read_modifier_name();
    expect('@');
    item.bits = read_bits(1);
  }

  struct Name {
    std::string_view text;
    ItemKind kind;
    char which;
    Bits bits;    // where it is unless the picture says otherwise
    bool placed;  // the picture must say where
  };

  constexpr bool read_name(Item& item) {
    constexpr Name kNames[] = {
        {"Rd", ItemKind::rd, 0, {16, 8, 0, 0}, false},
        {"Pu", ItemKind::pdst, 0, {81, 3, 0, 0}, false},
        {"Pv", ItemKind::pdst, 1, {84, 3, 0, 0}, false},
        {"Pp", ItemKind::psrc, 0, {87, 4, 0, 0}, false},
        {"Pq", ItemKind::psrc, 1, {77, 4, 0, 0}, false},
        {"Pr", ItemKind::psrc, 2, {68, 4, 0, 0}, false},
        {"Pz", ItemKind::load_predicate, 0, {64, 4, 0, 0}, false},
        {"A", ItemKind::slot, 'A', {}, false},
        {"B", ItemKind::slot, 'B', {}, false},
        {"C", ItemKind::slot, 'C', {}, false},
        {"S", ItemKind::slot, 'S', {}, false},
        {"M", ItemKind::slot, 'M', {}, false},
        {"N", ItemKind::slot, 'N', {}, false},
        {"R", ItemKind::reg, 0, {0, 8, 0, 0}, true},
        {"X", ItemKind::other_ur, 0, {0, 8, 0, 0}, true},
        {"O", ItemKind::offset, 0, {0, 24, 0, 0}, true},
        {"h", ItemKind::hidden_ur, 0, {}, true},
        {"Tb", ItemKind::byte_target, 0, {}, true},
        {"n", ItemKind::next_ur, 0, {}, false},
        {"G", ItemKind::global_offset, 0, {}, true},
        {"T", ItemKind::target, 0, {}, true},
        {"J", ItemKind::jump, 0, {}, true},
        {"K", ItemKind::constant, 0, {38, 21, 0, 0}, false},
        {"L", ItemKind::indexed_constant, 0, {38, 21, 0, 0}, false},
        {"Bn", ItemKind::barrier, 0, {16, 4, 0, 0}, true},
        {"I", ItemKind::immediate, 'b', {32, 32, 0, 0}, false},
        {"Ib", ItemKind::immediate, 'b', {0, 0, 0, 0}, true},
        {"Ic", ItemKind::immediate, 'c', {0, 0, 0, 0}, true},
        {"Q", ItemKind::wide_immediate, 'b', {0, 0, 0, 0}, true},
        {"D", ItemKind::displacement, 0, {}, true},
        {"W", ItemKind::wait_list, 0, {}, true},
        {"SR", ItemKind::special_reg, 0, {72, 8, 0, 0}, false},
        {"PR", ItemKind::predicates, 0, {}, false},
    };
    const bool uniform = peek() == 'U';
    const std::size_t start = position_ + (uniform ? 1 : 0);
    std::size_t end = start;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string_view word = text_.substr(start, end - start);
    for (const Name& name : kNames) {
      if (name.text != word) continue;
      const bool placed = end < text_.size() && text_[end] == '@';
      if (name.placed && !placed) return false;
      position_ = end;
      item.kind = name.kind;
      item.which = name.which;
      item.bits = name.bits;
      item.uniform = uniform;
      if (uniform && item.kind == ItemKind::rd) {
        item.kind = ItemKind::urd;
        item.bits.width = layout_.uniform_bits;
      }
      if (uniform && item.kind == ItemKind::reg) {
        item.kind = ItemKind::ur;
        item.bits.width = layout_.uniform_bits;
      }
      if (item.kind == ItemKind::other_ur) item.bits.width = layout_.uniform_bits;
      if (take('@')) item.bits = read_bits(item.bits.width);
      return true;
    }
    return false;
  }

  constexpr void read_fixed(std::string_view fixed) {
    PictureReader reader(fixed, layout_.uniform_bits);
    while (reader.position_ < fixed.size()) {
      if (layout_.fixed_count == layout_.fixed.size()) throw "picture: too many fixed fields";
      FixedBits& entry = layout_.fixed[layout_.fixed_count++];
      entry.bits = reader.read_bits(1);
      reader.expect('=');
      if (reader.take_word("URZ")) {
        entry.bits.width = layout_.uniform_bits;
        entry.value = (1u << layout_.uniform_bits) - 1;
      } else {
        entry.value = reader.read_number();
      }
      reader.take(' ');
    }
  }

  std::string_view text_;
  std::size_t position_ = 0;
  bool in_operands_ = false, in_address_ = false;
  Picture picture_;
  Layout& layout_ = picture_.layout;
};

constexpr Picture read_picture(std::string_view picture, std::uint8_t uniform_bits,
                               std::string_view fixed = {}) {
  return PictureReader(picture, uniform_bits).read(fixed);
}

}  // namespace heddle::isa
