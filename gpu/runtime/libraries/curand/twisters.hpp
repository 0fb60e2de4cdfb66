// The Mersenne twisters of cuRAND's host interface, MT19937 and MTGP32: many sequences that take
// turns. The orders are those of NVIDIA's documentation; what it leaves out was found by what its
// generators of the host give (docs/python.md).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <vector>

namespace heddle::runtime::libraries::curand {

// M. Matsumoto's and T. Nishimura's MT19937 (ACM TOMACS 8, 1998), in 8,192 places that lie 2^2048
// numbers apart. Each place gives eight numbers when it is its turn.
class Mt19937Places {
 public:
  explicit Mt19937Places(std::uint32_t seed);
  std::uint32_t next();

 private:
  static constexpr std::size_t kWords = 624;
  using Words = std::array<std::uint32_t, kWords>;

  void add_place();
  static void advance(Words& words);

  std::uint64_t drawn_ = 0;
  std::vector<Words> places_;  // those reached so far
  Words next_place_;           // as it begins, before its first numbers
};

// What tells one sequence of MTGP32 from another.
struct Mtgp32Parameters {
  std::uint32_t position = 0, left = 0, right = 0, mask = 0;
  std::array<std::uint32_t, 16> recursion{}, tempering{};
};

// The parameters that M. Saito and M. Matsumoto publish for the exponent 11213, from cuRAND's
// header. Throws std::runtime_error where the text is none of that form.
std::vector<Mtgp32Parameters> read_mtgp32_parameters(std::istream& header);
// Where that header lies: below CUDA_PATH or CUDA_HOME, beside nvcc, or below /usr/local/cuda and
// /usr. Throws Missing where it does not.
std::filesystem::path find_mtgp32_header();

// M. Saito's and M. Matsumoto's MTGP32 (ACM TOMS 39, 2013). Each sequence gives 256 numbers when it
// is its turn.
class Mtgp32Sequences {
 public:
  Mtgp32Sequences(const std::vector<Mtgp32Parameters>& parameters, std::size_t count,
                  std::uint64_t seed);
  std::uint32_t next();

 private:
  static constexpr std::size_t kWords = 351;

  struct Sequence {
    Mtgp32Parameters parameters;
    std::array<std::uint32_t, kWords> words;
    std::size_t first = 0;

    Sequence(const Mtgp32Parameters& of, std::uint32_t seed);
    std::uint32_t next();
  };

  std::uint64_t drawn_ = 0;
  std::vector<Sequence> sequences_;
};

}  // namespace heddle::runtime::libraries::curand
