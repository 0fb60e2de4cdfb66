// Instruction words, for an architecture that the last byte picks: what is decoded gives back the
// same word, and can be printed.
#include <cstdlib>
#include <cstring>

#include "isa/decoder.hpp"
#include "isa/fuzz/target.hpp"

HEDDLE_FUZZ_TARGET(bytes) {
  using namespace heddle::isa;
  if (bytes.empty()) return;
  const Arch arch = kAllArchs[static_cast<std::size_t>(bytes.back()) % kAllArchs.size()];
  for (; bytes.size() >= sizeof(Word); bytes = bytes.subspan(sizeof(Word))) {
    Word word;
    std::memcpy(&word, bytes.data(), sizeof word);
    const auto instruction = decode(arch, word);
    if (!instruction) continue;
    if (encode(*instruction) != word) std::abort();
    if (print(*instruction, 0x1000).empty()) std::abort();
  }
}
