// cuSPARSE's products and sums of two sparse matrices, and triangular systems.
#include "gpu/runtime/libraries/cusparse/types.hpp"

namespace heddle::runtime::libraries::cusparse {
namespace {

// Rows of entries, each by rising columns.
template <typename T>
struct Rows {
  std::vector<std::int64_t> begin{0}, columns;
  std::vector<T> values;
};

template <typename T>
Rows<T> rows_of(const Sparse& matrix) {
  std::vector<std::vector<std::pair<std::int64_t, T>>> entries(
      static_cast<std::size_t>(matrix.rows));
  for_each_entry<T>(matrix, [&](std::int64_t row, std::int64_t column, const T& value) {
    entries[static_cast<std::size_t>(row)].emplace_back(column, value);
  });
  Rows<T> result;
  for (const auto& row : entries) {
    for (const auto& [column, value] : row) {
      result.columns.push_back(column);
      result.values.push_back(value);
    }
    result.begin.push_back(std::ssize(result.columns));
  }
  return result;
}

// Collects one row: a column that was touched is an entry, whatever its value is.
template <typename T>
class Collector {
 public:
  explicit Collector(std::int64_t columns)
      : values_(static_cast<std::size_t>(columns)), touched_(values_.size()) {}
  void add(std::int64_t column, const T& value) {
    const auto at = static_cast<std::size_t>(column);
    if (!touched_[at]) list_.push_back(column);
    touched_[at] = true;
    values_[at] += value;
  }
  void move_to(Rows<T>& rows) {
    std::sort(list_.begin(), list_.end());
    for (const std::int64_t column : list_) {
      const auto at = static_cast<std::size_t>(column);
      rows.columns.push_back(column);
      rows.values.push_back(values_[at]);
      values_[at] = T{};
      touched_[at] = false;
    }
    list_.clear();
    rows.begin.push_back(std::ssize(rows.columns));
  }

 private:
  std::vector<T> values_;
  std::vector<bool> touched_;
  std::vector<std::int64_t> list_;
};

template <typename T>
Rows<T> product(const Rows<T>& a, const Rows<T>& b, std::int64_t columns, const T& factor) {
  Rows<T> result;
  Collector<T> row(columns);
  for (std::size_t i = 0; i + 1 < a.begin.size(); ++i) {
    for (auto k = static_cast<std::size_t>(a.begin[i]); std::cmp_less(k, a.begin[i + 1]); ++k) {
      const auto inner = static_cast<std::size_t>(a.columns[k]);
      for (auto j = static_cast<std::size_t>(b.begin[inner]); std::cmp_less(j, b.begin[inner + 1]);
           ++j)
        row.add(b.columns[j], factor * a.values[k] * b.values[j]);
    }
    row.move_to(result);
  }
  return result;
}

// A product that has been computed, until the program has made room for it.
struct Product {
  std::shared_ptr<void> rows;  // Rows of the matrices' type
};
Status create_product(Product** made) {
  demand(made != nullptr);
  *made = new Product;
  return Status::success;
}
template <typename T>
Status destroy(T* object) {
  delete object;
  return Status::success;
}

Status estimate(Handle, Op, Op, const void*, const Sparse*, const Sparse*, const void*, Sparse*,
                DataType, int, Product*, std::size_t* bytes, void*) {
  demand(bytes != nullptr);
  *bytes = 8;
  return Status::success;
}
Status compute(Handle handle, Op op_a, Op op_b, const void* alpha, const Sparse* a, const Sparse* b,
               const void* beta, Sparse* c, DataType type, int algorithm, Product* kept,
               std::size_t* bytes, void* buffer) {
  if (buffer == nullptr)
    return estimate(handle, op_a, op_b, alpha, a, b, beta, c, type, algorithm, kept, bytes, buffer);
  if (handle == nullptr) return Status::not_initialized;
  demand(a != nullptr && b != nullptr && c != nullptr && kept != nullptr && alpha != nullptr &&
         a->type == b->type && a->type == c->type && a->columns == b->rows && c->rows == a->rows &&
         c->columns == b->columns);
  if (op_a != Op::none || op_b != Op::none) throw Missing("a transpose is not supported");
  if (c->by_column) throw Missing("a product in CSC form is not supported");
  const Status status = with_lapack_type(a->type, [&]<typename T>(T) {
    const T given = handle->pointers == 1 ? T{} : *static_cast<const T*>(alpha);
    const Shape shape{{"rows", c->rows}, {"columns", c->columns}, {"nnz", a->count}};
    return run(handle, a->type, shape, [=, context = *handle, left = *a, right = *b] {
      auto rows = std::make_shared<Rows<T>>(product(rows_of<T>(left), rows_of<T>(right),
                                                    right.columns, scalar(context, alpha, given)));
      c->count = std::ssize(rows->columns);
      kept->rows = rows;
    });
  });
  if (status != Status::success) return status;
  return synchronize(handle->stream) ? Status::success : Status::execution_failed;
}
Status copy(Handle handle, Op, Op, const void*, const Sparse* a, const Sparse*, const void* beta,
            Sparse* c, DataType, int, Product* kept) {
  if (handle == nullptr) return Status::not_initialized;
  demand(a != nullptr && c != nullptr && beta != nullptr && kept != nullptr && kept->rows);
  return with_lapack_type(c->type, [&]<typename T>(T) {
    const T given = handle->pointers == 1 ? T{} : *static_cast<const T*>(beta);
    const Shape shape{{"rows", c->rows}, {"columns", c->columns}, {"nnz", c->count}};
    return run(handle, c->type, shape, [=, context = *handle, to = *c, rows = kept->rows] {
      const auto& result = *static_cast<const Rows<T>*>(rows.get());
      const T keep = scalar(context, beta, given);
      T* const values = out(static_cast<T*>(to.values), to.count);
      for (std::int64_t i = 0; i < to.count; ++i)
        values[i] =
            result.values[static_cast<std::size_t>(i)] + (keep == T{} ? T{} : keep * values[i]);
      put_indices(to.first, to.first_type, result.begin, to.base);
      put_indices(to.second, to.second_type, result.columns, to.base);
    });
  });
}

// One operand of a sum.
struct Csr {
  const Description* description;
  int count;
  const void* values;
  const int *begin, *columns;

