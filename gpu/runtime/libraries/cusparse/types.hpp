// What cuSPARSE's routines share. Numbers are those of its documentation.
#pragma once

#include <vector>

#include "gpu/runtime/libraries/cublas/types.hpp"
#include "gpu/runtime/libraries/numbers.hpp"

namespace heddle::runtime::libraries::cusparse {

using cublas::Op;

enum class Status : int {
  success = 0,
  not_initialized = 1,
  invalid_value = 3,
  execution_failed = 6,
  zero_pivot = 9,
  not_supported = 10,
};

}  // namespace heddle::runtime::libraries::cusparse

template <>
struct heddle::runtime::libraries::Failure<heddle::runtime::libraries::cusparse::Status> {
  using Status = heddle::runtime::libraries::cusparse::Status;
  static constexpr Status not_supported = Status::not_supported, failed = Status::execution_failed,
                          invalid = Status::invalid_value;
};

namespace heddle::runtime::libraries::cusparse {

enum class Index : int { bits32 = 2, bits64 = 3 };
enum class Order : int { columns = 1, rows = 2 };

struct Context {
  abi::Handle stream = nullptr;
  int pointers = 0;  // 1: alpha and beta lie on the device
};
using Handle = Context*;

// `by_row`: CSR, whose first array says where rows begin; otherwise COO, where it has rows.
// `by_column` too: CSC, which is CSR with rows and columns exchanged.
struct Sparse {
  bool by_row = true;
  std::int64_t rows = 0, columns = 0, count = 0;
  const void *first = nullptr, *second = nullptr;
  void* values = nullptr;
  Index first_type = Index::bits32, second_type = Index::bits32;
  int base = 0;
  DataType type = DataType::float32;
  int fill = 0, diagonal = 0;  // of triangular matrices: 1 is the upper one, 1 is of ones
  bool by_column = false;
  int batches = 1;
  std::int64_t between_offsets = 0, between_entries = 0;  // from one batch to the next, in elements

  std::int64_t lists() const { return by_column ? columns : rows; }  // that the first array tells
};
struct Vector {
  std::int64_t size = 0;
  void* values = nullptr;
  DataType type = DataType::float32;
};
struct Dense {
  std::int64_t rows = 0, columns = 0, leading = 0;
  void* values = nullptr;
  DataType type = DataType::float32;
  Order order = Order::columns;
  int batches = 1;
  std::int64_t between_batches = 0;

  std::int64_t elements() const {
    return order == Order::columns ? span(rows, columns, leading) : span(columns, rows, leading);
  }
  std::int64_t at(std::int64_t row, std::int64_t column) const {
    return order == Order::columns ? row + column * leading : row * leading + column;
  }
};

// What matrices are said to be (cusparseMatDescr_t).
struct Description {
  int type = 0, fill = 0, diagonal = 0, base = 0;
};
// Inside a computation: indices of either width, without their base.
inline std::vector<std::int64_t> indices(const void* at, Index type, std::int64_t count, int base) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(count));
  const auto read = [&](const auto* from) {
    from = in(from, count);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = from[i] - base;
  };
  if (type == Index::bits64)
    read(static_cast<const std::int64_t*>(at));
  else if (type == Index::bits32)
    read(static_cast<const std::int32_t*>(at));
  else
    throw std::runtime_error("indices of 16 bits are not supported");
  return result;
}

// Calls visit(row, column, value) for each entry, in the order in which they are stored.
template <typename T, typename Visit>
void for_each_entry(const Sparse& matrix, Visit visit) {
  const T* const values = in(static_cast<const T*>(matrix.values), matrix.count);
  const auto columns = indices(matrix.second, matrix.second_type, matrix.count, matrix.base);
  const auto first = indices(matrix.first, matrix.first_type,
                             matrix.by_row ? matrix.lists() + 1 : matrix.count, matrix.base);
  const auto place = [&](std::int64_t row, std::int64_t i) {
    std::int64_t column = columns[static_cast<std::size_t>(i)];
    if (matrix.by_column) std::swap(row, column);
    if (row < 0 || row >= matrix.rows || column < 0 || column >= matrix.columns)
      throw std::runtime_error("an entry lies outside the matrix");
    visit(row, column, values[i]);
  };
  if (!matrix.by_row) {
    for (std::int64_t i = 0; i < matrix.count; ++i) place(first[static_cast<std::size_t>(i)], i);
    return;
  }
  for (std::int64_t row = 0; row < matrix.lists(); ++row) {
    const std::int64_t begin = first[static_cast<std::size_t>(row)];
    const std::int64_t end = first[static_cast<std::size_t>(row + 1)];
    if (begin < 0 || end > matrix.count)
      throw std::runtime_error("a row lies outside the list of entries");
    for (std::int64_t i = begin; i < end; ++i) place(row, i);
  }
}

template <typename T>
T applied(Op op, const T& value) {
  if constexpr (kIsComplex<T>)
    if (op == Op::conjugate) return std::conj(value);
  return value;
}

template <typename T>
T scalar(const Context& context, const void* at, const T& given) {
  return context.pointers == 1 ? *in(static_cast<const T*>(at), 1) : given;
}

template <typename Compute>
Status run(Handle handle, DataType type, const Shape& shape, Compute compute) {
  const Error error = submit(handle->stream, name_of(type), shape, std::move(compute));
  return error == Error::success ? Status::success : Status::execution_failed;
}

// Writes indices of either width, with their base.
inline void put_indices(const void* at, Index type, const std::vector<std::int64_t>& values,
                        int base) {
  const auto count = static_cast<std::int64_t>(values.size());
  const auto write = [&]<typename Int>(Int) {
    Int* const to = out(const_cast<Int*>(static_cast<const Int*>(at)), count);
    for (std::size_t i = 0; i < values.size(); ++i) to[i] = static_cast<Int>(values[i] + base);
  };
  if (type == Index::bits64)
    write(std::int64_t{});
  else if (type == Index::bits32)
    write(std::int32_t{});
  else
    throw std::runtime_error("indices of 16 bits are not supported");
}

// Bytes of a workspace: none is needed, but some programs take an empty one for a failure.
template <typename... Before>
struct Workspace {
  static Status ask(Before..., std::size_t* bytes) {
    demand(bytes != nullptr);
    *bytes = 8;
    return Status::success;
  }
  static Status prepare(Before..., void*) { return Status::success; }
};
}  // namespace heddle::runtime::libraries::cusparse
