// What cuSOLVER's routines share. Numbers are those of its documentation.
#pragma once

#include <vector>

#include "gpu/runtime/libraries/lapack.hpp"

namespace heddle::runtime::libraries::cusolver {

using cublas::Fill;
using cublas::Op;
using cublas::Side;

enum class Status : int {
  success = 0,
  not_initialized = 1,
  invalid_value = 3,
  execution_failed = 6,
  not_supported = 9,
};
enum class Vectors : int { none = 0, wanted = 1 };

struct Context {
  abi::Handle stream = nullptr;
};
using Handle = Context*;

}  // namespace heddle::runtime::libraries::cusolver

template <>
struct heddle::runtime::libraries::Failure<heddle::runtime::libraries::cusolver::Status> {
  using Status = heddle::runtime::libraries::cusolver::Status;
  static constexpr Status not_supported = Status::not_supported, failed = Status::execution_failed,
                          invalid = Status::invalid_value;
};

namespace heddle::runtime::libraries::cusolver {

// Parameters of Jacobi's method, which is not the host's: kept and not used.
struct Parameters {
  double tolerance = 0;
  int sweeps = 100, sorted = 1;
};
// `compute` gives LAPACK's INFO, which goes to `info` on the device.
template <typename T, typename Compute>
Status run(Handle handle, const Shape& shape, int* info, Compute compute) {
  if (handle == nullptr) return Status::not_initialized;
  need(Host::lapacke);
  const Error error = submit(handle->stream, type_name<T>(), shape, [=] {
    const int answer = compute();
    if (info != nullptr) *out(info, 1) = answer;
  });
  return error == Error::success ? Status::success : Status::execution_failed;
}

// The host needs no workspace of the program's; some allocate it without asking if it is empty.
template <typename... Before>
struct Workspace {
  static Status ask(Handle, Before..., int* elements) {
    demand(elements != nullptr);
    *elements = 1;
    return Status::success;
  }
  static Status ask_with_parameters(Handle, Before..., int* elements, Parameters*) {
    return ask(nullptr, Before{}..., elements);
  }
  static Status ask_bytes(Handle, Before..., std::size_t* bytes) {
    demand(bytes != nullptr);
    *bytes = 8;
    return Status::success;
  }
  static Status ask_for_batch(Handle, Before..., int* elements, Parameters*, int) {
    return ask(nullptr, Before{}..., elements);
  }
};

template <typename T>
int eigenvalues(Vectors vectors, Fill fill, int n, T* a, int lda, Real<T>* w) {
  return lapack<T>(kIsComplex<T> ? "heevd" : "syevd", vectors == Vectors::wanted ? 'V' : 'N',
                   letter_of(fill), n, out(a, span(n, n, lda)), lda, out(w, n));
}
// A = U S V', with V and not V' as the result.
template <typename T>
int values_and_vectors(Vectors vectors, int economic, int m, int n, T* a, int lda, Real<T>* s, T* u,
                       int ldu, T* v, int ldv) {
  const int least = std::min(m, n);
  const bool wanted = vectors == Vectors::wanted;
  const int rows = economic ? least : n;  // of V'
  std::vector<T> transposed(wanted ? static_cast<std::size_t>(std::max(1, rows * n)) : 1);
  const int answer = lapack<T>("gesdd",
                               !wanted    ? 'N'
                               : economic ? 'S'
                                          : 'A',
                               m, n, out(a, span(m, n, lda)), lda, out(s, least),
                               wanted ? out(u, span(m, economic ? least : m, ldu)) : u,
                               std::max(1, ldu), transposed.data(), std::max(1, rows));
  if (!wanted) return answer;
  T* const to = out(v, span(n, rows, ldv));
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < n; ++i) {
      T value = transposed[static_cast<std::size_t>(j + i * rows)];
      if constexpr (kIsComplex<T>) value = std::conj(value);
      to[i + std::int64_t{j} * ldv] = value;
    }
  return answer;
}
}  // namespace heddle::runtime::libraries::cusolver
