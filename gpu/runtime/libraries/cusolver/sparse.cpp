// cuSOLVER for sparse matrices: systems, orders, eigenvalues by inverse iteration. Arrays lie on
// the host or on the device; all calls wait.
#include <cmath>

#include "gpu/runtime/libraries/cusolver/sparse_calls.hpp"
#include "gpu/runtime/libraries/cusolver/sparse_factors.hpp"

namespace heddle::runtime::libraries::cusolver {
namespace {

using cusparse::Description;

template <template <typename> class Factors, typename T>
void factor(Factors<T>& factors, const SparseMatrix<T>& matrix) {
  if constexpr (std::is_same_v<Factors<T>, LuFactors<T>>)
    factors.factor(matrix, 1);
  else
    factors.factor(matrix);
}

// `singular` is the program's, wherever the others lie.
template <template <typename> class Factors, typename T>
Status solve(Handle handle, int n, int entries, const Description* description, const T* values,
             const int* first, const int* second, const T* b, Real<T> tolerance, int reorder, T* x,
             int* singular) {
  demand(n >= 0 && entries >= 0 && description != nullptr && singular != nullptr);
  return run_at_once<T>(handle, {{"n", n}, {"entries", entries}}, [=] {
    const auto matrix = read_matrix(n, n, entries, description, values, first, second);
    const Permutation order = order_of(reorder, matrix);
    Factors<T> factors;
    factor(factors, permuted(matrix, order, order));
    *singular = zero_pivot(factors, tolerance);
    if (*singular >= 0) return;
    std::vector<T> right;
    for (const int row : order) right.push_back(in(b, n)[row]);
    const std::vector<T> solution = factors.solve(std::move(right));
    T* const to = out(x, n);
    for (int i = 0; i < n; ++i) to[order[place(i)]] = solution[place(i)];
  });
}
template <typename T>
Status solve_lu(Handle h, int n, int nnz, const Description* d, const T* v, const int* f,
                const int* s, const T* b, Real<T> tol, int order, T* x, int* singular) {
  return solve<LuFactors>(h, n, nnz, d, v, f, s, b, tol, order, x, singular);
}
template <typename T>
Status solve_cholesky(Handle h, int n, int nnz, const Description* d, const T* v, const int* f,
                      const int* s, const T* b, Real<T> tol, int order, T* x, int* singular) {
  return solve<CholeskyFactors>(h, n, nnz, d, v, f, s, b, tol, order, x, singular);
}
template <typename T>
Status solve_qr(Handle h, int n, int nnz, const Description* d, const T* v, const int* f,
                const int* s, const T* b, Real<T> tol, int order, T* x, int* singular) {
  return solve<QrFactors>(h, n, nnz, d, v, f, s, b, tol, order, x, singular);
}

template <typename T>
Real<T> length(const std::vector<T>& vector) {
  Real<T> sum{};
  for (const T& each : vector) sum += std::norm(each);
  return std::sqrt(sum);
}

// The eigenvalue next to `near`, by inverse iteration, until |A x - mu x| < tolerance |mu|.
template <typename T>
Status nearest_eigenvalue(Handle handle, int n, int entries, const Description* description,
                          const T* values, const int* first, const int* second, T near,
                          const T* start, int most, Real<T> tolerance, T* mu, T* x) {
  demand(n > 0 && entries >= 0 && description != nullptr && most >= 0);
  return run_at_once<T>(handle, {{"n", n}, {"entries", entries}}, [=] {
    const auto matrix = read_matrix(n, n, entries, description, values, first, second);
    SparseMatrix<T> shifted = with_shift(matrix, near);
    LuFactors<T> factors;
    factors.factor(shifted, 1);
    if (zero_pivot(factors, Real<T>{}) >= 0)
      throw std::runtime_error("the shift is an eigenvalue: its system is singular");
    std::vector<T> vector(in(start, n), in(start, n) + n);
    T value{};
    for (int i = 0; i <= most; ++i) {
      if (i > 0) vector = factors.solve(std::move(vector));
      const Real<T> norm = length(vector);
      for (T& each : vector) each /= norm;
      std::vector<T> product = times(matrix, vector);
      value = T{};
      for (int j = 0; j < n; ++j) value += conjugate(vector[place(j)]) * product[place(j)];
      for (int j = 0; j < n; ++j) product[place(j)] -= value * vector[place(j)];
      if (length(product) < tolerance * std::abs(value)) break;
    }
    *out(mu, 1) = value;
    std::copy(vector.begin(), vector.end(), out(x, n));
  });
}

Status is_symmetric(Handle handle, int n, int entries, const Description* description,
                    const int* first, const int* end, const int* second, int* symmetric) {
  demand(n >= 0 && description != nullptr && symmetric != nullptr && end == first + 1);
  return run_at_once<float>(handle, {{"n", n}}, [=] {
    const Pattern pattern = read_pattern(n, n, entries, description, first, second);
    std::vector<std::pair<int, int>> there, mirrored;
    for (int row = 0; row < n; ++row)
      for (int at = pattern.first[place(row)]; at < pattern.first[place(row) + 1]; ++at) {
        there.emplace_back(row, pattern.second[place(at)]);
        mirrored.emplace_back(pattern.second[place(at)], row);
      }
    std::sort(there.begin(), there.end());
    std::sort(mirrored.begin(), mirrored.end());
    *out(symmetric, 1) = there == mirrored ? 1 : 0;
  });
}

template <int kReorder>
Status order(Handle handle, int n, int entries, const Description* description, const int* first,
             const int* second, int* p) {
  demand(n >= 0 && description != nullptr);
  return run_at_once<float>(handle, {{"n", n}}, [=] {
    const Permutation found =
        order_of(kReorder, read_pattern(n, n, entries, description, first, second));
    std::copy(found.begin(), found.end(), out(p, n));
  });
}
Status order_by_dissection(Handle handle, int n, int entries, const Description* description,
                           const int* first, const int* second, const std::int64_t*, int* p) {
  return order<3>(handle, n, entries, description, first, second, p);
}

Status ask_permutation(Handle, int, int, int, const Description*, const int*, const int*,
                       const int*, const int*, std::size_t* bytes) {
  demand(bytes != nullptr);
  *bytes = 8;
  return Status::success;
}
// In place, with `map` in the order of the entries.
Status permute(Handle handle, int m, int n, int entries, const Description* description, int* first,
               int* second, const int* p, const int* q, int* map, void*) {
  demand(m >= 0 && n >= 0 && description != nullptr);
  return run_at_once<float>(handle, {{"m", m}, {"n", n}}, [=] {
    const Pattern pattern = read_pattern(m, n, entries, description, first, second);
    const Permutation rows(in(p, m), in(p, m) + m), columns(in(q, n), in(q, n) + n);
    std::vector<int> from;
    const Pattern made = permuted(pattern, rows, columns, from);
    int* const its_map = out(map, entries);
    const std::vector<int> before(its_map, its_map + entries);
    for (int i = 0; i < entries; ++i) {
      out(second, entries)[i] = made.second[place(i)] + description->base;
      its_map[i] = before[place(from[place(i)])];
    }
    for (int row = 0; row <= m; ++row)
      out(first, m + 1)[row] = made.first[place(row)] + description->base;
  });
}

}  // namespace

#define HEDDLE_SPARSE(letter, T)                                          \
  HEDDLE_EXPORT(cusolverSp##letter##csrlsvluHost, solve_lu<T>)            \
  HEDDLE_EXPORT(cusolverSp##letter##csrlsvcholHost, solve_cholesky<T>)    \
  HEDDLE_EXPORT(cusolverSp##letter##csrlsvchol, solve_cholesky<T>)        \
  HEDDLE_EXPORT(cusolverSp##letter##csrlsvqrHost, solve_qr<T>)            \
  HEDDLE_EXPORT(cusolverSp##letter##csrlsvqr, solve_qr<T>)                \
  HEDDLE_EXPORT(cusolverSp##letter##csreigvsiHost, nearest_eigenvalue<T>) \
  HEDDLE_EXPORT(cusolverSp##letter##csreigvsi, nearest_eigenvalue<T>)
HEDDLE_SPARSE(S, float)
HEDDLE_SPARSE(D, double)
HEDDLE_SPARSE(C, Complex)
HEDDLE_SPARSE(Z, DoubleComplex)
HEDDLE_EXPORT(cusolverSpXcsrissymHost, is_symmetric)
HEDDLE_EXPORT(cusolverSpXcsrsymrcmHost, order<1>)
HEDDLE_EXPORT(cusolverSpXcsrsymamdHost, order<2>)
HEDDLE_EXPORT(cusolverSpXcsrsymmdqHost, order<2>)
HEDDLE_EXPORT(cusolverSpXcsrmetisndHost, order_by_dissection)
HEDDLE_EXPORT(cusolverSpXcsrperm_bufferSizeHost, ask_permutation)
HEDDLE_EXPORT(cusolverSpXcsrpermHost, permute)

}  // namespace heddle::runtime::libraries::cusolver
