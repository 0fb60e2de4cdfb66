// cuSOLVER for dense matrices: each routine is LAPACK's.
#include "gpu/runtime/libraries/cusolver/types.hpp"

namespace heddle::runtime::libraries::cusolver {
namespace {

Status create(Handle* handle) {
  demand(handle != nullptr);
  *handle = new Context;
  return Status::success;
}
Status destroy(Handle handle) {
  delete handle;
  return Status::success;
}
Status set_stream(Handle handle, abi::Handle stream) {
  if (handle == nullptr) return Status::not_initialized;
  handle->stream = stream;
  return Status::success;
}
Status get_stream(Handle handle, abi::Handle* stream) {
  if (handle == nullptr) return Status::not_initialized;
  demand(stream != nullptr);
  *stream = handle->stream;
  return Status::success;
}
Status get_property(int which, int* value) {
  demand(which >= 0 && which <= 2 && value != nullptr);
  *value = which == 0 ? 12 : 0;
  return Status::success;
}

Status create_parameters(Parameters** parameters) {
  demand(parameters != nullptr);
  *parameters = new Parameters;
  return Status::success;
}
Status destroy_parameters(Parameters* parameters) {
  delete parameters;
  return Status::success;
}
template <auto kMember, typename T>
Status set(Parameters* parameters, T value) {
  demand(parameters != nullptr);
  parameters->*kMember = value;
  return Status::success;
}
template <typename T>
Status get_of_last(Handle, Parameters*, T* value) {
  demand(value != nullptr);
  *value = 0;
  return Status::success;
}

template <typename T>
Status getrf(Handle handle, int m, int n, T* a, int lda, T*, int* pivots, int* info) {
  demand(m >= 0 && n >= 0 && lda >= std::max(1, m));
  return run<T>(handle, {{"m", m}, {"n", n}}, info, [=] {
    const int least = std::min(m, n);
    std::vector<int> places(static_cast<std::size_t>(least));
    const int answer = lapack<T>("getrf", m, n, out(a, span(m, n, lda)), lda,
                                 pivots == nullptr ? places.data() : out(pivots, least));
    if (pivots != nullptr) return answer;
    for (int i = 0; i < least; ++i)
      if (places[static_cast<std::size_t>(i)] != i + 1)
        throw std::runtime_error("without pivots is not supported for this matrix");
    return answer;
  });
}

template <typename T>
Status getrs(Handle handle, Op op, int n, int columns, const T* a, int lda, const int* pivots, T* b,
             int ldb, int* info) {
  demand(n >= 0 && columns >= 0 && lda >= std::max(1, n) && ldb >= std::max(1, n));
  return run<T>(handle, {{"n", n}, {"nrhs", columns}}, info, [=] {
    return lapack<T>("getrs", letter_of(op), n, columns, in(a, span(n, n, lda)), lda, in(pivots, n),
                     out(b, span(n, columns, ldb)), ldb);
  });
}

template <typename T>
Status potrf(Handle handle, Fill fill, int n, T* a, int lda, T*, int, int* info) {
  demand(n >= 0 && lda >= std::max(1, n));
  return run<T>(handle, {{"n", n}}, info, [=] {
    return lapack<T>("potrf", letter_of(fill), n, out(a, span(n, n, lda)), lda);
  });
}
template <typename T>
Status potri(Handle handle, Fill fill, int n, T* a, int lda, T*, int, int* info) {
  demand(n >= 0 && lda >= std::max(1, n));
  return run<T>(handle, {{"n", n}}, info, [=] {
    return lapack<T>("potri", letter_of(fill), n, out(a, span(n, n, lda)), lda);
  });
}
template <typename T>
Status potrs(Handle handle, Fill fill, int n, int columns, const T* a, int lda, T* b, int ldb,
             int* info) {
  demand(n >= 0 && columns >= 0 && lda >= std::max(1, n) && ldb >= std::max(1, n));
  return run<T>(handle, {{"n", n}, {"nrhs", columns}}, info, [=] {
    return lapack<T>("potrs", letter_of(fill), n, columns, in(a, span(n, n, lda)), lda,
                     out(b, span(n, columns, ldb)), ldb);
  });
}
template <typename T>
Status potrf_batched(Handle handle, Fill fill, int n, T* const* a, int lda, int* info, int count) {
  demand(n >= 0 && lda >= std::max(1, n) && count >= 0);
  return run<T>(handle, {{"n", n}, {"batch", count}}, nullptr, [=] {
    T* const* const matrices = in(a, count);
    int* const answers = out(info, count);
    for (int i = 0; i < count; ++i)
      answers[i] = lapack<T>("potrf", letter_of(fill), n, out(matrices[i], span(n, n, lda)), lda);
    return 0;
  });
}
template <typename T>
Status potrs_batched(Handle handle, Fill fill, int n, int columns, T* const* a, int lda,
                     T* const* b, int ldb, int* info, int count) {
  demand(n >= 0 && columns == 1 && lda >= std::max(1, n) && ldb >= std::max(1, n) && count >= 0);
  return run<T>(handle, {{"n", n}, {"nrhs", columns}, {"batch", count}}, info, [=] {
    T* const* const matrices = in(a, count);
    T* const* const sides = in(b, count);
    for (int i = 0; i < count; ++i)
      lapack<T>("potrs", letter_of(fill), n, columns, in(matrices[i], span(n, n, lda)), lda,
                out(sides[i], span(n, columns, ldb)), ldb);
    return 0;
  });
}

template <typename T>
Status sytrf(Handle handle, Fill fill, int n, T* a, int lda, int* pivots, T*, int, int* info) {
  demand(n >= 0 && lda >= std::max(1, n));
  return run<T>(handle, {{"n", n}}, info, [=] {
    return lapack<T>("sytrf", letter_of(fill), n, out(a, span(n, n, lda)), lda, out(pivots, n));
  });
}

template <typename T>
Status geqrf(Handle handle, int m, int n, T* a, int lda, T* tau, T*, int, int* info) {
  demand(m >= 0 && n >= 0 && lda >= std::max(1, m));
  return run<T>(handle, {{"m", m}, {"n", n}}, info, [=] {
    return lapack<T>("geqrf", m, n, out(a, span(m, n, lda)), lda, out(tau, std::min(m, n)));
  });
}
template <typename T>
Status orgqr(Handle handle, int m, int n, int k, T* a, int lda, const T* tau, T*, int, int* info) {
  demand(m >= 0 && n >= 0 && k >= 0 && lda >= std::max(1, m));
  return run<T>(handle, {{"m", m}, {"n", n}, {"k", k}}, info, [=] {
    return lapack<T>(kIsComplex<T> ? "ungqr" : "orgqr", m, n, k, out(a, span(m, n, lda)), lda,
                     in(tau, k));
  });
}
template <typename T>
Status ormqr(Handle handle, Side side, Op op, int m, int n, int k, const T* a, int lda,
             const T* tau, T* c, int ldc, T*, int, int* info) {
  const int order = side == Side::left ? m : n;
  demand(m >= 0 && n >= 0 && k >= 0 && lda >= std::max(1, order) && ldc >= std::max(1, m));
  return run<T>(handle, {{"m", m}, {"n", n}, {"k", k}}, info, [=] {
    return lapack<T>(kIsComplex<T> ? "unmqr" : "ormqr", side == Side::left ? 'L' : 'R',
                     letter_of(op), m, n, k, in(a, span(order, k, lda)), lda, in(tau, k),
                     out(c, span(m, n, ldc)), ldc);
  });
}
template <typename T>
Status gebrd(Handle handle, int m, int n, T* a, int lda, Real<T>* d, Real<T>* e, T* tau_q, T* tau_p,
             T*, int, int* info) {
  demand(m >= 0 && n >= 0 && lda >= std::max(1, m));
  const int least = std::min(m, n);
  return run<T>(handle, {{"m", m}, {"n", n}}, info, [=] {
    return lapack<T>("gebrd", m, n, out(a, span(m, n, lda)), lda, out(d, least),
                     out(e, std::max(0, least - 1)), out(tau_q, least), out(tau_p, least));
  });
}

template <typename T>
Status syevd(Handle handle, Vectors vectors, Fill fill, int n, T* a, int lda, Real<T>* w, T*, int,
             int* info) {
  demand(n >= 0 && lda >= std::max(1, n));
  return run<T>(handle, {{"n", n}}, info, [=] { return eigenvalues(vectors, fill, n, a, lda, w); });
}
template <typename T>
Status syevj(Handle handle, Vectors vectors, Fill fill, int n, T* a, int lda, Real<T>* w, T* work,
             int elements, int* info, Parameters*) {
  return syevd(handle, vectors, fill, n, a, lda, w, work, elements, info);
}
template <typename T>
Status syevj_batched(Handle handle, Vectors vectors, Fill fill, int n, T* a, int lda, Real<T>* w,
                     T*, int, int* info, Parameters*, int count) {
  demand(n >= 0 && lda >= std::max(1, n) && count >= 0);
  return run<T>(handle, {{"n", n}, {"batch", count}}, nullptr, [=] {
    int* const answers = out(info, count);
    for (std::int64_t i = 0; i < count; ++i)
      answers[i] = eigenvalues(vectors, fill, n, a + i * n * lda, lda, w + i * n);
    return 0;
  });
}

template <typename T>
Status gesvd(Handle handle, signed char job_u, signed char job_vt, int m, int n, T* a, int lda,
             Real<T>* s, T* u, int ldu, T* vt, int ldvt, T*, int, Real<T>* rwork, int* info) {
  demand(m >= 0 && n >= 0 && lda >= std::max(1, m));
  return run<T>(handle, {{"m", m}, {"n", n}}, info, [=] {
    const int least = std::min(m, n);
    std::vector<Real<T>> rest(static_cast<std::size_t>(std::max(1, least)));
    T* const left =
        job_u == 'A' || job_u == 'S' ? out(u, span(m, job_u == 'A' ? m : least, ldu)) : u;
    T* const right =
        job_vt == 'A' || job_vt == 'S' ? out(vt, span(job_vt == 'A' ? n : least, n, ldvt)) : vt;
    const int answer = lapack<T>("gesvd", static_cast<char>(job_u), static_cast<char>(job_vt), m, n,
                                 out(a, span(m, n, lda)), lda, out(s, least), left,
                                 std::max(1, ldu), right, std::max(1, ldvt), rest.data());
    if (rwork != nullptr && least > 1) std::copy_n(rest.data(), least - 1, out(rwork, least - 1));
    return answer;
  });
}

template <typename T>
Status gesvdj(Handle handle, Vectors vectors, int economic, int m, int n, T* a, int lda, Real<T>* s,
              T* u, int ldu, T* v, int ldv, T*, int, int* info, Parameters*) {
  demand(m >= 0 && n >= 0 && lda >= std::max(1, m));
  return run<T>(handle, {{"m", m}, {"n", n}}, info, [=] {
    return values_and_vectors(vectors, economic, m, n, a, lda, s, u, ldu, v, ldv);
  });
}
template <typename T>
Status gesvdj_batched(Handle handle, Vectors vectors, int m, int n, T* a, int lda, Real<T>* s, T* u,
                      int ldu, T* v, int ldv, T*, int, int* info, Parameters*, int count) {
  demand(m >= 0 && n >= 0 && lda >= std::max(1, m) && count >= 0);
  return run<T>(handle, {{"m", m}, {"n", n}, {"batch", count}}, nullptr, [=] {
    int* const answers = out(info, count);
    for (std::int64_t i = 0; i < count; ++i)
      answers[i] =
          values_and_vectors(vectors, 0, m, n, a + i * lda * n, lda, s + i * std::min(m, n),
                             u + i * ldu * m, ldu, v + i * ldv * n, ldv);
    return 0;
  });
}

template <typename T>
void copy_matrix(int rows, int columns, const T* from, int from_leading, T* to, int to_leading) {
  for (int j = 0; j < columns; ++j)
    std::copy_n(from + std::int64_t{j} * from_leading, rows, to + std::int64_t{j} * to_leading);
}

// Solvers that refine a factorisation of less precision: here the precision is the full one, and
// nothing is refined.
template <typename T>
Status gesv(Handle handle, int n, int columns, T* a, int lda, int* pivots, T* b, int ldb, T* x,
            int ldx, void*, std::size_t, int* refinements, int* info) {
  demand(n >= 0 && columns >= 0 && lda >= std::max(1, n) && ldb >= std::max(1, n) &&
         ldx >= std::max(1, n) && refinements != nullptr);
  *refinements = 0;
  return run<T>(handle, {{"n", n}, {"nrhs", columns}}, info, [=] {
    T* const result = out(x, span(n, columns, ldx));
    copy_matrix(n, columns, in<T>(b, span(n, columns, ldb)), ldb, result, ldx);
    std::vector<int> places(static_cast<std::size_t>(std::max(1, n)));
    return lapack<T>("gesv", n, columns, out(a, span(n, n, lda)), lda,
                     pivots == nullptr ? places.data() : out(pivots, n), result, ldx);
  });
}
template <typename T>
Status gels(Handle handle, int m, int n, int columns, T* a, int lda, T* b, int ldb, T* x, int ldx,
            void*, std::size_t, int* refinements, int* info) {
  demand(m >= n && n >= 0 && columns >= 0 && lda >= std::max(1, m) && ldb >= std::max(1, m) &&
         ldx >= std::max(1, n) && refinements != nullptr);
  *refinements = 0;
  return run<T>(handle, {{"m", m}, {"n", n}, {"nrhs", columns}}, info, [=] {
    std::vector<T> side(static_cast<std::size_t>(std::max(1, m * columns)));
    copy_matrix(m, columns, in<T>(b, span(m, columns, ldb)), ldb, side.data(), m);
    const int answer = lapack<T>("gels", 'N', m, n, columns, out(a, span(m, n, lda)), lda,
                                 side.data(), std::max(1, m));
    copy_matrix(n, columns, static_cast<const T*>(side.data()), m, out(x, span(n, columns, ldx)),
                ldx);
    return answer;
  });
}

}  // namespace

HEDDLE_EXPORT(cusolverDnCreate, create)
HEDDLE_EXPORT(cusolverDnDestroy, destroy)
HEDDLE_EXPORT(cusolverDnSetStream, set_stream)
HEDDLE_EXPORT(cusolverDnGetStream, get_stream)
HEDDLE_EXPORT(cusolverSpCreate, create)
HEDDLE_EXPORT(cusolverSpDestroy, destroy)
HEDDLE_EXPORT(cusolverSpSetStream, set_stream)
HEDDLE_EXPORT(cusolverSpGetStream, get_stream)
HEDDLE_EXPORT(cusolverGetProperty, get_property)
HEDDLE_EXPORT(cusolverDnCreateParams, create_parameters)
HEDDLE_EXPORT(cusolverDnDestroyParams, destroy_parameters)
HEDDLE_EXPORT(cusolverDnCreateGesvdjInfo, create_parameters)
HEDDLE_EXPORT(cusolverDnDestroyGesvdjInfo, destroy_parameters)
HEDDLE_EXPORT(cusolverDnCreateSyevjInfo, create_parameters)
HEDDLE_EXPORT(cusolverDnDestroySyevjInfo, destroy_parameters)
HEDDLE_EXPORT(cusolverDnXgesvdjSetTolerance, set<&Parameters::tolerance, double>)
HEDDLE_EXPORT(cusolverDnXgesvdjSetMaxSweeps, set<&Parameters::sweeps, int>)
HEDDLE_EXPORT(cusolverDnXgesvdjSetSortEig, set<&Parameters::sorted, int>)
HEDDLE_EXPORT(cusolverDnXgesvdjGetResidual, get_of_last<double>)
HEDDLE_EXPORT(cusolverDnXgesvdjGetSweeps, get_of_last<int>)
HEDDLE_EXPORT(cusolverDnXsyevjSetTolerance, set<&Parameters::tolerance, double>)
HEDDLE_EXPORT(cusolverDnXsyevjSetMaxSweeps, set<&Parameters::sweeps, int>)
HEDDLE_EXPORT(cusolverDnXsyevjSetSortEig, set<&Parameters::sorted, int>)
HEDDLE_EXPORT(cusolverDnXsyevjGetResidual, get_of_last<double>)
HEDDLE_EXPORT(cusolverDnXsyevjGetSweeps, get_of_last<int>)

// A routine, and what it says of its workspace. `or_un`, `sy_he`: as LAPACK names it for real and
// for complex elements.
#define HEDDLE_DENSE(letter, or_un, sy_he, T)                                                      \
  HEDDLE_EXPORT(cusolverDn##letter##getrf, getrf<T>)                                               \
  HEDDLE_EXPORT(cusolverDn##letter##getrf_bufferSize, Workspace<int, int, T*, int>::ask)           \
  HEDDLE_EXPORT(cusolverDn##letter##getrs, getrs<T>)                                               \
  HEDDLE_EXPORT(cusolverDn##letter##potrf, potrf<T>)                                               \
  HEDDLE_EXPORT(cusolverDn##letter##potrf_bufferSize, Workspace<Fill, int, T*, int>::ask)          \
  HEDDLE_EXPORT(cusolverDn##letter##potri, potri<T>)                                               \
  HEDDLE_EXPORT(cusolverDn##letter##potri_bufferSize, Workspace<Fill, int, T*, int>::ask)          \
  HEDDLE_EXPORT(cusolverDn##letter##potrs, potrs<T>)                                               \
  HEDDLE_EXPORT(cusolverDn##letter##potrfBatched, potrf_batched<T>)                                \
  HEDDLE_EXPORT(cusolverDn##letter##potrsBatched, potrs_batched<T>)                                \
  HEDDLE_EXPORT(cusolverDn##letter##sytrf, sytrf<T>)                                               \
  HEDDLE_EXPORT(cusolverDn##letter##sytrf_bufferSize, Workspace<int, T*, int>::ask)                \
  HEDDLE_EXPORT(cusolverDn##letter##geqrf, geqrf<T>)                                               \
  HEDDLE_EXPORT(cusolverDn##letter##geqrf_bufferSize, Workspace<int, int, T*, int>::ask)           \
  HEDDLE_EXPORT(cusolverDn##letter##or_un##gqr, orgqr<T>)                                          \
  HEDDLE_EXPORT(cusolverDn##letter##or_un##gqr_bufferSize,                                         \
                Workspace<int, int, int, const T*, int, const T*>::ask)                            \
  HEDDLE_EXPORT(cusolverDn##letter##or_un##mqr, ormqr<T>)                                          \
  HEDDLE_EXPORT(cusolverDn##letter##or_un##mqr_bufferSize,                                         \
                Workspace<Side, Op, int, int, int, const T*, int, const T*, const T*, int>::ask)   \
  HEDDLE_EXPORT(cusolverDn##letter##gebrd, gebrd<T>)                                               \
  HEDDLE_EXPORT(cusolverDn##letter##gebrd_bufferSize, Workspace<int, int>::ask)                    \
  HEDDLE_EXPORT(cusolverDn##letter##sy_he##evd, syevd<T>)                                          \
  HEDDLE_EXPORT(cusolverDn##letter##sy_he##evd_bufferSize,                                         \
                Workspace<Vectors, Fill, int, const T*, int, const Real<T>*>::ask)                 \
  HEDDLE_EXPORT(cusolverDn##letter##sy_he##evj, syevj<T>)                                          \
  HEDDLE_EXPORT(cusolverDn##letter##sy_he##evj_bufferSize,                                         \
                Workspace<Vectors, Fill, int, const T*, int, const Real<T>*>::ask_with_parameters) \
  HEDDLE_EXPORT(cusolverDn##letter##sy_he##evjBatched, syevj_batched<T>)                           \
  HEDDLE_EXPORT(cusolverDn##letter##sy_he##evjBatched_bufferSize,                                  \
                Workspace<Vectors, Fill, int, const T*, int, const Real<T>*>::ask_for_batch)       \
  HEDDLE_EXPORT(cusolverDn##letter##gesvd, gesvd<T>)                                               \
  HEDDLE_EXPORT(cusolverDn##letter##gesvd_bufferSize, Workspace<int, int>::ask)                    \
  HEDDLE_EXPORT(cusolverDn##letter##gesvdj, gesvdj<T>)                                             \
  HEDDLE_EXPORT(cusolverDn##letter##gesvdj_bufferSize,                                             \
                Workspace<Vectors, int, int, int, const T*, int, const Real<T>*, const T*, int,    \
                          const T*, int>::ask_with_parameters)                                     \
  HEDDLE_EXPORT(cusolverDn##letter##gesvdjBatched, gesvdj_batched<T>)                              \
  HEDDLE_EXPORT(cusolverDn##letter##gesvdjBatched_bufferSize,                                      \
                Workspace<Vectors, int, int, const T*, int, const Real<T>*, const T*, int,         \
                          const T*, int>::ask_for_batch)
HEDDLE_DENSE(S, or, sy, float)
HEDDLE_DENSE(D, or, sy, double)
HEDDLE_DENSE(C, un, he, Complex)
HEDDLE_DENSE(Z, un, he, DoubleComplex)

#define HEDDLE_REFINED(letters, T)                                                      \
  HEDDLE_EXPORT(cusolverDn##letters##gesv, gesv<T>)                                     \
  HEDDLE_EXPORT(cusolverDn##letters##gesv_bufferSize,                                   \
                Workspace<int, int, T*, int, int*, T*, int, T*, int, void*>::ask_bytes) \
  HEDDLE_EXPORT(cusolverDn##letters##gels, gels<T>)                                     \
  HEDDLE_EXPORT(cusolverDn##letters##gels_bufferSize,                                   \
                Workspace<int, int, int, T*, int, T*, int, T*, int, void*>::ask_bytes)
HEDDLE_REFINED(SS, float)
HEDDLE_REFINED(SH, float)
HEDDLE_REFINED(SB, float)
HEDDLE_REFINED(SX, float)
HEDDLE_REFINED(DD, double)
HEDDLE_REFINED(DS, double)
HEDDLE_REFINED(DH, double)
HEDDLE_REFINED(DB, double)
HEDDLE_REFINED(DX, double)
HEDDLE_REFINED(CC, Complex)
HEDDLE_REFINED(CK, Complex)
HEDDLE_REFINED(CE, Complex)
HEDDLE_REFINED(CY, Complex)
HEDDLE_REFINED(ZZ, DoubleComplex)
HEDDLE_REFINED(ZC, DoubleComplex)
HEDDLE_REFINED(ZK, DoubleComplex)
HEDDLE_REFINED(ZE, DoubleComplex)
HEDDLE_REFINED(ZY, DoubleComplex)

}  // namespace heddle::runtime::libraries::cusolver
