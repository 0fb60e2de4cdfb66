#include "traces/formats/accelsim_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stdexcept>

#include "isa/attributes.hpp"
#include "isa/decoder.hpp"
#include "isa/encoding.hpp"
#include "traces/sketch/cubin_writer.hpp"

namespace heddle::traces {
namespace {

using isa::Encoding;
using isa::Instruction;
using isa::Item;
using isa::ItemKind;
using isa::Op;
using isa::Source;

// What the trace says of one place in the code.
struct Seen {
  AccelsimInstruction line;
  std::uint64_t number = 0;  // of that line
  bool guarded = false;
  std::optional<std::uint64_t> target;  // where it led, beside the next instruction
};

class Scan {
 public:
  explicit Scan(const AccelsimText& trace) : trace_(trace) {
    for (const AccelsimBlock& block : trace.kernel.blocks)
      for (const AccelsimWarp& warp : block.warps) read(warp);
    if (places_.empty()) fail(1, "the trace holds no instructions");
  }
  std::map<std::uint64_t, Seen>& places() { return places_; }
  [[noreturn]] void fail(std::uint64_t line, const std::string& why) const {
    throw std::runtime_error(fmt::format("{}:{}: {}", trace_.origin, line, why));
  }

 private:
  void read(const AccelsimWarp& warp) {
    AccelsimWarpReader reader(trace_.text, trace_.origin, trace_.kernel, warp);
    AccelsimInstruction line;
    Seen* last = nullptr;
    simulator::Mask last_lanes;
    for (std::uint64_t number = warp.line; reader.next(line); ++number) {
      Seen& seen = at(line, number);
      if (line.lanes.empty()) seen.guarded = true;
      if (last != nullptr) note_course(*last, last_lanes, seen, line.lanes);
      last = &seen;
      last_lanes = line.lanes;
    }
  }

  Seen& at(const AccelsimInstruction& line, std::uint64_t number) {
    constexpr std::uint64_t kMostBytes = 1 << 26;
    if (line.pc % sizeof(isa::Word) != 0 || line.pc >= kMostBytes)
      fail(number, fmt::format("pc {:04x}", line.pc));
    const auto [found, is_new] = places_.try_emplace(line.pc);
    Seen& seen = found->second;
    if (is_new) {
      seen.line = line;
      seen.number = number;
    } else if (seen.line.opcode != line.opcode) {
      fail(number, fmt::format("{} at pc {:04x}, where line {} has {}: code of functions that are "
                               "called is not told apart",
                               line.opcode, line.pc, seen.number, seen.line.opcode));
    }
    return seen;
  }

  // Lanes that differ from those before, with no branch between, are a guard's.
  static void note_course(Seen& last, simulator::Mask last_lanes, Seen& next,
                          simulator::Mask lanes) {
    const bool falls_through = next.line.pc == last.line.pc + sizeof(isa::Word);
    const std::string_view opcode = last.line.opcode;
    const bool branches = opcode.starts_with("BRA") || opcode.starts_with("EXIT");
    if (!falls_through && opcode.starts_with("BRA")) last.target = next.line.pc;
    if (branches && falls_through && (last_lanes & lanes) != last_lanes) last.guarded = true;
    if (branches || !falls_through) return;
    if (last.guarded && last_lanes == lanes && last_lanes.any()) next.guarded = true;
    if (last_lanes != lanes && (last_lanes & lanes) == lanes) next.guarded = true;
    if (last_lanes != lanes && (last_lanes & lanes) == last_lanes) last.guarded = true;
  }

