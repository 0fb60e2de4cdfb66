// cuSPARSE: entries in the order of rows and columns, and what matrices and vectors consist of.
#include <numeric>

#include "gpu/runtime/libraries/cusparse/types.hpp"

namespace heddle::runtime::libraries::cusparse {
namespace {

Status identity(Handle handle, int count, int* permutation) {
  if (handle == nullptr) return Status::not_initialized;
  demand(count >= 0);
  return run(handle, DataType::int32, {{"n", count}}, [=] {
    int* const to = out(permutation, count);
    std::iota(to, to + count, 0);
  });
}

// Sorts entries `from` to `end` by the first key, then by the second; other lists go along.
void sort_entries(std::int64_t from, std::int64_t end, const int* first, const int* second,
                  std::initializer_list<int*> lists) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(end - from));
  std::iota(order.begin(), order.end(), from);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return std::pair(first[a], second[a]) < std::pair(first[b], second[b]);
  });
  std::vector<int> sorted(order.size());
  std::vector<std::vector<int>> results;
  for (int* const list : lists) {
    if (list != nullptr)
      std::transform(order.begin(), order.end(), sorted.begin(),
                     [&](std::int64_t at) { return list[at]; });
    results.push_back(sorted);
  }
  auto result = results.begin();
  for (int* const list : lists) {
    if (list != nullptr) std::copy(result->begin(), result->end(), list + from);
    ++result;
  }
}

template <bool kByRow>
Status sort_coo(Handle handle, int m, int n, int count, int* rows, int* columns, int* permutation,
                void*) {
  if (handle == nullptr) return Status::not_initialized;
  demand(m >= 0 && n >= 0 && count >= 0);
  return run(handle, DataType::int32, {{"rows", m}, {"columns", n}, {"nnz", count}}, [=] {
    int* const r = out(rows, count);
    int* const c = out(columns, count);
    int* const p = permutation == nullptr ? nullptr : out(permutation, count);
    sort_entries(0, count, kByRow ? r : c, kByRow ? c : r, {r, c, p});
  });
}
// Within each row of a CSR matrix, or each column of a CSC one.
Status sort_rows(Handle handle, int m, int n, int count, int rows, const Description* description,
                 const int* begin, int* places, int* permutation) {
  if (handle == nullptr) return Status::not_initialized;
  demand(m >= 0 && n >= 0 && count >= 0 && description != nullptr);
  const Shape shape{{"rows", m}, {"columns", n}, {"nnz", count}};
  return run(handle, DataType::int32, shape, [=, base = description->base] {
    const auto begins = indices(begin, Index::bits32, rows + 1, base);
    int* const c = out(places, count);
    int* const p = permutation == nullptr ? nullptr : out(permutation, count);
    for (std::size_t row = 0; std::cmp_less(row, rows); ++row) {
      if (begins[row] < 0 || begins[row] > begins[row + 1] || begins[row + 1] > count)
        throw std::runtime_error("a row lies outside the list of entries");
      sort_entries(begins[row], begins[row + 1], c, c, {c, p});
    }
  });
}
Status sort_csr(Handle handle, int m, int n, int count, const Description* description,
                const int* begin, int* columns, int* permutation, void*) {
  return sort_rows(handle, m, n, count, m, description, begin, columns, permutation);
}
Status sort_csc(Handle handle, int m, int n, int count, const Description* description,
                const int* begin, int* rows, int* permutation, void*) {
  return sort_rows(handle, m, n, count, n, description, begin, rows, permutation);
}
using OfSort = Workspace<Handle, int, int, int, const int*, const int*>;

// cusparseFormat_t
enum class Format : int { csr = 1, csc = 2, coo = 3 };
Format format_of(const Sparse& matrix) {
  return matrix.by_column ? Format::csc : matrix.by_row ? Format::csr : Format::coo;
}

template <Format kFormat>
Status describe(const Sparse* matrix, std::int64_t* rows, std::int64_t* columns,
                std::int64_t* count, const void** first, const void** second, void** values,
                Index* first_type, Index* second_type, int* base, DataType* type) {
  demand(matrix != nullptr && format_of(*matrix) == kFormat);
  *rows = matrix->rows;
  *columns = matrix->columns;
  *count = matrix->count;
  *first = matrix->first;
  *second = matrix->second;
  *values = matrix->values;
  *first_type = matrix->first_type;
  *second_type = matrix->second_type;
  *base = matrix->base;
  *type = matrix->type;
  return Status::success;
}
Status describe_coo(const Sparse* matrix, std::int64_t* rows, std::int64_t* columns,
                    std::int64_t* count, const void** of_rows, const void** of_columns,
                    void** values, Index* index, int* base, DataType* type) {
  Index second;
  return describe<Format::coo>(matrix, rows, columns, count, of_rows, of_columns, values, index,
                               &second, base, type);
}
Status describe_vector(const Vector* vector, std::int64_t* size, void** values, DataType* type) {
  demand(vector != nullptr);
  *size = vector->size;
  *values = vector->values;
  *type = vector->type;
  return Status::success;
}
Status describe_dense(const Dense* matrix, std::int64_t* rows, std::int64_t* columns,
                      std::int64_t* leading, void** values, DataType* type, Order* order) {
  demand(matrix != nullptr);
  *rows = matrix->rows;
  *columns = matrix->columns;
  *leading = matrix->leading;
  *values = matrix->values;
  *type = matrix->type;
  *order = matrix->order;
  return Status::success;
}
Status get_format(const Sparse* matrix, Format* format) {
  demand(matrix != nullptr && format != nullptr);
  *format = format_of(*matrix);
  return Status::success;
}
Status get_base(const Sparse* matrix, int* base) {
  demand(matrix != nullptr && base != nullptr);
  *base = matrix->base;
  return Status::success;
}

}  // namespace

HEDDLE_EXPORT(cusparseCreateIdentityPermutation, identity)
HEDDLE_EXPORT(cusparseXcoosort_bufferSizeExt, OfSort::ask)
HEDDLE_EXPORT(cusparseXcoosortByRow, sort_coo<true>)
HEDDLE_EXPORT(cusparseXcoosortByColumn, sort_coo<false>)
HEDDLE_EXPORT(cusparseXcsrsort_bufferSizeExt, OfSort::ask)
HEDDLE_EXPORT(cusparseXcsrsort, sort_csr)
HEDDLE_EXPORT(cusparseXcscsort_bufferSizeExt, OfSort::ask)
HEDDLE_EXPORT(cusparseXcscsort, sort_csc)
HEDDLE_EXPORT(cusparseCsrGet, describe<Format::csr>)
HEDDLE_EXPORT(cusparseCscGet, describe<Format::csc>)
HEDDLE_EXPORT(cusparseCooGet, describe_coo)
HEDDLE_EXPORT(cusparseDnVecGet, describe_vector)
HEDDLE_EXPORT(cusparseDnMatGet, describe_dense)
HEDDLE_EXPORT(cusparseSpMatGetFormat, get_format)
HEDDLE_EXPORT(cusparseSpMatGetIndexBase, get_base)

}  // namespace heddle::runtime::libraries::cusparse
