// cuSOLVER's routines for dense matrices whose types are arguments, and those for batches that
// PyTorch and CuPy call. Each is LAPACK's.
#include "gpu/runtime/libraries/cusolver/types.hpp"
#include "gpu/runtime/libraries/numbers.hpp"

namespace heddle::runtime::libraries::cusolver {
namespace {

using Size = std::int64_t;

// Bytes of both workspaces: none is needed, but some programs take an empty one for a failure.
Status no_workspace(std::size_t* device, std::size_t* host) {
  demand(device != nullptr && host != nullptr);
  *device = *host = 8;
  return Status::success;
}
template <typename... Before>
struct Workspaces {
  static Status ask(Handle, Before..., std::size_t* device, std::size_t* host) {
    return no_workspace(device, host);
  }
  static Status ask_for_batch(Handle, Before..., std::size_t* device, std::size_t* host, Size) {
    return no_workspace(device, host);
  }
};

Status potrf(Handle handle, void*, Fill fill, Size n, DataType type, void* a, Size lda, DataType,
             void*, std::size_t, void*, std::size_t, int* info) {
  demand(n >= 0 && lda >= std::max<Size>(1, n));
  return with_lapack_type(type, [&]<typename T>(T) {
    return run<T>(handle, {{"n", n}}, info, [=, order = narrow(n), leading = narrow(lda)] {
      return lapack<T>("potrf", letter_of(fill), order, out(static_cast<T*>(a), span(n, n, lda)),
                       leading);
    });
  });
}
Status potrs(Handle handle, void*, Fill fill, Size n, Size columns, DataType type, const void* a,
             Size lda, DataType type_b, void* b, Size ldb, int* info) {
  demand(n >= 0 && columns >= 0 && lda >= std::max<Size>(1, n) && ldb >= std::max<Size>(1, n) &&
         type == type_b);
  const int order = narrow(n), sides = narrow(columns), of_a = narrow(lda), of_b = narrow(ldb);
  return with_lapack_type(type, [&]<typename T>(T) {
    return run<T>(handle, {{"n", n}, {"nrhs", columns}}, info, [=] {
      return lapack<T>("potrs", letter_of(fill), order, sides,
                       in(static_cast<const T*>(a), span(n, n, lda)), of_a,
                       out(static_cast<T*>(b), span(n, columns, ldb)), of_b);
    });
  });
}

Status geqrf(Handle handle, void*, Size m, Size n, DataType type, void* a, Size lda, DataType,
             void* tau, DataType, void*, std::size_t, void*, std::size_t, int* info) {
  demand(m >= 0 && n >= 0 && lda >= std::max<Size>(1, m));
  const int rows = narrow(m), columns = narrow(n), leading = narrow(lda);
  return with_lapack_type(type, [&]<typename T>(T) {
    return run<T>(handle, {{"m", m}, {"n", n}}, info, [=] {
      return lapack<T>("geqrf", rows, columns, out(static_cast<T*>(a), span(m, n, lda)), leading,
                       out(static_cast<T*>(tau), std::min(m, n)));
    });
  });
}

Status getrf(Handle handle, void*, Size m, Size n, DataType type, void* a, Size lda, Size* pivots,
             DataType, void*, std::size_t, void*, std::size_t, int* info) {
  demand(m >= 0 && n >= 0 && lda >= std::max<Size>(1, m) && pivots != nullptr);
  const int rows = narrow(m), columns = narrow(n), leading = narrow(lda);
  return with_lapack_type(type, [&]<typename T>(T) {
    return run<T>(handle, {{"m", m}, {"n", n}}, info, [=] {
      std::vector<int> places(static_cast<std::size_t>(std::min(m, n)));
      const int answer = lapack<T>("getrf", rows, columns, out(static_cast<T*>(a), span(m, n, lda)),
                                   leading, places.data());
      std::copy(places.begin(), places.end(), out(pivots, std::min(m, n)));
      return answer;
    });
  });
}
std::vector<int> narrowed(const Size* pivots, Size n) {
  const Size* const from = in(pivots, n);
  return {from, from + n};
}
Status getrs(Handle handle, void*, Op op, Size n, Size columns, DataType type, const void* a,
             Size lda, const Size* pivots, DataType type_b, void* b, Size ldb, int* info) {
  demand(n >= 0 && columns >= 0 && lda >= std::max<Size>(1, n) && ldb >= std::max<Size>(1, n) &&
         type == type_b);
  const int order = narrow(n), sides = narrow(columns), of_a = narrow(lda), of_b = narrow(ldb);
  return with_lapack_type(type, [&]<typename T>(T) {
    return run<T>(handle, {{"n", n}, {"nrhs", columns}}, info, [=] {
      const std::vector<int> places = narrowed(pivots, n);
      return lapack<T>("getrs", letter_of(op), order, sides,
                       in(static_cast<const T*>(a), span(n, n, lda)), of_a, places.data(),
                       out(static_cast<T*>(b), span(n, columns, ldb)), of_b);
    });
  });
}
Status sytrs(Handle handle, Fill fill, Size n, Size columns, DataType type, const void* a, Size lda,
             const Size* pivots, DataType type_b, void* b, Size ldb, void*, std::size_t, void*,
             std::size_t, int* info) {
  demand(n >= 0 && columns >= 0 && lda >= std::max<Size>(1, n) && ldb >= std::max<Size>(1, n) &&
         type == type_b);
  const int order = narrow(n), sides = narrow(columns), of_a = narrow(lda), of_b = narrow(ldb);
  return with_lapack_type(type, [&]<typename T>(T) {
    return run<T>(handle, {{"n", n}, {"nrhs", columns}}, info, [=] {
      const std::vector<int> places = narrowed(pivots, n);
      return lapack<T>("sytrs", letter_of(fill), order, sides,
                       in(static_cast<const T*>(a), span(n, n, lda)), of_a, places.data(),
                       out(static_cast<T*>(b), span(n, columns, ldb)), of_b);
    });
  });
}

Status syevd(Handle handle, void*, Vectors vectors, Fill fill, Size n, DataType type, void* a,
             Size lda, DataType, void* w, DataType, void*, std::size_t, void*, std::size_t,
             int* info) {
  demand(n >= 0 && lda >= std::max<Size>(1, n));
  const int order = narrow(n), leading = narrow(lda);
  return with_lapack_type(type, [&]<typename T>(T) {
    return run<T>(handle, {{"n", n}}, info, [=] {
      return eigenvalues(vectors, fill, order, static_cast<T*>(a), leading,
                         static_cast<Real<T>*>(w));
    });
  });
}
Status syev_batched(Handle handle, void*, Vectors vectors, Fill fill, Size n, DataType type,
                    void* a, Size lda, DataType, void* w, DataType, void*, std::size_t, void*,
                    std::size_t, int* info, Size count) {
  demand(n >= 0 && lda >= std::max<Size>(1, n) && count >= 0);
  const int order = narrow(n), leading = narrow(lda);
  return with_lapack_type(type, [&]<typename T>(T) {
    return run<T>(handle, {{"n", n}, {"batch", count}}, nullptr, [=] {
      int* const answers = out(info, count);
      for (Size i = 0; i < count; ++i)
        answers[i] = eigenvalues(vectors, fill, order, static_cast<T*>(a) + i * n * lda, leading,
                                 static_cast<Real<T>*>(w) + i * n);
      return 0;
    });
  });
}

// Eigenvalues of a general matrix: complex numbers, also of a real one, whose vectors stand in
// pairs of columns as LAPACK has them.
template <typename T>
int general_eigenvalues(char left, char right, int n, T* a, int lda, std::complex<Real<T>>* w,
                        T* vl, int ldvl, T* vr, int ldvr) {
  if constexpr (kIsComplex<T>) {
    return lapack<T>("geev", left, right, n, a, lda, w, vl, ldvl, vr, ldvr);
  } else {
    std::vector<T> real(static_cast<std::size_t>(n)), imaginary(real);
    const int answer = lapack<T>("geev", left, right, n, a, lda, real.data(), imaginary.data(), vl,
                                 ldvl, vr, ldvr);
    for (std::size_t i = 0; i < real.size(); ++i) w[i] = {real[i], imaginary[i]};
    return answer;
  }
}
Status geev(Handle handle, void*, Vectors left, Vectors right, Size n, DataType type, void* a,
            Size lda, DataType type_w, void* w, DataType, void* vl, Size ldvl, DataType, void* vr,
            Size ldvr, DataType, void*, std::size_t, void*, std::size_t, int* info) {
  demand(n >= 0 && lda >= std::max<Size>(1, n));
  if (type_w != DataType::complex64 && type_w != DataType::complex128)
    throw Missing("eigenvalues of a general matrix as real numbers are not supported");
  const int order = narrow(n), leading = narrow(lda);
  const int of_left = narrow(std::max<Size>(1, ldvl)), of_right = narrow(std::max<Size>(1, ldvr));
  return with_lapack_type(type, [&]<typename T>(T) {
    return run<T>(handle, {{"n", n}}, info, [=] {
      const bool with_left = left == Vectors::wanted, with_right = right == Vectors::wanted;
      T* const to_left = with_left ? out(static_cast<T*>(vl), span(n, n, ldvl)) : nullptr;
      T* const to_right = with_right ? out(static_cast<T*>(vr), span(n, n, ldvr)) : nullptr;
      return general_eigenvalues(with_left ? 'V' : 'N', with_right ? 'V' : 'N', order,
                                 out(static_cast<T*>(a), span(n, n, lda)), leading,
                                 out(static_cast<std::complex<Real<T>>*>(w), n), to_left, of_left,
                                 to_right, of_right);
    });
  });
}

// The largest `rank` singular values of each matrix, and their vectors.
template <typename T>
Status gesvda(Handle handle, Vectors vectors, int rank, int m, int n, const T* a, int lda,
              long long stride_a, Real<T>* s, long long stride_s, T* u, int ldu, long long stride_u,
              T* v, int ldv, long long stride_v, T*, int, int* info, double* residuals, int count) {
  demand(m >= 0 && n >= 0 && rank >= 0 && rank <= std::min(m, n) && lda >= std::max(1, m) &&
         count >= 0);
  if (residuals != nullptr) std::fill_n(residuals, count, 0.0);
  return run<T>(handle, {{"m", m}, {"n", n}, {"batch", count}}, nullptr, [=] {
    int* const answers = out(info, count);
    const int least = std::min(m, n);
    const auto elements = [](std::int64_t many) {
      return static_cast<std::size_t>(std::max<std::int64_t>(1, many));
    };
    for (int i = 0; i < count; ++i) {
      const T* const from = in(a + i * stride_a, span(m, n, lda));
      std::vector<T> copy(from, from + span(m, n, lda)), left(elements(m * std::int64_t{least})),
          right(elements(n * std::int64_t{least}));
      std::vector<Real<T>> values(elements(least));
      answers[i] =
          lapack<T>("gesdd", vectors == Vectors::wanted ? 'S' : 'N', m, n, copy.data(), lda,
                    values.data(), left.data(), std::max(1, m), right.data(), std::max(1, least));
      std::copy_n(values.data(), rank, out(s + i * stride_s, rank));
      if (vectors != Vectors::wanted) continue;
      T* const to_u = out(u + i * stride_u, span(m, rank, ldu));
      T* const to_v = out(v + i * stride_v, span(n, rank, ldv));
      for (int k = 0; k < rank; ++k) {
        for (int row = 0; row < m; ++row)
          to_u[row + std::int64_t{k} * ldu] = left[static_cast<std::size_t>(row + k * m)];
        for (int row = 0; row < n; ++row) {
          T value = right[static_cast<std::size_t>(k + row * least)];
          if constexpr (kIsComplex<T>) value = std::conj(value);
          to_v[row + std::int64_t{k} * ldv] = value;
        }
      }
    }
    return 0;
  });
}
template <typename T>
Status gesvda_workspace(Handle, Vectors, int, int, int, const T*, int, long long, const Real<T>*,
                        long long, const T*, int, long long, const T*, int, long long,
                        int* elements, int) {
  demand(elements != nullptr);
  *elements = 1;
  return Status::success;
}

}  // namespace

HEDDLE_EXPORT(cusolverDnXpotrf, potrf)
HEDDLE_EXPORT(cusolverDnXpotrf_bufferSize,
              Workspaces<void*, Fill, Size, DataType, const void*, Size, DataType>::ask)
HEDDLE_EXPORT(cusolverDnXpotrs, potrs)
HEDDLE_EXPORT(cusolverDnXgeqrf, geqrf)
HEDDLE_EXPORT(cusolverDnXgeqrf_bufferSize, Workspaces<void*, Size, Size, DataType, const void*,
                                                      Size, DataType, const void*, DataType>::ask)
HEDDLE_EXPORT(cusolverDnXgetrf, getrf)
HEDDLE_EXPORT(cusolverDnXgetrf_bufferSize,
              Workspaces<void*, Size, Size, DataType, const void*, Size, DataType>::ask)
HEDDLE_EXPORT(cusolverDnXgetrs, getrs)
HEDDLE_EXPORT(cusolverDnXsytrs, sytrs)
HEDDLE_EXPORT(cusolverDnXsytrs_bufferSize, Workspaces<Fill, Size, Size, DataType, const void*, Size,
                                                      const Size*, DataType, void*, Size>::ask)
HEDDLE_EXPORT(cusolverDnXsyevd, syevd)
HEDDLE_EXPORT(cusolverDnXsyevd_bufferSize,
              Workspaces<void*, Vectors, Fill, Size, DataType, const void*, Size, DataType,
                         const void*, DataType>::ask)
HEDDLE_EXPORT(cusolverDnXsyevBatched, syev_batched)
HEDDLE_EXPORT(cusolverDnXsyevBatched_bufferSize,
              Workspaces<void*, Vectors, Fill, Size, DataType, const void*, Size, DataType,
                         const void*, DataType>::ask_for_batch)
HEDDLE_EXPORT(cusolverDnXgeev, geev)
HEDDLE_EXPORT(
    cusolverDnXgeev_bufferSize,
    Workspaces<void*, Vectors, Vectors, Size, DataType, const void*, Size, DataType, const void*,
               DataType, const void*, Size, DataType, const void*, Size, DataType>::ask)
#define HEDDLE_APPROXIMATED(letter, T)                               \
  HEDDLE_EXPORT(cusolverDn##letter##gesvdaStridedBatched, gesvda<T>) \
  HEDDLE_EXPORT(cusolverDn##letter##gesvdaStridedBatched_bufferSize, gesvda_workspace<T>)
HEDDLE_APPROXIMATED(S, float)
HEDDLE_APPROXIMATED(D, double)
HEDDLE_APPROXIMATED(C, Complex)
HEDDLE_APPROXIMATED(Z, DoubleComplex)

}  // namespace heddle::runtime::libraries::cusolver
