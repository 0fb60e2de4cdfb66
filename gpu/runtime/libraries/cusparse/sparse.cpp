// cuSPARSE: matrices in CSR and COO form, their products with dense ones, and conversions. No
// package of the host is needed.
#include "gpu/runtime/libraries/cusparse/types.hpp"

namespace heddle::runtime::libraries::cusparse {
namespace {

Status create(Handle* handle) {
  demand(handle != nullptr);
  *handle = new Context;
  return Status::success;
}
template <typename T>
Status destroy(const T* object) {
  delete object;
  return Status::success;
}
template <auto kMember, typename T>
Status set(Handle handle, T value) {
  if (handle == nullptr) return Status::not_initialized;
  handle->*kMember = value;
  return Status::success;
}
template <auto kMember, typename T>
Status get(Handle handle, T* value) {
  if (handle == nullptr) return Status::not_initialized;
  demand(value != nullptr);
  *value = handle->*kMember;
  return Status::success;
}
Status get_version(Handle, int* version) {
  demand(version != nullptr);
  *version = 12600;
  return Status::success;
}

// Of version 12.6.0, as get_version has it.
Status get_property(int which, int* value) {
  demand(which >= 0 && which <= 2 && value != nullptr);
  *value = which == 0 ? 12 : which == 1 ? 6 : 0;
  return Status::success;
}

Status create_description(Description** description) {
  demand(description != nullptr);
  *description = new Description;
  return Status::success;
}
template <auto kMember>
Status describe(Description* description, int value) {
  demand(description != nullptr);
  description->*kMember = value;
  return Status::success;
}
// Alone among the questions of this library, these give the value itself.
template <int Description::*kMember>
int described(const Description* description) {
  return description == nullptr ? 0 : description->*kMember;
}

Status create_csr(Sparse** made, std::int64_t rows, std::int64_t columns, std::int64_t count,
                  void* offsets, void* indices, void* values, Index offset_type, Index index_type,
                  int base, DataType type) {
  demand(made != nullptr && rows >= 0 && columns >= 0 && count >= 0);
  *made = new Sparse{true,   rows,        columns,    count, offsets, indices,
                     values, offset_type, index_type, base,  type};
  return Status::success;
}
Status create_csc(Sparse** made, std::int64_t rows, std::int64_t columns, std::int64_t count,
                  void* offsets, void* indices, void* values, Index offset_type, Index index_type,
                  int base, DataType type) {
  const Status status = create_csr(made, rows, columns, count, offsets, indices, values,
                                   offset_type, index_type, base, type);
  (*made)->by_column = true;
  return status;
}
Status create_coo(Sparse** made, std::int64_t rows, std::int64_t columns, std::int64_t count,
                  void* of_rows, void* of_columns, void* values, Index index, int base,
                  DataType type) {
  demand(made != nullptr && rows >= 0 && columns >= 0 && count >= 0);
  *made = new Sparse{false,  rows,  columns, count, of_rows, of_columns,
                     values, index, index,   base,  type};
  return Status::success;
}
Status size_of(const Sparse* matrix, std::int64_t* rows, std::int64_t* columns,
               std::int64_t* count) {
  demand(matrix != nullptr && rows != nullptr && columns != nullptr && count != nullptr);
  *rows = matrix->rows;
  *columns = matrix->columns;
  *count = matrix->count;
  return Status::success;
}
Status set_pointers(Sparse* matrix, void* offsets, void* indices, void* values) {
  demand(matrix != nullptr);
  matrix->first = offsets;
  matrix->second = indices;
  matrix->values = values;
  return Status::success;
}
Status create_vector(Vector** made, std::int64_t size, void* values, DataType type) {
  demand(made != nullptr && size >= 0);
  *made = new Vector{size, values, type};
  return Status::success;
}
Status create_dense(Dense** made, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                    void* values, DataType type, Order order) {
  demand(made != nullptr && rows >= 0 && columns >= 0 &&
         leading >= (order == Order::columns ? rows : columns));
  *made = new Dense{rows, columns, leading, values, type, order};
  return Status::success;
}
template <typename T>
Status set_values(T* object, void* values) {
  demand(object != nullptr);
  object->values = values;
  return Status::success;
}
template <typename T>
Status get_values(T* object, void** values) {
  demand(object != nullptr && values != nullptr);
  *values = object->values;
  return Status::success;
}

// C = alpha op(A) op(B) + beta C, of which a vector is one column.
Status multiply(Handle handle, Op op_a, Op op_b, const void* alpha, const Sparse& a, const Dense& b,
                const void* beta, const Dense& c) {
  if (handle == nullptr) return Status::not_initialized;
  demand(alpha != nullptr && beta != nullptr && a.type == b.type && a.type == c.type);
  const bool plain_a = op_a == Op::none, plain_b = op_b == Op::none;
  demand(c.rows == (plain_a ? a.rows : a.columns) && c.columns == (plain_b ? b.columns : b.rows) &&
         (plain_a ? a.columns : a.rows) == (plain_b ? b.rows : b.columns));
  return with_lapack_type(a.type, [&]<typename T>(T) {
    const Context context = *handle;
    const T by_alpha = context.pointers == 1 ? T{} : *static_cast<const T*>(alpha);
    const T by_beta = context.pointers == 1 ? T{} : *static_cast<const T*>(beta);
    const Shape shape{{"rows", a.rows}, {"columns", a.columns}, {"nnz", a.count}, {"n", c.columns}};
    return run(handle, a.type, shape, [=] {
      const T factor = scalar(context, alpha, by_alpha), keep = scalar(context, beta, by_beta);
      const T* const from = in(static_cast<const T*>(b.values), b.elements());
      T* const to = out(static_cast<T*>(c.values), c.elements());
      for (std::int64_t j = 0; j < c.columns; ++j)
        for (std::int64_t i = 0; i < c.rows; ++i)
          to[c.at(i, j)] = keep == T{} ? T{} : keep * to[c.at(i, j)];
      for_each_entry<T>(a, [&](std::int64_t row, std::int64_t column, const T& value) {
        if (!plain_a) std::swap(row, column);
        const T weight = factor * applied(op_a, value);
        for (std::int64_t j = 0; j < c.columns; ++j)
          to[c.at(row, j)] +=
              weight * applied(op_b, from[plain_b ? b.at(column, j) : b.at(j, column)]);
      });
    });
  });
}

Dense column(const Vector& vector) {
  return {vector.size,   1,           std::max<std::int64_t>(1, vector.size),
          vector.values, vector.type, Order::columns};
}
Status spmv(Handle handle, Op op, const void* alpha, const Sparse* a, const Vector* x,
            const void* beta, Vector* y, DataType, int, void*) {
  demand(a != nullptr && x != nullptr && y != nullptr);
  return multiply(handle, op, Op::none, alpha, *a, column(*x), beta, column(*y));
}
// Number `batch` of a matrix that stands for several; one that does not serves all.
const void* moved(const void* at, std::int64_t bytes) {
  return static_cast<const std::byte*>(at) + bytes;
}
template <typename T>
Dense batch_of(Dense matrix, int batch) {
  matrix.values = static_cast<T*>(matrix.values) + batch * matrix.between_batches;
  return matrix;
}
template <typename T>
Sparse batch_of(Sparse matrix, int batch) {
  const auto width = [](Index type) { return type == Index::bits64 ? 8 : 4; };
  const std::int64_t entries = batch * matrix.between_entries;
  matrix.first = moved(matrix.first, batch * matrix.between_offsets * width(matrix.first_type));
  matrix.second = moved(matrix.second, entries * width(matrix.second_type));
  matrix.values = static_cast<T*>(matrix.values) + entries;
  return matrix;
}

Status spmm(Handle handle, Op op_a, Op op_b, const void* alpha, const Sparse* a, const Dense* b,
            const void* beta, Dense* c, DataType, int, void*) {
  demand(a != nullptr && b != nullptr && c != nullptr);
  demand((a->batches == 1 || a->batches == c->batches) &&
         (b->batches == 1 || b->batches == c->batches));
  return with_lapack_type(a->type, [&]<typename T>(T) {
    Status status = Status::success;
    for (int i = 0; i < c->batches && status == Status::success; ++i)
      status = multiply(handle, op_a, op_b, alpha, batch_of<T>(*a, i), batch_of<T>(*b, i), beta,
                        batch_of<T>(*c, i));
    return status;
  });
}

using OfSpmv = Workspace<Handle, Op, const void*, const Sparse*, const Vector*, const void*,
                         Vector*, DataType, int>;
using OfSpmm = Workspace<Handle, Op, Op, const void*, const Sparse*, const Dense*, const void*,
                         Dense*, DataType, int>;
using OfSparseToDense = Workspace<Handle, const Sparse*, Dense*, int>;
using OfDenseToSparse = Workspace<Handle, const Dense*, Sparse*, int>;
using OfTransposition = Workspace<Handle, int, int, int, const void*, const int*, const int*, void*,
                                  int*, int*, DataType, int, int, int>;

Status sparse_to_dense(Handle handle, const Sparse* from, Dense* to, int, void*) {
  if (handle == nullptr) return Status::not_initialized;
  demand(from != nullptr && to != nullptr && from->type == to->type && from->rows == to->rows &&
         from->columns == to->columns);
  return with_lapack_type(from->type, [&]<typename T>(T) {
    const Shape shape{{"rows", from->rows}, {"columns", from->columns}, {"nnz", from->count}};
    return run(handle, from->type, shape, [a = *from, b = *to] {
      T* const target = out(static_cast<T*>(b.values), b.elements());
      for (std::int64_t j = 0; j < b.columns; ++j)
        for (std::int64_t i = 0; i < b.rows; ++i) target[b.at(i, j)] = T{};
      for_each_entry<T>(a, [&](std::int64_t row, std::int64_t place, const T& value) {
        target[b.at(row, place)] = value;
      });
    });
  });
}

// Calls visit(row, column, value) for what is not zero, by rows; by columns, visit(column, row, …).
template <typename T, typename Visit>
void for_each_nonzero(const Dense& dense, bool by_column, Visit visit) {
  const T* const from = in(static_cast<const T*>(dense.values), dense.elements());
  const std::int64_t lists = by_column ? dense.columns : dense.rows;
  const std::int64_t places = by_column ? dense.rows : dense.columns;
  for (std::int64_t list = 0; list < lists; ++list)
    for (std::int64_t place = 0; place < places; ++place) {
      const T& value = from[by_column ? dense.at(place, list) : dense.at(list, place)];
      if (value != T{}) visit(list, place, value);
    }
}

// How many entries the sparse form has, which the program asks for next; and where rows begin.
Status count_entries(Handle handle, const Dense* from, Sparse* to, int, void*) {
  if (handle == nullptr) return Status::not_initialized;
  demand(from != nullptr && to != nullptr && from->type == to->type && from->rows == to->rows &&
         from->columns == to->columns);
  const Status status = with_lapack_type(from->type, [&]<typename T>(T) {
    const Shape shape{{"rows", from->rows}, {"columns", from->columns}};
    return run(handle, from->type, shape, [dense = *from, to] {
      std::vector<std::int64_t> begin(static_cast<std::size_t>(to->lists()) + 1);
      to->count = 0;
      for_each_nonzero<T>(dense, to->by_column, [&](std::int64_t row, std::int64_t, const T&) {
        begin[static_cast<std::size_t>(row) + 1] = ++to->count;
      });
      for (std::size_t i = 1; i < begin.size(); ++i) begin[i] = std::max(begin[i], begin[i - 1]);
      if (to->by_row) put_indices(to->first, to->first_type, begin, to->base);
    });
  });
  if (status != Status::success) return status;
  return synchronize(handle->stream) ? Status::success : Status::execution_failed;
}

Status dense_to_sparse(Handle handle, const Dense* from, Sparse* to, int, void*) {
  if (handle == nullptr) return Status::not_initialized;
  demand(from != nullptr && to != nullptr && from->type == to->type);
  return with_lapack_type(from->type, [&]<typename T>(T) {
    const Shape shape{{"rows", from->rows}, {"columns", from->columns}, {"nnz", to->count}};
    return run(handle, from->type, shape, [dense = *from, sparse = *to] {
      std::vector<std::int64_t> rows, columns;
      T* const values = out(static_cast<T*>(sparse.values), sparse.count);
      const auto add = [&](std::int64_t row, std::int64_t place, const T& value) {
        if (std::ssize(columns) == sparse.count)
          throw std::runtime_error("more entries than were counted");
        values[columns.size()] = value;
        rows.push_back(row);
        columns.push_back(place);
      };
      for_each_nonzero<T>(dense, sparse.by_column, add);
      put_indices(sparse.second, sparse.second_type, columns, sparse.base);
      if (!sparse.by_row) put_indices(sparse.first, sparse.first_type, rows, sparse.base);
    });
  });
}

// The rows of entries from where rows begin, and back.
Status csr_to_coo(Handle handle, const int* offsets, int count, int rows, int* of_rows, int base) {
  if (handle == nullptr) return Status::not_initialized;
  demand(count >= 0 && rows >= 0);
  return run(handle, DataType::int32, {{"rows", rows}, {"nnz", count}}, [=] {
    const int* const begin = in(offsets, std::int64_t{rows} + 1);
    int* const to = out(of_rows, count);
    for (int row = 0; row < rows; ++row)
      for (int i = std::max(0, begin[row] - base); i < std::min(count, begin[row + 1] - base); ++i)
        to[i] = row + base;
  });
}
Status coo_to_csr(Handle handle, const int* of_rows, int count, int rows, int* offsets, int base) {
  if (handle == nullptr) return Status::not_initialized;
  demand(count >= 0 && rows >= 0);
  return run(handle, DataType::int32, {{"rows", rows}, {"nnz", count}}, [=] {
    const int* const from = in(of_rows, count);
    int* const to = out(offsets, std::int64_t{rows} + 1);
    int i = 0;
    for (int row = 0; row <= rows; ++row) {
      while (i < count && from[i] - base < row) ++i;
      to[row] = i + base;
    }
  });
}

Status transpose(Handle handle, int m, int n, int count, const void* values, const int* offsets,
                 const int* columns, void* to_values, int* to_offsets, int* to_rows, DataType type,
                 int action, int base, int, void*) {
  if (handle == nullptr) return Status::not_initialized;
  demand(m >= 0 && n >= 0 && count >= 0);
  constexpr int kWithValues = 1;
  return with_lapack_type(type, [&]<typename T>(T) {
    return run(handle, type, {{"rows", m}, {"columns", n}, {"nnz", count}}, [=] {
      const int* const begin = in(offsets, std::int64_t{m} + 1);
      const int* const of_columns = in(columns, count);
      int* const offsets_to = out(to_offsets, std::int64_t{n} + 1);
      int* const rows_to = out(to_rows, count);
      const bool with_values = action == kWithValues;
      const T* const from = with_values ? in(static_cast<const T*>(values), count) : nullptr;
      T* const to = with_values ? out(static_cast<T*>(to_values), count) : nullptr;
      std::vector<int> next(static_cast<std::size_t>(n) + 1);
      for (int i = 0; i < count; ++i) {
        const int place = of_columns[i] - base;
        if (place < 0 || place >= n) throw std::runtime_error("an entry lies outside the matrix");
        ++next[static_cast<std::size_t>(place) + 1];
      }
      for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
      for (std::size_t i = 0; i < next.size(); ++i) offsets_to[i] = next[i] + base;
      for (int row = 0; row < m; ++row)
        for (int i = std::max(0, begin[row] - base); i < std::min(count, begin[row + 1] - base);
             ++i) {
          const int place = next[static_cast<std::size_t>(of_columns[i] - base)]++;
          rows_to[place] = row + base;
          if (with_values) to[place] = from[i];
        }
    });
  });
}

}  // namespace

HEDDLE_EXPORT(cusparseCreate, create)
HEDDLE_EXPORT(cusparseDestroy, destroy<Context>)
HEDDLE_EXPORT(cusparseSetStream, set<&Context::stream, abi::Handle>)
HEDDLE_EXPORT(cusparseGetStream, get<&Context::stream, abi::Handle>)
HEDDLE_EXPORT(cusparseSetPointerMode, set<&Context::pointers, int>)
HEDDLE_EXPORT(cusparseGetPointerMode, get<&Context::pointers, int>)
HEDDLE_EXPORT(cusparseGetVersion, get_version)
HEDDLE_EXPORT(cusparseGetProperty, get_property)
HEDDLE_EXPORT(cusparseCreateMatDescr, create_description)
HEDDLE_EXPORT(cusparseDestroyMatDescr, destroy<Description>)
HEDDLE_EXPORT(cusparseSetMatType, describe<&Description::type>)
HEDDLE_EXPORT(cusparseSetMatFillMode, describe<&Description::fill>)
HEDDLE_EXPORT(cusparseSetMatDiagType, describe<&Description::diagonal>)
HEDDLE_EXPORT(cusparseSetMatIndexBase, describe<&Description::base>)

#define HEDDLE_DESCRIBED(name, member)                                                         \
  extern "C" __attribute__((visibility("default"))) int name(const Description* description) { \
    return described<&Description::member>(description);                                       \
  }
HEDDLE_DESCRIBED(cusparseGetMatType, type)
HEDDLE_DESCRIBED(cusparseGetMatFillMode, fill)
HEDDLE_DESCRIBED(cusparseGetMatDiagType, diagonal)
HEDDLE_DESCRIBED(cusparseGetMatIndexBase, base)
HEDDLE_EXPORT(cusparseCreateCsr, create_csr)
HEDDLE_EXPORT(cusparseCreateConstCsr, create_csr)
HEDDLE_EXPORT(cusparseCreateCsc, create_csc)
HEDDLE_EXPORT(cusparseCreateConstCsc, create_csc)
HEDDLE_EXPORT(cusparseCreateCoo, create_coo)
HEDDLE_EXPORT(cusparseCreateConstCoo, create_coo)
HEDDLE_EXPORT(cusparseDestroySpMat, destroy<Sparse>)
HEDDLE_EXPORT(cusparseSpMatGetSize, size_of)
HEDDLE_EXPORT(cusparseCsrSetPointers, set_pointers)
HEDDLE_EXPORT(cusparseCscSetPointers, set_pointers)
HEDDLE_EXPORT(cusparseCooSetPointers, set_pointers)
HEDDLE_EXPORT(cusparseSpMatSetValues, set_values<Sparse>)
HEDDLE_EXPORT(cusparseSpMatGetValues, get_values<Sparse>)
HEDDLE_EXPORT(cusparseCreateDnVec, create_vector)
HEDDLE_EXPORT(cusparseCreateConstDnVec, create_vector)
HEDDLE_EXPORT(cusparseDestroyDnVec, destroy<Vector>)
HEDDLE_EXPORT(cusparseDnVecSetValues, set_values<Vector>)
HEDDLE_EXPORT(cusparseDnVecGetValues, get_values<Vector>)
HEDDLE_EXPORT(cusparseCreateDnMat, create_dense)
HEDDLE_EXPORT(cusparseCreateConstDnMat, create_dense)
HEDDLE_EXPORT(cusparseDestroyDnMat, destroy<Dense>)
HEDDLE_EXPORT(cusparseDnMatSetValues, set_values<Dense>)
HEDDLE_EXPORT(cusparseDnMatGetValues, get_values<Dense>)
HEDDLE_EXPORT(cusparseSpMV, spmv)
HEDDLE_EXPORT(cusparseSpMV_bufferSize, OfSpmv::ask)
HEDDLE_EXPORT(cusparseSpMV_preprocess, OfSpmv::prepare)
HEDDLE_EXPORT(cusparseSpMM, spmm)
HEDDLE_EXPORT(cusparseSpMM_bufferSize, OfSpmm::ask)
HEDDLE_EXPORT(cusparseSpMM_preprocess, OfSpmm::prepare)
HEDDLE_EXPORT(cusparseSparseToDense, sparse_to_dense)
HEDDLE_EXPORT(cusparseSparseToDense_bufferSize, OfSparseToDense::ask)
HEDDLE_EXPORT(cusparseDenseToSparse_bufferSize, OfDenseToSparse::ask)
HEDDLE_EXPORT(cusparseDenseToSparse_analysis, count_entries)
HEDDLE_EXPORT(cusparseDenseToSparse_convert, dense_to_sparse)
HEDDLE_EXPORT(cusparseXcsr2coo, csr_to_coo)
HEDDLE_EXPORT(cusparseXcoo2csr, coo_to_csr)
HEDDLE_EXPORT(cusparseCsr2cscEx2, transpose)
HEDDLE_EXPORT(cusparseCsr2cscEx2_bufferSize, OfTransposition::ask)

extern "C" __attribute__((visibility("default"))) const char* cusparseGetErrorName(Status status) {
  switch (status) {
    case Status::success:
      return "CUSPARSE_STATUS_SUCCESS";
    case Status::not_initialized:
      return "CUSPARSE_STATUS_NOT_INITIALIZED";
    case Status::invalid_value:
      return "CUSPARSE_STATUS_INVALID_VALUE";
    case Status::execution_failed:
      return "CUSPARSE_STATUS_EXECUTION_FAILED";
    case Status::zero_pivot:
      return "CUSPARSE_STATUS_ZERO_PIVOT";
    case Status::not_supported:
      return "CUSPARSE_STATUS_NOT_SUPPORTED";
  }
  return "unknown";
}
extern "C" __attribute__((visibility("default"))) const char* cusparseGetErrorString(
    Status status) {
  return cusparseGetErrorName(status);
}

}  // namespace heddle::runtime::libraries::cusparse
