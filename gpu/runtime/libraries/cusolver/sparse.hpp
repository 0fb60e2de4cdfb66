// Sparse matrices by rows, and what solves systems with them: orders that keep factors small, and
// LU, Cholesky and QR factors. After T. Davis, "Direct Methods for Sparse Linear Systems" (2006).
#pragma once

#include <vector>

#include "gpu/runtime/libraries/cusolver/types.hpp"
#include "gpu/runtime/libraries/cusparse/types.hpp"

namespace heddle::runtime::libraries::cusolver {

// Where rows begin, and the columns of their entries, from 0 on. Entries of a row in any order.
struct Pattern {
  int rows = 0, columns = 0;
  std::vector<int> first, second;

  int entries() const { return static_cast<int>(second.size()); }
};
template <typename T>
struct SparseMatrix : Pattern {
  std::vector<T> values;
};

// Inside a computation. Throws std::runtime_error where the arrays contradict one another.
Pattern read_pattern(int rows, int columns, int entries, const cusparse::Description* description,
                     const int* first, const int* second);
template <typename T>
SparseMatrix<T> read_matrix(int rows, int columns, int entries,
                            const cusparse::Description* description, const T* values,
                            const int* first, const int* second) {
  return {read_pattern(rows, columns, entries, description, first, second),
          std::vector<T>(in(values, entries), in(values, entries) + entries)};
}

template <typename T>
SparseMatrix<T> transpose(const SparseMatrix<T>& matrix) {
  SparseMatrix<T> made;
  made.rows = matrix.columns, made.columns = matrix.rows;
  made.first.assign(static_cast<std::size_t>(made.rows) + 1, 0);
  made.second.resize(matrix.second.size());
  made.values.resize(matrix.second.size());
  for (const int column : matrix.second) ++made.first[static_cast<std::size_t>(column) + 1];
  for (std::size_t i = 1; i < made.first.size(); ++i) made.first[i] += made.first[i - 1];
  std::vector<int> next = made.first;
  for (int row = 0; row < matrix.rows; ++row)
    for (int at = matrix.first[static_cast<std::size_t>(row)];
         at < matrix.first[static_cast<std::size_t>(row) + 1]; ++at) {
      const auto from = static_cast<std::size_t>(at);
      const auto to =
          static_cast<std::size_t>(next[static_cast<std::size_t>(matrix.second[from])]++);
      made.second[to] = row;
      made.values[to] = matrix.values[from];
    }
  return made;
}

// Numbers of rows, in the order in which they are to be taken; of the pattern of A + A'.
using Permutation = std::vector<int>;
Permutation reverse_cuthill_mckee(const Pattern& pattern);
Permutation minimum_degree(const Pattern& pattern);
Permutation nested_dissection(const Pattern& pattern);
// As `reorder` of cuSOLVER's solvers numbers them; 0: as they are.
Permutation order_of(int reorder, const Pattern& pattern);

// A(p, q), whose entries stand in the order of columns; `from`: which entry of A each one was.
Pattern permuted(const Pattern& pattern, const Permutation& p, const Permutation& q,
                 std::vector<int>& from);
template <typename T>
SparseMatrix<T> permuted(const SparseMatrix<T>& matrix, const Permutation& p,
                         const Permutation& q) {
  std::vector<int> from;
  SparseMatrix<T> made{permuted(static_cast<const Pattern&>(matrix), p, q, from), {}};
  for (const int at : from) made.values.push_back(matrix.values[static_cast<std::size_t>(at)]);
  return made;
}

}  // namespace heddle::runtime::libraries::cusolver
