#include "gpu/runtime/libraries/curand/directions.hpp"

#include <sys/mman.h>

#include <bit>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/sobol.hpp>
#include <new>
#include <vector>

namespace heddle::runtime::libraries::curand {
namespace {

constexpr std::size_t kDimensionsOfNvidia = 20000;

template <typename Int>
constexpr unsigned kBits = 8 * sizeof(Int);

// Room for a table that stays, `each` numbers for a dimension. What no dimension here has is not
// readable, but for the rest of a page.
template <typename Int>
Int* room(std::size_t each) {
  const std::size_t whole = kDimensionsOfNvidia * each * sizeof(Int);
  constexpr std::size_t kPage = 4096;
  const std::size_t readable = (kMostDimensions * each * sizeof(Int) + kPage - 1) / kPage * kPage;
  void* const made = mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED || mprotect(made, readable, PROT_READ | PROT_WRITE) != 0)
    throw std::bad_alloc();
  return static_cast<Int*>(made);
}

template <typename Int>
Int* make_directions() {
  constexpr unsigned kWidth = kBits<Int>;
  boost::random::sobol_engine<Int, kWidth> engine(kMostDimensions);
  Int* const table = room<Int>(kWidth);
  for (unsigned k = 0; k < kWidth; ++k) {
    // Boost leaves the origin out: this is point 2^(k+1) - 1, whose Gray code is the bit k alone.
    engine.seed(static_cast<Int>((Int{2} << k) - 2));
    for (std::size_t d = 0; d < kMostDimensions; ++d) table[d * kWidth + k] = engine();
  }
  return table;
}

// Rows of a lower triangular matrix with ones on its diagonal; the first bit is the highest.
template <typename Int>
Int times(const std::vector<Int>& rows, Int value) {
  Int result = 0;
  for (const Int row : rows)
    result = static_cast<Int>(result << 1 | (std::popcount(row & value) & 1));
  return result;
}

template <typename Int>
Int random(boost::random::mt19937_64& engine) {
  return static_cast<Int>(engine() >> (64 - kBits<Int>));
}

template <typename Int>
Int* make_scrambled() {
  constexpr unsigned kWidth = kBits<Int>;
  const Int* const plain = directions<Int>();
  Int* const table = room<Int>(kWidth);
  boost::random::mt19937_64 engine(kWidth);
  for (std::size_t d = 0; d < kMostDimensions; ++d) {
    std::vector<Int> rows;
    for (unsigned i = 0; i < kWidth; ++i) {
      const Int diagonal = Int{1} << (kWidth - 1 - i);
      const Int before = static_cast<Int>(~((diagonal << 1) - 1));
      rows.push_back(static_cast<Int>((random<Int>(engine) & before) | diagonal));
    }
    for (unsigned k = 0; k < kWidth; ++k)
      table[d * kWidth + k] = times(rows, plain[d * kWidth + k]);
  }
  return table;
}

template <typename Int>
Int* make_constants() {
  Int* const table = room<Int>(1);
  boost::random::mt19937_64 engine(kBits<Int> + 1);
  for (std::size_t d = 0; d < kMostDimensions; ++d) table[d] = random<Int>(engine);
  return table;
}

}  // namespace

template <typename Int>
const Int* directions() {
  static const Int* const made = make_directions<Int>();
  return made;
}
template <typename Int>
const Int* scrambled_directions() {
  static const Int* const made = make_scrambled<Int>();
  return made;
}
template <typename Int>
const Int* scramble_constants() {
  static const Int* const made = make_constants<Int>();
  return made;
}

template const std::uint32_t* directions<std::uint32_t>();
template const std::uint64_t* directions<std::uint64_t>();
template const std::uint32_t* scrambled_directions<std::uint32_t>();
template const std::uint64_t* scrambled_directions<std::uint64_t>();
template const std::uint32_t* scramble_constants<std::uint32_t>();
template const std::uint64_t* scramble_constants<std::uint64_t>();

}  // namespace heddle::runtime::libraries::curand
