#include "gpu/runtime/libraries/curand/engines.hpp"

namespace heddle::runtime::libraries::curand {

// What a number of steps does to the five words: a matrix over the field of two elements, by
// columns.
struct XorwowMatrix {
  using Words = Xorwow::Words;
  std::vector<Words> columns = std::vector<Words>(160);

  static XorwowMatrix of_one_step() {
    XorwowMatrix made;
    for (std::size_t bit = 0; bit < 160; ++bit) {
      made.columns[bit][bit / 32] = 1u << bit % 32;
      Xorwow::step(made.columns[bit]);
    }
    return made;
  }
  Words times(const Words& words) const {
    Words result{};
    for (std::size_t bit = 0; bit < 160; ++bit)
      if (words[bit / 32] >> bit % 32 & 1)
        for (std::size_t i = 0; i < 5; ++i) result[i] ^= columns[bit][i];
    return result;
  }
  XorwowMatrix squared() const {
    XorwowMatrix made;
    for (std::size_t bit = 0; bit < 160; ++bit) made.columns[bit] = times(columns[bit]);
    return made;
  }
};

void Xorwow::step(Words& words) {
  const std::uint32_t t = words[0] ^ (words[0] >> 2), last = words[4];
  words = {words[1], words[2], words[3], last, (last ^ (last << 4)) ^ (t ^ (t << 1))};
}

namespace {
constexpr std::uint32_t kWeyl = 362437;
}

std::uint32_t Xorwow::next() {
  step(words_);
  counter_ += kWeyl;
  return words_[4] + counter_;
}

std::vector<Xorwow> Xorwow::sequences(std::uint64_t seed, int count, std::uint64_t steps,
                                      int ahead) {
  const std::uint32_t low = static_cast<std::uint32_t>(seed) ^ 0xaad26b49u;
  const std::uint32_t high = static_cast<std::uint32_t>(seed >> 32) ^ 0xf7dcefddu;
  const std::uint32_t t0 = 1099087573u * low, t1 = 2591861531u * high;
  Xorwow one;
  one.words_ = {123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0};
  // 2^67 steps leave the counter as it is.
  one.counter_ = 6615241u + t1 + t0 + kWeyl * static_cast<std::uint32_t>(steps);
  XorwowMatrix power = XorwowMatrix::of_one_step();
  for (int i = 0; i < 67; ++i) {
    if (i < 64 && (steps >> i & 1)) one.words_ = power.times(one.words_);
    power = power.squared();
  }
  std::vector<Xorwow> made;
  for (int i = 0; i < count; ++i) {
    made.push_back(one);
    one.words_ = power.times(one.words_);
    if (i < ahead) made.back().next();
  }
  return made;
}

namespace {

constexpr std::uint64_t kModulus1 = 4294967087, kModulus2 = 4294944443;
constexpr std::uint64_t kA12 = 1403580, kA13 = 810728, kA21 = 527612, kA23 = 1370589;

using Matrix = std::array<std::array<std::uint64_t, 3>, 3>;
using Vector = std::array<std::uint64_t, 3>;

Matrix product(const Matrix& a, const Matrix& b, std::uint64_t modulus) {
  Matrix result{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        result[i][j] = (result[i][j] + a[i][k] * b[k][j] % modulus) % modulus;
  return result;
}
Vector product(const Matrix& a, const Vector& b, std::uint64_t modulus) {
  Vector result{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      result[i] = (result[i] + a[i][k] * b[k] % modulus) % modulus;
  return result;
}

// One component `steps` ahead, and the matrix of 2^76 steps.
Matrix advance(Vector& state, const Matrix& one_step, std::uint64_t steps, std::uint64_t modulus) {
  Matrix power = one_step;
  for (int i = 0; i < 76; ++i) {
    if (i < 64 && (steps >> i & 1)) state = product(power, state, modulus);
    power = product(power, power, modulus);
  }
  return power;
}

}  // namespace

double Mrg32k3a::next() {
  const std::uint64_t p1 =
      (kA12 * first_[1] + (kModulus1 - kA13) * first_[0] % kModulus1) % kModulus1;
  first_ = {first_[1], first_[2], p1};
  const std::uint64_t p2 =
      (kA21 * second_[2] + (kModulus2 - kA23) * second_[0] % kModulus2) % kModulus2;
  second_ = {second_[1], second_[2], p2};
  return static_cast<double>(p1 > p2 ? p1 - p2 : p1 + kModulus1 - p2);
}

std::vector<Mrg32k3a> Mrg32k3a::sequences(std::uint64_t seed, int count, std::uint64_t steps,
                                          int ahead) {
  Mrg32k3a one;
  one.first_ = one.second_ = {12345, 12345, 12345};
  if (seed != 0) {
    const std::uint64_t x1 = static_cast<std::uint32_t>(seed) ^ 0x55555555u;
    const std::uint64_t x2 = static_cast<std::uint32_t>(seed >> 32) ^ 0xaaaaaaaau;
    const Vector by{x1, x2, x1}, across{x2, x1, x2};
    for (std::size_t i = 0; i < 3; ++i) {
      one.first_[i] = one.first_[i] * by[i] % kModulus1;
      one.second_[i] = one.second_[i] * across[i] % kModulus2;
    }
  }
  const Matrix step1{{{0, 1, 0}, {0, 0, 1}, {kModulus1 - kA13, kA12, 0}}};
  const Matrix step2{{{0, 1, 0}, {0, 0, 1}, {kModulus2 - kA23, 0, kA21}}};
  const Matrix jump1 = advance(one.first_, step1, steps, kModulus1);
  const Matrix jump2 = advance(one.second_, step2, steps, kModulus2);
  std::vector<Mrg32k3a> made;
  for (int i = 0; i < count; ++i) {
    made.push_back(one);
    one.first_ = product(jump1, one.first_, kModulus1);
    one.second_ = product(jump2, one.second_, kModulus2);
    if (i < ahead) made.back().next();
  }
  return made;
}

std::array<std::uint32_t, 4> Philox::next() {
  const auto half = [](std::uint64_t value, int shift) {
    return static_cast<std::uint32_t>(value >> shift);
  };
  std::array<std::uint32_t, 4> x{half(counter_, 0), half(counter_, 32), half(sequence_, 0),
                                 half(sequence_, 32)};
  std::uint32_t key0 = half(seed_, 0), key1 = half(seed_, 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * x[0],
                        b = std::uint64_t{0xCD9E8D57u} * x[2];
    x = {half(b, 32) ^ x[1] ^ key0, half(b, 0), half(a, 32) ^ x[3] ^ key1, half(a, 0)};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  ++counter_;
  return x;
}

std::vector<Philox> Philox::sequences(std::uint64_t seed, int count, std::uint64_t steps,
                                      int ahead) {
  std::vector<Philox> made(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    Philox& one = made[static_cast<std::size_t>(i)];
    one.seed_ = seed;
    one.sequence_ = static_cast<std::uint64_t>(i);
    one.counter_ = steps + (i < ahead ? 1 : 0);
  }
  return made;
}

}  // namespace heddle::runtime::libraries::curand
