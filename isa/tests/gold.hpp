// Words with the text a disassembler printed for them.
#pragma once

#include <string>
#include <vector>

#include "isa/arch.hpp"
#include "isa/word.hpp"

namespace heddle::isa {

struct GoldRow {
  std::uint64_t address = 0;
  Word word;
  std::string text;
};

// gold/published.tsv: pairs of word and nvdisasm text that the CuAssembler project published
// (github.com/cloudcores/CuAssembler, MIT licence), from nvdisasm 11; control bits are zero.
std::vector<GoldRow> published_rows(Arch arch);

}  // namespace heddle::isa
