#include "gpu/runtime/libraries/curand/twisters.hpp"

#include <algorithm>
#include <bitset>
#include <boost/random/mersenne_twister.hpp>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>

#include "gpu/runtime/libraries/host.hpp"

namespace heddle::runtime::libraries::curand {
namespace {

constexpr std::size_t kDegree = 19937;
using Product = std::bitset<2 * kDegree + 1>;  // of polynomials over the field of two elements

// Sequences of words x[n] obey x[n + 624] = x[n + 397] ^ f(x[n], x[n + 1]).
std::uint32_t twist(std::uint32_t x, std::uint32_t next, std::uint32_t middle) {
  const std::uint32_t y = (x & 0x80000000u) | (next & 0x7fffffffu);
  return middle ^ (y >> 1) ^ ((y & 1) != 0 ? 0x9908b0dfu : 0);
}

// The shortest recurrence that bits obey: bit n + kDegree is the sum of the bits n + i, for each i
// of the result (J. Massey, IEEE Transactions on Information Theory 15, 1969).
std::vector<std::size_t> recurrence_of(const std::vector<bool>& bits) {
  Product current, previous, seen;  // `seen`: the bits so far, the last one lowest
  current[0] = previous[0] = true;
  std::size_t length = 0, since = 1;
  for (std::size_t n = 0; n < bits.size(); ++n, ++since) {
    seen <<= 1;
    seen[0] = bits[n];
    if ((current & seen).count() % 2 == 0) continue;
    const Product before = current;
    current ^= previous << since;
    if (2 * length > n) continue;
    length = n + 1 - length;
    previous = before;
    since = 0;
  }
  if (length != kDegree) throw std::logic_error("MT19937 has another degree");
  std::vector<std::size_t> exponents;
  for (std::size_t i = 0; i < kDegree; ++i)
    if (current[kDegree - i]) exponents.push_back(i);
  return exponents;
}

// Polynomials as words of 64 coefficients.
constexpr std::size_t kWide = 64;
using Coefficients = std::vector<std::uint64_t>;
bool has(const Coefficients& polynomial, std::size_t i) {
  return (polynomial[i / kWide] >> i % kWide & 1) != 0;
}

// `square` modulo x^kDegree + the sum of x^exponent, in place, by whole words: none of the
// exponents is within a word of the degree.
void reduce(Coefficients& square, const std::vector<std::size_t>& exponents) {
  constexpr std::size_t kLast = kDegree / kWide;
  for (std::size_t word = square.size() - 1; word >= kLast; --word) {
    const std::uint64_t kept = word > kLast ? 0 : (1ull << kDegree % kWide) - 1;
    const std::uint64_t above = square[word] & ~kept;
    square[word] &= kept;
    for (const std::size_t exponent : exponents) {
      const std::size_t place = word * kWide - kDegree + exponent + kWide;
      const std::size_t to = place / kWide, shift = place % kWide;
      // `to` counts from a word below the first one: at the degree's own word low bits are none.
      if (to > 0) square[to - 1] ^= above << shift;
      if (shift > 0) square[to] ^= above >> (kWide - shift);
    }
  }
}

// Which powers of one step the 2^2048 steps from one place to the next are the sum of.
const std::vector<std::size_t>& steps_of_jump() {
  static const std::vector<std::size_t> kSteps = [] {
    std::vector<bool> bits;
    boost::random::mt19937 engine;
    for (std::size_t i = 0; i < 2 * kDegree; ++i) bits.push_back((engine() & 1) != 0);
    const std::vector<std::size_t> exponents = recurrence_of(bits);
    Coefficients power(2 * kDegree / kWide + 1);
    power[0] = 2;  // one step
    for (int i = 0; i < 2048; ++i) {
      Coefficients square(power.size());
      for (std::size_t j = 0; j < kDegree; ++j)
        if (has(power, j)) square[2 * j / kWide] |= 1ull << 2 * j % kWide;
      reduce(square, exponents);
      power = std::move(square);
    }
    std::vector<std::size_t> steps;
    for (std::size_t i = 0; i < kDegree; ++i)
      if (has(power, i)) steps.push_back(i);
    return steps;
  }();
  return kSteps;
}

// In which order a place gives its next 624 numbers: NVIDIA's eight threads take eight of them,
// and then, eleven times, seven consecutive ones each.
const std::array<std::size_t, 624>& order_in_place() {
  static const std::array<std::size_t, 624> kOrder = [] {
    constexpr std::size_t kThreads = 8, kEach = 7;
    constexpr std::array<std::size_t, kThreads> kFirst{0, 113, 170, 283, 340, 397, 510, 567};
    std::array<std::size_t, 624> order{};
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < order.size(); ++i)
      if (std::find(kFirst.begin(), kFirst.end(), i) == kFirst.end()) others.push_back(i);
    std::copy(kFirst.begin(), kFirst.end(), order.begin());
    for (std::size_t i = 0; i < others.size(); ++i) {
      const std::size_t turn = i / (kThreads * kEach), within = i % (kThreads * kEach);
      const std::size_t thread = within / kEach, round = turn * kEach + within % kEach;
      order[kThreads + round * kThreads + thread] = others[i];
    }
    return order;
  }();
  return kOrder;
}

std::uint32_t tempered(std::uint32_t y) {
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

}  // namespace

Mt19937Places::Mt19937Places(std::uint32_t seed) {
  std::uint32_t word = seed;
  for (std::size_t i = 0; i < kWords; ++i) {
    next_place_[i] = word;
    word = 1812433253u * (word ^ (word >> 30)) + static_cast<std::uint32_t>(i + 1);
  }
}

void Mt19937Places::advance(Words& words) {
  for (std::size_t i = 0; i < kWords; ++i)
    words[i] = twist(words[i], words[(i + 1) % kWords], words[(i + 397) % kWords]);
}

// Words of the next place are sums of this one's later words.
void Mt19937Places::add_place() {
  places_.push_back(next_place_);
  std::vector<std::uint32_t> later(next_place_.begin(), next_place_.end());
  later.resize(kDegree + kWords);
  for (std::size_t i = 0; i + kWords < later.size(); ++i)
    later[i + kWords] = twist(later[i], later[i + 1], later[i + 397]);
  // A few words at a time stay in registers.
  constexpr std::size_t kAtOnce = 16;
  static_assert(kWords % kAtOnce == 0);
  for (std::size_t first = 0; first < kWords; first += kAtOnce) {
    using Several __attribute__((vector_size(4 * kAtOnce))) = std::uint32_t;
    Several sum{};
    for (const std::size_t step : steps_of_jump()) {
      Several words;
      std::memcpy(&words, &later[first + step], sizeof words);
      sum ^= words;
    }
    std::memcpy(&next_place_[first], &sum, sizeof sum);
  }
}

std::uint32_t Mt19937Places::next() {
  constexpr std::uint64_t kPlaces = 8192, kInTurn = 8;
  const std::uint64_t turn = drawn_ / (kPlaces * kInTurn), of_all = drawn_ % (kPlaces * kInTurn);
  const auto place = static_cast<std::size_t>(of_all / kInTurn);
  const auto number = static_cast<std::size_t>(turn * kInTurn + of_all % kInTurn) % kWords;
  ++drawn_;
  if (place == places_.size()) add_place();
  Words& words = places_[place];
  if (number == 0) advance(words);
  return tempered(words[order_in_place()[number]]);
}

std::vector<Mtgp32Parameters> read_mtgp32_parameters(std::istream& header) {
  std::string text(std::istreambuf_iterator<char>(header), {});
  text = std::regex_replace(text, std::regex("/\\*[^*]*\\*+([^/*][^*]*\\*+)*/"), "");
  const std::string name = "mtgp32dc_params_fast_11213[]";
  const auto begin = text.find('{', std::min(text.find(name), text.size()));
  std::vector<std::uint32_t> numbers;
  if (begin != std::string::npos) {
    static const std::regex kNumber("0x[0-9a-fA-F]+|[0-9]+");
    const std::sregex_iterator end;
    for (std::sregex_iterator at(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(),
                                 kNumber);
         at != end; ++at)
      numbers.push_back(static_cast<std::uint32_t>(std::stoul(at->str(), nullptr, 0)));
  }
  // An exponent, a position, two shifts, three tables, a mask and a digest of 21 bytes.
  constexpr std::size_t kTable = 16, kEach = 4 + 3 * kTable + 1 + 21, kExponent = 11213;
  if (numbers.empty() || numbers.size() % kEach != 0)
    throw std::runtime_error("the header holds no whole sets of MTGP32's parameters");
  std::vector<Mtgp32Parameters> sets;
  for (auto at = numbers.begin(); at != numbers.end(); at += kEach) {
    if (at[0] != kExponent || at[1] == 0 || at[1] > 350 || at[2] > 31 || at[3] > 31)
      throw std::runtime_error("the header holds other parameters than MTGP32's");
    auto& set = sets.emplace_back();
    set.position = at[1], set.left = at[2], set.right = at[3], set.mask = at[4 + 3 * kTable];
    std::copy_n(at + 4, kTable, set.recursion.begin());
    std::copy_n(at + 4 + kTable, kTable, set.tempering.begin());
  }
  return sets;
}

std::filesystem::path find_mtgp32_header() {
  namespace fs = std::filesystem;
  const char* const kHeader = "curand_mtgp32dc_p_11213.h";
  std::vector<fs::path> folders;
  for (const char* const name : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* const value = std::getenv(name)) folders.emplace_back(value);
  std::istringstream path(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "");
  std::error_code ignored;
  for (std::string part; std::getline(path, part, ':');)
    if (const auto nvcc = fs::canonical(fs::path(part) / "nvcc", ignored); !nvcc.empty())
      folders.push_back(nvcc.parent_path().parent_path());
  folders.insert(folders.end(), {"/usr/local/cuda", "/usr"});
  for (const fs::path& folder : folders)
    if (auto header = folder / "include" / kHeader; fs::exists(header, ignored)) return header;
  throw Missing(std::string("the generator MTGP32 takes its parameters from ") + kHeader +
                ", one of cuRAND's headers, and there is none. Install cuRAND's development " +
                "package, and let CUDA_PATH name the folder of its include");
}

Mtgp32Sequences::Sequence::Sequence(const Mtgp32Parameters& of, std::uint32_t seed)
    : parameters(of) {
  const std::uint32_t hidden = of.recursion[4] ^ (of.recursion[8] << 16);
  std::uint32_t mixed = hidden + (hidden >> 16);
  mixed += mixed >> 8;
  words.fill((mixed & 0xff) * 0x01010101u);
  words[0] = seed;
  words[1] = hidden;
  for (std::size_t i = 1; i < kWords; ++i)
    words[i] ^= 1812433253u * (words[i - 1] ^ (words[i - 1] >> 30)) + static_cast<std::uint32_t>(i);
}

std::uint32_t Mtgp32Sequences::Sequence::next() {
  const auto word = [this](std::size_t i) { return words[(first + i) % kWords]; };
  std::uint32_t x = (word(0) & parameters.mask) ^ word(1);
  x ^= x << parameters.left;
  const std::uint32_t y = x ^ (word(parameters.position) >> parameters.right);
  std::uint32_t helper = word(parameters.position - 1);
  helper ^= helper >> 16;
  helper ^= helper >> 8;
  const std::uint32_t made = y ^ parameters.recursion[y & 15];
  words[first] = made;
  first = (first + 1) % kWords;
  return made ^ parameters.tempering[helper & 15];
}

Mtgp32Sequences::Mtgp32Sequences(const std::vector<Mtgp32Parameters>& parameters, std::size_t count,
                                 std::uint64_t seed) {
  if (parameters.size() < count)
    throw std::runtime_error("the header has too few sets of MTGP32's parameters");
  const auto mixed = static_cast<std::uint32_t>(seed ^ (seed >> 32));
  for (std::size_t i = 0; i < count; ++i)
    sequences_.emplace_back(parameters[i], mixed + static_cast<std::uint32_t>(i) + 1);
}

std::uint32_t Mtgp32Sequences::next() {
  constexpr std::uint64_t kInTurn = 256;
  return sequences_[static_cast<std::size_t>(drawn_++ / kInTurn % sequences_.size())].next();
}

}  // namespace heddle::runtime::libraries::curand