  Sparse matrix(int rows, int width, DataType type) const {
    demand(description != nullptr && count >= 0);
    return {true,
            rows,
            width,
            count,
            begin,
            columns,
            const_cast<void*>(values),
            Index::bits32,
            Index::bits32,
            description->base,
            type};
  }
};

// Where rows of the sum begin, and how many entries it has: a number for the host or the device.
Status count_sum(Handle handle, int m, int n, const Description* of_a, int count_a,
                 const int* begin_a, const int* columns_a, const Description* of_b, int count_b,
                 const int* begin_b, const int* columns_b, const Description* of_c, int* begin_c,
                 int* total, void*) {
  if (handle == nullptr) return Status::not_initialized;
  demand(m >= 0 && n >= 0 && of_a != nullptr && of_b != nullptr && of_c != nullptr);
  const bool there = handle->pointers == 1;
  const Shape shape{{"rows", m}, {"columns", n}};
  const Status status = run(
      handle, DataType::int32, shape,
      [=, base = of_c->base, base_a = of_a->base, base_b = of_b->base] {
        const auto begins_a = indices(begin_a, Index::bits32, m + 1, base_a);
        const auto begins_b = indices(begin_b, Index::bits32, m + 1, base_b);
        const auto in_a = indices(columns_a, Index::bits32, count_a, base_a);
        const auto in_b = indices(columns_b, Index::bits32, count_b, base_b);
        Collector<float> row(n);
        Rows<float> sum;
        const auto add = [&](const auto& begins, const auto& columns, std::size_t i) {
          for (auto k = static_cast<std::size_t>(begins[i]); std::cmp_less(k, begins[i + 1]); ++k) {
            if (columns.at(k) < 0 || columns[k] >= n)
              throw std::runtime_error("an entry lies outside the matrix");
            row.add(columns[k], 0);
          }
        };
        for (std::size_t i = 0; std::cmp_less(i, m); ++i) {
          add(begins_a, in_a, i);
          add(begins_b, in_b, i);
          row.move_to(sum);
        }
        put_indices(begin_c, Index::bits32, sum.begin, base);
        if (total != nullptr) *(there ? out(total, 1) : total) = static_cast<int>(sum.begin.back());
      });
  if (status != Status::success || there) return status;
  return synchronize(handle->stream) ? Status::success : Status::execution_failed;
}

// C = alpha A + beta B
template <typename T, DataType kType>
Status add(Handle handle, int m, int n, const T* alpha, const Description* of_a, int count_a,
           const T* values_a, const int* begin_a, const int* columns_a, const T* beta,
           const Description* of_b, int count_b, const T* values_b, const int* begin_b,
           const int* columns_b, const Description* of_c, T* values_c, int* begin_c, int* columns_c,
           void*) {
  if (handle == nullptr) return Status::not_initialized;
  demand(m >= 0 && n >= 0 && alpha != nullptr && beta != nullptr && of_c != nullptr);
  const Sparse a = Csr{of_a, count_a, values_a, begin_a, columns_a}.matrix(m, n, kType);
  const Sparse b = Csr{of_b, count_b, values_b, begin_b, columns_b}.matrix(m, n, kType);
  const bool there = handle->pointers == 1;
  const T by_alpha = there ? T{} : *alpha, by_beta = there ? T{} : *beta;
  const Shape shape{{"rows", m}, {"columns", n}};
  return run(handle, kType, shape, [=, context = *handle, base = of_c->base] {
    const T factor_a = scalar(context, alpha, by_alpha), factor_b = scalar(context, beta, by_beta);
    const Rows<T> left = rows_of<T>(a), right = rows_of<T>(b);
    Collector<T> row(n);
    Rows<T> sum;
    const auto take = [&](const Rows<T>& from, std::size_t i, const T& factor) {
      for (auto k = static_cast<std::size_t>(from.begin[i]); std::cmp_less(k, from.begin[i + 1]);
           ++k)
        row.add(from.columns[k], factor * from.values[k]);
    };
    for (std::size_t i = 0; std::cmp_less(i, m); ++i) {
      take(left, i, factor_a);
      take(right, i, factor_b);
      row.move_to(sum);
    }
    put_indices(begin_c, Index::bits32, sum.begin, base);
    put_indices(columns_c, Index::bits32, sum.columns, base);
    std::copy(sum.values.begin(), sum.values.end(), out(values_c, std::ssize(sum.values)));
  });
}
template <typename T>
Status sum_workspace(Handle, int, int, const T*, const Description*, int, const T*, const int*,
                     const int*, const T*, const Description*, int, const T*, const int*,
                     const int*, const Description*, const T*, const int*, const int*,
                     std::size_t* bytes) {
  demand(bytes != nullptr);
  *bytes = 8;
  return Status::success;
}

// cusparseSpMatAttribute_t: what a triangular system reads of its matrix.
Status set_attribute(Sparse* matrix, int which, const void* value, std::size_t bytes) {
  demand(matrix != nullptr && value != nullptr && bytes == sizeof(int) && which >= 0 && which <= 1);
  (which == 0 ? matrix->fill : matrix->diagonal) = *static_cast<const int*>(value);
  return Status::success;
}

struct System {};  // cuSPARSE keeps an analysis here
Status create_system(System** made) {
  demand(made != nullptr);
  *made = new System;
  return Status::success;
}

// Solves op(A) X = alpha op(B) for the triangle of A that its attributes name.
template <typename T>
void solve_rows(const Sparse& a, Op op, const T& factor, Op op_b, const Dense& b, const Dense& c) {
  Sparse matrix = a;
  const bool transposed = op != Op::none;
  std::vector<std::vector<std::pair<std::int64_t, T>>> rows(static_cast<std::size_t>(a.rows));
  std::vector<T> diagonal(rows.size(), a.diagonal == 1 ? T(1) : T{});
  for_each_entry<T>(matrix, [&](std::int64_t row, std::int64_t column, const T& value) {
    if (row == column) {
      if (a.diagonal != 1) diagonal[static_cast<std::size_t>(row)] = applied(op, value);
    } else if ((row < column) == (a.fill == 1)) {
      rows[static_cast<std::size_t>(transposed ? column : row)].emplace_back(
          transposed ? row : column, applied(op, value));
    }
  });
  const bool upper = (a.fill == 1) != transposed;
  const T* const from = in(static_cast<const T*>(b.values), b.elements());
  T* const to = out(static_cast<T*>(c.values), c.elements());
  for (std::int64_t j = 0; j < c.columns; ++j)
    for (std::int64_t i = 0; i < a.rows; ++i) {
      const std::int64_t row = upper ? a.rows - 1 - i : i;
      T sum = factor * applied(op_b, from[op_b == Op::none ? b.at(row, j) : b.at(j, row)]);
      for (const auto& [column, value] : rows[static_cast<std::size_t>(row)])
        sum -= value * to[c.at(column, j)];
      to[c.at(row, j)] = sum / diagonal[static_cast<std::size_t>(row)];
    }
}
Status solve(Handle handle, Op op, Op op_b, const void* alpha, const Sparse& a, const Dense& b,
             const Dense& c) {
  if (handle == nullptr) return Status::not_initialized;
  const bool plain = op_b == Op::none;
  demand(alpha != nullptr && a.rows == a.columns && c.rows == a.rows && a.type == b.type &&
         a.type == c.type && c.rows == (plain ? b.rows : b.columns) &&
         c.columns == (plain ? b.columns : b.rows));
  return with_lapack_type(a.type, [&]<typename T>(T) {
    const T given = handle->pointers == 1 ? T{} : *static_cast<const T*>(alpha);
    const Shape shape{{"n", a.rows}, {"nrhs", c.columns}, {"nnz", a.count}};
    return run(handle, a.type, shape, [=, context = *handle] {
      solve_rows<T>(a, op, scalar(context, alpha, given), op_b, b, c);
    });
  });
}
Dense column(const Vector& vector) {
  return {vector.size,   1,           std::max<std::int64_t>(1, vector.size),
          vector.values, vector.type, Order::columns};
}
Status solve_vector(Handle handle, Op op, const void* alpha, const Sparse* a, const Vector* x,
                    Vector* y, DataType, int, System*) {
  demand(a != nullptr && x != nullptr && y != nullptr);
  return solve(handle, op, Op::none, alpha, *a, column(*x), column(*y));
}
Status solve_matrix(Handle handle, Op op, Op op_b, const void* alpha, const Sparse* a,
                    const Dense* b, Dense* c, DataType, int, System*) {
  demand(a != nullptr && b != nullptr && c != nullptr);
  return solve(handle, op, op_b, alpha, *a, *b, *c);
}
using OfVector = Workspace<Handle, Op, const void*, const Sparse*, const Vector*, Vector*, DataType,
                           int, System*>;
using OfMatrix = Workspace<Handle, Op, Op, const void*, const Sparse*, const Dense*, Dense*,
                           DataType, int, System*>;

}  // namespace

HEDDLE_EXPORT(cusparseSpGEMM_createDescr, create_product)
HEDDLE_EXPORT(cusparseSpGEMM_destroyDescr, destroy<Product>)
HEDDLE_EXPORT(cusparseSpGEMM_workEstimation, estimate)
HEDDLE_EXPORT(cusparseSpGEMM_compute, compute)
HEDDLE_EXPORT(cusparseSpGEMM_copy, copy)
HEDDLE_EXPORT(cusparseXcsrgeam2Nnz, count_sum)
#define HEDDLE_SUM(letter, T, type)                                 \
  HEDDLE_EXPORT(cusparse##letter##csrgeam2, add<T, DataType::type>) \
  HEDDLE_EXPORT(cusparse##letter##csrgeam2_bufferSizeExt, sum_workspace<T>)
HEDDLE_SUM(S, float, float32)
HEDDLE_SUM(D, double, float64)
HEDDLE_SUM(C, Complex, complex64)
HEDDLE_SUM(Z, DoubleComplex, complex128)
HEDDLE_EXPORT(cusparseSpMatSetAttribute, set_attribute)
HEDDLE_EXPORT(cusparseSpSV_createDescr, create_system)
HEDDLE_EXPORT(cusparseSpSV_destroyDescr, destroy<System>)
HEDDLE_EXPORT(cusparseSpSV_bufferSize, OfVector::ask)
HEDDLE_EXPORT(cusparseSpSV_analysis, OfVector::prepare)
HEDDLE_EXPORT(cusparseSpSV_solve, solve_vector)
HEDDLE_EXPORT(cusparseSpSM_createDescr, create_system)
HEDDLE_EXPORT(cusparseSpSM_destroyDescr, destroy<System>)
HEDDLE_EXPORT(cusparseSpSM_bufferSize, OfMatrix::ask)
HEDDLE_EXPORT(cusparseSpSM_analysis, OfMatrix::prepare)
HEDDLE_EXPORT(cusparseSpSM_solve, solve_matrix)

}  // namespace heddle::runtime::libraries::cusparse
