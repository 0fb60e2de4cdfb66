// Texts of modifier values that several opcodes share (docs/hardware/machine-code.md).
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
    {"narrow", ".E4M3|.E5M2|3:.E3M2|.E2M3|.E2M1"},
    {"rnd", "|.RM|.RP|.RZ"},
    {"pair", ".F32x2.HI_LO|.F32x2.LO_HI|.F32"},
    {"fmz", "|.FMZ|.FTZ"},
    {"fmz90", "|.FMZ|.FTZ|.OOB"},
    {"shf_type", ".S64|.U64|.S32|.U32"},
    {"size", ".U8|.S8|.U16|.S16||.64|.128"},
    {"atom_op", ".ADD|.MIN|.MAX|.INC|.DEC|.AND|.OR|.XOR|.EXCH"},
    {"atom_op3", ".ADD|.MIN|.MAX|.INC|.DEC|.AND|.OR|.XOR"},
    {"atom_type", "|.S32|.64|.F32.FTZ.RN|.F16x2.RN|.S64|.F64.RN"},
    {"atom_type90", "|.S32|.64|.S64|.128"},
    {"red_type90", "|.S32|.64|.S64"},
    {"fatom_type",
     ".F16x2.RN|.F16x4.RN|.F16x8.RN|.BF16x2.RN|.BF16x4.RN|.BF16x8.RN|9:.F32.FTZ.RN|"
     ".F32x2.FTZ.RN|.F32x4.FTZ.RN|.F32.RN|.F32x2.RN|.F32x4.RN|.F64.RN"},
    {"bulk_type", "|.S32|.U64|.S64|.F16.RN|.F32.RN|.F32.FTZ.RN|.F64.RN|.BF16.RN"},
    {"tensor", ".1D|.2D|.3D|.4D|.5D"},
    {"cas_type", "|.S32|.64"},
    {"cas_type90", "|.S32|.64|4:.128"},
    {"cbu_state",
     "B0|B1|B2|B3|B4|B5|B6|B7|B8|B9|B10|B11|B12|B13|B14|B15|THREAD_STATE_ENUM.0|"
     "THREAD_STATE_ENUM.1|THREAD_STATE_ENUM.2|THREAD_STATE_ENUM.3|THREAD_STATE_ENUM.4|"
     "TRAP_RETURN_PC.LO|TRAP_RETURN_PC.HI|TRAP_RETURN_MASK|MEXITED|MKILL|MACTIVE|MATEXIT|OPT_STACK|"
     "API_CALL_DEPTH|ATEXIT_PC.LO|ATEXIT_PC.HI"},
    {"cbu_state90",
     "B0|B1|B2|B3|B4|B5|B6|B7|B8|B9|B10|B11|B12|B13|B14|B15|THREAD_STATE_ENUM.0|"
     "THREAD_STATE_ENUM.1|THREAD_STATE_ENUM.2|THREAD_STATE_ENUM.3|THREAD_STATE_ENUM.4|"
     "TRAP_RETURN_PC.LO|TRAP_RETURN_PC.HI|TRAP_RETURN_MASK|MEXITED|MKILL|MACTIVE|MATEXIT|OPT_STACK|"
     "API_CALL_DEPTH|ATEXIT_PC.LO|ATEXIT_PC.HI|"
     "MCOLLECTIVE"},
    {"cbu_other",
     "16:THREAD_STATE_ENUM.0|THREAD_STATE_ENUM.1|THREAD_STATE_ENUM.2|THREAD_STATE_ENUM.3|"
     "THREAD_STATE_ENUM.4|TRAP_RETURN_PC.LO|TRAP_RETURN_PC.HI|TRAP_RETURN_MASK|MEXITED|MKILL|"
     "MACTIVE|MATEXIT|OPT_STACK|API_CALL_DEPTH|ATEXIT_PC.LO|ATEXIT_PC.HI"},
    {"stride", "|.X4|.X8|.X16"},
    {"cop", ".EF||.EL|.LU|.EU|.NA"},
    {"size4", ".U8|.S8|.U16|.S16||.64|.128|.U.128"},
    {"lds_size", ".U8|.S8|.U16|.S16||.64|.128|8:.U.U8|.U.S8|.U.U16|.U.S16|.U|.U.64|.U.128"},
    {"prefetch", "|.LTC64B|.LTC128B|.LTC256B"},
    // Memory order: scope in bits 78:77 and strength in bits 80:79 on sm_75; one field of four bits
    // from sm_80 on.
    {"order75",
     ".CONSTANT.CTA|.CONSTANT.SM|.CONSTANT.GPU|.CONSTANT.SYS|.CTA|.SM|.GPU|.SYS|"
     ".STRONG.CTA|.STRONG.SM|.STRONG.GPU|.STRONG.SYS|.MMIO.CTA|.MMIO.SM|.MMIO.GPU|.MMIO.SYS"},
    {"store_order75",
     "4:.CTA|.SM|.GPU|.SYS|.STRONG.CTA|.STRONG.SM|.STRONG.GPU|.STRONG.SYS|.MMIO.CTA|.MMIO.SM|"
     ".MMIO.GPU|.MMIO.SYS"},
    {"atom_order75", "4:.CTA|.SM|.GPU|.SYS|.STRONG.CTA|.STRONG.SM|.STRONG.GPU|.STRONG.SYS"},
    {"order80",
     "|.CONSTANT.PRIVATE|.CONSTANT.CTA|.CONSTANT.CTA.PRIVATE|.CONSTANT|.STRONG.SM|"
     ".STRONG.GPU.PRIVATE|.STRONG.GPU|.MMIO.GPU|.CONSTANT.SM|.STRONG.SYS|.CONSTANT.SM.PRIVATE|"
     ".MMIO.SYS|.CONSTANT.VC|.CONSTANT.VC.PRIVATE|.CONSTANT.GPU"},
    {"order80a",
     "|.CONSTANT.PRIVATE|.CONSTANT.CTA|.CONSTANT.CTA.PRIVATE|.STRONG.SM.PRIVATE|.STRONG.SM|"
     ".STRONG.GPU.PRIVATE|.STRONG.GPU|.MMIO.GPU|.CONSTANT.SM|.STRONG.SYS|.CONSTANT.SM.PRIVATE|"
     ".MMIO.SYS|.CONSTANT.VC|.CONSTANT.VC.PRIVATE|.CONSTANT.GPU"},
    // Shapes of products of a warp group.
    {"group_k8",
     ".64x8x8|.64x16x8|.64x24x8|.64x32x8|.64x40x8|.64x48x8|.64x56x8|.64x64x8|.64x72x8|"
     ".64x80x8|.64x88x8|.64x96x8|.64x104x8|.64x112x8|.64x120x8|.64x128x8|.64x136x8|"
     ".64x144x8|.64x152x8|.64x160x8|.64x168x8|.64x176x8|.64x184x8|.64x192x8|.64x200x8|"
     ".64x208x8|.64x216x8|.64x224x8|.64x232x8|.64x240x8|.64x248x8|.64x256x8"},
    {"group_k16",
     ".64x8x16|.64x16x16|.64x24x16|.64x32x16|.64x40x16|.64x48x16|.64x56x16|.64x64x16|"
     ".64x72x16|.64x80x16|.64x88x16|.64x96x16|.64x104x16|.64x112x16|.64x120x16|.64x128x16|"
     ".64x136x16|.64x144x16|.64x152x16|.64x160x16|.64x168x16|.64x176x16|.64x184x16|"
     ".64x192x16|.64x200x16|.64x208x16|.64x216x16|.64x224x16|.64x232x16|.64x240x16|"
     ".64x248x16|.64x256x16"},
    {"group_k32",
     ".64x8x32|.64x16x32|.64x24x32|.64x32x32|.64x40x32|.64x48x32|.64x56x32|.64x64x32|"
     ".64x72x32|.64x80x32|.64x88x32|.64x96x32|.64x104x32|.64x112x32|.64x120x32|.64x128x32|"
     ".64x136x32|.64x144x32|.64x152x32|.64x160x32|.64x168x32|.64x176x32|.64x184x32|"
     ".64x192x32|.64x200x32|.64x208x32|.64x216x32|.64x224x32|.64x232x32|.64x240x32|"
     ".64x248x32|.64x256x32"},
    {"group_k64",
     ".64x8x64|.64x16x64|.64x24x64|.64x32x64|.64x40x64|.64x48x64|.64x56x64|.64x64x64|"
     ".64x72x64|.64x80x64|.64x88x64|.64x96x64|.64x104x64|.64x112x64|.64x120x64|.64x128x64|"
     ".64x136x64|.64x144x64|.64x152x64|.64x160x64|.64x168x64|.64x176x64|.64x184x64|"
     ".64x192x64|.64x200x64|.64x208x64|.64x216x64|.64x224x64|.64x232x64|.64x240x64|"
     ".64x248x64|.64x256x64"},
    {"group_bytes",
     ".64x8x32|3:.64x16x32|6:.64x24x32|9:.64x32x32|12:.64x48x32|15:.64x64x32|18:.64x80x32|"
     "21:.64x96x32|24:.64x112x32|27:.64x128x32|30:.64x144x32|33:.64x160x32|36:.64x176x32|"
     "39:.64x192x32|42:.64x208x32|45:.64x224x32|48:.64x240x32|51:.64x256x32"},
    {"group_bytes_sparse",
     "1:.64x8x64|4:.64x16x64|7:.64x24x64|10:.64x32x64|13:.64x48x64|16:.64x64x64|"
     "19:.64x80x64|22:.64x96x64|25:.64x112x64|28:.64x128x64|31:.64x144x64|34:.64x160x64|"
     "37:.64x176x64|40:.64x192x64|43:.64x208x64|46:.64x224x64|49:.64x240x64|52:.64x256x64"},
    {"group_bits",
     ".64x8x256|.64x16x256|.64x24x256|.64x32x256|.64x48x256|.64x64x256|.64x80x256|"
     ".64x96x256|.64x112x256|.64x128x256|.64x144x256|.64x160x256|.64x176x256|.64x192x256|"
     ".64x208x256|.64x224x256|.64x240x256|.64x256x256"},
    // Pieces of pictures.
    {"ld75",
     "{address64@72 |.E}{cop@84:3 $cop}{prefetch@68:2 |.LTC64B|.LTC128B}{size@73:3 $size4}"
     "{sem@77:4 $order75}"},
    {"ld80",
     "{address64@72 |.E}{cop@84:3 $cop}{prefetch@68:2 $prefetch}{size@73:3 $size}"
     "{sem@77:4 $order80}"},
    {"ld80d",
     "{address64@72 1:.E}{cop@84:3 $cop}{prefetch@68:2 $prefetch}{size@73:3 $size}"
     "{sem@77:4 $order80}"},
    {"st75", "{address64@72 |.E}{cop@84:3 $cop}{size@73:3 $size4}{sem@77:4 $store_order75}"},
    {"st80", "{address64@72 |.E}{cop@84:3 $cop}{size@73:3 $size}{sem@77:4 $order80a}"},
    {"st80d", "{address64@72 1:.E}{cop@84:3 $cop}{size@73:3 $size}{sem@77:4 $order80a}"},
    {"atom75",
     "{address64@72 |.E}{atom_op@87:4 $atom_op}{cop@84:3 $cop}{type@73:3 $atom_type}"
     "{sem@77:4 $atom_order75}"},
    {"atom80",
     "{address64@72 |.E}{atom_op@87:4 $atom_op}{cop@84:3 $cop}{type@73:3 $atom_type}"
     "{sem@77:4 $order80a}"},
    {"atom80d",
     "{address64@72 1:.E}{atom_op@87:4 $atom_op}{cop@84:3 $cop}{type@73:3 $atom_type}"
     "{sem@77:4 $order80a}"},
    {"atom90",
     "{address64@72 |.E}{atom_op@87:4 $atom_op}{cop@84:3 $cop}{type@73:3 $atom_type90}"
     "{sem@77:4 $order80a}"},
    {"atom90d",
     "{address64@72 1:.E}{atom_op@87:4 $atom_op}{cop@84:3 $cop}{type@73:3 $atom_type90}"
     "{sem@77:4 $order80a}"},
    {"fatom",
     "{address64@72 |.E}{atom_op@88:2 .ADD|.MIN|.MAX}{cop@84:3 $cop}{type@73:4 $fatom_type}"
     "{sem@77:4 $order80a}"},
    {"fatomd",
     "{address64@72 1:.E}{atom_op@88:2 .ADD|.MIN|.MAX}{cop@84:3 $cop}{type@73:4 $fatom_type}"
     "{sem@77:4 $order80a}"},
    {"cas75",
     "{address64@72 |.E}{atom_op@87:2 .CAS|3:.CAST.SPIN}{cop@84:3 $cop}{type@73:3 $cas_type}"
     "{sem@77:4 $atom_order75}"},
    {"cas80",
     "{address64@72 |.E}{atom_op@87:2 .CAS|3:.CAST.SPIN}{cop@84:3 $cop}{type@73:3 $cas_type}"
     "{sem@77:4 $order80a}"},
    {"cas90",
     "{address64@72 |.E}{atom_op@87:2 .CAS|3:.CAST.SPIN}{cop@84:3 $cop}{type@73:3 $cas_type90}"
     "{sem@77:4 $order80a}"},
    {"gcas75",
     "{address64@72 |.E}.CAS{cop@84:3 $cop}{type@73:3 $cas_type}{sem@77:4 $atom_order75}"},
    {"gcas80", "{address64@72 |.E}.CAS{cop@84:3 $cop}{type@73:3 $cas_type}{sem@77:4 $order80a}"},
    {"gcas90", "{address64@72 |.E}.CAS{cop@84:3 $cop}{type@73:3 $cas_type90}{sem@77:4 $order80a}"},
    {"red75",
     "{address64@72 |.E}{atom_op@87:3 $atom_op3}{cop@84:3 $cop}{type@73:3 $atom_type}"
     "{sem@77:4 $atom_order75}"},
    {"red80",
     "{address64@72 |.E}{atom_op@87:3 $atom_op3}{cop@84:3 $cop}{type@73:3 $atom_type}"
     "{sem@77:4 $order80a}"},
    {"red80d",
     "{address64@72 1:.E}{atom_op@87:3 $atom_op3}{cop@84:3 $cop}{type@73:3 $atom_type}"
     "{sem@77:4 $order80a}"},
    {"red90",
     "{address64@72 |.E}{atom_op@87:3 $atom_op3}{cop@84:3 $cop}{type@73:3 $red_type90}"
     "{sem@77:4 $order80a}"},
    {"red90d",
     "{address64@72 1:.E}{atom_op@87:3 $atom_op3}{cop@84:3 $cop}{type@73:3 $red_type90}"
     "{sem@77:4 $order80a}"},
    {"ldgsts",
     ".E{through_l1@81 .BYPASS|}{cop@84:3 $cop}{prefetch@71:2 $prefetch}{size@73:3 4:|.64|.128}"
     "{zero_fill@82 |.ZFILL}{sem@77:4 0:|4:.CONSTANT}"},
    // From sm_100 on, where uniform registers have longer numbers, some fields are elsewhere.
    {"ldgsts100",
     ".E{through_l1@81 .BYPASS|}{cop@84:3 $cop}{prefetch@72:2 $prefetch}{size@74:2 |.64|.128}"
     "{zero_fill@82 |.ZFILL}{sem@77:4 0:|4:.CONSTANT}"},
    {"tex_lod100", "{lod@59:1/87:3 |3:.LL}"},
    {"tld_lod100", "{lod@59:1/87:3 .LZ|2:.LL}"},
    {"tex_flags100", "{@56 |.AOFFI}{@78 |.DC}{@77 |.NDV}"},
    {"tld_flags100", "{@56 |.AOFFI}{@77 |.MS}{@76 |.CL}"},
    {"desc64b", "desc[UR@64][A{ra_u32@63 .U32|.64}+O@40:23]"},
    {"uniform64b", "[A{ra_u32@63 .U32|.64}+?UR@64+O@40:23]"},
    {"tex_scr", "{scr@60 |.SCR}"},
    {"tex_lod", "{lod@87:3 |.LZ|3:.LL}"},
    {"tld_lod", "{lod@87:3 1:.LZ|3:.LL}"},
    {"tex_component", "{component@87:2 .R|.G|.B|.A}"},
    {"tex_flags", "{@76 |.AOFFI}{@78 |.DC}{@77 |.NDV}"},
    {"tex_half", "{@79 |.F16.RN}"},
    {"tld_flags", "{@76 |.AOFFI}{@78 |.MS}{@77 |.CL}"},
    {"tex_dim",
     "{dimension@61:3 1D|2D|3D|CUBE|ARRAY_1D|ARRAY_2D|7:ARRAY_CUBE}, "
     "{components@72:4 0x0|0x1|0x2|0x3|0x4|0x5|0x6|0x7|0x8|0x9|0xa|0xb|0xc|0xd|0xe|}"},
    {"tex_constant", "#@54:5, #@40:14"},
    {"tex_uniform", "UR@40:6, #@46:8"},
    {"surface_dim", "{dimension@61:3 .1D|2:.1D_ARRAY|.2D|.2D_ARRAY|.3D}"},
    {"surface75",
     "{byte_address@72 |.BA}$surface_dim{size@73:3 $size}{sem@77:4 $order75}{outside@59:2 "
     ".IGN||.TRAP}"},
    {"surface80",
     "{byte_address@72 |.BA}$surface_dim{size@73:3 $size}{sem@77:4 $order80}{outside@59:2 "
     ".IGN||.TRAP}"},
    {"sured75",
     "{byte_address@72 |.BA}$surface_dim{atom_op@87:4 $atom_op}"
     "{type@73:3 |.S32|.U64|5:.S64|.SD32|.SD64}"
     "{sem@77:4 $atom_order75}{outside@59:2 .IGN||.TRAP}"},
    {"sured80",
     "{byte_address@72 |.BA}$surface_dim{atom_op@87:4 $atom_op}"
     "{type@73:3 |.S32|.U64|5:.S64|.SD32|.SD64}"
     "{sem@77:4 $order80a}{outside@59:2 .IGN||.TRAP}"},
    {"formatted75",
     "$surface_dim{sem@77:4 $order75}{components@72:4 1:.R|3:.RG|15:}{outside@59:2 .IGN||.TRAP}"},
    {"formatted80",
     "$surface_dim{sem@77:4 $order80}{components@72:4 1:.R|3:.RG|15:}{outside@59:2 .IGN||.TRAP}"},
    // Addresses: register and offset; the same with a uniform register; with a descriptor, which
    // nvdisasm prints up to sm_89 only where bit 101 is set. Loads have the uniform register at bit
    // 32, stores and atomics at 64; atomics have the width of the register at 70 instead of 90.
    // Matrices in shared memory, A and B or B alone, by descriptors in uniform registers.
    {"group_ab",
     "gdesc[UR@24*4]{negate_a@72 |.negA}{negate_b@63 |.negB}{transpose_a@61 |.tnspA}"
     "{transpose_b@62 |.tnspB}"},
    {"group_b", "-A*mma, gdesc[UR@32*4]{negate_b@63 |.negB}{transpose_b@62 |.tnspB}"},
    // Factors and sums of products in tensor memory.
    {"tensor_shared_a", "gdesc[UA*2]{@86 |.A_REUSE}{@84 |.A_KEEP}"},
    {"tensor_a", "tmem[UA]{@86 |.A_REUSE}{@84 |.A_KEEP}"},
    {"tensor_b", "gdesc[UB*2]{@82 |.B_REUSE}{@81 |.B_KEEP}{@79:2 |.BUFFER1|.BUFFER2|.BUFFER3}"},
    {"tensor_mode", "{im2col@82:2 |.IM2COL|.W128|.W}{multicast@75 |.MULTICAST}{pair@85 |.2CTA}"},
    {"gather4", "{gathers@84 1:.GATHER4}"},
    {"tensor_sums", "tmem[UC], tmem[UR@40], idesc[Un]"},
    {"tensor_shape",
     "{tensor_shape@81:2/87:1 .16dp128bit|.16dp256bit||.16dp64bit|.16dp32bit_t0_t15|"
     ".16dp32bit_t16_t31}{tensor_repeats@83:3 |.x2|.x4|.x8|.x16|.x32|.x64|.x128}"},
    {"group_end", "{group_barrier@84:3 gsb0|7:}"},
    {"plain", "[A+O@40:24]"},
    {"uniform32", "[A{ra_u32@90 .U32|.64}+UR@32+O@40:24]"},
    {"uniform64", "[A{ra_u32@90 .U32|.64}+UR@64+O@40:24]"},
    {"uniform64a", "[A{ra_u32@70 .U32|.64}+UR@64+O@40:24]"},
    {"hidden32", "Uh@32:6/101:1[A{ra_u32@90 .U32|.64}+O@40:24]"},
    {"hidden64", "Uh@64:6/101:1[A{ra_u32@90 .U32|.64}+O@40:24]"},
    {"hidden64a", "Uh@64:6/101:1[A{ra_u32@70 .U32|.64}+O@40:24]"},
    {"desc32", "desc[UR@32][A{ra_u32@90 .U32|.64}+O@40:24]"},
    {"desc64", "desc[UR@64][A{ra_u32@90 .U32|.64}+O@40:24]"},
    {"desc64a", "desc[UR@64][A{ra_u32@70 .U32|.64}+O@40:24]"},
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
