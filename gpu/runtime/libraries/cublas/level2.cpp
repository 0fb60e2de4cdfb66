// Level 2: a matrix and vectors. Packed matrices have n (n + 1) / 2 elements; banded ones are
// stored with a column for each of theirs.
#include <vector>

#include "gpu/runtime/libraries/cublas/types.hpp"

namespace heddle::runtime::libraries::cublas {
namespace {

template <typename Int>
std::int64_t packed(Int n) {
  return std::int64_t{n} * (n + 1) / 2;
}

template <typename T, typename Int>
Status gemv(Handle handle, Op op, Int m, Int n, const T* alpha, const T* a, Int lda, const T* x,
            Int incx, const T* beta, T* y, Int incy) {
  demand(m >= 0 && n >= 0 && lda >= std::max<Int>(1, m) && incx != 0 && incy != 0);
  const bool plain = op == Op::none;
  return run<T>(handle, {{"m", m}, {"n", n}},
                [=, by_alpha = Scalar<T>(handle, alpha), by_beta = Scalar<T>(handle, beta)] {
                  const T factor = by_alpha.get(), keep = by_beta.get();
                  blas<T>("gemv", kColumns, c_blas(op), narrow(m), narrow(n), by(factor),
                          in(a, span(m, n, lda)), narrow(lda), in(x, span(plain ? n : m, incx)),
                          narrow(incx), by(keep), out(y, span(plain ? m : n, incy)), narrow(incy));
                });
}

template <typename T, typename Int>
Status gbmv(Handle handle, Op op, Int m, Int n, Int below, Int above, const T* alpha, const T* a,
            Int lda, const T* x, Int incx, const T* beta, T* y, Int incy) {
  demand(m >= 0 && n >= 0 && below >= 0 && above >= 0 && lda > below + above);
  const bool plain = op == Op::none;
  return run<T>(handle, {{"m", m}, {"n", n}, {"kl", below}, {"ku", above}},
                [=, by_alpha = Scalar<T>(handle, alpha), by_beta = Scalar<T>(handle, beta)] {
                  const T factor = by_alpha.get(), keep = by_beta.get();
                  blas<T>("gbmv", kColumns, c_blas(op), narrow(m), narrow(n), narrow(below),
                          narrow(above), by(factor), in(a, span(below + above + 1, n, lda)),
                          narrow(lda), in(x, span(plain ? n : m, incx)), narrow(incx), by(keep),
                          out(y, span(plain ? m : n, incy)), narrow(incy));
                });
}

template <typename T, typename Int>
Status any_ger(const char* routine, Handle handle, Int m, Int n, const T* alpha, const T* x,
               Int incx, const T* y, Int incy, T* a, Int lda) {
  demand(m >= 0 && n >= 0 && lda >= std::max<Int>(1, m) && incx != 0 && incy != 0);
  return run<T>(handle, {{"m", m}, {"n", n}}, [=, by_alpha = Scalar<T>(handle, alpha)] {
    const T factor = by_alpha.get();
    blas<T>(routine, kColumns, narrow(m), narrow(n), by(factor), in(x, span(m, incx)), narrow(incx),
            in(y, span(n, incy)), narrow(incy), out(a, span(m, n, lda)), narrow(lda));
  });
}
template <typename T, typename Int>
Status ger(Handle h, Int m, Int n, const T* al, const T* x, Int ix, const T* y, Int iy, T* a,
           Int lda) {
  return any_ger(kIsComplex<T> ? "geru" : "ger", h, m, n, al, x, ix, y, iy, a, lda);
}
template <typename T, typename Int>
Status gerc(Handle h, Int m, Int n, const T* al, const T* x, Int ix, const T* y, Int iy, T* a,
            Int lda) {
  return any_ger("gerc", h, m, n, al, x, ix, y, iy, a, lda);
}

// y = alpha A x + beta y with a symmetric or Hermitian A: full, packed or banded.
template <typename T, typename Int>
Status symv(Handle handle, Fill fill, Int n, const T* alpha, const T* a, Int lda, const T* x,
            Int incx, const T* beta, T* y, Int incy) {
  demand(n >= 0 && lda >= std::max<Int>(1, n) && incx != 0 && incy != 0);
  return run<T>(handle, {{"n", n}},
                [=, by_alpha = Scalar<T>(handle, alpha), by_beta = Scalar<T>(handle, beta)] {
                  const T factor = by_alpha.get(), keep = by_beta.get();
                  blas<T>(kIsComplex<T> ? "hemv" : "symv", kColumns, c_blas(fill), narrow(n),
                          by(factor), in(a, span(n, n, lda)), narrow(lda), in(x, span(n, incx)),
                          narrow(incx), by(keep), out(y, span(n, incy)), narrow(incy));
                });
}
template <typename T, typename Int>
Status spmv(Handle handle, Fill fill, Int n, const T* alpha, const T* a, const T* x, Int incx,
            const T* beta, T* y, Int incy) {
  demand(n >= 0 && incx != 0 && incy != 0);
  return run<T>(handle, {{"n", n}},
                [=, by_alpha = Scalar<T>(handle, alpha), by_beta = Scalar<T>(handle, beta)] {
                  const T factor = by_alpha.get(), keep = by_beta.get();
                  blas<T>(kIsComplex<T> ? "hpmv" : "spmv", kColumns, c_blas(fill), narrow(n),
                          by(factor), in(a, packed(n)), in(x, span(n, incx)), narrow(incx),
                          by(keep), out(y, span(n, incy)), narrow(incy));
                });
}
template <typename T, typename Int>
Status sbmv(Handle handle, Fill fill, Int n, Int k, const T* alpha, const T* a, Int lda, const T* x,
            Int incx, const T* beta, T* y, Int incy) {
  demand(n >= 0 && k >= 0 && lda > k && incx != 0 && incy != 0);
  return run<T>(handle, {{"n", n}, {"k", k}},
                [=, by_alpha = Scalar<T>(handle, alpha), by_beta = Scalar<T>(handle, beta)] {
                  const T factor = by_alpha.get(), keep = by_beta.get();
                  blas<T>(kIsComplex<T> ? "hbmv" : "sbmv", kColumns, c_blas(fill), narrow(n),
                          narrow(k), by(factor), in(a, span(k + 1, n, lda)), narrow(lda),
                          in(x, span(n, incx)), narrow(incx), by(keep), out(y, span(n, incy)),
                          narrow(incy));
                });
}

// A = alpha x x' + A, whose factor is real; full or packed.
template <typename T, typename Int>
Status syr(Handle handle, Fill fill, Int n, const Real<T>* alpha, const T* x, Int incx, T* a,
           Int lda) {
  demand(n >= 0 && lda >= std::max<Int>(1, n) && incx != 0);
  return run<T>(handle, {{"n", n}}, [=, by_alpha = Scalar<Real<T>>(handle, alpha)] {
    blas<T>(kIsComplex<T> ? "her" : "syr", kColumns, c_blas(fill), narrow(n), by_alpha.get(),
            in(x, span(n, incx)), narrow(incx), out(a, span(n, n, lda)), narrow(lda));
  });
}
template <typename T, typename Int>
Status spr(Handle handle, Fill fill, Int n, const Real<T>* alpha, const T* x, Int incx, T* a) {
  demand(n >= 0 && incx != 0);
  return run<T>(handle, {{"n", n}}, [=, by_alpha = Scalar<Real<T>>(handle, alpha)] {
    blas<T>(kIsComplex<T> ? "hpr" : "spr", kColumns, c_blas(fill), narrow(n), by_alpha.get(),
            in(x, span(n, incx)), narrow(incx), out(a, packed(n)));
  });
}
template <typename T, typename Int>
Status syr2(Handle handle, Fill fill, Int n, const T* alpha, const T* x, Int incx, const T* y,
            Int incy, T* a, Int lda) {
  demand(n >= 0 && lda >= std::max<Int>(1, n) && incx != 0 && incy != 0);
  return run<T>(handle, {{"n", n}}, [=, by_alpha = Scalar<T>(handle, alpha)] {
    const T factor = by_alpha.get();
    blas<T>(kIsComplex<T> ? "her2" : "syr2", kColumns, c_blas(fill), narrow(n), by(factor),
            in(x, span(n, incx)), narrow(incx), in(y, span(n, incy)), narrow(incy),
            out(a, span(n, n, lda)), narrow(lda));
  });
}
template <typename T, typename Int>
Status spr2(Handle handle, Fill fill, Int n, const T* alpha, const T* x, Int incx, const T* y,
            Int incy, T* a) {
  demand(n >= 0 && incx != 0 && incy != 0);
  return run<T>(handle, {{"n", n}}, [=, by_alpha = Scalar<T>(handle, alpha)] {
    const T factor = by_alpha.get();
    blas<T>(kIsComplex<T> ? "hpr2" : "spr2", kColumns, c_blas(fill), narrow(n), by(factor),
            in(x, span(n, incx)), narrow(incx), in(y, span(n, incy)), narrow(incy),
            out(a, packed(n)));
  });
}

// BLAS has no level 2 for complex matrices that are symmetric and not Hermitian. Its level 3 takes
// vectors as matrices of one column.
template <typename T, typename Int>
std::vector<T> column_of(const T* x, Int n, Int increment) {
  std::vector<T> column(static_cast<std::size_t>(n));
  const T* const first = in(x, span(n, increment)) + (increment < 0 ? (1 - n) * increment : 0);
  for (Int i = 0; i < n; ++i) column[static_cast<std::size_t>(i)] = first[i * increment];
  return column;
}
template <typename T, typename Int>
Status complex_symv(Handle handle, Fill fill, Int n, const T* alpha, const T* a, Int lda,
                    const T* x, Int incx, const T* beta, T* y, Int incy) {
  demand(n >= 0 && lda >= std::max<Int>(1, n) && incx != 0 && incy != 0);
  return run<T>(handle, {{"n", n}},
                [=, by_alpha = Scalar<T>(handle, alpha), by_beta = Scalar<T>(handle, beta)] {
                  const T factor = by_alpha.get(), keep = by_beta.get();
                  const std::vector<T> operand = column_of(x, n, incx);
                  std::vector<T> result = column_of<T>(y, n, incy);
                  if (n == 0) return;
                  blas<T>("symm", kColumns, c_blas(Side::left), c_blas(fill), narrow(n), 1,
                          by(factor), in(a, span(n, n, lda)), narrow(lda), operand.data(),
                          narrow(n), by(keep), result.data(), narrow(n));
                  T* const first = out(y, span(n, incy)) + (incy < 0 ? (1 - n) * incy : 0);
                  for (Int i = 0; i < n; ++i) first[i * incy] = result[static_cast<std::size_t>(i)];
                });
}
template <typename T, typename Int>
Status complex_syr(Handle handle, Fill fill, Int n, const T* alpha, const T* x, Int incx, T* a,
                   Int lda) {
  demand(n >= 0 && lda >= std::max<Int>(1, n) && incx != 0);
  return run<T>(handle, {{"n", n}}, [=, by_alpha = Scalar<T>(handle, alpha)] {
    const T factor = by_alpha.get(), one(1);
    const std::vector<T> operand = column_of(x, n, incx);
    if (n == 0) return;
    blas<T>("syrk", kColumns, c_blas(fill), c_blas(Op::none), narrow(n), 1, by(factor),
            operand.data(), narrow(n), by(one), out(a, span(n, n, lda)), narrow(lda));
  });
}
template <typename T, typename Int>
Status complex_syr2(Handle handle, Fill fill, Int n, const T* alpha, const T* x, Int incx,
                    const T* y, Int incy, T* a, Int lda) {
  demand(n >= 0 && lda >= std::max<Int>(1, n) && incx != 0 && incy != 0);
  return run<T>(handle, {{"n", n}}, [=, by_alpha = Scalar<T>(handle, alpha)] {
    const T factor = by_alpha.get(), one(1);
    const std::vector<T> first = column_of(x, n, incx), second = column_of(y, n, incy);
    if (n == 0) return;
    blas<T>("syr2k", kColumns, c_blas(fill), c_blas(Op::none), narrow(n), 1, by(factor),
            first.data(), narrow(n), second.data(), narrow(n), by(one), out(a, span(n, n, lda)),
            narrow(lda));
  });
}

// x = A x, or A's inverse, with a triangular A.
template <typename T, typename Int>
Status full(const char* routine, Handle handle, Fill fill, Op op, Diagonal diagonal, Int n,
            const T* a, Int lda, T* x, Int incx) {
  demand(n >= 0 && lda >= std::max<Int>(1, n) && incx != 0);
  return run<T>(handle, {{"n", n}}, [=] {
    blas<T>(routine, kColumns, c_blas(fill), c_blas(op), c_blas(diagonal), narrow(n),
            in(a, span(n, n, lda)), narrow(lda), out(x, span(n, incx)), narrow(incx));
  });
}
template <typename T, typename Int>
Status trmv(Handle h, Fill f, Op op, Diagonal d, Int n, const T* a, Int lda, T* x, Int incx) {
  return full("trmv", h, f, op, d, n, a, lda, x, incx);
}
template <typename T, typename Int>
Status trsv(Handle h, Fill f, Op op, Diagonal d, Int n, const T* a, Int lda, T* x, Int incx) {
  return full("trsv", h, f, op, d, n, a, lda, x, incx);
}
template <typename T, typename Int>
Status any_packed(const char* routine, Handle handle, Fill fill, Op op, Diagonal diagonal, Int n,
                  const T* a, T* x, Int incx) {
  demand(n >= 0 && incx != 0);
  return run<T>(handle, {{"n", n}}, [=] {
    blas<T>(routine, kColumns, c_blas(fill), c_blas(op), c_blas(diagonal), narrow(n),
            in(a, packed(n)), out(x, span(n, incx)), narrow(incx));
  });
}
template <typename T, typename Int>
Status tpmv(Handle h, Fill f, Op op, Diagonal d, Int n, const T* a, T* x, Int incx) {
  return any_packed("tpmv", h, f, op, d, n, a, x, incx);
}
template <typename T, typename Int>
Status tpsv(Handle h, Fill f, Op op, Diagonal d, Int n, const T* a, T* x, Int incx) {
  return any_packed("tpsv", h, f, op, d, n, a, x, incx);
}
template <typename T, typename Int>
Status banded(const char* routine, Handle handle, Fill fill, Op op, Diagonal diagonal, Int n, Int k,
              const T* a, Int lda, T* x, Int incx) {
  demand(n >= 0 && k >= 0 && lda > k && incx != 0);
  return run<T>(handle, {{"n", n}, {"k", k}}, [=] {
    blas<T>(routine, kColumns, c_blas(fill), c_blas(op), c_blas(diagonal), narrow(n), narrow(k),
            in(a, span(k + 1, n, lda)), narrow(lda), out(x, span(n, incx)), narrow(incx));
  });
}
template <typename T, typename Int>
Status tbmv(Handle h, Fill f, Op op, Diagonal d, Int n, Int k, const T* a, Int lda, T* x,
            Int incx) {
  return banded("tbmv", h, f, op, d, n, k, a, lda, x, incx);
}
template <typename T, typename Int>
Status tbsv(Handle h, Fill f, Op op, Diagonal d, Int n, Int k, const T* a, Int lda, T* x,
            Int incx) {
  return banded("tbsv", h, f, op, d, n, k, a, lda, x, incx);
}

}  // namespace

HEDDLE_BLAS_SDCZ(gemv, gemv)
HEDDLE_BLAS_SDCZ(gbmv, gbmv)
HEDDLE_BLAS_SD(ger, ger)
HEDDLE_BLAS_CZ(geru, ger)
HEDDLE_BLAS_CZ(gerc, gerc)
HEDDLE_BLAS_SD(symv, symv)
HEDDLE_BLAS_CZ(hemv, symv)
HEDDLE_BLAS_CZ(symv, complex_symv)
HEDDLE_BLAS_SD(spmv, spmv)
HEDDLE_BLAS_CZ(hpmv, spmv)
HEDDLE_BLAS_SD(sbmv, sbmv)
HEDDLE_BLAS_CZ(hbmv, sbmv)
HEDDLE_BLAS_SD(syr, syr)
HEDDLE_BLAS_CZ(her, syr)
HEDDLE_BLAS_CZ(syr, complex_syr)
HEDDLE_BLAS_SD(spr, spr)
HEDDLE_BLAS_CZ(hpr, spr)
HEDDLE_BLAS_SD(syr2, syr2)
HEDDLE_BLAS_CZ(her2, syr2)
HEDDLE_BLAS_CZ(syr2, complex_syr2)
HEDDLE_BLAS_SD(spr2, spr2)
HEDDLE_BLAS_CZ(hpr2, spr2)
HEDDLE_BLAS_SDCZ(trmv, trmv)
HEDDLE_BLAS_SDCZ(trsv, trsv)
HEDDLE_BLAS_SDCZ(tpmv, tpmv)
HEDDLE_BLAS_SDCZ(tpsv, tpsv)
HEDDLE_BLAS_SDCZ(tbmv, tbmv)
HEDDLE_BLAS_SDCZ(tbsv, tbsv)

}  // namespace heddle::runtime::libraries::cublas
