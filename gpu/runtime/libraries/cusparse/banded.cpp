// cuSPARSE's systems with three or five diagonals. Each is solved by elimination with row
// exchanges, those too whose name says without.
#include <array>
#include <span>

#include "gpu/runtime/libraries/cusparse/types.hpp"

namespace heddle::runtime::libraries::cusparse {
namespace {

// The diagonals of a system, the lowest first, and its right side; element i of system s lies at
// s * between_systems + i * between_rows.
template <typename T, std::size_t kDiagonals>
struct Systems {
  std::array<const T*, kDiagonals> diagonals;
  T* sides = nullptr;
  std::int64_t rows = 0, count = 0;
  std::int64_t between_systems = 0, between_rows = 1;  // of diagonals
  std::int64_t between_sides = 0;                      // from one system's to the next one's
};

// Row i of `rows` holds columns from i - reach up, and later what exchanges bring.
template <typename T>
void eliminate(std::vector<std::vector<T>>& rows, std::vector<T>& side, std::size_t reach) {
  const std::size_t n = rows.size();
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t last = std::min(n, k + reach + 1);
    // Column k stands first in each of the rows below, which have been shifted so far.
    std::size_t best = k;
    for (std::size_t i = k + 1; i < last; ++i)
      if (std::abs(rows[i][0]) > std::abs(rows[best][0])) best = i;
    std::swap(rows[k], rows[best]);
    std::swap(side[k], side[best]);
    for (std::size_t i = k + 1; i < last; ++i) {
      const T factor = rows[i][0] / rows[k][0];
      for (std::size_t j = 1; j < rows[k].size(); ++j)
        rows[i][j - 1] = rows[i][j] - factor * rows[k][j];
      rows[i].back() = T{};
      side[i] -= factor * side[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = 1; j < rows[k].size() && k + j < n; ++j)
      side[k] -= rows[k][j] * side[k + j];
    side[k] /= rows[k][0];
  }
}

// A row as elimination takes it: its columns from the first one of its matrix, or of its band, on.
template <typename T, std::size_t kDiagonals>
std::vector<std::vector<T>> rows_of(const std::array<const T*, kDiagonals>& diagonals,
                                    std::int64_t n, std::int64_t first, std::int64_t step) {
  constexpr std::int64_t kReach = kDiagonals / 2;
  std::vector<std::vector<T>> rows(static_cast<std::size_t>(n), std::vector<T>(2 * kReach + 1));
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t begins = std::max<std::int64_t>(0, i - kReach);
    for (std::int64_t column = begins; column <= std::min(n - 1, i + kReach); ++column)
      rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(column - begins)] =
          diagonals[static_cast<std::size_t>(column - i + kReach)][first + i * step];
  }
  return rows;
}

template <typename T, std::size_t kDiagonals>
void solve_all(const Systems<T, kDiagonals>& systems) {
  const auto reaches = [&](std::int64_t between) {
    return systems.rows == 0 || systems.count == 0
               ? 0
               : 1 + (systems.rows - 1) * systems.between_rows + (systems.count - 1) * between;
  };
  std::array<const T*, kDiagonals> diagonals;
  for (std::size_t i = 0; i < kDiagonals; ++i)
    diagonals[i] = in(systems.diagonals[i], reaches(systems.between_systems));
  T* const sides = out(systems.sides, reaches(systems.between_sides));
  std::vector<T> side(static_cast<std::size_t>(systems.rows));
  for (std::int64_t s = 0; s < systems.count; ++s) {
    auto rows = rows_of(diagonals, systems.rows, s * systems.between_systems, systems.between_rows);
    const auto at = [&](std::size_t i) {
      return s * systems.between_sides + static_cast<std::int64_t>(i) * systems.between_rows;
    };
    for (std::size_t i = 0; i < side.size(); ++i) side[i] = sides[at(i)];
    eliminate(rows, side, kDiagonals / 2);
    for (std::size_t i = 0; i < side.size(); ++i) sides[at(i)] = side[i];
  }
}
template <typename T, std::size_t kDiagonals>
Status solve(Handle handle, DataType type, const Systems<T, kDiagonals>& systems) {
  if (handle == nullptr) return Status::not_initialized;
  demand(systems.rows >= 0 && systems.count >= 0);
  return run(handle, type, {{"n", systems.rows}, {"systems", systems.count}},
             [=] { solve_all(systems); });
}

