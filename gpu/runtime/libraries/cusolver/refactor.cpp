// cuSOLVER's refactorisation: factors of matrices that differ in their numbers alone, with the
// order and the pattern of the first one's. In double precision, by rows.
#include <cmath>
#include <cstdlib>
#include <memory>

#include "gpu/runtime/libraries/cusolver/sparse_calls.hpp"
#include "gpu/runtime/libraries/cusolver/sparse_factors.hpp"

namespace heddle::runtime::libraries::cusolver {
namespace {

struct Refactoring {
  Context context;
  int format = 0, unit_diagonal = 0;  // 0: by rows; the ones of L are stored
  int factoring = 0, solving = 1;     // algorithms, which do not show in the results
  int fast_mode = 0;
  double zero = 0, boost = 0;
  bool boosted = false;
  SparseMatrix<double> matrix;        // P A Q'
  SparseMatrix<double> lower, upper;  // L without its diagonal, U with it
};
using RfHandle = Refactoring*;

Status create(RfHandle* handle) {
  demand(handle != nullptr);
  *handle = new Refactoring;
  return Status::success;
}
Status destroy(RfHandle handle) {
  delete handle;
  return Status::success;
}
template <auto kOne, auto kOther, typename T>
Status set_two(RfHandle handle, T one, T other) {
  if (handle == nullptr) return Status::not_initialized;
  handle->*kOne = one;
  handle->*kOther = other;
  return Status::success;
}
template <auto kOne, auto kOther, typename T>
Status get_two(RfHandle handle, T* one, T* other) {
  if (handle == nullptr) return Status::not_initialized;
  demand(one != nullptr && other != nullptr);
  *one = handle->*kOne;
  *other = handle->*kOther;
  return Status::success;
}
Status set_format(RfHandle handle, int format, int unit_diagonal) {
  if (handle == nullptr) return Status::not_initialized;
  if (format != 0 || (unit_diagonal != 0 && unit_diagonal != 2))
    throw Missing("matrices by columns, and ones on the diagonal of U, are not supported");
  handle->unit_diagonal = unit_diagonal;
  return Status::success;
}
Status set_fast_mode(RfHandle handle, int mode) {
  if (handle == nullptr) return Status::not_initialized;
  handle->fast_mode = mode;
  return Status::success;
}
Status get_fast_mode(RfHandle handle, int* mode) {
  if (handle == nullptr) return Status::not_initialized;
  demand(mode != nullptr);
  *mode = handle->fast_mode;
  return Status::success;
}
Status get_boosted(RfHandle handle, int* report) {
  if (handle == nullptr) return Status::not_initialized;
  demand(report != nullptr);
  *report = handle->boosted ? 1 : 0;
  return Status::success;
}

constexpr cusparse::Description kFromZero{};

void drop_diagonal(SparseMatrix<double>& lower) {
  SparseMatrix<double> made;
  made.rows = lower.rows, made.columns = lower.columns;
  made.first = {0};
  for (int row = 0; row < lower.rows; ++row) {
    for (int at = lower.first[place(row)]; at < lower.first[place(row) + 1]; ++at)
      if (lower.second[place(at)] != row) {
        made.second.push_back(lower.second[place(at)]);
        made.values.push_back(lower.values[place(at)]);
      }
    made.first.push_back(made.entries());
  }
  lower = std::move(made);
}

Permutation read_permutation(const int* p, int n) { return {in(p, n), in(p, n) + n}; }

SparseMatrix<double> in_order(const SparseMatrix<double>& matrix) {
  const Permutation same = order_of(0, matrix);
  return permuted(matrix, same, same);
}

// Its arrays are the host's or the device's.
Status set_up(int n, int entries, int* first, int* second, double* values, int lower_entries,
              int* lower_first, int* lower_second, double* lower_values, int upper_entries,
              int* upper_first, int* upper_second, double* upper_values, int* p, int* q,
              RfHandle handle) {
  if (handle == nullptr) return Status::not_initialized;
  demand(n > 0 && entries >= 0);
  return run_at_once<double>(&handle->context, {{"n", n}, {"entries", entries}}, [=] {
    handle->matrix = permuted(read_matrix(n, n, entries, &kFromZero, values, first, second),
                              read_permutation(p, n), read_permutation(q, n));
    handle->lower = in_order(
        read_matrix(n, n, lower_entries, &kFromZero, lower_values, lower_first, lower_second));
    handle->upper = in_order(
        read_matrix(n, n, upper_entries, &kFromZero, upper_values, upper_first, upper_second));
    if (handle->unit_diagonal == 0) drop_diagonal(handle->lower);
  });
}
Status reset_values(int n, int entries, int* first, int* second, double* values, int* p, int* q,
                    RfHandle handle) {
  if (handle == nullptr) return Status::not_initialized;
  demand(n == handle->matrix.rows && entries == handle->matrix.entries());
  return run_at_once<double>(&handle->context, {{"n", n}, {"entries", entries}}, [=] {
    handle->matrix = permuted(read_matrix(n, n, entries, &kFromZero, values, first, second),
                              read_permutation(p, n), read_permutation(q, n));
  });
}
Status analyse(RfHandle handle) {
  if (handle == nullptr) return Status::not_initialized;
  demand(handle->matrix.rows > 0);
  return Status::success;
}

// One row of L and U, in `x`, which has a 0 everywhere before and after.
void refactor_row(Refactoring& all, int row, std::vector<double>& x) {
  SparseMatrix<double>&lower = all.lower, &upper = all.upper;
  const SparseMatrix<double>& matrix = all.matrix;
  for (int at = matrix.first[place(row)]; at < matrix.first[place(row) + 1]; ++at)
    x[place(matrix.second[place(at)])] += matrix.values[place(at)];
  for (int at = lower.first[place(row)]; at < lower.first[place(row) + 1]; ++at) {
    const int k = lower.second[place(at)];
    int other = upper.first[place(k)];  // the pivot is a row's first
    const double factor = lower.values[place(at)] = x[place(k)] / upper.values[place(other)];
    for (++other; other < upper.first[place(k) + 1]; ++other)
      x[place(upper.second[place(other)])] -= factor * upper.values[place(other)];
  }
  for (int at = upper.first[place(row)]; at < upper.first[place(row) + 1]; ++at)
    upper.values[place(at)] = x[place(upper.second[place(at)])];
  double& pivot = upper.values[place(upper.first[place(row)])];
  if (std::abs(pivot) < all.zero) {
    pivot = all.boost;
    all.boosted = true;
  }
}

Status refactor(RfHandle handle) {
  if (handle == nullptr) return Status::not_initialized;
  const int n = handle->matrix.rows;
  demand(n > 0);
  return run_at_once<double>(&handle->context, {{"n", n}}, [=] {
    Refactoring& all = *handle;
    all.boosted = false;
    for (int row = 0; row < n; ++row) {
      const int at = all.upper.first[place(row)];
      if (at == all.upper.first[place(row) + 1] || all.upper.second[place(at)] != row)
        throw std::runtime_error("the pattern of U has no diagonal in row " + std::to_string(row));
    }
    std::vector<double> x(place(n));
    for (int row = 0; row < n; ++row) {
      refactor_row(all, row, x);
      std::fill(x.begin(), x.end(), 0.0);
    }
  });
}

// P A Q' = L U, so that A x = b is L U (Q x) = P b. `xf` is b, and becomes x.
Status solve(RfHandle handle, int* p, int* q, int columns, double*, int, double* xf, int leading) {
  if (handle == nullptr) return Status::not_initialized;
  const int n = handle->matrix.rows;
  demand(n > 0 && columns == 1 && leading >= n);
  return run_at_once<double>(&handle->context, {{"n", n}}, [=] {
    const SparseMatrix<double>&lower = handle->lower, &upper = handle->upper;
    double* const b = out(xf, n);
    std::vector<double> y;
    for (const int row : read_permutation(p, n)) y.push_back(b[row]);
    for (int row = 0; row < n; ++row)
      for (int at = lower.first[place(row)]; at < lower.first[place(row) + 1]; ++at)
        y[place(row)] -= lower.values[place(at)] * y[place(lower.second[place(at)])];
    for (int row = n; row-- > 0;) {
      const int pivot = upper.first[place(row)];
      for (int at = pivot + 1; at < upper.first[place(row) + 1]; ++at)
        y[place(row)] -= upper.values[place(at)] * y[place(upper.second[place(at)])];
      y[place(row)] /= upper.values[place(pivot)];
    }
    const Permutation to = read_permutation(q, n);
    for (int i = 0; i < n; ++i) b[to[place(i)]] = y[place(i)];
  });
}

// The caller frees them.
template <typename T>
T* copy_of(const std::vector<T>& from) {
  auto* const made =
      static_cast<T*>(std::malloc(std::max<std::size_t>(1, from.size()) * sizeof(T)));
  if (made == nullptr) throw std::bad_alloc();
  std::copy(from.begin(), from.end(), made);
  return made;
}
Status extract(RfHandle handle, int* lower_entries, int** lower_first, int** lower_second,
               double** lower_values, int* upper_entries, int** upper_first, int** upper_second,
               double** upper_values) {
  if (handle == nullptr) return Status::not_initialized;
  *lower_entries = handle->lower.entries();
  *lower_first = copy_of(handle->lower.first);
  *lower_second = copy_of(handle->lower.second);
  *lower_values = copy_of(handle->lower.values);
  *upper_entries = handle->upper.entries();
  *upper_first = copy_of(handle->upper.first);
  *upper_second = copy_of(handle->upper.second);
  *upper_values = copy_of(handle->upper.values);
  return Status::success;
}

}  // namespace

HEDDLE_EXPORT(cusolverRfCreate, create)
HEDDLE_EXPORT(cusolverRfDestroy, destroy)
HEDDLE_EXPORT(cusolverRfSetMatrixFormat, set_format)
HEDDLE_EXPORT(cusolverRfGetMatrixFormat,
              get_two<&Refactoring::format, &Refactoring::unit_diagonal, int>)
HEDDLE_EXPORT(cusolverRfSetNumericProperties,
              set_two<&Refactoring::zero, &Refactoring::boost, double>)
HEDDLE_EXPORT(cusolverRfGetNumericProperties,
              get_two<&Refactoring::zero, &Refactoring::boost, double>)
HEDDLE_EXPORT(cusolverRfGetNumericBoostReport, get_boosted)
HEDDLE_EXPORT(cusolverRfSetAlgs, set_two<&Refactoring::factoring, &Refactoring::solving, int>)
HEDDLE_EXPORT(cusolverRfGetAlgs, get_two<&Refactoring::factoring, &Refactoring::solving, int>)
HEDDLE_EXPORT(cusolverRfSetResetValuesFastMode, set_fast_mode)
HEDDLE_EXPORT(cusolverRfGetResetValuesFastMode, get_fast_mode)
HEDDLE_EXPORT(cusolverRfSetupHost, set_up)
HEDDLE_EXPORT(cusolverRfSetupDevice, set_up)
HEDDLE_EXPORT(cusolverRfResetValues, reset_values)
HEDDLE_EXPORT(cusolverRfAnalyze, analyse)
HEDDLE_EXPORT(cusolverRfRefactor, refactor)
HEDDLE_EXPORT(cusolverRfSolve, solve)
HEDDLE_EXPORT(cusolverRfExtractSplitFactorsHost, extract)

}  // namespace heddle::runtime::libraries::cusolver
