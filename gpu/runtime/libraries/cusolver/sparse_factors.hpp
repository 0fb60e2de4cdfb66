// Factors of sparse matrices. Each has factor(), pivot(j), the j-th number on the diagonal of the
// triangular factor, and solve().
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/runtime/libraries/cusolver/sparse.hpp"

namespace heddle::runtime::libraries::cusolver {

template <typename T>
T conjugate(T value) {
  if constexpr (kIsComplex<T>) return std::conj(value);
  return value;
}
template <typename T>
using Entries = std::vector<std::pair<int, T>>;
inline std::size_t place(int index) { return static_cast<std::size_t>(index); }

// P A = L U with partial pivoting, column by column (J. Gilbert and T. Peierls, SIAM Journal on
// Scientific and Statistical Computing 9, 1988).
template <typename T>
class LuFactors {
 public:
  // A number on the diagonal is the pivot where it is at least `threshold` of the largest.
  void factor(const SparseMatrix<T>& matrix, double threshold) {
    demand(matrix.rows == matrix.columns);
    n_ = matrix.rows;
    const SparseMatrix<T> columns = transpose(matrix);
    lower_.assign(place(n_), {});
    upper_.assign(place(n_), {});
    pivots_.assign(place(n_), T{});
    turn_of_.assign(place(n_), -1);
    row_of_.clear();
    std::vector<T> x(place(n_));
    std::vector<int> seen(place(n_), -1);
    for (int j = 0; j < n_; ++j) eliminate(columns, j, threshold, x, seen);
  }
  T pivot(int j) const { return pivots_[place(j)]; }
  int size() const { return n_; }
  const std::vector<int>& row_order() const { return row_of_; }

  std::vector<T> solve(std::vector<T> b) const {
    std::vector<T> y(place(n_));
    for (int k = 0; k < n_; ++k) {
      y[place(k)] = b[place(row_of_[place(k)])];
      for (const auto& [row, factor] : lower_[place(k)]) b[place(row)] -= factor * y[place(k)];
    }
    for (int j = n_; j-- > 0;) {
      y[place(j)] /= pivots_[place(j)];
      for (const auto& [k, value] : upper_[place(j)]) y[place(k)] -= value * y[place(j)];
    }
    return y;
  }

  // By rows in the order of columns: L without its diagonal, U with it.
  std::pair<SparseMatrix<T>, SparseMatrix<T>> extract() const {
    SparseMatrix<T> lower, upper;
    for (auto* const each : {&lower, &upper}) {
      each->rows = each->columns = n_;
      each->first = {0};
    }
    for (int k = 0; k < n_; ++k) {
      add(lower, lower_[place(k)], turn_of_);
      Entries<T> with_pivot = upper_[place(k)];
      with_pivot.emplace_back(k, pivots_[place(k)]);
      add(upper, with_pivot, {});
    }
    return {transpose(lower), transpose(upper)};
  }

 private:
  static void add(SparseMatrix<T>& to, const Entries<T>& column, const std::vector<int>& renamed) {
    for (const auto& [index, value] : column) {
      to.second.push_back(renamed.empty() ? index : renamed[place(index)]);
      to.values.push_back(value);
    }
    to.first.push_back(to.entries());
  }

  // Rows that column j can fill, those before others that they change.
  std::vector<int> reach(const SparseMatrix<T>& columns, int j, std::vector<int>& seen) const {
    std::vector<int> finished;
    std::vector<std::pair<int, std::size_t>> path;
    const auto enter = [&](int row) {
      if (std::exchange(seen[place(row)], j) != j) path.emplace_back(row, 0);
    };
    for (int at = columns.first[place(j)]; at < columns.first[place(j) + 1]; ++at) {
      enter(columns.second[place(at)]);
      while (!path.empty()) {
        const int row = path.back().first, turn = turn_of_[place(row)];
        if (turn >= 0 && path.back().second < lower_[place(turn)].size()) {
          enter(lower_[place(turn)][path.back().second++].first);
        } else {
          finished.push_back(row);
          path.pop_back();
        }
      }
    }
    std::reverse(finished.begin(), finished.end());
    return finished;
  }