// One matrix, several right sides.
template <typename T, DataType kType>
Status gtsv2(Handle handle, int m, int n, const T* lower, const T* middle, const T* upper, T* b,
             int leading, void*) {
  demand(leading >= m);
  return solve<T, 3>(handle, kType, {{lower, middle, upper}, b, m, n, 0, 1, leading});
}
template <typename T, DataType kType>
Status strided(Handle handle, int m, const T* lower, const T* middle, const T* upper, T* x,
               int count, int stride, void*) {
  demand(stride >= m);
  return solve<T, 3>(handle, kType, {{lower, middle, upper}, x, m, count, stride, 1, stride});
}
template <typename T, DataType kType>
Status interleaved(Handle handle, int, int m, T* lower, T* middle, T* upper, T* x, int count,
                   void*) {
  return solve<T, 3>(handle, kType, {{lower, middle, upper}, x, m, count, 1, count, 1});
}
template <typename T, DataType kType>
Status interleaved5(Handle handle, int, int m, T* lowest, T* lower, T* middle, T* upper, T* highest,
                    T* x, int count, void*) {
  return solve<T, 5>(handle, kType,
                     {{lowest, lower, middle, upper, highest}, x, m, count, 1, count, 1});
}

template <typename T>
using OfSides = Workspace<Handle, int, int, const T*, const T*, const T*, const T*, int>;
template <typename T>
using OfStrided = Workspace<Handle, int, const T*, const T*, const T*, const T*, int, int>;
template <typename T>
using OfThree = Workspace<Handle, int, int, const T*, const T*, const T*, const T*, int>;
template <typename T>
using OfFive =
    Workspace<Handle, int, int, const T*, const T*, const T*, const T*, const T*, const T*, int>;

}  // namespace

#define HEDDLE_BANDED(letter, T, type)                                                   \
  HEDDLE_EXPORT(cusparse##letter##gtsv2, gtsv2<T, DataType::type>)                       \
  HEDDLE_EXPORT(cusparse##letter##gtsv2_bufferSizeExt, OfSides<T>::ask)                  \
  HEDDLE_EXPORT(cusparse##letter##gtsv2_nopivot, gtsv2<T, DataType::type>)               \
  HEDDLE_EXPORT(cusparse##letter##gtsv2_nopivot_bufferSizeExt, OfSides<T>::ask)          \
  HEDDLE_EXPORT(cusparse##letter##gtsv2StridedBatch, strided<T, DataType::type>)         \
  HEDDLE_EXPORT(cusparse##letter##gtsv2StridedBatch_bufferSizeExt, OfStrided<T>::ask)    \
  HEDDLE_EXPORT(cusparse##letter##gtsvInterleavedBatch, interleaved<T, DataType::type>)  \
  HEDDLE_EXPORT(cusparse##letter##gtsvInterleavedBatch_bufferSizeExt, OfThree<T>::ask)   \
  HEDDLE_EXPORT(cusparse##letter##gpsvInterleavedBatch, interleaved5<T, DataType::type>) \
  HEDDLE_EXPORT(cusparse##letter##gpsvInterleavedBatch_bufferSizeExt, OfFive<T>::ask)
HEDDLE_BANDED(S, float, float32)
HEDDLE_BANDED(D, double, float64)
HEDDLE_BANDED(C, Complex, complex64)
HEDDLE_BANDED(Z, DoubleComplex, complex128)

}  // namespace heddle::runtime::libraries::cusparse
