// Gives a fuzz target its seeds, whose names come on standard input: as they are, and changed a few
// times, the same way in each run. libFuzzer does that better, and takes clang and its own build.
//
//   scripts/fuzz.sh --seeds TARGET | TARGET_seeds CHANGES
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" {
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
[[gnu::weak]] std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                  std::size_t most, unsigned seed);
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
}

namespace {

using Bytes = std::vector<std::uint8_t>;

std::minstd_rand& random_numbers() {
  static std::minstd_rand numbers;
  return numbers;
}

Bytes changed(Bytes bytes, unsigned seed) {
  constexpr std::size_t kRoom = 1 << 12;
  const std::size_t size = bytes.size(), most = size + kRoom;
  bytes.resize(most);
  random_numbers().seed(seed + 1);
  const bool knows_how = LLVMFuzzerCustomMutator != nullptr;
  bytes.resize(knows_how ? LLVMFuzzerCustomMutator(bytes.data(), size, most, seed)
                         : LLVMFuzzerMutate(bytes.data(), size, most));
  return bytes;
}

void give(const Bytes& bytes) {
  const Bytes exact(bytes);  // with no room behind it
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

}  // namespace

// Some bytes become others; now and then the end is lost.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t) {
  constexpr unsigned kMostChanges = 4, kCutOneOf = 8;
  std::minstd_rand& numbers = random_numbers();
  if (size == 0) return 0;
  for (std::size_t left = 1 + numbers() % kMostChanges; left != 0; --left)
    data[numbers() % size] = static_cast<std::uint8_t>(numbers() >> 8);
  return numbers() % kCutOneOf == 0 ? numbers() % size : size;
}

int main(int argc, char** argv) {
  const int changes = argc > 1 ? std::atoi(argv[1]) : 0;
  int seeds = 0;
  for (std::string name; std::getline(std::cin, name); ++seeds) {
    std::ifstream file(name, std::ios::binary);
    const Bytes seed{std::istreambuf_iterator<char>(file), {}};
    if (!file) std::printf("%s cannot be read\n", name.c_str());
    if (!file) return 1;
    for (int change = 0; change <= changes; ++change) {
      std::printf("%s, change %d\n", name.c_str(), change);
      std::fflush(stdout);  // the last line is the input that ended it
      give(change == 0 ? seed : changed(seed, static_cast<unsigned>(change)));
    }
  }
  return seeds == 0 ? 1 : 0;
}
