// cuSPARSE: how many elements of a matrix count, and what is left when small ones go; a dense
// product where a sparse matrix has entries; batches.
#include "gpu/runtime/libraries/cusparse/pattern.hpp"

namespace heddle::runtime::libraries::cusparse {
namespace {

// A total goes where the handle's pointers lie; the program reads one of the host's at once.
Status told(Handle handle, Status status) {
  if (status != Status::success || handle->pointers == 1) return status;
  return synchronize(handle->stream) ? Status::success : Status::execution_failed;
}

// Elements that are not zero, by rows or by columns.
template <typename T, DataType kType>
Status nnz(Handle handle, int direction, int m, int n, const Description*, const T* values,
           int leading, int* counts, int* total) {
  if (handle == nullptr) return Status::not_initialized;
  demand(m >= 0 && n >= 0 && leading >= m && total != nullptr);
  const bool by_columns = direction == kByColumns, there = handle->pointers == 1;
  return told(handle, run(handle, kType, {{"rows", m}, {"columns", n}}, [=] {
                const T* const from = in(values, span(m, n, leading));
                int* const to = out(counts, by_columns ? n : m);
                std::fill_n(to, by_columns ? n : m, 0);
                int sum = 0;
                for (std::int64_t j = 0; j < n; ++j)
                  for (std::int64_t i = 0; i < m; ++i) {
                    if (from[i + j * leading] == T{}) continue;
                    ++to[by_columns ? j : i];
                    ++sum;
                  }
                *(there ? out(total, 1) : total) = sum;
              }));
}

template <typename T>
bool stays(const T& value, Real<T> tolerance) {
  return std::abs(value) > tolerance;
}

template <typename T, DataType kType>
Status nnz_compress(Handle handle, int m, const Description* of, const T* values, const int* begin,
                    int* counts, int* total, T tolerance) {
  if (handle == nullptr) return Status::not_initialized;
  demand(m >= 0 && of != nullptr && total != nullptr);
  const bool there = handle->pointers == 1;
  return told(handle, run(handle, kType, {{"rows", m}}, [=, base = of->base] {
                const auto begins = indices(begin, Index::bits32, std::int64_t{m} + 1, base);
                const T* const from = in(values, begins.back());
                int* const to = out(counts, m);
                int sum = 0;
                for (int i = 0; i < m; ++i) {
                  to[i] = 0;
                  for (auto k = begins[static_cast<std::size_t>(i)];
                       k < begins[static_cast<std::size_t>(i) + 1]; ++k)
                    to[i] += stays(from[k], std::real(tolerance)) ? 1 : 0;
                  sum += to[i];
                }
                *(there ? out(total, 1) : total) = sum;
              }));
}

template <typename T, DataType kType>
Status compress(Handle handle, int m, int n, const Description* of, const T* values,
                const int* places, const int* begin, int count, const int*, T* to_values,
                int* to_places, int* to_begin, T tolerance) {
  if (handle == nullptr) return Status::not_initialized;
  const Layout from = csr(m, n, count, of, begin, places);
  return run(handle, kType, shape_of(from), [=] {
    const T* const all = in(values, count);
    std::vector<std::int64_t> begins{0}, columns;
    std::vector<T> kept;
    for (const auto& row : pattern_of(from)) {
      for (const Place& place : row) {
        if (!stays(all[place.at], std::real(tolerance))) continue;
        columns.push_back(place.column);
        kept.push_back(all[place.at]);
      }
      begins.push_back(std::ssize(columns));
    }
    put_indices(to_begin, Index::bits32, begins, from.base);
    put_indices(to_places, Index::bits32, columns, from.base);
    std::ranges::copy(kept, out(to_values, std::ssize(kept)));
  });
}

// Calls change(row, column, value) for each entry, in the order in which they are stored.
template <typename T, typename Change>
void change_entries(const Sparse& matrix, Change change) {
  T* value = out(static_cast<T*>(matrix.values), matrix.count);
  for_each_entry<T>(matrix, [&](std::int64_t row, std::int64_t column, const T&) {
    change(row, column, *value);
    ++value;
  });
}

// C = alpha op(A) op(B) + beta C where C has entries.
Status sampled_product(Handle handle, Op op_a, Op op_b, const void* alpha, const Dense* a,
                       const Dense* b, const void* beta, Sparse* c, DataType, int, void*) {
  if (handle == nullptr) return Status::not_initialized;
  demand(a != nullptr && b != nullptr && c != nullptr && alpha != nullptr && beta != nullptr &&
         a->type == c->type && b->type == c->type);
  const bool plain_a = op_a == Op::none, plain_b = op_b == Op::none;
  const std::int64_t inner = plain_a ? a->columns : a->rows;
  demand(c->rows == (plain_a ? a->rows : a->columns) &&
         c->columns == (plain_b ? b->columns : b->rows) &&
         inner == (plain_b ? b->rows : b->columns));
  return with_lapack_type(c->type, [&]<typename T>(T) {
    const bool there = handle->pointers == 1;
    const T by_alpha = there ? T{} : *static_cast<const T*>(alpha);
    const T by_beta = there ? T{} : *static_cast<const T*>(beta);
    const Shape shape{{"rows", c->rows}, {"columns", c->columns}, {"nnz", c->count}, {"k", inner}};
    return run(handle, c->type, shape, [=, context = *handle, left = *a, right = *b, to = *c] {
      const T factor = scalar(context, alpha, by_alpha), keep = scalar(context, beta, by_beta);
      const T* const x = in(static_cast<const T*>(left.values), left.elements());
      const T* const y = in(static_cast<const T*>(right.values), right.elements());
      change_entries<T>(to, [&](std::int64_t row, std::int64_t column, T& value) {
        T sum{};
        for (std::int64_t k = 0; k < inner; ++k)
          sum += applied(op_a, x[plain_a ? left.at(row, k) : left.at(k, row)]) *
                 applied(op_b, y[plain_b ? right.at(k, column) : right.at(column, k)]);
        value = factor * sum + (keep == T{} ? T{} : keep * value);
      });
    });
  });
}
using OfProduct = Workspace<Handle, Op, Op, const void*, const Dense*, const Dense*, const void*,
                            Sparse*, DataType, int>;

Status set_csr_batches(Sparse* matrix, int count, std::int64_t between_offsets,
                       std::int64_t between_entries) {
  demand(matrix != nullptr && matrix->by_row && count > 0);
  matrix->batches = count;
  matrix->between_offsets = between_offsets;
  matrix->between_entries = between_entries;
  return Status::success;
}
Status set_coo_batches(Sparse* matrix, int count, std::int64_t between_entries) {
  demand(matrix != nullptr && !matrix->by_row && count > 0);
  matrix->batches = count;
  matrix->between_offsets = matrix->between_entries = between_entries;
  return Status::success;
}
Status get_sparse_batches(const Sparse* matrix, int* count) {
  demand(matrix != nullptr && count != nullptr);
  *count = matrix->batches;
  return Status::success;
}
Status set_dense_batches(Dense* matrix, int count, std::int64_t between) {
  demand(matrix != nullptr && count > 0 && between >= 0);
  matrix->batches = count;
  matrix->between_batches = between;
  return Status::success;
}
Status get_dense_batches(const Dense* matrix, int* count, std::int64_t* between) {
  demand(matrix != nullptr && count != nullptr && between != nullptr);
  *count = matrix->batches;
  *between = matrix->between_batches;
  return Status::success;
}

}  // namespace

#define HEDDLE_COUNTS(letter, T, type)                                           \
  HEDDLE_EXPORT(cusparse##letter##nnz, nnz<T, DataType::type>)                   \
  HEDDLE_EXPORT(cusparse##letter##nnz_compress, nnz_compress<T, DataType::type>) \
  HEDDLE_EXPORT(cusparse##letter##csr2csr_compress, compress<T, DataType::type>)
HEDDLE_COUNTS(S, float, float32)
HEDDLE_COUNTS(D, double, float64)
HEDDLE_COUNTS(C, Complex, complex64)
HEDDLE_COUNTS(Z, DoubleComplex, complex128)
HEDDLE_EXPORT(cusparseSDDMM, sampled_product)
HEDDLE_EXPORT(cusparseSDDMM_bufferSize, OfProduct::ask)
HEDDLE_EXPORT(cusparseSDDMM_preprocess, OfProduct::prepare)
HEDDLE_EXPORT(cusparseCsrSetStridedBatch, set_csr_batches)
HEDDLE_EXPORT(cusparseCooSetStridedBatch, set_coo_batches)
HEDDLE_EXPORT(cusparseSpMatGetStridedBatch, get_sparse_batches)
HEDDLE_EXPORT(cusparseDnMatSetStridedBatch, set_dense_batches)
HEDDLE_EXPORT(cusparseDnMatGetStridedBatch, get_dense_batches)

}  // namespace heddle::runtime::libraries::cusparse
