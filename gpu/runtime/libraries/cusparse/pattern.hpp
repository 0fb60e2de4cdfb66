// Matrices whose rows are stored one after another, of single elements (CSR) or of square blocks
// (BSR): which element lies where. A matrix of blocks is one of elements whose pattern is coarser.
#pragma once

#include <vector>

#include "gpu/runtime/libraries/cusparse/types.hpp"

namespace heddle::runtime::libraries::cusparse {

// As the routines take it.
struct Layout {
  int rows = 0, columns = 0, count = 0;  // of blocks
  const int *begin = nullptr, *places = nullptr;
  int base = 0;
  int block = 1;            // elements along a block's side
  bool by_columns = false;  // elements inside a block

  std::int64_t elements() const { return std::int64_t{count} * block * block; }
  std::int64_t height() const { return std::int64_t{rows} * block; }
  std::int64_t width() const { return std::int64_t{columns} * block; }
};

struct Place {
  std::int64_t column = 0;
  std::size_t at = 0;  // in the list of values
};
using Pattern = std::vector<std::vector<Place>>;  // by rows of elements; columns rise

// Inside a computation. Throws std::runtime_error where a block lies outside the matrix.
Pattern pattern_of(const Layout& layout);

constexpr int kByColumns = 1;  // cusparseDirection_t
inline Layout csr(int rows, int columns, int count, const Description* of, const int* begin,
                  const int* places) {
  demand(rows >= 0 && columns >= 0 && count >= 0 && of != nullptr);
  return {rows, columns, count, begin, places, of->base};
}
inline Layout bsr(int direction, int rows, int columns, int count, const Description* of,
                  const int* begin, const int* places, int block) {
  demand(rows >= 0 && columns >= 0 && count >= 0 && of != nullptr && block > 0);
  return {rows, columns, count, begin, places, of->base, block, direction == kByColumns};
}

inline Shape shape_of(const Layout& layout) {
  return {{"rows", layout.height()}, {"columns", layout.width()}, {"nnz", layout.elements()}};
}

// Bytes of a workspace, as routines that count them with an int ask for them.
template <typename... Before>
struct SmallWorkspace {
  static Status ask(Before..., int* bytes) {
    demand(bytes != nullptr);
    *bytes = 8;
    return Status::success;
  }
};

}  // namespace heddle::runtime::libraries::cusparse
