// How libFuzzer changes capsules: mostly single instructions, to others that decode; parameters,
// memory (which holds the texture headers) and the launch's shape; now and then any byte.
#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "gpu/runtime/capsule_contents.hpp"
#include "gpu/runtime/fuzz/capsule_input.hpp"
#include "isa/decoder.hpp"
#include "simulator/models/gpu_model.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace heddle::runtime {
namespace {

using isa::Word;
using Random = std::minstd_rand;

constexpr std::size_t kMostDictionary = 1 << 14;

std::uint32_t below(Random& random, std::size_t count) {
  return static_cast<std::uint32_t>(random() % count);
}

// Where a cubin's code lies in it: offsets of whole instructions.
std::vector<std::size_t> code_offsets(const std::vector<std::byte>& cubin) {
  std::vector<std::size_t> offsets;
  Elf64_Ehdr header;
  if (cubin.size() < sizeof header) return offsets;
  std::memcpy(&header, cubin.data(), sizeof header);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    const std::size_t at = header.e_shoff + i * sizeof section;
    if (at > cubin.size() || cubin.size() - at < sizeof section) break;
    std::memcpy(&section, cubin.data() + at, sizeof section);
    if (section.sh_type != SHT_PROGBITS || (section.sh_flags & SHF_EXECINSTR) == 0) continue;
    if (section.sh_offset > cubin.size() || cubin.size() - section.sh_offset < section.sh_size)
      continue;
    for (std::size_t offset = 0; offset + sizeof(Word) <= section.sh_size; offset += sizeof(Word))
      offsets.push_back(section.sh_offset + offset);
  }
  return offsets;
}

Word word_at(const std::vector<std::byte>& cubin, std::size_t offset) {
  Word word;
  std::memcpy(&word, cubin.data() + offset, sizeof word);
  return word;
}

// Instructions of the capsules seen so far.
std::vector<Word>& dictionary() {
  static std::vector<Word> words;
  return words;
}

void learn(const Capsule& capsule, Random& random) {
  for (const std::size_t offset : code_offsets(capsule.cubin)) {
    const Word word = word_at(capsule.cubin, offset);
    if (dictionary().size() < kMostDictionary)
      dictionary().push_back(word);
    else
      dictionary()[below(random, kMostDictionary)] = word;
  }
}

std::uint32_t interesting(Random& random) {
  constexpr std::uint32_t kNumbers[] = {
      0,          1,          2,          4,       15,     16,         31,         32,         33,
      63,         64,         255,        256,     1024,   4096,       0x7fffffff, 0x80000000, ~0u,
      0xfffffff0, 0x7f800000, 0x7fc00000, 0x10000, 0xffff, 0x01000000, 0xff7fffff};
  return below(random, 3) == 0 ? static_cast<std::uint32_t>(random())
                               : kNumbers[below(random, std::size(kNumbers))];
}

Word changed(Word word, Random& random) {
  constexpr unsigned kRegisters[] = {16, 24, 32, 64};  // Rd, Ra, Rb, Rc
  constexpr std::uint64_t kSpecial[] = {255, 254, 0, 1, 2, 63};
  switch (below(random, 8)) {
    case 0: {
      const unsigned position = below(random, 128);
      word.set_bits(position, 1, word.bit(position) ? 0 : 1);
      return word;
    }
    case 1: {
      const unsigned field = kRegisters[below(random, std::size(kRegisters))];
      word.set_bits(
          field, 8,
          below(random, 2) == 0 ? kSpecial[below(random, std::size(kSpecial))] : below(random, 64));
      return word;
    }
    case 2:
      word.set_bits(12, 4, below(random, 16));  // the guard
      return word;
    case 3:
      word.set_bits(32, 32, interesting(random));
      return word;
    case 4:
      word.set_bits(40, 24, interesting(random));  // an address's offset
      return word;
    case 5:
      word.set_bits(105, 21, random());  // what the compiler tells the issue logic
      return word;
    case 6:
      word.set_bits(72, 33, word.bits(72, 33) ^ std::uint64_t{1} << below(random, 33));
      return word;
    default:
      return dictionary().empty() ? word : dictionary()[below(random, dictionary().size())];
  }
}

void change_code(Capsule& capsule, Random& random) {
  const std::vector<std::size_t> offsets = code_offsets(capsule.cubin);
  if (offsets.empty()) return;
  constexpr int kTries = 16;
  const isa::Arch arch = simulator::gpu_model(capsule.model).arch;
  const std::size_t offset = offsets[below(random, offsets.size())];
  const Word before = word_at(capsule.cubin, offset);
  for (int i = 0; i < kTries; ++i) {
    const Word word = changed(before, random);
    if (word == before || !isa::decode(arch, word)) continue;
    std::memcpy(capsule.cubin.data() + offset, &word, sizeof word);
    return;
  }
}

void change_bytes(std::vector<std::byte>& bytes) {
  if (bytes.empty()) return;
  std::vector<std::byte> changed = bytes;
  LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(changed.data()), changed.size(), changed.size());
  bytes = std::move(changed);  // no longer and no shorter
}

