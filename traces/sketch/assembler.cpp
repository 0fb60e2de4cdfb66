#include "traces/sketch/assembler.hpp"

#include <cassert>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>

#include "isa/decoder.hpp"
#include "isa/encoding.hpp"
#include "traces/sketch/allocator.hpp"
#include "traces/sketch/control_bits.hpp"

namespace heddle::isa::sketch {
namespace {

constexpr std::size_t kTextAlignment = 8;  // instructions: sections are aligned to 128 bytes

// Which of a line's operands an item of a layout stands for; null where it is none of them.
const Operand* operand_of(const Line& line, const Item& item, bool layout_has_b) {
  switch (item.which) {
    case 'A':
      return &line.a;
    case 'M':
    case 'B':
    case 'S':
    case 'b':
      return &line.b;
    case 'N':
      return &line.c;
    default:
      return layout_has_b ? &line.c : &line.b;
  }
}

bool has_b(const Layout& layout) {
  for (const Item& item : layout)
    if ((item.kind == ItemKind::slot && (item.which == 'B' || item.which == 'S')) ||
        (item.kind == ItemKind::immediate && item.which == 'b'))
      return true;
  return false;
}

std::uint32_t wanted(const Line& line, Mod mod) {
  for (const ModValue& each : line.mods)
    if (each.mod == mod) return each.value;
  return 0;
}

// Whether this encoding can say what the line says.
bool fits(const Encoding& encoding, const Line& line) {
  const bool second_is_b = has_b(*encoding.layout);
  unsigned operands = 0, mods = 0;
  bool fit = true;
  for_each_item(*encoding.layout, encoding.form, [&](const Item& item) {
    if (item.kind == ItemKind::slot) {
      const Operand* operand = operand_of(line, item, second_is_b);
      const Source::Kind kind = slot_place(item, encoding.form).kind;
      const bool none = operand->kind == Source::Kind::none;
      fit = fit && (none ? kind == Source::Kind::reg : kind == operand->kind);
      fit = fit && (!operand->negate || item.negate || item.invert) &&
            (!operand->absolute || item.absolute);
      operands += none ? 0 : 1;
    } else if (item.kind == ItemKind::immediate) {
      fit = fit && operand_of(line, item, second_is_b)->kind == Source::Kind::imm;
      ++operands;
    } else if (item.kind == ItemKind::constant || item.kind == ItemKind::indexed_constant) {
      fit = fit && line.b.kind == Source::Kind::constant &&
            (item.kind == ItemKind::indexed_constant) == (line.a.kind == Source::Kind::reg);
      operands += item.kind == ItemKind::indexed_constant ? 2 : 1;
    } else if (item.kind == ItemKind::special_reg) {
      ++mods;
    } else if (item.kind == ItemKind::number) {
      for (const ModValue& each : line.mods)
        mods += each.mod != Mod::count_ && each.mod == item.mod ? 1 : 0;
    } else if (item.kind == ItemKind::mod) {
      const std::uint32_t value = item.mod == Mod::count_ ? 0 : wanted(line, item.mod);
      fit = fit && (item.bits.width == 0 ? value == item.constant : (item.legal >> value & 1) != 0);
      for (const ModValue& each : line.mods)
        mods += each.mod != Mod::count_ && each.mod == item.mod ? 1 : 0;
    } else if (item.kind == ItemKind::hidden_ur || item.kind == ItemKind::urd) {
      fit = false;  // the uniform datapath is not used; a plain UR is URZ
    }
  });
  unsigned given = 0, given_mods = 0;
  for (const Operand* each : {&line.a, &line.b, &line.c})
    given += each->kind == Source::Kind::none ? 0 : 1;
  for (const ModValue& each : line.mods) given_mods += each.mod == Mod::count_ ? 0 : 1;
  return fit && operands == given && mods == given_mods;
}

class Encodings {
 public:
  const Encoding& of(const Line& line) {
    std::array<std::uint32_t, 6> mods{};
    for (std::size_t i = 0; i < mods.size(); ++i)
      mods[i] = static_cast<std::uint32_t>(line.mods[i].mod) << 16 | line.mods[i].value;
    const Key key(line.op, line.a.kind, line.b.kind, line.c.kind,
                  line.a.negate | line.b.negate << 1 | line.c.negate << 2 | line.a.absolute << 3 |
                      line.b.absolute << 4 | line.c.absolute << 5,
                  mods);
    if (const auto found = known_.find(key); found != known_.end()) return *found->second;
    const Encoding* best = nullptr;  // the plainest: MOV has a form with a mask of bytes, too
    for (const Encoding* encoding : all_encodings(kSketchArch))
      if (encoding->row->op == line.op && fits(*encoding, line) &&
          (best == nullptr || modifiers(*encoding) < modifiers(*best)))
        best = encoding;
    if (best == nullptr) throw std::logic_error("no encoding for " + std::string(name(line.op)));
    known_.emplace(key, best);
    return *best;
  }

