#include "isa/tests/gold.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace heddle::isa {
namespace {

std::ifstream open_gold(const std::string& name) {
  const std::string path = std::string(HEDDLE_SOURCE_DIR) + "/isa/tests/gold/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return file;
}

Word parse_word(const std::string& hex) {
  if (hex.size() != 32) throw std::runtime_error("not a 128-bit word: " + hex);
  return {.lo = std::stoull(hex.substr(16), nullptr, 16),
          .hi = std::stoull(hex.substr(0, 16), nullptr, 16)};
}

}  // namespace

std::vector<GoldRow> published_rows(Arch arch) {
  // sm_89 and sm_90 have no published listing; what sm_86 has is legal on sm_89 too.
  const int number = arch == Arch::sm_89 ? 86 : arch == Arch::sm_90 ? 80 : sm_number(arch);
  std::vector<GoldRow> rows;
  std::ifstream file = open_gold("published.tsv");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string archs, address, word;
    GoldRow row;
    std::getline(fields, archs, '\t');
    std::getline(fields, address, '\t');
    std::getline(fields, word, '\t');
    std::getline(fields, row.text);
    if (archs.find(std::to_string(number)) == std::string::npos) continue;
    row.address = std::stoull(address, nullptr, 16);
    row.word = parse_word(word);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace heddle::isa
