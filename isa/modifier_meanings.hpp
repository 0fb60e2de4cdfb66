// What the texts of modifiers stand for. The pictures of isa/row.hpp are where the texts are
// written down, so they are read here at compile time, and nowhere else: ".F32x2.FTZ.RN" in a list
// is the data type of that value.
#pragma once

#include <string_view>

#include "isa/encoding.hpp"
#include "isa/opcodes/lists.hpp"

namespace heddle::isa {

constexpr unsigned take_number(std::string_view& text) {
  unsigned value = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    value = value * 10 + static_cast<unsigned>(text.front() - '0');
    text.remove_prefix(1);
  }
  return value;
}

constexpr bool names(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

constexpr DataType::Kind kind_in(std::string_view text) {
  using Kind = DataType::Kind;
  if (text.starts_with(".S")) return Kind::signed_integer;
  if (text.starts_with(".F")) return Kind::floating;
  if (text.starts_with(".BF")) return Kind::bfloat;
  if (text.starts_with(".TF")) return Kind::tf32;
  if (text.starts_with(".E4M3")) return Kind::e4m3;
  if (text.starts_with(".E5M2")) return Kind::e5m2;
  if (text.starts_with(".E3M2")) return Kind::e3m2;
  if (text.starts_with(".E2M3")) return Kind::e2m3;
  if (text.starts_with(".E2M1")) return Kind::e2m1;
  return Kind::unsigned_integer;
}

// "" is a word of 32 bits; ".S64", ".BF16x4.RN", ".U.128", ".E4M3".
constexpr DataType data_type_in(std::string_view text) {
  DataType data{.kind = kind_in(text), .bits = 32};
  data.flushes = names(text, ".FTZ");
  if (text.starts_with(".E")) {
    constexpr std::size_t kFormat = 5;  // ".E4M3"
    data.bits = 8;
    text.remove_prefix(kFormat);
  } else {
    const std::size_t digits = text.find_first_of("0123456789");
    if (digits == std::string_view::npos) return data;
    text.remove_prefix(digits);
    data.bits = static_cast<std::uint8_t>(take_number(text));
  }
  if (text.starts_with('x')) {
    text.remove_prefix(1);
    data.count = static_cast<std::uint8_t>(take_number(text));
  }
  return data;
}

// ".16x8x4" and ".1684": 8 or 16, then 8, then the rest; ".64x24x16".
constexpr MatrixShape matrix_shape_in(std::string_view text) {
  text.remove_prefix(1);
  if (text.starts_with("64x")) {
    text.remove_prefix(3);
    MatrixShape shape{.m = 64};
    shape.n = static_cast<std::uint16_t>(take_number(text));
    text.remove_prefix(1);
    shape.k = static_cast<std::uint16_t>(take_number(text));
    return shape;
  }
  const auto take = [&](std::string_view digits) {
    if (!text.starts_with(digits)) return false;
    text.remove_prefix(digits.size());
    if (text.starts_with('x')) text.remove_prefix(1);
    return true;
  };
  MatrixShape shape;
  shape.m = take("16") ? 16 : 8;
  if (shape.m == 8 && !take("8")) throw "picture: no shape of a product of matrices";
  if (!take("8")) throw "picture: no shape of a product of matrices";
  shape.n = 8;
  shape.k = static_cast<std::uint16_t>(take_number(text));
  return shape;
}

constexpr MemoryOrder::Scope scope_in(std::string_view text) {
  using Scope = MemoryOrder::Scope;
  if (names(text, ".CTA")) return Scope::block;
  if (names(text, ".SM")) return Scope::sm;
  if (names(text, ".GPU")) return Scope::gpu;
  if (names(text, ".SYS")) return Scope::system;
  if (names(text, ".VC")) return Scope::vc;
  return Scope::none;
}

constexpr MemoryOrder memory_order_in(std::string_view text) {
  using Strength = MemoryOrder::Strength;
  const Strength strength = text.starts_with(".CONSTANT") ? Strength::constant
                            : text.starts_with(".STRONG") ? Strength::strong
                            : text.starts_with(".MMIO")   ? Strength::mmio
                                                          : Strength::weak;
  return {strength, scope_in(text)};
}

static_assert(data_type_in("") == DataType{DataType::Kind::unsigned_integer, 32});
static_assert(data_type_in(".U.128") == DataType{DataType::Kind::unsigned_integer, 128});
static_assert(data_type_in(".BF16x4.RN") == DataType{DataType::Kind::bfloat, 16, 4});
static_assert(data_type_in(".F32x2.FTZ.RN") == DataType{DataType::Kind::floating, 32, 2, true});
static_assert(data_type_in(".E5M2") == DataType{DataType::Kind::e5m2, 8});
static_assert(data_type_in(".E4M3x16.RN") == DataType{DataType::Kind::e4m3, 8, 16});
static_assert(matrix_shape_in(".16x8x16") == MatrixShape{16, 8, 16});
static_assert(matrix_shape_in(".88128") == MatrixShape{8, 8, 128});
static_assert(matrix_shape_in(".168128") == MatrixShape{16, 8, 128});
static_assert(matrix_shape_in(".64x240x32") == MatrixShape{64, 240, 32});
static_assert(scope_in(".STRONG.GPU.PRIVATE") == MemoryOrder::Scope::gpu);

template <class Table, class Meaning>
constexpr void fill(Table& table, const Item& item, Meaning&& meaning) {
  for_each_text(item.text, [&](unsigned value, std::string_view text) {
    if (value >= table.size()) throw "picture: a modifier with too many values";
    table[value] = meaning(text);
  });
}

// `type`: what the opcode works on where a text does not say it.
constexpr Meanings read_meanings(const Layout& layout, DataType type) {
  Meanings meanings;
  const auto factor = [&](std::string_view text) {
    return text.empty() ? type : data_type_in(text);
  };
  for (const Item& item : layout) {
    if (item.kind != ItemKind::mod || item.bits.width == 0) continue;
    switch (item.mod) {
      case Mod::size:
      case Mod::type:
        fill(meanings.data, item, data_type_in);
        break;
      case Mod::sem:
        fill(meanings.order, item, memory_order_in);
        break;
      case Mod::scope:
        fill(meanings.scope, item, scope_in);
        break;
      case Mod::mma_shape:
        fill(meanings.shape, item, matrix_shape_in);
        break;
      case Mod::mma_src:
        fill(meanings.mma_a, item, factor);
        break;
      case Mod::mma_src_b:
        fill(meanings.mma_b, item, factor);
        break;
      case Mod::mma_dst:
        fill(meanings.mma_d, item, data_type_in);
        break;
      default:
        break;
    }
  }
  return meanings;
}

}  // namespace heddle::isa
