// Appends instructions to a kernel. One function per thing the machine does; operands go where the
// machine has them: an `a` is always a register, a `b` may be an immediate or a constant.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/sketch/code.hpp"

namespace heddle::isa::sketch {

enum class Compare : std::uint8_t {
  less = 1,
  equal,
  less_equal,
  greater,
  not_equal,
  greater_equal
};
// Truth tables of LOP3 for its first two sources, and for three.
inline constexpr std::uint32_t kAnd = 0xc0, kOr = 0xfc, kXor = 0x3c, kXor3 = 0x96, kNotB = 0x33;
enum class Function : std::uint8_t {  // of MUFU
  cosine,
  sine,
  exponential,  // of 2
  logarithm,    // to the base 2
  reciprocal,
  reciprocal_root,
  reciprocal_high,  // of a double, from and to its high word
  reciprocal_root_high,
  root,
};

class Builder {
 public:
  Position at;  // of what is being compiled

  Register new_register(unsigned width = 1) {
    code_.widths.push_back(static_cast<std::uint8_t>(width));
    return static_cast<Register>(code_.widths.size() - 1);
  }
  std::uint32_t new_predicate() { return ++code_.predicates; }
  Label new_label() { return ++code_.labels; }

  // Where lines go: the kernel's body, or a list of its own while something is captured.
  std::vector<Line>& lines() { return *lines_; }
  template <typename Body>
  std::vector<Line> capture(Body&& body) {
    std::vector<Line> mine;
    std::vector<Line>* const outer = lines_;
    lines_ = &mine;
    body();
    lines_ = outer;
    return mine;
  }
  void append(std::vector<Line> lines);
  // Runs before the kernel's first statement, once.
  template <typename Body>
  void at_start(Body&& body) {
    std::vector<Line> mine = capture(body);
    prologue_.insert(prologue_.end(), mine.begin(), mine.end());
  }

  // What `body` emits is one operation of the sketch.
  template <typename Body>
  auto as(Operation operation, Body&& body) {
    operation_ = operation;
    const auto result = body();
    operation_ = Operation::itself;
    return result;
  }

  // The number of lines made so far, wherever they went.
  std::size_t made() const { return made_; }
  Line& emit(Op op, std::initializer_list<ModValue> mods = {});
  void place(Label label);
  void alive(Register reg);  // it has a value from here on, whatever it is

  // --- moves and integers ---
  void move(Register d, const Operand& b, std::uint8_t part = 0);
  Register moved(const Operand& b);
  Register special(std::uint8_t number);
  Register add(const Operand& a, const Operand& b);
  Register multiply_add(const Operand& a, const Operand& b, const Operand& c);
  // 32 × 32 + 64 = 64 bits.
  Register multiply_wide(const Operand& a, const Operand& b, const Operand& c, bool is_signed);
  Register multiply_high(const Operand& a, const Operand& b, bool is_signed);
  Register logic(const Operand& a, const Operand& b, const Operand& c, std::uint32_t table);
  Register shift_left(const Operand& a, const Operand& count);
  Register shift_right(const Operand& a, const Operand& count, bool is_signed);
  Register absolute(const Operand& b);
  Register select(const Operand& a, const Operand& b, PredicateUse which);
  std::uint32_t compare(Compare how, bool is_signed, const Operand& a, const Operand& b);
  Register minimum(const Operand& a, const Operand& b, bool is_signed, bool maximum);

  // --- floating point ---
  Register add_float(const Operand& a, const Operand& b);
  Register multiply_float(const Operand& a, const Operand& b);
  Register fma_float(const Operand& a, const Operand& b, const Operand& c);
  Register add_double(const Operand& a, const Operand& b);
  Register multiply_double(const Operand& a, const Operand& b);
  Register fma_double(const Operand& a, const Operand& b, const Operand& c);
  std::uint32_t compare_float(Compare how, const Operand& a, const Operand& b, bool is_double);
  Register minimum_float(const Operand& a, const Operand& b, bool maximum);
  Register function(Function which, const Operand& b);

  // --- control ---
  void branch(Label target, PredicateUse guard = {});
  void open(std::uint8_t barrier, Label end);  // BSSY
  void close(std::uint8_t barrier);            // BSYNC
  void leave(std::uint8_t barrier);            // BREAK
  void exit();

  // The whole kernel, prologue first.
  Code take();

 private:
  Code code_;
  std::vector<Line> prologue_, body_;
  std::vector<Line>* lines_ = &body_;
  std::size_t made_ = 0;
  Operation operation_ = Operation::itself;  // of the next line
};

}  // namespace heddle::isa::sketch
