// Texts of modifier values that several opcodes share (SASS-FACTS appendix B).
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::isa {

struct NamedList {
  std::string_view name;
  std::string_view texts;
};

inline constexpr NamedList kLists[] = {
    {"icmp", ".F|.LT|.EQ|.LE|.GT|.NE|.GE|.T"},
    {"fcmp", ".F|.LT|.EQ|.LE|.GT|.NE|.GE|.NUM|.NAN|.LTU|.EQU|.LEU|.GTU|.NEU|.GEU|.T"},
    {"dcmp", ".MIN|.LT|.EQ|.LE|.GT|.NE|.GE|.NUM|.NAN|.LTU|.EQU|.LEU|.GTU|.NEU|.GEU|.MAX"},
    {"bop", ".AND|.OR|.XOR"},
    {"rnd", "|.RM|.RP|.RZ"},
    {"fmz", "|.FMZ|.FTZ"},
    {"shf_type", ".S64|.U64|.S32|.U32"},
    {"size", ".U8|.S8|.U16|.S16||.64|.128"},
    {"atom_op", ".ADD|.MIN|.MAX|.INC|.DEC|.AND|.OR|.XOR|.EXCH"},
    {"atom_op3", ".ADD|.MIN|.MAX|.INC|.DEC|.AND|.OR|.XOR"},
    {"atom_type", "|.S32|.64|.F32.FTZ.RN|.F16x2.RN|.S64|.F64.RN"},
    {"atom_float_type", "0:.F16x2.RN|9:.F32.FTZ.RN|15:.F64.RN"},
    {"cas_type", "|.S32|.64"},
    {"atom_order75", "8:.STRONG.CTA|.STRONG.SM|.STRONG.GPU|.STRONG.SYS"},
    {"cbu_state",
     "B0|B1|B2|B3|B4|B5|B6|B7|B8|B9|B10|B11|B12|B13|B14|B15|THREAD_STATE_ENUM.0|"
     "THREAD_STATE_ENUM.1|THREAD_STATE_ENUM.2|THREAD_STATE_ENUM.3|THREAD_STATE_ENUM.4|"
     "TRAP_RETURN_PC.LO|TRAP_RETURN_PC.HI|TRAP_RETURN_MASK|MEXITED|MKILL|MACTIVE|MATEXIT|OPT_STACK|"
     "API_CALL_DEPTH|ATEXIT_PC.LO|ATEXIT_PC.HI"},
    {"stride", "|.X4|.X8|.X16"},
    {"cop", ".EF||.EL|.LU|.EU|.NA"},
    // sm_80 and later: one field for order and scope; sm_75: scope [78:77], order [80:79].
    {"size4", ".U8|.S8|.U16|.S16||.64|.128|.U.128"},
    {"lds_size", ".U8|.S8|.U16|.S16||.64|.128|8:.U.U8|.U.S8|.U.U16|.U.S16|.U|.U.64|.U.128"},
    {"prefetch", "|.LTC64B|.LTC128B|.LTC256B"},
    {"load_order75",
     "2:.CONSTANT.GPU|.CONSTANT.SYS|7:.SYS|.STRONG.CTA|.STRONG.SM|.STRONG.GPU|.STRONG.SYS"},
    {"load_order80", "0:|4:.CONSTANT|5:.STRONG.SM|7:.STRONG.GPU|10:.STRONG.SYS"},
};

constexpr std::string_view list_named(std::string_view name) {
  for (const NamedList& list : kLists)
    if (list.name == name) return list.texts;
  throw "picture: no list of that name";
}

// Walks a list: calls function(value, text) for every legal value.
template <class Function>
constexpr void for_each_text(std::string_view list, Function&& function) {
  unsigned value = 0;
  std::size_t position = 0;
  while (true) {
    std::size_t end = list.find('|', position);
    if (end == std::string_view::npos) end = list.size();
    std::string_view text = list.substr(position, end - position);
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos) {
      value = 0;
      for (char c : text.substr(0, colon)) value = value * 10 + static_cast<unsigned>(c - '0');
      text.remove_prefix(colon + 1);
    }
    if (text != "!") function(value, text);
    ++value;
    if (end == list.size()) break;
    position = end + 1;
  }
}

// Bit v is set when value v has a text. Values go up to 63.
constexpr std::uint64_t legal_values(std::string_view list) {
  std::uint64_t legal = 0;
  for_each_text(list,
                [&](unsigned value, std::string_view) { legal |= std::uint64_t{1} << value; });
  return legal;
}

}  // namespace heddle::isa