 private:
  static unsigned modifiers(const Encoding& encoding) {
    unsigned count = 0;
    for (const Item& item : *encoding.layout) count += item.kind == ItemKind::mod ? 1 : 0;
    return count;
  }

  using Key =
      std::tuple<Op, Source::Kind, Source::Kind, Source::Kind, int, std::array<std::uint32_t, 6>>;
  std::map<Key, const Encoding*> known_;
};

class Assembler {
 public:
  Assembler(const Code& code, std::string_view file)
      : code_(code), allocation_(allocate(code, file)) {}

  Assembled run() {
    place_labels();
    Assembled result;
    for (const Line& line : code_.lines)
      if (line.kind == Line::Kind::instruction) {
        instructions_.push_back(instruction(line));
        result.positions.push_back(line.at);
        result.operations.push_back(line.operation);
      }
    set_control_bits(instructions_);
    for (const Instruction& each : instructions_) {
      result.words.push_back(encode(each));
      assert(decode(kSketchArch, result.words.back()).has_value());
    }
    result.registers = allocation_.count;
    return result;
  }

 private:
  void place_labels() {
    labels_.assign(code_.labels + 1, 0);
    std::int64_t next = 0;
    for (const Line& line : code_.lines)
      if (line.kind == Line::Kind::label)
        labels_[line.label] = next;
      else if (line.kind == Line::Kind::instruction)
        ++next;
  }

  std::uint8_t number(Register reg, std::uint8_t part) const {
    return reg == 0 ? kRZ : static_cast<std::uint8_t>(allocation_.registers[reg] + part);
  }
  Predicate predicate(const PredicateUse& use) const {
    return {.index = use.index == 0 ? kPT : allocation_.predicates[use.index],
            .negated = use.negated,
            .uniform = false};
  }
  Source source(const Operand& from) const {
    Source to{.kind = from.kind, .negate = from.negate, .absolute = from.absolute};
    to.value = from.value;
    to.index = from.kind == Source::Kind::constant ? from.bank : number(from.reg, from.part);
    if (from.kind == Source::Kind::none) {
      to.kind = Source::Kind::reg;
      to.index = kRZ;
    }
    return to;
  }

  Instruction instruction(const Line& line) {
    const Encoding& encoding = encodings_.of(line);
    Instruction result;
    result.op = line.op;
    result.arch = kSketchArch;
    result.encoding = &encoding;
    result.word = encoding.value;
    for (const ModValue& each : line.mods)
      if (each.mod != Mod::count_)
        if (const Item* item = find_modifier(encoding, each.mod); item->bits.width != 0)
          item->bits.set(result.word, each.value);
    result.guard = predicate(line.guard);
    result.rd = number(line.d, line.d_part);
    result.pu = line.pd == 0 ? kPT : allocation_.predicates[line.pd];
    result.pp = predicate(line.p);
    result.a = source(line.a);
    result.b = source(line.b);
    result.c = source(line.c);
    result.barrier = line.barrier;
    result.offset = line.offset;
    // A carry goes from IADD3's predicate to IADD3.X's; the other carry in is none.
    if (line.op == Op::IADD3) result.pq = {.index = kPT, .negated = true, .uniform = false};
    if (line.label != 0)
      result.offset =
          (labels_[line.label] - static_cast<std::int64_t>(instructions_.size()) - 1) * 16;
    return result;
  }

  const Code& code_;
  Allocation allocation_;
  Encodings encodings_;
  std::vector<std::int64_t> labels_;
  std::vector<Instruction> instructions_;
};

}  // namespace

Assembled assemble(const Code& code, std::string_view file) { return Assembler(code, file).run(); }

}  // namespace heddle::isa::sketch