void change_parameters(Capsule& capsule, Random& random) {
  if (capsule.parameters.size() < 8 || capsule.allocations.empty() || below(random, 2) == 0)
    return change_bytes(capsule.parameters);
  const auto& allocation = capsule.allocations[below(random, capsule.allocations.size())];
  const std::uint64_t address =
      allocation.address + (below(random, 2) == 0 ? 0 : allocation.bytes - below(random, 64));
  const std::size_t at = 8 * below(random, capsule.parameters.size() / 8);
  std::memcpy(capsule.parameters.data() + at, &address, sizeof address);
}

void change_memory(Capsule& capsule, Random& random) {
  if (capsule.before.empty()) return;
  std::vector<std::byte>& bytes = capsule.before[below(random, capsule.before.size())].bytes;
  if (bytes.size() < 4 || below(random, 4) == 0) return change_bytes(bytes);
  const std::uint32_t number = interesting(random);
  // Mostly near the start: tables fill up from there.
  const std::size_t most =
      below(random, 2) == 0 ? std::min<std::size_t>(bytes.size(), 512) : bytes.size();
  std::memcpy(bytes.data() + below(random, most - 3), &number, 1u << below(random, 3));
}

void change_shape(Capsule& capsule, Random& random) {
  simulator::Dim3* const shapes[] = {&capsule.grid, &capsule.block, &capsule.cluster};
  simulator::Dim3& shape = *shapes[below(random, std::size(shapes))];
  std::uint32_t* const sides[] = {&shape.x, &shape.y, &shape.z};
  constexpr std::uint32_t kSides[] = {0, 1, 2, 3, 4, 7, 8, 31, 32, 33, 64, 100, 1024};
  switch (below(random, 7)) {
    case 0:
      capsule.dynamic_shared_bytes = interesting(random);
      return;
    case 1:
      capsule.cooperative = !capsule.cooperative;
      return;
    case 2:
      capsule.preferred_carveout = static_cast<std::uint8_t>(below(random, 101));
      return;
    case 3:
      capsule.stack_limit = interesting(random);
      return;
    default:
      *sides[below(random, 3)] = kSides[below(random, std::size(kSides))];
  }
}

void change_allocation(Capsule& capsule, Random& random) {
  if (capsule.allocations.empty()) return;
  Capsule::Allocation& allocation = capsule.allocations[below(random, capsule.allocations.size())];
  switch (below(random, 4)) {
    case 0:
      allocation.address += 0x1000;
      return;
    case 1:
      allocation.bytes = interesting(random);
      return;
    case 2:
      allocation.ordinal = interesting(random);
      return;
    default:
      allocation.of_module = !allocation.of_module;
  }
}

void change_model(Capsule& capsule, Random& random) {
  const auto ids = simulator::model_ids();
  capsule.model = ids[below(random, ids.size())];
}

void change_origin(Capsule& capsule, Random& random) { capsule.origin = std::to_string(random()); }

void change(Capsule& capsule, Random& random) {
  switch (below(random, 32)) {
    case 0:
      return change_bytes(capsule.cubin);
    case 1:
      return change_allocation(capsule, random);
    case 2:
      return change_shape(capsule, random);
    case 3:
      return change_model(capsule, random);
    case 4:
    case 5:
      return change_parameters(capsule, random);
    case 6:
    case 7:
    case 8:
      return change_memory(capsule, random);
    case 9:
    case 10:
    case 11:
      return change_origin(capsule, random);
    default:
      return change_code(capsule, random);
  }
}

std::size_t put(const std::string& contents, std::uint8_t* data, std::size_t most) {
  if (contents.size() > most) return 0;
  std::memcpy(data, contents.data(), contents.size());
  return contents.size();
}

std::span<const std::byte> as_bytes(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

}  // namespace
}  // namespace heddle::runtime

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace heddle::runtime;
  Random random(seed);
  if (below(random, 64) == 0) return LLVMFuzzerMutate(data, size, most);
  try {
    Capsule capsule = capsule_of(as_bytes(data, size));
    if (below(random, 16) == 0 || dictionary().empty()) learn(capsule, random);
    for (std::uint32_t left = 1 + below(random, 4); left != 0; --left) change(capsule, random);
    if (const std::size_t made = put(encode_capsule_contents(capsule), data, most)) return made;
  } catch (const std::exception&) {
  }
  return LLVMFuzzerMutate(data, size, most);
}

// A run of one capsule's instructions, or its memory, in the place of another's.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second,
                                                 std::size_t second_size, std::uint8_t* out,
                                                 std::size_t most, unsigned seed) {
  using namespace heddle::runtime;
  Random random(seed);
  try {
    Capsule into = capsule_of(as_bytes(first, first_size));
    const Capsule from = capsule_of(as_bytes(second, second_size));
    learn(from, random);
    const auto to = code_offsets(into.cubin), source = code_offsets(from.cubin);
    if (!to.empty() && !source.empty()) {
      constexpr std::size_t kMostInstructions = 16;
      const std::size_t there = below(random, to.size()), here = below(random, source.size());
      const std::size_t count = std::min({1 + std::size_t{below(random, kMostInstructions)},
                                          to.size() - there, source.size() - here});
      for (std::size_t i = 0; i < count; ++i)
        std::memcpy(into.cubin.data() + to[there + i], from.cubin.data() + source[here + i],
                    sizeof(Word));
    }
    return put(encode_capsule_contents(into), out, most);
  } catch (const std::exception&) {
    return 0;
  }
}