  void eliminate(const SparseMatrix<T>& columns, int j, double threshold, std::vector<T>& x,
                 std::vector<int>& seen) {
    const std::vector<int> rows = reach(columns, j, seen);
    for (int at = columns.first[place(j)]; at < columns.first[place(j) + 1]; ++at)
      x[place(columns.second[place(at)])] += columns.values[place(at)];
    int best = -1;
    for (const int row : rows) {
      const int turn = turn_of_[place(row)];
      if (turn < 0) continue;
      upper_[place(j)].emplace_back(turn, x[place(row)]);
      for (const auto& [other, factor] : lower_[place(turn)])
        x[place(other)] -= factor * x[place(row)];
    }
    for (const int row : rows)
      if (turn_of_[place(row)] < 0 &&
          (best < 0 || std::abs(x[place(row)]) > std::abs(x[place(best)])))
        best = row;
    if (best >= 0 && turn_of_[place(j)] < 0 && x[place(j)] != T{} &&
        std::abs(x[place(j)]) >= threshold * std::abs(x[place(best)]))
      best = j;
    if (best < 0)  // nothing is there: any row will do
      best = static_cast<int>(std::find(turn_of_.begin(), turn_of_.end(), -1) - turn_of_.begin());
    const T pivot = pivots_[place(j)] = x[place(best)];
    turn_of_[place(best)] = j;
    row_of_.push_back(best);
    for (const int row : rows) {
      if (turn_of_[place(row)] < 0 && pivot != T{})
        lower_[place(j)].emplace_back(row, x[place(row)] / pivot);
      x[place(row)] = T{};
    }
  }

  int n_ = 0;
  std::vector<Entries<T>> lower_, upper_;  // by columns; rows of A, and turns
  std::vector<T> pivots_;
  std::vector<int> turn_of_, row_of_;
};

// A = L L' of the lower triangle, row by row along the elimination tree.
template <typename T>
class CholeskyFactors {
 public:
  void factor(const SparseMatrix<T>& matrix) {
    demand(matrix.rows == matrix.columns);
    n_ = matrix.rows;
    columns_.assign(place(n_), {});
    pivots_.assign(place(n_), T{});
    std::vector<int> parent(place(n_), -1), seen(place(n_), -1);
    std::vector<T> x(place(n_));
    for (int k = 0; k < n_; ++k)
      if (!add_row(matrix, k, parent, seen, x)) return;
  }
  T pivot(int j) const { return pivots_[place(j)]; }
  int size() const { return n_; }

  std::vector<T> solve(std::vector<T> x) const {
    for (int j = 0; j < n_; ++j) {
      x[place(j)] /= pivots_[place(j)];
      for (const auto& [row, value] : columns_[place(j)]) x[place(row)] -= value * x[place(j)];
    }
    for (int j = n_; j-- > 0;) {
      for (const auto& [row, value] : columns_[place(j)])
        x[place(j)] -= conjugate(value) * x[place(row)];
      x[place(j)] /= pivots_[place(j)];
    }
    return x;
  }

 private:
  // False: the matrix is not positive definite; this pivot and those that follow stay 0.
  bool add_row(const SparseMatrix<T>& matrix, int k, std::vector<int>& parent,
               std::vector<int>& seen, std::vector<T>& x) {
    std::vector<int> before;
    Real<T> square{};
    seen[place(k)] = k;
    for (int at = matrix.first[place(k)]; at < matrix.first[place(k) + 1]; ++at) {
      const int column = matrix.second[place(at)];
      if (column > k) continue;
      if (column == k) {
        square += std::real(matrix.values[place(at)]);
        continue;
      }
      x[place(column)] += conjugate(matrix.values[place(at)]);
      for (int i = column; seen[place(i)] != k; i = parent[place(i)]) {
        seen[place(i)] = k;
        before.push_back(i);
        if (parent[place(i)] < 0) parent[place(i)] = k;
      }
    }
    std::sort(before.begin(), before.end());
    for (const int j : before) {
      const T value = std::exchange(x[place(j)], T{}) / pivots_[place(j)];
      for (const auto& [row, factor] : columns_[place(j)]) x[place(row)] -= factor * value;
      square -= std::norm(value);
      columns_[place(j)].emplace_back(k, conjugate(value));
    }
    if (!(square > 0)) return false;
    pivots_[place(k)] = std::sqrt(square);
    return true;
  }