  const AccelsimText& trace_;
  std::map<std::uint64_t, Seen> places_;
};

// How well an encoding says what a line says; absent: not at all.
struct Fit {
  const Encoding* encoding = nullptr;
  isa::Word word;  // with its modifiers
  std::size_t matched = 0;
  unsigned missing = 0, spare = 0, items = 0;  // register sources
  bool better_than(const Fit& other) const {
    return std::tuple(other.matched, missing, spare, items) <
           std::tuple(matched, other.missing, other.spare, other.items);
  }
};

// The value of a modifier whose text the opcode goes on with, the longest; else that without text.
std::optional<std::uint64_t> modifier_value(const Item& item, std::string_view rest,
                                            std::string_view& text) {
  std::optional<std::uint64_t> found;
  text = {};
  constexpr unsigned kWidest = 8;
  const std::uint64_t count = std::uint64_t{1} << std::min(item.bits.size(), kWidest);
  for (std::uint64_t value = 0; value < count; ++value) {
    if (value < 64 && (item.legal >> value & 1) == 0) continue;
    isa::Word word{};
    item.bits.set(word, value);
    const std::string_view candidate = isa::modifier_text(item, word);
    const bool fits = rest.starts_with(candidate) &&
                      (rest.size() == candidate.size() || rest[candidate.size()] == '.');
    if (!fits || (found && candidate.size() <= text.size())) continue;
    found = value;
    text = candidate;
  }
  return found;
}

bool is_register(const Item& item, const Encoding& encoding) {
  return item.kind == ItemKind::slot &&
         isa::slot_place(item, encoding.form).kind == Source::Kind::reg;
}

std::optional<Fit> fit(const Encoding& encoding, const AccelsimInstruction& line) {
  Fit result{.encoding = &encoding, .word = encoding.value};
  std::string_view rest = line.opcode;
  bool in_opcode = true;
  unsigned registers = 0;
  for (const Item& item : *encoding.layout) {
    ++result.items;
    if (item.kind == ItemKind::separator) in_opcode = false;
    if (is_register(item, encoding)) ++registers;
    if (in_opcode && item.kind == ItemKind::text) {
      if (!rest.starts_with(item.text)) return std::nullopt;
      rest.remove_prefix(item.text.size());
    } else if (item.kind == ItemKind::mod) {
      std::string_view text;
      if (item.bits.width == 0) continue;
      const auto value = modifier_value(item, in_opcode ? rest : std::string_view(), text);
      if (!value) {
        // A modifier that always has a text, and not this one: any will do.
        std::uint64_t first = 0;
        while (first < 63 && (item.legal >> first & 1) == 0) ++first;
        item.bits.set(result.word, first);
        continue;
      }
      item.bits.set(result.word, *value);
      rest.remove_prefix(text.size());
    }
  }
  result.matched = line.opcode.size() - rest.size();
  // The name itself must be there whole; suffixes may be of an alias.
  if (result.matched < std::min(line.opcode.find('.'), line.opcode.size())) return std::nullopt;
  if (!rest.empty() && rest[0] != '.') return std::nullopt;
  result.missing = line.sources.count > registers ? line.sources.count - registers : 0;
  result.spare = registers > line.sources.count ? registers - line.sources.count : 0;
  return result;
}

bool has_second(const Encoding& encoding) {
  return std::any_of(encoding.layout->begin(), encoding.layout->end(), [](const Item& item) {
    return item.kind == ItemKind::slot && (item.which == 'B' || item.which == 'S');
  });
}

Source& source_of(Instruction& in, const Item& item) {
  switch (item.which) {
    case 'A':
      return in.a;
    case 'N':
      return in.c;
    case 'C':
      return has_second(*in.encoding) ? in.c : in.b;
    default:
      return in.b;
  }
}

Instruction instruction_of(const Fit& chosen, const Seen& seen, isa::Arch arch) {
  Instruction in;
  in.op = chosen.encoding->row->op;
  in.arch = arch;
  in.encoding = chosen.encoding;
  in.word = chosen.word;
  if (seen.guarded && !isa::has_uniform_guard(*chosen.encoding)) in.guard.index = 0;
  if (!seen.line.destinations.empty()) in.rd = static_cast<std::uint8_t>(seen.line.destinations[0]);
  std::size_t next = 0;
  isa::for_each_item(*chosen.encoding->layout, chosen.encoding->form, [&](const Item& item) {
    if (item.kind != ItemKind::slot) return;
    Source& source = source_of(in, item);
    source.kind = isa::slot_place(item, chosen.encoding->form).kind;
    if (source.kind == Source::Kind::reg)
      source.index = next < seen.line.sources.count
                         ? static_cast<std::uint8_t>(seen.line.sources[next++])
                         : isa::kRZ;
    if (source.kind == Source::Kind::imm)
      source.value = static_cast<std::uint32_t>(seen.line.immediate);
    if (source.kind == Source::Kind::ureg) source.index = isa::kURZ;
  });
  if (const Item* barrier = isa::find_modifier(*chosen.encoding, isa::Mod::bar_id);
      barrier != nullptr && barrier->bits.width != 0)
    barrier->bits.set(in.word, static_cast<std::uint64_t>(seen.line.immediate) & 15);
  if (seen.target)
    in.offset = static_cast<std::int64_t>(*seen.target) -
                static_cast<std::int64_t>(seen.line.pc + sizeof(isa::Word));
  return in;
}

// The instruction of the encoding that fits best and that decodes again.
std::optional<Instruction> assemble(const Seen& seen, isa::Arch arch) {
  std::vector<Fit> fits;
  for (const Encoding* encoding : isa::all_encodings(arch))
    if (const auto found = fit(*encoding, seen.line)) fits.push_back(*found);
  std::ranges::stable_sort(fits, [](const Fit& a, const Fit& b) { return a.better_than(b); });
  for (const Fit& each : fits) {
    const Instruction in = instruction_of(each, seen, arch);
    if (const auto again = isa::decode(arch, isa::encode(in))) return again;
  }
  return std::nullopt;
}

Instruction nop(isa::Arch arch) {
  Seen seen;
  seen.line.opcode = "NOP";
  return *assemble(seen, arch);
}

}  // namespace

std::vector<std::byte> code_from_trace(const AccelsimText& trace, isa::Arch arch) {
  Scan scan(trace);
  const std::size_t count = scan.places().rbegin()->first / sizeof(isa::Word) + 1;
  std::vector<Instruction> instructions(count, nop(arch));
  std::vector<bool> joins(count + 1);
  for (const auto& [pc, seen] : scan.places()) {
    const std::size_t index = pc / sizeof(isa::Word);
    const auto found = assemble(seen, arch);
    if (!found)
      scan.fail(seen.number,
                fmt::format("{}: no such instruction of {}", seen.line.opcode, isa::name(arch)));
    instructions[index] = *found;
    if (isa::unit(*found) == isa::Unit::cbu) joins[index + 1] = true;
    if (seen.target && *seen.target / sizeof(isa::Word) < count)
      joins[*seen.target / sizeof(isa::Word)] = true;
  }
  set_likely_control_bits(instructions, joins);
  isa::sketch::WrittenKernel kernel;
  kernel.name = trace.kernel.name;
  kernel.registers = trace.kernel.registers;
  kernel.shared_bytes = trace.kernel.shared_bytes;
  kernel.uses_barrier = true;
  kernel.parameters = {4};
  for (const Instruction& in : instructions) {
    kernel.words.push_back(isa::encode(in));
    kernel.lines.push_back(1);
  }
  return isa::sketch::write_cubin({kernel}, {}, trace.origin, arch);
}

}  // namespace heddle::traces
