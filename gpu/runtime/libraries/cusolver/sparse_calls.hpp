// How routines for sparse matrices are called: at once, with arrays on the host or on the device.
#pragma once

#include "gpu/runtime/libraries/cusolver/sparse.hpp"
#include "gpu/runtime/libraries/program_operands.hpp"

namespace heddle::runtime::libraries::cusolver {

template <typename T, typename Compute>
Status run_at_once(Handle handle, const Shape& shape, Compute compute) {
  if (handle == nullptr) return Status::not_initialized;
  const ProgramOperands allowed;
  if (submit(handle->stream, type_name<T>(), shape, std::move(compute)) != Error::success)
    return Status::execution_failed;
  return synchronize(handle->stream) ? Status::success : Status::execution_failed;
}

template <typename T>
std::vector<T> times(const SparseMatrix<T>& matrix, const std::vector<T>& vector) {
  std::vector<T> product(static_cast<std::size_t>(matrix.rows));
  for (std::size_t row = 0; row < product.size(); ++row)
    for (int at = matrix.first[row]; at < matrix.first[row + 1]; ++at)
      product[row] += matrix.values[static_cast<std::size_t>(at)] *
                      vector[static_cast<std::size_t>(matrix.second[static_cast<std::size_t>(at)])];
  return product;
}

// A - shift I.
template <typename T>
SparseMatrix<T> with_shift(const SparseMatrix<T>& matrix, T shift) {
  SparseMatrix<T> made;
  made.rows = matrix.rows, made.columns = matrix.columns;
  made.first = {0};
  for (int row = 0; row < matrix.rows; ++row) {
    for (int at = matrix.first[static_cast<std::size_t>(row)];
         at < matrix.first[static_cast<std::size_t>(row) + 1]; ++at) {
      made.second.push_back(matrix.second[static_cast<std::size_t>(at)]);
      made.values.push_back(matrix.values[static_cast<std::size_t>(at)]);
    }
    if (shift != T{} && row < matrix.columns) {  // LU and QR add entries of one place
      made.second.push_back(row);
      made.values.push_back(-shift);
    }
    made.first.push_back(made.entries());
  }
  return made;
}

}  // namespace heddle::runtime::libraries::cusolver
