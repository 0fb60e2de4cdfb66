// Level 3 but for products of general matrices (gemm.cpp).
#include <vector>

#include "gpu/runtime/libraries/cublas/across.hpp"

namespace heddle::runtime::libraries::cublas {
namespace {

template <typename T, typename Int>
Status any_symm(const char* routine, Handle handle, Side side, Fill fill, Int m, Int n,
                const T* alpha, const T* a, Int lda, const T* b, Int ldb, const T* beta, T* c,
                Int ldc) {
  const Int order = side == Side::left ? m : n;
  demand(m >= 0 && n >= 0 && lda >= std::max<Int>(1, order) && ldb >= std::max<Int>(1, m) &&
         ldc >= std::max<Int>(1, m));
  return run<T>(handle, {{"m", m}, {"n", n}},
                [=, by_alpha = Scalar<T>(handle, alpha), by_beta = Scalar<T>(handle, beta)] {
                  const T factor = by_alpha.get(), keep = by_beta.get();
                  blas<T>(routine, kColumns, c_blas(side), c_blas(fill), narrow(m), narrow(n),
                          by(factor), in(a, span(order, order, lda)), narrow(lda),
                          in(b, span(m, n, ldb)), narrow(ldb), by(keep), out(c, span(m, n, ldc)),
                          narrow(ldc));
                });
}
template <typename T, typename Int>
Status symm(Handle h, Side s, Fill f, Int m, Int n, const T* al, const T* a, Int lda, const T* b,
            Int ldb, const T* be, T* c, Int ldc) {
  return any_symm("symm", h, s, f, m, n, al, a, lda, b, ldb, be, c, ldc);
}
template <typename T, typename Int>
Status hemm(Handle h, Side s, Fill f, Int m, Int n, const T* al, const T* a, Int lda, const T* b,
            Int ldb, const T* be, T* c, Int ldc) {
  return any_symm("hemm", h, s, f, m, n, al, a, lda, b, ldb, be, c, ldc);
}

// C = alpha op(A) op(A)' + beta C, of which one triangle is written. `Factor` is T, or real.
template <typename T, typename Factor, typename Int>
Status rank_k(const char* routine, Handle handle, Fill fill, Op op, Int n, Int k,
              const Factor* alpha, const T* a, Int lda, const Factor* beta, T* c, Int ldc) {
  const Int rows = op == Op::none ? n : k, columns = op == Op::none ? k : n;
  demand(n >= 0 && k >= 0 && lda >= std::max<Int>(1, rows) && ldc >= std::max<Int>(1, n));
  return run<T>(
      handle, {{"n", n}, {"k", k}},
      [=, by_alpha = Scalar<Factor>(handle, alpha), by_beta = Scalar<Factor>(handle, beta)] {
        const Factor factor = by_alpha.get(), keep = by_beta.get();
        blas<T>(routine, kColumns, c_blas(fill), c_blas(op), narrow(n), narrow(k), by(factor),
                in(a, span(rows, columns, lda)), narrow(lda), by(keep), out(c, span(n, n, ldc)),
                narrow(ldc));
      });
}
template <typename T, typename Int>
Status syrk(Handle h, Fill f, Op op, Int n, Int k, const T* al, const T* a, Int lda, const T* be,
            T* c, Int ldc) {
  return rank_k<T, T>("syrk", h, f, op, n, k, al, a, lda, be, c, ldc);
}
template <typename T, typename Int>
Status herk(Handle h, Fill f, Op op, Int n, Int k, const Real<T>* al, const T* a, Int lda,
            const Real<T>* be, T* c, Int ldc) {
  return rank_k<T, Real<T>>("herk", h, f, op, n, k, al, a, lda, be, c, ldc);
}

template <typename T, typename Keep, typename Int>
Status rank_2k(const char* routine, Handle handle, Fill fill, Op op, Int n, Int k, const T* alpha,
               const T* a, Int lda, const T* b, Int ldb, const Keep* beta, T* c, Int ldc) {
  const Int rows = op == Op::none ? n : k, columns = op == Op::none ? k : n;
  demand(n >= 0 && k >= 0 && lda >= std::max<Int>(1, rows) && ldb >= std::max<Int>(1, rows) &&
         ldc >= std::max<Int>(1, n));
  return run<T>(handle, {{"n", n}, {"k", k}},
                [=, by_alpha = Scalar<T>(handle, alpha), by_beta = Scalar<Keep>(handle, beta)] {
                  const T factor = by_alpha.get();
                  const Keep keep = by_beta.get();
                  blas<T>(routine, kColumns, c_blas(fill), c_blas(op), narrow(n), narrow(k),
                          by(factor), in(a, span(rows, columns, lda)), narrow(lda),
                          in(b, span(rows, columns, ldb)), narrow(ldb), by(keep),
                          out(c, span(n, n, ldc)), narrow(ldc));
                });
}
template <typename T, typename Int>
Status syr2k(Handle h, Fill f, Op op, Int n, Int k, const T* al, const T* a, Int lda, const T* b,
             Int ldb, const T* be, T* c, Int ldc) {
  return rank_2k<T, T>("syr2k", h, f, op, n, k, al, a, lda, b, ldb, be, c, ldc);
}
template <typename T, typename Int>
Status her2k(Handle h, Fill f, Op op, Int n, Int k, const T* al, const T* a, Int lda, const T* b,
             Int ldb, const Real<T>* be, T* c, Int ldc) {
  return rank_2k<T, Real<T>>("her2k", h, f, op, n, k, al, a, lda, b, ldb, be, c, ldc);
}

// C = alpha op(A) op(B)' + beta C, whose result is known to be symmetric: one triangle is written.
template <typename T, typename Keep, typename Int>
Status rank_kx(Op second, Handle handle, Fill fill, Op op, Int n, Int k, const T* alpha, const T* a,
               Int lda, const T* b, Int ldb, const Keep* beta, T* c, Int ldc) {
  const Int rows = op == Op::none ? n : k, columns = op == Op::none ? k : n;
  demand(n >= 0 && k >= 0 && lda >= std::max<Int>(1, rows) && ldb >= std::max<Int>(1, rows) &&
         ldc >= std::max<Int>(1, n));
  const Op of_a = op == Op::none ? Op::none : second;
  const Op of_b = op == Op::none ? second : Op::none;
  return run<T>(
      handle, {{"n", n}, {"k", k}},
      [=, by_alpha = Scalar<T>(handle, alpha), by_beta = Scalar<Keep>(handle, beta)] {
        const T factor = by_alpha.get(), zero{};
        const Keep keep = by_beta.get();
        std::vector<T> product(static_cast<std::size_t>(n * n));
        blas<T>("gemm", kColumns, c_blas(of_a), c_blas(of_b), narrow(n), narrow(n), narrow(k),
                by(factor), in(a, span(rows, columns, lda)), narrow(lda),
                in(b, span(rows, columns, ldb)), narrow(ldb), by(zero), product.data(),
                std::max(1, narrow(n)));
        T* const result = out(c, span(n, n, ldc));
        for (Int j = 0; j < n; ++j)
          for (Int i = fill == Fill::upper ? 0 : j; i < (fill == Fill::upper ? j + 1 : n); ++i) {
            T& to = result[i + j * ldc];
            to = product[static_cast<std::size_t>(i + j * n)] + (keep == Keep{} ? T{} : keep * to);
            // Whatever the factors give, the diagonal is real (an H200's answers).
            if constexpr (kIsComplex<T>)
              if (second == Op::conjugate && i == j) to = std::real(to);
          }
      });
}
template <typename T, typename Int>
Status syrkx(Handle h, Fill f, Op op, Int n, Int k, const T* al, const T* a, Int lda, const T* b,
             Int ldb, const T* be, T* c, Int ldc) {
  return rank_kx<T, T>(Op::transpose, h, f, op, n, k, al, a, lda, b, ldb, be, c, ldc);
}
template <typename T, typename Int>
Status herkx(Handle h, Fill f, Op op, Int n, Int k, const T* al, const T* a, Int lda, const T* b,
             Int ldb, const Real<T>* be, T* c, Int ldc) {
  return rank_kx<T, Real<T>>(Op::conjugate, h, f, op, n, k, al, a, lda, b, ldb, be, c, ldc);
}

template <typename T>
void triangular(const char* routine, Side side, Fill fill, Op op, Diagonal diagonal, int m, int n,
                T factor, const T* a, int lda, T* b, int ldb) {
  blas<T>(routine, kColumns, c_blas(side), c_blas(fill), c_blas(op), c_blas(diagonal), m, n,
          by(factor), a, lda, b, ldb);
}

// Unlike BLAS's, its result has a place of its own, which may be B's.
template <typename T, typename Int>
Status trmm(Handle handle, Side side, Fill fill, Op op, Diagonal diagonal, Int m, Int n,
            const T* alpha, const T* a, Int lda, const T* b, Int ldb, T* c, Int ldc) {
  const Int order = side == Side::left ? m : n;
  demand(m >= 0 && n >= 0 && lda >= std::max<Int>(1, order) && ldb >= std::max<Int>(1, m) &&
         ldc >= std::max<Int>(1, m));
  return run<T>(handle, {{"m", m}, {"n", n}}, [=, by_alpha = Scalar<T>(handle, alpha)] {
    const T* const from = in(b, span(m, n, ldb));
    T* const to = out(c, span(m, n, ldc));
    if (from != to)
      for (Int j = 0; j < n; ++j) std::copy_n(from + j * ldb, m, to + j * ldc);
    triangular("trmm", side, fill, op, diagonal, narrow(m), narrow(n), by_alpha.get(),
               in(a, span(order, order, lda)), narrow(lda), to, narrow(ldc));
  });
}

template <typename T, typename Int>
Status trsm(Handle handle, Side side, Fill fill, Op op, Diagonal diagonal, Int m, Int n,
            const T* alpha, const T* a, Int lda, T* b, Int ldb) {
  const Int order = side == Side::left ? m : n;
  demand(m >= 0 && n >= 0 && lda >= std::max<Int>(1, order) && ldb >= std::max<Int>(1, m));
  return run<T>(handle, {{"m", m}, {"n", n}}, [=, by_alpha = Scalar<T>(handle, alpha)] {
    triangular("trsm", side, fill, op, diagonal, narrow(m), narrow(n), by_alpha.get(),
               in(a, span(order, order, lda)), narrow(lda), out(b, span(m, n, ldb)), narrow(ldb));
  });
}

template <typename T, typename Int>
Status trsm_batched(Handle handle, Side side, Fill fill, Op op, Diagonal diagonal, Int m, Int n,
                    const T* alpha, const T* const* a, Int lda, T* const* b, Int ldb, Int count) {
  const Int order = side == Side::left ? m : n;
  demand(m >= 0 && n >= 0 && count >= 0 && lda >= std::max<Int>(1, order) &&
         ldb >= std::max<Int>(1, m));
  return run<T>(handle, {{"m", m}, {"n", n}, {"batch", count}},
                [=, by_alpha = Scalar<T>(handle, alpha)] {
                  const T* const* const first = in(a, count);
                  T* const* const second = in(b, count);
                  for (Int i = 0; i < count; ++i)
                    triangular("trsm", side, fill, op, diagonal, narrow(m), narrow(n),
                               by_alpha.get(), in(first[i], span(order, order, lda)), narrow(lda),
                               out(second[i], span(m, n, ldb)), narrow(ldb));
                });
}

// op(A), element by element.
template <typename T>
T element(const T* a, std::int64_t leading, Op op, std::int64_t row, std::int64_t column) {
  if (op == Op::none) return a[row + column * leading];
  const T value = a[column + row * leading];
  if constexpr (kIsComplex<T>)
    if (op == Op::conjugate) return std::conj(value);
  return value;
}

// C = alpha op(A) + beta op(B); C may be where A or B is.
template <typename T, typename Int>
Status geam(Handle handle, Op op_a, Op op_b, Int m, Int n, const T* alpha, const T* a, Int lda,
            const T* beta, const T* b, Int ldb, T* c, Int ldc) {
  const auto stored = [=](Op op, Int leading) {
    return op == Op::none ? span(m, n, leading) : span(n, m, leading);
  };
  demand(m >= 0 && n >= 0 && lda >= std::max<Int>(1, op_a == Op::none ? m : n) &&
         ldb >= std::max<Int>(1, op_b == Op::none ? m : n) && ldc >= std::max<Int>(1, m));
  return run<T>(handle, {{"m", m}, {"n", n}},
                [=, by_alpha = Scalar<T>(handle, alpha), by_beta = Scalar<T>(handle, beta)] {
                  const T of_a = by_alpha.get(), of_b = by_beta.get();
                  const T* const first = of_a == T{} ? nullptr : in(a, stored(op_a, lda));
                  const T* const second = of_b == T{} ? nullptr : in(b, stored(op_b, ldb));
                  T* const result = out(c, span(m, n, ldc));
                  for (Int j = 0; j < n; ++j)
                    for (Int i = 0; i < m; ++i)
                      result[i + j * ldc] =
                          (first ? of_a * element(first, lda, op_a, i, j) : T{}) +
                          (second ? of_b * element(second, ldb, op_b, i, j) : T{});
                });
}

// C = diag(x) A, or A diag(x).
template <typename T, typename Int>
Status dgmm(Handle handle, Side side, Int m, Int n, const T* a, Int lda, const T* x, Int incx, T* c,
            Int ldc) {
  demand(m >= 0 && n >= 0 && lda >= std::max<Int>(1, m) && ldc >= std::max<Int>(1, m));
  return run<T>(handle, {{"m", m}, {"n", n}}, [=] {
    const Int length = side == Side::left ? m : n;
    const T* const from = in(a, span(m, n, lda));
    const T* factors = in(x, span(length, incx));
    if (incx < 0) factors += (1 - length) * incx;
    T* const to = out(c, span(m, n, ldc));
    for (Int j = 0; j < n; ++j)
      for (Int i = 0; i < m; ++i)
        to[i + j * ldc] = from[i + j * lda] * factors[(side == Side::left ? i : j) * incx];
  });
}

// Between a triangle that is packed and one that is not.
template <typename T, bool kPack>
Status repack(Handle handle, Fill fill, int n, const T* from, int lda, T* to) {
  demand(n >= 0 && lda >= std::max(1, n));
  return run<T>(handle, {{"n", n}}, [=] {
    const std::int64_t full = span(n, n, lda), packed = std::int64_t{n} * (n + 1) / 2;
    const T* const source = in(from, kPack ? full : packed);
    T* const target = out(to, kPack ? packed : full);
    std::int64_t at = 0;
    for (int j = 0; j < n; ++j)
      for (int i = fill == Fill::upper ? 0 : j; i < (fill == Fill::upper ? j + 1 : n); ++i, ++at) {
        const std::int64_t place = i + std::int64_t{j} * lda;
        target[kPack ? at : place] = source[kPack ? place : at];
      }
  });
}
template <typename T>
Status trttp(Handle handle, Fill fill, int n, const T* a, int lda, T* ap) {
  return repack<T, true>(handle, fill, n, a, lda, ap);
}
template <typename T>
Status tpttr(Handle handle, Fill fill, int n, const T* ap, T* a, int lda) {
  return repack<T, false>(handle, fill, n, ap, lda, a);
}

}  // namespace

HEDDLE_BLAS_SDCZ(symm, symm)
HEDDLE_BLAS_CZ(hemm, hemm)
HEDDLE_BLAS_SDCZ(syrk, syrk)
HEDDLE_BLAS_CZ(herk, herk)
HEDDLE_BLAS_SDCZ(syr2k, syr2k)
HEDDLE_BLAS_CZ(her2k, her2k)
HEDDLE_BLAS_SDCZ_PLAIN(syrkx, syrkx)
HEDDLE_BLAS_PLAIN(C, herkx, herkx, Complex)
HEDDLE_BLAS_PLAIN(Z, herkx, herkx, DoubleComplex)
HEDDLE_BLAS_SDCZ(trmm, trmm)
HEDDLE_BLAS_SDCZ(trsm, trsm)
HEDDLE_BLAS_XT_SDCZ(symm, symm)
HEDDLE_BLAS_XT_CZ(hemm, hemm)
HEDDLE_BLAS_XT_SDCZ(syrk, syrk)
HEDDLE_BLAS_XT_CZ(herk, herk)
HEDDLE_BLAS_XT_SDCZ(syr2k, syr2k)
HEDDLE_BLAS_XT_CZ(her2k, her2k)
HEDDLE_BLAS_XT_SDCZ(syrkx, syrkx)
HEDDLE_BLAS_XT_CZ(herkx, herkx)
HEDDLE_BLAS_XT_SDCZ(trmm, trmm)
HEDDLE_BLAS_XT_SDCZ(trsm, trsm)
HEDDLE_BLAS_SDCZ_PLAIN(trsmBatched, trsm_batched)
HEDDLE_BLAS_SDCZ_PLAIN(geam, geam)
HEDDLE_BLAS_SDCZ_PLAIN(dgmm, dgmm)
HEDDLE_EXPORT(cublasStrttp, trttp<float>)
HEDDLE_EXPORT(cublasDtrttp, trttp<double>)
HEDDLE_EXPORT(cublasCtrttp, trttp<Complex>)
HEDDLE_EXPORT(cublasZtrttp, trttp<DoubleComplex>)
HEDDLE_EXPORT(cublasStpttr, tpttr<float>)
HEDDLE_EXPORT(cublasDtpttr, tpttr<double>)
HEDDLE_EXPORT(cublasCtpttr, tpttr<Complex>)
HEDDLE_EXPORT(cublasZtpttr, tpttr<DoubleComplex>)

}  // namespace heddle::runtime::libraries::cublas
