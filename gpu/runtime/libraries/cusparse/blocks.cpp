// cuSPARSE's routines for matrices of square blocks: products with dense vectors and matrices, and
// triangular systems.
#include "gpu/runtime/libraries/cusparse/pattern.hpp"

namespace heddle::runtime::libraries::cusparse {
namespace {

// A dense matrix by columns, of which `op` is meant.
struct Side {
  std::int64_t leading = 0;
  Op op = Op::none;
  std::int64_t at(std::int64_t row, std::int64_t column) const {
    return op == Op::none ? row + column * leading : column + row * leading;
  }
  std::int64_t elements(std::int64_t rows, std::int64_t columns) const {
    return op == Op::none ? span(rows, columns, leading) : span(columns, rows, leading);
  }
};

// Calls visit(row, column, value) for the elements of op(A).
template <typename T, typename Visit>
void for_each_element(const Pattern& pattern, Op op, const T* values, Visit visit) {
  for (std::size_t i = 0; i < pattern.size(); ++i)
    for (const Place& place : pattern[i]) {
      const auto row = static_cast<std::int64_t>(i);
      if (op == Op::none)
        visit(row, place.column, values[place.at]);
      else
        visit(place.column, row, applied(op, values[place.at]));
    }
}

// C = alpha op(A) op(B) + beta C, with `n` columns.
template <typename T>
Status multiply(Handle handle, DataType type, const Layout& a, Op op, const T* values,
                std::int64_t n, const T* alpha, const T* b, Side of_b, const T* beta, T* c,
                std::int64_t leading) {
  if (handle == nullptr) return Status::not_initialized;
  demand(alpha != nullptr && beta != nullptr && n >= 0);
  const bool there = handle->pointers == 1;
  const T by_alpha = there ? T{} : *alpha, by_beta = there ? T{} : *beta;
  const std::int64_t rows = op == Op::none ? a.height() : a.width();
  const std::int64_t inner = op == Op::none ? a.width() : a.height();
  demand(leading >= rows);
  return run(handle, type, shape_of(a), [=, context = *handle] {
    const T factor = scalar(context, alpha, by_alpha), keep = scalar(context, beta, by_beta);
    const T* const from = in(b, of_b.elements(inner, n));
    T* const to = out(c, span(rows, n, leading));
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < rows; ++i)
        to[i + j * leading] = keep == T{} ? T{} : keep * to[i + j * leading];
    for_each_element(pattern_of(a), op, in(values, a.elements()),
                     [&](std::int64_t row, std::int64_t column, const T& value) {
                       for (std::int64_t j = 0; j < n; ++j)
                         to[row + j * leading] +=
                             factor * value * applied(of_b.op, from[of_b.at(column, j)]);
                     });
  });
}

template <typename T, DataType kType>
Status bsrmv(Handle handle, int direction, Op op, int rows, int columns, int count, const T* alpha,
             const Description* of, const T* values, const int* begin, const int* places, int block,
             const T* x, const T* beta, T* y) {
  const Layout a = bsr(direction, rows, columns, count, of, begin, places, block);
  const std::int64_t inner = op == Op::none ? a.width() : a.height();
  const std::int64_t height = op == Op::none ? a.height() : a.width();
  return multiply(handle, kType, a, op, values, 1, alpha, x, Side{inner, Op::none}, beta, y,
                  height);
}
template <typename T, DataType kType>
Status bsrmm(Handle handle, int direction, Op op, Op op_b, int rows, int n, int columns, int count,
             const T* alpha, const Description* of, const T* values, const int* begin,
             const int* places, int block, const T* b, int leading_b, const T* beta, T* c,
             int leading) {
  const Layout a = bsr(direction, rows, columns, count, of, begin, places, block);
  return multiply(handle, kType, a, op, values, n, alpha, b, Side{leading_b, op_b}, beta, c,
                  leading);
}

// What an analysis leaves: the first diagonal element that is missing or zero, in blocks; -1: none.
struct Triangle {
  std::shared_ptr<int> zero = std::make_shared<int>(-1);
};
Status create(Triangle** made) {
  demand(made != nullptr);
  *made = new Triangle;
  return Status::success;
}
Status destroy(const Triangle* info) {
  delete info;
  return Status::success;
}
Status zero_pivot(Handle handle, const Triangle* info, int* position) {
  if (handle == nullptr) return Status::not_initialized;
  demand(info != nullptr && position != nullptr);
  if (!synchronize(handle->stream)) return Status::execution_failed;
  const bool there = handle->pointers == 1;
  *(there ? out(position, 1) : position) = *info->zero;
  return *info->zero >= 0 ? Status::zero_pivot : Status::success;
}

// Solves op(A) X = alpha op(B) for the triangle of A that its description names; X lies as B does.
template <typename T>
int solve_columns(const Layout& a, const Description& of, Op op, const T* values, std::int64_t n,
                  const T& factor, const T* b, Side of_b, T* x, Side of_x) {
  const std::int64_t size = a.height();
  std::vector<std::vector<std::pair<std::int64_t, T>>> rows(static_cast<std::size_t>(size));
  const bool ones = of.diagonal == 1, upper = (of.fill == 1) != (op != Op::none);
  std::vector<T> diagonal(rows.size(), ones ? T(1) : T{});
  for_each_element(pattern_of(a), op, in(values, a.elements()),
                   [&](std::int64_t row, std::int64_t column, const T& value) {
                     const auto at = static_cast<std::size_t>(row);
                     if (row == column && !ones) diagonal[at] = value;
                     if (row != column && (row < column) == upper)
                       rows[at].emplace_back(column, value);
                   });
  const T* const from = in(b, of_b.elements(size, n));
  T* const to = out(x, of_x.elements(size, n));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t row = upper ? size - 1 - i : i;
      T sum = factor * applied(of_b.op, from[of_b.at(row, j)]);
      for (const auto& [column, value] : rows[static_cast<std::size_t>(row)])
        sum -= value * to[of_x.at(column, j)];
      to[of_x.at(row, j)] = sum / diagonal[static_cast<std::size_t>(row)];
    }
  const auto zero = std::ranges::find(diagonal, T{});
  return zero == diagonal.end() ? -1 : static_cast<int>(zero - diagonal.begin()) / a.block;
}
template <typename T>
Status solve(Handle handle, DataType type, const Layout& a, const Description* of, Op op,
             const T* values, std::int64_t n, const T* alpha, const Triangle* info, const T* b,
             Side of_b, T* x, Side of_x) {
  if (handle == nullptr) return Status::not_initialized;
  demand(alpha != nullptr && info != nullptr && n >= 0);
  const T given = handle->pointers == 1 ? T{} : *alpha;
  return run(handle, type, shape_of(a),
             [=, context = *handle, description = *of, zero = info->zero] {
               *zero = solve_columns(a, description, op, values, n, scalar(context, alpha, given),
                                     b, of_b, x, of_x);
             });
}

