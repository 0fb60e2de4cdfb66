// Reads the numbers and strings of DWARF forward from a place in a section.
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/elf.hpp"

namespace heddle::isa {

// Positions are byte offsets in the section. Throws CubinError where it ends too early.
class Cursor {
 public:
  Cursor(const Bytes& bytes, std::uint64_t position) : bytes_(bytes), position_(position) {}

  std::uint64_t position() const { return position_; }
  void skip_to(std::uint64_t position) { position_ = position; }

  template <typename T>
  T read(std::string_view what) {
    const T value = bytes_.at<T>(position_, what);
    position_ += sizeof(T);
    return value;
  }

  std::string_view text(std::string_view what) {
    const std::string_view text = bytes_.text(position_, what);
    position_ += text.size() + 1;
    return text;
  }

  std::uint64_t uleb() { return leb().value; }

  std::uint64_t sleb() {  // as two's complement
    const Leb128 leb128 = leb();
    const bool negative = (leb128.last & 0x40) != 0;
    return negative && leb128.bits < 64 ? leb128.value | ~std::uint64_t{0} << leb128.bits
                                        : leb128.value;
  }

 private:
  struct Leb128 {
    std::uint64_t value;
    unsigned bits;
    std::uint8_t last;
  };

  Leb128 leb() {
    Leb128 leb128{};
    do {
      leb128.last = read<std::uint8_t>("a LEB128 number");
      if (leb128.bits < 64) leb128.value |= std::uint64_t{leb128.last & 0x7fu} << leb128.bits;
      leb128.bits += 7;
    } while ((leb128.last & 0x80) != 0 && leb128.bits < 70);
    return leb128;
  }

  const Bytes& bytes_;
  std::uint64_t position_;
};

}  // namespace heddle::isa
