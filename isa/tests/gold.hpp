// Words with the text a disassembler printed for them.
#pragma once

#include <string>
#include <vector>

#include "isa/arch.hpp"
#include "isa/word.hpp"

namespace heddle::isa {

struct GoldRow {
  std::uint64_t address = 0;  // of the instruction, where the text depends on it
  Word word;
  std::string text;
};

// gold/listing.tsv.zst: what nvdisasm printed for everything nvcc 13.0 made of tests/corpus and of
// gpu/kernels, -O3 and -G, for all architectures. tests/make_listing.sh makes it. nvdisasm was that
// of 13.0 up to sm_90, and 13.2 from sm_100 on, here and in the sweep.
std::vector<GoldRow> listing_rows(Arch arch);

// gold/sweep.tsv.zst: one instruction of each shape that ptxas 13.0 makes of the whole PTX ISA
// (gpu/kernels/micro/instruction_probe/make_ptx.py), optimised and for debugging.
// tests/make_sweep.sh makes it.
std::vector<GoldRow> sweep_rows(Arch arch);

// gold/warpgroup.tsv.zst: every form of wgmma, and what else sm_90a has (nvdisasm 13.0).
// tests/make_warpgroup.sh makes it.
std::vector<GoldRow> warpgroup_rows();

// gold/forms.tsv.zst: words of gpu/kernels/micro/form_probe/make_forms.py, FOLDER/forms.cubin,
// through tests/listing.awk (nvdisasm 13.1).
std::vector<GoldRow> form_rows();

// gold/blackwell.tsv.zst: every form of tcgen05 and of what else PTX ISA 8.6 to 9.0 brought, for
// the architectures from sm_100a on (nvdisasm 13.5). tests/make_blackwell.py makes it.
std::vector<GoldRow> blackwell_rows(Arch arch);

// gold/published.tsv.zst: pairs that the CuAssembler project published (MIT licence,
// github.com/cloudcores/CuAssembler), made with nvdisasm 11, for sm_75, sm_80 and sm_86; control
// bits are zero. Opcodes that the compiler makes seldom are here.
std::vector<GoldRow> published_rows(Arch arch);

// gold/control.sm_90.lst.zst: `nvdisasm -c -hex` of tests/corpus/control.cu, sm_90, -O3, as it is.
//
// The text of a file in gold/, decompressed.
std::string read_gold(const std::string& name);

// 32 hexadecimal digits, bits 127 to 0.
Word parse_word(const std::string& hex);

}  // namespace heddle::isa
