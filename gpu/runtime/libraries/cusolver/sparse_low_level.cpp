// cuSOLVER's low-level routines for sparse matrices: analysis, factors and solutions apart.
#include <memory>

#include "gpu/runtime/libraries/cusolver/sparse_calls.hpp"
#include "gpu/runtime/libraries/cusolver/sparse_factors.hpp"

namespace heddle::runtime::libraries::cusolver {
namespace {

using cusparse::Description;

// What is known of one matrix. Its factors are of one type of numbers, whose name is kept with
// them.
struct Info {
  std::shared_ptr<void> matrix, factors;
  const char *matrix_of = "", *factors_of = "";
};

template <typename Held, typename T>
Held& held(const std::shared_ptr<void>& from, const char* of) {
  demand(from != nullptr && std::string(of) == type_name<T>());
  return *static_cast<Held*>(from.get());
}
template <template <typename> class Factors, typename T>
const Factors<T>& factors_in(const Info* info) {
  demand(info != nullptr);
  return held<Factors<T>, T>(info->factors, info->factors_of);
}

Status create(Info** info) {
  demand(info != nullptr);
  *info = new Info;
  return Status::success;
}
Status destroy(Info* info) {
  delete info;
  return Status::success;
}

// Patterns are analysed with the numbers.
Status analyse_square(Handle handle, int n, int entries, const Description* description,
                      const int* first, const int* second, Info* info) {
  if (handle == nullptr) return Status::not_initialized;
  demand(n >= 0 && entries >= 0 && description != nullptr && first != nullptr &&
         second != nullptr && info != nullptr);
  *info = {};
  return Status::success;
}
Status analyse(Handle handle, int m, int n, int entries, const Description* description,
               const int* first, const int* second, Info* info) {
  demand(m >= n);
  return analyse_square(handle, n, entries, description, first, second, info);
}
template <typename T, typename... Sizes>
struct Buffers {
  static Status ask(Handle handle, Sizes..., int, const Description*, const T*, const int*,
                    const int*, Info*, std::size_t* internal, std::size_t* workspace) {
    if (handle == nullptr) return Status::not_initialized;
    demand(internal != nullptr && workspace != nullptr);
    *internal = *workspace = 8;
    return Status::success;
  }
};

template <template <typename> class Factors, typename T>
Status zero_pivot_of(Handle handle, Info* info, Real<T> tolerance, int* position) {
  if (handle == nullptr) return Status::not_initialized;
  demand(position != nullptr);
  *position = zero_pivot(factors_in<Factors, T>(info), tolerance);
  return Status::success;
}

template <template <typename> class Factors, typename T>
Status solve_square(Handle handle, int n, const T* b, T* x, Info* info, void*) {
  const auto& factors = factors_in<Factors, T>(info);
  demand(n == factors.size());
  return run_at_once<T>(handle, {{"n", n}}, [=, &factors] {
    const std::vector<T> solution = factors.solve({in(b, n), in(b, n) + n});
    std::copy(solution.begin(), solution.end(), out(x, n));
  });
}
template <typename T>
Status solve_qr(Handle handle, int m, int n, T* b, T* x, Info* info, void*) {
  const auto& factors = factors_in<QrFactors, T>(info);
  demand(n == factors.size() && m >= n);
  return run_at_once<T>(handle, {{"m", m}, {"n", n}}, [=, &factors] {
    const std::vector<T> solution = factors.solve({in(b, m), in(b, m) + m});
    std::copy(solution.begin(), solution.end(), out(x, n));
  });
}

// `body` makes the factors.
template <template <typename> class Factors, typename T, typename Body>
Status keep_factors(Handle handle, const Shape& shape, Info* info, Body body) {
  demand(info != nullptr);
  const auto factors = std::make_shared<Factors<T>>();
  const Status status = run_at_once<T>(handle, shape, [=] { body(*factors); });
  info->factors = factors;
  info->factors_of = type_name<T>();
  return status;
}
template <typename T>
Status factor_lu(Handle handle, int n, int entries, const Description* description, const T* values,
                 const int* first, const int* second, Info* info, Real<T> threshold, void*) {
  demand(n >= 0 && description != nullptr);
  return keep_factors<LuFactors, T>(handle, {{"n", n}}, info, [=](LuFactors<T>& made) {
    made.factor(read_matrix(n, n, entries, description, values, first, second), threshold);
  });
}
template <typename T>
Status factor_cholesky(Handle handle, int n, int entries, const Description* description,
                       const T* values, const int* first, const int* second, Info* info, void*) {
  demand(n >= 0 && description != nullptr);
  return keep_factors<CholeskyFactors, T>(handle, {{"n", n}}, info, [=](CholeskyFactors<T>& made) {
    made.factor(read_matrix(n, n, entries, description, values, first, second));
  });
}

// QR takes A - mu I in a call of its own.
template <typename T>
Status set_up_qr(Handle handle, int m, int n, int entries, const Description* description,
                 const T* values, const int* first, const int* second, T mu, Info* info) {
  demand(m >= n && n >= 0 && description != nullptr && info != nullptr);
  const auto matrix = std::make_shared<SparseMatrix<T>>();
  const Status status = run_at_once<T>(handle, {{"m", m}, {"n", n}}, [=] {
    *matrix = with_shift(read_matrix(m, n, entries, description, values, first, second), mu);
  });
  info->matrix = matrix;
  info->matrix_of = type_name<T>();
  return status;
}
// With `b` and `x` it solves at once.
template <typename T>
Status factor_qr(Handle handle, int m, int n, int, T* b, T* x, Info* info, void* buffer) {
  demand(info != nullptr);
  const auto& matrix = held<SparseMatrix<T>, T>(info->matrix, info->matrix_of);
  demand(matrix.rows == m && matrix.columns == n);
  const Status status = keep_factors<QrFactors, T>(
      handle, {{"m", m}, {"n", n}}, info, [&matrix](QrFactors<T>& made) { made.factor(matrix); });
  if (status != Status::success || b == nullptr || x == nullptr) return status;
  return solve_qr(handle, m, n, b, x, info, buffer);
}

Status count_lu(Handle handle, int* lower, int* upper, Info* info) {
  if (handle == nullptr) return Status::not_initialized;
  demand(lower != nullptr && upper != nullptr && info != nullptr && info->factors != nullptr);
  const auto count = [&](const auto& factors) {
    const auto [l, u] = factors.extract();
    *lower = l.entries();
    *upper = u.entries();
  };
  const std::string of = info->factors_of;
  if (of == type_name<float>()) count(factors_in<LuFactors, float>(info));
  if (of == type_name<double>()) count(factors_in<LuFactors, double>(info));
  if (of == type_name<Complex>()) count(factors_in<LuFactors, Complex>(info));
  if (of == type_name<DoubleComplex>()) count(factors_in<LuFactors, DoubleComplex>(info));
  return Status::success;
}

template <typename T>
void write(const SparseMatrix<T>& matrix, const Description* description, T* values, int* first,
           int* second) {
  for (const int each : matrix.first) *first++ = each + description->base;
  for (const int each : matrix.second) *second++ = each + description->base;
  std::copy(matrix.values.begin(), matrix.values.end(), values);
}
// P A Q' = L U, L without its diagonal.
template <typename T>
Status extract_lu(Handle handle, int* p, int* q, const Description* of_lower, T* lower_values,
                  int* lower_first, int* lower_second, const Description* of_upper, T* upper_values,
                  int* upper_first, int* upper_second, Info* info, void*) {
  if (handle == nullptr) return Status::not_initialized;
  const auto& factors = factors_in<LuFactors, T>(info);
  demand(of_lower != nullptr && of_upper != nullptr);
  std::copy(factors.row_order().begin(), factors.row_order().end(), p);
  std::iota(q, q + factors.size(), 0);
  const auto [lower, upper] = factors.extract();
  write(lower, of_lower, lower_values, lower_first, lower_second);
  write(upper, of_upper, upper_values, upper_first, upper_second);
  return Status::success;
}

template <typename T>
Status cholesky_diagonal(Handle handle, Info* info, Real<T>* diagonal) {
  const auto& factors = factors_in<CholeskyFactors, T>(info);
  const int n = factors.size();
  return run_at_once<T>(handle, {{"n", n}}, [=, &factors] {
    Real<T>* const to = out(diagonal, n);
    for (int j = 0; j < n; ++j) to[j] = std::real(factors.pivot(j));
  });
}

}  // namespace

#define HEDDLE_INFO(kind)                                    \
  HEDDLE_EXPORT(cusolverSpCreateCsr##kind##InfoHost, create) \
  HEDDLE_EXPORT(cusolverSpDestroyCsr##kind##InfoHost, destroy)
HEDDLE_INFO(lu)
HEDDLE_INFO(qr)
HEDDLE_INFO(chol)
HEDDLE_EXPORT(cusolverSpCreateCsrqrInfo, create)
HEDDLE_EXPORT(cusolverSpDestroyCsrqrInfo, destroy)
HEDDLE_EXPORT(cusolverSpCreateCsrcholInfo, create)
HEDDLE_EXPORT(cusolverSpDestroyCsrcholInfo, destroy)
HEDDLE_EXPORT(cusolverSpXcsrluAnalysisHost, analyse_square)
HEDDLE_EXPORT(cusolverSpXcsrcholAnalysisHost, analyse_square)
HEDDLE_EXPORT(cusolverSpXcsrcholAnalysis, analyse_square)
HEDDLE_EXPORT(cusolverSpXcsrqrAnalysisHost, analyse)
HEDDLE_EXPORT(cusolverSpXcsrqrAnalysis, analyse)
HEDDLE_EXPORT(cusolverSpXcsrluNnzHost, count_lu)

#define HEDDLE_LOW_LEVEL_AT(letter, host, T)                                                   \
  HEDDLE_EXPORT(cusolverSp##letter##csrcholBufferInfo##host, Buffers<T, int>::ask)             \
  HEDDLE_EXPORT(cusolverSp##letter##csrcholFactor##host, factor_cholesky<T>)                   \
  HEDDLE_EXPORT(cusolverSp##letter##csrcholZeroPivot##host, zero_pivot_of<CholeskyFactors, T>) \
  HEDDLE_EXPORT(cusolverSp##letter##csrcholSolve##host, solve_square<CholeskyFactors, T>)      \
  HEDDLE_EXPORT(cusolverSp##letter##csrqrBufferInfo##host, Buffers<T, int, int>::ask)          \
  HEDDLE_EXPORT(cusolverSp##letter##csrqrSetup##host, set_up_qr<T>)                            \
  HEDDLE_EXPORT(cusolverSp##letter##csrqrFactor##host, factor_qr<T>)                           \
  HEDDLE_EXPORT(cusolverSp##letter##csrqrZeroPivot##host, zero_pivot_of<QrFactors, T>)         \
  HEDDLE_EXPORT(cusolverSp##letter##csrqrSolve##host, solve_qr<T>)
#define HEDDLE_LOW_LEVEL(letter, T)                                                  \
  HEDDLE_LOW_LEVEL_AT(letter, , T)                                                   \
  HEDDLE_LOW_LEVEL_AT(letter, Host, T)                                               \
  HEDDLE_EXPORT(cusolverSp##letter##csrcholDiag, cholesky_diagonal<T>)               \
  HEDDLE_EXPORT(cusolverSp##letter##csrluBufferInfoHost, Buffers<T, int>::ask)       \
  HEDDLE_EXPORT(cusolverSp##letter##csrluFactorHost, factor_lu<T>)                   \
  HEDDLE_EXPORT(cusolverSp##letter##csrluZeroPivotHost, zero_pivot_of<LuFactors, T>) \
  HEDDLE_EXPORT(cusolverSp##letter##csrluSolveHost, solve_square<LuFactors, T>)      \
  HEDDLE_EXPORT(cusolverSp##letter##csrluExtractHost, extract_lu<T>)
HEDDLE_LOW_LEVEL(S, float)
HEDDLE_LOW_LEVEL(D, double)
HEDDLE_LOW_LEVEL(C, Complex)
HEDDLE_LOW_LEVEL(Z, DoubleComplex)

}  // namespace heddle::runtime::libraries::cusolver
