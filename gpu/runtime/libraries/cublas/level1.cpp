// Level 1: vectors.
#include "gpu/runtime/libraries/cublas/types.hpp"

namespace heddle::runtime::libraries::cublas {
namespace {

template <typename T, typename Int>
Status copy(Handle handle, Int n, const T* x, Int incx, T* y, Int incy) {
  return run<T>(handle, {{"n", n}}, [=] {
    blas<T>("copy", narrow(n), in(x, span(n, incx)), narrow(incx), out(y, span(n, incy)),
            narrow(incy));
  });
}

template <typename T, typename Int>
Status swap(Handle handle, Int n, T* x, Int incx, T* y, Int incy) {
  return run<T>(handle, {{"n", n}}, [=] {
    blas<T>("swap", narrow(n), out(x, span(n, incx)), narrow(incx), out(y, span(n, incy)),
            narrow(incy));
  });
}

template <typename T, typename Int>
Status axpy(Handle handle, Int n, const T* alpha, const T* x, Int incx, T* y, Int incy) {
  return run<T>(handle, {{"n", n}}, [=, by_alpha = Scalar<T>(handle, alpha)] {
    const T factor = by_alpha.get();
    blas<T>("axpy", narrow(n), by(factor), in(x, span(n, incx)), narrow(incx),
            out(y, span(n, incy)), narrow(incy));
  });
}

// `Factor`: T, or its real type.
template <typename T, typename Factor, typename Int>
Status scal(Handle handle, Int n, const Factor* alpha, T* x, Int incx) {
  return run<T>(handle, {{"n", n}}, [=, by_alpha = Scalar<Factor>(handle, alpha)] {
    const T factor = by_alpha.get();
    blas<T>("scal", narrow(n), by(factor), out(x, span(n, incx)), narrow(incx));
  });
}

template <typename T, typename Int, bool kConjugated>
Status any_dot(Handle handle, Int n, const T* x, Int incx, const T* y, Int incy, T* result) {
  return run_for<T>(handle, {{"n", n}}, result, [=] {
    const T* const first = in(x, span(n, incx));
    const T* const second = in(y, span(n, incy));
    if constexpr (!kIsComplex<T>) {
      return blas<T, T>("dot", narrow(n), first, narrow(incx), second, narrow(incy));
    } else {
      T sum{};
      blas<T>(kConjugated ? "dotc_sub" : "dotu_sub", narrow(n), first, narrow(incx), second,
              narrow(incy), &sum);
      return sum;
    }
  });
}
template <typename T, typename Int>
Status dotu(Handle h, Int n, const T* x, Int incx, const T* y, Int incy, T* result) {
  return any_dot<T, Int, false>(h, n, x, incx, y, incy, result);
}
template <typename T, typename Int>
Status dotc(Handle h, Int n, const T* x, Int incx, const T* y, Int incy, T* result) {
  return any_dot<T, Int, true>(h, n, x, incx, y, incy, result);
}

// C BLAS names these by the types of result and vector: cblas_scnrm2.
template <typename T, typename Int>
Status real_result(const char* routine, Handle handle, Int n, const T* x, Int incx,
                   Real<T>* result) {
  const std::string name =
      std::string("cblas_") + kLetter<Real<T>> + (kIsComplex<T> ? std::string(1, kLetter<T>) : "");
  return run_for<T>(handle, {{"n", n}}, result, [=] {
    return call_host<Real<T>>(Host::openblas, name + routine, narrow(n), in(x, span(n, incx)),
                              narrow(incx));
  });
}
template <typename T, typename Int>
Status nrm2(Handle handle, Int n, const T* x, Int incx, Real<T>* result) {
  return real_result("nrm2", handle, n, x, incx, result);
}
template <typename T, typename Int>
Status asum(Handle handle, Int n, const T* x, Int incx, Real<T>* result) {
  return real_result("asum", handle, n, x, incx, result);
}

// Counted from 1; 0: there is none.
template <typename T, typename Int>
Status extreme(const char* routine, Handle handle, Int n, const T* x, Int incx, Int* result) {
  const std::string name = std::string("cblas_i") + kLetter<T> + routine;
  return run_for<T>(handle, {{"n", n}}, result, [=]() -> Int {
    if (n <= 0 || incx <= 0) return 0;
    return static_cast<Int>(call_host<std::size_t>(Host::openblas, name, narrow(n),
                                                   in(x, span(n, incx)), narrow(incx))) +
           1;
  });
}
template <typename T, typename Int>
Status amax(Handle handle, Int n, const T* x, Int incx, Int* result) {
  return extreme("amax", handle, n, x, incx, result);
}
template <typename T, typename Int>
Status amin(Handle handle, Int n, const T* x, Int incx, Int* result) {
  return extreme("amin", handle, n, x, incx, result);
}

// The rotation of two vectors by a cosine and a sine, which may be complex.
template <typename T, typename Sine, typename Int>
Status rot(Handle handle, Int n, T* x, Int incx, T* y, Int incy, const Real<T>* cosine,
           const Sine* sine) {
  return run<T>(
      handle, {{"n", n}},
      [=, by_cosine = Scalar<Real<T>>(handle, cosine), by_sine = Scalar<Sine>(handle, sine)] {
        T* first = out(x, span(n, incx));
        T* second = out(y, span(n, incy));
        if (incx < 0) first += (1 - n) * incx;
        if (incy < 0) second += (1 - n) * incy;
        const Real<T> c = by_cosine.get();
        const T s = by_sine.get();
        for (Int i = 0; i < n; ++i) {
          T &a = first[i * incx], &b = second[i * incy];
          const T rotated = c * a + s * b;
          if constexpr (kIsComplex<T>)
            b = c * b - std::conj(s) * a;
          else
            b = c * b - s * a;
          a = rotated;
        }
      });
}

template <typename T>
Status rotg(Handle handle, T* a, T* b, Real<T>* cosine, T* sine) {
  const auto compute = [=](auto there) {
    if constexpr (!kIsComplex<T>) {
      blas<T>("rotg", there(a), there(b), there(cosine), there(sine));
    } else {
      call_host(Host::openblas, std::string(1, kLetter<T>) + "rotg_", there(a), there(b),
                there(cosine), there(sine));
    }
  };
  if (handle == nullptr) return Status::not_initialized;
  if (handle->pointers == PointerMode::device)
    return run<T>(handle, {}, [=] { compute([](auto* at) { return out(at, 1); }); });
  compute([](auto* at) { return at; });
  return Status::success;
}

template <typename T, typename Int>
Status rotm(Handle handle, Int n, T* x, Int incx, T* y, Int incy, const T* parameters) {
  struct Five {
    T values[5];
  };
  return run<T>(handle, {{"n", n}},
                [=, five = Scalar<Five>(handle, reinterpret_cast<const Five*>(parameters))] {
                  const Five given = five.get();
                  blas<T>("rotm", narrow(n), out(x, span(n, incx)), narrow(incx),
                          out(y, span(n, incy)), narrow(incy), &given.values[0]);
                });
}

template <typename T>
Status rotmg(Handle handle, T* d1, T* d2, T* x1, const T* y1, T* parameters) {
  if (handle == nullptr) return Status::not_initialized;
  if (handle->pointers == PointerMode::device)
    return run<T>(handle, {}, [=] {
      blas<T>("rotmg", out(d1, 1), out(d2, 1), out(x1, 1), *in(y1, 1), out(parameters, 5));
    });
  blas<T>("rotmg", d1, d2, x1, *y1, parameters);
  return Status::success;
}

}  // namespace

HEDDLE_BLAS_SDCZ(copy, copy)
HEDDLE_BLAS_SDCZ(swap, swap)
HEDDLE_BLAS_SDCZ(axpy, axpy)
HEDDLE_BLAS(S, scal, scal, float, float)
HEDDLE_BLAS(D, scal, scal, double, double)
HEDDLE_BLAS(C, scal, scal, Complex, Complex)
HEDDLE_BLAS(Z, scal, scal, DoubleComplex, DoubleComplex)
HEDDLE_BLAS(Cs, scal, scal, Complex, float)
HEDDLE_BLAS(Zd, scal, scal, DoubleComplex, double)
HEDDLE_BLAS_SD(dot, dotu)
HEDDLE_BLAS_CZ(dotu, dotu)
HEDDLE_BLAS_CZ(dotc, dotc)
HEDDLE_BLAS_SD(nrm2, nrm2)
HEDDLE_BLAS(Sc, nrm2, nrm2, Complex)
HEDDLE_BLAS(Dz, nrm2, nrm2, DoubleComplex)
HEDDLE_BLAS_SD(asum, asum)
HEDDLE_BLAS(Sc, asum, asum, Complex)
HEDDLE_BLAS(Dz, asum, asum, DoubleComplex)
HEDDLE_BLAS(Is, amax, amax, float)
HEDDLE_BLAS(Id, amax, amax, double)
HEDDLE_BLAS(Ic, amax, amax, Complex)
HEDDLE_BLAS(Iz, amax, amax, DoubleComplex)
HEDDLE_BLAS(Is, amin, amin, float)
HEDDLE_BLAS(Id, amin, amin, double)
HEDDLE_BLAS(Ic, amin, amin, Complex)
HEDDLE_BLAS(Iz, amin, amin, DoubleComplex)
HEDDLE_BLAS(S, rot, rot, float, float)
HEDDLE_BLAS(D, rot, rot, double, double)
HEDDLE_BLAS(C, rot, rot, Complex, Complex)
HEDDLE_BLAS(Z, rot, rot, DoubleComplex, DoubleComplex)
HEDDLE_BLAS(Cs, rot, rot, Complex, float)
HEDDLE_BLAS(Zd, rot, rot, DoubleComplex, double)
HEDDLE_EXPORT(cublasSrotg_v2, rotg<float>)
HEDDLE_EXPORT(cublasDrotg_v2, rotg<double>)
HEDDLE_EXPORT(cublasCrotg_v2, rotg<Complex>)
HEDDLE_EXPORT(cublasZrotg_v2, rotg<DoubleComplex>)
HEDDLE_BLAS_SD(rotm, rotm)
HEDDLE_EXPORT(cublasSrotmg_v2, rotmg<float>)
HEDDLE_EXPORT(cublasDrotmg_v2, rotmg<double>)

}  // namespace heddle::runtime::libraries::cublas