template <typename T, DataType kType>
Status bsrsv2(Handle handle, int direction, Op op, int rows, int count, const T* alpha,
              const Description* of, const T* values, const int* begin, const int* places,
              int block, Triangle* info, const T* b, T* x, int, void*) {
  const Layout a = bsr(direction, rows, rows, count, of, begin, places, block);
  const Side plain{a.height(), Op::none};
  return solve(handle, kType, a, of, op, values, 1, alpha, info, b, plain, x, plain);
}
template <typename T, DataType kType>
Status bsrsm2(Handle handle, int direction, Op op, Op op_b, int rows, int n, int count,
              const T* alpha, const Description* of, const T* values, const int* begin,
              const int* places, int block, Triangle* info, const T* b, int leading_b, T* x,
              int leading_x, int, void*) {
  const Layout a = bsr(direction, rows, rows, count, of, begin, places, block);
  return solve(handle, kType, a, of, op, values, n, alpha, info, b, Side{leading_b, op_b}, x,
               Side{leading_x, op_b == Op::none ? Op::none : Op::transpose});
}

template <typename T>
using OfVector = SmallWorkspace<Handle, int, Op, int, int, const Description*, const T*, const int*,
                                const int*, int, Triangle*>;
template <typename T>
using OfMatrix = SmallWorkspace<Handle, int, Op, Op, int, int, int, const Description*, const T*,
                                const int*, const int*, int, Triangle*>;
template <typename T>
Status analyse_vector(Handle, int, Op, int, int, const Description*, const T*, const int*,
                      const int*, int, Triangle*, int, void*) {
  return Status::success;  // the solution finds what lacks
}
template <typename T>
Status analyse_matrix(Handle, int, Op, Op, int, int, int, const Description*, const T*, const int*,
                      const int*, int, Triangle*, int, void*) {
  return Status::success;
}

}  // namespace

#define HEDDLE_BLOCKS(letter, T, type)                                     \
  HEDDLE_EXPORT(cusparse##letter##bsrmv, bsrmv<T, DataType::type>)         \
  HEDDLE_EXPORT(cusparse##letter##bsrmm, bsrmm<T, DataType::type>)         \
  HEDDLE_EXPORT(cusparse##letter##bsrsv2_bufferSize, OfVector<T>::ask)     \
  HEDDLE_EXPORT(cusparse##letter##bsrsv2_analysis, analyse_vector<T>)      \
  HEDDLE_EXPORT(cusparse##letter##bsrsv2_solve, bsrsv2<T, DataType::type>) \
  HEDDLE_EXPORT(cusparse##letter##bsrsm2_bufferSize, OfMatrix<T>::ask)     \
  HEDDLE_EXPORT(cusparse##letter##bsrsm2_analysis, analyse_matrix<T>)      \
  HEDDLE_EXPORT(cusparse##letter##bsrsm2_solve, bsrsm2<T, DataType::type>)
HEDDLE_BLOCKS(S, float, float32)
HEDDLE_BLOCKS(D, double, float64)
HEDDLE_BLOCKS(C, Complex, complex64)
HEDDLE_BLOCKS(Z, DoubleComplex, complex128)
HEDDLE_EXPORT(cusparseCreateBsrsv2Info, create)
HEDDLE_EXPORT(cusparseDestroyBsrsv2Info, destroy)
HEDDLE_EXPORT(cusparseXbsrsv2_zeroPivot, zero_pivot)
HEDDLE_EXPORT(cusparseCreateBsrsm2Info, create)
HEDDLE_EXPORT(cusparseDestroyBsrsm2Info, destroy)
HEDDLE_EXPORT(cusparseXbsrsm2_zeroPivot, zero_pivot)

}  // namespace heddle::runtime::libraries::cusparse