  int n_ = 0;
  std::vector<Entries<T>> columns_;
  std::vector<T> pivots_;
};

// A = Q R by Givens' rotations, row by row (A. George and M. Heath, Linear Algebra and its
// Applications 34, 1980). Q is kept as the rotations.
template <typename T>
class QrFactors {
 public:
  void factor(const SparseMatrix<T>& matrix) {
    demand(matrix.rows >= matrix.columns);
    n_ = matrix.columns;
    rows_.assign(place(n_), {});
    steps_.clear();
    for (int row = 0; row < matrix.rows; ++row) {
      Entries<T> entries;
      for (int at = matrix.first[place(row)]; at < matrix.first[place(row) + 1]; ++at)
        entries.emplace_back(matrix.second[place(at)], matrix.values[place(at)]);
      std::sort(entries.begin(), entries.end(),
                [](const auto& one, const auto& other) { return one.first < other.first; });
      add_up(entries);
      steps_.push_back(eliminate(std::move(entries)));
    }
  }
  T pivot(int j) const { return rows_[place(j)].empty() ? T{} : rows_[place(j)].front().second; }
  int size() const { return n_; }

  // The solution of least squares where there are more rows than columns.
  std::vector<T> solve(const std::vector<T>& b) const {
    std::vector<T> x(place(n_));
    for (std::size_t row = 0; row < steps_.size(); ++row) {
      T value = b[row];
      for (const Rotation& each : steps_[row].rotations) {
        T& other = x[place(each.column)];
        const T kept = each.cosine * other + each.sine * value;
        value = each.cosine * value - conjugate(each.sine) * other;
        other = kept;
      }
      if (steps_[row].becomes >= 0) x[place(steps_[row].becomes)] = value;
    }
    for (int j = n_; j-- > 0;) {
      const Entries<T>& row = rows_[place(j)];
      for (std::size_t i = 1; i < row.size(); ++i)
        x[place(j)] -= row[i].second * x[place(row[i].first)];
      x[place(j)] /= pivot(j);
    }
    return x;
  }

 private:
  struct Rotation {
    int column;
    Real<T> cosine;
    T sine;
  };
  struct Step {
    std::vector<Rotation> rotations;
    int becomes = -1;  // the row of R that is left; -1: none
  };

  // Entries of one column become one.
  static void add_up(Entries<T>& row) {
    Entries<T> sums;
    for (const auto& [column, value] : row) {
      if (sums.empty() || sums.back().first != column) sums.emplace_back(column, T{});
      sums.back().second += value;
    }
    row = std::move(sums);
  }

  Step eliminate(Entries<T> row) {
    Step step;
    for (;;) {
      while (!row.empty() && row.front().second == T{}) row.erase(row.begin());
      if (row.empty()) return step;
      const int column = row.front().first;
      Entries<T>& kept = rows_[place(column)];
      if (kept.empty()) {
        kept = std::move(row);
        step.becomes = column;
        return step;
      }
      const T above = kept.front().second, below = row.front().second;
      const Real<T> length = std::hypot(std::abs(above), std::abs(below));
      const Rotation by{column, std::abs(above) / length,
                        above / std::abs(above) * conjugate(below) / length};
      rotate(by, kept, row);
      step.rotations.push_back(by);
    }
  }

  // The first entry of `row` becomes 0, and is left out.
  static void rotate(const Rotation& by, Entries<T>& kept, Entries<T>& row) {
    Entries<T> upper, lower;
    upper.reserve(kept.size() + row.size());
    lower.reserve(kept.size() + row.size());
    auto one = kept.begin();
    auto other = row.begin();
    while (one != kept.end() || other != row.end()) {
      const int column = other == row.end() || (one != kept.end() && one->first < other->first)
                             ? one->first
                             : other->first;
      T above{}, below{};
      if (one != kept.end() && one->first == column) above = (one++)->second;
      if (other != row.end() && other->first == column) below = (other++)->second;
      upper.emplace_back(column, by.cosine * above + by.sine * below);
      if (column != by.column)
        lower.emplace_back(column, by.cosine * below - conjugate(by.sine) * above);
    }
    kept = std::move(upper);
    row = std::move(lower);
  }

  int n_ = 0;
  std::vector<Entries<T>> rows_;  // of R
  std::vector<Step> steps_;       // one for each row of A
};

// The first number on the diagonal that counts as 0; -1: none does.
template <typename Factors, typename Number>
int zero_pivot(const Factors& factors, Number tolerance) {
  for (int j = 0; j < factors.size(); ++j)
    if (!(std::abs(factors.pivot(j)) > tolerance)) return j;
  return -1;
}

}  // namespace heddle::runtime::libraries::cusolver
