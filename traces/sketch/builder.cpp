#include "traces/sketch/builder.hpp"

#include <algorithm>
#include <iterator>

namespace heddle::isa::sketch {
namespace {

constexpr std::uint32_t kSigned32 = 2, kUnsigned32 = 3;  // Mod::type of SHF
constexpr std::uint32_t kNotEqualOrUnordered = 13;       // Mod::cmp of FSETP and DSETP

}  // namespace

void Builder::append(std::vector<Line> lines) {
  lines_->insert(lines_->end(), std::make_move_iterator(lines.begin()),
                 std::make_move_iterator(lines.end()));
}

Line& Builder::emit(Op op, std::initializer_list<ModValue> mods) {
  ++made_;
  Line& line = lines_->emplace_back();
  line.op = op;
  line.operation = operation_;
  if (operation_ != Operation::itself) operation_ = Operation::part;
  std::ranges::copy(mods, line.mods.begin());
  line.at = at;
  return line;
}

void Builder::place(Label label) {
  Line& line = lines_->emplace_back();
  line.kind = Line::Kind::label;
  line.label = label;
  line.at = at;
}

void Builder::alive(Register reg) {
  Line& line = lines_->emplace_back();
  line.kind = Line::Kind::alive;
  line.d = reg;
  line.at = at;
}

void Builder::move(Register d, const Operand& b, std::uint8_t part) {
  Line& line = emit(Op::MOV);
  line.d = d;
  line.d_part = part;
  line.b = b;
}

Register Builder::moved(const Operand& b) {
  const Register d = new_register();
  move(d, b);
  return d;
}

Register Builder::special(std::uint8_t number) {
  Line& line = emit(Op::S2R, {{Mod::special_reg, number}});
  return line.d = new_register();
}

Register Builder::add(const Operand& a, const Operand& b) {
  Line& line = emit(Op::IADD3);
  line.a = a;
  line.b = b;
  line.c = zero();
  return line.d = new_register();
}

Register Builder::multiply_add(const Operand& a, const Operand& b, const Operand& c) {
  Line& line = emit(Op::IMAD, {{Mod::is_signed, 1}});
  line.a = a;
  line.b = b;
  line.c = c;
  return line.d = new_register();
}

Register Builder::multiply_wide(const Operand& a, const Operand& b, const Operand& c,
                                bool is_signed) {
  Line& line = emit(Op::IMAD_WIDE, {{Mod::is_signed, is_signed ? 1u : 0u}});
  line.a = a;
  line.b = b;
  line.c = c;
  return line.d = new_register(2);
}

Register Builder::multiply_high(const Operand& a, const Operand& b, bool is_signed) {
  Line& line = emit(Op::IMAD_HI, {{Mod::is_signed, is_signed ? 1u : 0u}});
  line.a = a;
  line.b = b;
  line.c = zero();
  return line.d = new_register();
}

Register Builder::logic(const Operand& a, const Operand& b, const Operand& c, std::uint32_t table) {
  Line& line = emit(Op::LOP3, {{Mod::lut, table}});
  line.a = a;
  line.b = b;
  line.c = c;
  line.p = {.index = 0, .negated = true};
  return line.d = new_register();
}

Register Builder::shift_left(const Operand& a, const Operand& count) {
  Line& line = emit(Op::SHF, {{Mod::type, kUnsigned32}});
  line.a = a;
  line.b = count;
  line.c = zero();
  return line.d = new_register();
}

Register Builder::shift_right(const Operand& a, const Operand& count, bool is_signed) {
  Line& line = emit(
      Op::SHF, {{Mod::dir, 1}, {Mod::type, is_signed ? kSigned32 : kUnsigned32}, {Mod::hi, 1}});
  line.a = zero();
  line.b = count;
  line.c = a;
  return line.d = new_register();
}

Register Builder::absolute(const Operand& b) {
  Line& line = emit(Op::IABS);
  line.b = b;
  return line.d = new_register();
}

Register Builder::select(const Operand& a, const Operand& b, PredicateUse which) {
  Line& line = emit(Op::SEL);
  line.a = a;
  line.b = b;
  line.p = which;
  return line.d = new_register();
}

std::uint32_t Builder::compare(Compare how, bool is_signed, const Operand& a, const Operand& b) {
  Line& line = emit(Op::ISETP, {{Mod::cmp, static_cast<std::uint32_t>(how)},
                                {Mod::is_signed, is_signed ? 1u : 0u}});
  line.a = a;
  line.b = b;
  return line.pd = new_predicate();
}

Register Builder::minimum(const Operand& a, const Operand& b, bool is_signed, bool maximum) {
  Line& line = emit(Op::VIMNMX, {{Mod::type, is_signed ? 1u : 0u}});
  line.a = a;
  line.b = b;
  line.p = {.index = 0, .negated = maximum};
  return line.d = new_register();
}

Register Builder::add_float(const Operand& a, const Operand& b) {
  Line& line = emit(Op::FADD);
  line.a = a;
  line.b = b;
  return line.d = new_register();
}

Register Builder::multiply_float(const Operand& a, const Operand& b) {
  constexpr std::uint32_t kUnscaled = 4;
  Line& line = emit(Op::FMUL, {{Mod::scale, kUnscaled}});
  line.a = a;
  line.b = b;
  return line.d = new_register();
}

Register Builder::fma_float(const Operand& a, const Operand& b, const Operand& c) {
  Line& line = emit(Op::FFMA);
  line.a = a;
  line.b = b;
  line.c = c;
  return line.d = new_register();
}

Register Builder::add_double(const Operand& a, const Operand& b) {
  Line& line = emit(Op::DADD);
  line.a = a;
  line.b = b;
  return line.d = new_register(2);
}

Register Builder::multiply_double(const Operand& a, const Operand& b) {
  Line& line = emit(Op::DMUL);
  line.a = a;
  line.b = b;
  return line.d = new_register(2);
}

Register Builder::fma_double(const Operand& a, const Operand& b, const Operand& c) {
  Line& line = emit(Op::DFMA);
  line.a = a;
  line.b = b;
  line.c = c;
  return line.d = new_register(2);
}

std::uint32_t Builder::compare_float(Compare how, const Operand& a, const Operand& b,
                                     bool is_double) {
  const std::uint32_t number =
      how == Compare::not_equal ? kNotEqualOrUnordered : static_cast<std::uint32_t>(how);
  Line& line = emit(is_double ? Op::DSETP : Op::FSETP, {{Mod::cmp, number}});
  line.a = a;
  line.b = b;
  return line.pd = new_predicate();
}

Register Builder::minimum_float(const Operand& a, const Operand& b, bool maximum) {
  Line& line = emit(Op::FMNMX);
  line.a = a;
  line.b = b;
  line.p = {.index = 0, .negated = maximum};
  return line.d = new_register();
}

Register Builder::function(Function which, const Operand& b) {
  Line& line = emit(Op::MUFU, {{Mod::mufu_op, static_cast<std::uint32_t>(which)}});
  line.b = b;
  return line.d = new_register();
}

void Builder::branch(Label target, PredicateUse guard) {
  Line& line = emit(Op::BRA);
  line.label = target;
  line.guard = guard;
}

void Builder::open(std::uint8_t barrier, Label end) {
  Line& line = emit(Op::BSSY);
  line.barrier = barrier;
  line.label = end;
}

void Builder::close(std::uint8_t barrier) { emit(Op::BSYNC).barrier = barrier; }

void Builder::leave(std::uint8_t barrier) { emit(Op::BREAK).barrier = barrier; }

void Builder::exit() { emit(Op::EXIT); }

Code Builder::take() {
  code_.lines = std::move(prologue_);
  code_.lines.insert(code_.lines.end(), body_.begin(), body_.end());
  return std::move(code_);
}

}  // namespace heddle::isa::sketch
