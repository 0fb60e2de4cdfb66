// What the kernels of make_ptx.py compute on, the same on a GPU and in the test that replays it.
// Plain C++.
//
// A block's input, by bytes: 0 the descriptors of A and of B, relative to the image; 16 whether C
// is added; 64 the image of shared memory, A's part first; then words of every thread: four
// registers of A, metadata, up to 128 registers of C.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inputs.hpp"

namespace warpgroup_probe {

using instruction_probe::Random;

inline constexpr unsigned kThreads = 128, kImage = 40960, kBytesForA = 8192, kHeader = 64;
inline constexpr unsigned kA = kHeader + kImage, kMetadata = kA + 4 * 4 * kThreads,
                          kC = kMetadata + 4 * kThreads, kBytes = kC + 128 * 4 * kThreads;

struct Form {
  std::string d, a, b;
  unsigned n = 0;
  bool a_in_registers = false;
  std::string scales, transposes;
  bool sparse = false;

  unsigned registers_of_d() const { return d == "f16" ? n / 4 : n / 2; }
  // Blocks: outputs of a form with N = 256 are more than a million.
  unsigned blocks() const {
    if (n == 256 && scales == "pp" && transposes == "00" && !sparse) return 64;
    return n == 8 || n == 64 || n == 256 ? 16 : 8;
  }
};

// "wg_f32_f16_f16_n64_s_pp_00_sp0"
inline Form form_of(std::string_view name) {
  std::vector<std::string> words;
  while (!name.empty()) {
    const std::size_t end = name.find('_') == name.npos ? name.size() : name.find('_');
    words.emplace_back(name.substr(0, end));
    name.remove_prefix(end == name.size() ? end : end + 1);
  }
  Form form;
  form.d = words.at(1);
  form.a = words.at(2);
  form.b = words.at(3);
  for (const char digit : words.at(4).substr(1))
    form.n = form.n * 10 + static_cast<unsigned>(digit - '0');
  form.a_in_registers = words.at(5) == "r";
  form.scales = words.at(6);
  form.transposes = words.at(7);
  form.sparse = words.size() > 8;
  return form;
}

// A matrix descriptor: byte offsets.
inline std::uint64_t descriptor(unsigned start, unsigned leading, unsigned stride, unsigned swizzle,
                                unsigned base_offset = 0) {
  return std::uint64_t{start >> 4} | std::uint64_t{leading >> 4} << 16 |
         std::uint64_t{stride >> 4} << 32 | std::uint64_t{base_offset} << 49 |
         std::uint64_t{swizzle} << 62;
}

// A descriptor of a matrix of `rows` rows (columns of B), 16 bytes of k `depth` times, from `start`
// on. swizzle: 0 none, 1 128, 2 64, 3 32 bytes.
inline std::uint64_t placed(Random& random, unsigned start, unsigned rows, unsigned depth,
                            unsigned swizzle, bool transposed) {
  const unsigned groups = rows / 8, units = swizzle == 0 ? 1 : 16u >> swizzle;
  const bool other_order = random.below(2) != 0;
  if (!transposed) {
    if (swizzle == 0)
      return other_order ? descriptor(start, 128 * groups, 128, 0)
                         : descriptor(start, 128, 128 * depth, 0);
    const unsigned atom = 128 * units;
    const unsigned step = 16 * depth, first = units > depth ? random.below(units / depth) : 0;
    return descriptor(start + first * step, 16, atom, swizzle);
  }
  // Eights of k, 2 for each 32 bytes.
  const unsigned eights = depth;
  if (swizzle == 0)
    return other_order ? descriptor(start, 128 * groups, 128, 0)
                       : descriptor(start, 128, 128 * eights, 0);
  const unsigned atom = 128 * units, atoms = (groups + units - 1) / units;
  return other_order ? descriptor(start, atom, atom * atoms, swizzle)
                     : descriptor(start, atom * eights, atom, swizzle);
}

inline void put32(unsigned char* to, std::uint64_t value) { std::memcpy(to, &value, 4); }

// A word of elements of a type.
inline std::uint64_t word_of(Random& random, std::string_view type, unsigned kind) {
  const std::string_view name = type == "f16"    ? "mf16"
                                : type == "bf16" ? "mbf16"
                                : type == "tf32" ? "mf32"
                                : type == "f32"  ? "mf32"
                                : type == "e4m3" ? "me4m3"
                                : type == "e5m2" ? "me5m2"
                                                 : "integer";
  if (name == "integer" && kind % 2 == 0) return random.next();
  return instruction_probe::operand(random, name, kind);
}

// Metadata that PTX allows: two of four places, or (tf32) one of two.
inline std::uint32_t metadata_of(Random& random, bool pairs) {
  static constexpr std::uint32_t kTwoOfFour[] = {0x4, 0x8, 0x9, 0xc, 0xd, 0xe};
  std::uint32_t word = 0;
  for (int i = 0; i < 8; ++i)
    word = word << 4 | (pairs ? (random.below(2) != 0 ? 0xe : 0x4) : kTwoOfFour[random.below(6)]);
  return word;
}

inline void fill(unsigned char* input, std::string_view kernel, unsigned block) {
  const Form form = form_of(kernel);
  Random random{instruction_probe::hash(kernel.data(), kernel.size()) ^ kernel.size() << 32 ^
                std::uint64_t{block} * 0x9e3779b97f4a7c15u};
  const unsigned kind = block / 4, swizzle = (block + block / 16) % 4;
  std::memset(input, 0, kBytes);
  const unsigned depth_of_b = form.sparse ? 4 : 2;
  // Of 32-byte rows one holds no more than 32 bytes of k.
  const bool narrow = form.sparse && swizzle == 3 && form.transposes[1] == '0';
  const std::uint64_t a = placed(random, 0, 64, 2, swizzle, form.transposes[0] == '1');
  const std::uint64_t b = placed(random, kBytesForA, form.n, depth_of_b, narrow ? 1 : swizzle,
                                 form.transposes[1] == '1');
  std::memcpy(input, &a, 8);
  std::memcpy(input + 8, &b, 8);
  input[16] = block % 8 == 5 ? 0 : 1;
  for (unsigned at = 0; at < kImage; at += 4)
    put32(input + kHeader + at, word_of(random, at < kBytesForA ? form.a : form.b, kind));
  for (unsigned i = 0; i < 4 * kThreads; ++i)
    put32(input + kA + 4 * i, word_of(random, form.a, kind));
  for (unsigned i = 0; i < kThreads; ++i)
    put32(input + kMetadata + 4 * i, metadata_of(random, form.a == "tf32"));
  for (unsigned i = 0; i < form.registers_of_d() * kThreads; ++i)
    put32(input + kC + 4 * i, word_of(random, form.d, kind));
}

}  // namespace warpgroup_probe
