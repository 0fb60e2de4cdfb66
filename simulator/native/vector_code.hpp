// What native code is made of: each step as instructions of the vector unit that it is for. What
// both units have under one name (vpaddd) is not here.
//
// AVX-512 has 32 registers of 16 words, mask registers and constants that are repeated for all
// words. AVX2 has 16 registers of 8 words. Masks are vector registers there, all or none of a
// word's bits, and the code holds whole vectors of each constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include <xbyak/xbyak.h>

#include "simulator/native/vector_unit.hpp"

namespace heddle::simulator::native {

// A vector register, of the unit's length.
using Vector = Xbyak::Xmm;

// The lanes for which something holds: the number of a mask register, or of a vector register.
struct Truth {
  int index = -1;
};

// How words are compared, by the numbers of vpcmpd.
enum class Comparison : std::uint8_t { eq, lt, le, never, ne, ge, gt, always };

class VectorCode : public Xbyak::CodeGenerator {
 public:
  bool is_wide() const { return unit_ == VectorUnit::avx512; }
  Vector vector(int index) const {
    return is_wide() ? Vector(Xbyak::Zmm(index)) : Xbyak::Ymm(index);
  }
  static Vector vector(Truth truth) { return Xbyak::Ymm(truth.index); }  // of AVX2
  static Xbyak::Opmask mask(Truth truth) { return Xbyak::Opmask(truth.index); }

  // A register for the instruction that is translated alone, of kScratch.
  virtual Vector scratch(unsigned i) = 0;

  void clear(const Vector& to);
  void copy(const Vector& to, const Vector& from);
  void invert(const Vector& to, const Vector& from);
  void bits_and(const Vector& to, const Vector& from, std::uint32_t value);
  void bits_xor(const Vector& to, const Vector& from, std::uint32_t value);
  void bits_and_64(const Vector& to, const Vector& from, std::uint64_t words);
  void bits_or_64(const Vector& to, const Vector& from, std::uint64_t words);
  void bits_xor_64(const Vector& to, const Vector& from, std::uint64_t words);
  // By a table of eight bits, as vpternlogd; `to` is none of the sources.
  void logic(const Vector& to, const Vector& a, const Vector& b, const Vector& c,
             std::uint8_t table);
  // Of the pair high:low, moved by less than 32 bits: its upper word, and its lower one.
  void pair_left(const Vector& to, const Vector& high, const Vector& low, std::uint8_t by);
  void pair_right(const Vector& to, const Vector& high, const Vector& low, std::uint8_t by);
  void add_word(const Vector& to, const Vector& from, std::uint32_t value);
  // Before blend_odd.
  void begin_blend();
  // Words of odd numbers from one vector, others from the other.
  void blend_odd(const Vector& to, const Vector& even, const Vector& odd);

  void compare(Truth to, const Vector& a, const Vector& b, Comparison how, bool is_signed);
  void compare(Truth to, const Vector& a, std::uint32_t value, Comparison how);  // without sign
  void compare_floats(Truth to, const Vector& a, const Vector& b, std::uint8_t how);
  void compare_doubles(Truth to, const Vector& a, const Vector& b, std::uint8_t how);
  void is_not_zero(Truth to, const Vector& words);
  void is_zero_where(Truth to, const Vector& words, Truth where);
  // Of doubles: those that are no number, where `where` holds.
  void is_nan_where(Truth to, const Vector& doubles, Truth where);
  void truth_and(Truth to, Truth a, Truth b);
  void truth_or(Truth to, Truth a, Truth b);
  void truth_and_not(Truth to, Truth inverted, Truth b);
  // Jumps where it holds for no lane, or double.
  void jump_if_none(Truth truth, const Xbyak::Label& to);

  void choose(const Vector& to, const Vector& if_not, const Vector& if_so, Truth truth);
  void replace(const Vector& to, Truth where, std::uint32_t value);
  void replace_64(const Vector& to, Truth where, std::uint64_t words);
  void or_where_64(const Vector& to, Truth where, const Vector& from, std::uint64_t words);
  void add_one_where(const Vector& to, Truth where);

 protected:
  static constexpr unsigned kForSteps = 6;  // scratch(6) and scratch(7) are for the steps of AVX2

  VectorCode(VectorUnit unit, std::size_t bytes, std::uint8_t* memory)
      : CodeGenerator(bytes, memory), unit_(unit) {}

  // A word of the code, for all lanes: of an instruction of AVX-512 that repeats it, or as a
  // vector.
  Xbyak::Address constant(std::uint32_t value);
  Xbyak::Address constant_of_64(std::uint64_t words);
  // Of AVX2: 1, 2, 4, ...
  Xbyak::Address bits_of_lanes();
  void write_constants();
  bool probing_ = false;  // the code will be dropped

 private:
  Xbyak::Address at(Xbyak::Label& label) const;
  void logic_by_steps(const Vector& to, const Vector* const (&sources)[3], std::uint8_t table,
                      unsigned next_scratch);

  const VectorUnit unit_;
  std::map<std::uint32_t, Xbyak::Label> constants_;
  std::map<std::uint64_t, Xbyak::Label> constants_of_64_;
  Xbyak::Label bits_of_lanes_;
  bool has_bits_of_lanes_ = false;
};

}  // namespace heddle::simulator::native
