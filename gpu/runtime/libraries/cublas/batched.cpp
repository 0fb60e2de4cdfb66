// Factorisations of many small matrices: each by LAPACKE, one after another.
#include <numeric>
#include <vector>

#include "gpu/runtime/libraries/cublas/types.hpp"
#include "gpu/runtime/libraries/lapack.hpp"

namespace heddle::runtime::libraries::cublas {
namespace {

template <typename T, typename Compute>
Status run_batch(Handle handle, const Shape& shape, Compute compute) {
  need(Host::lapacke);
  return run<T>(handle, shape, std::move(compute));
}

// Without pivots LAPACK has no factorisation. The place of the first zero pivot, from 1; 0: none.
template <typename T>
int factor_without_pivots(T* a, int n, int lda) {
  for (int k = 0; k < n; ++k) {
    const T pivot = a[k + k * lda];
    if (pivot == T{}) return k + 1;
    for (int i = k + 1; i < n; ++i) {
      const T factor = a[i + k * lda] /= pivot;
      for (int j = k + 1; j < n; ++j) a[i + j * lda] -= factor * a[k + j * lda];
    }
  }
  return 0;
}

template <typename T>
Status getrf(Handle handle, int n, T* const* a, int lda, int* pivots, int* info, int count) {
  demand(n >= 0 && count >= 0 && lda >= std::max(1, n) && info != nullptr);
  return run_batch<T>(handle, {{"n", n}, {"batch", count}}, [=] {
    T* const* const matrices = in(a, count);
    int* const failures = out(info, count);
    int* const places = pivots == nullptr ? nullptr : out(pivots, std::int64_t{n} * count);
    for (int i = 0; i < count; ++i) {
      T* const matrix = out(matrices[i], span(n, n, lda));
      failures[i] = places == nullptr
                        ? factor_without_pivots(matrix, n, lda)
                        : lapack<T>("getrf", n, n, matrix, lda, places + std::int64_t{i} * n);
    }
  });
}

// Pivots that exchange nothing, where there are none.
const int* pivots_of(const int* places, int i, int n, std::vector<int>& plain) {
  if (places != nullptr) return places + std::int64_t{i} * n;
  plain.resize(static_cast<std::size_t>(n));
  std::iota(plain.begin(), plain.end(), 1);
  return plain.data();
}

// `info` is one number in the program's memory.
template <typename T>
Status getrs(Handle handle, Op op, int n, int columns, const T* const* a, int lda,
             const int* pivots, T* const* b, int ldb, int* info, int count) {
  demand(info != nullptr);
  *info = 0;
  demand(n >= 0 && columns >= 0 && count >= 0 && lda >= std::max(1, n) && ldb >= std::max(1, n));
  return run_batch<T>(handle, {{"n", n}, {"nrhs", columns}, {"batch", count}}, [=] {
    const T* const* const matrices = in(a, count);
    T* const* const sides = in(b, count);
    const int* const places = pivots == nullptr ? nullptr : in(pivots, std::int64_t{n} * count);
    std::vector<int> plain;
    for (int i = 0; i < count; ++i)
      lapack<T>("getrs", letter_of(op), n, columns, in(matrices[i], span(n, n, lda)), lda,
                pivots_of(places, i, n, plain), out(sides[i], span(n, columns, ldb)), ldb);
  });
}

template <typename T>
void copy_square(int n, const T* from, int from_leading, T* to, int to_leading) {
  for (int j = 0; j < n; ++j)
    std::copy_n(from + std::int64_t{j} * from_leading, n, to + std::int64_t{j} * to_leading);
}

template <typename T>
Status getri(Handle handle, int n, const T* const* a, int lda, const int* pivots, T* const* c,
             int ldc, int* info, int count) {
  demand(n >= 0 && count >= 0 && lda >= std::max(1, n) && ldc >= std::max(1, n) && info != nullptr);
  return run_batch<T>(handle, {{"n", n}, {"batch", count}}, [=] {
    const T* const* const matrices = in(a, count);
    T* const* const inverses = in(c, count);
    int* const failures = out(info, count);
    const int* const places = pivots == nullptr ? nullptr : in(pivots, std::int64_t{n} * count);
    std::vector<int> plain;
    for (int i = 0; i < count; ++i) {
      T* const inverse = out(inverses[i], span(n, n, ldc));
      copy_square(n, in(matrices[i], span(n, n, lda)), lda, inverse, ldc);
      failures[i] = lapack<T>("getri", n, inverse, ldc, pivots_of(places, i, n, plain));
    }
  });
}

template <typename T>
Status matinv(Handle handle, int n, const T* const* a, int lda, T* const* c, int ldc, int* info,
              int count) {
  demand(n >= 0 && n <= 32 && count >= 0 && lda >= std::max(1, n) && ldc >= std::max(1, n) &&
         info != nullptr);
  return run_batch<T>(handle, {{"n", n}, {"batch", count}}, [=] {
    const T* const* const matrices = in(a, count);
    T* const* const inverses = in(c, count);
    int* const failures = out(info, count);
    std::vector<int> pivots(static_cast<std::size_t>(n));
    for (int i = 0; i < count; ++i) {
      T* const inverse = out(inverses[i], span(n, n, ldc));
      copy_square(n, in(matrices[i], span(n, n, lda)), lda, inverse, ldc);
      failures[i] = lapack<T>("getrf", n, n, inverse, ldc, pivots.data());
      if (failures[i] == 0)
        failures[i] = lapack<T>("getri", n, inverse, ldc, static_cast<const int*>(pivots.data()));
    }
  });
}

template <typename T>
Status geqrf(Handle handle, int m, int n, T* const* a, int lda, T* const* tau, int* info,
             int count) {
  demand(info != nullptr);
  *info = 0;
  demand(m >= 0 && n >= 0 && count >= 0 && lda >= std::max(1, m));
  return run_batch<T>(handle, {{"m", m}, {"n", n}, {"batch", count}}, [=] {
    T* const* const matrices = in(a, count);
    T* const* const factors = in(tau, count);
    for (int i = 0; i < count; ++i)
      lapack<T>("geqrf", m, n, out(matrices[i], span(m, n, lda)), lda,
                out(factors[i], std::min(m, n)));
  });
}

// Least squares of systems that have as many equations as unknowns, or more. `info` is one number
// in the program's memory, `failures` has one for each system and may be absent.
template <typename T>
Status gels(Handle handle, Op op, int m, int n, int columns, T* const* a, int lda, T* const* c,
            int ldc, int* info, int* failures, int count) {
  demand(info != nullptr);
  *info = 0;
  demand(m >= n && n >= 0 && columns >= 0 && count >= 0 && lda >= std::max(1, m) &&
         ldc >= std::max(1, m));
  if (op != Op::none) throw Missing("systems of a transposed matrix are not supported");
  return run_batch<T>(handle, {{"m", m}, {"n", n}, {"nrhs", columns}, {"batch", count}}, [=] {
    T* const* const matrices = in(a, count);
    T* const* const sides = in(c, count);
    int* const failed = failures == nullptr ? nullptr : out(failures, count);
    for (int i = 0; i < count; ++i) {
      const int zero =
          lapack<T>("gels", letter_of(op), m, n, columns, out(matrices[i], span(m, n, lda)), lda,
                    out(sides[i], span(m, columns, ldc)), ldc);
      if (failed != nullptr) failed[i] = zero;
    }
  });
}

}  // namespace

#define HEDDLE_BATCHED(routine, function)                     \
  HEDDLE_EXPORT(cublasS##routine##Batched, function<float>)   \
  HEDDLE_EXPORT(cublasD##routine##Batched, function<double>)  \
  HEDDLE_EXPORT(cublasC##routine##Batched, function<Complex>) \
  HEDDLE_EXPORT(cublasZ##routine##Batched, function<DoubleComplex>)
HEDDLE_BATCHED(getrf, getrf)
HEDDLE_BATCHED(getrs, getrs)
HEDDLE_BATCHED(getri, getri)
HEDDLE_BATCHED(matinv, matinv)
HEDDLE_BATCHED(geqrf, geqrf)
HEDDLE_BATCHED(gels, gels)

}  // namespace heddle::runtime::libraries::cublas
