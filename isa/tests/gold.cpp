#include "isa/tests/gold.hpp"

#include <zstd.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace heddle::isa {
namespace {

// Lines of `architectures address word text` for one architecture.
std::vector<GoldRow> rows_of(const std::string& name, int sm) {
  std::vector<GoldRow> rows;
  std::istringstream lines(read_gold(name));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string archs, address, word;
    GoldRow row;
    std::getline(fields, archs, '\t');
    std::getline(fields, address, '\t');
    std::getline(fields, word, '\t');
    std::getline(fields, row.text);
    if (archs.find(std::to_string(sm)) == std::string::npos) continue;
    row.address = std::stoull(address, nullptr, 16);
    row.word = parse_word(word);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::string read_gold(const std::string& name) {
  const std::string path = std::string(HEDDLE_SOURCE_DIR) + "/isa/tests/gold/" + name;
  std::ifstream file(path, std::ios::binary);
  const std::string packed{std::istreambuf_iterator<char>(file), {}};
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
    throw std::runtime_error("cannot read " + path);
  std::string text(size, '\0');
  if (ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size()) != size)
    throw std::runtime_error("cannot decompress " + path);
  return text;
}

Word parse_word(const std::string& hex) {
  if (hex.size() != 32) throw std::runtime_error("not a 128-bit word: " + hex);
  return {.lo = std::stoull(hex.substr(16), nullptr, 16),
          .hi = std::stoull(hex.substr(0, 16), nullptr, 16)};
}

std::vector<GoldRow> listing_rows(Arch arch) { return rows_of("listing.tsv.zst", sm_number(arch)); }
std::vector<GoldRow> sweep_rows(Arch arch) { return rows_of("sweep.tsv.zst", sm_number(arch)); }
std::vector<GoldRow> warpgroup_rows() {
  return rows_of("warpgroup.tsv.zst", sm_number(Arch::sm_90));
}
std::vector<GoldRow> form_rows() { return rows_of("forms.tsv.zst", sm_number(Arch::sm_90)); }
std::vector<GoldRow> blackwell_rows(Arch arch) {
  return rows_of("blackwell.tsv.zst", sm_number(arch));
}
std::vector<GoldRow> published_rows(Arch arch) {
  return rows_of("published.tsv.zst", sm_number(arch));
}

}  // namespace heddle::isa
